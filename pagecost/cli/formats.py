"""Comparisons in the formats that `pagecost diff` prints."""

from __future__ import annotations

from pathlib import Path

from pagecost import files, jsonio
from pagecost.comparing import Compared
from pagecost.diff.since import Since
from pagecost.report import difftext


def one(found: Compared, kind: str) -> bytes:
    """Two sides, and what became of the limits."""
    match kind:
        case "json":
            return difftext.to_json(found.diff, found.limits)
        case "html":
            from pagecost.site import standalone  # draws: takes longest to load

            return standalone.compare(found.a, found.b, Path.cwd(), files.cache_folder())
        case "markdown":
            return difftext.to_markdown(found.diff, found.limits).encode("utf-8")
        case _:
            return difftext.to_text(found.diff, found.limits).encode("utf-8")


def several(found: Since, kind: str) -> bytes:
    """What became of all versions since a revision."""
    if kind == "json":
        return jsonio.canonical({"schema": 1, "since": found})
    return difftext.since(found, markdown=kind == "markdown").encode("utf-8")
