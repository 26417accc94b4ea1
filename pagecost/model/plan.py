"""The plan: everything that is decided before a number is known.

This is also the format of `plan.json`. Fields may be added later, always optional: a frozen plan
never needs touching. The descriptions here become the published JSON Schema and the `PLAN.md` of a
new version, so they speak to the plan's author.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

# `(?!\n)$`: Python's `$` alone also matches before a final line break; this reads the same in
# Python and in the ECMAScript dialect that JSON Schema uses.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}(?!\n)$")]
Slug = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(?!\n)$")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}(?!\n)$")]
Revision = Annotated[str, Meta(pattern=r"^[0-9a-f]{40}(?!\n)$")]
Repository = Annotated[str, Meta(pattern=r"^[^\s/]+/[^\s/]+(?!\n)$", max_length=200)]
HttpsUrl = Annotated[str, Meta(pattern=r"^https://[^\s<>\"]+(?!\n)$", max_length=2000)]
Line = Annotated[str, Meta(pattern=r"^[^\n\r]*\S[^\n\r]*(?!\n)$", max_length=300)]
Text = Annotated[str, Meta(pattern=r"\S", max_length=8000)]
Count = Annotated[int, Meta(ge=0)]
PageSize = Annotated[int, Meta(ge=1, le=10_000_000)]

RESERVED_POLICY_NAMES = frozenset(
    ("query_id", "repository", "stratum", "relevant", "target_path", "target_line", "target_name")
)


class _Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of a plan: unknown fields are refused, so that a typing error cannot hide."""


# --- Rankings -----------------------------------------------------------------------------------


class Bm25(_Record, tag="bm25", tag_field="kind", frozen=True, kw_only=True):
    """Robertson/Lucene BM25 over all documents (pagecost.bm25)."""

    text: Annotated[
        Literal["raw", "identifiers"],
        Meta(description="What is indexed: the text as it stands, or with identifiers split."),
    ]
    k1: Annotated[float, Meta(ge=0, le=100, description="Term-frequency saturation.")] = 1.2
    b: Annotated[float, Meta(ge=0, le=1, description="Length normalization, 0 to 1.")] = 0.75


class Interleave(_Record, tag="interleave", tag_field="kind", frozen=True, kw_only=True):
    """Alternate: the next document of `first` not yet emitted, then the next of `second`."""

    first: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]
    second: Annotated[str | Ranking, Meta(description="A policy's name, or a ranking.")]


class Deferred(_Record, tag="deferred", tag_field="kind", frozen=True, kw_only=True):
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


class Model(_Record, tag="model", tag_field="kind", frozen=True, kw_only=True):
    """A model of a library, under our tie rule."""

    library: Annotated[Literal["rank_bm25"], Meta(description="The library that scores.")]
    model: Annotated[Literal["BM25Okapi"], Meta(description="The library's own name for it.")]
    text: Annotated[
        Literal["raw", "identifiers"],
        Meta(description="What is indexed: the text as it stands, or with identifiers split."),
    ]


Ranking = Bm25 | Interleave | Deferred | Model


class Policy(_Record, frozen=True, kw_only=True):
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


# --- Corpora ------------------------------------------------------------------------------------


class RepositoryCount(_Record, frozen=True, kw_only=True):
    """How much of the corpus one repository holds."""

    name: Line
    documents: Count
    queries: Count


class CorpusPins(_Record, frozen=True, kw_only=True):
    """What the corpus must turn out to be. `pagecost corpus` prints it, ranking nothing."""

    documents: Annotated[int, Meta(ge=1, description="Documents ranked for every query.")]
    queries: Annotated[int, Meta(ge=1, description="Distinct queries.")]
    membership: Annotated[
        Sha256, Meta(description="sha256 over the document ids in order, a line break after each.")
    ]
    query_hash: Annotated[
        Sha256, Meta(description="sha256 over the query ids in order, a line break after each.")
    ]
    repositories: Annotated[
        list[RepositoryCount],
        Meta(min_length=1, description="By repository, in name order; `multiple` last."),
    ]
    strata: Annotated[
        dict[str, Count], Meta(description="Queries by stratum, in the order of the report.")
    ]
    exclusions: Annotated[
        dict[str, Count], Meta(description="Rows left out, by reason, in the order of checking.")
    ]


class PinnedFile(_Record, frozen=True, kw_only=True):
    """A file and the sha256 of its bytes."""

    path: Line
    sha256: Sha256


class Archive(_Record, frozen=True, kw_only=True):
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


