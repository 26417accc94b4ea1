"""How large what a reader loads may be, and how large it is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

PAGE = 300_000
"""Bytes of a page's own HTML, however many queries a report has."""
STYLE = 30_000
"""Bytes of all style sheets of one site."""
SCRIPT = 40_000
"""Bytes of all scripts that are ours, which is all but the Vega bundle."""


def warnings(contents: Mapping[str, bytes]) -> Iterator[str]:
    """A sentence for each budget that a site does not keep."""
    for path, data in sorted(contents.items()):
        if path.endswith(".html") and len(data) > PAGE:
            yield f"{path}: {len(data):,} bytes of HTML, of at most {PAGE:,}"
    for what, found, most in (
        ("style sheets", _assets(contents, ".css"), STYLE),
        ("scripts", _ours(contents), SCRIPT),
    ):
        if (size := _size(found)) > most:
            yield f"{', '.join(sorted(found))}: {size:,} bytes of {what}, of at most {most:,}"
    if len(bundles := _bundles(contents)) > 1:
        yield f"{', '.join(sorted(bundles))}: more than one Vega bundle"


def summary(contents: Mapping[str, bytes]) -> str:
    """Every budget and what is spent of it, in one line."""
    pages = {path: len(data) for path, data in contents.items() if path.endswith(".html")}
    largest = max(sorted(pages), key=lambda path: pages[path])
    bundles = _bundles(contents)
    return (
        f"budgets: largest page {pages[largest]:,} of {PAGE:,} bytes ({largest}); "
        f"style {_size(_assets(contents, '.css')):,} of {STYLE:,}; "
        f"scripts {_size(_ours(contents)):,} of {SCRIPT:,}; "
        f"Vega bundle {_size(bundles):,}, {len(bundles)} of at most 1"
    )


def _size(found: Mapping[str, bytes]) -> int:
    return sum(map(len, found.values()))


def _assets(contents: Mapping[str, bytes], suffix: str) -> dict[str, bytes]:
    return {
        path: data
        for path, data in contents.items()
        if posixpath.dirname(path) == "assets" and path.endswith(suffix)
    }


def _bundles(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    scripts = _assets(contents, ".js")
    return {path: data for path, data in scripts.items() if path.startswith("assets/vega.")}


def _ours(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    bundles = _bundles(contents)
    return {p: data for p, data in _assets(contents, ".js").items() if p not in bundles}
