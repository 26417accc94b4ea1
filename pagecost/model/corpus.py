"""What is searched, and what is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from pagecost.model.policy import Run, RunPins
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
    """A question with known targets: `relevant` are positions of documents, ascending.

    `judged` are those that somebody judged, relevant or not; None where a corpus has no judgments,
    only known targets.
    """

    id: str
    text: str
    repository: str
    stratum: str
    relevant: tuple[int, ...]
    judged: tuple[int, ...] | None = None


class Delivered(Protocol):
    """What a run delivers, and what was found in its file."""

    @property
    def pins(self) -> RunPins:
        """What a plan pins of it."""

    def documents(self, query_id: str) -> Sequence[str]:
        """The ids of the documents for a query, in order, each once; none where it is missing."""


class Corpus(msgspec.Struct, frozen=True):
    """Documents in their order, which breaks ties, and queries in theirs.

    Where only runs are known, `is_complete` is False and the documents are those judged: a run may
    deliver others. `runs` are the runs that policies draw on. `counts` is what was counted and
    hashed. `notes` are sentences on what was found on this
    machine (an archive whose hash differs, say): for the terminal, never for a page.
    """

    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    counts: CorpusPins
    notes: tuple[str, ...] = ()
    is_complete: bool = True
    runs: Mapping[Run, Delivered] = msgspec.field(default_factory=dict)
