"""Gates: how they are written, what is wrong with them in a plan, and what becomes of them."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import gates, jsonio
from pagecost import plan as plans
from pagecost.diff.sides import Side
from pagecost.errors import InputError
from pagecost.gates import METRICS, Condition, Figure, GateResult, Relation, Tolerance, parse
from pagecost.model import Gate
from pagecost.report.words import gate_said
from tests.builders import Json, archives_plan
from tests.diff_builders import run_side, side, sides

RELATIONS: dict[Relation, Callable[[Fraction, Fraction], bool]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "=": operator.eq,
}


def gate(holds: str, name: str = "It holds") -> Json:
    return {"name": name, "holds": holds}


def evaluated(made: Side, *holds: str) -> list[GateResult]:
    """What became of these gates on that side's record."""
    plan = msgspec.structs.replace(
        made.plan, gates=[Gate(name="It holds", holds=one) for one in holds]
    )
    return gates.evaluate(plan, made.results)


def decided(made: Side, holds: str) -> str:
    (found,) = evaluated(made, holds)
    return found.decision


def ranked(helper: Sequence[int | None], baseline: Sequence[int | None], **changes: Any) -> Side:
    """A record of those ranks. Pages of one candidate, so a rank is a number of pages."""
    return side({"baseline": baseline, "helper": helper}, primary_page_size=1, **changes)


# --- The grammar ----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_metric_goes_with_every_relation(metric: str, relation: Relation) -> None:
    condition = parse(f"{metric} {relation} {metric} of baseline")
    assert condition == Condition(Figure(metric), relation, other=Figure(metric, "baseline"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pages", Figure("pages")),
        ("pages of helper", Figure("pages", "helper")),
        ("emitted at 20", Figure("emitted", None, 20)),
        ("searches of late.2 at 10000000", Figure("searches", "late.2", 10_000_000)),
        ("not_found of helper", Figure("not_found", "helper")),
        ("recall@10 of of", Figure("recall@10", "of")),
        ("pages of at at 5", Figure("pages", "at", 5)),
    ],
)
def test_a_figure_names_a_policy_and_a_page_size_or_leaves_them_out(
    text: str, expected: Figure
) -> None:
    assert parse(f"{text} <= 1").figure == expected
    assert parse(f"mrr > {text}").other == expected


@pytest.mark.parametrize(
    ("bound", "number"),
    [("0", 0), ("007", 7), ("1.25", Fraction(5, 4)), ("0.1", Fraction(1, 10)),
     ("999999999999999", 999_999_999_999_999)],
)  # fmt: skip
def test_a_bound_may_be_a_number_read_exactly(bound: str, number: Fraction) -> None:
    condition = parse(f"pages < {bound}")
    assert condition == Condition(Figure("pages"), "<", number=Fraction(number))
    assert isinstance(condition.number, Fraction)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        (" + 10", Tolerance(Fraction(10), False)),
        (" - 10", Tolerance(Fraction(-10), False)),
        (" + 10%", Tolerance(Fraction(10), True)),
        (" + 10 %", Tolerance(Fraction(10), True)),
        (" - 0.5%", Tolerance(Fraction(-1, 2), True)),
        (" -  0.5  % ", Tolerance(Fraction(-1, 2), True)),
        (" + 0", Tolerance(Fraction(0), False)),
    ],
)
@pytest.mark.parametrize("other", ["searches of baseline at 5", "searches of baseline", "searches"])
def test_a_bound_may_be_a_figure_with_something_added_or_taken_off(
    other: str, text: str, expected: Tolerance | None
) -> None:
    condition = parse(f"searches <= {other}{text}")
    assert condition.other == parse(f"{other} > 1").figure
    assert condition.tolerance == expected
    assert condition.number is None


def test_a_percentage_is_of_what_it_is_added_to() -> None:
    assert Tolerance(Fraction(10), True).of(Fraction(50)) == 5
    assert Tolerance(Fraction(-1, 2), True).of(Fraction(50)) == Fraction(-1, 4)
    assert Tolerance(Fraction(10), False).of(Fraction(50)) == 10


