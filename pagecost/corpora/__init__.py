"""Plan → Corpus: one module a kind, and the table that says which.

A *source* is a version's raw data, wherever it lies on this machine. It can say whether it is at
hand and what exactly it is (a fingerprint of its bytes) without being read as a corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from pagecost.corpora.build import check_pins
from pagecost.model import (
    ArchivesCorpus,
    BeirCorpus,
    Corpus,
    DistributionsCorpus,
    Plan,
    TrecCorpus,
)
from pagecost.pinned import Shelf
from pagecost.policies import has_index, runs


class Source(Protocol):
    """The raw data of one version on this machine."""

    def fingerprint(self) -> str:
        """sha256 over every byte that the corpus is made from. CorpusMissing if not at hand."""

    def load(self) -> Corpus:
        """The corpus, every pinned file and id checked. CorpusMissing, or InputError.

        The counts are what was found; `check` compares them with the plan's.
        """


def source_of(
    plan: Plan,
    folder: Path,
    cache: Path,
    *,
    strict: bool = False,
    given: Mapping[str, Path] | None = None,
    tick: Callable[[int], None] | None = None,
) -> Source:
    """The source of a plan whose version lies in `folder`, with archives and files in `cache`.

    `strict` refuses an archive whose hash differs from its pin, whatever its content. `given` says
    where pinned files lie elsewhere; `tick` is called with how many lines of a run are read.
    """
    shelf = Shelf(folder, cache, given)
    source = _corpus(plan, folder, cache, shelf, strict=strict)
    if several := runs(plan.policies):
        from pagecost.corpora.with_runs import WithRuns

        return WithRuns(source, list(several), shelf, tick)
    return source


def _corpus(plan: Plan, folder: Path, cache: Path, shelf: Shelf, *, strict: bool) -> Source:
    corpus, definitions = plan.corpus, plan.definitions
    match corpus:
        case ArchivesCorpus():
            from pagecost.corpora.archives import ArchivesSource

            return ArchivesSource(corpus, folder, cache, strict=strict)
        case DistributionsCorpus():
            from pagecost.corpora.distributions import DistributionsSource

            return DistributionsSource(corpus)
        case BeirCorpus():
            from pagecost.corpora.beir import BeirSource

            return BeirSource(corpus, definitions, shelf)
        case TrecCorpus():
            from pagecost.corpora.trec import TrecSource

            return TrecSource(corpus, definitions, shelf)
        case _:
            from pagecost.corpora.ir_datasets import IrDatasetsSource

            return IrDatasetsSource(corpus, definitions, texts=has_index(plan.policies))


def check(corpus: Corpus, plan: Plan, where: object) -> None:
    """InputError that names everything in which corpus and runs are not what the plan pins.

    What it does not pin is not checked.
    """
    if plan.corpus.pins is not None:
        check_pins(corpus.counts, plan.corpus.pins, f"{where}: $.corpus.pins")
    for run, delivered in corpus.runs.items():
        if run.pins is not None:
            check_pins(delivered.pins, run.pins, f"{where}: {run.file.path}: pins")


def pinned(plan: Plan) -> bool:
    """Does it pin its corpus and its runs?"""
    return plan.corpus.pins is not None and all(run.pins for run in runs(plan.policies))
