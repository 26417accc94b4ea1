"""Where a corpus comes from, and what a plan pins of it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pagecost.model.base import (
    Count,
    HttpsUrl,
    Line,
    Name,
    PinnedFile,
    Repository,
    Revision,
    Sha256,
    Strict,
)


class RepositoryCount(Strict, frozen=True, kw_only=True):
    """How much of the corpus one repository holds."""

    name: Line
    documents: Count
    queries: Count


class JudgmentPins(Strict, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in a file of relevance judgments, and every repair that reading it took."""

    judgments: Annotated[int, Meta(ge=1, description="Judged pairs of a query and a document.")]
    relevant: Annotated[Count, Meta(description="Those at or above the relevance level.")]
    missing_documents: Annotated[
        Count, Meta(description="Judgments left out: the document is not in the corpus.")
    ] = 0
    repeated: Annotated[
        Count, Meta(description="Lines dropped: the same judgment stands before.")
    ] = 0
    negative: Annotated[Count, Meta(description="Judgments below 0: judged, and not relevant.")] = 0
    carriage_returns: Annotated[Count, Meta(description="Lines that end in CRLF.")] = 0
    blank: Annotated[Count, Meta(description="Lines without a field.")] = 0
    byte_order_mark: Annotated[Count, Meta(description="1 where the file starts with one.")] = 0


class CorpusPins(Strict, frozen=True, kw_only=True, omit_defaults=True):
    """What the corpus must turn out to be. `pagecost corpus` prints it, ranking nothing."""

    documents: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Documents ranked for every query; null where only runs are known."),
    ]
    queries: Annotated[int, Meta(ge=1, description="Distinct queries.")]
    membership: Annotated[
        Sha256 | None,
        Meta(
            description="sha256 over the document ids in order, a line break after each; null "
            "where only runs are known."
        ),
    ]
    query_hash: Annotated[
        Sha256, Meta(description="sha256 over the query ids in order, a line break after each.")
    ]
    repositories: Annotated[
        list[RepositoryCount],
        Meta(description="By repository, in name order; `multiple` last. None in a collection."),
    ]
    strata: Annotated[
        dict[str, Count], Meta(description="Queries by stratum, in the order of the report.")
    ]
    exclusions: Annotated[
        dict[str, Count], Meta(description="Rows left out, by reason, in the order of checking.")
    ]
    judgments: Annotated[
        JudgmentPins | None, Meta(description="What a collection's judgments turned out to hold.")
    ] = None


class Archive(Strict, frozen=True, kw_only=True):
    """One repository at one revision, as a GitHub source archive."""

    repository: Annotated[Repository, Meta(description="owner/name on GitHub.")]
    revision: Annotated[Revision, Meta(description="The commit, 40 hex digits.")]
    sha256: Annotated[
        Sha256,
        Meta(
            description="Of GitHub's full archive. Where the archive at hand differs, its content "
            "decides: GitHub has changed how it serialises archives before."
        ),
    ]
    licence: Annotated[PinnedFile, Meta(description="The licence file in the root folder.")]
    licence_name: Annotated[Line, Meta(description="The licence's SPDX name.")]


class ArchivesCorpus(Strict, tag="archives", tag_field="kind", frozen=True, kw_only=True):
    """Functions given by coordinates into pinned source archives."""

    projection: Annotated[
        PinnedFile, Meta(description="The coordinates: a CSV file beside the plan.")
    ]
    archives: Annotated[list[Archive], Meta(min_length=1, description="The pinned sources.")]
    strict_archives: Annotated[
        bool, Meta(description="Refuse an archive whose hash differs, whatever its content.")
    ] = False
    refuse_multiple: Annotated[
        bool, Meta(description="Refuse a query that is relevant in several repositories.")
    ] = False
    pins: Annotated[
        CorpusPins | None,
        Meta(description="What the corpus must turn out to be. Required to freeze."),
    ] = None


class Distribution(Strict, frozen=True, kw_only=True):
    """One installed Python distribution."""

    name: Name
    version: Line
    sha256: Annotated[
        Sha256 | None,
        Meta(
            description="sha256 over `path,RECORD hash` and a line break for each Python file, in "
            "path order. Required to freeze."
        ),
    ] = None
    licence_name: Annotated[Line | None, Meta(description="The licence's SPDX name.")] = None
    repository_url: Annotated[HttpsUrl | None, Meta(description="Where its source lives.")] = None


