"""Pinned source archives, read with suspicion: nothing is extracted to disk, nothing executed."""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path

from pagecost.errors import InputError

ARCHIVE_BYTES = 50 << 20
MEMBER_BYTES = 8 << 20
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What GitHub serves. bzip2 and LZMA are inflated without a bound: a kilobyte fills the memory."""


class SourceZip:
    """One repository at one revision, as GitHub serves it: one root folder, files below it.

    InputError names the archive and the member that is not as it must be.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if path.stat().st_size > ARCHIVE_BYTES:
                raise InputError(f"{path}: larger than {ARCHIVE_BYTES:,} bytes")
            self._zip = zipfile.ZipFile(path)
        except OSError as error:
            raise InputError(f"{path}: can't be read: {error.strerror or error}") from None
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise InputError(f"{path}: not a whole ZIP file: {error}") from None
        try:
            self.root, self._members = self._index()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> SourceZip:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self._zip.close()

    def _index(self) -> tuple[str, dict[str, zipfile.ZipInfo]]:
        roots: set[str] = set()
        members: dict[str, zipfile.ZipInfo] = {}
        seen: set[str] = set()
        for info in self._zip.infolist():
            # orig_filename, since zipfile cuts at NUL and turns backslashes on Windows.
            name = info.orig_filename
            parts = name.removesuffix("/").split("/")
            if any(part in ("", ".", "..") for part in parts) or "\\" in name or "\0" in name:
                raise InputError(f"{self.path}: member {name!r} is not a plain relative path")
            roots.add(parts[0])
            if name in seen:
                raise InputError(f"{self.path}: member {name!r} stands twice")
            seen.add(name)
            if name.endswith("/"):
                continue
            if len(parts) == 1:
                raise InputError(f"{self.path}: member {name!r} lies outside a root folder")
            if info.flag_bits & _ENCRYPTED:
                raise InputError(f"{self.path}: member {name!r} is encrypted")
            if info.compress_type not in _METHODS:
                raise InputError(
                    f"{self.path}: member {name!r} is compressed by method {info.compress_type}, "
                    "expected stored or deflated"
                )
            if info.file_size > MEMBER_BYTES:
                raise InputError(
                    f"{self.path}: member {name!r} inflates to {info.file_size:,} bytes, "
                    f"expected at most {MEMBER_BYTES:,}"
                )
            members["/".join(parts[1:])] = info
        if len(roots) != 1:
            raise InputError(
                f"{self.path}: {len(roots)} root folders ({', '.join(sorted(roots)) or 'none'}), "
                "expected one"
            )
        return roots.pop(), members

    @property
    def files(self) -> frozenset[str]:
        """Paths below the root folder, with `/`. A symbolic link counts, but can't be read."""
        return frozenset(self._members)

    def read(self, path: str) -> bytes:
        """The bytes of one file. InputError if it is missing, a link, or does not inflate well."""
        info = self._members.get(path)
        if info is None:
            raise InputError(f"{self.path}: {self.root}/{path} is missing")
        if _is_link(info):
            raise InputError(f"{self.path}: {self.root}/{path} is a symbolic link")
        try:
            with self._zip.open(info) as file:
                data = file.read(MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
            raise InputError(f"{self.path}: {self.root}/{path}: {error}") from None
        if len(data) != info.file_size:
            raise InputError(
                f"{self.path}: {self.root}/{path}: {len(data):,} bytes, "
                f"the directory says {info.file_size:,}"
            )
        return data

    def check(self) -> None:
        """Reads every file, links aside. InputError at the first that does not inflate well."""
        for path, info in self._members.items():
            if not _is_link(info):
                self.read(path)


def _is_link(info: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(info.external_attr >> 16)
