"""Where a corpus comes from, and what a plan pins of it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from pagecost.model.base import Count, HttpsUrl, Line, Name, Repository, Revision, Sha256, Strict


class RepositoryCount(Strict, frozen=True, kw_only=True):
    """How much of the corpus one repository holds."""

    name: Line
    documents: Count
    queries: Count


class CorpusPins(Strict, frozen=True, kw_only=True):
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


class PinnedFile(Strict, frozen=True, kw_only=True):
    """A file and the sha256 of its bytes."""

    path: Line
    sha256: Sha256


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


CorpusPlan = ArchivesCorpus | DistributionsCorpus
