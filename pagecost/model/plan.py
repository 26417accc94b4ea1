"""The plan: everything that is decided before a number is known.

This is also the format of `plan.json`. Fields may be added later, always optional: a frozen plan
never needs touching. The descriptions here become the published JSON Schema and the `PLAN.md` of a
new version, so they speak to the plan's author.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pagecost.model.base import (
    TEXT,
    HttpsUrl,
    Line,
    Name,
    PageSize,
    Revision,
    Sha256,
    Slug,
    Strict,
    Text,
)
from pagecost.model.policy import Policy
from pagecost.model.source import CorpusPlan

TIES = "document order"
TIES_WITH_RUNS = "document order; a run by its own rule"
SEARCHES = "distinct index rankings behind each page, every page served statelessly"
SEARCHES_WITH_RUNS = (
    "distinct index rankings behind each page, a run as its author states, every page served "
    "statelessly"
)
FIRST, ALL = "first relevant document", "all relevant documents"
_TARGET = rf"^({FIRST}|{ALL}|([2-9]|[1-9][0-9]{{1,5}}) relevant documents)(?!\n)$"


class Definitions(Strict, frozen=True, kw_only=True):
    """What the words mean. Each has one spelling a schema; another meaning needs another word."""

    target: Annotated[
        str,
        Meta(
            pattern=_TARGET,
            description=f"`{FIRST}`, `{ALL}`, or `M relevant documents` with M from 2 on: what a "
            "reader looks for. The rank is that of the last one needed.",
        ),
    ]
    ties: Annotated[
        Literal["document order", "document order; a run by its own rule"],
        Meta(description="The second where any policy is, or is made of, a run."),
    ]
    pages: Literal["ceil(rank / page_size)"]
    emitted: Literal["min(depth, pages * page_size)"]
    searches: Annotated[
        Literal[
            "distinct index rankings behind each page, every page served statelessly",
            "distinct index rankings behind each page, a run as its author states, every page "
            "served statelessly",
        ],
        Meta(description="The second where any policy is, or is made of, a run."),
    ]

    def wanted(self, relevant: int) -> int:
        """How many of a query's relevant documents are looked for; more than it has: never met."""
        match self.target:
            case "first relevant document":
                return 1
            case "all relevant documents":
                return relevant
            case several:
                return int(several.split()[0])


class PublishedFile(Strict, frozen=True, kw_only=True):
    """A file that somebody published: where, at which commit, with which bytes."""

    url: HttpsUrl
    commit: Revision
    sha256: Sha256


class PublishedRecord(PublishedFile, frozen=True, kw_only=True):
    """A published record; `export` names the format in which ours must equal it byte for byte."""

    export: Literal["results-12"] | None = None


class Origin(Strict, frozen=True, kw_only=True):
    """The published experiment that a replication repeats."""

    name: Line
    url: HttpsUrl
    plan: PublishedFile
    results: PublishedRecord
    note: Text | None = None


class Gate(Strict, frozen=True, kw_only=True):
    """A condition on the version's own figures. Held or not held, it stands in the report."""

    name: Annotated[Line, Meta(description="What it asks, in words. Plain text.")]
    holds: Annotated[
        Line,
        Meta(
            description="The condition: `FIGURE <= BOUND`, with <=, <, >=, > or =. A figure is "
            "`METRIC [of POLICY] [at PAGE-SIZE]`; left out, the primary ones. A bound is a number, "
            "or a figure with `+` or `-` a number or per cent of it: "
            "`searches <= searches of baseline + 10 %`."
        ),
    ]


class Plan(Strict, frozen=True, kw_only=True):
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
    policies: Annotated[
        list[Policy], Meta(min_length=1, max_length=60, description="What is compared.")
    ]
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
            pattern=TEXT,
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
    gates: Annotated[
        list[Gate],
        Meta(max_length=50, description="Conditions on its own figures, frozen before they are."),
    ] = msgspec.field(default_factory=list)
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