NEITHER = "is no metric, and no number like 1000 or 0.5"
KNOWN = (
    "pages, emitted, searches, not_found, recall@1, recall@5, recall@10, mrr, mean_rank, "
    "median_rank, p95_rank"
)
WRONG = {
    "": "it ends where a metric was expected",
    "   ": "it ends where a metric was expected",
    "cost <= 1": f"'cost' is no metric; known: {KNOWN}",
    "Pages <= 1": f"'Pages' is no metric; known: {KNOWN}",
    "recall@3 > 0": f"'recall@3' is no metric; known: {KNOWN}",
    "pages": "it ends where one of <= < >= > = was expected",
    "pages of": "it ends where a policy's name was expected",
    "pages at": "it ends where a page size was expected",
    "pages at 0 <= 1": "'0' stands where a page size was expected",
    "pages at 020 <= 1": "'020' stands where a page size was expected",
    "pages at 2.5 <= 1": "'2.5' stands where a page size was expected",
    "pages at 123456789 <= 1": "'123456789' stands where a page size was expected",
    "pages at <= 1": "'<=' stands where a page size was expected",
    "not_found at 20 <= 1": "not_found has no page size",
    "recall@1 of helper at 20 > 0": "recall@1 has no page size",
    "pages at 5 of helper <= 1": "'of' stands where one of <= < >= > = was expected",
    "pages == 1": "'==' stands where one of <= < >= > = was expected",
    "pages ≤ 1": "'≤' stands where one of <= < >= > = was expected",
    "pages<=1": f"'pages<=1' is no metric; known: {KNOWN}",
    "pages <= ": "it ends where a metric or a number was expected",
    "pages <= -1": f"'-1' {NEITHER}; known: {KNOWN}",
    "pages <= 1e3": f"'1e3' {NEITHER}; known: {KNOWN}",
    "pages <= .5": f"'.5' {NEITHER}; known: {KNOWN}",
    "pages <= 1,000": f"'1,000' {NEITHER}; known: {KNOWN}",
    "pages <= 1234567890123456": f"'1234567890123456' {NEITHER}; known: {KNOWN}",
    "pages <= baseline": f"'baseline' {NEITHER}; known: {KNOWN}",
    "pages <= 5 6": "'6' stands where the end was expected",
    "pages <= 10%": "'%' stands where the end was expected",
    "pages <= 10 %": "'%' stands where the end was expected",
    "pages <= 10 + 5": "'+' stands where the end was expected",
    "pages <= pages of baseline 5": "'5' stands where +, - or the end was expected",
    "pages <= pages of baseline %": "'%' stands where +, - or the end was expected",
    "pages <= pages of baseline * 2": "'*' stands where +, - or the end was expected",
    "pages <= pages +": "it ends where a number was expected",
    "pages <= pages + %": "'%' stands where a number was expected",
    "pages <= pages + -5": "'-5' stands where a number was expected",
    "pages <= pages +5": "'+5' stands where +, - or the end was expected",
    "pages <= pages + 5 + 5": "'+' stands where the end was expected",
    "pages <= pages + 5 % %": "'%' stands where the end was expected",
    "pages <= pages + 5%%": "'5%' stands where a number was expected",
    "pages <= pages + searches": "'searches' stands where a number was expected",
    "pages <= pages and mrr > 0": "'and' stands where +, - or the end was expected",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_word_is_named_with_what_was_expected(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert str(error.value) == WRONG[text]


spaces = st.sampled_from((" ", "  ", "\t"))
numbers = st.from_regex(r"[0-9]{1,15}(\.[0-9]{1,15})?", fullmatch=True)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)


@st.composite
def figures(draw: st.DrawFn) -> tuple[list[str], Figure]:
    """A figure's words, and what they mean."""
    metric = draw(st.sampled_from(METRICS))
    policy = draw(st.none() | names)
    size = draw(st.none() | st.integers(1, 10_000_000)) if metric in gates.COSTS else None
    words = [metric, *(["of", policy] if policy else []), *(["at", str(size)] if size else [])]
    return words, Figure(metric, policy, size)


@given(figures(), figures(), st.sampled_from(list(RELATIONS)), numbers, st.data())
def test_what_is_written_is_what_is_read_however_it_is_spaced(
    figure: tuple[list[str], Figure],
    other: tuple[list[str], Figure],
    relation: Any,
    number: str,
    data: st.DataObject,
) -> None:
    words = [*figure[0], relation]
    sign = data.draw(st.sampled_from(("alone", "none", "+", "-")))
    if sign == "alone":
        words.append(number)
        expected = Condition(figure[1], relation, number=Fraction(number))
    else:
        words += other[0]
        tolerance = None
        if sign != "none":
            percent = data.draw(st.sampled_from(("", "%", " %")))
            words += [sign, number + percent]
            amount = Fraction(number) if sign == "+" else -Fraction(number)
            tolerance = Tolerance(amount, bool(percent))
        expected = Condition(figure[1], relation, other=other[1], tolerance=tolerance)
    assert parse(data.draw(spaces).join(words)) == expected


parts = st.sampled_from(
    (*METRICS, *RELATIONS, "of", "at", "helper", "+", "-", "%", "5", "0.1", "5%", "%%", "é", " ")
)


@given(st.lists(parts, max_size=12).map(" ".join) | st.text(max_size=20))
def test_any_text_is_a_condition_or_is_refused(text: str) -> None:
    try:
        assert isinstance(parse(text), Condition)
    except InputError as error:
        assert re.search("expected|is no metric|has no page size", str(error))


# --- In a plan ------------------------------------------------------------------------------------


def refusal(*asked: Json) -> list[str]:
    """What is said of a plan with those gates, a line each."""
    with pytest.raises(InputError) as error:
        plans.parse(jsonio.canonical(archives_plan(pinned=False, gates=list(asked))), "plan.json")
    return str(error.value).split("\n")


def test_a_plan_without_gates_has_none() -> None:
    made = archives_plan(pinned=False)
    assert "gates" not in made
    assert plans.parse(jsonio.canonical(made), "plan.json").gates == []


def test_a_plan_keeps_its_gates_as_they_are_written() -> None:
    asked = [gate("pages  <= pages of baseline +  10%", "One"), gate("mrr > 0", "Two")]
    made = archives_plan(pinned=False, gates=asked)
    found = plans.parse(jsonio.canonical(made), "plan.json")
    assert msgspec.to_builtins(found.gates) == asked


def test_every_gate_that_is_wrong_is_named_by_its_path() -> None:
    found = refusal(
        gate("pages <= 1", "One"),
        gate("pages", "Two"),
        gate("pages of none at 3 <= pages of nobody at 4", "Three"),
        gate("mrr > 0", "One"),
        gate("cost > 0", "One"),
    )
    assert found == [
        "plan.json: $.gates[1].holds: 'pages': it ends where one of <= < >= > = was expected",
        "plan.json: $.gates[2].holds: no policy is named 'none'; known: baseline, helper",
        "plan.json: $.gates[2].holds: 3 is not one of the page sizes 1, 2, 5",
        "plan.json: $.gates[2].holds: no policy is named 'nobody'; known: baseline, helper",
        "plan.json: $.gates[2].holds: 4 is not one of the page sizes 1, 2, 5",
        "plan.json: $.gates[3].name: 'One' stands twice",
        "plan.json: $.gates[4].name: 'One' stands twice",
        f"plan.json: $.gates[4].holds: 'cost > 0': 'cost' is no metric; known: {KNOWN}",
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"name": "One"}, "$.gates[0]: Object missing required field `holds`"),
        ({"holds": "mrr > 0"}, "$.gates[0]: Object missing required field `name`"),
        (gate("mrr > 0", ""), "$.gates[0].name: Expected `str` matching regex"),
        (gate("mrr > 0", "One\nTwo"), "$.gates[0].name: Expected `str` matching regex"),
        (gate("mrr\n> 0"), "$.gates[0].holds: Expected `str` matching regex"),
        (gate("mrr > 0" + " " * 300), "$.gates[0].holds: Expected `str` of length <= 300"),
        (gate("mrr > 0") | {"severity": 1}, "$.gates[0]: Object contains unknown field `severity`"),
        ("mrr > 0", "$.gates[0]: Expected `object`, got `str`"),
    ],
)
def test_a_gate_is_a_name_and_a_condition_and_nothing_else(asked: Any, expected: str) -> None:
    (found,) = refusal(asked)
    assert found.startswith(f"plan.json: {expected}")


