"""What a host, a feed reader and a crawler ask for by name: `404.html`, robots, feed, sitemap."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from pagecost import references
from pagecost.links import ANYWHERE
from pagecost.names import version_order
from pagecost.project import Config
from pagecost.report.naming import description_of, results_of, title_of
from pagecost.site.frame import Frame
from pagecost.versions import Version

ROBOTS, FEED, SITEMAP = "robots.txt", "feed.xml", "sitemap.xml"
AT_ROOT = (".nojekyll", ROBOTS, ANYWHERE)
"""Files that a host looks for at its root, and nowhere below."""

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML has no way to write."""


class Entry(msgspec.Struct, frozen=True):
    """A version in the feed. `date` is midnight UTC of its plan's date: no clock is read."""

    address: str
    title: str
    date: str
    kind: str
    summary: str


def feed_of(config: Config, versions: Sequence[Version]) -> str | None:
    """Where a site of these versions has its feed.

    None where its address is not known, or there is nothing to list and so no date.
    """
    return FEED if config.site_url is not None and any(map(_is_public, versions)) else None


def files(
    config: Config,
    frame: Frame,
    versions: Sequence[Version],
    contents: Mapping[str, bytes],
    kept: Mapping[str, bytes],
) -> dict[str, bytes]:
    """These files, for a site of all `versions` whose other files are `contents`.

    `kept` are pages that stand on the site already and stay.
    """
    found = {
        ".nojekyll": b"",
        ROBOTS: _robots(frame.address(SITEMAP)),
        ANYWHERE: frame.page(
            "404.html",
            ANYWHERE,
            frame.crumbs(),
            experiments=sorted({version.plan.experiment for version in versions}),
        ),
    }
    if config.site_url is not None:
        folders = {f"{version.plan.experiment}/{version.plan.version}" for version in versions}
        listed = sorted(_indexed({**kept, **contents}, folders))
        addresses = [_address(frame, path) for path in listed]
        found[SITEMAP] = frame.text("sitemap.xml", addresses=addresses)
    if feed_of(config, versions) is not None:
        entries = list(_entries(frame, versions))
        found[FEED] = frame.text(
            "feed.xml",
            path=FEED,
            name=_xml(config.site_name),
            updated=entries[0].date,
            entries=entries,
        )
    return found


def _is_public(version: Version) -> bool:
    return not version.plan.is_draft


def _entries(frame: Frame, versions: Sequence[Version]) -> Iterator[Entry]:
    """The versions that aren't drafts, the newest plan first; among those of a day, by name."""
    found = sorted(filter(_is_public, versions), key=lambda one: version_order(one.plan.version))
    found.reverse()
    found.sort(key=lambda one: one.plan.experiment)
    found.sort(key=lambda one: one.plan.date, reverse=True)
    for version in found:
        plan, results = version.plan, results_of(version)
        yield Entry(
            address=_address(frame, f"{plan.experiment}/{plan.version}/index.html"),
            title=_xml(title_of(plan, results)),
            date=f"{plan.date}T00:00:00Z",
            kind=plan.kind,
            summary=_xml(description_of(plan, results)),
        )


def _indexed(pages: Mapping[str, bytes], versions: Collection[str]) -> Iterator[str]:
    """The pages that a crawler may list: none that asks not to be, and no figure alone."""
    for path, data in pages.items():
        if not path.endswith(".html") or path == ANYWHERE:
            continue
        parts = path.split("/")
        if "/".join(parts[:2]) in versions and parts[2:3] == ["embed"]:
            continue
        page = references.head(data)
        if page is not None and page.is_indexed:
            yield path


def _robots(sitemap: str | None) -> bytes:
    """All may be read; drafts and pages that lead on ask for themselves not to be listed."""
    lines = ["User-agent: *", "Allow: /"]
    if sitemap is not None:
        lines += ["", f"Sitemap: {sitemap}"]
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _address(frame: Frame, path: str) -> str:
    found = frame.address(path)
    assert found is not None  # asked for only where the site's address is known
    return _xml(found)


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
