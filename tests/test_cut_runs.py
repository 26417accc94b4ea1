"""The committed experiment over run files: they are what was exported, and what a cut hides."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from pagecost import project, recording, versions
from pagecost.console import Console
from pagecost.context import Context
from pagecost.errors import CorpusMissing
from pagecost.model import NOT_FOUND
from pagecost.versions import Record, Version
from tests.builders import ROOT, require

DEPTH, SIZE = 100, 20
POLICIES = ("bm25", "bm25plus")
PROJECT = project.load(ROOT / project.CONFIG)
WHOLE, CUT = (versions.load(PROJECT.find(f"cut-runs@{version}")) for version in ("1", "2"))


@pytest.fixture
def work(cache: Path) -> Context:
    """What commands work with, over this repository and an empty cache."""
    return Context(PROJECT, cache, Console("normal", io.StringIO()))


def record(version: Version) -> Record:
    assert version.record is not None
    return version.record


def ranks(version: Version, policy: str) -> dict[str, int]:
    """Each query's rank under a policy, by the first eight characters of its id."""
    table = record(version).table
    several = zip(table.rows, table.column(policy).ranks, strict=True)
    return {row.query_id[:8]: int(rank) for row, rank in several}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_committed_runs_are_what_is_exported(work: Context, policy: str) -> None:
    try:
        exported = recording.export_run(work, "cut-runs@1", policy, DEPTH, short=True)
    except CorpusMissing as error:
        require(False, str(error))
        raise
    run = CUT.where.file(f"runs/{policy}.run.gz")
    assert run.stat().st_size < 250_000
    assert gzip.decompress(run.read_bytes()) == exported


def test_the_committed_judgments_are_what_is_exported(work: Context) -> None:
    try:
        exported = recording.export_qrels(work, "cut-runs@1", short=True)
    except CorpusMissing as error:
        require(False, str(error))
        raise
    assert CUT.where.file("qrels.txt").read_bytes() == exported


@pytest.mark.parametrize("policy", POLICIES)
def test_a_cut_rank_is_the_whole_one_or_not_found(policy: str) -> None:
    before, after = ranks(WHOLE, policy), ranks(CUT, policy)
    assert NOT_FOUND not in before.values()
    assert after == {query: rank if rank <= DEPTH else NOT_FOUND for query, rank in before.items()}


@pytest.mark.parametrize(("policy", "missing"), [("bm25", 21), ("bm25plus", 23)])
def test_a_cut_total_is_lower_by_what_was_not_found(policy: str, missing: int) -> None:
    whole, cut = (record(one).results.overall.policy(policy) for one in (WHOLE, CUT))
    assert (whole.not_found, cut.not_found) == (0, missing)
    behind = [rank for rank in ranks(WHOLE, policy).values() if rank > DEPTH]
    hidden = sum(-(-rank // SIZE) - DEPTH // SIZE for rank in behind)
    assert len(behind) == missing
    assert hidden > 0
    assert whole.at(SIZE).pages - cut.at(SIZE).pages == hidden
