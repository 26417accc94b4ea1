"""Plan → record: what a draft's corpus is, freezing it, scoring it, and writing what came out."""

from __future__ import annotations

from pathlib import Path

from pagecost import export, files, freezing, replay, versions
from pagecost.context import Context, corpus_of
from pagecost.corpora import distributions
from pagecost.corpora.build import check_pins
from pagecost.errors import CheckFailed, InputError
from pagecost.model import DistributionsCorpus
from pagecost.project import RANKS, RESULTS
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
    return freezing.freeze(version.where, dry_run=dry_run)


def score(work: Context, key: str) -> replay.Scored:
    """Scores a version that may be scored, from its corpus alone."""
    version = versions.load(work.project.find(key), half_record_is_none=True)
    note = freezing.may_score(version.where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    return _score(work, version)


def record(work: Context, key: str, *, dry_run: bool) -> list[Path]:
    """Scores a frozen plan and writes its record; returns what was, or would be, written.

    CheckFailed where another record is there. Half a record is none, and is completed.
    """
    where = work.project.find(key)
    version = versions.load(where, half_record_is_none=True)
    note = freezing.require_frozen(where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    scored = _score(work, version)
    results_path, ranks_path = where.file(RESULTS), where.file(RANKS)
    if version.record is not None:
        kept = (version.record.results_json, version.record.ranks_csv)
        if kept != (scored.results_json, scored.ranks_csv):
            raise _another_record(results_path, key)
        work.console.say(f"{key}: recorded already, and the same to the byte")
        return []
    had = [path for path in (ranks_path, results_path) if path.exists()]
    for path, data in ((ranks_path, scored.ranks_csv), (results_path, scored.results_json)):
        if path in had and path.read_bytes() != data:
            raise _another_record(path, key)
    if not dry_run:
        # Ranks first: results.json names their digest, and is what makes the record complete.
        files.write(ranks_path, scored.ranks_csv)
        try:
            files.write(results_path, scored.results_json)
        except BaseException:
            if ranks_path not in had:
                ranks_path.unlink(missing_ok=True)
            raise
    return [ranks_path, results_path]


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
