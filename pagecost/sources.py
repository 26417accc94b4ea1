"""A version's raw data: brought into the cache, checked, and remembered as verified."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pagecost import fetch, files, jsonio, replay, versions
from pagecost.context import Context, corpus_command, how_to_get
from pagecost.corpora.archives import ArchivesSource, archive_path
from pagecost.corpora.build import check_pins
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import ArchivesCorpus, PinnedFile
from pagecost.pinned import Shelf, cached, digest, files_of
from pagecost.project import PLAN
from pagecost.versions import Version


class Brought(msgspec.Struct, frozen=True):
    """What was brought into the cache, how, and the sha256 of its bytes."""

    name: str
    how: str
    sha256: str


def bring(work: Context, key: str, folder: Path | None, base: str = fetch.GITHUB) -> list[Brought]:
    """Brings a version's raw data into the cache and checks it; what is not needed stays.

    Archives are downloaded, or taken from `folder`; files that a plan pins by sha256 are only
    taken from there. Returns what was brought.
    """
    version = versions.load(work.project.find(key))
    corpus, files = version.plan.corpus, files_of(version.plan)
    if not isinstance(corpus, ArchivesCorpus) and not files:
        raise InputError(
            f"{key}: its corpus is installed, not fetched: {corpus_command(version.plan)}"
        )
    brought = _bring_files(work, version, files, folder)
    if isinstance(corpus, ArchivesCorpus):
        archives = _bring_archives(work, version, corpus, folder, base)
        brought += [Brought(one.archive.repository, one.how, one.sha256) for one in archives]
    return brought


def _bring_files(
    work: Context, version: Version, files: list[PinnedFile], folder: Path | None
) -> list[Brought]:
    """Copies the pinned files that are not at hand from a folder, each by its path or its name."""
    shelf = Shelf(version.where.folder, work.cache)
    brought = []
    for file in files:
        try:
            shelf.verified(file)
        except InputError as error:
            if isinstance(error, CorpusMissing) and folder is None:
                raise how_to_get(version, error) from None
            # What is damaged in the cache is replaced; what lies beside the plan is its author's.
            if folder is None or (version.where.file(file.path)).is_file():
                raise
            source = _found(folder, file)
            keep(work.cache, file, source)
            brought.append(Brought(file.path, f"from {source}", file.sha256))
    return brought


def _found(folder: Path, file: PinnedFile) -> Path:
    tried = list(dict.fromkeys((folder / file.path, folder / Path(file.path).name)))
    found = {path: digest(path) for path in tried if path.is_file()}
    for path, sha256 in found.items():
        if sha256 == file.sha256:
            return path
    for path, sha256 in found.items():
        raise InputError(f"{path}: sha256 {sha256}, the plan pins {file.sha256}")
    raise CorpusMissing(f"{file.path}: not at hand; tried {', '.join(map(str, tried))}")


def keep(cache: Path, file: PinnedFile, source: Path) -> None:
    """Copies a file into the cache, under the digest that it has."""
    files.copy(cached(cache, file), source)


def _bring_archives(
    work: Context, version: Version, corpus: ArchivesCorpus, folder: Path | None, base: str
) -> list[fetch.Fetched]:
    """What was verified is remembered under the digests that were checked."""
    fetched: list[fetch.Fetched] = []
    try:
        if folder is not None and _has_archives(work, version, corpus, folder):
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
    files.write(_verified(work, version), f"{version.where.key}\n".encode())
    return fetched


def _has_archives(work: Context, version: Version, corpus: ArchivesCorpus, folder: Path) -> bool:
    """Is the folder meant for archives, and not alone for the files that the plan pins?"""
    if not files_of(version.plan) or fetch.missing(corpus.archives, work.cache):
        return True
    return folder.is_dir() and any(one.suffix.lower() == ".zip" for one in folder.iterdir())


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
        check_pins(found.counts, corpus.pins, f"{version.where.file(PLAN)}: $.corpus.pins")
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
