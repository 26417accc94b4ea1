"""The record on disk: what is scored, its canonical bytes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import plan as plans
from pagecost import ranks, results
from pagecost.errors import InputError
from pagecost.jsonio import ids_hash
from pagecost.model import Plan, QueryRow, RankColumn, RankTable, Results
from tests.builders import archives_corpus, plan_of

REPOSITORIES = ("example/alpha", "example/beta", "multiple")
STRATA = ("name-present", "name-absent")


def table_of(rows: list[tuple[str, str, int | None, int | None]], depth: int) -> RankTable:
    """Rows of repository, stratum, and the ranks of two policies."""
    return RankTable(
        rows=tuple(
            QueryRow(f"{number:04d}", repository, stratum, 1, "a.go", 1, "f")
            for number, (repository, stratum, _, _) in enumerate(rows)
        ),
        columns=tuple(
            RankColumn(name, np.array([row[place] or 0 for row in rows], dtype=np.int64), depth)
            for place, name in ((2, "baseline"), (3, "helper"))
        ),
    )


def plan_for(table: RankTable, depth: int, sizes: list[int]) -> Plan:
    """A plan whose pins are that table's."""
    queries = {name: sum(row.repository == name for row in table.rows) for name in REPOSITORIES}
    pins = {
        "documents": depth,
        "queries": len(table.rows),
        "membership": "0" * 64,
        "query_hash": ids_hash(row.query_id for row in table.rows),
        "repositories": [
            {"name": name, "documents": depth if name == REPOSITORIES[0] else 0, "queries": count}
            for name, count in queries.items()
        ],
        "strata": {name: sum(row.stratum == name for row in table.rows) for name in STRATA},
        "exclusions": {},
    }
    document = plan_of(archives_corpus(pins=pins), "tiny", "1")
    document |= {"page_sizes": sizes, "primary_page_size": sizes[0]}
    return plans.parse(json.dumps(document).encode(), "plan.json")


@st.composite
def scored(draw: st.DrawFn) -> tuple[Results, RankTable, Plan]:
    depth = draw(st.integers(1, 60))
    rank = st.one_of(st.none(), st.integers(1, depth))
    row = st.tuples(st.sampled_from(REPOSITORIES), st.sampled_from(STRATA), rank, rank)
    table = table_of(draw(st.lists(row, min_size=1, max_size=25)), depth)
    sizes = draw(st.lists(st.integers(1, 80), min_size=1, max_size=4, unique=True).map(sorted))
    plan = plan_for(table, depth, sizes)
    return results.score(plan, "f" * 64, table, ranks.to_csv(table)), table, plan


@settings(deadline=None, max_examples=100)
@given(scored())
def test_a_record_is_read_back_as_it_was_written(
    drawn: tuple[Results, RankTable, Plan],
) -> None:
    made, _, _ = drawn
    data = results.to_json(made)
    assert results.from_json(data, "results.json") == made
    assert results.to_json(results.from_json(data, "results.json")) == data
    assert b"NaN" not in data


@settings(deadline=None, max_examples=100)
@given(scored())
def test_the_parts_of_a_grouping_add_up_to_the_whole(
    drawn: tuple[Results, RankTable, Plan],
) -> None:
    made, _, plan = drawn
    for by in ("repository", "stratum"):
        parts = [group for group in made.groups if group.by == by]
        assert sum(part.queries for part in parts) == made.overall.queries
        for policy in ("baseline", "helper"):
            own = [part.policy(policy) for part in parts]
            whole = made.overall.policy(policy)
            assert sum(one.not_found for one in own) == whole.not_found
            for size in plan.page_sizes:
                for count in ("pages", "emitted", "searches"):
                    total = sum(getattr(one.at(size), count) for one in own)
                    assert total == getattr(whole.at(size), count)


