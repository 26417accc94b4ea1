"""Every link, anchor and file that a site's files refer to, checked before any is written.

`references` takes the files apart; what is merely doubtful about them stands in `linkrules`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import unquote, urlsplit

from pagecost import references
from pagecost.prose import is_external
from pagecost.references import Page, Reference

ANYWHERE = "404.html"
"""The page that a host shows wherever it has none, at any depth."""


class Crawl:
    """The files of a site by path, and where each leads. A page is taken apart once.

    `site_url` is the site's own address, ending in a slash, where that is known. Addresses below
    it that are written for machines are followed into the site.
    """

    def __init__(self, contents: Mapping[str, bytes], site_url: str | None = None) -> None:
        self.contents = contents
        self._site_url = site_url
        self._base = unquote(urlsplit(site_url or "/").path)
        self._pages: dict[str, Page | None] = {}

    def page(self, path: str) -> Page | None:
        """The page at that path; None where it is not HTML that can be read."""
        if path not in self._pages:
            self._pages[path] = references.page(self.contents[path])
        return self._pages[path]

    def references(self, path: str) -> list[Reference]:
        """What that file refers to. ValueError says why it can't be read."""
        if not path.endswith(".html"):
            return references.of_file(path, self.contents[path])
        page = self.page(path)
        if page is None:
            raise ValueError("not HTML that can be read")
        return page.references

    def target(self, path: str, reference: Reference) -> tuple[str, str] | None:
        """The file that a reference of the one at `path` leads to, and the anchor there.

        None where it leaves the site. ValueError says why it can't be followed from wherever it
        is read.
        """
        link = reference.link
        if is_external(link):
            site_url = self._site_url
            if not reference.is_address or site_url is None or not link.startswith(site_url):
                return None
            parts = urlsplit(link.removeprefix(site_url))
            return _index(unquote(parts.path)), unquote(parts.fragment)
        if reference.must_be_whole:
            raise ValueError("is relative, where a reader needs the whole address")
        parts = urlsplit(link)
        place, anchor = unquote(parts.path), unquote(parts.fragment)
        if not place:
            return path, anchor
        if path == ANYWHERE:
            if not place.startswith(self._base):
                raise ValueError(f"is not below {self._base!r}, and is read at any depth")
            return _index(place.removeprefix(self._base)), anchor
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), place)), anchor

    def problems(self, checked: Collection[str] | None = None) -> Iterator[str]:
        """A sentence for each broken reference, and for each anchor that stands twice.

        `checked` are the files whose references are followed (all, unless given). A link to a
        folder counts as broken: from a folder on disk it would open a listing.
        """
        for path in sorted(self.contents if checked is None else set(checked)):
            try:
                found = dict.fromkeys(self.references(path))
            except ValueError as error:
                yield f"{path}: {error}"
                continue
            if path.endswith(".html") and (page := self.page(path)) is not None:
                yield from (f"{path}: {said}" for said in _within(page))
            for reference in found:
                if (said := self._broken(path, reference)) is not None:
                    yield f"{path}: {reference.link!r}{said}"

    def _broken(self, path: str, reference: Reference) -> str | None:
        """What is wrong with a reference, to stand behind it; None if nothing is."""
        try:
            found = self.target(path, reference)
        except ValueError as error:
            return f" {error}"
        if found is None:
            return None
        target, anchor = found
        if target not in self.contents:
            return f" leads to {target!r}, which is no file of the site"
        if not anchor or not target.endswith(".html"):
            return None
        page = self.page(target)  # of one that can't be read nobody knows
        if page is None or anchor in page.anchors:
            return None
        return f": {target!r} has no such anchor"


def problems(
    contents: Mapping[str, bytes],
    checked: Collection[str] | None = None,
    site_url: str | None = None,
) -> Iterator[str]:
    """What `Crawl.problems` finds among these files."""
    return Crawl(contents, site_url).problems(checked)


def _index(place: str) -> str:
    """The file that a host shows for a path below the site's root."""
    return f"{place}index.html" if place == "" or place.endswith("/") else place


def _within(page: Page) -> Iterator[str]:
    """What is wrong with the anchors of a page by itself."""
    for anchor, times in sorted(page.anchors.items()):
        if times > 1:
            yield f"the anchor {anchor!r} stands twice"
    for attribute, name in dict.fromkeys(page.named):
        if name not in page.anchors:
            yield f"{attribute} names {name!r}, which is no element of the page"
