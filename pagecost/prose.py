"""Markdown → HTML, escaped by construction: no raw HTML, no script links, no images from afar."""

from __future__ import annotations

import html
import itertools
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import quote, urlsplit

import msgspec
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

Rewrite = Callable[[str], str]
"""From a link as written to the link as published."""

_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?\n)?---\r?\n", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_ROOT = "/site"


class Heading(msgspec.Struct, frozen=True):
    """A heading of a rendered page: its anchor and its text."""

    level: int
    anchor: str
    text: str


class Rendered(msgspec.Struct, frozen=True):
    """HTML that is safe to put on a page, and its headings in order."""

    html: Markup
    headings: tuple[Heading, ...]


@cache
def _markdown() -> MarkdownIt:
    # js-default: raw HTML is off, so what looks like a tag is shown as text.
    made = MarkdownIt("js-default", {"html": False, "linkify": False, "typographer": False})
    made.add_render_rule("table_open", _table_open)
    made.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return made


def render(text: str, rewrite: Rewrite, *, top: int = 1, prefix: str = "") -> Rendered:
    """A Markdown text. Its highest headings become level `top`; `prefix` begins their anchors."""
    tokens = _markdown().parse(without_front_matter(text))
    _rewrite(tokens, rewrite)
    highest = min((int(one.tag[1]) for one in tokens if one.type == "heading_open"), default=1)
    headings = _headings(tokens, top - highest, prefix)
    _name_tables(tokens)
    made = _markdown().renderer.render(tokens, _markdown().options, {})
    made = made.replace("<pre>", '<pre tabindex="0">')
    return Rendered(Markup(made), tuple(headings))


def inline(text: str, rewrite: Rewrite = lambda link: link) -> Markup:
    """Inline Markdown: emphasis, code and links, nothing that makes a block."""
    tokens = _markdown().parseInline(text)
    _rewrite(tokens, rewrite)
    return Markup(_markdown().renderer.render(tokens, _markdown().options, {}))


def plain(text: str) -> str:
    """Inline Markdown as plain text."""
    return " ".join(html.unescape(_TAG.sub("", inline(text))).split())


def without_front_matter(text: str) -> str:
    """The text after a leading block between lines of three dashes."""
    return _FRONT_MATTER.sub("", text, count=1)


def front_matter(text: str) -> str:
    """That block, without its dashes; empty where there is none."""
    match = _FRONT_MATTER.match(text)
    return (match[1] or "") if match else ""


def escape(text: str) -> str:
    """Plain text for use inside a line of Markdown: nothing in it is markup or a line break."""
    return re.sub(r"([\\`*_{}\[\]<>#+!|~&])", r"\\\1", re.sub(r"\s*[\r\n]\s*", " ", text))


def is_external(link: str) -> bool:
    """Does the link leave the site?"""
    try:
        parts = urlsplit(link)
    except ValueError:  # it names a host, though a malformed one
        return True
    return bool(parts.scheme or parts.netloc)


def relative(target: str, page: str) -> str:
    """The link from a page to a target, both paths below the site's root."""
    path, mark, fragment = target.partition("#")
    # Below a root of its own, so that the working directory doesn't matter.
    start = posixpath.join(_ROOT, posixpath.dirname(page))
    link = posixpath.relpath(posixpath.join(_ROOT, path), start)
    return quote(link, safe="/+") + mark + fragment


def _rewrite(tokens: list[Token], rewrite: Rewrite) -> None:
    for token in tokens:
        # A column's alignment comes as an inline style, which the site's policy forbids.
        if token.attrs.pop("style", None) == "text-align:right":
            token.attrSet("class", "r")
        for child in token.children or ():
            for attribute in ("href", "src"):
                if isinstance(value := child.attrGet(attribute), str) and not is_external(value):
                    child.attrSet(attribute, rewrite(value))
            if child.type == "image" and is_external(str(child.attrGet("src"))):
                # The site asks no other host for anything: an image from afar is shown as text.
                child.type, child.tag, child.content = "text", "", f"[image: {child.content}]"


def _headings(tokens: list[Token], shift: int, prefix: str) -> list[Heading]:
    found: list[Heading] = []
    taken: set[str] = set()
    for token, content in itertools.pairwise(tokens):
        if token.type in ("heading_open", "heading_close"):
            level = min(6, int(token.tag[1]) + shift)
            token.tag = f"h{level}"
            if token.type == "heading_open":
                text = _text(content)
                anchor = _anchor(text, taken, prefix)
                token.attrSet("id", anchor)
                found.append(Heading(level, anchor, text))
    if tokens and tokens[-1].type == "heading_close":
        tokens[-1].tag = f"h{min(6, int(tokens[-1].tag[1]) + shift)}"
    return found


def _name_tables(tokens: list[Token]) -> None:
    """Each table scrolls in a region, which needs a name of its own: after its heading."""
    name, taken = "Table", Counter[str]()
    for token, content in itertools.pairwise(tokens):
        if token.type == "heading_open":
            name = f"Table under “{_text(content)}”"
        if token.type == "table_open":
            taken[name] += 1
            token.meta["name"] = f"{name}, {taken[name]}" if taken[name] > 1 else name


def _table_open(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    label = html.escape(tokens[index].meta["name"])
    return (
        f'<div class="tw" role="region" tabindex="0" aria-label="{label}">'
        '<table class="data lined">\n'
    )


def _text(heading: Token) -> str:
    return "".join(child.content for child in heading.children or ())


def _anchor(text: str, taken: set[str], prefix: str) -> str:
    slug = prefix + (re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "section")
    anchor, more = slug, 2
    while anchor in taken:
        anchor, more = f"{slug}-{more}", more + 1
    taken.add(anchor)
    return anchor
