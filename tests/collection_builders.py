"""Invented collections and runs: judgments, documents, queries and run files, and plans over them.

A plan made here pins its files by the digests of the bytes written, and its corpus by what was
found, as `pagecost corpus` prints it.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from pagecost import jsonio, plan, ranks, results
from pagecost.corpora import source_of
from pagecost.model import (
    SEARCHES_WITH_RUNS,
    TIES_WITH_RUNS,
    Corpus,
    Definitions,
    PinnedFile,
    Plan,
    PolicyResult,
    RankColumn,
    RankTable,
    Results,
)
from tests.builders import Json, plan_of, require, sha256

BOM = b"\xef\xbb\xbf"
RUN = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 b 1 1 t\n"
QRELS = "q1 0 b 1\nq1 0 a 0\nq2 0 c 2\n"
"""Two topics, three documents: the run above finds q1 at rank 2, and not q2."""


def library(name: str) -> Any:
    """A library that only tests use, which must be installed (see `require`)."""
    require(importlib.util.find_spec(name), f"{name} is not installed")
    return importlib.import_module(name)


# --- Files ----------------------------------------------------------------------------------------


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """Writes a file below the folder; its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def packed(content: str | bytes) -> bytes:
    """As gzip, the same bytes every time."""
    return gzip.compress(content.encode() if isinstance(content, str) else content, mtime=0)


def pin(folder: Path, name: str, content: str | bytes | None = None) -> Json:
    """A file below the folder as a plan pins it; written first where content is given."""
    path = folder / name if content is None else write(folder, name, content)
    return {"path": name, "sha256": sha256(path.read_bytes())}


def pinned_file(folder: Path, name: str, content: str | bytes | None = None) -> PinnedFile:
    """The same as a record."""
    return msgspec.convert(pin(folder, name, content), PinnedFile)


def jsonl(entries: Sequence[Json]) -> str:
    """An object a line."""
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


# --- Parts of a plan ------------------------------------------------------------------------------


def run_of(folder: Path, name: str, content: str | bytes | None = None, **changes: Any) -> Json:
    """The ranking of a run file."""
    return {"kind": "run", "file": pin(folder, name, content), **changes}


def trec_corpus(
    folder: Path, qrels: str | bytes | None = None, name: str = "qrels.txt", **changes: Any
) -> Json:
    """Judgments alone."""
    return {"kind": "trec", "name": "Invented", "qrels": pin(folder, name, qrels), **changes}


def beir_corpus(
    folder: Path,
    documents: Mapping[str, str] | str | bytes,
    queries: Mapping[str, str] | str | bytes,
    qrels: str | bytes,
    **changes: Any,
) -> Json:
    """A collection in BEIR's layout; mappings are texts by id, without titles."""
    return {
        "kind": "beir",
        "name": "Invented",
        "documents": pin(folder, "corpus.jsonl", _entries(documents)),
        "queries": pin(folder, "queries.jsonl", _entries(queries)),
        "qrels": pin(folder, "qrels/test.tsv", qrels),
        **changes,
    }


def _entries(given: Mapping[str, str] | str | bytes) -> str | bytes:
    if isinstance(given, str | bytes):
        return given
    return jsonl([{"_id": name, "text": text} for name, text in given.items()])


def definitions(target: str = "first relevant document", *, with_runs: bool = False) -> Definitions:
    """What the words mean, where that is looked for."""
    return msgspec.convert(definitions_json(target, with_runs=with_runs), Definitions)


def definitions_json(target: str = "first relevant document", *, with_runs: bool = True) -> Json:
    """The same as a plan writes it."""
    made: Json = plan_of({}, "x", "1")["definitions"] | {"target": target}
    if with_runs:
        made |= {"ties": TIES_WITH_RUNS, "searches": SEARCHES_WITH_RUNS}
    return made


def collection_json(
    corpus: Json,
    policies: Mapping[str, Json],
    *,
    target: str = "first relevant document",
    key: str = "tiny@1",
    **changes: Any,
) -> Json:
    """A draft over that corpus; the first policy is the baseline, the last one the primary."""
    experiment, version = key.split("@")
    names = list(policies)
    has_runs = '"run"' in json.dumps(list(policies.values()))
    several = [{"name": name, "ranking": ranking} for name, ranking in policies.items()]
    return plan_of(
        corpus,
        experiment,
        version,
        **{
            "policies": several,
            "baseline": names[0],
            "primary_policy": names[-1],
            "definitions": definitions_json(target, with_runs=has_runs),
            **changes,
        },
    )


def collection_plan(corpus: Json, policies: Mapping[str, Json], **changes: Any) -> Plan:
    """The same, checked as a whole."""
    return plan.parse(jsonio.canonical(collection_json(corpus, policies, **changes)), "plan.json")


# --- Scoring --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scored:
    """A plan, its corpus, and what came out."""

    plan: Plan
    corpus: Corpus
    table: RankTable
    results: Results

    def column(self, policy: str) -> RankColumn:
        return self.table.column(policy)

    def ranks(self, policy: str) -> dict[str, int]:
        """By query, its rank; 0 where it is not found."""
        ids = (row.query_id for row in self.table.rows)
        return dict(zip(ids, self.column(policy).ranks.tolist(), strict=True))

    def depths(self, policy: str) -> dict[str, int]:
        """By query, how many documents are delivered."""
        depth = self.column(policy).depth
        ids = [row.query_id for row in self.table.rows]
        if isinstance(depth, int):
            return dict.fromkeys(ids, depth)
        return dict(zip(ids, depth.tolist(), strict=True))

    def unjudged(self, policy: str, size: int) -> dict[str, int]:
        """By query, how many candidates on the pages read nobody judged."""
        ids = (row.query_id for row in self.table.rows)
        return dict(zip(ids, self.column(policy).unjudged[size].tolist(), strict=True))

    def overall(self, policy: str) -> PolicyResult:
        return self.results.overall.policy(policy)


def load(made: Plan, folder: Path, cache: Path | None = None) -> Corpus:
    """The corpus of a plan whose files lie in that folder, or in that cache."""
    return source_of(made, folder, cache or folder / "no-cache").load()


def with_pins(made: Plan, corpus: Corpus) -> Plan:
    """The plan with the pins of its corpus, checked again."""
    written: Json = msgspec.to_builtins(made)
    written["corpus"]["pins"] = msgspec.to_builtins(corpus.counts)
    return plan.parse(jsonio.canonical(written), "plan.json")


def score(made: Plan, folder: Path, cache: Path | None = None) -> Scored:
    """Reads, ranks and scores, everything written and read again on the way."""
    corpus = load(made, folder, cache)
    made = with_pins(made, corpus)
    table = ranks.rank_all(made, corpus)
    data = ranks.to_csv(table)
    again = ranks.from_csv(data, ranks.layout(made), "ranks.csv")
    assert ranks.to_csv(again) == data
    scored = results.score(made, "0" * 64, again, data)
    assert results.from_json(results.to_json(scored), "results.json") == scored
    return Scored(made, corpus, again, scored)
