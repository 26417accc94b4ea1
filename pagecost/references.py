"""Files of a site taken apart: what pages, style sheets, feeds and Markdown refer to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from xml.etree import ElementTree

from markdown_it import MarkdownIt

FEEDS = ("feed.xml", "sitemap.xml")
"""Read by machines that no longer know where they had it from."""

_LINKS = frozenset(("href", "src", "poster", "data-target", "data-source"))
"""Attributes that hold a link, or name a file for a script."""
_NAMING = frozenset(
    ("aria-labelledby", "aria-describedby", "aria-controls", "aria-details", "aria-owns",
     "aria-flowto", "for", "headers", "list")
)  # fmt: skip
"""Attributes whose words are ids of elements of the same page."""
_PREVIEWED = ("og:image", "og:image:url", "og:image:secure_url", "og:url", "twitter:image")
"""What a page says of itself to whoever previews a link to it."""

_CANDIDATE = re.compile(r"\s*([^\s,]\S*[^\s,]|[^\s,])(?:\s[^,]*)?(?:,|$)")
_REFRESH = re.compile(r"\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]*)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_IN_CSS = re.compile(
    r"""url\(\s*(?:"([^"]*)"|'([^']*)'|([^)"'\s]*))\s*\)|@import\s+(?:"([^"]*)"|'([^']*)')""",
    re.IGNORECASE,
)

_SHAPE = re.compile(
    r"""</?(?:g|path|line|rect|circle|text)
    (?:\ (?:d|[xy][12]?|c[xy]|r|width|height|transform|fill|stroke(?:-[a-z]+)?|opacity
    |(?:text|font)-[a-z]+)="[^"<>]*")*\ ?/?>""",
    re.VERBOSE,
)
"""A tag of a drawing that refers to nothing and is referred to by nothing."""


class Reference(NamedTuple):
    """A link as it is written. `is_address`: for machines, which may need the whole address."""

    link: str
    is_address: bool = False
    must_be_whole: bool = False


class Page(HTMLParser):
    """What a page says of itself, its anchors, and what it refers to."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lang = ""
        self.title = ""
        self.description = ""
        self.robots = ""
        self.anchors: Counter[str] = Counter()
        self.named: list[tuple[str, str]] = []
        self.references: list[Reference] = []
        self._in_title: bool | None = None  # None until the first one: a drawing has titles too

    @property
    def is_indexed(self) -> bool:
        """May a crawler list it?"""
        return "noindex" not in self.robots.lower()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and self._in_title is None:
            self._in_title = True
        if not attrs:  # as most have none
            return
        given = {name: value or "" for name, value in reversed(attrs)}  # the first one counts
        if one := given.get("id"):
            self.anchors[one] += 1
        for name, value in given.items():
            if name in _NAMING:
                self.named += ((name, one) for one in value.split())
        if (copied := given.get("data-copy", "")).startswith("#"):
            self.named.append(("data-copy", copied[1:]))
        if tag == "html":
            self.lang = given.get("lang", "")
        elif tag == "meta":
            self.references += self._meta(given)
        self.references += _links(tag, given)

    def _meta(self, given: dict[str, str]) -> Iterator[Reference]:
        content = given.get("content", "")
        match given.get("name", "").lower():
            case "description":
                self.description = self.description or content
            case "robots":
                self.robots += f" {content}"
        if given.get("property", given.get("name")) in _PREVIEWED:
            yield Reference(content, is_address=True)
        if given.get("http-equiv", "").lower() == "refresh" and (to := _REFRESH.match(content)):
            yield Reference(to[1].strip())

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "title" and self._in_title:
            self._in_title = False


def _links(tag: str, given: dict[str, str]) -> Iterator[Reference]:
    """The links in an element's attributes."""
    for name, value in given.items():
        # What a script is told about on its own element are files that it is to load.
        if name in _LINKS or (tag == "script" and name.startswith("data-") and value):
            yield Reference(value, is_address=tag == "link")
        elif name in ("srcset", "imagesrcset"):
            yield from map(Reference, _CANDIDATE.findall(value))


def page(data: bytes) -> Page | None:
    """The page, or None: one that somebody else wrote may be anything."""
    made = Page()
    try:
        # Most tags of a report are its drawings', and Python takes tags apart one by one.
        made.feed(_SHAPE.sub("", data.decode("utf-8", "replace")))
    except (AssertionError, ValueError):  # as html.parser has it
        return None
    return made


def head(data: bytes) -> Page | None:
    """What a page says of itself in its head; its body is not looked at."""
    before, end, _ = data.partition(b"</head>")
    return page(before + end)


def of_file(path: str, data: bytes) -> list[Reference]:
    """What a file that is no page refers to. ValueError where it can't be read."""
    if path.endswith(".css"):
        return [*_of_css(data.decode("utf-8", "replace"))]
    if path in FEEDS:
        return [*_of_xml(data)]
    if path.rpartition("/")[2] == "summary.md":
        return [*_of_markdown(data.decode("utf-8", "replace"))]
    return []


def _of_css(text: str) -> Iterator[Reference]:
    for groups in _IN_CSS.findall(_COMMENT.sub("", text)):
        link = "".join(groups)
        if link and not link.startswith("#"):  # of the page that uses the style
            yield Reference(link)


def _of_xml(data: bytes) -> Iterator[Reference]:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise ValueError(f"not XML: {error}") from None
    for element in root.iter():
        if element.tag.endswith("}loc"):
            yield Reference(element.text or "", is_address=True, must_be_whole=True)
        elif (link := element.get("href")) is not None:
            yield Reference(link, is_address=True, must_be_whole=True)


def _of_markdown(text: str) -> Iterator[Reference]:
    for token in MarkdownIt("commonmark").parse(text):
        for child in token.children or ():
            for attribute in ("href", "src"):
                if isinstance(link := child.attrGet(attribute), str):
                    yield Reference(link, is_address=True)
