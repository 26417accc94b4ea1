"""Gates: conditions on a version's own figures, frozen with its plan, and what became of them.

    gate     = figure relation bound
    figure   = metric ["of" policy] ["at" page-size]
    metric   = pages | emitted | searches | not_found
             | recall@1 | recall@5 | recall@10 | mrr | mean_rank | median_rank | p95_rank
    relation = "<=" | "<" | ">=" | ">" | "="
    bound    = number | figure [("+" | "-") number ["%"]]

Words stand apart by spaces. Left out, the policy is the primary one and the page size the primary
one. Figures are over all queries; a percentage is of the figure that it is added to. Everything is
compared exactly, as fractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

import msgspec

from pagecost.errors import InputError
from pagecost.model import Group, Plan, Quality, Results

Decision = Literal["held", "not held", "not decided"]
Relation = Literal["<=", "<", ">=", ">", "="]

COSTS = ("pages", "emitted", "searches")
"""Metrics that belong to a page size."""

QUALITIES = {
    "recall@1": "recall_at_1",
    "recall@5": "recall_at_5",
    "recall@10": "recall_at_10",
    "mrr": "mrr",
    "mean_rank": "mean_rank",
    "median_rank": "median_rank",
    "p95_rank": "p95_rank",
}
"""Metric → field of the record's quality."""

METRICS = (*COSTS, "not_found", *QUALITIES)
HIGHER_IS_BETTER = ("recall@1", "recall@5", "recall@10", "mrr")
_RELATIONS: tuple[Relation, ...] = ("<=", "<", ">=", ">", "=")
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")
_TOKEN = re.compile(r"(?<=[0-9])%|\S+?(?=%?(?:\s|\Z))")


class Figure(msgspec.Struct, frozen=True):
    """A number of a record. None stands for the primary policy, or page size."""

    metric: str
    policy: str | None = None
    page_size: int | None = None


class Tolerance(msgspec.Struct, frozen=True):
    """What is added to a figure: a number, or per cent of it. Negative where it is taken off."""

    amount: Fraction
    is_percent: bool

    def of(self, value: Fraction) -> Fraction:
        """How much that is."""
        return value * self.amount / 100 if self.is_percent else self.amount


class Condition(msgspec.Struct, frozen=True):
    """A gate, parsed. Its bound is a number, or another figure with a tolerance."""

    figure: Figure
    relation: Relation
    number: Fraction | None = None
    other: Figure | None = None
    tolerance: Tolerance | None = None


class GateResult(msgspec.Struct, frozen=True):
    """What became of a gate: the figure found, the bound it was held against, or why neither is."""

    name: str
    holds: str
    decision: Decision
    found: float | None
    relation: str
    bound: float | None
    why: str | None


# --- Parsing --------------------------------------------------------------------------------------


class Words:
    """The words of a condition, read from left to right."""

    def __init__(self, text: str) -> None:
        self._words = _TOKEN.findall(text)
        self._place = 0

    def peek(self) -> str | None:
        """The next word; None at the end."""
        return self._words[self._place] if self._place < len(self._words) else None

    def take(self, *expected: str) -> bool:
        """Takes these words if they come next."""
        found = self._words[self._place : self._place + len(expected)] == list(expected)
        self._place += len(expected) if found else 0
        return found

    def word(self, expected: str) -> str:
        """Takes the next word, whatever it is. InputError at the end."""
        word = self.peek()
        if word is None:
            raise InputError(f"it ends where {expected} was expected")
        self._place += 1
        return word

    def end(self, expected: str) -> None:
        """InputError unless nothing is left."""
        if (word := self.peek()) is not None:
            raise InputError(f"{word!r} stands where {expected} was expected")

    def figure(self, *, or_number: bool = False) -> Figure:
        """`metric [of policy] [at page-size]`; `or_number` is for messages."""
        metric = self.word("a metric or a number" if or_number else "a metric")
        if metric not in METRICS:
            what = "no metric, and no number like 1000 or 0.5" if or_number else "no metric"
            raise InputError(f"{metric!r} is {what}; known: {', '.join(METRICS)}")
        policy = self.word("a policy's name") if self.take("of") else None
        size = None
        if self.take("at"):
            if metric not in COSTS:
                raise InputError(f"{metric} has no page size")
            size = int(self._match(re.compile(r"[1-9][0-9]{0,7}"), "a page size"))
        return Figure(metric, policy, size)

    def tolerance(self, sign: int = 1) -> Tolerance:
        """`number [%]`."""
        return Tolerance(sign * self.number(), self.take("%"))

    def number(self) -> Fraction:
        """A decimal number, exactly."""
        return Fraction(self._match(_NUMBER, "a number"))

    def _match(self, pattern: re.Pattern[str], expected: str) -> str:
        word = self.word(expected)
        if not pattern.fullmatch(word):
            raise InputError(f"{word!r} stands where {expected} was expected")
        return word


