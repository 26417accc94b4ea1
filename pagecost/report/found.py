"""What a truncated run hides: figures on the queries that both found, and what nobody judged."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pagecost import cost
from pagecost.charts.theme import Style
from pagecost.model import NOT_FOUND, Plan, RankTable, Results
from pagecost.policies import resolve, search_tiers
from pagecost.report.words import Change


class FoundRow(msgspec.Struct, frozen=True):
    """A policy against the baseline over the queries that both found, at one page size."""

    style: Style
    is_primary: bool
    size: int
    queries: int
    pages: Change
    emitted: Change
    searches: Change
    mean_base: float | None
    mean_ours: float | None


class UnjudgedRow(msgspec.Struct, frozen=True):
    """How many of the candidates on the pages read nobody judged, by page size."""

    style: Style
    is_primary: bool
    shares: tuple[tuple[int, int], ...]
    """(unjudged, emitted) at each page size of the plan."""


def found_rows(plan: Plan, table: RankTable, styles: dict[str, Style]) -> Iterator[FoundRow]:
    """Every policy but the baseline at the primary size, the primary policy at every size.

    Nothing of a policy that found all that there is, as the baseline did.
    """
    base = table.column(plan.baseline)
    tiers = {name: search_tiers(ranking) for name, ranking in resolve(plan.policies).items()}
    for column in table.columns:
        if column.policy == plan.baseline:
            continue
        both = (column.ranks != NOT_FOUND) & (base.ranks != NOT_FOUND)
        if both.all() or not both.any():
            continue
        is_primary = column.policy == plan.primary_policy
        sizes = plan.page_sizes if is_primary else [plan.primary_page_size]
        cut = (column.of(both), base.of(both))
        own, its = tiers[column.policy], tiers[base.policy]
        ours = cost.policy_result(*cut, own, its, sizes)
        theirs = cost.policy_result(cut[1], cut[1], its, its, sizes)
        for size in sizes:
            below, above = theirs.at(size), ours.at(size)
            yield FoundRow(
                style=styles[column.policy],
                is_primary=is_primary,
                size=size,
                queries=int(both.sum()),
                pages=Change(below.pages, above.pages),
                emitted=Change(below.emitted, above.emitted),
                searches=Change(below.searches, above.searches),
                mean_base=theirs.quality.mean_rank,
                mean_ours=ours.quality.mean_rank,
            )


def unjudged_rows(plan: Plan, results: Results, styles: dict[str, Style]) -> Iterator[UnjudgedRow]:
    """A row a policy; nothing where the corpus has no judgments."""
    for result in results.overall.policies:
        shares = [(one.unjudged, one.emitted) for one in result.costs]
        known = tuple((unjudged, read) for unjudged, read in shares if unjudged is not None)
        if known:
            is_primary = result.policy == plan.primary_policy
            yield UnjudgedRow(styles[result.policy], is_primary, known)
