"""A version's archives: brought into the cache, checked, and remembered as verified."""

from __future__ import annotations

from pathlib import Path

from pagecost import fetch, files, jsonio, replay, versions
from pagecost.context import Context, corpus_command
from pagecost.corpora.archives import ArchivesSource, archive_path
from pagecost.corpora.build import check_pins
from pagecost.errors import InputError
from pagecost.model import ArchivesCorpus
from pagecost.project import PLAN
from pagecost.versions import Version


def bring(
    work: Context, key: str, folder: Path | None, base: str = fetch.GITHUB
) -> list[fetch.Fetched]:
    """Brings a version's archives into the cache and checks them; those that are not needed stay.

    Returns what was brought. What was verified is remembered under the digests that were checked.
    """
    version = versions.load(work.project.find(key))
    corpus = version.plan.corpus
    if not isinstance(corpus, ArchivesCorpus):
        raise InputError(
            f"{key}: its corpus is installed, not fetched: {corpus_command(version.plan)}"
        )
    fetched: list[fetch.Fetched] = []
    try:
        if folder is not None:
            fetched += fetch.from_folder(corpus.archives, folder, work.cache)
        else:
            fetched += _download_missing(work, corpus, base)
        if not fetched and _was_verified(work, version):
            return []
        _check_fetched(work, version, corpus, fetched)
        for one in fetched:
            one.keep(work.cache)
    finally:
        for one in fetched:
            one.drop()
    files.write(_verified(work, version), f"{key}\n".encode())
    return fetched


def _download_missing(work: Context, corpus: ArchivesCorpus, base: str) -> list[fetch.Fetched]:
    """Downloads what the cache doesn't have. Where one fails, those before it are kept."""
    fetched: list[fetch.Fetched] = []
    try:
        for archive in fetch.missing(corpus.archives, work.cache):
            with work.console.progress(archive.repository, "bytes") as progress:
                fetched.append(fetch.download(archive, work.cache, base, progress))
    except BaseException:
        for one in fetched:
            one.keep(work.cache)
        raise
    return fetched


def _check_fetched(
    work: Context, version: Version, corpus: ArchivesCorpus, fetched: list[fetch.Fetched]
) -> None:
    """InputError unless the archives, those that wait too, hold what the plan pins."""
    waiting = {one.archive.repository: one.waiting for one in fetched}
    source = ArchivesSource(corpus, version.where.folder, work.cache, strict=False, waiting=waiting)
    try:
        found = source.load()
    except InputError as error:
        kept = [one for one in corpus.archives if one.repository not in waiting]
        broken = fetch.forget_broken(kept, work.cache)
        if not broken and not kept:
            raise
        if not broken:
            where = archive_path(work.cache, kept[0]).parent
            raise InputError(
                f"{error}\nWhere an archive in {where} is what is wrong, remove it and fetch again"
            ) from None
        names = ", ".join(one.repository for one in broken)
        raise InputError(
            f"{error}\nThe cached archive of {names} is broken and was removed; fetch again"
        ) from None
    if corpus.pins is not None:
        check_pins(found.counts, corpus.pins, version.where.file(PLAN))
    else:
        work.console.say("note: the plan pins no corpus yet, so queries were checked by nothing")
    for note in found.notes:
        work.console.say(f"note: {note}")


def _verified(work: Context, version: Version) -> Path:
    """Where it is noted that exactly these archives hold what this corpus pins."""
    corpus = jsonio.sha256(jsonio.canonical(version.plan.corpus))
    checked = (work.source(version).fingerprint(), corpus, replay.scoring_code())
    return work.cache / "verified" / jsonio.sha256("\n".join(checked).encode("ascii"))


def _was_verified(work: Context, version: Version) -> bool:
    try:
        return _verified(work, version).is_file()
    except InputError:  # an archive that can't be read
        return False
