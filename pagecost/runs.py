"""A TREC run file, as systems really write it.

    topic  Q0  document  rank  score  tag       (fields divided by white space)

trec_eval's rule decides the order unless a plan says otherwise: score descending, then document id
descending, the rank column ignored. Every repair is counted; what can't be repaired is an error
that names the line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from pagecost.model import RunPins
from pagecost.runlines import Lines, Tick, Ties

__all__ = ["RunFile", "Tick", "Ties", "read"]

_Array = npt.NDArray[Any]


class RunFile(msgspec.Struct, frozen=True):
    """What a run delivers for each judged query, and what was found in its file.

    `delivered` holds, by query, the ids of its documents in order, divided by line feeds.
    """

    pins: RunPins
    delivered: dict[str, bytes]

    def documents(self, query_id: str) -> Sequence[str]:
        """The ids of the documents for a query, in order, each once; none where it is missing."""
        text = self.delivered.get(query_id)
        return () if text is None else tuple(text.decode().split("\n"))


def read(path: Path, ties: Ties, queries: Collection[str], tick: Tick | None = None) -> RunFile:
    """The run in that file, plain or gzip, as far as it is about `queries`.

    `tick` is told how many lines were read, about every 100,000 of them. InputError names the
    first line that is wrong. A rank that can't be read is wrong only where it decides an order;
    ids of documents only where a query is judged. `tied` counts documents after repeats were
    dropped, `rank_contradicts` looks at all lines, so that it is the same under both rules.
    """
    lines = Lines(path, ties, queries)
    lines.read(tick)
    ranking = _Ranking(lines, ties)
    delivered: dict[str, bytes] = {}
    depths = []
    tied = repeated = 0
    for code, query in enumerate(dict.fromkeys(queries)):
        topic = ranking.topic(code)
        depths.append(len(topic.documents))
        tied += topic.tied
        repeated += topic.repeated
        if topic.documents:
            delivered[query] = b"\n".join(topic.documents)
    pins = RunPins(
        lines=len(lines.codes),
        topics=len(delivered),
        deepest=max(depths, default=0),
        shallowest=min(depths, default=0),
        missing_topics=lines.judged - len(delivered),
        unjudged_topics=lines.topics - lines.judged,
        unjudged_lines=len(lines.codes) - len(lines.scores),
        repeated=repeated,
        tied=tied,
        rank_contradicts=ranking.contradicted,
        scattered=lines.scattered(),
        **lines.counts,
    )
    return RunFile(pins, delivered)


class _Topic(msgspec.Struct, frozen=True):
    """One query's documents in order, each once, and what it took."""

    documents: Sequence[bytes]
    tied: int = 0
    repeated: int = 0


class _Ranking:
    """The lines of all judged queries, ordered but for their ids; ids decide topic by topic.

    Sorted by query, then by what the rule orders by (`first`), then by the other column: score
    where that is rank, rank where that is score. All arrays are in that order, one value a line.
    """

    def __init__(self, lines: Lines, ties: Ties) -> None:
        self._ids = lines.ids()
        codes: _Array = np.asarray(lines.codes)
        codes = codes[codes < lines.judged]
        falling, ranks = -np.asarray(lines.scores), np.asarray(lines.ranks)
        by_rank = ties == "rank-column"
        first, second = (ranks, falling) if by_rank else (falling, ranks)
        order = np.lexsort((second, first, codes))
        self._lengths: _Array = np.asarray(lines.lengths)[order]
        self._ends = np.cumsum(lines.lengths, dtype=np.int64)[order]
        codes, self._first, second = codes[order], first[order], second[order]
        self._bounds = np.searchsorted(codes, np.arange(lines.judged + 1)).tolist()

        same = codes[1:] == codes[:-1]
        alike = same & (self._first[1:] == self._first[:-1])
        self._tied = set(np.unique(codes[1:][alike]).tolist())
        # Only what stands alike in every column of the rule is left to the ids.
        self._steps = ~(alike & (second[1:] == second[:-1])) if by_rank else ~alike
        # Among lines alike in `first` the last has the highest `second`, among the next ones the
        # first has the lowest: where no such neighbours fall back, no pair of lines does.
        back = codes[1:][same & (second[1:] < second[:-1])]
        self.contradicted = len(set(np.unique(back).tolist()) - lines.unranked)

    def topic(self, code: int) -> _Topic:
        """What the run delivers for the query with that code."""
        start, stop = self._bounds[code : code + 2]
        ends = self._ends[start:stop]
        begins = ends - self._lengths[start:stop]
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        documents = [self._ids[begin:end] for begin, end in places]
        if code not in self._tied:
            once = list(dict.fromkeys(documents))
            return _Topic(once, repeated=len(documents) - len(once))
        group = [0, *np.cumsum(self._steps[start : stop - 1]).tolist()]
        order = sorted(range(len(documents)), key=documents.__getitem__, reverse=True)
        order.sort(key=group.__getitem__)
        kept: dict[bytes, int] = {}
        for line in order:
            kept.setdefault(documents[line], line)
        shared = Counter(self._first[start:stop][list(kept.values())].tolist())
        return _Topic(
            list(kept),
            tied=sum(count for count in shared.values() if count > 1),
            repeated=len(documents) - len(kept),
        )