def test_a_plan_has_fifty_gates_at_most() -> None:
    many = [gate("mrr > 0", f"Gate {number}") for number in range(51)]
    plans.parse(jsonio.canonical(archives_plan(pinned=False, gates=many[:50])), "plan.json")
    assert refusal(*many) == ["plan.json: $.gates: Expected `array` of length <= 50"]


# --- Held, not held, not decided ------------------------------------------------------------------


def test_what_is_left_out_is_the_primary_policy_and_the_primary_page_size() -> None:
    made = side({"baseline": [1, 4, 9], "helper": [2, 3, 4]}, page_sizes=[1, 2, 5])
    short, long = evaluated(made, "pages <= searches", "pages of helper at 2 <= searches at 2")
    assert (short.found, short.bound) == (long.found, long.bound) == (1 + 2 + 2, 2 * 5)
    other = msgspec.structs.replace(made.plan, primary_policy="baseline", primary_page_size=5)
    (found,) = evaluated(msgspec.structs.replace(made, plan=other), "pages <= emitted of helper")
    assert (found.found, found.bound) == (1 + 1 + 2, 15)


def test_every_metric_is_the_figure_of_the_record() -> None:
    made = ranked([1, 3, 7, None], [2, 2, 2, 2], depth=20)
    expected: dict[str, float] = {
        "pages": 1 + 3 + 7 + 20,
        "emitted at 5": 5 + 5 + 10 + 20,
        "searches at 5": 2 * (1 + 1 + 2 + 4),
        "searches of baseline at 5": 4,
        "not_found": 1,
        "recall@1": 0.25,
        "recall@5": 0.5,
        "recall@10": 0.75,
        "mrr": (1 + 1 / 3 + 1 / 7) / 4,
        "median_rank": 3,
        "mean_rank of baseline": 2,
    }
    found = evaluated(made, *(f"{figure} > 0" for figure in expected))
    assert [one.found for one in found] == [pytest.approx(one) for one in expected.values()]
    assert {one.decision for one in found} == {"held"}