class ArchivesCorpus(_Record, tag="archives", tag_field="kind", frozen=True, kw_only=True):
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


class Distribution(_Record, frozen=True, kw_only=True):
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


class DistributionsCorpus(
    _Record, tag="distributions", tag_field="kind", frozen=True, kw_only=True
):
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


CorpusPlan = ArchivesCorpus | DistributionsCorpus


# --- The plan -----------------------------------------------------------------------------------


class Definitions(_Record, frozen=True, kw_only=True):
    """What the words mean. Each has one spelling a schema; another meaning needs another word."""

    target: Literal["first relevant document"]
    ties: Literal["document order"]
    pages: Literal["ceil(rank / page_size)"]
    emitted: Literal["min(depth, pages * page_size)"]
    searches: Literal["distinct index rankings behind each page, every page served statelessly"]


class PublishedFile(_Record, frozen=True, kw_only=True):
    """A file that somebody published: where, at which commit, with which bytes."""

    url: HttpsUrl
    commit: Revision
    sha256: Sha256


class PublishedRecord(PublishedFile, frozen=True, kw_only=True):
    """A published record; `export` names the format in which ours must equal it byte for byte."""

    export: Literal["results-12"] | None = None


class Origin(_Record, frozen=True, kw_only=True):
    """The published experiment that a replication repeats."""

    name: Line
    url: HttpsUrl
    plan: PublishedFile
    results: PublishedRecord
    note: Text | None = None


class Plan(_Record, frozen=True, kw_only=True):
    """One version of one experiment, frozen before scoring."""

    schema: Annotated[Literal[1], Meta(description="The format of this file: 1.")]
    status: Annotated[
        Literal["draft", "frozen"],
        Meta(description="`pagecost freeze` turns draft into frozen. Don't write frozen by hand."),
    ] = "draft"
    experiment: Annotated[Slug, Meta(description="The folder's name: one question.")]
    version: Annotated[Slug, Meta(description="The version folder's name: one frozen plan.")]
    title: Annotated[Line, Meta(description="One line, plain text.")]
    question: Annotated[Text, Meta(description="What is asked. Inline Markdown.")]
    kind: Annotated[
        Literal["confirmatory", "replication", "exploration"],
        Meta(
            description="confirmatory: frozen before its figures were known, never scored before. "
            "replication: of a published record, named under `origin`. exploration: looked at "
            "afterwards; the only kind that may be scored as a draft."
        ),
    ]
    date: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\n)$",
            description="YYYY-MM-DD, written by the author. No clock is ever read.",
        ),
    ]
    origin: Annotated[
        Origin | None, Meta(description="What a replication repeats, by link, commit and sha256.")
    ] = None
    corpus: Annotated[CorpusPlan, Meta(description="What is searched, and its pins.")]
    policies: Annotated[list[Policy], Meta(min_length=1, description="What is compared.")]
    baseline: Annotated[Name, Meta(description="The policy that every other is held against.")]
    primary_policy: Annotated[Name, Meta(description="The policy the headline is about.")]
    page_sizes: Annotated[
        list[PageSize],
        Meta(min_length=1, max_length=50, description="Candidates a page, ascending."),
    ]
    primary_page_size: Annotated[PageSize, Meta(description="The size the headline is about.")]
    definitions: Annotated[Definitions, Meta(description="What the words mean.")]
    caveat: Annotated[
        str,
        Meta(
            pattern=r"\S",
            max_length=600,
            description="One to three sentences that stand under the headline and travel with "
            "every figure, file and link preview. Plain text.",
        ),
    ]
    measured: Annotated[
        list[Text], Meta(min_length=1, description="What is measured. Inline Markdown.")
    ]
    not_measured: Annotated[
        list[Text], Meta(min_length=1, description="What is not measured. Inline Markdown.")
    ]
    assumptions: Annotated[
        list[Text], Meta(min_length=1, description="What is assumed. Inline Markdown.")
    ]
    publish_queries: Annotated[
        bool, Meta(description="May the site show the text of the queries?")
    ] = False

    def policy(self, name: str) -> Policy:
        """The policy of that name; KeyError if there is none."""
        for policy in self.policies:
            if policy.name == name:
                return policy
        raise KeyError(name)

    @property
    def is_draft(self) -> bool:
        """Not frozen yet: marked as a draft wherever it is shown, and never published."""
        return self.status == "draft"

    @property
    def key(self) -> str:
        """How commands name this version: EXPERIMENT@VERSION."""
        return f"{self.experiment}@{self.version}"
