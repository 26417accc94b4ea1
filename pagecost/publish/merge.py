"""A site laid over what a branch holds: what is written, what is removed, what is refused.

Pure: paths and bytes in, paths and bytes out. What pagecost did not write stays as it is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping

import msgspec

from pagecost import manifest
from pagecost.errors import InputError
from pagecost.manifest import MARKER, Manifest
from pagecost.publish.ledger import LEDGER

TEXT = (
    ".html", ".htm", ".xhtml", ".xml", ".svg", ".md", ".txt", ".css", ".js", ".json",
    ".webmanifest",
)  # fmt: skip
"""Files that may refer to an asset."""

_ASSET = re.compile(r"(?:.*/)?assets/[^/]+\.[0-9a-f]{10}\.[a-z0-9]+")
_FOR_HOSTS = ("404.html", "robots.txt")
"""Files for the host as a whole, which may have had its own before: those stay."""
_OURS = (MARKER, LEDGER)
"""Files of the branch that are pagecost's by their names, and checked when they are read."""


class Merged(msgspec.Struct, frozen=True):
    """What becomes of a branch: files written, files removed, and the manifest afterwards."""

    write: dict[str, bytes]
    remove: list[str]
    manifest: dict[str, str]


def merge(
    blobs: Collection[str],
    before: Manifest,
    site: Mapping[str, bytes],
    replaced: Collection[str],
    texts: Mapping[str, bytes],
) -> Merged:
    """Lays `site` over a branch that has the paths `blobs`, of which `before` are pagecost's.

    `replaced` are folders whose files become exactly the site's. `texts` are the files of the
    branch that may refer to an asset. InputError where a file that is not pagecost's is in the way.
    """
    write = dict(site)
    if ".nojekyll" in blobs:  # whatever is in it: that it is there is what counts
        write.pop(".nojekyll", None)
    for path in _FOR_HOSTS:
        if path in blobs and path not in before and texts.get(path) != write.get(path):
            write.pop(path, None)
    if conflicts := sorted(set(_conflicts(blobs, before, write, texts))):
        raise InputError(
            f"{', '.join(conflicts)}: on the branch already, and not pagecost's. Move it away, or "
            "publish to a branch of its own with --branch"
        )
    stale = {
        path
        for path in before
        if path not in site and any(path.startswith(folder) for folder in replaced)
    }
    kept = {path: data for path, data in texts.items() if path not in stale and path not in site}
    pages = [*kept.values(), *(data for path, data in site.items() if path.endswith(TEXT))]
    stale |= set(_unused(before, site, pages))
    owned = {path: digest for path, digest in before.items() if path not in stale}
    owned |= manifest.of(write)
    return Merged(write, sorted(stale & set(blobs)), owned)


def _conflicts(
    blobs: Collection[str],
    before: Manifest,
    write: Mapping[str, bytes],
    texts: Mapping[str, bytes],
) -> Iterator[str]:
    """Files of the branch that pagecost did not write, where it would."""
    foreign = {path for path in blobs if path not in before and path not in _OURS}
    folders = {parent for path in foreign for parent in _parents(path)}
    for path, data in write.items():
        if path in foreign and texts.get(path) != data:
            yield path
        if path in folders:
            yield f"{path}/"
        yield from (parent for parent in _parents(path) if parent in blobs)


def _parents(path: str) -> Iterator[str]:
    while path := posixpath.dirname(path):
        yield path


def _unused(before: Manifest, site: Mapping[str, bytes], pages: list[bytes]) -> Iterator[str]:
    """Assets of earlier publications that no page, ours or anybody's, names any more."""
    for path in before:
        if path not in site and _ASSET.fullmatch(path):
            name = posixpath.basename(path).encode("utf-8")
            if not any(name in page for page in pages):
                yield path
