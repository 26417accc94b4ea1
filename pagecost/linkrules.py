"""What is doubtful about a site, though no link of it is broken. A strict build fails of it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase

from pagecost.links import ANYWHERE, Crawl

FETCHED_BY_NAME = (
    "index.html",  # whoever knows the site's address
    ".nojekyll", "robots.txt", ANYWHERE,  # a host, a crawler
    "feed.xml", "sitemap.xml",  # a feed reader, a crawler
    ".pagecost-site", "versions.json", "*/experiment.json", "*/*/documents.txt",  # publications
    "schema/*.json",  # an editor that checks a plan
    "*.csv-metadata.json",  # a reader of CSV on the Web: it stands beside the file
    "*/*/og.png",  # a preview; pages name it only where the site's address is known
)  # fmt: skip
"""Files that somebody asks for by name, so that nothing on the site need refer to them."""


def warnings(crawl: Crawl) -> Iterator[str]:
    """A sentence for each file that nothing leads to, and for pages that can't be told apart."""
    yield from _unused(crawl)
    yield from _unsaid(crawl)
    yield from _alike(crawl)


def _pages(crawl: Crawl) -> list[str]:
    return sorted(path for path in crawl.contents if path.endswith(".html"))


def _unused(crawl: Crawl) -> Iterator[str]:
    """Files that no page or style sheet but themselves refers to."""
    led_to = set()
    for path in crawl.contents:
        if path.endswith((".html", ".css")):  # feed and sitemap list, and lead nobody
            targets = (crawl.target(path, one) for one in crawl.references(path))
            led_to |= {found[0] for found in targets if found is not None and found[0] != path}
    for path in sorted(crawl.contents.keys() - led_to):
        if not any(fnmatchcase(path, pattern) for pattern in FETCHED_BY_NAME):
            yield f"{path}: nothing on the site refers to it"


def _unsaid(crawl: Crawl) -> Iterator[str]:
    """Pages that don't say what they are called, what they are about, or in which language."""
    for path in _pages(crawl):
        page = crawl.page(path)
        for name in ("title", "description", "lang"):
            if page is not None and not getattr(page, name).strip():
                yield f"{path}: has no {name}"


def _alike(crawl: Crawl) -> Iterator[str]:
    """Pages that a list of results could not tell apart."""
    for name in ("title", "description"):
        said: defaultdict[str, list[str]] = defaultdict(list)
        for path in _pages(crawl):
            page = crawl.page(path)
            if page is not None and (text := " ".join(getattr(page, name).split())):
                said[text].append(path)
        for text, paths in said.items():
            for one, other in itertools.pairwise(paths):
                yield f"{other}: has the {name} of {one}: {text!r}"
