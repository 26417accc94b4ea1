"""Which files pagecost wrote in a folder or branch: `.pagecost-site`, for `sha256sum -c`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pagecost import jsonio
from pagecost.errors import InputError

MARKER = ".pagecost-site"
"""Stands in a folder that pagecost wrote, and may replace."""

_LINE = re.compile(r"(\\?)([0-9a-f]{64})  (.+)", re.DOTALL)
_ESCAPE = re.compile(r"\\([\\n])")

Manifest = Mapping[str, str]
"""Path → sha256 of the file's bytes."""


def of(contents: Mapping[str, bytes]) -> dict[str, str]:
    """The manifest of these files."""
    return {path: jsonio.sha256(data) for path, data in contents.items()}


def to_bytes(manifest: Manifest) -> bytes:
    """One line a file, in order of path."""
    lines = "".join(_line(manifest[path], path) for path in sorted(manifest))
    return lines.encode("utf-8", "surrogateescape")  # as Python has paths that are no UTF-8


def _line(digest: str, path: str) -> str:
    if "\n" not in path:
        return f"{digest}  {path}\n"
    # As sha256sum writes it: the backslash in front says that there are some in the name.
    escaped = path.replace("\\", r"\\").replace("\n", r"\n")
    return f"\\{digest}  {escaped}\n"


def from_bytes(data: bytes, where: object) -> dict[str, str]:
    """The manifest in those bytes. InputError names the line that is none."""
    found: dict[str, str] = {}
    lines = data.decode("utf-8", "surrogateescape").split("\n")  # a path may hold other breaks
    for number, line in enumerate(lines[:-1] if lines[-1] == "" else lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            raise InputError(f"{where}: line {number}: expected a sha256, two spaces and a path")
        escaped, digest, path = match.groups()
        found[_ESCAPE.sub(_escaped, path) if escaped else path] = digest
    return found


def _escaped(match: re.Match[str]) -> str:
    return "\n" if match[1] == "n" else "\\"
