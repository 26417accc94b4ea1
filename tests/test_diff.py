"""Two sides against each other: corpora, policies, page sizes, and what is not comparable."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from pagecost.diff.engine import compare
from pagecost.diff.records import Count, Diff, Figures, Overlap, PolicyDiff
from pagecost.diff.sides import Side
from pagecost.model import Results
from pagecost.report import diffwords
from pagecost.report.words import plain
from tests.builders import POLICIES, Json, archives_plan
from tests.diff_builders import (
    LATE,
    Ranks,
    document_ids,
    parsed,
    query_ids,
    run_side,
    side,
    sides,
)

NAMES = ("baseline", "helper", "late")

# --- Corpora --------------------------------------------------------------------------------------


def two(**more: Any) -> Side:
    """Ranks of two queries."""
    return side({"baseline": [3, 4], "helper": [1, 9]}, **more)


def test_overlap_counts_what_is_on_both_sides_dropped_and_added() -> None:
    a = two(ids=query_ids(2), documents=document_ids(100))
    b = two(ids=query_ids(2, first=1), documents=document_ids(100, first=30), version="2")
    diff = compare(a, b)
    assert diff.queries == Overlap(same=1, only_in_a=1, only_in_b=1)
    assert diff.documents == Overlap(same=70, only_in_a=30, only_in_b=30)
    assert (diff.same_documents, diff.same_queries) == (False, False)
    assert not diff.queries.is_same


def test_the_same_ids_overlap_whole() -> None:
    diff = compare(two(), two(version="2"))
    assert diff.queries == Overlap(2, 0, 0)
    assert diff.documents == Overlap(100, 0, 0)
    assert diff.queries.is_same
    assert (diff.same_documents, diff.same_queries) == (True, True)


@pytest.mark.parametrize("documents", [document_ids(100), document_ids(100, first=1)])
def test_without_lists_the_pins_say_whether_the_sets_are_the_same(documents: list[str]) -> None:
    diff = compare(two(listed=False, with_ranks=False), two(documents=documents, version="2"))
    assert diff.documents is None
    assert diff.queries is None
    assert diff.same_documents == (documents == document_ids(100))
    assert diff.same_queries is True


def test_without_pins_nobody_knows() -> None:
    plan, digest = parsed(archives_plan(pinned=False))
    draft = Side("draft", plan, digest, results=None, table=None, documents=None)
    diff = compare(draft, two())
    assert (diff.same_documents, diff.same_queries) == (None, None)
    assert (diff.documents, diff.queries) == (None, None)


# --- Policies -------------------------------------------------------------------------------------


def with_names(baseline: str, helper: str, **more: Any) -> Side:
    """The side `two`, its policies called otherwise."""
    policies: list[Json] = copy.deepcopy(POLICIES)
    policies[0]["name"], policies[1]["name"] = baseline, helper
    policies[1]["ranking"]["first"] = baseline
    return side(
        {baseline: [3, 4], helper: [1, 9]},
        policies=policies,
        baseline=baseline,
        primary_policy=helper,
        version="2",
        **more,
    )


def test_a_policy_that_was_renamed_is_matched_by_what_it_means() -> None:
    diff = compare(two(), with_names("baseline", "assistant"))
    assert [(one.name_a, one.name_b) for one in diff.policies] == [
        ("baseline", "baseline"),
        ("helper", "assistant"),
    ]
    found = diff.policy("assistant")
    assert found == diff.policy("helper") == diff.headline
    assert found.name == "helper → assistant"
    assert found.same_order
    assert found.everything is not None
    assert found.everything.at(1).pages == Count(10, 10, 0, 0.0)
    assert found.transitions is not None
    assert (found.transitions.fewer, found.transitions.as_many) == (0, 2)


def test_a_name_goes_before_a_meaning() -> None:
    swapped: list[Json] = [
        POLICIES[0],
        {"name": "helper", "ranking": LATE["ranking"] | {"second": "assistant"}},
        {"name": "assistant", "ranking": POLICIES[1]["ranking"]},
    ]
    columns: Ranks = {"baseline": [3, 4], "helper": [2, 5], "assistant": [1, 9]}
    diff = compare(two(), side(columns, policies=swapped, version="2"))
    assert [(one.name_a, one.name_b, one.same_order) for one in diff.policies] == [
        ("baseline", "baseline", True),
        ("helper", "helper", False),
        (None, "assistant", False),
    ]


def test_two_policies_of_one_name_and_two_meanings_say_so() -> None:
    other = copy.deepcopy(POLICIES)
    other[1]["ranking"]["second"]["k1"] = 2.0
    diff = compare(two(), two(version="2", policies=other))
    assert diff.policy("baseline").same_order
    assert not diff.policy("helper").same_order
    assert diff.policy("helper").everything is not None


def test_a_policy_of_one_side_has_no_figure_to_compare() -> None:
    three: dict[str, list[int | None]] = {"baseline": [3], "helper": [1], "late": [2]}
    a = side({name: three[name] for name in ("baseline", "helper")})
    b = side(three, version="2")
    assert compare(a, b).policies[-1] == PolicyDiff(None, "late", same_order=False)
    assert compare(b, a).policies[-1] == PolicyDiff("late", None, same_order=False)
    assert compare(a, b).policies[-1].name == "late"
    with pytest.raises(KeyError):
        compare(a, b).policy("none")


def test_the_headline_is_about_both_primary_policies_whatever_they_are() -> None:
    ranks: dict[str, list[int | None]] = {"baseline": [3], "helper": [1], "late": [2]}
    diff = compare(side(ranks), side(ranks, version="2", primary_policy="late"))
    assert diff.headline is not None
    assert (diff.headline.name_a, diff.headline.name_b) == ("helper", "late")
    assert not diff.headline.same_order
    assert diff.headline.everything is not None
    assert diff.headline.everything.at(1).pages == Count(1, 2, 1, 100.0)
    assert diff.headline.transitions is not None


# --- Page sizes -----------------------------------------------------------------------------------


def test_page_sizes_of_one_side_are_named_and_not_compared() -> None:
    diff = compare(two(page_sizes=[1, 2, 5]), two(page_sizes=[2, 5, 10], version="2"))
    assert diff.page_sizes == [2, 5]
    assert (diff.page_sizes_only_in_a, diff.page_sizes_only_in_b) == ([1], [10])
    found = diff.policy("helper").everything
    assert found is not None
    assert [row.page_size for row in found.sizes] == [2, 5]
    with pytest.raises(KeyError):
        found.at(1)


@pytest.mark.parametrize(
    ("a", "b", "shown"),
    [
        (([1, 2, 5], 2), ([1, 2, 5], 5), 5),
        (([1, 2, 5], 2), ([1, 2, 9], 9), 2),
        (([1, 2, 5], 5), ([1, 2, 9], 9), 1),
        (([1, 5], 5), ([2, 9], 9), None),
    ],
)
def test_the_primary_page_size_is_bs_else_as_else_the_first_of_both(
    a: tuple[list[int], int], b: tuple[list[int], int], shown: int | None
) -> None:
    sides_ = [
        two(page_sizes=sizes, primary_page_size=primary, version=version)
        for version, (sizes, primary) in zip("12", (a, b), strict=True)
    ]
    diff = compare(*sides_)
    assert diff.primary_page_size == shown
    found = diff.policy("helper").transitions
    assert (found and found.page_size) == shown


def test_without_a_common_page_size_only_ranks_are_compared() -> None:
    diff = compare(
        two(page_sizes=[1], primary_page_size=1),
        two(page_sizes=[2], primary_page_size=2, version="2"),
    )
    assert diff.not_comparable == []
    found = diff.policy("helper")
    assert found.everything is not None
    assert found.everything.sizes == []
    assert found.everything.quality_a == found.everything.quality_b
    assert found.transitions is None


# --- What is not comparable -----------------------------------------------------------------------


def nothing_is_compared(diff: Diff) -> list[str]:
    """Why not."""
    assert diff.policies == []
    assert diff.headline is None
    return diff.not_comparable


def test_without_a_record_no_figure_is_compared_and_the_plans_still_are() -> None:
    frozen = two(recorded=False, version="2", caveat="Another caveat.")
    diff = compare(two(), frozen)
    assert nothing_is_compared(diff) == ["B has no record: no number of it exists"]
    assert [one.path for one in diff.plan] == ["caveat"]
    assert (diff.a.state, diff.b.state) == ("recorded", "frozen")
    assert nothing_is_compared(compare(frozen, two()))[0].startswith("A has no record")
    assert len(nothing_is_compared(compare(frozen, frozen))) == 2


def test_another_baseline_makes_every_figure_incomparable() -> None:
    diff = compare(two(), two(version="2", baseline="helper", primary_policy="baseline"))
    assert nothing_is_compared(diff) == [
        "another baseline: 'baseline' in A orders otherwise than 'helper' in B"
    ]
    assert diff.not_matched is None


def test_a_baseline_that_only_has_another_name_is_the_same_baseline() -> None:
    diff = compare(two(), with_names("plain", "helper"))
    assert diff.not_comparable == []
    assert [one.name for one in diff.policies] == ["baseline → plain", "helper"]
    assert all(one.same_order for one in diff.policies)
    assert diff.policies[0].transitions is None
    assert diff.policies[1].transitions is not None


def test_a_baseline_of_another_constant_is_another_baseline() -> None:
    policies = copy.deepcopy(POLICIES)
    policies[0]["ranking"]["k1"] = 1.3
    diff = compare(two(), two(version="2", policies=policies))
    (reason,) = nothing_is_compared(diff)
    assert reason.startswith("another baseline: ")


def test_without_a_common_query_no_figure_is_compared() -> None:
    diff = compare(two(), two(ids=query_ids(2, first=2), version="2"))
    assert nothing_is_compared(diff) == ["no query stands on both sides"]
    assert diff.queries == Overlap(0, 2, 2)


@pytest.mark.parametrize("without", ["A", "B"])
def test_a_side_without_ranks_is_compared_over_all_its_queries_alone(without: str) -> None:
    a = two(with_ranks=without != "A")
    b = two(with_ranks=without != "B", ids=query_ids(2, first=1), version="2")
    diff = compare(a, b)
    assert diff.not_comparable == []
    assert diff.not_matched == f"{without} has no ranks, so its queries can't be matched"
    found = diff.policy("helper")
    assert found.everything is not None
    assert (found.matched, found.transitions) == (None, None)


# --- Both ways ------------------------------------------------------------------------------------


def test_a_side_is_named_with_what_it_is() -> None:
    made = two(given="main:site/tiny/1")
    found = compare(made, made).a
    assert (found.given, found.experiment, found.version) == ("main:site/tiny/1", "tiny", "1")
    assert (found.kind, found.state, found.date) == ("confirmatory", "recorded", "2026-01-02")
    assert found.plan_sha256 == made.plan_sha256


@settings(deadline=None)
@given(sides(names=NAMES))
def test_a_side_against_itself_is_identical(made: Side) -> None:
    diff = compare(made, made)
    assert diff.identical
    assert diff.plan == []
    assert diff.not_comparable == []
    for policy in diff.policies:
        assert policy.same_order
        for figures in (policy.everything, policy.matched):
            if figures is not None:
                assert all(count.change == 0 for count in counts(figures))
                assert figures.quality_a == figures.quality_b
        if policy.transitions is not None:
            assert policy.transitions.movers == []
            table = policy.transitions.pages
            assert all(not n for i, row in enumerate(table) for j, n in enumerate(row) if i != j)


def test_another_plan_or_another_record_is_not_identical() -> None:
    made = two()
    assert not compare(made, two(caveat="Another caveat.")).identical
    assert isinstance(made.results, Results)
    other = msgspec.structs.replace(made.results, ranks_sha256="0" * 64)
    assert not compare(made, msgspec.structs.replace(made, results=other)).identical
    assert not compare(made, msgspec.structs.replace(made, results=None, table=None)).identical


def counts(figures: Figures) -> list[Count]:
    """Every count of them, in order."""
    made = [figures.queries, figures.not_found]
    for row in figures.sizes:
        made += [row.pages, row.emitted, row.searches]
    return made


@settings(deadline=None)
@given(sides(names=NAMES), sides(names=NAMES))
def test_the_other_way_round_every_change_has_the_other_sign(a: Side, b: Side) -> None:
    there, back = compare(a, b), compare(b, a)
    assert there.identical == back.identical
    assert (there.a, there.b) == (back.b, back.a)
    assert there.page_sizes == back.page_sizes
    assert there.page_sizes_only_in_a == back.page_sizes_only_in_b
    assert bool(there.not_comparable) == bool(back.not_comparable)
    opposite = {"changed": "changed", "only in A": "only in B", "only in B": "only in A"}
    assert sorted((one.path, one.change) for one in there.plan) == sorted(
        (one.path, opposite[one.change]) for one in back.plan
    )
    for ours, theirs in (
        (there.queries, back.queries),
        (there.documents, back.documents),
    ):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            assert ours == Overlap(theirs.same, theirs.only_in_b, theirs.only_in_a)
    assert [one.name for one in there.policies] == [one.name for one in back.policies]
    for one, other in zip(there.policies, back.policies, strict=True):
        for ours_, theirs_ in ((one.everything, other.everything), (one.matched, other.matched)):
            assert (ours_ is None) == (theirs_ is None)
            if ours_ is not None and theirs_ is not None:
                reversed_ = [Count.of(count.b, count.a) for count in counts(theirs_)]
                assert counts(ours_) == reversed_
                assert (ours_.quality_a, ours_.quality_b) == (theirs_.quality_b, theirs_.quality_a)
        if one.transitions and other.transitions:
            if one.transitions.page_size != other.transitions.page_size:
                continue
            assert one.transitions.pages == transposed(other.transitions.pages)
            assert one.transitions.searches is not None
            assert other.transitions.searches is not None
            assert one.transitions.searches == transposed(other.transitions.searches)
            assert one.transitions.fewer == other.transitions.more
            assert [move.query_id for move in one.transitions.movers] == [
                move.query_id for move in other.transitions.movers
            ]


def transposed(table: list[list[int]]) -> list[list[int]]:
    return [list(row) for row in zip(*table, strict=True)]


def test_what_is_said_of_a_run_does_not_change_its_order() -> None:
    """Its bytes and its tie rule order; the searches that its author states don't."""
    columns: dict[str, list[int | None]] = {"baseline": [3], "helper": [2]}
    silent = run_side(columns, {"baseline": None, "helper": None})
    stated = run_side(columns, {"baseline": 1, "helper": 2}, version="2")
    diff = compare(silent, stated)
    assert diff.not_comparable == []
    assert diff.same_baseline
    assert [policy.same_order for policy in diff.policies] == [True, True]


def test_documents_that_nobody_knows_are_not_the_same_documents() -> None:
    columns: dict[str, list[int | None]] = {"baseline": [3], "helper": [None]}
    searches = {"baseline": 1, "helper": 1}
    diff = compare(run_side(columns, searches), run_side(columns, searches, version="2"))
    assert diff.same_documents is None
    assert diff.same_queries is True
    assert diffwords.notes(diff)[0] == (
        "A query whose target is not found costs what was delivered for it, and one empty page "
        "where nothing was."
    )
    headline = diffwords.headline(diff)
    assert headline is not None
    assert plain(headline).endswith(" Targets not found: 1 in version 1, 1 in version 2.")
    assert diffwords.against(diff) == (
        "Each against its own baseline: pages +2,400.0\u202f% → +2,400.0\u202f%, searches (proxy) "
        "+2,400.0\u202f% → +2,400.0\u202f%, not found 1, not found by the baselines 0."
    )
