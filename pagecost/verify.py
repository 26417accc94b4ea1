"""Checks of one version, a line each: what was compared with what, and whether it held."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from pagecost import export, jsonio, replay, versions
from pagecost.corpora import Source
from pagecost.corpora.build import check_pins
from pagecost.errors import CorpusMissing, PagecostError
from pagecost.git import Repository
from pagecost.model import Corpus
from pagecost.project import PLAN, RANKS, RESULTS, VersionFolder
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
    try:
        corpus = source_of(version).load()
    except CorpusMissing as error:
        yield check("corpus", "not checked", str(error))
    except PagecostError as error:
        yield check("corpus", "failed", str(error))
    else:
        yield from _corpus_checks(version, corpus, check)
    if version.record is None:
        yield check("record", "ok", f"none; the plan is {version.state}, and no number is shown")
    else:
        yield from _record_checks(version, corpus, tick, check)
    yield from _history(version, check)


_Make = Callable[[str, Outcome, str], Check]


def _corpus_checks(version: Version, corpus: Corpus, check: _Make) -> Iterator[Check]:
    pins = version.plan.corpus.pins
    if pins is None:
        yield check("corpus", "not checked", f"{PLAN} pins no corpus yet")
        return
    try:
        check_pins(corpus.counts, pins, PLAN)
    except PagecostError as error:
        yield check("corpus", "failed", str(error))
        return
    yield check(
        "corpus",
        "ok",
        f"{pins.documents:,} documents, {pins.queries:,} queries, membership {pins.membership} "
        f"and query hash {pins.query_hash} as {PLAN} pins them",
    )
    for note in corpus.notes:
        yield check("archive", "not proven", note)


def _record_checks(
    version: Version, corpus: Corpus | None, tick: replay.Tick | None, check: _Make
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

    yield held(
        "counts",
        f"{RESULTS}: counting {RANKS} again gives it byte for byte",
        lambda: replay.from_ranks(version),
    )
    if corpus is None:
        yield check("ranks", "not checked", f"{RANKS}: the corpus is not at hand")
    else:
        yield held(
            "ranks",
            f"{RANKS} and {RESULTS}: ranking the corpus again gives both byte for byte",
            lambda: replay.from_source(version, corpus, tick),
        )
    origin = version.plan.origin
    if origin is not None and origin.results.export is not None:
        found = jsonio.sha256(export.FORMATS[origin.results.export](version.plan, record.results))
        same = found == origin.results.sha256
        yield check(
            "origin",
            "ok" if same else "failed",
            f"exported as {origin.results.export} the record has sha256 {found}, the published "
            f"one {origin.results.sha256}",
        )


def _history(version: Version, check: _Make) -> Iterator[Check]:
    """Was the plan committed before its results, and is it unchanged since?"""
    plan_path, results_path = version.where.file(PLAN), version.where.file(RESULTS)
    repository = Repository.around(version.where.folder)
    if version.plan.is_draft:
        return
    if repository is None:
        yield check("history", "not provable", "outside Git: nothing says what came first")
        return
    if repository.is_shallow():
        yield check("history", "not provable", "a shallow clone: history is cut off")
        return
    frozen = [
        commit
        for commit in repository.commits(plan_path)
        if _digest(repository.committed(plan_path, commit)) == version.digest
    ]
    if _digest(repository.committed(plan_path)) != version.digest:
        was = repository.committed(plan_path)
        outcome: Outcome = "failed" if was is not None and b'"frozen"' in was else "not proven"
        yield check("history", outcome, f"{plan_path}: not the plan that is committed")
        return
    changed = [
        commit
        for commit in repository.commits(plan_path)
        if commit not in frozen and repository.is_ancestor(frozen[0], commit)
    ]
    if changed:
        yield check(
            "history",
            "failed",
            f"{plan_path}: frozen in {frozen[0][:12]}, but changed in {changed[0][:12]}",
        )
        return
    recorded = repository.commits(results_path)
    if not results_path.exists():
        yield check("history", "ok", f"{PLAN}: committed in {frozen[0][:12]}, no results yet")
    elif not recorded:
        yield check(
            "history",
            "ok",
            f"{PLAN}: committed in {frozen[0][:12]}, before {RESULTS}, which is not committed yet",
        )
    elif recorded[0] == frozen[0]:
        yield check(
            "history",
            "not proven",
            f"{PLAN} and {RESULTS} came in one commit, {frozen[0][:12]}, as after a squash",
        )
    elif repository.is_ancestor(frozen[0], recorded[0]):
        yield check(
            "history",
            "ok",
            f"{PLAN}: committed in {frozen[0][:12]}, before {RESULTS} in {recorded[0][:12]}, and "
            "unchanged since",
        )
    else:
        yield check(
            "history",
            "failed",
            f"{RESULTS} was committed in {recorded[0][:12]}, which does not come after the plan's "
            f"{frozen[0][:12]}",
        )


def _digest(data: bytes | None) -> str | None:
    return None if data is None else jsonio.sha256(data)
