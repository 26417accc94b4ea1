"""Invented sides of a comparison, from ranks written by hand; and a project of two versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from pagecost import files, jsonio, ranks, results
from pagecost import plan as plans
from pagecost.diff.sides import Side
from pagecost.model import (
    NOT_FOUND,
    SEARCHES_WITH_RUNS,
    TIES_WITH_RUNS,
    Plan,
    QueryRow,
    RankColumn,
    RankTable,
)
from tests.builders import (
    ALPHA,
    BETA,
    POLICIES,
    Json,
    TinyProject,
    archives_corpus,
    archives_plan,
    make_project,
    plan_of,
    projection_of,
    stock,
)

Ranks = Mapping[str, Sequence[int | None]]
"""By policy, a rank a query; None is not found."""

LATE: Json = {
    "name": "late",
    "ranking": {"kind": "deferred", "first": "baseline", "second": "helper", "after": 3},
}
THREE: list[Json] = [*POLICIES, LATE]
"""A baseline of one search a page, a helper of two, and one of one up to candidate 3."""


def query_ids(count: int, first: int = 0) -> list[str]:
    """Ids as they are: 64 hex digits, ascending."""
    return [f"{number:064x}" for number in range(first, first + count)]


def document_ids(count: int, first: int = 0) -> list[str]:
    """Ids of documents, ascending."""
    return [f"d{number:063x}" for number in range(first, first + count)]


def rank_table(columns: Ranks, ids: Sequence[str], depth: int) -> RankTable:
    """A table of those ranks; every query's target is another function of one repository."""
    return RankTable(
        rows=tuple(
            QueryRow(
                query_id=one,
                repository="example/alpha",
                stratum="plain",
                relevant=1,
                target_path="vault/vault.go",
                target_line=place,
                target_name=f"target{int(one, 16)}",
            )
            for place, one in enumerate(ids, 1)
        ),
        columns=tuple(
            RankColumn(
                name,
                np.array([NOT_FOUND if rank is None else rank for rank in column], dtype=np.int64),
                depth,
            )
            for name, column in columns.items()
        ),
    )


def pins_of(table: RankTable, documents: Sequence[str]) -> Json:
    """What a plan over those queries and documents pins."""
    queries = [row.query_id for row in table.rows]
    return {
        "documents": len(documents),
        "queries": len(queries),
        "membership": jsonio.ids_hash(documents),
        "query_hash": jsonio.ids_hash(queries),
        "repositories": [
            {"name": "example/alpha", "documents": len(documents), "queries": len(queries)}
        ],
        "strata": dict(Counter(row.stratum for row in table.rows)),
        "exclusions": {},
    }


def parsed(made: Json) -> tuple[Plan, str]:
    """A plan and its digest, read as its file is."""
    data = jsonio.canonical(made)
    return plans.parse(data, "plan.json"), jsonio.sha256(data)


def side(
    columns: Ranks,
    *,
    given: str = "",
    ids: Sequence[str] | None = None,
    depth: int = 100,
    documents: Sequence[str] | None = None,
    listed: bool = True,
    with_ranks: bool = True,
    recorded: bool = True,
    version: str = "1",
    **changes: Any,
) -> Side:
    """A side with those ranks. `documents` are all ids, `listed` whether it knows them by id.

    `changes` replace fields of its plan; policies are those of the ranks, of THREE.
    """
    ids = query_ids(len(next(iter(columns.values())))) if ids is None else ids
    documents = document_ids(depth) if documents is None else documents
    table = rank_table(columns, ids, depth)
    policies = [one for one in THREE if one["name"] in columns]
    made = plan_of(
        archives_corpus() | {"pins": pins_of(table, documents)},
        "tiny",
        version,
        **({"status": "frozen", "policies": policies} | changes),
    )
    plan, digest = parsed(made)
    scored = results.score(plan, digest, table, ranks.to_csv(table)) if recorded else None
    return Side(
        given=given or plan.key,
        plan=plan,
        plan_sha256=digest,
        results=scored,
        table=table if recorded and with_ranks else None,
        documents=frozenset(documents) if listed else None,
    )


