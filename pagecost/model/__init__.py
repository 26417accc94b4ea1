"""Frozen records that the stages hand to each other: small, typed, with units.

base     names, texts, digests, and a strict base
policy   how documents are ordered
source   where a corpus comes from, and what a plan pins of it
plan     what is decided before scoring
corpus   what is searched, and what is asked
record   what came out: ranks, costs, quality
"""

from __future__ import annotations

from pagecost.model.corpus import MULTIPLE, Corpus, Document, Query
from pagecost.model.plan import Definitions, Gate, Origin, Plan, PublishedFile, PublishedRecord
from pagecost.model.policy import (
    RESERVED_POLICY_NAMES,
    Bm25,
    Deferred,
    Interleave,
    Model,
    Policy,
    Ranking,
)
from pagecost.model.record import (
    NOT_FOUND,
    Group,
    Outcomes,
    PageCost,
    PolicyDepth,
    PolicyResult,
    Quality,
    QueryRow,
    RankArray,
    RankColumn,
    RankTable,
    Results,
)
from pagecost.model.source import (
    Archive,
    ArchivesCorpus,
    CorpusPins,
    CorpusPlan,
    Distribution,
    DistributionsCorpus,
    PinnedFile,
    RepositoryCount,
)

__all__ = [
    "MULTIPLE",
    "NOT_FOUND",
    "RESERVED_POLICY_NAMES",
    "Archive",
    "ArchivesCorpus",
    "Bm25",
    "Corpus",
    "CorpusPins",
    "CorpusPlan",
    "Deferred",
    "Definitions",
    "Distribution",
    "DistributionsCorpus",
    "Document",
    "Gate",
    "Group",
    "Interleave",
    "Model",
    "Origin",
    "Outcomes",
    "PageCost",
    "PinnedFile",
    "Plan",
    "Policy",
    "PolicyDepth",
    "PolicyResult",
    "PublishedFile",
    "PublishedRecord",
    "Quality",
    "Query",
    "QueryRow",
    "RankArray",
    "RankColumn",
    "RankTable",
    "Ranking",
    "RepositoryCount",
    "Results",
]  # fmt: skip
