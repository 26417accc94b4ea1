"""Every link, anchor and file that a page refers to, checked before the site is written."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

from pagecost.prose import is_external

_REFERRING = ("href", "src", "data-target", "data-vega", "data-figures")


class _Page(HTMLParser):
    """The anchors of a page, and what it refers to."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.anchors: list[str] = []
        self.links: list[str] = []

    def has(self, anchor: str) -> bool:
        """Is there such an anchor? No fragment at all is the page itself."""
        return not anchor or anchor in self.anchors

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.append(value)
            elif name in _REFERRING and value is not None:
                self.links.append(value)


def problems(
    contents: Mapping[str, bytes], checked: Collection[str] | None = None
) -> Iterator[str]:
    """A sentence for each broken link, missing anchor or anchor that stands twice.

    `contents` are the site's files by path, `checked` those whose links are followed (all, unless
    given). A link to a folder counts as broken: from a folder on disk it would open a listing.
    """
    pages: dict[str, _Page | None] = {}

    def page_at(path: str) -> _Page | None:
        if path not in pages:
            pages[path] = _parsed(contents[path])
        return pages[path]

    html = [path for path in contents if path.endswith(".html")]
    for path in sorted(html if checked is None else set(html) & set(checked)):
        page = page_at(path)
        if page is None:
            yield f"{path}: not HTML that can be read"
            continue
        for anchor in sorted({one for one in page.anchors if page.anchors.count(one) > 1}):
            yield f"{path}: the anchor {anchor!r} stands twice"
        for link in dict.fromkeys(page.links):
            if is_external(link):
                continue
            parts = urlsplit(link)
            target = path
            if parts.path:
                target = posixpath.normpath(
                    posixpath.join(posixpath.dirname(path), unquote(parts.path))
                )
            if target not in contents:
                yield f"{path}: {link!r} leads to {target!r}, which is no file of the site"
            elif target.endswith(".html") and not _has(page_at(target), unquote(parts.fragment)):
                yield f"{path}: {link!r}: {target!r} has no such anchor"


def _has(page: _Page | None, anchor: str) -> bool:
    """Is there such an anchor? Of a page that can't be read nobody knows."""
    return page is None or page.has(anchor)


def _parsed(data: bytes) -> _Page | None:
    """The page, or None: one that somebody else wrote may be anything."""
    page = _Page()
    try:
        page.feed(data.decode("utf-8", "replace"))
    except (AssertionError, ValueError):  # as html.parser has it
        return None
    return page
