"""Cost from ranks: pure arithmetic on counts, no I/O. Lower is better throughout.

For rank r, page size s and depth d (how many candidates the policy delivers for the query; all N
documents unless a run was cut):

    pages    = ⌈r / s⌉
    emitted  = min(d, pages · s)
    searches = Σ over the pages of the searches behind each (a proxy: searches, not time)

A query that is not found costs what was delivered for it: r is d in the formulas above. Where
nothing was delivered it costs one page, which is empty: somebody has to ask. Found beats not found,
and two not found tie, whatever they cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagecost.errors import InputError
from pagecost.model import (
    NOT_FOUND,
    Outcomes,
    PageCost,
    PolicyResult,
    Quality,
    RankArray,
    RankColumn,
)

Tiers = Sequence[tuple[int, int]]
"""From `policies.search_tiers`: ((where a page ends at most, its searches), …), 0 for no bound."""

IntArray = NDArray[np.int64]
Depth = int | IntArray
"""Candidates delivered: for every query, or one number a query."""


def check_ranks(column: RankColumn) -> None:
    """InputError unless there are queries and each rank lies in 1..depth or is NOT_FOUND."""
    if not len(column.ranks):
        raise InputError(f"policy {column.policy!r}: no query, so there is nothing to count")
    depths = np.broadcast_to(column.depth, column.ranks.shape)
    least = 1 if isinstance(column.depth, int) else 0
    if (depths < least).any():
        raise InputError(
            f"policy {column.policy!r}: depth {int(depths.min())}, expected at least {least}"
        )
    wrong = (column.ranks < 1) & (column.ranks != NOT_FOUND) | (column.ranks > depths)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise InputError(
            f"policy {column.policy!r}, query {row + 1}: rank {int(column.ranks[row])}, "
            f"expected 1 to {int(depths[row])}"
        )


def check_page_size(size: int) -> None:
    """InputError unless a page holds at least one candidate."""
    if size < 1:
        raise InputError(f"page size {size}, expected at least 1")


def pages(ranks: RankArray, size: int, depth: Depth) -> IntArray:
    """Pages requested until the target stands on one, per query."""
    check_page_size(size)
    reach: IntArray = np.where(ranks == NOT_FOUND, depth, ranks)
    return np.maximum(-(-reach // size), 1)


def emitted(page_counts: IntArray, size: int, depth: Depth) -> IntArray:
    """Candidates on those pages, per query; the last page may not be full."""
    counts: IntArray = np.minimum(depth, page_counts * size)
    return counts


def emitted_for(rank: int, size: int, depth: int) -> int:
    """The same for one query, from its rank."""
    return min(depth, -(-(depth if rank == NOT_FOUND else rank) // size) * size)


def searches(page_counts: IntArray, size: int, tiers: Tiers, depth: Depth) -> IntArray:
    """Index searches behind those pages, per query, each page served statelessly.

    A page ends at its last candidate, so the last one of all ends at `depth`.
    """
    total = np.zeros_like(page_counts)
    counted = np.zeros_like(page_counts)
    for bound, per_page in tiers:
        inside = np.where(bound < np.asarray(depth), bound // size, page_counts)
        last = np.maximum(inside if bound else page_counts, counted)
        upto = np.minimum(page_counts, last)
        total += np.maximum(upto - counted, 0) * per_page
        counted = last
    return total


def verdicts(
    cost: IntArray, found: NDArray[np.bool_], base: IntArray, base_found: NDArray[np.bool_]
) -> IntArray:
    """Per query 1 where `cost` is lower, −1 where it is higher, 0 where they tie.

    Found beats not found, and two not found tie.
    """
    win = found & (~base_found | (cost < base))
    loss = base_found & (~found | (cost > base))
    return win.astype(np.int64) - loss


def outcomes(
    cost: IntArray, found: NDArray[np.bool_], base: IntArray, base_found: NDArray[np.bool_]
) -> Outcomes:
    """On how many queries `cost` is lower, higher, equal; found beats not found."""
    judged = verdicts(cost, found, base, base_found)
    wins, losses = int((judged == 1).sum()), int((judged == -1).sum())
    return Outcomes(win=wins, loss=losses, tie=len(cost) - wins - losses)


def nearest_rank(ranks: RankArray, percent: int) -> int | None:
    """The ⌈percent·n/100⌉-th smallest rank, those not found standing last; None where it is one."""
    found = np.sort(ranks[ranks != NOT_FOUND])
    place = max(1, -(-percent * len(ranks) // 100))
    return int(found[place - 1]) if place <= len(found) else None


def quality(ranks: RankArray) -> Quality:
    """Rank-derived figures over the queries given (at least one)."""
    found = ranks[ranks != NOT_FOUND]
    total = len(ranks)

    def recall(k: int) -> float:
        return int((found <= k).sum()) / total

    return Quality(
        recall_at_1=recall(1),
        recall_at_5=recall(5),
        recall_at_10=recall(10),
        # fsum is exact whatever the order; sum() differs between Python versions.
        mrr=math.fsum(1 / rank for rank in found.tolist()) / total,
        mean_rank=int(found.sum()) / len(found) if len(found) else None,
        median_rank=nearest_rank(ranks, 50),
        p95_rank=nearest_rank(ranks, 95),
    )


def policy_result(
    column: RankColumn,
    base: RankColumn,
    tiers: Tiers | None,
    base_tiers: Tiers | None,
    page_sizes: Sequence[int],
) -> PolicyResult:
    """One policy against the baseline over the same queries, at every page size.

    `tiers` are None where nobody knows how many searches a page takes.
    """
    check_ranks(column)
    check_ranks(base)
    if len(column.ranks) != len(base.ranks):
        raise InputError(
            f"policy {column.policy!r}: {len(column.ranks)} queries, the baseline has "
            f"{len(base.ranks)}"
        )
    found, base_found = column.ranks != NOT_FOUND, base.ranks != NOT_FOUND
    costs = []
    for size in page_sizes:
        own_pages = pages(column.ranks, size, column.depth)
        base_pages = pages(base.ranks, size, base.depth)
        own_searches, on_searches = None, None
        if tiers is not None:
            own_searches = searches(own_pages, size, tiers, column.depth)
        if own_searches is not None and base_tiers is not None:
            base_searches = searches(base_pages, size, base_tiers, base.depth)
            on_searches = outcomes(own_searches, found, base_searches, base_found)
        costs.append(
            PageCost(
                page_size=size,
                pages=int(own_pages.sum()),
                emitted=int(emitted(own_pages, size, column.depth).sum()),
                searches=None if own_searches is None else int(own_searches.sum()),
                on_pages=outcomes(own_pages, found, base_pages, base_found),
                on_searches=on_searches,
                unjudged=int(column.unjudged[size].sum()) if column.unjudged else None,
            )
        )
    return PolicyResult(
        policy=column.policy,
        found=int(found.sum()),
        not_found=int((~found).sum()),
        quality=quality(column.ranks),
        costs=costs,
    )
