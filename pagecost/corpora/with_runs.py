"""A corpus and the runs that are held against it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pagecost import runs
from pagecost.corpora import Source
from pagecost.jsonio import ids_hash
from pagecost.model import Corpus, Run
from pagecost.pinned import Shelf, digest


class WithRuns:
    """Another source, and run files read for its queries."""

    def __init__(
        self,
        source: Source,
        several: Sequence[Run],
        shelf: Shelf,
        tick: Callable[[int], None] | None = None,
    ) -> None:
        self.inner = source
        self._runs = several
        self._shelf = shelf
        self._tick = tick

    def fingerprint(self) -> str:
        files = (f"{digest(self._shelf.find(run.file))} {run.file.path}" for run in self._runs)
        return ids_hash((self.inner.fingerprint(), *files))

    def load(self) -> Corpus:
        paths = [self._shelf.verified(run.file) for run in self._runs]
        corpus = self.inner.load()
        queries = frozenset(query.id for query in corpus.queries)
        # A file that several policies order alike is read once.
        read: dict[object, runs.RunFile] = {}
        delivered: dict[Run, runs.RunFile] = {}
        for run, path in zip(self._runs, paths, strict=True):
            key = (path, run.ties)
            if key not in read:
                read[key] = runs.read(path, run.ties, queries, self._tick)
            delivered[run] = read[key]
        return msgspec.structs.replace(corpus, runs=delivered)
