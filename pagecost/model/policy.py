"""Policies: how documents are ordered, as compositions that new kinds can join."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pagecost.model.base import Line, Name, Strict

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


class Model(Strict, tag="model", tag_field="kind", frozen=True, kw_only=True):
    """A model of a library, under our tie rule."""

    library: Annotated[Literal["rank_bm25"], Meta(description="The library that scores.")]
    model: Annotated[Literal["BM25Okapi"], Meta(description="The library's own name for it.")]
    text: Annotated[
        Literal["raw", "identifiers"],
        Meta(description="What is indexed: the text as it stands, or with identifiers split."),
    ]


Ranking = Bm25 | Interleave | Deferred | Model


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
