"""Frozen records that the stages hand to each other: small, typed, with units.

base     names, texts, digests, and a strict base
policy   how documents are ordered
source   where a corpus comes from, and what a plan pins of it
plan     what is decided before scoring
corpus   what is searched, and what is asked
record   what came out: ranks, costs, quality
"""

from __future__ import annotations

from pagecost.model.base import PinnedFile
from pagecost.model.corpus import MULTIPLE, Corpus, Delivered, Document, Query
from pagecost.model.plan import (
    ALL,
    FIRST,
    SEARCHES,
    SEARCHES_WITH_RUNS,
    TIES,
    TIES_WITH_RUNS,
    Definitions,
    Gate,
    Origin,
    Plan,
    PublishedFile,
    PublishedRecord,
)
from pagecost.model.policy import (
    RESERVED_POLICY_NAMES,
    Bm25,
    Deferred,
    Interleave,
    Model,
    Policy,
    Ranking,
    Run,
    RunPins,
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
    BeirCorpus,
    Collection,
    CorpusPins,
    CorpusPlan,
    Distribution,
    DistributionsCorpus,
    IrDatasetsCorpus,
    JudgmentPins,
    RepositoryCount,
    TrecCorpus,
)

__all__ = [
    "ALL",
    "FIRST",
    "MULTIPLE",
    "NOT_FOUND",
    "RESERVED_POLICY_NAMES",
    "SEARCHES",
    "SEARCHES_WITH_RUNS",
    "TIES",
    "TIES_WITH_RUNS",
    "Archive",
    "ArchivesCorpus",
    "BeirCorpus",
    "Bm25",
    "Collection",
    "Corpus",
    "CorpusPins",
    "CorpusPlan",
    "Deferred",
    "Definitions",
    "Delivered",
    "Distribution",
    "DistributionsCorpus",
    "Document",
    "Gate",
    "Group",
    "Interleave",
    "IrDatasetsCorpus",
    "JudgmentPins",
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
    "Run",
    "RunPins",
    "TrecCorpus",
]  # fmt: skip
