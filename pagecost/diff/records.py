"""What a comparison holds: plain frozen records, in the order in which every format shows them."""

from __future__ import annotations

import msgspec

from pagecost.diff.plans import FieldChange
from pagecost.gates import GateResult
from pagecost.model import Quality


class SideName(msgspec.Struct, frozen=True):
    """How a side was named, and what it is. `state` is draft, frozen or recorded.

    Its caveat and what became of its gates go wherever its figures go.
    """

    given: str
    experiment: str
    version: str
    kind: str
    state: str
    date: str
    plan_sha256: str
    caveat: str
    gates: list[GateResult]


class Overlap(msgspec.Struct, frozen=True):
    """How many ids are on both sides, only in A (dropped), only in B (added)."""

    same: int
    only_in_a: int
    only_in_b: int

    @property
    def is_same(self) -> bool:
        """Do both sides hold the same ids?"""
        return not (self.only_in_a or self.only_in_b)


class Count(msgspec.Struct, frozen=True):
    """One count on both sides. `change` is B less A; `percent` is of A, None where A is zero.

    A side that did not give it is None, and so is the change.
    """

    a: int | None
    b: int | None
    change: int | None
    percent: float | None

    @classmethod
    def of(cls, a: int | None, b: int | None) -> Count:
        """What two counts make."""
        if a is None or b is None:
            return cls(a, b, None, None)
        return cls(a, b, b - a, 100 * (b - a) / a if a else None)


class SizeRow(msgspec.Struct, frozen=True):
    """A policy at one page size. Pages and emitted are counted; searches are a proxy, not time."""

    page_size: int
    pages: Count
    emitted: Count
    searches: Count


class Figures(msgspec.Struct, frozen=True):
    """A policy's figures over one set of queries on each side. Lower cost is better."""

    queries: Count
    not_found: Count
    sizes: list[SizeRow]
    quality_a: Quality
    quality_b: Quality

    def at(self, page_size: int) -> SizeRow:
        """The row of that page size; KeyError if only one side has it."""
        for row in self.sizes:
            if row.page_size == page_size:
                return row
        raise KeyError(page_size)


class Mover(msgspec.Struct, frozen=True):
    """A query whose pages changed much. A rank of None is *not found*."""

    query_id: str
    repository: str
    target_path: str
    target_name: str
    rank_a: int | None
    rank_b: int | None
    pages_a: int
    pages_b: int


OUTCOMES = ("win", "tie", "loss")


class Transitions(msgspec.Struct, frozen=True):
    """Matched queries by what they were against A's baseline and are against B's.

    `pages` and `searches` count queries by [A's outcome][B's outcome], each in the order of
    OUTCOMES; None where a side did not give its searches. `fewer`, `as_many` and `more` count them
    by whether B takes fewer pages than A, where found counts as fewer than not found. `missed` are
    the queries that a side did not find.
    """

    page_size: int
    pages: list[list[int]]
    searches: list[list[int]] | None
    fewer: int
    as_many: int
    more: int
    missed: int
    movers: list[Mover]


class PolicyDiff(msgspec.Struct, frozen=True):
    """A policy on both sides, or on the one that has it.

    `same_order` says whether both sides mean the same ranking by it. `everything` is over all
    queries of each side, `matched` over the queries that both have, alone.
    """

    name_a: str | None
    name_b: str | None
    same_order: bool
    everything: Figures | None = None
    matched: Figures | None = None
    transitions: Transitions | None = None

    @property
    def name(self) -> str:
        """Its name; both where it was renamed."""
        if self.name_a and self.name_b and self.name_a != self.name_b:
            return f"{self.name_a} → {self.name_b}"
        return self.name_a or self.name_b or ""


class Diff(msgspec.Struct, frozen=True):
    """Everything that differs between two sides, in a stable order.

    `not_comparable` says why no figure is compared; empty where figures are. `not_matched` says
    why there are none on the matched queries alone. `same_documents` and `same_queries` say
    whether the pinned sets are equal, None where a side pins none. `headline` holds the primary
    policies of the two against each other, whatever they are called, `baseline` the baselines.
    `same_baseline` says whether these mean one order. `changed_targets` counts matched queries that
    have another target, or another number of relevant documents, in B; None where queries can't be
    matched.
    """

    a: SideName
    b: SideName
    identical: bool
    plan: list[FieldChange]
    same_documents: bool | None
    same_queries: bool | None
    documents: Overlap | None
    queries: Overlap | None
    not_comparable: list[str]
    not_matched: str | None
    page_sizes: list[int]
    page_sizes_only_in_a: list[int]
    page_sizes_only_in_b: list[int]
    same_baseline: bool
    changed_targets: int | None
    baseline: PolicyDiff | None
    primary_page_size: int | None
    headline: PolicyDiff | None
    policies: list[PolicyDiff]

    @property
    def has_same_queries(self) -> bool:
        """Do both sides have the same queries, as far as they say?"""
        return self.queries.is_same if self.queries is not None else bool(self.same_queries)

    def shared(self, policy: PolicyDiff | None) -> Figures | None:
        """A policy's figures over the queries that both have; None where nobody knows."""
        if policy is None or policy.matched is not None:
            return policy.matched if policy else None
        return policy.everything if self.has_same_queries else None

    def policy(self, name: str) -> PolicyDiff:
        """The policy that either side calls so; KeyError if neither does."""
        for policy in self.policies:
            if name in (policy.name_b, policy.name_a):
                return policy
        raise KeyError(name)
