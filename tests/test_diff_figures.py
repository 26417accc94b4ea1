"""Figures of two sides, and how queries moved: held against a count with plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.diff.engine import compare
from pagecost.diff.records import Count, Diff, Figures, Transitions
from pagecost.model import Quality
from tests import oracle
from tests.diff_builders import Ranks, query_ids, side

SEARCHES: Mapping[str, Callable[[int], int]] = {
    "baseline": lambda end: 1,
    "helper": lambda end: 2,
    "late": lambda end: 1 if end <= 3 else 2,
}
"""What a page costs that ends after so many candidates, by policy of THREE."""


# --- Figures --------------------------------------------------------------------------------------


class Expected(msgspec.Struct):
    """A policy's figures over some queries, counted page by page."""

    queries: int
    not_found: int
    costs: dict[int, tuple[int, int, int]]
    quality: Quality


def expected(
    policy: str, found: Sequence[int | None], sizes: Sequence[int], depth: int
) -> Expected:
    """Written from the method, with plain numbers."""
    costs = {}
    for size in sizes:
        each = [oracle.page_by_page(rank, size, depth, SEARCHES[policy]) for rank in found]
        costs[size] = (sum(c[0] for c in each), sum(c[1] for c in each), sum(c[2] for c in each))
    there = [rank for rank in found if rank is not None]
    return Expected(
        queries=len(found),
        not_found=len(found) - len(there),
        costs=costs,
        quality=Quality(
            recall_at_1=sum(rank <= 1 for rank in there) / len(found),
            recall_at_5=sum(rank <= 5 for rank in there) / len(found),
            recall_at_10=sum(rank <= 10 for rank in there) / len(found),
            mrr=math.fsum(1 / rank for rank in there) / len(found),
            mean_rank=sum(there) / len(there) if there else None,
            median_rank=oracle.nearest_rank(found, 50),
            p95_rank=oracle.nearest_rank(found, 95),
        ),
    )


def assert_figures(found: Figures, a: Expected, b: Expected) -> None:
    """Those figures are those of the two, and every change is B less A."""

    def count(ours: int, theirs: int) -> Count:
        return Count(ours, theirs, theirs - ours, 100 * (theirs - ours) / ours if ours else None)

    assert found.queries == count(a.queries, b.queries)
    assert found.not_found == count(a.not_found, b.not_found)
    assert [row.page_size for row in found.sizes] == list(a.costs)
    for row in found.sizes:
        both = zip(a.costs[row.page_size], b.costs[row.page_size], strict=True)
        assert [row.pages, row.emitted, row.searches] == [count(*one) for one in both]
    assert (found.quality_a, found.quality_b) == (a.quality, b.quality)


def outcome(ours: int | None, base: int | None, cost: int, base_cost: int) -> int:
    """0 where it wins against its baseline, 1 where they tie, 2 where it loses."""
    if ours is None or base is None:
        return 1 if ours == base else 2 if ours is None else 0
    return 0 if cost < base_cost else 1 if cost == base_cost else 2


def assert_transitions(
    found: Transitions, policy: str, a: Ranks, b: Ranks, size: int, depth: int
) -> None:
    """Those are the transitions of the queries of both, which stand in the same order."""
    for metric, place in (("pages", 0), ("searches", 2)):
        table = [[0] * 3 for _ in range(3)]
        for query in range(len(a[policy])):
            where = []
            for ranks in (a, b):
                ours, base = ranks[policy][query], ranks["baseline"][query]
                costs = [
                    oracle.page_by_page(rank, size, depth, SEARCHES[name])[place]
                    for rank, name in ((ours, policy), (base, "baseline"))
                ]
                where.append(outcome(ours, base, *costs))
            table[where[0]][where[1]] += 1
        assert getattr(found, metric) == table
    moves, results = [], []
    for query in range(len(a[policy])):
        before, after = (
            oracle.page_by_page(ranks[policy][query], size, depth, lambda _: 0)[0]
            for ranks in (a, b)
        )
        moves.append(after - before)
        results.append(outcome(b[policy][query], a[policy][query], after, before))
    assert found.page_size == size
    assert (found.fewer, found.as_many, found.more) == (
        *(results.count(place) for place in range(3)),
    )
    assert found.missed == sum(None in ranks for ranks in zip(a[policy], b[policy], strict=True))
    most = sorted((-abs(move), query) for query, move in enumerate(moves) if move)[:10]
    assert [-abs(one.pages_b - one.pages_a) for one in found.movers] == [one for one, _ in most]


