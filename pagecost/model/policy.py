"""Policies: how documents are ordered, as compositions that new kinds can join."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pagecost.model.base import Count, Line, Name, PinnedFile, Strict

RESERVED_POLICY_NAMES = frozenset(
    ("query_id", "repository", "stratum", "relevant", "target_path", "target_line", "target_name")
)


class Bm25(Strict, tag="bm25", tag_field="kind", frozen=True, kw_only=True):
    """Robertson/Lucene BM25 over all documents (pagecost.bm25)."""

    text: Annotated[
        Literal["raw", "identifiers"],
        Meta(description="What is indexed: the text as it stands, or with identifiers split."),
    ]
    k1: Annotated[float, Meta(ge=0, le=100, description="Term-frequency saturation.")] = 1.2
    b: Annotated[float, Meta(ge=0, le=1, description="Length normalization, 0 to 1.")] = 0.75


class Interleave(Strict, tag="interleave", tag_field="kind", frozen=True, kw_only=True):
    """Alternate: the next document of `first` not yet emitted, then the next of `second`."""

    first: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]
    second: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]


class Deferred(Strict, tag="deferred", tag_field="kind", frozen=True, kw_only=True):
    """The first `after` documents of `first` unchanged, then `second` without those."""

    first: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]
    second: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]
    after: Annotated[
        int,
        Meta(
            ge=1,
            le=10_000_000,
            description="How many candidates of `first` come before the change; "
            "independent of the page size shown.",
        ),
    ]


_LibraryDefault = "Left out: the library's own default."


class Model(Strict, tag="model", tag_field="kind", frozen=True, kw_only=True):
    """A model of a library, under our tie rule."""

    library: Annotated[Literal["rank_bm25"], Meta(description="The library that scores.")]
    model: Annotated[
        Literal["BM25Okapi", "BM25L", "BM25Plus"],
        Meta(description="The library's own name for it: BM25Okapi, BM25L or BM25Plus."),
    ]
    text: Annotated[
        Literal["raw", "identifiers"],
        Meta(description="What is indexed: the text as it stands, or with identifiers split."),
    ]
    k1: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None,
        Meta(description=f"Term-frequency saturation. {_LibraryDefault}"),
    ] = None
    b: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description=f"Length normalization, 0 to 1. {_LibraryDefault}"),
    ] = None
    epsilon: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None,
        Meta(description=f"Of BM25Okapi: the floor of a negative idf. {_LibraryDefault}"),
    ] = None
    delta: Annotated[
        Annotated[float, Meta(ge=0, le=100)] | None,
        Meta(description=f"Of BM25L and BM25Plus: what any occurrence adds. {_LibraryDefault}"),
    ] = None


class RunPins(Strict, frozen=True, kw_only=True, omit_defaults=True):
    """What was found in a run's file, and every repair that reading it took."""

    lines: Annotated[int, Meta(ge=1, description="Lines that hold a document.")]
    topics: Annotated[Count, Meta(description="Judged queries for which it delivers something.")]
    deepest: Annotated[Count, Meta(description="The most documents that it delivers for one.")]
    shallowest: Annotated[
        Count, Meta(description="The fewest, over all judged queries; 0 where one is missing.")
    ]
    missing_topics: Annotated[
        Count, Meta(description="Judged queries that it lacks: not found, nothing delivered.")
    ] = 0
    unjudged_topics: Annotated[
        Count, Meta(description="Topics left out, since they are no query of the corpus.")
    ] = 0
    unjudged_lines: Annotated[Count, Meta(description="Their lines.")] = 0
    repeated: Annotated[
        Count, Meta(description="Lines dropped: the document stands before in the same topic.")
    ] = 0
    tied: Annotated[
        Count, Meta(description="Documents that the tie rule placed: another has the same score.")
    ] = 0
    rank_contradicts: Annotated[
        Count, Meta(description="Topics whose rank column orders otherwise than their scores.")
    ] = 0
    ranks_unreadable: Annotated[
        Count, Meta(description="Lines whose rank column holds no whole number.")
    ] = 0
    scattered: Annotated[Count, Meta(description="Topics whose lines don't stand together.")] = 0
    extra_fields: Annotated[
        Count, Meta(description="Lines with more than six fields; what follows was left out.")
    ] = 0
    carriage_returns: Annotated[Count, Meta(description="Lines that end in CRLF.")] = 0
    blank: Annotated[Count, Meta(description="Lines without a field.")] = 0
    byte_order_mark: Annotated[Count, Meta(description="1 where the file starts with one.")] = 0


class Run(Strict, tag="run", tag_field="kind", frozen=True, kw_only=True):
    """A TREC run file: what another system delivered, cut where it cut it."""

    file: Annotated[
        PinnedFile, Meta(description="The file, plain or gzip, below the version's folder.")
    ]
    ties: Annotated[
        Literal["score-then-docno", "rank-column"],
        Meta(
            description="score-then-docno: as trec_eval orders, by score descending, then document "
            "id descending, the rank column ignored. rank-column: by that column ascending."
        ),
    ] = "score-then-docno"
    searches: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(
            description="Index searches behind a page, as the run's author states them. Left out, "
            "no number of searches is shown: none is invented."
        ),
    ] = None
    pins: Annotated[
        RunPins | None,
        Meta(description="What the file turned out to hold. Required to freeze."),
    ] = None


Ranking = Bm25 | Interleave | Deferred | Model | Run


class Policy(Strict, frozen=True, kw_only=True):
    """A named ranking configuration (TREC says system)."""

    name: Annotated[
        Name, Meta(description="Stands in records, CSV headers and links. Never changes.")
    ]
    label: Annotated[
        Line | None, Meta(description="How the report calls it; the name where it is left out.")
    ] = None
    ranking: Annotated[Ranking, Meta(description="How it orders the documents.")]

    @property
    def shown(self) -> str:
        """What the report calls this policy."""
        return self.label or self.name
