"""What changed between two plans, field by field, caveats included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from pagecost.model import Plan

_IDENTITY = ("schema", "status", "experiment", "version")
"""What names a version rather than describes it."""

_KEYS = ("name", "repository", "path")
"""What names an element of a list, so that elements are compared with their like."""


class FieldChange(msgspec.Struct, frozen=True):
    """One field that differs. `a` and `b` are its values as JSON has them; None where absent."""

    path: str
    change: Literal["changed", "only in A", "only in B"]
    a: Any = None
    b: Any = None


def plan_changes(a: Plan, b: Plan) -> list[FieldChange]:
    """Every difference, in the order of the plan's fields. Empty where they say the same."""
    ours, theirs = (_said(msgspec.to_builtins(plan)) for plan in (a, b))
    return [
        change
        for field in Plan.__struct_fields__
        if field not in _IDENTITY
        for change in _compare(field, ours.get(field), theirs.get(field))
    ]


def _said(value: Any) -> Any:
    """The value without the fields that a plan leaves out."""
    if isinstance(value, dict):
        return {key: _said(one) for key, one in value.items() if one is not None}
    return [_said(one) for one in value] if isinstance(value, list) else value


def _compare(path: str, a: Any, b: Any) -> Iterator[FieldChange]:
    if a == b:
        return
    if all(one is None or isinstance(one, dict) for one in (a, b)):
        ours, theirs = a or {}, b or {}
        for key in dict.fromkeys((*ours, *theirs)):
            yield from _compare(f"{path}.{key}", ours.get(key), theirs.get(key))
    elif isinstance(a, list) and isinstance(b, list):
        yield from _compare_lists(path, a, b)
    elif a is None or b is None:
        yield FieldChange(path, "only in B" if a is None else "only in A", a=a, b=b)
    else:
        yield FieldChange(path, "changed", a=a, b=b)


def _compare_named(path: str, a: dict[str, Any], b: dict[str, Any]) -> Iterator[FieldChange]:
    """Elements of a list by name; one that only one side has is shown whole."""
    for name in dict.fromkeys((*a, *b)):
        if name not in b:
            yield FieldChange(f"{path}.{name}", "only in A", a=a[name])
        elif name not in a:
            yield FieldChange(f"{path}.{name}", "only in B", b=b[name])
        else:
            yield from _compare(f"{path}.{name}", a[name], b[name])


def _compare_lists(path: str, a: list[Any], b: list[Any]) -> Iterator[FieldChange]:
    """By name where elements have one; sentences by themselves; numbers as one value."""
    key = next((key for key in _KEYS if all(_has(one, key) for one in (*a, *b))), None)
    if key is not None:
        named_a, named_b = ({one[key]: one for one in several} for several in (a, b))
        yield from _compare_named(path, named_a, named_b)
        if _kept(named_a, named_b) != _kept(named_b, named_a):
            yield FieldChange(f"{path} (order)", "changed", a=list(named_a), b=list(named_b))
    elif all(isinstance(one, str) for one in (*a, *b)):
        for one in _beyond(a, b):
            yield FieldChange(path, "only in A", a=one)
        for one in _beyond(b, a):
            yield FieldChange(path, "only in B", b=one)
        if sorted(a) == sorted(b) or _kept(a, b) != _kept(b, a):
            yield FieldChange(f"{path} (order)", "changed", a=a, b=b)
    else:
        yield FieldChange(path, "changed", a=a, b=b)


def _kept(ours: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """What is on both sides, in our order."""
    known = set(theirs)
    return [one for one in dict.fromkeys(ours) if one in known]


def _beyond(ours: Iterable[str], theirs: Iterable[str]) -> Iterator[str]:
    """What we have more often than they."""
    left = Counter(theirs)
    for one in ours:
        if left[one] <= 0:
            yield one
        left[one] -= 1


def _has(one: Any, key: str) -> bool:
    return isinstance(one, dict) and isinstance(one.get(key), str)