NAMES = ("baseline", "helper", "late")
DEPTH = 12


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[str], dict[str, list[int | None]], list[int]]:
    """Query ids, ranks by policy, and page sizes, of which 3 is one."""
    ids = sorted({*draw(st.sets(st.sampled_from(query_ids(8)))), query_ids(1)[0]})
    rank = st.one_of(st.none(), st.integers(1, DEPTH))
    column = st.lists(rank, min_size=len(ids), max_size=len(ids))
    sizes = sorted({*draw(st.sets(st.sampled_from((1, 2, 5, 20)))), 3})
    return ids, {name: draw(column) for name in NAMES}, sizes


@settings(deadline=None)
@given(drawn(), drawn())
def test_figures_equal_a_count_by_hand(
    one: tuple[list[str], dict[str, list[int | None]], list[int]],
    other: tuple[list[str], dict[str, list[int | None]], list[int]],
) -> None:
    made = [
        side(ranks, ids=ids, depth=DEPTH, page_sizes=sizes, primary_page_size=3, version=version)
        for version, (ids, ranks, sizes) in zip("12", (one, other), strict=True)
    ]
    diff = compare(*made)
    sizes = [size for size in one[2] if size in other[2]]
    assert diff.page_sizes == sizes
    common = [query for query in one[0] if query in other[0]]
    kept = [
        {name: [ranks[name][ids.index(query)] for query in common] for name in NAMES}
        for ids, ranks, _ in (one, other)
    ]
    assert [policy.name for policy in diff.policies] == list(NAMES)
    for policy in diff.policies:
        name = policy.name
        assert policy.same_order
        assert policy.everything is not None
        assert policy.matched is not None
        whole = [expected(name, ranks[name], sizes, DEPTH) for _, ranks, _ in (one, other)]
        assert_figures(policy.everything, *whole)
        assert_figures(
            policy.matched, *(expected(name, ranks[name], sizes, DEPTH) for ranks in kept)
        )
        if name == "baseline":
            assert policy.transitions is None
        else:
            assert policy.transitions is not None
            assert_transitions(policy.transitions, name, kept[0], kept[1], 3, DEPTH)
    assert diff.headline == diff.policy("helper")


def test_a_count_that_is_zero_has_no_percentage() -> None:
    assert Count.of(0, 5) == Count(0, 5, 5, None)
    assert Count.of(0, 0) == Count(0, 0, 0, None)
    assert Count.of(4, 5) == Count(4, 5, 1, 25.0)
    a, b = (side({"baseline": [1, 2], "helper": [1, last]}) for last in (2, None))
    found = compare(a, b).policy("helper")
    assert found.everything is not None
    assert found.everything.not_found == Count(0, 1, 1, None)


def moved(diff: Diff, policy: str = "helper") -> Transitions:
    """How the queries moved under that policy."""
    found = diff.policy(policy).transitions
    assert found is not None
    return found


# --- Queries that moved ---------------------------------------------------------------------------


def test_a_query_that_was_won_and_is_lost_is_off_the_diagonal() -> None:
    a = side({"baseline": [5, 5, 5], "helper": [1, 5, 9]})
    b = side({"baseline": [5, 5, 5], "helper": [9, 5, 1]}, version="2")
    found = moved(compare(a, b))
    assert found.page_size == 2
    assert found.pages == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    # The helper makes two searches a page: what ties on pages loses on searches.
    assert found.searches == [[0, 0, 1], [0, 0, 0], [1, 0, 1]]
    assert (found.fewer, found.as_many, found.more) == (1, 1, 1)