def test_figures_are_over_all_queries() -> None:
    made = ranked([1, 2], [9, 9])
    assert made.results is not None
    (found,) = evaluated(made, "pages = 3")
    assert (found.decision, found.found, found.bound) == ("held", 3.0, 3.0)


def test_gates_come_back_in_their_order_with_their_numbers() -> None:
    made = ranked([2, 2], [1, 1])
    held, not_held = evaluated(made, "pages <= 4", "pages <= pages of baseline + 50%")
    assert held == GateResult("It holds", "pages <= 4", "held", 4.0, "<=", 4.0, None)
    assert not_held == GateResult(
        "It holds", "pages <= pages of baseline + 50%", "not held", 4.0, "<=", 3.0, None
    )
    assert gate_said(held) == "4 ≤ 4"
    assert gate_said(not_held) == "4, not ≤ 3"


def test_without_a_record_nothing_is_decided() -> None:
    made = side({"baseline": [1], "helper": [1]}, recorded=False)
    (found,) = evaluated(made, "pages <= 4")
    assert (found.decision, found.found, found.bound) == ("not decided", None, None)
    assert gate_said(found) == found.why == "there is no record"


@pytest.mark.parametrize(
    ("helper", "metric", "is_decided"),
    [
        ([None, None, 1], "median_rank", False),
        ([None, 2, 1], "median_rank", True),
        ([None, 2, 1], "p95_rank", False),
        ([3, 2, 1], "p95_rank", True),
        ([None, None, None], "mrr", True),
        ([None, None, None], "recall@1", True),
    ],
)
def test_a_rank_that_nothing_has_decides_nothing(
    helper: list[int | None], metric: str, is_decided: bool
) -> None:
    left, right = evaluated(
        ranked(helper, [1, 1, 1]), f"{metric} >= 0", f"pages of baseline >= {metric} - 100"
    )
    if is_decided:
        assert (left.decision, right.decision) == ("held", "held")
        return
    assert (left.decision, left.found, left.bound) == ("not decided", None, 0.0)
    assert (right.decision, right.found, right.bound) == ("not decided", 3.0, None)
    for one in (left, right):
        assert gate_said(one) == one.why == "too little was found, so there is no such rank"


