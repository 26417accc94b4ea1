"""The record on disk: what is scored, its canonical bytes, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
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
from pagecost.model import (
    SEARCHES_WITH_RUNS,
    TIES_WITH_RUNS,
    Plan,
    PolicyDepth,
    QueryRow,
    RankColumn,
    RankTable,
    Results,
)
from tests.builders import ROOT, Json, archives_corpus, plan_of

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


# --- Records with runs, and collections -----------------------------------------------------------


def collection_plan(ids: list[str], sizes: list[int], searches: int | None) -> Plan:
    """A plan over judgments alone: a run, another whose searches may be stated, and both."""
    pins: Json = {
        "documents": None,
        "queries": len(ids),
        "membership": None,
        "query_hash": ids_hash(ids),
        "repositories": [],
        "strata": {},
        "exclusions": {},
        "judgments": {"judgments": 9, "relevant": 3},
    }
    file = {"path": "qrels", "sha256": "0" * 64}
    runs = [
        {"kind": "run", "file": {"path": f"{name}.run", "sha256": name * 64}, "searches": stated}
        for name, stated in (("a", 3), ("b", searches))
    ]
    document = plan_of(
        {"kind": "trec", "name": "Invented", "qrels": file, "pins": pins},
        "tiny",
        "1",
        policies=[
            {"name": "a", "ranking": runs[0]},
            {"name": "b", "ranking": runs[1]},
            {"name": "both", "ranking": {"kind": "interleave", "first": "a", "second": "b"}},
        ],
        baseline="a",
        primary_policy="both",
        page_sizes=sizes,
        primary_page_size=sizes[0],
    )
    document["definitions"] |= {"ties": TIES_WITH_RUNS, "searches": SEARCHES_WITH_RUNS}
    return plans.parse(json.dumps(document).encode(), "plan.json")


@st.composite
def run_records(draw: st.DrawFn) -> tuple[Plan, RankTable]:
    ids = [f"q{number}" for number in range(draw(st.integers(1, 6)))]
    sizes = sorted(draw(st.sets(st.integers(1, 30), min_size=1, max_size=3)))
    columns = []
    for name in ("a", "b", "both"):
        depths = [draw(st.integers(0, 40)) for _ in ids]
        made = [draw(st.integers(0, depth)) for depth in depths]
        unjudged = {size: np.zeros(len(ids), dtype=np.int64) for size in sizes}
        columns.append(RankColumn(name, np.array(made), np.array(depths), unjudged))
    rows = tuple(QueryRow(one, "", "", 1, "doc", 0, "") for one in ids)
    plan = collection_plan(ids, sizes, draw(st.sampled_from((None, 4))))
    return plan, RankTable(rows, tuple(columns))


@settings(deadline=None, max_examples=100)
@given(run_records())
def test_a_record_of_runs_says_how_deep_they_are_and_is_read_back_as_it_was_written(
    drawn: tuple[Plan, RankTable],
) -> None:
    plan, table = drawn
    ranks_csv = ranks.to_csv(table)
    assert ranks.to_csv(ranks.from_csv(ranks_csv, ranks.layout(plan), "ranks.csv")) == ranks_csv
    made = results.score(plan, "f" * 64, table, ranks_csv)
    data = results.to_json(made)
    assert results.from_json(data, "results.json") == made
    assert results.to_json(results.from_json(data, "results.json")) == data
    assert [(group.by, group.name) for group in made.groups] == [("all", "all")]
    for column, depth in zip(table.columns, made.policies, strict=True):
        depths = np.asarray(column.depth).tolist()
        assert depth == PolicyDepth(name=column.policy, depth=max(depths), shallowest=min(depths))
    known = plan.policy("b").ranking == msgspec.structs.replace(
        plan.policy("b").ranking, searches=4
    )
    for size in plan.page_sizes:
        a, b, both = (made.overall.policy(name).at(size) for name in ("a", "b", "both"))
        assert (a.searches, a.pages) == (3 * a.pages, a.pages)
        assert b.searches == (4 * b.pages if known else None)
        assert both.searches == (7 * both.pages if known else None)
        assert (both.on_searches is None) == (not known)
        assert a.on_searches is not None


def test_where_one_depth_holds_for_all_queries_none_is_called_the_shallowest() -> None:
    table = table_of([("example/alpha", "name-absent", 1, 2)], 5)
    made = results.score(plan_for(table, 5, [1]), "f" * 64, table, b"x")
    assert msgspec.to_builtins(made.policies) == [
        {"name": "baseline", "depth": 5},
        {"name": "helper", "depth": 5},
    ]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("repository", "example/alpha", "repository 'example/alpha' is not in the plan"),
        ("stratum", "name-present", "stratum 'name-present' is not in the plan"),
    ],
)
def test_a_row_of_a_collection_names_no_repository_and_no_stratum(
    field: str, value: str, expected: str
) -> None:
    row = QueryRow("q0", "", "", 1, "doc", 0, "")
    column = RankColumn("a", np.array([1]), np.array([1]), {1: np.array([0])})
    columns = tuple(msgspec.structs.replace(column, policy=name) for name in ("a", "b", "both"))
    plan = collection_plan(["q0"], [1], None)
    results.score(plan, "f" * 64, RankTable((row,), columns), b"")
    wrong = msgspec.structs.replace(row, **{field: value})
    with pytest.raises(InputError, match=f"query q0: {expected}"):
        results.score(plan, "f" * 64, RankTable((wrong,), columns), b"")


def test_a_plan_without_pins_is_not_scored() -> None:
    plan = collection_plan(["q0"], [1], None)
    bare = msgspec.structs.replace(plan, corpus=msgspec.structs.replace(plan.corpus, pins=None))
    for asked in (ranks.layout, results.pinned):
        with pytest.raises(InputError, match=r"tiny@1: \$\.corpus\.pins is missing"):
            asked(bare)


# --- What was recorded before ---------------------------------------------------------------------

COMMITTED = sorted((ROOT / "site").glob("*/*/results.json"))


def test_six_records_stand_here() -> None:
    assert ["@".join(path.parts[-3:-1]) for path in COMMITTED] == [
        "cut-runs@1",
        "cut-runs@2",
        "page-cost@12",
        "page-cost@12.1",
        "python-packages@1",
        "python-packages@2",
    ]


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: "@".join(path.parts[-3:-1]))
def test_every_record_ever_published_is_scored_and_written_again_to_the_byte(path: Path) -> None:
    data, ranks_csv = path.read_bytes(), path.with_name("ranks.csv").read_bytes()
    assert results.to_json(results.from_json(data, path)) == data
    plan, digest = plans.load(path.with_name("plan.json"))
    table = ranks.from_csv(ranks_csv, ranks.layout(plan), "ranks.csv")
    assert ranks.to_csv(table) == ranks_csv
    assert results.to_json(results.score(plan, digest, table, ranks_csv)) == data
