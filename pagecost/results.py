"""Ranks → Results, and Results ↔ `results.json`: canonical bytes, a schema number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pagecost import jsonio
from pagecost.cost import policy_result
from pagecost.errors import InputError
from pagecost.model import CorpusPins, Group, Plan, PolicyDepth, RankColumn, RankTable, Results
from pagecost.policies import resolve, search_tiers


def score(plan: Plan, plan_sha256: str, table: RankTable, ranks_csv: bytes) -> Results:
    """Everything that is counted from the ranks, as the plan asks for it.

    InputError where the table's queries are not the plan's.
    """
    pins = pinned(plan)
    check_queries(table, pins)
    return Results(
        schema=1,
        experiment=plan.experiment,
        version=plan.version,
        plan_sha256=plan_sha256,
        corpus=pins,
        policies=[_depth(column) for column in table.columns],
        baseline=plan.baseline,
        page_sizes=plan.page_sizes,
        groups=list(_groups(plan, table, pins)),
        ranks_sha256=jsonio.sha256(ranks_csv),
    )


def _depth(column: RankColumn) -> PolicyDepth:
    shallowest = None if isinstance(column.depth, int) else int(column.depth.min())
    return PolicyDepth(name=column.policy, depth=column.deepest, shallowest=shallowest)


def pinned(plan: Plan) -> CorpusPins:
    """The plan's corpus pins; InputError for a draft that has none yet."""
    if plan.corpus.pins is None:
        raise InputError(
            f"{plan.key}: $.corpus.pins is missing; `pagecost corpus {plan.key}` prints it"
        )
    return plan.corpus.pins


def check_queries(table: RankTable, pins: CorpusPins) -> None:
    """InputError unless the rows are the pinned queries, all of them, in their strata."""
    if len(table.rows) != pins.queries:
        raise InputError(f"ranks of {len(table.rows)} queries, expected {pins.queries}")
    found = jsonio.ids_hash(row.query_id for row in table.rows)
    if found != pins.query_hash:
        raise InputError(f"the query ids hash to {found}, expected {pins.query_hash}")
    # A collection has neither, and its rows name none.
    by_repository = {row.name: row.queries for row in pins.repositories} or {"": pins.queries}
    for what, field, expected in (
        ("repository", "repository", by_repository),
        ("stratum", "stratum", pins.strata or {"": pins.queries}),
    ):
        counts: dict[str, int] = dict.fromkeys(expected, 0)
        for row in table.rows:
            name = getattr(row, field)
            if name not in counts:
                raise InputError(f"query {row.query_id}: {what} {name!r} is not in the plan")
            counts[name] += 1
        for name, count in counts.items():
            if count != expected[name]:
                raise InputError(
                    f"{what} {name!r}: {count} queries, the plan pins {expected[name]}"
                )


def _groups(plan: Plan, table: RankTable, pins: CorpusPins) -> Iterator[Group]:
    rankings = resolve(plan.policies)
    tiers = {name: search_tiers(ranking) for name, ranking in rankings.items()}
    base = table.column(plan.baseline)

    def group(
        by: Literal["all", "repository", "stratum"], name: str, mask: NDArray[np.bool_]
    ) -> Group:
        return Group(
            by=by,
            name=name,
            queries=int(mask.sum()),
            policies=[
                policy_result(
                    column.of(mask),
                    base.of(mask),
                    tiers[column.policy],
                    tiers[base.policy],
                    plan.page_sizes,
                )
                for column in table.columns
            ],
        )

    yield group("all", "all", np.ones(len(table.rows), dtype=np.bool_))
    repositories = np.array([row.repository for row in table.rows], dtype=object)
    strata = np.array([row.stratum for row in table.rows], dtype=object)
    for row in pins.repositories:
        if row.queries:
            yield group("repository", row.name, repositories == row.name)
    for name, queries in pins.strata.items():
        if queries:
            yield group("stratum", name, strata == name)


def to_json(results: Results) -> bytes:
    """The canonical bytes of `results.json`."""
    return jsonio.canonical(results)


def from_json(data: bytes, where: object) -> Results:
    """The record in those bytes; InputError names the JSON path that is wrong."""
    results = jsonio.decode(data, Results, where)
    if not results.groups or results.groups[0].by != "all":
        raise InputError(f"{where}: $.groups: expected all queries first")
    policies = [policy.name for policy in results.policies]
    for place, group in enumerate(results.groups):
        path = f"{where}: $.groups[{place}].policies"
        if [result.policy for result in group.policies] != policies:
            raise InputError(f"{path}: expected {', '.join(policies)}")
        for number, result in enumerate(group.policies):
            if [cost.page_size for cost in result.costs] != results.page_sizes:
                sizes = ", ".join(map(str, results.page_sizes))
                raise InputError(f"{path}[{number}].costs: expected page sizes {sizes}")
    return results