@pytest.mark.parametrize("holds", ["mean_rank <= 9", "mean_rank of baseline <= mean_rank"])
def test_a_mean_over_some_of_the_queries_decides_nothing(holds: str) -> None:
    # Losing the deepest target would lower it.
    (found,) = evaluated(ranked([1, 1, None], [1, 1, 9]), holds)
    assert (found.decision, found.found) == ("not decided", None)
    assert gate_said(found) == "the mean is over the queries found, and not all are"


@pytest.mark.parametrize(
    ("missing", "holds", "decision"),
    [
        (1, "not_found <= not_found of baseline + 10 %", "not decided"),
        (1, "not_found <= not_found of baseline + 1", "held"),
        (1, "not_found <= not_found of baseline", "not held"),
        (1, "not_found of baseline >= not_found - 100 %", "held"),
        (0, "not_found <= not_found of baseline + 10 %", "held"),
        (0, "not_found < not_found of baseline + 10 %", "not decided"),
        (0, "not_found < not_found of baseline", "not held"),
    ],
)
def test_zero_has_no_percentage_that_could_decide(missing: int, holds: str, decision: str) -> None:
    helper = [None] * missing + [1] * (2 - missing)
    (found,) = evaluated(ranked(helper, [1, 1]), holds)
    assert found.decision == decision
    if decision == "not decided":
        assert found.why == "the figure is zero, which has no percentage"
        assert gate_said(found).endswith("0 (the figure is zero, which has no percentage)")


def test_a_relation_that_does_not_hold_says_its_numbers() -> None:
    made = ranked([12_574], [1], depth=20_000)
    (found,) = evaluated(made, "pages <= pages of baseline + 10436.8")
    assert gate_said(found) == "12,574, not ≤ 10,437.8"
    (found,) = evaluated(made, "pages < 12574")
    assert gate_said(found) == "12,574, not < 12,574"


# --- Exactly --------------------------------------------------------------------------------------


def test_a_recall_less_a_hundredth_is_the_recall_a_hundredth_below() -> None:
    # As floats, some of these fail, and others hold that should not.
    floats = [k / 100 >= (k + 1) / 100 - 0.01 for k in range(100)]
    assert not all(floats)
    for k in range(100):
        ours, theirs = ([1] * n + [50] * (100 - n) for n in (k, k + 1))
        made = ranked(ours, theirs)
        assert decided(made, "recall@1 >= recall@1 of baseline - 0.01") == "held"
        assert decided(made, "recall@1 = recall@1 of baseline - 0.01") == "held"
        assert decided(made, "recall@1 > recall@1 of baseline - 0.01") == "not held"
        assert decided(made, f"recall@1 = {k / 100}") == "held"


def test_recall_085_less_001_is_084() -> None:
    made = ranked([1] * 84 + [50] * 16, [1] * 85 + [50] * 15)
    (found,) = evaluated(made, "recall@1 >= recall@1 of baseline - 0.01")
    assert (found.decision, found.found, found.bound) == ("held", 0.84, 0.84)


@pytest.mark.parametrize(
    ("base", "ours", "percent"),
    [(100, 110, "10"), (30, 33, "10"), (70, 77, "10"), (700, 707, "1"), (1000, 1001, "0.1")],
)
def test_a_count_on_the_bound_of_a_percentage_is_on_it(base: int, ours: int, percent: str) -> None:
    made = ranked([ours], [base], depth=2000)
    found = evaluated(made, *(f"pages {one} pages of baseline + {percent} %" for one in RELATIONS))
    assert [one.decision for one in found] == ["held", "not held", "held", "not held", "held"]
    assert {one.bound for one in found} == {float(ours)}


