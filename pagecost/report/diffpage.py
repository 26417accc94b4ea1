"""The compare page: one record that a template can print without deciding anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from pagecost.charts.draw import Drawer
from pagecost.charts.theme import Style
from pagecost.diff import engine
from pagecost.diff.records import (
    OUTCOMES,
    Count,
    Diff,
    Figures,
    PolicyDiff,
    Transitions,
)
from pagecost.diff.sides import Side
from pagecost.model import CorpusPins, Plan
from pagecost.report import difffigure, diffwords, words
from pagecost.report.figure import Figure
from pagecost.report.page import Section, styles_of
from pagecost.report.words import Piece, Sentence, number


class Tile(msgspec.Struct, frozen=True):
    """One of the three figures under the headline: both sides, and each against its baseline."""

    name: str
    kind: str
    is_proxy: bool
    count: Count
    phrase: str
    against: str


class Condition(msgspec.Struct, frozen=True):
    """Something that must be equal for a difference to mean anything."""

    name: str
    a: str
    b: str
    result: str


class Block(msgspec.Struct, frozen=True):
    """A policy's figures over one set of queries. `said` names the set."""

    said: str
    figures: Figures


class PolicyBlock(msgspec.Struct, frozen=True):
    """A policy with its blocks: the shared queries first, then all queries of each side."""

    policy: PolicyDiff
    said: str
    blocks: tuple[Block, ...]


class ComparePage(msgspec.Struct, frozen=True):
    """Everything on the page that compares two versions."""

    diff: Diff
    a: Plan
    b: Plan
    names: tuple[str, str]
    styles: tuple[Style, Style]
    title: str
    description: str
    heading: Sentence
    tiles: tuple[Tile, ...]
    conditions: tuple[Condition, ...]
    head: PolicyBlock | None
    figure: Figure | None
    policies: tuple[PolicyBlock, ...]

    @property
    def policies_said(self) -> str | None:
        """Which policies the headline compares, where they are two; None where it is one."""
        ours, theirs = (
            words.subject(plan.policy(plan.primary_policy)) for plan in (self.a, self.b)
        )
        if ours == theirs or self.head is None:
            return None
        a, b = self.spoken
        return f"The primary policy of {a} is {ours}, that of {b} is {theirs}."

    @property
    def spoken(self) -> tuple[str, str]:
        """What the two are called in a sentence."""
        return diffwords.spoken(self.diff)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a change is also a change of: the corpus, or the answers."""
        return tuple(diffwords.notes(self.diff))

    @property
    def missed(self) -> str:
        """What both primary policies did not find, beside every total; empty where they found all.

        `not found 3 → 5`.
        """
        figures = self.diff.shared(self.diff.headline)
        return "" if figures is None else diffwords.not_found(figures.not_found).removeprefix(", ")

    @property
    def is_draft(self) -> bool:
        """Is either side a draft?"""
        return "draft" in (self.diff.a.state, self.diff.b.state)

    @property
    def moved(self) -> Transitions | None:
        """How the primary policies' queries moved."""
        return self.diff.headline.transitions if self.diff.headline else None

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts that this page has, in order."""
        parts = (
            ("plan", "What changed in the plan", True),
            ("comparable", "Can they be compared", True),
            ("gates", "Gates", bool(self.diff.a.gates or self.diff.b.gates)),
            ("cost", "Cost, side by side", self.head is not None),
            ("curve", "Across page sizes", self.figure is not None),
            ("moved", "Queries that moved", self.moved is not None),
            ("policies", "Every policy", bool(self.policies)),
            ("caveats", "Caveats", True),
        )
        present = [(anchor, title) for anchor, title, there in parts if there]
        return tuple(Section(n, *part) for n, part in enumerate(present, start=1))

    def section(self, anchor: str) -> Section:
        """The section with that anchor."""
        return next(one for one in self.sections if one.anchor == anchor)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of what a query can be against its baseline."""
        return OUTCOMES


def compare_page(a: Side, b: Side, drawer: Drawer) -> ComparePage:
    """The page of two sides."""
    diff = engine.compare(a, b)
    names = diffwords.names(diff)
    heading = diffwords.headline(diff) or _no_headline(diff)
    styles = tuple(styles_of(side.plan)[side.plan.primary_policy] for side in (a, b))
    head = _block(diff, diff.headline) if diff.headline else None
    said = words.plain(heading)
    return ComparePage(
        diff=diff,
        a=a.plan,
        b=b.plan,
        names=names,
        styles=(styles[0], styles[1]),
        title=_title(diff, names),
        description=f"{said} {' '.join(b.plan.caveat.split())}",
        heading=heading,
        tiles=tuple(_tiles(diff)),
        conditions=tuple(_conditions(a.plan, b.plan, diff)),
        head=head,
        figure=difffigure.change_figure(diff, (styles[0], styles[1]), drawer),
        policies=tuple(_block(diff, policy) for policy in diff.policies),
    )