def parse(text: str) -> Condition:
    """The condition in that text. InputError says which word is wrong, and what was expected."""
    words = Words(text)
    figure = words.figure()
    relation = words.word("one of " + " ".join(_RELATIONS))
    known = next((one for one in _RELATIONS if one == relation), None)
    if known is None:
        raise InputError(f"{relation!r} stands where one of {' '.join(_RELATIONS)} was expected")
    if (word := words.peek()) is not None and _NUMBER.fullmatch(word):
        condition = Condition(figure, known, number=words.number())
        words.end("the end")
        return condition
    other, tolerance = words.figure(or_number=True), None
    for sign, mark in ((1, "+"), (-1, "-")):
        if words.take(mark):
            tolerance = words.tolerance(sign)
            break
    words.end("the end" if tolerance else "+, - or the end")
    return Condition(figure, known, other=other, tolerance=tolerance)


def problems(plan: Plan) -> Iterator[str]:
    """What is wrong with a plan's gates, each with its JSON path."""
    names = [policy.name for policy in plan.policies]
    for place, gate in enumerate(plan.gates):
        path = f"$.gates[{place}]"
        if gate.name in (other.name for other in plan.gates[:place]):
            yield f"{path}.name: {gate.name!r} stands twice"
        try:
            condition = parse(gate.holds)
        except InputError as error:
            yield f"{path}.holds: {gate.holds!r}: {error}"
            continue
        for figure in (condition.figure, condition.other):
            if figure is None:
                continue
            if figure.policy is not None and figure.policy not in names:
                known = ", ".join(names)
                yield f"{path}.holds: no policy is named {figure.policy!r}; known: {known}"
            if figure.page_size is not None and figure.page_size not in plan.page_sizes:
                sizes = ", ".join(map(str, plan.page_sizes))
                yield f"{path}.holds: {figure.page_size} is not one of the page sizes {sizes}"


# --- Deciding -------------------------------------------------------------------------------------


def evaluate(plan: Plan, results: Results | None) -> list[GateResult]:
    """Every gate of a plan, held against its record. Without one, none is decided."""
    return [_evaluate(gate.name, gate.holds, plan, results) for gate in plan.gates]


def _evaluate(name: str, holds: str, plan: Plan, results: Results | None) -> GateResult:
    condition = parse(holds)

    def made(
        decision: Decision,
        found: Fraction | None = None,
        bound: Fraction | None = None,
        why: str | None = None,
    ) -> GateResult:
        numbers = [None if one is None else float(one) for one in (found, bound)]
        return GateResult(name, holds, decision, numbers[0], condition.relation, numbers[1], why)

    if results is None:
        return made("not decided", why="there is no record")
    if _is_over_some(condition, plan, results.overall):
        return made("not decided", why="the mean is over the queries found, and not all are")
    figures = (one for one in (condition.figure, condition.other) if one is not None)
    if any(_is_not_given(figure, plan, results.overall) for figure in figures):
        return made("not decided", why="the searches of a run were not given")
    found = _value(condition.figure, plan, results.overall)
    base = condition.number
    if condition.other is not None:
        base = _value(condition.other, plan, results.overall)
    if found is None or base is None:
        return made("not decided", found, base, "too little was found, so there is no such rank")
    if condition.tolerance is None:
        return made(_decided(found, condition.relation, base), found, base)
    if condition.tolerance.is_percent and not base and not _holds(found, condition.relation, base):
        return made("not decided", found, base, "the figure is zero, which has no percentage")
    bound = base + condition.tolerance.of(base)
    return made(_decided(found, condition.relation, bound), found, bound)


def _is_over_some(condition: Condition, plan: Plan, group: Group) -> bool:
    """Would a mean rank be held that leaves out what was not found, and so flatters?"""
    several = (one for one in (condition.figure, condition.other) if one is not None)
    return any(
        one.metric == "mean_rank" and group.policy(one.policy or plan.primary_policy).not_found
        for one in several
    )


def _decided(found: Fraction, relation: Relation, bound: Fraction) -> Decision:
    return "held" if _holds(found, relation, bound) else "not held"


def _holds(found: Fraction, relation: Relation, bound: Fraction) -> bool:
    match relation:
        case "<=":
            return found <= bound
        case "<":
            return found < bound
        case ">=":
            return found >= bound
        case ">":
            return found > bound
        case "=":
            return found == bound


def _is_not_given(figure: Figure, plan: Plan, group: Group) -> bool:
    """Is it a number of searches that no author of a run gave?"""
    if figure.metric != "searches":
        return False
    result = group.policy(figure.policy or plan.primary_policy)
    return result.at(figure.page_size or plan.primary_page_size).searches is None


def _value(figure: Figure, plan: Plan, group: Group) -> Fraction | None:
    result = group.policy(figure.policy or plan.primary_policy)
    if figure.metric == "not_found":
        return Fraction(result.not_found)
    if figure.metric in COSTS:
        cost = result.at(figure.page_size or plan.primary_page_size)
        return Fraction(getattr(cost, figure.metric))
    return quality(figure.metric, result.quality)


def quality(metric: str, found: Quality) -> Fraction | None:
    """A figure of quality, exactly; None where it is a rank that nothing has."""
    value = getattr(found, QUALITIES[metric])
    # The number as it is written in the record: 0.85 less 0.01 is then 0.84.
    return None if value is None else Fraction(repr(value))
