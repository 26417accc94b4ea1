"""What became of the versions of a project since a revision."""

from __future__ import annotations

import msgspec

from pagecost.diff.limits import LimitResult
from pagecost.diff.records import Diff
from pagecost.gates import GateResult


class Changed(msgspec.Struct, frozen=True):
    """A version that differs from what it was, and what became of the limits."""

    diff: Diff
    limits: list[LimitResult]


class Arrival(msgspec.Struct, frozen=True):
    """A version or a record that was not there before.

    `diff` is with the version before it, None for an experiment's first.
    """

    version: str
    kind: str
    headline: str
    caveat: str
    gates: list[GateResult]
    diff: Diff | None
    limits: list[LimitResult]


class Since(msgspec.Struct, frozen=True):
    """Every version that is new, differs, or is gone."""

    revision: str
    changed: list[Changed]
    new: list[Arrival]
    gone: list[str]

    @property
    def limits(self) -> list[LimitResult]:
        """What became of all limits."""
        several = [one.limits for one in self.new] + [one.limits for one in self.changed]
        return [limit for one in several for limit in one]
