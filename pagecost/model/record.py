"""The durable record: ranks of every query, and what was counted from them.

`Results` is also the format of `results.json`. Fields may be added later, always optional; every
schema ever released stays readable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from pagecost.model.base import Strict
from pagecost.model.source import CorpusPins

NOT_FOUND = 0
"""In a rank column: the run was cut before any relevant document. A state, never a number."""

RankArray = NDArray[np.int64]


class QueryRow(msgspec.Struct, frozen=True, gc=False):
    """A query as the record knows it.

    `relevant` counts its relevant documents; the target is the first of them in corpus order, the
    same for all policies, and only names the query. `target_line` is 1-based.
    """

    query_id: str
    repository: str
    stratum: str
    relevant: int
    target_path: str
    target_line: int
    target_name: str


class RankColumn(msgspec.Struct, frozen=True):
    """One policy's ranks, in the order of the query rows.

    `ranks` are 1-based positions of the target, or NOT_FOUND; `depth` is how many candidates the
    policy delivers for a query: one number for all, or one a query where a run decides. `unjudged`
    says by page size how many candidates on the pages read nobody judged, a number a query; it is
    empty where the corpus has no judgments.
    """

    policy: str
    ranks: RankArray
    depth: int | RankArray
    unjudged: Mapping[int, RankArray] = msgspec.field(default_factory=dict)

    @property
    def deepest(self) -> int:
        """The most candidates that it delivers for one query."""
        return int(np.max(self.depth, initial=0))

    def of(self, rows: NDArray[np.bool_] | RankArray) -> RankColumn:
        """The same over some of the queries: by a mask, or by their places."""
        return RankColumn(
            policy=self.policy,
            ranks=self.ranks[rows],
            depth=self.depth if isinstance(self.depth, int) else self.depth[rows],
            unjudged={size: counts[rows] for size, counts in self.unjudged.items()},
        )


class RankTable(msgspec.Struct, frozen=True):
    """Everything that `ranks.csv` holds: a row a query, a column a policy."""

    rows: tuple[QueryRow, ...]
    columns: tuple[RankColumn, ...]

    def column(self, policy: str) -> RankColumn:
        """The column of that policy; KeyError if there is none."""
        for column in self.columns:
            if column.policy == policy:
                return column
        raise KeyError(policy)


class Outcomes(Strict, frozen=True, kw_only=True):
    """On how many queries a policy needs fewer, more, equally many than the baseline.

    Found counts as fewer than not found, and two not found tie, whatever they cost.
    """

    win: int
    loss: int
    tie: int


class PageCost(Strict, frozen=True, kw_only=True, omit_defaults=True):
    """What a policy costs at one page size, summed over a group of queries. Lower is better.

    `pages` and `emitted` candidates are counted; `searches` is a proxy: searches, not time. It is
    None where the author of a run did not give its searches, and what is held against it with it.
    Queries not found cost what was delivered for them. `unjudged` of the emitted candidates were
    judged by nobody; None where the corpus has no judgments.
    """

    page_size: int
    pages: int
    emitted: int
    searches: int | None
    on_pages: Outcomes = msgspec.field(name="pages_against_baseline")
    on_searches: Outcomes | None = msgspec.field(name="searches_against_baseline")
    unjudged: int | None = None


class Quality(Strict, frozen=True, kw_only=True):
    """Rank-derived figures of one policy over a group of queries.

    Recall and MRR are over all queries; one not found adds nothing. `mean_rank` is over the found
    ones alone. A percentile is the nearest rank, the ⌈p·n⌉-th smallest, one not found standing
    behind every rank: null where that is where it falls.
    """

    recall_at_1: float
    recall_at_5: float
    recall_at_10: float
    mrr: float
    mean_rank: float | None
    median_rank: int | None
    p95_rank: int | None


class PolicyResult(Strict, frozen=True, kw_only=True):
    """One policy over one group of queries."""

    policy: str
    found: int
    not_found: int
    quality: Quality
    costs: list[PageCost]

    def at(self, page_size: int) -> PageCost:
        """The cost at that page size; KeyError if it was not scored."""
        for cost in self.costs:
            if cost.page_size == page_size:
                return cost
        raise KeyError(page_size)


class Group(Strict, frozen=True, kw_only=True):
    """A set of queries: all of them, a repository's, or a stratum's."""

    by: Literal["all", "repository", "stratum"]
    name: str
    queries: int
    policies: list[PolicyResult]

    def policy(self, name: str) -> PolicyResult:
        """That policy's result; KeyError if there is none."""
        for result in self.policies:
            if result.policy == name:
                return result
        raise KeyError(name)


class PolicyDepth(Strict, frozen=True, kw_only=True, omit_defaults=True):
    """A policy, and how many candidates it delivers for a query.

    Where a run decides, `depth` is the most, and `shallowest` the fewest.
    """

    name: str
    depth: int
    shallowest: int | None = None


class Results(Strict, frozen=True, kw_only=True):
    """What `results.json` holds: counts and digests, no clock, path or host."""

    schema: Literal[1]
    experiment: str
    version: str
    plan_sha256: str
    corpus: CorpusPins
    policies: list[PolicyDepth]
    baseline: str
    page_sizes: list[int]
    groups: list[Group]
    ranks_sha256: str

    @property
    def overall(self) -> Group:
        """All queries."""
        return self.groups[0]
