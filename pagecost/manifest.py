"""Which files pagecost wrote in a folder or branch: `.pagecost-site`, for `sha256sum -c`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pagecost import jsonio
from pagecost.errors import InputError

MARKER = ".pagecost-site"
"""Stands in a folder that pagecost wrote, and may replace."""

_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")

Manifest = Mapping[str, str]
"""Path → sha256 of the file's bytes."""


def of(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The manifest of these files."""
    return {path: jsonio.sha256(data) for path, data in contents.items()}


def to_bytes(manifest: Manifest) -> bytes:
    """One line a file, in order of path."""
    return "".join(f"{manifest[path]}  {path}\n" for path in sorted(manifest)).encode("utf-8")


def from_bytes(data: bytes, where: object) -> dict[str, str]:
    """The manifest in those bytes. InputError names the line that is none."""
    found: dict[str, str] = {}
    for number, line in enumerate(jsonio.text_of(data, where).splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise InputError(f"{where}: line {number}: expected a sha256, two spaces and a path")
        found[match[2]] = match[1]
    return found
