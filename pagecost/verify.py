"""Checks of one version, a line each: what was compared with what, and whether it held."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from pagecost import export, history, jsonio, replay, versions
from pagecost.corpora import Source
from pagecost.corpora import check as check_corpus
from pagecost.errors import CorpusMissing, PagecostError
from pagecost.model import Corpus
from pagecost.project import DOCUMENTS, PLAN, RANKS, RESULTS, VersionFolder
from pagecost.versions import Version

Outcome = Literal["ok", "failed", "not proven", "not provable", "not checked"]


class Check(msgspec.Struct, frozen=True):
    """One check and its outcome. `said` tells what was compared with what, or why it could not be.

    Only `failed` fails a verification; with --strict, everything but `ok` does.
    """

    version: str
    check: str
    outcome: Outcome
    said: str


def verify(
    where: VersionFolder,
    source_of: Callable[[Version], Source],
    tick: replay.Tick | None = None,
) -> Iterator[Check]:
    """Every check of a version, in order, as it is made. Nothing remembered is used."""

    def check(name: str, outcome: Outcome, said: str) -> Check:
        return Check(where.key, name, outcome, said)

    try:
        version = versions.load(where)
    except PagecostError as error:
        yield check("files", "failed", str(error))
        return
    yield check("plan", "ok", f"{PLAN}: valid, {version.state}, sha256 {version.digest}")
    corpus: Corpus | None = None
    why = ""
    try:
        corpus = source_of(version).load()
    except CorpusMissing as error:
        why = "the corpus is not at hand"
        yield check("corpus", "not checked", str(error))
    except PagecostError as error:
        why = "the corpus did not check"
        yield check("corpus", "failed", str(error))
    else:
        yield from _corpus_checks(version, corpus, check)
    if version.documents is not None:
        said = f"{DOCUMENTS}: lists the {len(version.documents):,} documents that {PLAN} pins"
        yield check("documents", "ok", said)
    if version.record is None:
        yield check("record", "ok", f"none; the plan is {version.state}, and no number is shown")
    else:
        yield from _record_checks(version, corpus, why, tick, check)
    if not version.plan.is_draft:
        yield check("history", *history.proof(version.where, version.digest))
    elif (problem := history.draft_proof(version.where)) is not None:
        yield check("history", *problem)


_Make = Callable[[str, Outcome, str], Check]


def _corpus_checks(version: Version, corpus: Corpus, check: _Make) -> Iterator[Check]:
    pins = version.plan.corpus.pins
    if pins is None:
        yield check("corpus", "not checked", f"{PLAN} pins no corpus yet")
        return
    try:
        check_corpus(corpus, version.plan, PLAN)
    except PagecostError as error:
        yield check("corpus", "failed", str(error))
        return
    counted = f"{pins.queries:,} queries, query hash {pins.query_hash}"
    if pins.documents is not None:
        counted = (
            f"{pins.documents:,} documents, {pins.queries:,} queries, membership "
            f"{pins.membership} and query hash {pins.query_hash}"
        )
    yield check("corpus", "ok", f"{counted} as {PLAN} pins them")
    for run, delivered in corpus.runs.items():
        if run.pins is None:
            yield check("run", "not checked", f"{run.file.path}: {PLAN} pins nothing of it yet")
        else:
            lines = f"{delivered.pins.lines:,} lines, {delivered.pins.topics:,} topics"
            said = f"{run.file.path}: sha256 {run.file.sha256}, {lines}, as {PLAN} pins them"
            yield check("run", "ok", said)
    for note in corpus.notes:
        yield check("archive", "not proven", note)


def _record_checks(
    version: Version, corpus: Corpus | None, why: str, tick: replay.Tick | None, check: _Make
) -> Iterator[Check]:
    record = version.record
    assert record is not None
    yield check(
        "digests",
        "ok",
        f"{RESULTS} names the plan's sha256 and that of {RANKS}, {record.results.ranks_sha256}",
    )

    def held(name: str, said: str, run: Callable[[], None]) -> Check:
        try:
            run()
        except PagecostError as error:
            return check(name, "failed", str(error))
        return check(name, "ok", said)

    counts = held(
        "counts",
        f"{RESULTS}: counting {RANKS} again gives it byte for byte",
        lambda: replay.from_ranks(version),
    )
    yield counts
    if corpus is None:
        yield check("ranks", "not checked", f"{RANKS}: {why}")
    else:
        yield held(
            "ranks",
            f"{RANKS} and {RESULTS}: ranking the corpus again gives both byte for byte",
            lambda: replay.from_source(version, corpus, tick),
        )
    origin = version.plan.origin
    if origin is not None and origin.results.export is not None and counts.outcome == "ok":
        found = jsonio.sha256(export.FORMATS[origin.results.export](version.plan, record.results))
        same = found == origin.results.sha256
        yield check(
            "origin",
            "ok" if same else "failed",
            f"exported as {origin.results.export} the record has sha256 {found}, the published "
            f"one {origin.results.sha256}",
        )
