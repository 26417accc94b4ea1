"""What every command works with: the project, the cache, where to say things, and raw data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from pagecost.console import Console
from pagecost.corpora import Source, source_of
from pagecost.errors import CorpusMissing, FileMissing
from pagecost.model import (
    ArchivesCorpus,
    Corpus,
    DistributionsCorpus,
    IrDatasetsCorpus,
    Plan,
)
from pagecost.project import Project
from pagecost.versions import Version


class Context(msgspec.Struct, frozen=True):
    """What every command works with: the project, the cache, and where to say things."""

    project: Project
    cache: Path
    console: Console

    def source(
        self,
        version: Version,
        *,
        strict: bool = False,
        tick: Callable[[int], None] | None = None,
    ) -> Source:
        """The raw data of a version, as this machine has it."""
        where = version.where.folder
        return source_of(version.plan, where, self.cache, strict=strict, tick=tick)


def corpus_of(work: Context, version: Version) -> Corpus:
    """Reads a version's corpus, ranking nothing. CorpusMissing says how to get it."""
    try:
        with work.console.progress(f"{version.where.key}: reading", "lines of runs") as tick:
            corpus = work.source(version, tick=tick).load()
    except CorpusMissing as error:
        raise how_to_get(version, error) from None
    for note in corpus.notes:
        work.console.say(f"note: {note}")
    return corpus


def how_to_get(version: Version, error: CorpusMissing) -> CorpusMissing:
    """The same error, saying how to get what is missing."""
    key = version.where.key
    if isinstance(error, FileMissing):
        return CorpusMissing(f"{error}. Bring it with `pagecost fetch {key} --from DIR`")
    if isinstance(version.plan.corpus, ArchivesCorpus):
        return CorpusMissing(
            f"{error}. Get it with `pagecost fetch {key}`, or from ZIPs that you have with "
            f"`pagecost fetch {key} --from DIR`"
        )
    return error


def corpus_command(plan: Plan) -> str:
    """How to get a plan's raw data."""
    match plan.corpus:
        case ArchivesCorpus():
            return f"pagecost fetch {plan.key}"
        case DistributionsCorpus(distributions=several):
            pinned = (f'"{one.name}=={one.version}"' for one in several)
            return f"pip install {' '.join(pinned)}"
        case IrDatasetsCorpus(dataset=dataset):
            return f"ir_datasets export {dataset} qrels"
        case _:
            return f"pagecost fetch {plan.key} --from DIR"
