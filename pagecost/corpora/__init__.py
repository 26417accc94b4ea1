"""Plan → Corpus: one module a kind, and the table that says which.

A *source* is a version's raw data, wherever it lies on this machine. It can say whether it is at
hand and what exactly it is (a fingerprint of its bytes) without being read as a corpus.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from pagecost.model import ArchivesCorpus, Corpus, Plan


class Source(Protocol):
    """The raw data of one version on this machine."""

    def fingerprint(self) -> str:
        """sha256 over every byte that the corpus is made from. CorpusMissing if not at hand."""

    def load(self) -> Corpus:
        """The corpus, every pinned file and id checked. CorpusMissing, or InputError.

        The counts are what was found; `check_pins` compares them with the plan's.
        """


def source_of(plan: Plan, folder: Path, cache: Path, *, strict: bool = False) -> Source:
    """The source of a plan whose version lies in `folder`, with archives in `cache`.

    `strict` refuses an archive whose hash differs from its pin, whatever its content.
    """
    from pagecost.corpora.archives import ArchivesSource
    from pagecost.corpora.distributions import DistributionsSource

    if isinstance(plan.corpus, ArchivesCorpus):
        return ArchivesSource(plan.corpus, folder, cache, strict=strict)
    return DistributionsSource(plan.corpus)
