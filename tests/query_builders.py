"""Reports of invented queries, of any names and ranks, made in memory: nothing is searched."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from pagecost import jsonio, ranks, results
from pagecost.charts.draw import Drawer
from pagecost.charts.parts import Drawing
from pagecost.model import NOT_FOUND, Plan, QueryRow, RankColumn, RankTable
from pagecost.project import VersionFolder
from pagecost.site import alone
from pagecost.versions import Record, Version
from tests.builders import Json, plan_of, sha256
from tests.site_builders import policy, write

REVISION = "0123456789abcdef0123456789abcdef01234567"
REPOSITORIES = ("example/alpha", "example/Beta", "other/gamma")
STRATA = ("name-absent", "name-present")
SIZE = 20


@dataclass(frozen=True)
class Asked:
    """A query: its first target, and its rank under baseline and helper, None for not found."""

    name: str
    path: str
    base: int | None
    ours: int | None
    repository: str = REPOSITORIES[0]
    stratum: str = STRATA[0]
    line: int = 1
    relevant: int = 1
    id: str = ""


HOSTILE = (
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "=cmd|' /C calc'!A0",
    "a\u2028b\u2029c",
    "\"quoted\" & 'single' {{ braces }} ${dollar}",
    "line\nbreak\tand tab",
    "N" * 300,
    "Ünïcode名前İ",
    "__proto__",
    "camelCaseHTTPServer::operator()",
)


def invented(many: int, seed: int = 1) -> list[Asked]:
    """So many queries: several repositories and strata, names alike, ties, and misses."""
    rng = random.Random(seed)
    words = [
        "get",
        "set",
        "parse",
        "Node",
        "volume",
        "Storage",
        "pool",
        "cluster",
        "token",
        "Index",
        "page",
    ]
    made = []
    for place in range(many):
        base = rng.choice((1, 1, 2, 3, rng.randint(1, 90), rng.randint(1, 3000)))
        ours = rng.choice((base, base, rng.randint(1, 90), max(1, base // rng.randint(2, 30))))
        made.append(
            Asked(
                name="".join(rng.choices(words, k=2)),
                path=f"{rng.choice(words)}/{rng.choice(words)}_{place % 97}.go",
                base=None if place % 29 == 7 else base,
                ours=None if place % 31 == 7 else ours,
                repository=REPOSITORIES[rng.randrange(3)] if place % 40 else "multiple",
                stratum=STRATA[rng.randrange(2)],
                line=rng.randint(1, 4000),
                relevant=rng.choice((1, 1, 1, 2, 1234)),
            )
        )
    return made


def table_of(asked: Sequence[Asked], depth: int = 5000) -> RankTable:
    """Their ranks, in ascending order of id; a query without one has a digest."""
    with_ids = sorted(
        (one.id or sha256(f"{place} {one.name}".encode()), one) for place, one in enumerate(asked)
    )
    rows = tuple(
        QueryRow(
            query_id=query_id,
            repository=one.repository,
            stratum=one.stratum,
            relevant=one.relevant,
            target_path=one.path,
            target_line=one.line,
            target_name=one.name,
        )
        for query_id, one in with_ids
    )

    def column(name: str, own: Sequence[int | None]) -> RankColumn:
        found = [NOT_FOUND if rank is None else rank for rank in own]
        return RankColumn(name, np.array(found, np.int64), depth)

    base = column("baseline", [one.base for _, one in with_ids])
    return RankTable(rows, (base, column("helper", [one.ours for _, one in with_ids])))


def plan_json(table: RankTable, **changes: Any) -> Json:
    """A frozen plan over archives, with the pins of that table's queries."""
    names = sorted({row.repository for row in table.rows} - {"multiple"}) or ["example/none"]
    counts = {name: sum(row.repository == name for row in table.rows) for name in names}
    many = len(table.rows) - sum(counts.values())
    pins = {
        "documents": 5000,
        "queries": len(table.rows),
        "membership": "1" * 64,
        "query_hash": jsonio.ids_hash(row.query_id for row in table.rows),
        "repositories": [
            {"name": name, "documents": 1, "queries": queries}
            for name, queries in (*counts.items(), *([("multiple", many)] if many else ()))
        ],
        "strata": {
            name: sum(row.stratum == name for row in table.rows)
            for name in sorted({row.stratum for row in table.rows})
        },
        "exclusions": {},
    }
    archives = [
        {
            "repository": name,
            "revision": REVISION,
            "sha256": "2" * 64,
            "licence": {"path": "LICENSE", "sha256": "3" * 64},
            "licence_name": "LicenseRef-Invented",
        }
        for name in names
    ]
    corpus: Json = {
        "kind": "archives",
        "projection": {"path": "projection.csv", "sha256": "4" * 64},
        "archives": archives,
        "pins": pins,
    }
    settled: Json = {
        "status": "frozen",
        "policies": [policy("baseline", "baseline"), policy("helper", "helper", searches=2)],
        "page_sizes": [SIZE],
        "primary_page_size": SIZE,
    }
    return plan_of(corpus, "invented", "1", **(settled | changes))


