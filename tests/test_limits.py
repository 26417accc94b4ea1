"""Limits on how much worse one side may be: how they are written, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.diff.engine import compare
from pagecost.diff.limits import Limit, LimitResult, check, parse
from pagecost.diff.sides import Side
from pagecost.errors import InputError
from pagecost.gates import HIGHER_IS_BETTER, METRICS, Figure, Tolerance
from pagecost.report import diffwords
from tests.builders import TinyProject
from tests.diff_builders import query_ids, run_side, side, sides


def limited(text: str, a: Side, b: Side) -> LimitResult:
    """What becomes of that limit."""
    return check(parse(text), compare(a, b))


def decided(text: str, a: Side, b: Side) -> str:
    return limited(text, a, b).decision


def ranked(*helper: int | None, depth: int = 1000, **changes: Any) -> Side:
    """A side of those ranks. Pages of one candidate, so a rank is a number of pages."""
    baseline = [1] * len(helper)
    sizes: dict[str, Any] = {"page_sizes": [1, 2], "primary_page_size": 1}
    return side({"baseline": baseline, "helper": helper}, depth=depth, **(sizes | changes))


# --- The grammar ----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_alone_is_a_limit_on_getting_worse(metric: str) -> None:
    expected = Limit(metric, Figure(metric), both_ways=False, tolerance=None)
    assert parse(metric) == expected


@pytest.mark.parametrize(
    ("text", "figure", "both_ways", "tolerance"),
    [
        ("pages worse", Figure("pages"), False, None),
        ("pages changed", Figure("pages"), True, None),
        ("pages of late at 20", Figure("pages", "late", 20), False, None),
        ("searches by more than 5", Figure("searches"), False, Tolerance(Fraction(5), False)),
        ("searches by more than 5%", Figure("searches"), False, Tolerance(Fraction(5), True)),
        ("searches by more than 5 %", Figure("searches"), False, Tolerance(Fraction(5), True)),
        (
            "mrr of late worse by more than 0.01",
            Figure("mrr", "late"),
            False,
            Tolerance(Fraction(1, 100), False),
        ),
        (
            " emitted  at 2 changed by more than 0.5 % ",
            Figure("emitted", None, 2),
            True,
            Tolerance(Fraction(1, 200) * 100, True),
        ),
        ("pages of worse worse", Figure("pages", "worse"), False, None),
        ("pages of changed", Figure("pages", "changed"), False, None),
    ],
)
def test_a_limit_names_a_figure_a_direction_and_a_tolerance(
    text: str, figure: Figure, both_ways: bool, tolerance: Tolerance | None
) -> None:
    assert parse(text) == Limit(text, figure, both_ways, tolerance)


WRONG = {
    "": "it ends where a metric was expected",
    "cost": "'cost' is no metric; known: pages, emitted, searches, ",
    "worse": "'worse' is no metric; known: ",
    "pages of": "it ends where a policy's name was expected",
    "pages at none": "'none' stands where a page size was expected",
    "mrr at 5": "mrr has no page size",
    "pages better": "'better' stands where worse, changed, by more than, or the end was expected",
    "pages by 5": "'by' stands where worse, changed, by more than, or the end was expected",
    "pages by more": "'by' stands where worse, changed, by more than, or the end was expected",
    "pages changed worse": (
        "'worse' stands where worse, changed, by more than, or the end was expected"
    ),
    "pages by more than": "it ends where a number was expected",
    "pages by more than %": "'%' stands where a number was expected",
    "pages by more than -5": "'-5' stands where a number was expected",
    "pages by more than 5 pages": "'pages' stands where the end was expected",
    "pages by more than 5 % %": "'%' stands where the end was expected",
    "pages by more than 5 worse": "'worse' stands where the end was expected",
    "pages <= 5": "'<=' stands where worse, changed, by more than, or the end was expected",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_word_is_named_with_what_was_expected(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert str(error.value).startswith(f"--fail-on {text!r}: {WRONG[text]}")


parts = st.sampled_from(
    (*METRICS, "of", "at", "helper", "worse", "changed", "by", "more", "than", "5", "0.1", "%", "é")
)


@given(st.lists(parts, max_size=10).map(" ".join) | st.text(max_size=20))
def test_any_text_is_a_limit_or_is_refused(text: str) -> None:
    try:
        assert parse(text).text == text
    except InputError as error:
        assert str(error).startswith("--fail-on ")


# --- Worse, and changed ---------------------------------------------------------------------------

WORSE: dict[str, tuple[Sequence[int | None], Sequence[int | None]]] = {
    "pages": ([2, 2], [2, 3]),
    "emitted": ([2, 2], [2, 3]),
    "searches": ([2, 2], [2, 3]),
    "not_found": ([1, 1], [1, None]),
    "recall@1": ([1, 1], [1, 2]),
    "recall@5": ([1, 5], [1, 6]),
    "recall@10": ([1, 10], [1, 11]),
    "mrr": ([1, 2], [1, 3]),
    "mean_rank": ([2, 2], [2, 3]),
    "median_rank": ([2, 5], [3, 5]),
    "p95_rank": ([2, 2], [2, 3]),
}
"""By metric, ranks in A, and ranks in B that are worse."""


@pytest.mark.parametrize("metric", WORSE)
def test_what_gets_worse_fails_and_what_gets_better_does_not(metric: str) -> None:
    better, worse = (ranked(*ranks) for ranks in WORSE[metric])
    assert set(WORSE) == set(METRICS)
    assert decided(metric, better, worse) == "not held"
    assert decided(f"{metric} worse", better, worse) == "not held"
    assert decided(metric, worse, better) == "held"
    assert decided(f"{metric} worse by more than 0 %", worse, better) == "held"


@pytest.mark.parametrize("metric", WORSE)
def test_an_improvement_fails_only_a_limit_on_changed(metric: str) -> None:
    better, worse = (ranked(*ranks) for ranks in WORSE[metric])
    for a, b in ((better, worse), (worse, better)):
        assert decided(f"{metric} changed", a, b) == "not held"
    assert decided(f"{metric} changed", worse, worse) == "held"
    assert decided(metric, worse, worse) == "held"


def test_a_result_says_both_figures() -> None:
    found = limited("pages of helper at 2 worse", ranked(2, 2), ranked(2, 4))
    assert found == LimitResult("pages of helper at 2 worse", "not held", 2.0, 3.0, None)
    found = limited("recall@1", ranked(1, 1), ranked(1, 2))
    assert (found.a, found.b) == (1.0, 0.5)


def test_what_is_left_out_is_each_sides_own_primary_policy_and_the_primary_page_size() -> None:
    columns: dict[str, list[int | None]] = {"baseline": [1, 1], "helper": [5, 6], "late": [9, 9]}
    a, b = side(columns), side(columns, version="2", primary_policy="late", primary_page_size=5)
    found = limited("pages", a, b)
    assert (found.a, found.b) == (1 + 2, 2 + 2)
    found = limited("pages of helper at 1", a, b)
    assert (found.a, found.b, found.decision) == (11, 11, "held")


# --- Tolerances -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tolerance", "last"),
    [("0", 100), ("5", 105), ("5 %", 105), ("10%", 110), ("0.5", 100), ("0.9 %", 100),
     ("100 %", 200)],
)  # fmt: skip
def test_a_tolerance_is_kept_up_to_the_last_page(tolerance: str, last: int) -> None:
    limit = f"pages by more than {tolerance}"
    assert decided(limit, ranked(100), ranked(last)) == "held"
    assert decided(limit, ranked(100), ranked(last + 1)) == "not held"
    assert decided(limit, ranked(100), ranked(1)) == "held"


def test_a_tolerance_on_changed_goes_both_ways() -> None:
    limit = "pages changed by more than 10 %"
    assert decided(limit, ranked(100), ranked(90)) == "held"
    assert decided(limit, ranked(100), ranked(89)) == "not held"
    assert decided(limit, ranked(100), ranked(110)) == "held"
    assert decided(limit, ranked(100), ranked(111)) == "not held"


def test_a_percentage_is_of_a() -> None:
    assert decided("pages changed by more than 10 %", ranked(90), ranked(100)) == "not held"
    assert decided("pages changed by more than 10 %", ranked(100), ranked(90)) == "held"


def test_a_recall_that_falls_by_the_tolerance_keeps_it_exactly() -> None:
    assert 0.4 - 0.3 > 0.1  # so floats would fail some of these
    for k in range(10):
        a, b = (ranked(*[1] * n, *[9] * (10 - n)) for n in (k + 1, k))
        assert decided("recall@1 by more than 0.1", a, b) == "held"
        assert decided("recall@1 by more than 0.0999", a, b) == "not held"


def test_of_zero_there_is_no_percentage() -> None:
    a, b = ranked(1, 1), ranked(1, None)
    found = limited("not_found by more than 5 %", a, b)
    assert found == LimitResult(
        "not_found by more than 5 %",
        "not decided",
        0.0,
        1.0,
        "A is zero, which has no percentage; give a number",
    )
    assert decided("not_found by more than 1", a, b) == "held"
    assert decided("not_found by more than 0", a, b) == "not held"
    assert decided("not_found", a, b) == "not held"
    assert decided("not_found by more than 5 %", a, a) == "held"
    assert decided("not_found by more than 5 %", b, a) == "held"
    assert decided("recall@1 changed by more than 5 %", ranked(2, 2), ranked(1, 2)) == "not decided"


# --- Not decided ----------------------------------------------------------------------------------


def undecided(text: str, a: Side, b: Side) -> str:
    """Why nobody can say."""
    found = limited(text, a, b)
    assert (found.decision, found.a, found.b) == ("not decided", None, None)
    assert found.why is not None
    return found.why


def test_a_policy_of_one_side_decides_nothing() -> None:
    columns: dict[str, list[int | None]] = {"baseline": [1], "helper": [1], "late": [1]}
    a = side({name: columns[name] for name in ("baseline", "helper")})
    b = side(columns, version="2")
    assert undecided("pages of late", a, b) == "late is only in B"
    assert undecided("pages of late", b, a) == "late is only in A"
    assert undecided("mrr of none", a, b) == (
        "no policy is named 'none' on either side; known: baseline, helper, late"
    )
    assert decided("pages of helper", a, b) == "held"


def test_a_page_size_of_one_side_decides_nothing() -> None:
    a, b = ranked(1, page_sizes=[1, 2, 5]), ranked(1, page_sizes=[1, 2, 7], version="2")
    for size in (5, 7, 9):
        assert undecided(f"pages at {size}", a, b) == f"page size {size} is not on both sides"
    assert decided("pages at 2", a, b) == "held"
    c = ranked(1, page_sizes=[7], primary_page_size=7, version="2")
    assert undecided("pages", a, c) == "no page size is on both sides"
    assert decided("mrr", a, c) == "held"


def test_other_queries_without_ranks_decide_nothing() -> None:
    a = ranked(1, 2, with_ranks=False)
    b = ranked(1, 2, ids=query_ids(2, first=1), version="2")
    expected = "not over the same queries: A has no ranks, so its queries can't be matched"
    for limit in ("pages", "mrr", "not_found changed by more than 50 %"):
        assert undecided(limit, a, b) == expected


def test_the_same_queries_without_ranks_are_the_same_queries() -> None:
    a = ranked(1, 2, with_ranks=False)
    found = limited("pages", a, ranked(1, 3, version="2"))
    assert (found.decision, found.a, found.b) == ("not held", 3, 4)


def test_limits_are_on_the_queries_of_both_sides_alone() -> None:
    a = ranked(1, 2, 3, ids=query_ids(3))
    b = ranked(2, 3, 999, ids=query_ids(3, first=1), version="2")
    found = limited("pages", a, b)
    assert (found.decision, found.a, found.b) == ("held", 5, 5)
    assert decided("not_found changed", a, b) == "held"


@pytest.mark.parametrize(
    ("b", "why"),
    [
        ({"recorded": False}, "not comparable: B has no record: no number of it exists"),
        ({"ids": query_ids(2, first=2)}, "not comparable: no query stands on both sides"),
        (
            {"baseline": "helper", "primary_policy": "baseline"},
            "not comparable: another baseline: 'baseline' in A orders otherwise than 'helper' in B",
        ),
    ],
)
def test_where_nothing_is_comparable_nothing_is_decided(b: dict[str, Any], why: str) -> None:
    assert undecided("pages", ranked(1, 2), ranked(1, 2, version="2", **b)) == why


def test_a_mean_over_some_of_the_queries_decides_nothing() -> None:
    a, b = ranked(1, 9), ranked(1, None)
    said = "the mean is over the queries found, and not all are"
    assert undecided("mean_rank", a, b) == said
    assert undecided("mean_rank changed", b, a) == said


@pytest.mark.parametrize("metric", ["median_rank", "p95_rank"])
def test_a_percentile_that_is_no_longer_found_is_worse_and_a_found_one_better(metric: str) -> None:
    a, b = ranked(1, 1), ranked(None, None)
    lost = check(parse(f"{metric} by more than 99 %"), compare(a, b))
    assert (lost.decision, lost.a, lost.b) == ("not held", 1.0, None)
    assert diffwords.limit(lost).endswith(": not held, 1 → not found")
    assert check(parse(metric), compare(b, a)).decision == "held"
    assert check(parse(f"{metric} changed"), compare(b, a)).decision == "not held"
    assert check(parse(f"{metric} changed"), compare(b, b)).decision == "held"


# --- Whatever they are ----------------------------------------------------------------------------


@settings(deadline=None)
@given(sides(), sides(), st.sampled_from(METRICS), st.decimals(0, 50, places=2), st.booleans())
def test_a_limit_is_arithmetic_on_the_figures_of_both(
    a: Side, b: Side, metric: str, number: object, percent: bool
) -> None:
    unit = "%" if percent else ""
    diff = compare(a, b)

    def become(text: str) -> LimitResult:
        return check(parse(text), diff)

    worse, changed = become(metric), become(f"{metric} changed")
    tolerated = become(f"{metric} by more than {number}{unit}")
    if worse.a is None or worse.b is None:
        assert len({one.decision for one in (worse, tolerated)}) == 1
        if metric not in ("median_rank", "p95_rank") or worse.decision == "not decided":
            assert worse.decision == changed.decision == "not decided"
            return
        # Not found stands behind every rank.
        assert (worse.decision == "not held") == (worse.b is None and worse.a is not None)
        assert (changed.decision == "not held") == ((worse.a is None) != (worse.b is None))
        return
    ours, theirs = Fraction(repr(worse.a)), Fraction(repr(worse.b))
    by = ours - theirs if metric in HIGHER_IS_BETTER else theirs - ours
    assert worse.decision == ("not held" if by > 0 else "held")
    assert changed.decision == ("not held" if by else "held")
    if percent and not ours and by > 0:
        assert tolerated.decision == "not decided"
    else:
        most = Fraction(str(number)) * (ours / 100 if percent else 1)
        assert tolerated.decision == ("not held" if by > most else "held")


@settings(deadline=None)
@given(sides(), st.sampled_from(METRICS))
def test_a_side_against_itself_keeps_every_limit_that_can_be_decided(
    made: Side, metric: str
) -> None:
    for limit in (metric, f"{metric} changed", f"{metric} changed by more than 0 %"):
        assert decided(limit, made, made) in ("held", "not decided")


# --- As people run them ---------------------------------------------------------------------------

FEWER, MORE = "searches", "pages"
"""In `pair`, B takes 37.5 % fewer searches than A, and 8.3 % more pages."""


@pytest.mark.parametrize(
    ("limits", "status", "decisions"),
    [
        ([FEWER], 0, ["held"]),
        ([MORE], 1, ["not held"]),
        (["pages worse by more than 8.3 %"], 1, ["not held"]),
        (["pages worse by more than 8.4 %", "pages by more than 1"], 0, ["held", "held"]),
        (["searches changed"], 1, ["not held"]),
        (["pages of late"], 2, ["not decided"]),
        (["pages at 10", FEWER], 2, ["not decided", "held"]),
        (["pages at 10", MORE, FEWER], 1, ["not decided", "not held", "held"]),
    ],
)
def test_the_exit_status_is_that_of_the_worst_limit(
    pair: TinyProject, limits: list[str], status: int, decisions: list[str]
) -> None:
    asked = [word for limit in limits for word in ("--fail-on", limit)]
    done = pair.run("diff", "tiny@1", "tiny@2", *asked)
    assert done.status == status, done.err
    assert done.err == ""
    shown = done.out[done.out.index("\nLimits\n") :].splitlines()[3:]
    # The documents differ, which a limit can't tell from the policy: it is said behind them.
    assert shown.pop().startswith("The documents are not the same, so every change is also one")
    for line, limit, decision in zip(shown, limits, decisions, strict=True):
        assert line.startswith(f"  {limit}: {decision}")
    made = json.loads(pair.run("diff", "tiny@1", "tiny@2", *asked, "--format", "json").out)
    assert [one["decision"] for one in made["limits"]] == decisions


def test_a_limit_that_is_wrong_is_refused_before_anything_is_read(pair: TinyProject) -> None:
    done = pair.run("diff", "none@1", "none@2", "--fail-on", "pages", "--fail-on", "cost")
    assert (done.status, done.stdout) == (2, b"")
    assert done.err.startswith("error: --fail-on 'cost': 'cost' is no metric; known: ")


def test_limits_are_held_even_where_nothing_differs(pair: TinyProject) -> None:
    done = pair.run("diff", "tiny@1", "tiny@1", "--fail-on", "pages changed")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("No difference: ")
    assert done.out.endswith("  pages changed: held, 12 → 12\n")


# --- Searches that were not given -----------------------------------------------------------------


@pytest.mark.parametrize(("ours", "theirs"), [(None, 2), (2, None), (None, None)])
@pytest.mark.parametrize(
    "limit",
    ["searches", "searches changed", "searches by more than 5 %", "searches of helper at 1"],
)
def test_searches_that_a_side_did_not_give_decide_nothing(
    limit: str, ours: int | None, theirs: int | None
) -> None:
    a, b = (
        run_side(
            {"baseline": [9, 9], "helper": [1, rank]},
            {"baseline": 1, "helper": stated},
            version=name,
        )
        for name, rank, stated in (("1", 3, ours), ("2", 9, theirs))
    )
    found = limited(limit, a, b)
    assert (found.decision, found.a, found.b) == ("not decided", None, None)
    assert found.why == "a side did not give its searches"
    assert "not decided: a side did not give its searches" in diffwords.limit(found)
    assert decided("pages", a, b) == "not held"
    assert decided("pages", b, a) == "held"
    assert decided("searches of baseline", a, b) == "held"