def _title(diff: Diff, names: tuple[str, str]) -> str:
    start = f"{diff.b.experiment} {names[0]} → {names[1]}"
    figures, size = diff.shared(diff.headline), diff.primary_page_size
    if figures is None or size is None:
        return f"{start}: what changed"
    row = figures.at(size)
    pages, searches = (
        words.counted(diffwords.change(count)) for count in (row.pages, row.searches)
    )
    missed = diffwords.not_found(figures.not_found)
    return f"{start}: {pages} pages, {searches} searches (proxy){missed}"


def _no_headline(diff: Diff) -> Sentence:
    a, b = diffwords.spoken(diff)
    a = words.capital(a)
    if diff.not_comparable:
        return (Piece(f"{a} and {b} can’t be compared in figures."),)
    return (Piece(f"{a} and {b} share no figure that can be held against each other."),)


# --- Headline -------------------------------------------------------------------------------------


def _tiles(diff: Diff) -> Iterator[Tile]:
    ours, base = diff.shared(diff.headline), diff.shared(diff.baseline)
    size = diff.primary_page_size
    if ours is None or base is None or size is None:
        return
    for name, metric, is_proxy in (
        ("Pages", "pages", False),
        ("Emitted candidates", "emitted", False),
        ("Search-work proxy", "searches", True),
    ):
        count: Count = getattr(ours.at(size), metric)
        before, after = diffwords.own_changes(ours.at(size), base.at(size), metric)
        yield Tile(
            name=name,
            kind="proxy, not time" if is_proxy else "counted",
            is_proxy=is_proxy,
            count=count,
            phrase=_phrase(count),
            against=f"against the baseline {diffwords.arrow_of(before, after)}",
        )


def _phrase(count: Count) -> str:
    if count.change is None:
        return "not given on both sides"
    if not count.change:
        return "as many"
    return f"{number(abs(count.change))} {'more' if count.change > 0 else 'fewer'}"


# --- Can they be compared -------------------------------------------------------------------------


def _conditions(a: Plan, b: Plan, diff: Diff) -> Iterator[Condition]:
    definitions = a.definitions == b.definitions
    yield Condition("Definitions", "", "", "equal" if definitions else "differ")
    baseline = "the same order" if diff.same_baseline else "orders otherwise"
    yield Condition("Baseline", a.baseline, b.baseline, baseline)
    pins = (a.corpus.pins, b.corpus.pins)

    def pinned(name: str) -> tuple[str, str]:
        values = (_pinned(one, name) for one in pins)
        return next(values), next(values)

    documents = diffwords.overlap(diff.documents, diff.same_documents)
    yield Condition("Documents", *pinned("documents"), documents)
    queries = diffwords.overlap(diff.queries, diff.same_queries)
    yield Condition("Queries", *pinned("queries"), queries)
    sizes = (", ".join(map(number, plan.page_sizes)) for plan in (a, b))
    same_sizes = "equal" if a.page_sizes == b.page_sizes else _sizes_said(diff)
    yield Condition("Page sizes", next(sizes), next(sizes), same_sizes)


def _pinned(pins: CorpusPins | None, name: str) -> str:
    value = None if pins is None else getattr(pins, name)
    return "not pinned" if value is None else number(value)


def _sizes_said(diff: Diff) -> str:
    if not diff.page_sizes:
        return "none on both sides"
    return f"{', '.join(map(number, diff.page_sizes))} on both sides"


# --- Figures --------------------------------------------------------------------------------------


def _block(diff: Diff, policy: PolicyDiff) -> PolicyBlock:
    blocks: list[Block] = []
    if policy.everything is not None and diff.has_same_queries:
        blocks.append(Block("all queries, the same on both sides", policy.everything))
    elif policy.everything is not None:
        if policy.matched is not None:
            blocks.append(Block("the queries that both have, alone", policy.matched))
        everything = (
            "all queries of each side, which are not the same, so that a change is theirs too"
        )
        blocks.append(Block(everything, policy.everything))
    return PolicyBlock(policy, _said(diff, policy), tuple(blocks))


def _said(diff: Diff, policy: PolicyDiff) -> str:
    """A policy in a line, at the primary page size."""
    if policy.everything is None:
        return diffwords.only_in(diff, policy)
    figures, size = diff.shared(policy), diff.primary_page_size
    if figures is None or size is None:
        return ""
    row = figures.at(size)
    if row.pages.change == 0 and row.searches.change == 0:
        missed = diffwords.not_found(figures.not_found)
        return f"at page size {number(size)}: as many pages and searches (proxy){missed}"
    pages, searches = (diffwords.change(count).short for count in (row.pages, row.searches))
    if row.searches.change is None:
        searches = words.NOT_GIVEN
    missed = diffwords.not_found(figures.not_found)
    return f"at page size {number(size)}: pages {pages}, searches (proxy) {searches}{missed}"


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "arrow": diffwords.arrow,
    "change": diffwords.change,
    "moved": diffwords.moved,
    "moves": diffwords.moves,
    "not_found": diffwords.not_found,
    "qualities": diffwords.qualities,
    "rank": diffwords.rank,
    "value": diffwords.value,
}
"""What the template calls to say numbers."""
