"""Two sides → one Diff: figures on both sides and the change, never across what differs in meaning.

Figures over all queries of each side and figures over the queries that both have stand apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from pagecost import gates
from pagecost.diff.matched import MatchedPolicy, Matching, match, transitions
from pagecost.diff.plans import plan_changes
from pagecost.diff.records import (
    Count,
    Diff,
    Figures,
    Overlap,
    PolicyDiff,
    SideName,
    SizeRow,
    Transitions,
)
from pagecost.diff.sides import Side
from pagecost.model import CorpusPins, Plan, PolicyResult, QueryRow, Ranking, RankTable, Results
from pagecost.policies import identity, resolve


def compare(a: Side, b: Side) -> Diff:
    """The one comparison that every format and every page shows."""
    matching = match(a.table, b.table) if a.table and b.table else None
    both = [size for size in a.plan.page_sizes if size in b.plan.page_sizes]
    policies = _Policies(a, b, both, matching)
    reasons = list(_not_comparable(a, b, policies.same_baseline, matching))
    comparable = not reasons
    return Diff(
        a=_named(a),
        b=_named(b),
        identical=a.plan_sha256 == b.plan_sha256 and a.results == b.results,
        plan=plan_changes(a.plan, b.plan),
        same_documents=_same_pin(a.plan, b.plan, "membership"),
        same_queries=_same_pin(a.plan, b.plan, "query_hash"),
        documents=_overlap(a.documents, b.documents),
        queries=_overlap(_ids(a.table), _ids(b.table)),
        not_comparable=reasons,
        not_matched=_not_matched(a, b) if comparable else None,
        page_sizes=both,
        page_sizes_only_in_a=[size for size in a.plan.page_sizes if size not in both],
        page_sizes_only_in_b=[size for size in b.plan.page_sizes if size not in both],
        changed_targets=_changed_targets(a.table, b.table, matching),
        same_baseline=policies.same_baseline,
        baseline=policies.baseline() if comparable else None,
        primary_page_size=_primary_size(a.plan, b.plan, both),
        headline=policies.headline() if comparable else None,
        policies=list(policies.all()) if comparable else [],
    )


def _named(side: Side) -> SideName:
    plan = side.plan
    state = "recorded" if side.results else "draft" if plan.is_draft else "frozen"
    return SideName(
        given=side.given,
        experiment=plan.experiment,
        version=plan.version,
        kind=plan.kind,
        state=state,
        date=plan.date,
        plan_sha256=side.plan_sha256,
        caveat=plan.caveat,
        gates=gates.evaluate(plan, side.results),
    )


# --- What can be compared -------------------------------------------------------------------------


def _not_comparable(
    a: Side, b: Side, same_baseline: bool, matching: Matching | None
) -> Iterator[str]:
    for name, side in (("A", a), ("B", b)):
        if side.results is None:
            yield f"{name} has no record: no number of it exists"
    for field, ours in msgspec.structs.asdict(a.plan.definitions).items():
        theirs = getattr(b.plan.definitions, field)
        if ours != theirs:
            yield f"another definition of {field}: {ours!r} in A, {theirs!r} in B"
    if not same_baseline:
        yield (
            f"another baseline: {a.plan.baseline!r} in A orders otherwise than "
            f"{b.plan.baseline!r} in B"
        )
    if matching is not None and not matching.a:
        yield "no query stands on both sides"


def _not_matched(a: Side, b: Side) -> str | None:
    for name, side in (("A", a), ("B", b)):
        if side.table is None:
            return f"{name} has no ranks, so its queries can't be matched"
    return None


def _same_pin(a: Plan, b: Plan, field: str) -> bool | None:
    ours, theirs = a.corpus.pins, b.corpus.pins
    if not isinstance(ours, CorpusPins) or not isinstance(theirs, CorpusPins):
        return None
    pinned = getattr(ours, field), getattr(theirs, field)
    # Where only runs are known nobody knows which documents there are, and that is not the same.
    return None if None in pinned else bool(pinned[0] == pinned[1])


def _ids(table: RankTable | None) -> frozenset[str] | None:
    return None if table is None else frozenset(row.query_id for row in table.rows)


def _changed_targets(
    a: RankTable | None, b: RankTable | None, matching: Matching | None
) -> int | None:
    if a is None or b is None or matching is None:
        return None
    pairs = ((a.rows[i], b.rows[j]) for i, j in zip(matching.a, matching.b, strict=True))
    return sum(_answer(ours) != _answer(theirs) for ours, theirs in pairs)


def _answer(row: QueryRow) -> tuple[object, ...]:
    return row.target_path, row.target_name, row.relevant


def _overlap(a: frozenset[str] | None, b: frozenset[str] | None) -> Overlap | None:
    if a is None or b is None:
        return None
    return Overlap(same=len(a & b), only_in_a=len(a - b), only_in_b=len(b - a))


def _primary_size(a: Plan, b: Plan, both: Sequence[int]) -> int | None:
    """B's primary page size, else A's, else the first that both have."""
    wanted = (b.primary_page_size, a.primary_page_size, *both)
    return next((size for size in wanted if size in both), None)


# --- Policies -------------------------------------------------------------------------------------


class _Policies:
    """The policies of two sides that can be compared, over the page sizes that both have."""

    def __init__(self, a: Side, b: Side, sizes: Sequence[int], matching: Matching | None) -> None:
        self._a, self._b, self._sizes, self._matching = a, b, sizes, matching
        self._rankings = (resolve(a.plan.policies), resolve(b.plan.policies))
        self._orders = tuple(
            {name: identity(one) for name, one in rankings.items()} for rankings in self._rankings
        )
        self._one = cache(self._compared)  # the headline's pair stands among the policies too

    @property
    def same_baseline(self) -> bool:
        """Do both baselines mean one order?"""
        ours, theirs = self._orders
        return ours[self._a.plan.baseline] == theirs[self._b.plan.baseline]

    def headline(self) -> PolicyDiff:
        """What either headline is about, whatever it is called."""
        return self._one(self._a.plan.primary_policy, self._b.plan.primary_policy)

    def baseline(self) -> PolicyDiff:
        """The baselines, whatever they are called: they order alike, else nothing is comparable."""
        return self._one(self._a.plan.baseline, self._b.plan.baseline)

    def all(self) -> Iterator[PolicyDiff]:
        """Every policy, by name or by what it means; those of one side too."""
        for name_a, name_b in _pairs(*self._orders):
            if name_a is None or name_b is None:
                yield PolicyDiff(name_a, name_b, same_order=False)
            else:
                yield self._one(name_a, name_b)

    def _compared(self, name_a: str, name_b: str) -> PolicyDiff:
        """One policy of A against one of B."""
        ours, theirs = (
            _overall(side, name) for side, name in ((self._a, name_a), (self._b, name_b))
        )
        matched, moved = self._on_matched(name_a, name_b)
        return PolicyDiff(
            name_a=name_a,
            name_b=name_b,
            same_order=self._orders[0][name_a] == self._orders[1][name_b],
            everything=_figures(ours, theirs, self._sizes),
            matched=matched,
            transitions=moved,
        )

    def _on_matched(self, name_a: str, name_b: str) -> tuple[Figures | None, Transitions | None]:
        a, b, rows = self._a, self._b, self._matching
        if rows is None or a.table is None or b.table is None:
            return None, None
        ours = MatchedPolicy(a.table, self._rankings[0], name_a, a.plan.baseline, rows.a)
        theirs = MatchedPolicy(b.table, self._rankings[1], name_b, b.plan.baseline, rows.b)
        figures = _figures(ours.result(self._sizes), theirs.result(self._sizes), self._sizes)
        size = _primary_size(a.plan, b.plan, self._sizes)
        # The baseline ties with itself on every query.
        if size is None or (name_a, name_b) == (a.plan.baseline, b.plan.baseline):
            return figures, None
        return figures, transitions(ours, theirs, size)


def _pairs(a: dict[str, Ranking], b: dict[str, Ranking]) -> Iterator[tuple[str | None, str | None]]:
    """Policies by name; those left over by what they mean: a new name is no new policy."""
    left = {name: ranking for name, ranking in b.items() if name not in a}
    for name, ranking in a.items():
        if name in b:
            yield name, name
            continue
        renamed = next((other for other, theirs in left.items() if theirs == ranking), None)
        if renamed is not None:
            del left[renamed]
        yield name, renamed
    for name in left:
        yield None, name


def _overall(side: Side, policy: str) -> PolicyResult:
    assert isinstance(side.results, Results)  # else nothing is comparable
    return side.results.overall.policy(policy)


def _figures(a: PolicyResult, b: PolicyResult, sizes: Sequence[int]) -> Figures:
    return Figures(
        queries=Count.of(a.found + a.not_found, b.found + b.not_found),
        not_found=Count.of(a.not_found, b.not_found),
        sizes=[
            SizeRow(
                page_size=size,
                pages=Count.of(a.at(size).pages, b.at(size).pages),
                emitted=Count.of(a.at(size).emitted, b.at(size).emitted),
                searches=Count.of(a.at(size).searches, b.at(size).searches),
            )
            for size in sizes
        ],
        quality_a=a.quality,
        quality_b=b.quality,
    )