def test_each_side_is_held_against_its_own_baseline() -> None:
    a = side({"baseline": [9], "helper": [5]})
    b = side({"baseline": [1], "helper": [5]}, version="2")
    found = moved(compare(a, b))
    assert found.pages == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert (found.fewer, found.as_many, found.more) == (0, 1, 0)
    assert found.movers == []


def test_a_query_that_is_not_found_costs_what_was_delivered_and_loses() -> None:
    a = side({"baseline": [3, None, None], "helper": [1, 3, None]}, depth=41)
    b = side({"baseline": [3, None, None], "helper": [None, None, None]}, depth=41, version="2")
    diff = compare(a, b)
    found = moved(diff)
    assert found.pages == [[0, 1, 1], [0, 1, 0], [0, 0, 0]]
    first, second = found.movers
    assert (first.rank_a, first.rank_b, first.pages_a, first.pages_b) == (1, None, 1, 21)
    assert (second.rank_a, second.rank_b, second.pages_a, second.pages_b) == (3, None, 2, 21)
    helper = diff.policy("helper").everything
    assert helper is not None
    assert helper.not_found == Count(1, 3, 2, 200.0)
    assert helper.at(2).emitted == Count(2 + 4 + 41, 3 * 41, 76, 100 * 76 / 47)


def test_depth_is_each_sides_own() -> None:
    a = side({"baseline": [1], "helper": [None]}, depth=10)
    b = side({"baseline": [1], "helper": [None]}, depth=30, version="2")
    (mover,) = moved(compare(a, b)).movers
    assert (mover.rank_a, mover.rank_b, mover.pages_a, mover.pages_b) == (None, None, 5, 15)


def test_queries_of_one_side_alone_move_nowhere() -> None:
    a = side({"baseline": [5, 5], "helper": [1, 9]}, ids=query_ids(2))
    b = side({"baseline": [5, 5], "helper": [9, 9]}, ids=query_ids(2, first=1), version="2")
    found = moved(compare(a, b))
    assert (found.fewer, found.as_many, found.more) == (0, 1, 0)
    assert sum(map(sum, found.pages)) == 1


def test_movers_stand_with_the_largest_change_first_then_by_id() -> None:
    before = [10, 20, 30, 40, 50, 60]
    after = [30, 20, 10, 42, 50, 40]  # 10 more, none, 10 fewer, 1 more, none, 10 fewer, in pages
    a = side({"baseline": before, "helper": before})
    b = side({"baseline": before, "helper": after}, version="2")
    found = moved(compare(a, b)).movers
    assert [int(one.query_id, 16) for one in found] == [0, 2, 5, 3]
    assert [one.pages_b - one.pages_a for one in found] == [10, -10, -10, 1]
    assert [one.target_name for one in found] == ["target0", "target2", "target5", "target3"]


def test_ten_movers_are_named_and_all_are_counted() -> None:
    many = list(range(1, 41))
    a = side({"baseline": many, "helper": many})
    b = side({"baseline": many, "helper": many[::-1]}, version="2")
    found = moved(compare(a, b))
    assert len(found.movers) == 10
    assert found.fewer + found.more + found.as_many == 40
    moves = [abs(math.ceil((41 - rank) / 2) - math.ceil(rank / 2)) for rank in many]
    assert [abs(one.pages_a - one.pages_b) for one in found.movers] == sorted(moves)[:-11:-1]
    assert [int(one.query_id, 16) for one in found.movers][:4] == [0, 1, 38, 39]


def test_a_change_within_a_page_moves_nothing() -> None:
    a = side({"baseline": [9], "helper": [1]})
    b = side({"baseline": [9], "helper": [2]}, version="2")
    diff = compare(a, b)
    assert moved(diff).movers == []
    assert moved(diff).as_many == 1
    figures = diff.policy("helper").everything
    assert figures is not None
    assert figures.at(1).pages == Count(1, 2, 1, 100.0)


def test_the_baseline_has_no_transitions_for_it_ties_with_itself() -> None:
    a = side({"baseline": [3, 4], "helper": [1, 9]})
    b = side({"baseline": [9, 9], "helper": [1, 9]}, version="2")
    assert compare(a, b).policy("baseline").transitions is None
    assert compare(a, b).policy("helper").transitions is not None
