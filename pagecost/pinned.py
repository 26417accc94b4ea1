"""Files that a plan pins by sha256: found beside the plan or in the cache, opened, checked.

A file that a plan pins lies below its version's folder, under the plan's own path, or in the cache,
under its digest. Which of the two it is makes no difference to anything that is written.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from pagecost.errors import FileMissing, InputError
from pagecost.model import BeirCorpus, PinnedFile, Plan, TrecCorpus
from pagecost.policies import runs

LONGEST_LINE = 1 << 20
"""Bytes of a line of judgments or of a run. Nothing real comes near: a gzip of one line may hold
more than a machine has memory."""

_GZIP = b"\x1f\x8b"


def files_of(plan: Plan) -> list[PinnedFile]:
    """The files that a plan pins and that are brought, not fetched: a collection's, and runs."""
    corpus = plan.corpus
    found: list[PinnedFile] = []
    if isinstance(corpus, BeirCorpus):
        found = [corpus.documents, corpus.queries, corpus.qrels]
    if isinstance(corpus, TrecCorpus):
        found = [corpus.qrels] if corpus.topics is None else [corpus.qrels, corpus.topics]
    return list(dict.fromkeys((*found, *(run.file for run in runs(plan.policies)))))


class Shelf:
    """Where pinned files lie on this machine: `given` names some directly, by the plan's path."""

    def __init__(self, folder: Path, cache: Path, given: Mapping[str, Path] | None = None) -> None:
        self._folder = folder
        self._cache = cache
        self._given = given or {}

    def find(self, file: PinnedFile) -> Path:
        """The file, whatever its bytes are. FileMissing where it is not at hand."""
        for path in (
            self._given.get(file.path, self._folder / file.path),
            cached(self._cache, file),
        ):
            if path.is_file():
                return path
        raise FileMissing(f"{file.path}: not at hand, neither beside the plan nor in the cache")

    def verified(self, file: PinnedFile) -> Path:
        """The file, its bytes checked. InputError where they are not those that the plan pins."""
        path = self.find(file)
        if (found := digest(path)) != file.sha256:
            raise InputError(f"{path}: sha256 {found}, the plan pins {file.sha256}")
        return path


def cached(cache: Path, file: PinnedFile) -> Path:
    """Where the cache keeps a pinned file."""
    return cache / "files" / file.sha256


def digest(path: Path) -> str:
    """sha256 of the file's bytes."""
    try:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from None


def is_gzip(path: Path) -> bool:
    """Is its content gzip, whatever it is called?"""
    try:
        with path.open("rb") as file:
            return file.read(len(_GZIP)) == _GZIP
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from None


def is_inside(path: str) -> bool:
    """Does a plan's path stay below its folder, on every system?"""
    parts = PurePosixPath(path).parts
    return bool(parts) and not (
        path.startswith("/") or ".." in parts or "\\" in path or ":" in path
    )


def lines(file: IO[bytes], path: Path, longest: int = LONGEST_LINE) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, from 1. InputError where one is longer than `longest` bytes."""
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise too_long(path, number, longest)
        yield number, line


def too_long(path: Path, number: int, longest: int = LONGEST_LINE) -> InputError:
    """That a line has more bytes than are read."""
    return InputError(f"{path}: line {number}: longer than {longest:,} bytes")


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's content, unpacked where it is gzip, whatever it is called.

    InputError where it can't be read, or its gzip is damaged or cut.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.open(raw) as unpacked:
                yield unpacked  # type: ignore[misc]  # GzipFile reads as any binary file
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged gzip: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from None