def test_groups_stand_in_the_plans_order_and_empty_ones_are_left_out() -> None:
    table = table_of([("multiple", "name-absent", 1, 2), ("example/beta", "name-absent", 3, 1)], 5)
    made = results.score(plan_for(table, 5, [1]), "f" * 64, table, b"")
    assert [(group.by, group.name) for group in made.groups] == [
        ("all", "all"),
        ("repository", "example/beta"),
        ("repository", "multiple"),
        ("stratum", "name-absent"),
    ]


def test_a_record_holds_no_clock_path_or_host() -> None:
    table = table_of([("example/alpha", "name-absent", 1, 2)], 5)
    made = results.score(plan_for(table, 5, [1]), "f" * 64, table, b"x")
    assert list(msgspec.to_builtins(made)) == [
        "schema",
        "experiment",
        "version",
        "plan_sha256",
        "corpus",
        "policies",
        "baseline",
        "page_sizes",
        "groups",
        "ranks_sha256",
    ]


def test_ranks_of_other_queries_are_refused() -> None:
    table = table_of([("example/alpha", "name-absent", 1, 2)] * 2, 5)
    plan = plan_for(table, 5, [1])
    fewer = table_of([("example/alpha", "name-absent", 1, 2)], 5)
    with pytest.raises(InputError, match="ranks of 1 queries, expected 2"):
        results.score(plan, "f" * 64, fewer, b"")
    others = RankTable(
        tuple(msgspec.structs.replace(row, query_id=f"x{row.query_id}") for row in table.rows),
        table.columns,
    )
    with pytest.raises(InputError, match="the query ids hash to"):
        results.score(plan, "f" * 64, others, b"")
    moved = table_of([("example/beta", "name-absent", 1, 2)] * 2, 5)
    with pytest.raises(InputError, match="repository 'example/alpha': 0 queries, the plan pins 2"):
        results.score(plan, "f" * 64, moved, b"")
    unknown = table_of([("elsewhere/x", "name-absent", 1, 2)] * 2, 5)
    with pytest.raises(InputError, match="repository 'elsewhere/x' is not in the plan"):
        results.score(plan, "f" * 64, unknown, b"")


def drop_groups(record: dict[str, Any]) -> None:
    record["groups"] = []


def drop_policy(record: dict[str, Any]) -> None:
    del record["groups"][0]["policies"][0]


def drop_size(record: dict[str, Any]) -> None:
    del record["groups"][0]["policies"][1]["costs"][0]


def float_count(record: dict[str, Any]) -> None:
    record["groups"][0]["policies"][0]["costs"][0]["pages"] = 1.5


def next_schema(record: dict[str, Any]) -> None:
    record["schema"] = 2


def more(record: dict[str, Any]) -> None:
    record["speed"] = "fast"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (drop_groups, "$.groups: expected all queries first"),
        (drop_policy, "$.groups[0].policies: expected baseline, helper"),
        (drop_size, "$.groups[0].policies[1].costs: expected page sizes 1, 5"),
        (float_count, "$.groups[0].policies[0].costs[0].pages: Expected `int`, got `float`"),
        (next_schema, "$.schema: Invalid enum value 2"),
        (more, "$: Object contains unknown field `speed`"),
    ],
)
def test_a_record_that_is_not_whole_is_refused_by_its_path(
    change: Callable[[dict[str, Any]], None], expected: str
) -> None:
    table = table_of([("example/alpha", "name-absent", 1, 2)], 5)
    made = results.score(plan_for(table, 5, [1, 5]), "f" * 64, table, b"")
    record = json.loads(results.to_json(made))
    change(record)
    with pytest.raises(InputError) as error:
        results.from_json(json.dumps(record).encode(), "results.json")
    assert str(error.value).startswith(f"results.json: {expected}")


@pytest.mark.parametrize("cut", [1, 10, 1000])
def test_a_record_cut_short_is_refused(cut: int) -> None:
    table = table_of([("example/alpha", "name-absent", 1, 2)], 5)
    data = results.to_json(results.score(plan_for(table, 5, [1]), "f" * 64, table, b""))
    with pytest.raises(InputError, match=r"results\.json: line \d+, column \d+: not JSON"):
        results.from_json(data[: -cut - 1], "results.json")
