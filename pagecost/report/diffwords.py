"""A comparison in words: what every format of it says alike."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pagecost.diff.limits import LimitResult
from pagecost.diff.records import (
    Count,
    Diff,
    Figures,
    Overlap,
    PolicyDiff,
    SideName,
    SizeRow,
    Transitions,
)
from pagecost.gates import GateResult
from pagecost.model import Quality
from pagecost.report import words
from pagecost.report.words import Change, Piece, Sentence, number

QUALITIES = (
    ("Recall@1", "recall_at_1", 4),
    ("Recall@5", "recall_at_5", 4),
    ("Recall@10", "recall_at_10", 4),
    ("MRR", "mrr", 4),
    ("Mean rank", "mean_rank", 2),
    ("Median rank", "median_rank", 0),
    ("95th percentile", "p95_rank", 0),
)
"""Name, field, decimals. Recall and MRR: higher is better; ranks: lower is better."""

LOWER = "Pages and candidates are counted; searches are a proxy, not time. Lower is better."


def names(diff: Diff) -> tuple[str, str]:
    """What the two sides are called in a sentence: versions where that is clear."""
    a, b = diff.a, diff.b
    if (a.experiment, a.version) == (b.experiment, b.version):
        return "A", "B"
    if a.experiment == b.experiment:
        return a.version, b.version
    return f"{a.experiment} {a.version}", f"{b.experiment} {b.version}"


def spoken(diff: Diff) -> tuple[str, str]:
    """The same where a bare number would read as a count: version 2."""
    a, b = names(diff)
    if diff.a.experiment == diff.b.experiment and diff.a.version != diff.b.version:
        return f"version {a}", f"version {b}"
    return a, b


def side(named: SideName) -> str:
    """One side in a line."""
    return (
        f"{named.given}: {named.experiment} {named.version}, {named.kind}, {named.state}, dated "
        f"{named.date}, plan {named.plan_sha256[:12]}"
    )


def identical(diff: Diff) -> str:
    """All that is said where nothing differs."""
    both = "one plan and one record" if diff.a.state == "recorded" else "one plan, and no record"
    return f"No difference: {diff.a.given} and {diff.b.given} have {both}."


def headline(diff: Diff) -> Sentence | None:
    """The primary policies of both at the primary page size; None where nothing is comparable.

    Over the queries that both have, and says so where the sides have others too.
    """
    figures, size = diff.shared(diff.headline), diff.primary_page_size
    if figures is None or size is None:
        return None
    a, b = spoken(diff)
    row = figures.at(size)
    start = f"At {words.count(size, 'candidate')} a page{_scope(diff, figures)}, {b} needs "
    missed = _missed(figures, a, b)
    if row.searches.change is None:
        said = words.two_sides(change(row.pages), change(row.searches), a)
        return (Piece(start), *said, *missed)
    pages, searches = (change(one).amount for one in (row.pages, row.searches))
    if pages is None and searches is None:
        return (Piece(f"{start}as many pages and as many searches (proxy) as {a}."), *missed)
    return (
        Piece(start),
        Piece(pages or "as many", strong=pages is not None),
        Piece(f" pages {'than' if pages else 'as'} {a} and "),
        Piece(searches or "as many", strong=searches is not None),
        Piece(" searches (proxy)."),
        *missed,
    )


def _missed(figures: Figures, a: str, b: str) -> Sentence:
    """What was not found, wherever totals are: who misses more may seem to cost less."""
    before, after = figures.not_found.a, figures.not_found.b
    if not (before or after):
        return ()
    return (
        Piece(f" Targets not found: {number(before)} in {a}, "),
        Piece(number(after), strong=True),
        Piece(f" in {b}."),
    )


def _scope(diff: Diff, figures: Figures) -> str:
    if diff.has_same_queries:
        return ""
    return f", over the {words.count(figures.queries.a or 0, 'query', 'queries')} that both have"


def own_changes(ours: SizeRow, base: SizeRow, metric: str) -> tuple[Change, Change]:
    """Each side's change against its own baseline; `metric` is `pages`, `emitted`, `searches`."""
    found, below = getattr(ours, metric), getattr(base, metric)
    return Change(below.a, found.a), Change(below.b, found.b)


def against(diff: Diff) -> str | None:
    """The primary policies' in words, over the queries that both have; None without any."""
    ours, base = diff.shared(diff.headline), diff.shared(diff.baseline)
    size = diff.primary_page_size
    if ours is None or base is None or size is None:
        return None
    said = []
    for name, metric in (("pages", "pages"), ("searches (proxy)", "searches")):
        before, after = own_changes(ours.at(size), base.at(size), metric)
        said.append(f"{name} {arrow_of(before, after)}")
    missed = "".join(
        f", {name} {arrow(figures.not_found)}"
        for name, figures in (("not found", ours), ("not found by the baselines", base))
        if ours.not_found.a or ours.not_found.b or base.not_found.a or base.not_found.b
    )
    return f"Each against its own baseline: {', '.join(said)}{missed}."


def arrow_of(before: Change, after: Change) -> str:
    """Both sides' changes against their own baselines; a side that gave no count is said to."""
    return " → ".join(
        words.NOT_GIVEN if one.difference is None else one.short for one in (before, after)
    )


