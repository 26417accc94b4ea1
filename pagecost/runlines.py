"""The lines of a TREC run file, checked one by one and kept as columns.

A run may hold ten million lines, so no line stays an object of its own: what is kept of one is a
few numbers and the bytes of its document id. A chunk of lines is looked at as a whole first; only
where something in it is not plain is each of its lines examined, in order.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import IO, Literal

import numpy as np
import numpy.typing as npt

from pagecost.errors import InputError
from pagecost.pinned import LONGEST_LINE, opened, too_long
from pagecost.qrels import text_id

Ties = Literal["score-then-docno", "rank-column"]
Tick = Callable[[int], None]

_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 20
_TICK_EVERY = 100_000
_FIELDS = 6
_RANK_DIGITS = 18
_RANK = re.compile(rb"[+-]?[0-9]{1,18}")
_SCORE = re.compile(
    rb"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?)", re.IGNORECASE
)
_PLAIN_SCORE = b"0123456789+-.eE"
_PLAIN_ID = bytes(range(0x21, 0x7F))
_PLAIN_ID_LENGTH = 500


class Lines:
    """A run file's lines: columns over those about judged queries, counts over all of them.

    A query's code is its position in `queries`. Higher codes are topics of no query.
    """

    def __init__(self, path: Path, ties: Ties, queries: Collection[str]) -> None:
        self._path = path
        self._ties = ties
        self._codes = {query.encode(): code for code, query in enumerate(dict.fromkeys(queries))}
        self._last = 0
        self._ids: list[bytes] = []
        self.judged = len(self._codes)
        self.counts: Counter[str] = Counter()
        self.unranked: set[int] = set()
        """Codes of the topics that have a line whose rank can't be read."""
        self.codes = array("I")
        """Of all lines that hold a document, in the file's order."""
        # Single precision, as trec_eval up to 9.0.8 compares, and pytrec_eval with it:
        # get_trec_results.c puts atof(sim) into a C float (trec_format.h: TEXT_RESULTS.sim), so
        # scores that only differ as doubles are ties in form_res_rels.c. Its main branch, on the
        # way to 10.0, has a double there (usnistgov/trec_eval, issue 34 and pull request 38).
        self.scores = array("f")
        self.ranks = array("q")
        self.lengths = array("H")
        """Bytes of each document id."""

    @property
    def topics(self) -> int:
        """How many codes there are, queries without a line included."""
        return len(self._codes)

    def ids(self) -> bytes:
        """The document ids, one after another, as `lengths` divides them. Can be called once."""
        joined = b"".join(self._ids)
        self._ids.clear()
        return joined

    def read(self, tick: Tick | None) -> None:
        """Takes the whole file. InputError names the first line that is wrong."""
        with opened(self._path) as file:
            for data in self._chunks(file):
                before = len(self.codes) // _TICK_EVERY
                self._take(data)
                if tick and len(self.codes) // _TICK_EVERY > before:
                    tick(len(self.codes))
        if not self.codes:
            raise InputError(f"{self._path}: no line holds a document")

    def _chunks(self, file: IO[bytes]) -> Iterator[bytes]:
        """The file in pieces that end where a line does."""
        while data := file.read(_CHUNK):
            rest = file.readline(LONGEST_LINE + 1)
            if len(rest) > LONGEST_LINE:
                raise too_long(self._path, self._last + data.count(b"\n") + 1)
            yield data + rest

    def _take(self, data: bytes) -> None:
        """Whole lines of the file, the next ones."""
        if self._last == 0 and data.startswith(_BOM):
            self.counts["byte_order_mark"] = 1
            data = data.removeprefix(_BOM)
        self.counts["carriage_returns"] += data.count(b"\r\n")
        lines = data.split(b"\n")
        if not lines[-1]:
            lines.pop()
        numbers: Sequence[int] = range(self._last + 1, self._last + len(lines) + 1)
        self._last += len(lines)
        rows = [line.split() for line in lines]
        widths = Counter(map(len, rows))
        if blank := widths.pop(0, 0):
            self.counts["blank"] += blank
            numbers = [number for number, row in zip(numbers, rows, strict=True) if row]
            rows = [row for row in rows if row]
        if rows:
            if min(widths) < _FIELDS or not _is_plain(*_columns(rows)):
                self._examine(rows, numbers)
            self.counts["extra_fields"] += len(rows) - widths[_FIELDS]
            self._keep(*_columns(rows))

    def _examine(self, rows: list[list[bytes]], numbers: Iterable[int]) -> None:
        """InputError at the first of these lines that can't be used."""
        for number, row in zip(numbers, rows, strict=True):
            place = f"{self._path}: line {number}"
            if len(row) < _FIELDS:
                raise InputError(
                    f"{place}: expected at least {_FIELDS} fields, found {len(row)}: "
                    "topic Q0 document rank score tag"
                )
            topic, _, document, rank, score = row[:5]
            text_id(topic, place)
            if self._codes.get(topic, self.judged) < self.judged:
                text_id(document, place)
                if self._ties == "rank-column" and not _RANK.fullmatch(rank):
                    raise InputError(
                        f"{place}: rank {_shown(rank)}, expected a whole number of at most "
                        f"{_RANK_DIGITS} digits"
                    )
            if not _SCORE.fullmatch(score):
                raise InputError(f"{place}: score {_shown(score)}, expected a number")

    def _keep(
        self,
        topics: Sequence[bytes],
        documents: Sequence[bytes],
        ranks: Sequence[bytes],
        scores: Sequence[bytes],
    ) -> None:
        for topic in dict.fromkeys(topics):
            self._codes.setdefault(topic, len(self._codes))
        codes = array("I", map(self._codes.__getitem__, topics))
        self.codes.extend(codes)
        if not _are_plain_ranks(ranks):
            ranks = self._readable(ranks, codes)
        if max(codes) >= self.judged:
            wanted = [code < self.judged for code in codes]
            documents, ranks, scores = (
                list(compress(column, wanted)) for column in (documents, ranks, scores)
            )
        self._ids.append(b"".join(documents))
        self.lengths.extend(map(len, documents))
        self.ranks.extend(map(int, ranks))
        self.scores.extend(map(float, scores))

    def _readable(self, ranks: Sequence[bytes], codes: Iterable[int]) -> list[bytes]:
        """The ranks, 0 for each that is no whole number."""
        unreadable = [not _RANK.fullmatch(rank) for rank in ranks]
        self.counts["ranks_unreadable"] += sum(unreadable)
        self.unranked.update(compress(codes, unreadable))
        return [b"0" if bad else rank for rank, bad in zip(ranks, unreadable, strict=True)]

    def scattered(self) -> int:
        """How many topics, judged or not, have lines of another one between theirs."""
        codes: npt.NDArray[np.uint32] = np.asarray(self.codes)
        begins = np.flatnonzero(codes[1:] != codes[:-1]) + 1
        stretches = np.bincount(codes[begins], minlength=self.topics)
        stretches[codes[0]] += 1
        return int(np.count_nonzero(stretches > 1))


def _columns(rows: Iterable[list[bytes]]) -> tuple[tuple[bytes, ...], ...]:
    """Topics, documents, ranks, scores."""
    topics, _, documents, ranks, scores = list(zip(*rows, strict=False))[:5]
    return topics, documents, ranks, scores


def _is_plain(
    topics: Sequence[bytes],
    documents: Sequence[bytes],
    ranks: Sequence[bytes],
    scores: Sequence[bytes],
) -> bool:
    """Is every field of these lines one that needs no closer look?"""
    for ids in (topics, documents):
        if max(map(len, ids)) > _PLAIN_ID_LENGTH or b"".join(ids).translate(None, _PLAIN_ID):
            return False
    if not _are_plain_ranks(ranks) or b"".join(scores).translate(None, _PLAIN_SCORE):
        return False
    try:
        for _ in map(float, scores):
            pass
    except ValueError:
        return False
    return True


def _are_plain_ranks(ranks: Sequence[bytes]) -> bool:
    return b"".join(ranks).isdigit() and max(map(len, ranks)) <= _RANK_DIGITS


def _shown(field: bytes) -> str:
    return repr(field.decode("utf-8", "replace")[:40])