def run_side(
    columns: Ranks,
    searches: Mapping[str, int | None],
    *,
    ids: Sequence[str] | None = None,
    depths: Sequence[int] | None = None,
    version: str = "1",
    **changes: Any,
) -> Side:
    """A side of runs over judgments alone, each with the searches that its author stated, if any.

    `depths` are how many candidates are delivered for each query, 100 where left out.
    """
    ids = query_ids(len(next(iter(columns.values())))) if ids is None else ids
    delivered = np.array([100] * len(ids) if depths is None else depths, dtype=np.int64)
    plan = plan_of(
        {
            "kind": "trec",
            "name": "Invented judgments",
            "qrels": {"path": "qrels", "sha256": "0" * 64},
            "pins": {
                "documents": None,
                "queries": len(ids),
                "membership": None,
                "query_hash": jsonio.ids_hash(ids),
                "repositories": [],
                "strata": {},
                "exclusions": {},
                "judgments": {"judgments": 2 * len(ids), "relevant": len(ids)},
            },
        },
        "runs",
        version,
        policies=[{"name": name, "ranking": run_of(name, searches[name])} for name in columns],
    )
    plan["definitions"] |= {"ties": TIES_WITH_RUNS, "searches": SEARCHES_WITH_RUNS}
    made, digest = parsed(plan | {"status": "frozen"} | changes)
    table = RankTable(
        rows=tuple(
            QueryRow(one, "", "", 1, f"doc-{place}", 0, "") for place, one in enumerate(ids)
        ),
        columns=tuple(
            RankColumn(
                name,
                np.array([NOT_FOUND if rank is None else rank for rank in column], dtype=np.int64),
                delivered,
                {size: np.zeros(len(ids), dtype=np.int64) for size in made.page_sizes},
            )
            for name, column in columns.items()
        ),
    )
    return Side(
        given=made.key,
        plan=made,
        plan_sha256=digest,
        results=results.score(made, digest, table, ranks.to_csv(table)),
        table=table,
        documents=None,
    )


def run_of(name: str, searches: int | None) -> Json:
    """A run of that name, pinned."""
    file = {"path": f"{name}.run", "sha256": jsonio.sha256(name.encode())}
    pins = {"lines": 9, "topics": 1, "deepest": 100, "shallowest": 1}
    return {"kind": "run", "file": file, "searches": searches, "pins": pins}


@st.composite
def run_sides(draw: st.DrawFn, base_searches: int | None, most: int = 6) -> Side:
    """A side of two runs over some of the same queries; the helper's searches may be stated."""
    ids = query_ids(most)
    chosen = sorted(draw(st.sets(st.sampled_from(ids), min_size=1)))
    depths = [draw(st.integers(0, 30)) for _ in chosen]
    sizes = sorted(draw(st.sets(st.sampled_from((1, 2, 20)), min_size=1)))
    return run_side(
        {
            name: [
                draw(st.one_of(st.none(), st.integers(1, one))) if one else None for one in depths
            ]
            for name in ("baseline", "helper")
        },
        {"baseline": base_searches, "helper": draw(st.sampled_from((None, 1, 5)))},
        ids=chosen,
        depths=depths,
        page_sizes=sizes,
        primary_page_size=draw(st.sampled_from(sizes)),
    )


@st.composite
def sides(
    draw: st.DrawFn, names: Sequence[str] = ("baseline", "helper"), depth: int = 12, most: int = 8
) -> Side:
    """A side over some of the same queries, of that depth, with any ranks."""
    ids = query_ids(most)
    chosen = sorted(draw(st.sets(st.sampled_from(ids), min_size=1)))
    rank = st.one_of(st.none(), st.integers(1, depth))
    column = st.lists(rank, min_size=len(chosen), max_size=len(chosen))
    sizes = sorted(draw(st.sets(st.sampled_from((1, 2, 3, 5, 20)), min_size=1)))
    return side(
        {name: draw(column) for name in names},
        ids=chosen,
        depth=depth,
        with_ranks=draw(st.booleans()),
        listed=draw(st.booleans()),
        page_sizes=sizes,
        primary_page_size=draw(st.sampled_from(sizes)),
        caveat=draw(st.sampled_from(("One caveat.", "Another caveat."))),
    )


# --- On disk --------------------------------------------------------------------------------------

SMALLER = replace(
    BETA, revision="c" * 40, sources={"fleet/fleet.go": BETA.sources["fleet/fleet.go"]}
)
"""Beta without one of its functions, whose query another one answers too."""

GATES: list[Json] = [
    {"name": "Not more pages", "holds": "pages <= pages of baseline"},
    {"name": "Few more searches", "holds": "searches <= searches of baseline + 10 %"},
]


def make_pair(path: Path) -> TinyProject:
    """`tiny@1`, and `tiny@2`: a document less, another primary policy and page sizes, two gates.

    Drafts, freezing and records of the two are six commits, in this order.
    """
    made = make_project(path)
    trees = (ALPHA, SMALLER)
    stock(files.cache_folder(), trees)
    plan = archives_plan(
        "tiny",
        "2",
        trees=trees,
        policies=THREE,
        primary_policy="late",
        page_sizes=[1, 2, 10],
        caveat="Another caveat.",
        gates=GATES,
    )
    made.write_plan("tiny@2", plan, projection_of(trees))
    made.commit("Draft another")
    made.freeze("tiny@2")
    made.record("tiny@2")
    made.commit("Record another")
    return made
