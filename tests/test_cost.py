"""Pages, candidates, searches, outcomes and quality from ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.cost import (
    Tiers,
    check_page_size,
    check_ranks,
    emitted,
    emitted_for,
    nearest_rank,
    pages,
    policy_result,
    quality,
    searches,
)
from pagecost.errors import InputError
from pagecost.model import (
    NOT_FOUND,
    Bm25,
    Deferred,
    Interleave,
    Outcomes,
    PageCost,
    PolicyResult,
    RankArray,
    RankColumn,
    Ranking,
)
from pagecost.policies import search_tiers, searched
from tests import oracle
from tests.oracle import IDENTIFIERS, RAW

ONE: Tiers = ((0, 1),)
TWO: Tiers = ((0, 2),)
BOTH = Interleave(first=RAW, second=IDENTIFIERS)


def tiers_of(ranking: Ranking) -> Tiers:
    """Its tiers, which are known."""
    tiers = search_tiers(ranking)
    assert tiers is not None
    return tiers


DEFERRED = tiers_of(Deferred(first=RAW, second=BOTH, after=20))


def array(ranks: Sequence[int | None]) -> RankArray:
    return np.array([NOT_FOUND if rank is None else rank for rank in ranks], dtype=np.int64)


def column(ranks: Sequence[int | None], depth: int, name: str = "helper") -> RankColumn:
    return RankColumn(name, array(ranks), depth)


def result(
    ranks: Sequence[int | None],
    base: Sequence[int | None],
    size: int,
    depth: int = 100,
    tiers: Tiers = TWO,
) -> PolicyResult:
    """A policy against a baseline of one search a page, at one page size."""
    return policy_result(column(ranks, depth), column(base, depth, "baseline"), tiers, ONE, [size])


def cost(
    ranks: Sequence[int | None],
    base: Sequence[int | None],
    size: int,
    depth: int = 100,
    tiers: Tiers = TWO,
) -> PageCost:
    return result(ranks, base, size, depth, tiers).at(size)


@st.composite
def columns(draw: st.DrawFn, most: int = 12) -> tuple[list[int | None], int]:
    """Ranks, some not found, and the depth they stand within."""
    depth = draw(st.integers(1, 130))
    rank = st.one_of(st.none(), st.integers(1, depth))
    return draw(st.lists(rank, min_size=1, max_size=most)), depth


sizes = st.one_of(st.integers(1, 150), st.just(10_000_000))


# --- Pages and candidates -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rank", "expected_pages", "expected_emitted"),
    [(1, 1, 20), (19, 1, 20), (20, 1, 20), (21, 2, 40), (40, 2, 40), (41, 3, 45), (45, 3, 45)],
)
def test_a_target_on_the_edge_of_a_page_needs_no_further_page(
    rank: int, expected_pages: int, expected_emitted: int
) -> None:
    counted = pages(array([rank]), 20, 45)
    assert counted.tolist() == [expected_pages]
    assert emitted(counted, 20, 45).tolist() == [expected_emitted]


def test_the_last_page_holds_only_what_is_left() -> None:
    assert emitted(array([1, 2, 3]), 7, 15).tolist() == [7, 14, 15]


def test_a_page_of_one_shows_exactly_the_candidates_up_to_the_target() -> None:
    counted = pages(array([1, 2, 9]), 1, 9)
    assert counted.tolist() == [1, 2, 9]
    assert emitted(counted, 1, 9).tolist() == [1, 2, 9]


@pytest.mark.parametrize("size", [45, 46, 1000, 10_000_000])
def test_a_page_that_holds_everything_is_the_only_one(size: int) -> None:
    counted = pages(array([1, 44, 45, None]), size, 45)
    assert counted.tolist() == [1, 1, 1, 1]
    assert emitted(counted, size, 45).tolist() == [45, 45, 45, 45]
    assert searches(counted, size, ONE, 45).tolist() == [1, 1, 1, 1]
    assert searches(counted, size, DEFERRED, 45).tolist() == [2, 2, 2, 2]


def test_large_counts_do_not_overflow() -> None:
    counted = pages(array([10_000_000]), 9_999_999, 10_000_000)
    assert emitted(counted, 9_999_999, 10_000_000).tolist() == [10_000_000]


@settings(deadline=None, max_examples=300)
@given(columns(), sizes)
def test_pages_and_candidates_equal_a_page_by_page_count(
    drawn: tuple[list[int | None], int], size: int
) -> None:
    ranks, depth = drawn
    naive = [oracle.page_by_page(rank, size, depth, lambda end: 1) for rank in ranks]
    counted = pages(array(ranks), size, depth)
    assert counted.tolist() == [one[0] for one in naive]
    assert emitted(counted, size, depth).tolist() == [one[1] for one in naive]


# --- Searches -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "page_counts", "expected"),
    [
        (20, [1, 2, 3], [1, 3, 5]),  # the first page ends where the change is
        (10, [1, 2, 3, 4], [1, 2, 4, 6]),
        (5, [4, 5], [4, 6]),
        (15, [1, 2], [1, 3]),  # the second page reaches beyond 20
        (19, [1, 2], [1, 3]),
        (21, [1, 2], [2, 4]),  # already the first one does
        (1, [20, 21], [20, 22]),
    ],
)
def test_a_deferred_page_takes_two_searches_once_it_reaches_beyond_the_change(
    size: int, page_counts: list[int], expected: list[int]
) -> None:
    assert searches(array(page_counts), size, DEFERRED, 1000).tolist() == expected


@pytest.mark.parametrize(("depth", "expected"), [(20, 1), (19, 1), (21, 2)])
def test_a_last_page_that_is_not_full_ends_at_the_last_candidate(depth: int, expected: int) -> None:
    assert searches(array([1]), 50, DEFERRED, depth).tolist() == [expected]


def test_an_interleaved_page_takes_two_searches_and_a_plain_one_takes_one() -> None:
    assert searches(array([1, 3, 50]), 20, ONE, 1000).tolist() == [1, 3, 50]
    assert searches(array([1, 3, 50]), 20, TWO, 1000).tolist() == [2, 6, 100]


@settings(deadline=None, max_examples=300)
@given(columns(), sizes, st.integers(1, 140))
def test_deferred_searches_equal_a_page_by_page_count(
    drawn: tuple[list[int | None], int], size: int, after: int
) -> None:
    ranks, depth = drawn
    naive = [
        oracle.page_by_page(rank, size, depth, lambda end: 1 if end <= after else 2)[2]
        for rank in ranks
    ]
    tiers = tiers_of(Deferred(first=RAW, second=BOTH, after=after))
    assert searches(pages(array(ranks), size, depth), size, tiers, depth).tolist() == naive


@settings(deadline=None, max_examples=200)
@given(columns(), sizes, oracle.rankings((RAW, IDENTIFIERS, Bm25(text="raw", b=0.5)), 140))
def test_searches_of_any_ranking_equal_a_page_by_page_count(
    drawn: tuple[list[int | None], int], size: int, ranking: Ranking
) -> None:
    ranks, depth = drawn
    naive = [
        oracle.page_by_page(rank, size, depth, lambda end: len(searched(ranking, end)))[2]
        for rank in ranks
    ]
    counted = searches(pages(array(ranks), size, depth), size, tiers_of(ranking), depth)
    assert counted.tolist() == naive


# --- Against the baseline -------------------------------------------------------------------------


def test_a_query_can_win_on_pages_and_lose_on_searches() -> None:
    won = cost([30], [50], 20)
    assert (won.pages, won.searches) == (2, 4)
    assert won.on_pages == Outcomes(win=1, loss=0, tie=0)
    assert won.on_searches == Outcomes(win=0, loss=1, tie=0)


def test_a_better_rank_on_the_same_page_is_a_tie() -> None:
    assert cost([1], [20], 20).on_pages == Outcomes(win=0, loss=0, tie=1)


def test_outcomes_are_counted_query_by_query() -> None:
    made = cost([1, 45, 30, 2, 21, 100], [100, 2, 50, 2, 20, 21], 20)
    assert made.on_pages == Outcomes(win=2, loss=3, tie=1)
    assert made.on_searches == Outcomes(win=1, loss=5, tie=0)
    assert made.pages == 1 + 3 + 2 + 1 + 2 + 5
    assert made.emitted == 20 * made.pages
    assert made.searches == 2 * made.pages


def test_the_baseline_against_itself_ties_on_every_query() -> None:
    made = cost([1, 20, 21, None], [1, 20, 21, None], 20, tiers=ONE)
    assert made.on_pages == made.on_searches == Outcomes(win=0, loss=0, tie=4)


def test_every_page_size_is_counted_and_found_by_name() -> None:
    base = column([9, 2], 10, "baseline")
    made = policy_result(column([1, 10], 10), base, TWO, ONE, [1, 5, 20])
    assert [one.page_size for one in made.costs] == [1, 5, 20]
    assert [one.pages for one in made.costs] == [11, 3, 2]
    assert made.at(5).emitted == 15
    assert made.at(5).on_pages == Outcomes(win=1, loss=1, tie=0)
    with pytest.raises(KeyError):
        made.at(2)


@settings(deadline=None, max_examples=200)
@given(columns(), sizes, st.data())
def test_a_result_equals_a_query_by_query_count(
    drawn: tuple[list[int | None], int], size: int, data: st.DataObject
) -> None:
    ranks, depth = drawn
    base_depth = data.draw(st.integers(1, 130))
    base_rank = st.one_of(st.none(), st.integers(1, base_depth))
    base = data.draw(st.lists(base_rank, min_size=len(ranks), max_size=len(ranks)))
    naive = [
        oracle.page_by_page(rank, size, depth, lambda end: 1 if end <= 20 else 2) for rank in ranks
    ]
    naive_base = [oracle.page_by_page(rank, size, base_depth, lambda end: 1) for rank in base]

    def outcomes(place: int) -> Outcomes:
        counted = {"win": 0, "loss": 0, "tie": 0}
        for rank, own, other, theirs in zip(ranks, naive, base, naive_base, strict=True):
            if rank is None or other is None:
                better, worse = other is None and rank is not None, other is not None
            else:
                better, worse = own[place] < theirs[place], own[place] > theirs[place]
            counted["win" if better else "loss" if worse else "tie"] += 1
        return Outcomes(**counted)

    made = policy_result(
        column(ranks, depth), column(base, base_depth, "baseline"), DEFERRED, ONE, [size]
    )
    assert made.found == sum(rank is not None for rank in ranks)
    assert made.found + made.not_found == len(ranks)
    assert made.at(size) == PageCost(
        page_size=size,
        pages=sum(one[0] for one in naive),
        emitted=sum(one[1] for one in naive),
        searches=sum(one[2] for one in naive),
        on_pages=outcomes(0),
        on_searches=outcomes(2),
    )


# --- Not found ------------------------------------------------------------------------------------


def test_found_beats_not_found_whatever_it_costs() -> None:
    """Found at 40 of 40 costs as many pages as not found, and here more searches."""
    made = cost([40], [None], 20, depth=40)
    assert made.on_pages == made.on_searches == Outcomes(win=1, loss=0, tie=0)


def test_not_found_loses_to_found_whatever_it_costs() -> None:
    short = policy_result(column([None], 5), column([90], 100, "baseline"), ONE, ONE, [20])
    assert short.at(20).pages == 1
    assert short.at(20).on_pages == Outcomes(win=0, loss=1, tie=0)
    assert short.at(20).on_searches == Outcomes(win=0, loss=1, tie=0)


def test_two_not_found_tie_whatever_they_cost() -> None:
    made = policy_result(column([None], 5), column([None], 100, "baseline"), TWO, ONE, [20])
    assert made.at(20).on_pages == made.at(20).on_searches == Outcomes(win=0, loss=0, tie=1)


def test_a_query_not_found_costs_what_was_delivered_for_it() -> None:
    made = result([None, 3], [1, 1], 20, depth=45)
    assert (made.found, made.not_found) == (1, 1)
    assert made.at(20).pages == 3 + 1
    assert made.at(20).emitted == 45 + 20
    assert made.at(20).searches == 6 + 2


# --- Refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [-1, -100, 46, 10_000_000])
def test_a_rank_outside_the_candidates_delivered_is_refused_with_its_query(rank: int) -> None:
    wrong = column([1, 45, rank], 45)
    with pytest.raises(InputError, match=f"'helper', query 3: rank {rank}, expected 1 to 45"):
        check_ranks(wrong)
    right = column([1, 45, 2], 45, "baseline")
    with pytest.raises(InputError, match="query 3"):
        policy_result(wrong, right, ONE, ONE, [20])
    with pytest.raises(InputError, match="query 3"):
        policy_result(right, wrong, ONE, ONE, [20])


def test_ranks_from_one_to_the_last_and_not_found_are_taken() -> None:
    check_ranks(column([1, 45, None], 45))
    assert NOT_FOUND == 0


def test_an_empty_set_of_queries_is_refused() -> None:
    with pytest.raises(InputError, match="'helper': no query"):
        check_ranks(column([], 45))
    with pytest.raises(InputError, match="no query"):
        policy_result(column([], 45), column([], 45), ONE, ONE, [20])


@pytest.mark.parametrize("depth", [0, -1])
def test_a_policy_that_delivers_nothing_is_refused(depth: int) -> None:
    with pytest.raises(InputError, match=f"depth {depth}, expected at least 1"):
        check_ranks(column([None], depth))


@pytest.mark.parametrize("size", [0, -1])
def test_a_page_without_candidates_is_refused(size: int) -> None:
    with pytest.raises(InputError, match=f"page size {size}, expected at least 1"):
        check_page_size(size)
    with pytest.raises(InputError, match="page size"):
        pages(array([1]), size, 45)
    with pytest.raises(InputError, match="page size"):
        cost([1], [1], size)


# --- Quality --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "percent", "expected"),
    [
        ([7], 50, 7),
        ([7], 95, 7),
        ([4, 1, 3, 2], 50, 2),
        ([5, 1, 3, 2, 4], 50, 3),
        (list(range(1, 21)), 95, 19),
        (list(range(1, 22)), 95, 20),
        (list(range(1, 101)), 95, 95),
        ([1, None], 50, 1),
        ([1, None], 51, None),
        ([None, None, 1], 50, None),
        ([None], 50, None),
        ([2, 1], 100, 2),
        (list(range(1, 26)), 28, 7),  # 0.28 * 25 is more than 7 in float64
        (list(range(1, 26)), 56, 14),
    ],
)
def test_a_percentile_is_a_rank_that_occurs(
    ranks: list[int | None], percent: int, expected: int | None
) -> None:
    assert nearest_rank(array(ranks), percent) == expected
    assert oracle.nearest_rank(ranks, percent) == expected


@settings(deadline=None, max_examples=300)
@given(columns(40), st.one_of(st.sampled_from((50, 95)), st.integers(1, 100)))
def test_a_percentile_equals_its_definition(
    drawn: tuple[list[int | None], int], percent: int
) -> None:
    ranks, _ = drawn
    assert nearest_rank(array(ranks), percent) == oracle.nearest_rank(ranks, percent)


@settings(deadline=None, max_examples=150)
@given(columns(40))
def test_quality_equals_its_definitions(drawn: tuple[list[int | None], int]) -> None:
    ranks, _ = drawn
    found = [rank for rank in ranks if rank is not None]
    made = quality(array(ranks))
    assert made.recall_at_1 == sum(rank <= 1 for rank in found) / len(ranks)
    assert made.recall_at_5 == sum(rank <= 5 for rank in found) / len(ranks)
    assert made.recall_at_10 == sum(rank <= 10 for rank in found) / len(ranks)
    assert made.mrr == math.fsum(1 / rank for rank in found) / len(ranks)
    assert made.mean_rank == (sum(found) / len(found) if found else None)
    assert made.median_rank == oracle.nearest_rank(ranks, 50)
    assert made.p95_rank == oracle.nearest_rank(ranks, 95)


def test_recall_counts_a_rank_equal_to_its_depth() -> None:
    made = quality(array([1, 2, 5, 6, 10, 11, None, None]))
    assert (made.recall_at_1, made.recall_at_5, made.recall_at_10) == (1 / 8, 3 / 8, 5 / 8)


def test_the_mean_reciprocal_rank_is_summed_exactly_in_any_order() -> None:
    ranks = [3, 7, 11, 13, 1, 6, 9, 10_000, 49]
    in_turn = 0.0
    for rank in ranks:
        in_turn += 1 / rank
    exact = math.fsum(1 / rank for rank in ranks)
    assert in_turn != exact, "these ranks show nothing"
    assert quality(array(ranks)).mrr == exact / len(ranks)
    assert quality(array(sorted(ranks))).mrr == exact / len(ranks)


def test_where_none_is_found_there_is_no_mean_and_no_percentile_and_never_nan() -> None:
    made = quality(array([None, None, None]))
    assert made.mean_rank is made.median_rank is made.p95_rank is None
    assert msgspec.to_builtins(made) == {
        "recall_at_1": 0.0,
        "recall_at_5": 0.0,
        "recall_at_10": 0.0,
        "mrr": 0.0,
        "mean_rank": None,
        "median_rank": None,
        "p95_rank": None,
    }


def test_the_mean_rank_is_over_the_found_ones_and_the_rest_over_all() -> None:
    made = quality(array([1, 4, None, None]))
    assert made.mean_rank == 2.5
    assert made.mrr == 1.25 / 4
    assert made.median_rank == 4
    assert made.p95_rank is None


def test_columns_of_different_queries_are_not_compared() -> None:
    ours = RankColumn("ours", np.array([1, 2], dtype=np.int64), 5)
    base = RankColumn("base", np.array([1], dtype=np.int64), 5)
    with pytest.raises(InputError, match="2 queries, the baseline has 1"):
        policy_result(ours, base, ((0, 1),), ((0, 1),), [1])


# --- A depth for each query -----------------------------------------------------------------------


def deep(ranks: Sequence[int | None], depths: Sequence[int], name: str = "run") -> RankColumn:
    return RankColumn(name, array(ranks), np.array(depths, dtype=np.int64))


@st.composite
def deep_columns(draw: st.DrawFn, queries: int | None = None) -> tuple[list[int | None], list[int]]:
    """Ranks and the depth of each query: some not found, for some nothing delivered."""
    count = draw(st.integers(1, 10)) if queries is None else queries
    depths = draw(st.lists(st.integers(0, 130), min_size=count, max_size=count))
    ranks = [
        draw(st.one_of(st.none(), st.integers(1, depth))) if depth else None for depth in depths
    ]
    return ranks, depths


@settings(deadline=None, max_examples=300)
@given(deep_columns(), sizes, oracle.rankings((RAW, IDENTIFIERS, Bm25(text="raw", b=0.5)), 140))
def test_with_a_depth_for_each_query_every_count_equals_a_page_by_page_count(
    drawn: tuple[list[int | None], list[int]], size: int, ranking: Ranking
) -> None:
    ranks, depths = drawn
    naive = [
        oracle.page_by_page(rank, size, depth, lambda end: len(searched(ranking, end)))
        for rank, depth in zip(ranks, depths, strict=True)
    ]
    depth = np.array(depths, dtype=np.int64)
    counted = pages(array(ranks), size, depth)
    assert counted.tolist() == [one[0] for one in naive]
    assert emitted(counted, size, depth).tolist() == [one[1] for one in naive]
    assert searches(counted, size, tiers_of(ranking), depth).tolist() == [one[2] for one in naive]
    for rank, one, found in zip(ranks, depths, naive, strict=True):
        assert emitted_for(NOT_FOUND if rank is None else rank, size, one) == found[1]


def test_a_depth_for_each_query_of_one_number_is_that_number() -> None:
    ranks = [1, 20, 21, None]
    one, many = column(ranks, 45), deep(ranks, [45] * 4, "helper")
    base = column([3, 3, 3, 3], 45, "baseline")
    made = [policy_result(each, base, DEFERRED, ONE, [1, 20, 50]) for each in (one, many)]
    assert made[0] == made[1]


def test_where_nothing_is_delivered_one_page_is_asked_for_and_it_is_empty() -> None:
    counted = pages(array([None, None]), 20, np.array([0, 1]))
    assert counted.tolist() == [1, 1]
    assert emitted(counted, 20, np.array([0, 1])).tolist() == [0, 1]
    assert searches(counted, 20, DEFERRED, np.array([0, 1])).tolist() == [1, 1]
    assert searches(counted, 20, TWO, np.array([0, 1])).tolist() == [2, 2]
    assert emitted_for(NOT_FOUND, 20, 0) == 0


def test_a_last_page_ends_at_each_querys_own_last_candidate() -> None:
    """One page of 50: of 20 candidates it draws on one ranking, of 21 on two."""
    depths = np.array([0, 19, 20, 21, 50])
    assert searches(array([1] * 5), 50, DEFERRED, depths).tolist() == [1, 1, 1, 2, 2]


def test_depths_are_checked_query_by_query() -> None:
    check_ranks(deep([None, 1, 7], [0, 1, 7]))
    with pytest.raises(InputError, match="'run', query 2: rank 4, expected 1 to 3"):
        check_ranks(deep([9, 4], [9, 3]))
    with pytest.raises(InputError, match="'run', query 1: rank 1, expected 1 to 0"):
        check_ranks(deep([1, 4], [0, 4]))
    with pytest.raises(InputError, match="'run': depth -1, expected at least 0"):
        check_ranks(deep([None, 4], [-1, 4]))


def test_a_part_of_a_column_keeps_each_querys_own_depth_and_counts() -> None:
    whole = RankColumn(
        "run",
        array([1, None, 3]),
        np.array([4, 5, 6], dtype=np.int64),
        {2: array([0, 1, 2]), 5: array([1, 2, 3])},
    )
    part = whole.of(np.array([True, False, True]))
    assert not isinstance(part.depth, int)
    assert (part.ranks.tolist(), part.depth.tolist()) == ([1, 3], [4, 6])
    assert {size: one.tolist() for size, one in part.unjudged.items()} == {2: [0, 2], 5: [1, 3]}
    assert (whole.deepest, whole.of(np.array([0])).deepest) == (6, 4)
    assert column([1, 2], 9).of(np.array([1])).depth == 9


# --- Searches that were not given, and unjudged candidates ----------------------------------------


@settings(deadline=None, max_examples=150)
@given(deep_columns(), sizes, st.data())
def test_searches_that_were_not_given_are_none_and_all_else_is_as_with_them(
    drawn: tuple[list[int | None], list[int]], size: int, data: st.DataObject
) -> None:
    own = deep(*drawn)
    base = deep(*data.draw(deep_columns(len(own.ranks))), "baseline")
    known = policy_result(own, base, TWO, DEFERRED, [size]).at(size)
    for tiers, base_tiers in ((None, DEFERRED), (TWO, None), (None, None)):
        made = policy_result(own, base, tiers, base_tiers, [size]).at(size)
        assert made.searches == (known.searches if tiers else None)
        assert made.on_searches is None
        assert (made.pages, made.emitted, made.on_pages, made.unjudged) == (
            known.pages,
            known.emitted,
            known.on_pages,
            known.unjudged,
        )
        assert known.on_searches is not None


def test_unjudged_candidates_are_summed_at_each_page_size_and_unknown_without_judgments() -> None:
    unjudged = {1: array([0, 2, 5]), 20: array([7, 0, 3])}
    own = RankColumn("run", array([1, 3, None]), np.array([9, 9, 9], dtype=np.int64), unjudged)
    made = policy_result(own, column([1, 1, 1], 9, "baseline"), ONE, ONE, [1, 20])
    assert [one.unjudged for one in made.costs] == [7, 10]
    plain = policy_result(column([1, 3, None], 9), own, ONE, ONE, [1, 20])
    assert [one.unjudged for one in plain.costs] == [None, None]


def test_what_was_not_given_is_written_as_null_and_what_nobody_judges_is_left_out() -> None:
    made = msgspec.to_builtins(policy_result(column([1], 9), column([1], 9), None, ONE, [1]))
    assert made["costs"] == [
        {
            "page_size": 1,
            "pages": 1,
            "emitted": 1,
            "searches": None,
            "pages_against_baseline": {"win": 0, "loss": 0, "tie": 1},
            "searches_against_baseline": None,
        }
    ]
