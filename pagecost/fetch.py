"""Getting the archives that a plan pins into the cache: downloaded, or taken from a folder."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import msgspec

from pagecost import files
from pagecost.corpora.archives import archive_path, open_archive
from pagecost.corpora.zips import ARCHIVE_BYTES, SourceZip
from pagecost.errors import InputError
from pagecost.jsonio import read_bytes, sha256
from pagecost.model import Archive

GITHUB = "https://codeload.github.com"
_CHUNK = 1 << 16
_ATTEMPTS = 3
_TIMEOUT = 60

Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far, and how many there will be where the server says so."""


class Fetched(msgspec.Struct, frozen=True):
    """An archive that was brought, and how. It waits beside its place until it is checked."""

    archive: Archive
    waiting: Path
    sha256: str
    how: str

    def keep(self, cache: Path) -> None:
        """Puts it in its place."""
        self.waiting.replace(archive_path(cache, self.archive))

    def drop(self) -> None:
        """Removes it; what was in its place stays."""
        self.waiting.unlink(missing_ok=True)


def missing(archives: list[Archive], cache: Path) -> list[Archive]:
    """The archives that the cache doesn't have."""
    return [archive for archive in archives if not archive_path(cache, archive).is_file()]


def forget_broken(archives: list[Archive], cache: Path) -> list[Archive]:
    """Takes archives that aren't what they should be, or damaged, out of the cache; says which."""
    broken = []
    for archive in archives:
        path = archive_path(cache, archive)
        try:
            with open_archive(archive, path) as source:
                source.check()
        except InputError:
            path.unlink(missing_ok=True)
            broken.append(archive)
    return broken


def from_folder(archives: list[Archive], folder: Path, cache: Path) -> list[Fetched]:
    """Takes the ZIPs that are there already, found by their root folder, whatever their name.

    InputError names the archives that none of them is, and the ZIPs that can't be read.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no folder")
    roots: dict[str, Path] = {}
    unread: list[str] = []
    for path in sorted(one for one in folder.iterdir() if one.suffix.lower() == ".zip"):
        try:
            with SourceZip(path) as source:
                roots[source.root] = path
        except InputError as error:  # somebody's other ZIP, maybe
            unread.append(str(error))
    wanted = [(one, f"{one.repository.split('/')[1]}-{one.revision}") for one in archives]
    if missing := sorted({root for _, root in wanted} - set(roots)):
        found = f"found: {', '.join(sorted(roots)) or 'none'}"
        raise InputError(
            "\n".join(
                [f"{folder}: no ZIP with the root folder {', '.join(missing)}; {found}", *unread]
            )
        )
    return [
        _store(archive, read_bytes(roots[root], ARCHIVE_BYTES), cache, f"from {roots[root]}")
        for archive, root in wanted
    ]


def download(archive: Archive, cache: Path, base: str, progress: Progress) -> Fetched:
    """Downloads one archive whole, or not at all.

    GitHub's archives have no byte ranges and often no length, so a broken transfer starts again.
    InputError after a few attempts, or where it grows past the bound.
    """
    url = f"{base.rstrip('/')}/{archive.repository}/zip/{archive.revision}"
    problems: list[str] = []
    for _ in range(_ATTEMPTS):
        try:
            data = _read(url, progress)
            return _store(archive, data, cache, f"downloaded from {url}")
        except urllib.error.HTTPError as error:
            problems.append(f"the server answered {error.code} {error.reason}")
            if error.code < 500:  # asking again would not help
                break
        except (OSError, http.client.HTTPException) as error:
            problems.append(str(error) or type(error).__name__)
        except InputError as error:
            problems.append(str(error))
        except ValueError as error:  # an address that is none, or what it has grown to
            problems.append(str(error))
            break
    raise InputError(
        f"{url}: could not be downloaded: {'; then '.join(dict.fromkeys(problems))}. If you have "
        "the ZIPs already, name their folder with --from"
    )


def _read(url: str, progress: Progress) -> bytes:
    request = urllib.request.Request(url, headers={"User-Agent": "pagecost"})
    with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
        length = answer.headers.get("Content-Length")
        total = int(length) if length and length.isdecimal() else None
        chunks: list[bytes] = []
        done = 0
        while chunk := answer.read(_CHUNK):
            chunks.append(chunk)
            done += len(chunk)
            if done > ARCHIVE_BYTES:
                raise ValueError(f"larger than {ARCHIVE_BYTES:,} bytes")
            progress(done, total)
        if total is not None and done != total:
            raise InputError(f"broke off after {done:,} of {total:,} bytes")
        return b"".join(chunks)


def _store(archive: Archive, data: bytes, cache: Path, how: str) -> Fetched:
    """Puts an archive beside its place in the cache, if it opens as the pinned revision."""
    path = archive_path(cache, archive)
    waiting = path.with_name(f"{path.name}.{os.getpid()}.part")
    files.write(waiting, data)
    try:
        open_archive(archive, waiting).close()
    except BaseException:
        waiting.unlink(missing_ok=True)
        raise
    return Fetched(archive=archive, waiting=waiting, sha256=sha256(data), how=how)