class DistributionsCorpus(Strict, tag="distributions", tag_field="kind", frozen=True, kw_only=True):
    """Functions and methods of installed Python distributions, found by `ast`."""

    distributions: Annotated[list[Distribution], Meta(min_length=1)]
    trivial_statements: Annotated[
        int,
        Meta(
            ge=0,
            le=1000,
            description="A function with fewer statements in its body than this, nested ones "
            "counted and the docstring not, is trivial and left out.",
        ),
    ]
    refuse_multiple: Annotated[
        bool, Meta(description="Refuse a query that is relevant in several distributions.")
    ] = False
    pins: Annotated[
        CorpusPins | None,
        Meta(description="What the corpus must turn out to be. Required to freeze."),
    ] = None


_PINS = Meta(description="What the corpus must turn out to be. Required to freeze.")
_LEVEL = Meta(
    ge=1, le=1_000_000, description="The least grade that counts as relevant; 1 where left out."
)
_TITLE = Meta(description="What the collection is called, for the reader.")


class BeirCorpus(Strict, tag="beir", tag_field="kind", frozen=True, kw_only=True):
    """A collection in the layout of BEIR: documents, queries and judgments, plain or gzip."""

    name: Annotated[Line, _TITLE]
    documents: Annotated[PinnedFile, Meta(description="corpus.jsonl: _id, title, text.")]
    queries: Annotated[PinnedFile, Meta(description="queries.jsonl: _id, text.")]
    qrels: Annotated[PinnedFile, Meta(description="qrels/SPLIT.tsv: query, document, grade.")]
    document_text: Annotated[
        Literal["title and text", "text"],
        Meta(description="What a policy indexes of a document; the two with a space between."),
    ] = "title and text"
    relevance_level: Annotated[int, _LEVEL] = 1
    url: Annotated[HttpsUrl | None, Meta(description="Where the collection comes from.")] = None
    licence_name: Annotated[Line | None, Meta(description="Its licence, by SPDX name.")] = None
    pins: Annotated[CorpusPins | None, _PINS] = None


class TrecCorpus(Strict, tag="trec", tag_field="kind", frozen=True, kw_only=True):
    """Judgments alone, in TREC's layout: what is ranked comes from runs."""

    name: Annotated[Line, _TITLE]
    qrels: Annotated[PinnedFile, Meta(description="topic, iteration, document, grade.")]
    topics: Annotated[
        PinnedFile | None,
        Meta(description="Optional: the topics that count, one a line, its id first."),
    ] = None
    relevance_level: Annotated[int, _LEVEL] = 1
    url: Annotated[HttpsUrl | None, Meta(description="Where the collection comes from.")] = None
    licence_name: Annotated[Line | None, Meta(description="Its licence, by SPDX name.")] = None
    pins: Annotated[CorpusPins | None, _PINS] = None


class IrDatasetsCorpus(Strict, tag="ir-datasets", tag_field="kind", frozen=True, kw_only=True):
    """A collection of the ir_datasets library, from that library's own cache."""

    dataset: Annotated[Line, Meta(description="Its id there: `cranfield`, `beir/scifact/test`.")]
    sha256: Annotated[
        Sha256 | None,
        Meta(
            description="sha256 over its documents, queries and judgments as the library gives "
            "them. Required to freeze."
        ),
    ] = None
    relevance_level: Annotated[int, _LEVEL] = 1
    url: Annotated[HttpsUrl | None, Meta(description="Where the collection comes from.")] = None
    licence_name: Annotated[Line | None, Meta(description="Its licence, by SPDX name.")] = None
    pins: Annotated[CorpusPins | None, _PINS] = None

    @property
    def name(self) -> str:
        """What the collection is called."""
        return self.dataset


Collection = BeirCorpus | TrecCorpus | IrDatasetsCorpus
"""Corpora with judgments: a document is relevant, judged not relevant, or unjudged."""

CorpusPlan = ArchivesCorpus | DistributionsCorpus | BeirCorpus | TrecCorpus | IrDatasetsCorpus
