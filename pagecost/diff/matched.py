"""One side's policy over the queries that both sides have: counted anew, query by query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from pagecost.cost import outcomes, policy_result, verdicts
from pagecost.cost import pages as pages_of
from pagecost.cost import searches as searches_of
from pagecost.diff.records import OUTCOMES, Mover, Transitions
from pagecost.model import NOT_FOUND, PolicyResult, RankColumn, Ranking, RankTable
from pagecost.policies import search_tiers

_MOVERS = 10
Metric = Literal["pages", "searches"]


class Matching(msgspec.Struct, frozen=True):
    """Row numbers of the queries that stand on both sides, in the same order."""

    a: list[int]
    b: list[int]


def match(a: RankTable, b: RankTable) -> Matching:
    """The queries of two tables, by id."""
    places = {row.query_id: place for place, row in enumerate(b.rows)}
    pairs = [
        (place, places[row.query_id]) for place, row in enumerate(a.rows) if row.query_id in places
    ]
    return Matching([one for one, _ in pairs], [other for _, other in pairs])


class MatchedPolicy:
    """A policy of one side over some of its queries (at least one)."""

    def __init__(
        self,
        table: RankTable,
        rankings: Mapping[str, Ranking],
        policy: str,
        baseline: str,
        rows: Sequence[int],
    ) -> None:
        self.rows = [table.rows[row] for row in rows]
        self._column = _cut(table.column(policy), rows)
        self._base = _cut(table.column(baseline), rows)
        self._tiers = search_tiers(rankings[policy])
        self._base_tiers = search_tiers(rankings[baseline])

    def result(self, sizes: Sequence[int]) -> PolicyResult:
        """Its costs and quality."""
        return policy_result(self._column, self._base, self._tiers, self._base_tiers, sizes)

    @property
    def has_searches(self) -> bool:
        """Does anybody know how many searches its pages take, and the baseline's?"""
        return self._tiers is not None and self._base_tiers is not None

    def ranks(self) -> list[int | None]:
        """Its ranks; None where the target was not found."""
        return [rank or None for rank in self._column.ranks.tolist()]

    def pages(self, size: int) -> list[int]:
        """Pages of each query."""
        counts: list[int] = pages_of(self._column.ranks, size, self._column.depth).tolist()
        return counts

    def outcomes(self, size: int, metric: Metric) -> list[int]:
        """For each query, the place in OUTCOMES of what it is against this side's baseline."""
        sides = []
        for column, tiers in ((self._column, self._tiers), (self._base, self._base_tiers)):
            counts = pages_of(column.ranks, size, column.depth)
            if metric == "searches" and tiers is not None:
                counts = searches_of(counts, size, tiers, column.depth)
            sides.append((counts, column.ranks != NOT_FOUND))
        places: list[int] = (1 - verdicts(*sides[0], *sides[1])).tolist()
        return places


def _cut(column: RankColumn, rows: Sequence[int]) -> RankColumn:
    return column.of(np.array(rows, dtype=np.int64))


def transitions(a: MatchedPolicy, b: MatchedPolicy, size: int) -> Transitions:
    """Which queries moved between win, tie and loss, and which moved most."""
    before, after = a.pages(size), b.pages(size)
    found = [np.array([rank is not None for rank in side.ranks()]) for side in (a, b)]
    counts = outcomes(np.array(after), found[1], np.array(before), found[0])
    return Transitions(
        page_size=size,
        pages=_table(a, b, size, "pages"),
        searches=_table(a, b, size, "searches") if a.has_searches and b.has_searches else None,
        fewer=counts.win,
        as_many=counts.tie,
        more=counts.loss,
        missed=int((~found[0] | ~found[1]).sum()),
        movers=list(_movers(a, b, before, after)),
    )


def _table(a: MatchedPolicy, b: MatchedPolicy, size: int, metric: Metric) -> list[list[int]]:
    table = [[0] * len(OUTCOMES) for _ in OUTCOMES]
    for was, now in zip(a.outcomes(size, metric), b.outcomes(size, metric), strict=True):
        table[was][now] += 1
    return table


def _movers(
    a: MatchedPolicy, b: MatchedPolicy, before: Sequence[int], after: Sequence[int]
) -> Iterator[Mover]:
    """The queries whose pages changed most, the largest change first, then by id."""
    moved = [place for place in range(len(before)) if before[place] != after[place]]
    moved.sort(key=lambda place: (-abs(after[place] - before[place]), b.rows[place].query_id))
    ranks_a, ranks_b = a.ranks(), b.ranks()
    for place in moved[:_MOVERS]:
        row = b.rows[place]
        yield Mover(
            query_id=row.query_id,
            repository=row.repository,
            target_path=row.target_path,
            target_name=row.target_name,
            rank_a=ranks_a[place],
            rank_b=ranks_b[place],
            pages_a=before[place],
            pages_b=after[place],
        )
