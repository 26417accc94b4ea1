"""What every command works with: the project, the cache, where to say things, and raw data."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pagecost.console import Console
from pagecost.corpora import Source, source_of
from pagecost.errors import CorpusMissing
from pagecost.model import ArchivesCorpus, Corpus, Plan
from pagecost.project import Project
from pagecost.versions import Version


class Context(msgspec.Struct, frozen=True):
    """What every command works with: the project, the cache, and where to say things."""

    project: Project
    cache: Path
    console: Console

    def source(self, version: Version, *, strict: bool = False) -> Source:
        """The raw data of a version, as this machine has it."""
        return source_of(version.plan, version.where.folder, self.cache, strict=strict)


def corpus_of(work: Context, version: Version) -> Corpus:
    """Reads a version's corpus, ranking nothing. CorpusMissing says how to get it."""
    try:
        corpus = work.source(version).load()
    except CorpusMissing as error:
        raise _how_to_get(version, error) from None
    for note in corpus.notes:
        work.console.say(f"note: {note}")
    return corpus


def _how_to_get(version: Version, error: CorpusMissing) -> CorpusMissing:
    if not isinstance(version.plan.corpus, ArchivesCorpus):
        return error
    return CorpusMissing(
        f"{error}. Get it with `pagecost fetch {version.where.key}`, or from ZIPs that you have "
        f"with `pagecost fetch {version.where.key} --from DIR`"
    )


def corpus_command(plan: Plan) -> str:
    """How to install a corpus of distributions."""
    if isinstance(plan.corpus, ArchivesCorpus):
        return f"pagecost fetch {plan.key}"
    pinned = (f'"{one.name}=={one.version}"' for one in plan.corpus.distributions)
    return f"pip install {' '.join(pinned)}"
