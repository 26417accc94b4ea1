"""Ranks by counting, and composed orders without sorting what need not be sorted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.model import Bm25, Deferred, Interleave, PinnedFile, Ranking, Run
from pagecost.ranking import (
    NOT_FOUND,
    Delayed,
    FloatArray,
    Interleaved,
    Listed,
    Order,
    Scored,
    Target,
    alternate,
    rank_by_counting,
    top,
)
from tests import oracle

# Leaves are told apart by a parameter; their scores are drawn.
LEAVES = tuple(Bm25(text="raw", k1=float(number)) for number in range(3))
A, B, C = LEAVES

# Few values, so that most scores tie; the last two differ in the last bit only.
SCORES = (0.0, 0.0, 1.0, 2.0, 0.3, 0.1 + 0.2)


class Case:
    """Scores of each leaf, and the relevant documents."""

    def __init__(self, scores: list[list[float]], relevant: list[int], after: int) -> None:
        self.scores = scores
        self.relevant = relevant
        self.after = after
        self.size = len(scores[0])
        self.leaf_orders: dict[oracle.Leaf, list[int]] = {
            leaf: oracle.by_score(row) for leaf, row in zip(LEAVES, scores, strict=True)
        }

    def __repr__(self) -> str:
        return f"Case({self.scores}, {self.relevant}, {self.after})"

    def expected(self, ranking: Ranking) -> list[int]:
        """The full order, by brute force."""
        return oracle.order_of(ranking, self.leaf_orders)

    def order(self, ranking: Ranking) -> Order:
        """The order under test, its leaves shared where they are the same."""
        target = Target(self.relevant)
        shared: dict[Ranking, Order] = {
            leaf: Scored(np.array(row), target)
            for leaf, row in zip(LEAVES, self.scores, strict=True)
        }

        def made(part: str | Ranking) -> Order:
            assert not isinstance(part, str)
            if part not in shared:
                if isinstance(part, Interleave):
                    shared[part] = Interleaved(made(part.first), made(part.second), target)
                else:
                    assert isinstance(part, Deferred)
                    shared[part] = Delayed(made(part.first), made(part.second), part.after, target)
            return shared[part]

        return made(ranking)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(1, 30))
    row = st.lists(st.sampled_from(SCORES), min_size=size, max_size=size)
    scores = [draw(row) for _ in LEAVES]
    relevant = draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=min(size, 4)))
    return Case(scores, sorted(relevant), draw(st.integers(1, size + 3)))


def check(case: Case, ranking: Ranking, asked_first: str = "rank") -> None:
    """Rank, depth and every prefix, asked in the order that is given."""
    expected = case.expected(ranking)
    assert sorted(expected) == list(range(case.size)), "the oracle ranks every document once"
    rank = oracle.first_rank(expected, case.relevant)
    order = case.order(ranking)
    if asked_first == "prefix":
        assert list(order.prefix(case.size // 2)) == expected[: case.size // 2]
    if asked_first == "depth":
        assert order.depth() == case.size
    assert order.rank() == rank
    assert list(order.prefix(rank)) == expected[:rank]
    assert order.depth() == case.size
    assert order.is_complete()
    for count in range(case.size + 3):
        assert list(order.prefix(count)) == expected[:count]
    assert order.rank() == rank


asked = st.sampled_from(("rank", "depth", "prefix"))


# --- One order ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(cases())
def test_the_rank_by_counting_is_the_place_in_the_sorted_order(case: Case) -> None:
    scores = np.array(case.scores[0])
    expected = oracle.by_score(case.scores[0])
    for position in range(case.size):
        assert rank_by_counting(scores, position) == expected.index(position) + 1


@settings(deadline=None, max_examples=200)
@given(cases())
def test_a_target_is_the_last_relevant_document_that_is_needed(case: Case) -> None:
    expected = [one for one in oracle.by_score(case.scores[0]) if one in case.relevant]
    for place, document in enumerate(expected, start=1):
        target = Target(case.relevant, place)
        assert target.by_score(np.array(case.scores[0])) == document


@settings(deadline=None, max_examples=200)
@given(cases())
def test_the_top_is_the_beginning_of_the_sorted_order(case: Case) -> None:
    scores, expected = np.array(case.scores[0]), oracle.by_score(case.scores[0])
    for count in range(1, case.size + 3):
        assert top(scores, count) == expected[:count]


def test_the_top_nothing_is_empty() -> None:
    assert top(np.array([1.0, 2.0, 0.0]), 0) == []


def test_negative_scores_and_both_zeros_rank_like_any_other_number() -> None:
    values = [-0.0, -1.0, 0.0, -2.0, 1.0, -1.0]
    scores = np.array(values)
    assert top(scores, 6) == oracle.by_score(values) == [4, 0, 2, 1, 5, 3]
    assert [rank_by_counting(scores, position) for position in range(6)] == [2, 4, 3, 6, 1, 5]


def test_equal_scores_stand_in_document_order() -> None:
    scores = np.zeros(5)
    assert top(scores, 3) == [0, 1, 2]
    assert rank_by_counting(scores, 3) == 4
    assert Target((1, 3)).by_score(scores) == 1
    assert Target((1, 3), 2).by_score(scores) == 3


def test_a_difference_in_the_last_bit_is_a_difference() -> None:
    scores = np.array([0.3, 0.1 + 0.2, 0.3])
    assert top(scores, 3) == [1, 0, 2]
    assert rank_by_counting(scores, 0) == 2


@settings(deadline=None, max_examples=150)
@given(cases(), asked)
def test_a_scored_order_equals_a_full_sort(case: Case, asked_first: str) -> None:
    check(case, A, asked_first)


def test_a_scored_order_gives_a_short_prefix_after_a_long_one_and_the_reverse() -> None:
    order = Scored(np.array([0.0, 3.0, 1.0, 2.0]), Target([2]))
    assert [list(order.prefix(count)) for count in (1, 4, 2, 3, 0, 9)] == [
        [1],
        [1, 3, 2, 0],
        [1, 3],
        [1, 3, 2],
        [],
        [1, 3, 2, 0],
    ]


# --- Interleaved ----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=400)
@given(cases(), asked)
def test_an_interleaved_order_equals_naive_interleaving(case: Case, asked_first: str) -> None:
    check(case, Interleave(first=A, second=B), asked_first)
    check(case, Interleave(first=B, second=A), asked_first)


@settings(deadline=None, max_examples=200)
@given(cases())
def test_an_interleaved_rank_is_bounded_by_the_ranks_it_is_made_of(case: Case) -> None:
    """A document at rank r of the first order appears at min(N, 2r − 1) or earlier."""
    rank = case.order(Interleave(first=A, second=B)).rank()
    in_first, in_second = case.order(A).rank(), case.order(B).rank()
    assert rank <= min(case.size, 2 * in_first - 1)
    assert rank <= min(case.size, 2 * in_second)


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_an_interleaved_rank_reaches_its_bound_where_nothing_is_shared(rank: int) -> None:
    size = 10
    first = np.array([float(size - i) for i in range(size)])
    second = first[::-1].copy()
    target = rank - 1
    found = Target([target])
    order = Interleaved(Scored(first, found), Scored(second, found), found)
    assert order.rank() == 2 * rank - 1


def test_an_interleaved_rank_depends_on_documents_skipped_before() -> None:
    """Equal ranks on both sides, and still no closed form: what is shared decides."""

    def rank(first: list[int], second: list[int]) -> int:
        return Interleaved(scored(first, 9), scored(second, 9), Target([9])).rank()

    others = [6, 7, 8]
    assert rank([0, 1, 2, 9, *others, 3, 4, 5], [3, 4, 5, 9, *others, 0, 1, 2]) == 7
    assert rank([0, 1, 2, 9, *others, 3, 4, 5], [0, 1, 2, 9, *others, 3, 4, 5]) == 4
    assert rank([0, 1, 2, 9, *others, 3, 4, 5], [2, 1, 3, 9, *others, 0, 4, 5]) == 5


def scored(order: Sequence[int], target: int) -> Scored:
    return Scored(scores_of(order), Target([target]))


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.integers(0, 12), unique=True),
    st.lists(st.integers(0, 12), unique=True),
    st.integers(0, 26),
)
def test_alternating_goes_on_with_one_side_when_the_other_runs_out(
    first: list[int], second: list[int], count: int
) -> None:
    assert alternate(first, second, count) == oracle.interleave(first, second)[:count]


def test_a_single_document_ranks_first_everywhere() -> None:
    case = Case([[0.0], [0.0], [1.0]], [0], 1)
    for ranking in (A, Interleave(first=A, second=B), Deferred(first=A, second=B, after=4)):
        check(case, ranking)


# --- Delayed --------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=300)
@given(cases(), asked)
def test_a_delayed_order_equals_naive_deferring(case: Case, asked_first: str) -> None:
    check(case, Deferred(first=A, second=B, after=case.after), asked_first)


@settings(deadline=None, max_examples=300)
@given(cases(), asked)
def test_the_deferred_helper_equals_naive_deferring(case: Case, asked_first: str) -> None:
    helper = Interleave(first=A, second=B)
    check(case, Deferred(first=A, second=helper, after=case.after), asked_first)


@settings(deadline=None, max_examples=100)
@given(cases())
def test_a_delayed_order_keeps_ranks_up_to_its_start(case: Case) -> None:
    kept = case.order(A).rank()
    rank = case.order(Deferred(first=A, second=B, after=case.after)).rank()
    assert rank == kept if kept <= case.after else rank > case.after


@settings(deadline=None, max_examples=50)
@given(cases())
def test_an_order_delayed_past_the_last_document_is_the_first_order(case: Case) -> None:
    late = Deferred(first=A, second=B, after=case.size)
    assert list(case.order(late).prefix(case.size)) == case.expected(A)
    assert case.order(late).rank() == case.order(A).rank()


# --- Nested ---------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=200)
@given(cases(), st.integers(1, 33), asked)
def test_named_compositions_equal_brute_force(case: Case, other: int, asked_first: str) -> None:
    one_way, other_way = Interleave(first=A, second=B), Interleave(first=B, second=A)
    delayed = Deferred(first=A, second=one_way, after=case.after)
    for ranking in (
        Interleave(first=delayed, second=C),
        Interleave(first=C, second=delayed),
        Interleave(first=delayed, second=Deferred(first=B, second=A, after=other)),
        Deferred(first=other_way, second=one_way, after=case.after),
        Deferred(first=one_way, second=other_way, after=case.after),
        Deferred(first=delayed, second=C, after=other),
        Interleave(first=one_way, second=other_way),
        Interleave(first=A, second=A),
    ):
        check(case, ranking, asked_first)


@settings(deadline=None, max_examples=250)
@given(cases(), oracle.rankings(LEAVES, 33), asked)
def test_any_composition_equals_brute_force(case: Case, ranking: Ranking, asked_first: str) -> None:
    check(case, ranking, asked_first)


# --- Cut lists, and any number of relevant documents ----------------------------------------------

RUN_A, RUN_B = (
    Run(file=PinnedFile(path=f"{name}.run", sha256=name * 64), searches=1) for name in "ab"
)
MIXED: tuple[oracle.Leaf, ...] = (A, B, RUN_A, RUN_B)


class Cut:
    """Leaves of which some are lists that may stop anywhere, and a target of so many documents."""

    def __init__(
        self, orders: dict[oracle.Leaf, list[int]], size: int, relevant: list[int], wanted: int
    ) -> None:
        self.orders = orders
        self.size = size
        self.relevant = relevant
        self.wanted = wanted

    def __repr__(self) -> str:
        return f"Cut({self.orders}, {self.size}, {self.relevant}, {self.wanted})"

    def order(self, ranking: Ranking) -> Order:
        """The order under test, what is alike shared. A `Bm25` scores, a `Run` is a list."""
        target = Target(self.relevant, self.wanted)
        shared: dict[Ranking, Order] = {}

        def made(part: str | Ranking) -> Order:
            assert not isinstance(part, str)
            if part not in shared:
                shared[part] = make(part)
            return shared[part]

        def make(part: Ranking) -> Order:
            match part:
                case Interleave(first=first, second=second):
                    return Interleaved(made(first), made(second), target)
                case Deferred(first=first, second=second, after=after):
                    return Delayed(made(first), made(second), after, target)
                case Run():
                    return Listed(self.orders[part], target)
                case _:
                    return Scored(scores_of(self.orders[part]), target)

        return made(ranking)


def scores_of(order: Sequence[int]) -> FloatArray:
    """Scores that put all documents into that order."""
    scores: FloatArray = np.zeros(len(order))
    for place, document in enumerate(order):
        scores[document] = float(len(order) - place)
    return scores


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    size = draw(st.integers(1, 16))
    whole = st.permutations(range(size))
    orders: dict[oracle.Leaf, list[int]] = {A: list(draw(whole)), B: list(draw(whole))}
    for leaf in (RUN_A, RUN_B):
        # A third of the lists are empty, a third stop somewhere, a third hold everything.
        kept = draw(st.sampled_from((0, draw(st.integers(0, size)), size)))
        orders[leaf] = list(draw(whole))[:kept]
    relevant = sorted(draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=min(size, 6))))
    wanted = draw(st.sampled_from((1, draw(st.integers(1, len(relevant))), len(relevant))))
    return Cut(orders, size, relevant, wanted)


def delivers_all(ranking: str | Ranking) -> bool:
    """Does it deliver every document whatever the lists hold, by what it is made of?"""
    assert not isinstance(ranking, str)
    match ranking:
        case Interleave(first=first, second=second):
            return delivers_all(first) or delivers_all(second)
        case Deferred(second=second):
            return delivers_all(second)
        case _:
            return not isinstance(ranking, Run)


def check_cut(case: Cut, ranking: Ranking, asked_first: str = "rank") -> None:
    """Rank, depth, every prefix and completeness against the whole order, written out."""
    expected = oracle.order_of(ranking, case.orders)
    assert len(set(expected)) == len(expected), "the oracle delivers a document once"
    rank = oracle.rank_of(expected, case.relevant, case.wanted)
    order = case.order(ranking)
    if asked_first == "prefix":
        assert list(order.prefix(case.size // 2)) == expected[: case.size // 2]
    if asked_first == "depth":
        assert order.depth() == len(expected)
    assert order.rank() == (NOT_FOUND if rank is None else rank)
    assert order.depth() == len(expected)
    assert order.is_complete() == delivers_all(ranking)
    if order.is_complete():
        assert sorted(expected) == list(range(case.size))
    for count in range(case.size + 3):
        assert list(order.prefix(count)) == expected[:count]
    assert order.rank() == (NOT_FOUND if rank is None else rank)


@settings(deadline=None, max_examples=200)
@given(cuts(), st.sampled_from(MIXED), asked)
def test_a_list_or_a_full_sort_is_ranked_up_to_the_last_document_needed(
    case: Cut, leaf: oracle.Leaf, asked_first: str
) -> None:
    check_cut(case, leaf, asked_first)


@settings(deadline=None, max_examples=400)
@given(cuts(), st.sampled_from(MIXED), st.sampled_from(MIXED), asked)
def test_interleaving_with_a_cut_list_equals_naive_interleaving(
    case: Cut, first: oracle.Leaf, second: oracle.Leaf, asked_first: str
) -> None:
    check_cut(case, Interleave(first=first, second=second), asked_first)


@settings(deadline=None, max_examples=400)
@given(cuts(), st.sampled_from(MIXED), st.sampled_from(MIXED), st.integers(1, 19), asked)
def test_deferring_with_a_cut_list_equals_naive_deferring(
    case: Cut, first: oracle.Leaf, second: oracle.Leaf, after: int, asked_first: str
) -> None:
    check_cut(case, Deferred(first=first, second=second, after=after), asked_first)


@settings(deadline=None, max_examples=600)
@given(cuts(), oracle.rankings(MIXED, 19), asked)
def test_any_composition_with_cut_lists_equals_brute_force(
    case: Cut, ranking: Ranking, asked_first: str
) -> None:
    check_cut(case, ranking, asked_first)


@settings(deadline=None, max_examples=300)
@given(cuts(), st.sampled_from(MIXED), st.sampled_from(MIXED), st.integers(1, 19), asked)
def test_compositions_of_compositions_of_two_lists_equal_brute_force(
    case: Cut, one: oracle.Leaf, other: oracle.Leaf, after: int, asked_first: str
) -> None:
    both = Interleave(first=one, second=other)
    late = Deferred(first=one, second=other, after=after)
    for ranking in (
        Interleave(first=both, second=late),
        Interleave(first=late, second=both),
        Deferred(first=both, second=late, after=after),
        Deferred(first=late, second=both, after=max(1, after // 2)),
    ):
        check_cut(case, ranking, asked_first)


def listed(first: list[int], second: list[int], relevant: list[int], wanted: int) -> Cut:
    """A case of two lists, over as many documents as any id asks for."""
    size = 1 + max((*first, *second, *relevant))
    every = list(range(size))
    return Cut({A: every, B: every, RUN_A: first, RUN_B: second}, size, relevant, wanted)


@pytest.mark.parametrize(
    ("first", "second", "interleaved", "deferred"),
    [
        ([7, 1], [8, 2], 4, 4),  # one each, neither side holds two
        ([1, 7], [2, 8], 2, 3),
        ([1], [1, 7, 8, 2], 4, 4),  # the same one on both sides counts once
        ([1, 7, 8], [1, 9], NOT_FOUND, NOT_FOUND),
        ([7, 8, 1], [2], 4, NOT_FOUND),  # deferred after 2 drops the third of the first
        ([], [2, 9, 1], 3, 3),
        ([2, 9, 1], [], 3, NOT_FOUND),
        ([], [], NOT_FOUND, NOT_FOUND),
    ],
)
def test_two_lists_may_meet_together_what_neither_meets_alone(
    first: list[int], second: list[int], interleaved: int, deferred: int
) -> None:
    case = listed(first, second, [1, 2], 2)
    one_way = Interleave(first=RUN_A, second=RUN_B)
    late = Deferred(first=RUN_A, second=RUN_B, after=2)
    assert case.order(one_way).rank() == interleaved
    assert case.order(late).rank() == deferred
    check_cut(case, one_way)
    check_cut(case, late)


def test_a_list_of_nothing_is_no_page_of_candidates_and_finds_nothing() -> None:
    order = Listed([], Target([0]))
    assert (order.rank(), order.depth(), order.is_complete()) == (NOT_FOUND, 0, False)
    assert list(order.prefix(5)) == []


def test_behind_an_empty_list_the_other_side_keeps_its_ranks() -> None:
    case = listed([], [3, 1, 2], [2], 1)
    assert case.order(Interleave(first=RUN_A, second=RUN_B)).rank() == 3
    first = listed([], [2, 1], [2], 1)
    assert first.order(Interleave(first=RUN_A, second=RUN_B)).rank() == 1
    assert first.order(Interleave(first=RUN_B, second=RUN_A)).rank() == 1


@given(cuts())
def test_a_target_counts_what_it_met_before_and_what_stands_in_a_list(case: Cut) -> None:
    target = Target(case.relevant, case.wanted)
    documents = case.orders[RUN_A]
    assert target.met(documents) == len(set(documents) & set(case.relevant))
    for held in range(case.wanted):
        expected = oracle.rank_of(documents, case.relevant, case.wanted - held)
        assert target.rank_in(documents, held) == (NOT_FOUND if expected is None else expected)
