"""What is searched, and what is asked."""

from __future__ import annotations

import msgspec

from pagecost.model.source import CorpusPins

MULTIPLE = "multiple"
"""The repository of a query whose relevant documents stand in several: a row of its own."""


class Document(msgspec.Struct, frozen=True, gc=False):
    """A candidate. `line` is 1-based; `text` is what the policies index."""

    id: str
    repository: str
    path: str
    name: str
    line: int
    text: str


class Query(msgspec.Struct, frozen=True):
    """A question with known targets: `relevant` are positions of documents, ascending."""

    id: str
    text: str
    repository: str
    stratum: str
    relevant: tuple[int, ...]


class Corpus(msgspec.Struct, frozen=True):
    """Documents in their order, which breaks ties, and queries in theirs.

    `counts` is what was counted and hashed. `notes` are sentences on what was found on this
    machine (an archive whose hash differs, say): for the terminal, never for a page.
    """

    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    counts: CorpusPins
    notes: tuple[str, ...] = ()