def caveats(diff: Diff) -> list[str]:
    """The caveats of both sides; one where they are the same."""
    if diff.a.caveat == diff.b.caveat:
        return [f"Caveat: {_line(diff.a.caveat)}"]
    sides = zip(spoken(diff), (diff.a, diff.b), strict=True)
    return [f"Caveat of {name}: {_line(named.caveat)}" for name, named in sides]


def _line(text: str) -> str:
    return " ".join(text.split())


def gates(diff: Diff) -> list[str]:
    """What became of the gates of both sides."""
    sides = zip(spoken(diff), (diff.a, diff.b), strict=True)
    return [f"{name}: {gate(one)}" for name, named in sides for one in named.gates]


def gate(found: GateResult) -> str:
    """What became of a gate, with its numbers."""
    return f"{found.decision}: {_line(found.name)}: {words.gate_said(found)}"


def corpus_note(diff: Diff) -> str | None:
    """What a change is also a change of, where the documents differ; None where they don't."""
    same = diff.documents.is_same if diff.documents is not None else diff.same_documents
    size = diff.primary_page_size
    if same or diff.not_comparable or size is None:
        return None
    said = "The documents are not the same, so every change is also one of the corpus"
    base = diff.shared(diff.baseline)
    if base is None:
        return f"{said}."
    row = base.at(size)
    pages, searches = (
        change(row.pages).short,
        "by " + change(row.searches).short + " in searches (proxy)",
    )
    if row.searches.change is None:
        searches = "its searches were not given on both sides"
    return f"{said}: the baseline itself changes by {pages} in pages and {searches}."


def targets_note(diff: Diff) -> str | None:
    """That the answers are not the same on both sides; None where they are."""
    if not diff.changed_targets:
        return None
    have = "has" if diff.changed_targets == 1 else "have"
    return (
        f"{words.count(diff.changed_targets, 'query', 'queries')} of those that both have {have} "
        "another target, or another number of relevant documents, in B: their ranks are of other "
        "answers."
    )


def not_found_note(diff: Diff) -> str | None:
    """What a query that is not found costs; None where the headline's policies found all."""
    figures = diff.shared(diff.headline)
    if figures is None or not (figures.not_found.a or figures.not_found.b):
        return None
    return f"A query whose target is not found {words.COST_OF_NONE}."


def notes(diff: Diff) -> list[str]:
    """What a change is also a change of: the corpus, the answers, or what was not found."""
    found = (not_found_note(diff), corpus_note(diff), targets_note(diff))
    return [note for note in found if note is not None]


def change(count: Count) -> Change:
    """A count as a change from A to B."""
    return Change(count.a, count.b)


def overlap(found: Overlap | None, same_set: bool | None) -> str:
    """How two sets of ids overlap, or what is known of it."""
    if found is not None:
        if found.is_same:
            return f"the same {number(found.same)}"
        return (
            f"{number(found.same)} the same, {number(found.only_in_a)} dropped, "
            f"{number(found.only_in_b)} added"
        )
    if same_set is None:
        return "not pinned on both sides"
    return "the same set" if same_set else "not the same set; a side does not list its ids"


def value(found: Any) -> str:
    """A plan's value: text as it stands, anything else as JSON."""
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def only_in(diff: Diff, policy: PolicyDiff) -> str:
    """Where a policy is that one side lacks."""
    return f"only in {spoken(diff)[policy.name_a is None]}"


def not_found(count: Count) -> str:
    """`, not found 3 → 5` where anything was not found."""
    return f", not found {arrow(count)}" if count.a or count.b else ""


def arrow(count: Count) -> str:
    """Both sides of a count; one number where they are equal."""
    return number(count.a) if count.a == count.b else f"{number(count.a)} → {number(count.b)}"


def qualities(a: Quality, b: Quality) -> list[tuple[str, str, str]]:
    """Name and both values of every figure that differs."""
    return [
        (name, words.decimal(ours, digits), words.decimal(theirs, digits))
        for name, field, digits in QUALITIES
        if (ours := getattr(a, field)) != (theirs := getattr(b, field))
    ]


def rank(found: int | None) -> str:
    """A rank, or that there is none."""
    return "not found" if found is None else number(found)


def moved(table: Sequence[Sequence[int]] | None) -> int:
    """How many queries a transition table has off its diagonal; none where there is no table."""
    return sum(n for i, row in enumerate(table or ()) for j, n in enumerate(row) if i != j)


def moves(found: Transitions, a: str, b: str) -> str:
    """On how many queries B takes fewer, as many, more pages than A."""
    if not (found.fewer or found.more or moved(found.pages) or moved(found.searches)):
        return f"At page size {number(found.page_size)}, no query moved."
    said = (
        f"At page size {number(found.page_size)}, {words.count(found.fewer, 'query', 'queries')} "
        f"took fewer pages in {b} than in {a}, {number(found.more)} more, and "
        f"{number(found.as_many)} as many."
    )
    return f"{said} {words.FOUND_FIRST}." if found.missed else said


def limit(found: LimitResult) -> str:
    """What became of a limit, with both figures."""
    if found.a is None or found.b is None:
        said = ":" if found.decision == "not decided" else ","
        return f"{found.limit}: {found.decision}{said} {found.why}"
    why = f" ({found.why})" if found.why else ""
    a, b = words.figure(found.a), words.figure(found.b)
    return f"{found.limit}: {found.decision}, {a} → {b}{why}"
