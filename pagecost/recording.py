"""Plan → record: what a draft's corpus is, freezing it, scoring it, and writing what came out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pagecost import export, files, freezing, replay, versions
from pagecost.context import Context, corpus_of
from pagecost.corpora import distributions
from pagecost.corpora.build import check_pins
from pagecost.errors import CheckFailed, InputError
from pagecost.model import DistributionsCorpus, Plan
from pagecost.policies import resolve
from pagecost.project import DOCUMENTS, PLAN, RANKS, RESULTS
from pagecost.versions import Version


def corpus_pins(work: Context, key: str) -> object:
    """What a plan must pin, as found now: its `pins`, and its distributions' hashes."""
    version = versions.load(work.project.find(key))
    found: dict[str, object] = {}
    if isinstance(version.plan.corpus, DistributionsCorpus):
        found["distributions"] = distributions.pin(version.plan.corpus)
    found["pins"] = corpus_of(work, version).counts
    return found


def freeze(work: Context, key: str, *, dry_run: bool) -> tuple[str, str | None]:
    """Checks a draft against its corpus, then freezes it: (digest, commit or None)."""
    version = versions.load(work.project.find(key))
    corpus = corpus_of(work, version)
    if version.plan.corpus.pins is not None:
        check_pins(corpus.counts, version.plan.corpus.pins, version.where.key)
    if version.plan.kind == "confirmatory":
        _refuse_known_figures(work, version)
    return freezing.freeze(version.where, dry_run=dry_run)


def _refuse_known_figures(work: Context, draft: Version) -> None:
    """CheckFailed where a record of this project holds the figures that the draft asks for."""
    plan = draft.plan
    wanted = _asked(plan)
    for where in work.project.versions:
        if where == draft.where or not where.file(RESULTS).exists():
            continue
        other = versions.load(where, half_record_is_none=True).plan
        same_corpus = other.corpus.pins == plan.corpus.pins
        if same_corpus and wanted <= set(map(repr, resolve(other.policies).values())):
            raise CheckFailed(
                f"{draft.where.file(PLAN)}: $.kind: 'confirmatory', but {where.key} has the "
                "figures of its baseline and primary policy on the same corpus; make it an "
                "exploration"
            )


def _asked(plan: Plan) -> set[str]:
    """The orders that the headline is about."""
    rankings = resolve(plan.policies)
    return {repr(rankings[name]) for name in (plan.baseline, plan.primary_policy)}


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
    record = {
        where.file(DOCUMENTS): scored.documents_txt,
        where.file(RANKS): scored.ranks_csv,
        where.file(RESULTS): scored.results_json,
    }
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
    work.console.detail(f"{counts.documents:,} documents, {counts.queries:,} queries")
    with work.console.progress("ranking", "queries") as tick:
        return replay.score(version.plan, version.digest, corpus, tick)


def export_record(work: Context, key: str, kind: str) -> bytes:
    """A version's record in another format."""
    version = versions.load(work.project.find(key))
    if version.record is None:
        raise InputError(f"{key}: no record to export; the plan is {version.state}")
    replay.from_ranks(version)
    return export.FORMATS[kind](version.plan, version.record.results)
