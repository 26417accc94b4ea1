"""How much worse B may be than A, and whether it is.

    limit  = figure ["worse" | "changed"] ["by" "more" "than" number ["%"]]
    figure = metric ["of" policy] ["at" page-size]      (as in pagecost.gates)

Left out, the policy is each side's primary one, the page size the primary one, and it is getting
*worse* that fails: an improvement fails only a limit on *changed*. Figures are those of the queries
that both sides have; a percentage is of A's figure.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from pagecost.diff.records import Diff, PolicyDiff
from pagecost.errors import InputError
from pagecost.gates import (
    COSTS,
    HIGHER_IS_BETTER,
    Decision,
    Figure,
    Tolerance,
    Words,
    quality,
)


class Limit(msgspec.Struct, frozen=True):
    """A limit, parsed. `tolerance` is None where any change counts."""

    text: str
    figure: Figure
    both_ways: bool
    tolerance: Tolerance | None


class LimitResult(msgspec.Struct, frozen=True):
    """What became of a limit: both figures and how much worse B is, or why nobody can say."""

    limit: str
    decision: Decision
    a: float | None
    b: float | None
    why: str | None


def parse(text: str) -> Limit:
    """The limit in that text. InputError says which word is wrong, and what was expected."""
    try:
        words = Words(text)
        figure = words.figure()
        changed = words.take("changed")
        if not changed:
            words.take("worse")
        tolerance = None
        if words.take("by", "more", "than"):
            tolerance = words.tolerance()
        words.end("worse, changed, by more than, or the end" if tolerance is None else "the end")
    except InputError as error:
        raise InputError(f"--fail-on {text!r}: {error}") from None
    return Limit(text, figure, changed, tolerance)


def check(limit: Limit, diff: Diff) -> LimitResult:
    """Does B keep within the limit?"""
    try:
        a, b = _values(limit.figure, diff)
    except _UndecidedError as error:
        return LimitResult(limit.text, "not decided", None, None, str(error))
    if a is None or b is None:
        return _with_unfound(limit, a, b)

    def made(decision: Decision, why: str | None = None) -> LimitResult:
        return LimitResult(limit.text, decision, float(a), float(b), why)

    worse = a - b if limit.figure.metric in HIGHER_IS_BETTER else b - a
    if limit.both_ways:
        worse = abs(worse)
    if worse <= 0:
        return made("held")
    if limit.tolerance is None:
        return made("not held")
    if limit.tolerance.is_percent and not a:
        return made("not decided", "A is zero, which has no percentage; give a number")
    return made("held" if worse <= limit.tolerance.of(a) else "not held")


def _with_unfound(limit: Limit, a: Fraction | None, b: Fraction | None) -> LimitResult:
    """A percentile that falls on a query not found stands behind every rank."""
    worse = b is None and a is not None
    if limit.both_ways:
        worse = (a is None) != (b is None)
    before, after = (None if one is None else float(one) for one in (a, b))
    said = " → ".join("not found" if one is None else f"{int(one):,}" for one in (a, b))
    return LimitResult(limit.text, "not held" if worse else "held", before, after, said)


class _UndecidedError(Exception):
    """Why a limit can't be decided."""


def _values(figure: Figure, diff: Diff) -> tuple[Fraction | None, Fraction | None]:
    figures = diff.shared(_policy(figure.policy, diff))
    if figures is None:
        raise _UndecidedError(f"not over the same queries: {diff.not_matched}")
    if figure.metric in COSTS:
        size = figure.page_size or diff.primary_page_size
        if size is None:
            raise _UndecidedError("no page size is on both sides")
        if size not in diff.page_sizes:
            raise _UndecidedError(f"page size {size} is not on both sides")
        count = getattr(figures.at(size), figure.metric)
        if count.a is None or count.b is None:
            raise _UndecidedError("a side did not give its searches")
        return Fraction(count.a), Fraction(count.b)
    if figure.metric == "not_found":
        return Fraction(figures.not_found.a or 0), Fraction(figures.not_found.b or 0)
    if figure.metric == "mean_rank" and (figures.not_found.a or figures.not_found.b):
        raise _UndecidedError("the mean is over the queries found, and not all are")
    a, b = (quality(figure.metric, one) for one in (figures.quality_a, figures.quality_b))
    return a, b


def _policy(name: str | None, diff: Diff) -> PolicyDiff:
    if diff.not_comparable:
        raise _UndecidedError(f"not comparable: {'; '.join(diff.not_comparable)}")
    assert diff.headline is not None
    if name is None:
        return diff.headline
    try:
        policy = diff.policy(name)
    except KeyError:
        known = ", ".join(one.name for one in diff.policies)
        raise _UndecidedError(
            f"no policy is named {name!r} on either side; known: {known}"
        ) from None
    if policy.everything is None:
        raise _UndecidedError(f"{name} is only in {'A' if policy.name_b is None else 'B'}")
    return policy
