"""Plan → record: what a draft's corpus is, freezing it, scoring it, and writing what came out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pagecost import drafts, export, exportrun, files, freezing, jsonio, pinning, replay, versions
from pagecost import plan as plans
from pagecost.context import Context, corpus_of
from pagecost.corpora import check
from pagecost.errors import CheckFailed, InputError
from pagecost.model import Plan
from pagecost.policies import identity, resolve
from pagecost.project import DOCUMENTS, PLAN, RANKS, RESULTS
from pagecost.versions import Version


def corpus_pins(work: Context, key: str) -> dict[str, Any]:
    """What a plan must pin, as found now: its `pins`, its sources' hashes, what its runs hold."""
    version = versions.load(work.project.find(key))
    return pinning.found(version.plan, work.source(version), corpus_of(work, version))


def write_pins(work: Context, key: str, *, dry_run: bool) -> Path | None:
    """Writes what was found into a draft; returns its path, None where it stands there already.

    CheckFailed where the plan is frozen.
    """
    version = versions.load(work.project.find(key))
    path = version.where.file(PLAN)
    freezing.refuse_changed(version.where, version.plan, version.digest)
    if not version.plan.is_draft:
        raise CheckFailed(f"{path}: the plan is frozen, and pins what it pins")
    before = json.loads(version.plan_json)
    after = pinning.written(before, corpus_pins(work, key))
    if after == before:
        return None
    data = jsonio.canonical(after)
    plans.parse(data, path)
    if not dry_run:
        files.write(path, data)
    return path


def freeze(work: Context, key: str, *, dry_run: bool) -> tuple[str, str | None]:
    """Checks a draft against its corpus, then freezes it: (digest, commit or None)."""
    version = versions.load(work.project.find(key))
    _refuse_placeholders(version)
    corpus = corpus_of(work, version)
    check(corpus, version.plan, version.where.key)
    if version.plan.kind == "confirmatory":
        _refuse_known_figures(work, version)
    return freezing.freeze(version.where, dry_run=dry_run)


def _refuse_placeholders(draft: Version) -> None:
    """InputError where a sentence still stands that a new draft begins with."""
    plan = draft.plan
    for field in ("title", "question", "caveat"):
        text = getattr(plan, field)
        if text.startswith(drafts.PLACEHOLDERS):
            raise InputError(
                f"{draft.where.file(PLAN)}: $.{field}: {text[:60]!r}: a new draft begins so; write "
                "your own before it is frozen"
            )


def _refuse_known_figures(work: Context, draft: Version) -> None:
    """CheckFailed where a record of this project holds the figures that the draft asks for."""
    plan = draft.plan
    wanted = _asked(plan)
    for where in work.project.versions:
        if where == draft.where or not where.file(RESULTS).exists():
            continue
        other = versions.load(where, half_record_is_none=True).plan
        same_corpus = other.corpus.pins == plan.corpus.pins
        known = {repr(identity(one)) for one in resolve(other.policies).values()}
        if same_corpus and wanted <= known:
            raise CheckFailed(
                f"{draft.where.file(PLAN)}: $.kind: 'confirmatory', but {where.key} has the "
                "figures of its baseline and primary policy on the same corpus; make it an "
                "exploration"
            )


def _asked(plan: Plan) -> set[str]:
    """The orders that the headline is about."""
    rankings = resolve(plan.policies)
    return {repr(identity(rankings[one])) for one in (plan.baseline, plan.primary_policy)}


def score(work: Context, key: str) -> replay.Scored:
    """Scores a version that may be scored, from its corpus alone."""
    version = versions.load(work.project.find(key), half_record_is_none=True)
    note = freezing.may_score(version.where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    return _score(work, version)


def record(work: Context, key: str, *, dry_run: bool) -> list[Path]:
    """Scores a frozen plan and writes its record; returns what is, or would be, written.

    CheckFailed where another record is there. What is missing of a record is completed.
    """
    where = work.project.find(key)
    version = versions.load(where, half_record_is_none=True)
    note = freezing.require_frozen(where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    scored = _score(work, version)
    # results.json last: it names the digest of the ranks, and is what makes the record complete.
    record = {where.file(RANKS): scored.ranks_csv, where.file(RESULTS): scored.results_json}
    if scored.documents_txt is not None:
        record = {where.file(DOCUMENTS): scored.documents_txt, **record}
    for path, data in record.items():
        if path.exists() and path.read_bytes() != data:
            raise _another_record(path, key)
    missing = {path: data for path, data in record.items() if not path.exists()}
    if not missing:
        work.console.say(f"{key}: recorded already, and the same to the byte")
    if not dry_run:
        _write_all(missing)
    return list(missing)


def _write_all(contents: Mapping[Path, bytes]) -> None:
    """All of these files, or none of them."""
    written: list[Path] = []
    try:
        for path, data in contents.items():
            written.append(path)
            files.write(path, data)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _another_record(path: Path, key: str) -> CheckFailed:
    return CheckFailed(
        f"{path}: scoring gives another record, and a record never changes; see "
        f"`pagecost verify {key}`, or make a new version"
    )


def _score(work: Context, version: Version) -> replay.Scored:
    work.console.detail(f"{version.where.key}: reading the corpus")
    corpus = corpus_of(work, version)
    counts = corpus.counts
    known = "" if counts.documents is None else f"{counts.documents:,} documents, "
    work.console.detail(f"{known}{counts.queries:,} queries")
    with work.console.progress("ranking", "queries") as tick:
        return replay.score(version.plan, version.digest, corpus, tick)


def export_run(
    work: Context, key: str, policy: str | None, depth: int | None, *, short: bool
) -> bytes:
    """A policy's rankings as a TREC run; the primary one's where none is named."""
    version = versions.load(work.project.find(key))
    note = freezing.may_score(version.where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    plan, corpus = version.plan, corpus_of(work, version)
    check(corpus, plan, version.where.key)
    with work.console.progress("ranking", "queries") as tick:
        return exportrun.run(
            plan, corpus, policy or plan.primary_policy, depth, short=short, tick=tick
        )


def export_qrels(work: Context, key: str, *, short: bool) -> bytes:
    """A version's targets as TREC judgments."""
    return exportrun.qrels(corpus_of(work, versions.load(work.project.find(key))), short=short)


def export_record(work: Context, key: str, kind: str) -> bytes:
    """A version's record in another format."""
    version = versions.load(work.project.find(key))
    if version.record is None:
        raise InputError(f"{key}: no record to export; the plan is {version.state}")
    replay.from_ranks(version)
    return export.FORMATS[kind](version.plan, version.record.results)