def plan_for(table: RankTable, **changes: Any) -> Plan:
    """That plan, read."""
    return msgspec.convert(plan_json(table, **changes), Plan)


def scored(plan: Plan, table: RankTable, digest: str = "0" * 64) -> Record:
    """The record of those ranks under that plan."""
    columns = tuple(table.column(one.name) for one in plan.policies)
    table = RankTable(table.rows, columns)
    ranks_csv = ranks.to_csv(table)
    counted = results.score(plan, digest, table, ranks_csv)
    return Record(results.to_json(counted), ranks_csv, counted, table)


class Undrawn(Drawer):
    """Draws nothing, in no time: what is tested is the table."""

    def __init__(self) -> None:
        super().__init__(Path("nowhere"))

    def specs(self, inputs: object, make: Callable[[], dict[str, Drawing]]) -> dict[str, Any]:
        return defaultdict(lambda: {"config": {}, "datasets": {}})  # whatever is chosen

    def svg(self, spec: dict[str, Any]) -> str:
        return '<svg viewBox="0 0 9 9" width="9" height="9" />'

    def inlined(self, svg: str, *words: str) -> str:
        return svg

    def png(self, svg: str, scale: float) -> bytes:
        return b""

    def vega_bundle(self) -> bytes:
        return b"/* no figure is drawn */"


def report(folder: Path, table: RankTable, **changes: Any) -> None:
    """Writes the report of those ranks, alone in that folder, without its figures."""
    given = plan_json(table, **changes)
    data = jsonio.canonical(given)
    plan = msgspec.convert(given, Plan)
    version = Version(
        where=VersionFolder("invented", "1", folder / "nowhere"),
        plan=plan,
        plan_json=data,
        digest=jsonio.sha256(data),
        record=scored(plan, table, jsonio.sha256(data)),
        documents_txt=None,
        writeup="# What it says\n\nNothing.\n",
    )
    write(folder, alone.report(version, ["pagecost quick"], Undrawn()))


# --- The data beside a page, read as a browser does -----------------------------------------------

START = "window.pagecostQueries = "


def data_of(script: bytes) -> Any:
    """What `queries.js` assigns; its JSON is JavaScript's as well."""
    text = script.decode("utf-8")
    assert text.startswith(START) and text.endswith(";\n")
    return json.loads(text.removeprefix(START).removesuffix(";\n"))


def column_of(data: Any, key: str) -> list[Any]:
    """A column by its key, a value a query, as numbers or as text."""
    many = len(data["ids"])
    if key == "ids":
        return list(data["ids"])
    known, found = None, data["numbers"].get(key)
    if key in data["texts"]:
        known, found = data["texts"][key]
    values = found if isinstance(found, list) else [found] * many
    assert len(values) == many
    return values if known is None else [known[place] for place in values]
