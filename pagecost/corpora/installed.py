"""Distributions as they are installed: found by name, their Python files listed by RECORD."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
from importlib import metadata
from pathlib import Path, PureWindowsPath

import msgspec

from pagecost.errors import CorpusMissing, InputError
from pagecost.jsonio import ids_hash, read_bytes
from pagecost.model import Distribution, DistributionsCorpus

_RECORDED = re.compile(r"sha256=([A-Za-z0-9_-]{43})")


class SourceFile(msgspec.Struct, frozen=True):
    """A Python file; `recorded` is its sha256 as RECORD has it: base64, urlsafe, unpadded."""

    place: str
    path: str
    recorded: str
    location: str

    def read(self) -> bytes:
        try:
            return read_bytes(Path(self.location))
        except InputError as error:
            raise InputError(f"{self.place}: {error}; install it anew") from None

    def verified(self) -> bytes:
        data = self.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if digest != self.recorded:
            raise InputError(
                f"{self.place}: changed since it was installed: sha256={digest}, RECORD says "
                f"sha256={self.recorded}; install it anew"
            )
        return data


class Installed(msgspec.Struct, frozen=True):
    """A distribution of the plan, and its Python files in path order."""

    distribution: Distribution
    place: str
    files: tuple[SourceFile, ...]

    @property
    def sha256(self) -> str:
        return ids_hash(f"{file.path},sha256={file.recorded}" for file in self.files)

    def check_pin(self) -> None:
        if self.distribution.sha256 not in (None, self.sha256):
            raise InputError(
                f"{self.place}: the Python files in RECORD hash to {self.sha256}, the plan pins "
                f"{self.distribution.sha256}; install the file that the plan's author had"
            )


def find_all(corpus: DistributionsCorpus) -> list[Installed]:
    found: list[tuple[Distribution, metadata.Distribution]] = []
    problems: list[str] = []
    for pinned in corpus.distributions:
        one = _find(pinned.name)
        if one is not None and one.version == pinned.version:
            found.append((pinned, one))
        else:
            state = "not installed" if one is None else f"{one.version} is installed"
            problems.append(f"{pinned.name}: {state}, the plan pins {pinned.version}\n")
    if problems:
        wanted = " ".join(f'"{one.name}=={one.version}"' for one in corpus.distributions)
        raise CorpusMissing(
            f"{''.join(problems)}To get what the plan pins: pip install {wanted}\nThe project may "
            'list them as an extra, as pagecost\'s own does: pip install -e ".[corpora]"'
        )
    return [_list_files(pinned, one) for pinned, one in found]


def _find(name: str) -> metadata.Distribution | None:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    # An uninstall that was broken off leaves a folder without METADATA: it has no version.
    return found if found.read_text("METADATA") or found.read_text("PKG-INFO") else None


def _list_files(pinned: Distribution, found: metadata.Distribution) -> Installed:
    # Not `found.files`, which leaves out missing files in some versions of Python.
    place = f"{pinned.name}=={pinned.version}"
    files: dict[str, SourceFile] = {}
    for given, recorded in _record(found, place):
        path = given.replace("\\", "/")
        outside = ".." in path.split("/") or PureWindowsPath(path).anchor  # drive or leading slash
        if outside or not path.endswith(".py"):
            continue
        if (hashed := _RECORDED.fullmatch(recorded)) is None:
            raise InputError(
                f"{place}: {path}: the hash in RECORD is {recorded!r}, expected sha256=… in "
                "urlsafe base64 without padding; install it anew"
            )
        files[path] = SourceFile(f"{place}: {path}", path, hashed[1], str(found.locate_file(path)))
    # Some build backends give an editable install a .py of its own, so RECORD alone doesn't tell.
    if not files or _is_editable(found):
        raise CorpusMissing(
            f"{place}: RECORD doesn't list its Python files. An editable install's never does: "
            "install it without -e"
        )
    return Installed(pinned, place, tuple(files[path] for path in sorted(files)))


def _record(found: metadata.Distribution, place: str) -> list[tuple[str, str]]:
    """Path and hash of each row of RECORD; the hash is empty where there is none."""
    try:
        text = found.read_text("RECORD") or ""
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        return [(row[0], row[1] if len(row) > 1 else "") for row in rows if row]
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{place}: RECORD can't be read: {error}; install it anew") from None


def _is_editable(found: metadata.Distribution) -> bool:
    try:
        url = json.loads(found.read_text("direct_url.json") or "{}")
        return bool(url["dir_info"]["editable"])
    except (ValueError, LookupError, TypeError):
        return False