def test_a_count_a_hair_above_the_bound_is_above_it() -> None:
    made = ranked([4], [3])
    assert decided(made, "pages <= pages of baseline + 33.333333333333333 %") == "not held"
    assert decided(made, "pages <= pages of baseline + 33.333333333333334 %") == "held"


def test_floats_would_get_a_percentage_wrong() -> None:
    assert 110 < 100 * 1.1  # so the test above says something
    assert decided(ranked([110], [100], depth=200), "pages >= pages of baseline + 10 %") == "held"


@settings(deadline=None)
@given(sides(), st.sampled_from(METRICS), st.sampled_from(METRICS), numbers, st.booleans())
def test_a_gate_is_arithmetic_on_the_numbers_of_the_record(
    made: Side, metric: str, other: str, number: str, percent: bool
) -> None:
    def figure(name: str, policy: str) -> Fraction | None:
        """As `results.json` has it: the number as it is written there."""
        written = jsonio.canonical(made.results).decode()
        result = msgspec.json.decode(written)["groups"][0]["policies"]
        (row,) = [one for one in result if one["policy"] == policy]
        at = {cost["page_size"]: cost for cost in row["costs"]}[made.plan.primary_page_size]
        quality = {key.replace("_at_", "@"): value for key, value in row["quality"].items()}
        found = {**row, **at, **quality}[name]
        return None if found is None else Fraction(str(found))

    found, base = figure(metric, "helper"), figure(other, "baseline")
    for name, policy in ((metric, "helper"), (other, "baseline")):
        if name == "mean_rank" and figure("not_found", policy):
            found = None
    amount = Fraction(number)
    unit = "%" if percent else ""
    held = set()
    for relation, holds in RELATIONS.items():
        (one,) = evaluated(made, f"{metric} {relation} {other} of baseline - {number}{unit}")
        if found is None or base is None:
            assert one.decision == "not decided"
            continue
        bound = base - (base * amount / 100 if percent else amount)
        if one.decision == "not decided":
            assert percent
            assert base == 0
            assert not holds(found, bound)
            continue
        assert one.decision == ("held" if holds(found, bound) else "not held")
        held |= {relation} if one.decision == "held" else set()
    if found is not None and base:
        assert len(held & {"<", "=", ">"}) == 1
        assert ("<=" in held) == bool(held & {"<", "="})
        assert (">=" in held) == bool(held & {">", "="})


# --- Searches that were not given -----------------------------------------------------------------

NOT_GIVEN = "the searches of a run were not given"


@pytest.mark.parametrize(
    ("holds", "ours", "base", "decision"),
    [
        ("searches <= 100", None, 1, "not decided"),
        ("searches <= 100", 3, None, "held"),
        ("searches <= 100", 300, None, "not held"),
        ("searches of baseline <= 100", 3, None, "not decided"),
        ("searches of baseline at 1 <= 100", 3, None, "not decided"),
        ("searches <= searches of baseline", 3, None, "not decided"),
        ("searches <= searches of baseline + 10 %", None, 3, "not decided"),
        ("pages <= searches of baseline", 3, None, "not decided"),
        ("searches of baseline = pages", 3, None, "not decided"),
        ("searches >= 0", None, None, "not decided"),
        ("pages <= pages of baseline", None, None, "held"),
        ("emitted > emitted of baseline", None, None, "not held"),
        ("mrr >= mrr of baseline", None, None, "held"),
    ],
)
def test_searches_that_were_not_given_decide_no_gate_and_all_else_is_decided(
    holds: str, ours: int | None, base: int | None, decision: str
) -> None:
    made = run_side({"baseline": [9, 9], "helper": [1, 9]}, {"baseline": base, "helper": ours})
    (found,) = evaluated(made, holds)
    assert found.decision == decision
    if decision == "not decided":
        assert (found.found, found.bound, found.why) == (None, None, NOT_GIVEN)
        assert NOT_GIVEN in gate_said(found)
    else:
        assert found.why is None
