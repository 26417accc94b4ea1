"""The parts of a report that need a record: headline, tables and figures."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import msgspec

from pagecost import export, jsonio
from pagecost.charts.draw import Drawer
from pagecost.charts.theme import Style
from pagecost.model import Group, Plan, Results
from pagecost.report import figures, tables, terms, tradeoffs, words
from pagecost.report.figure import Figure
from pagecost.report.found import FoundRow, UnjudgedRow, found_rows, unjudged_rows
from pagecost.report.movers import Movers
from pagecost.report.movers import movers as movers_of
from pagecost.report.queries import Queries, queries_of
from pagecost.report.querydata import query_table
from pagecost.report.tradeoffs import Plane, Trade
from pagecost.report.words import Change, Sentence, primary_change
from pagecost.versions import Record


class Headline(msgspec.Struct, frozen=True):
    """One of the three figures under the headline. Bars are per cent of the larger count."""

    name: str
    kind: str
    is_proxy: bool
    change: Change
    phrase: str
    base_bar: float
    ours_bar: float


class Scores(msgspec.Struct, frozen=True):
    """The parts of a report that need a record."""

    headline: Sentence
    notes: tuple[str, ...]
    missing: Change | None
    trio: tuple[Headline, ...]
    blocks: tuple[tables.SizeBlock, ...]
    clipped: bool
    outcomes: tuple[tables.OutcomeRow, ...]
    qualities: tuple[tables.QualityRow, ...]
    groups: tuple[tables.GroupRow, ...]
    queries: Queries
    both_found: tuple[FoundRow, ...]
    unjudged: tuple[UnjudgedRow, ...]
    movers: Movers | None
    planes: tuple[Plane, ...]
    trades: tuple[Trade, ...]
    figures: tuple[Figure, ...]
    results: Results
    results_sha256: str
    results_bytes: int
    origin_equal: bool | None

    def figure(self, anchor: str) -> Figure:
        """The figure with that anchor."""
        return next(one for one in self.figures if one.anchor == anchor)

    @property
    def traded(self) -> str:
        """What was traded at the primary page size, as a sentence."""
        return tradeoffs.example(self.trades)


def scores_of(plan: Plan, record: Record, styles: dict[str, Style], drawer: Drawer) -> Scores:
    results, table = record.results, record.table
    compares = plan.primary_policy != plan.baseline
    blocks = tuple(tables.cost_blocks(plan, results, styles))
    every_query, planes = query_table(plan, table), tradeoffs.planes(plan, results, styles)
    movers = movers_of(plan, every_query) if compares else None
    return Scores(
        headline=words.headline(plan, results),
        notes=notes(plan, results),
        missing=words.missing(plan, results),
        trio=tuple(_trio(plan, results)),
        blocks=blocks,
        clipped=tables.is_clipped(blocks),
        outcomes=tuple(tables.outcome_rows(plan, results)) if compares else (),
        qualities=tuple(tables.quality_rows(plan, results, styles)),
        groups=tuple(tables.group_rows(plan, results, table)),
        queries=queries_of(plan, every_query),
        both_found=tuple(found_rows(plan, table, styles)),
        unjudged=tuple(unjudged_rows(plan, results, styles)),
        movers=movers,
        planes=planes if compares else (),
        trades=tuple(tradeoffs.trades(plan, results)) if compares else (),
        figures=tuple(_figures(plan, record, styles, drawer, movers, planes)),
        results=results,
        results_sha256=jsonio.sha256(record.results_json),
        results_bytes=len(record.results_json),
        origin_equal=_origin_equal(plan, results),
    )


def _figures(
    plan: Plan,
    record: Record,
    styles: dict[str, Style],
    drawer: Drawer,
    movers: Movers | None,
    planes: tuple[Plane, ...],
) -> Iterator[Figure]:
    """The figures that this report has, in order, numbered as they come."""
    results, number = record.results, itertools.count(1)
    curves = figures.curves(plan, record.table, list(styles.values()))
    yield figures.cost_figure(next(number), plan, results, curves, drawer)
    if movers is None:
        return
    yield figures.outcome_figure(next(number), plan, results, styles, drawer)
    yield figures.rank_figure(next(number), plan, movers, drawer)
    if named := _panel_names(results.groups[1:]):
        yield figures.group_figure(next(number), plan, named, styles, drawer)
    if planes:
        yield figures.plane_figure(next(number), plan, planes, drawer)


def notes(plan: Plan, results: Results) -> tuple[str, ...]:
    """What totals do not say by themselves: what was not found, and which searches are bounds."""
    found = words.not_found(plan, results), terms.bounds_said(plan.policies)
    return tuple(note for note in found if note is not None)


def _panel_names(groups: list[Group]) -> list[tuple[str, Group]]:
    """Short names for small panels: `lxd` for `lxc/lxd` where that is clear."""
    short = [group.name.rsplit("/", 1)[-1] for group in groups]
    clear = len(set(short)) == len(short)
    return [
        (name if clear else group.name, group) for name, group in zip(short, groups, strict=True)
    ]


def _trio(plan: Plan, results: Results) -> list[Headline]:
    size = plan.primary_page_size
    found = []
    for name, metric, is_proxy in (
        ("Pages", "pages", False),
        ("Emitted candidates", "emitted", False),
        ("Search-work proxy", "searches", True),
    ):
        change = primary_change(plan, results.overall, size, metric)
        base, ours = change.base or 0, change.ours or 0
        most = max(base, ours, 1)
        found.append(
            Headline(
                name=name,
                kind="proxy, not time" if is_proxy else "counted",
                is_proxy=is_proxy,
                change=change,
                phrase=_phrase(change),
                base_bar=round(100 * base / most, 2),
                ours_bar=round(100 * ours / most, 2),
            )
        )
    return found


def _phrase(change: Change) -> str:
    if change.difference is None:
        return "can’t be compared"
    return change.amount or "as many"


def _origin_equal(plan: Plan, results: Results) -> bool | None:
    """Is the record, in the published format, the published one? None where none is named."""
    if plan.origin is None or plan.origin.results.export is None:
        return None
    exported = export.FORMATS[plan.origin.results.export](plan, results)
    return jsonio.sha256(exported) == plan.origin.results.sha256
