"""BM25 over all documents, exactly as stated: same operations, same grouping, same order.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
idf that Lucene uses, which is never negative:

    norm  = k1 · ((1 − b) + (b · len) / avglen)
    idf   = ln(1 + ((N − df) + 0.5) / (df + 0.5))
    score = Σ ((idf · tf) · (k1 + 1)) / (tf + norm)

over the distinct query terms in bytewise order, in float64. Regrouping the formula changes the
last bit of up to a third of the scores, and a last bit can decide a tie: keep it as written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pagecost.text import PARTS, TextKind, words

# A term in this share of the documents or more is added as a dense row: faster than scattering.
_DENSE_SHARE = 8
_DENSE_BYTES = 64 << 20

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class WordTable:
    """Documents as numbers: the ids of their words in order, and each distinct word once."""

    def __init__(self, texts: Iterable[str]) -> None:
        ids: dict[str, int] = {}
        numbers: list[int] = []
        starts = [0]
        for text in texts:
            numbers.extend([ids.setdefault(word, len(ids)) for word in words(text)])
            starts.append(len(numbers))
        self.words = list(ids)
        self.ids = np.array(numbers, dtype=np.int64)
        self.starts = np.array(starts, dtype=np.int64)

    @property
    def documents(self) -> int:
        """How many texts there are."""
        return len(self.starts) - 1


class Postings:
    """For each term, in bytewise order, the documents that hold it and how often.

    `documents[offsets[t]:offsets[t + 1]]` are ascending positions, `frequencies` their term
    frequencies; `lengths` are the documents' lengths in tokens.
    """

    def __init__(self, table: WordTable, kind: TextKind) -> None:
        parts = [PARTS[kind](word) for word in table.words]
        # Code-point order of str is the byte order of UTF-8.
        self.terms = sorted({part for several in parts for part in several})
        numbers = {term: number for number, term in enumerate(self.terms)}
        per_word = np.array([len(several) for several in parts], dtype=np.int64)
        flat = np.array([numbers[part] for several in parts for part in several], dtype=np.int64)
        first = np.concatenate(([0], np.cumsum(per_word)))[:-1] if parts else per_word

        per_token = per_word[table.ids]
        ends = np.cumsum(per_token)
        # Expand each word into its parts: the run [first, first + count) for every occurrence.
        within = np.arange(int(per_token.sum())) - np.repeat(ends - per_token, per_token)
        term = flat[np.repeat(first[table.ids], per_token) + within]
        document = np.repeat(
            np.repeat(np.arange(table.documents), np.diff(table.starts)), per_token
        )
        self.numbers = numbers
        self.lengths = np.bincount(document, minlength=table.documents)
        # One sort of packed (term, document) yields postings and frequencies together.
        packed, self.frequencies = np.unique(term * table.documents + document, return_counts=True)
        self.documents = packed % max(table.documents, 1)
        self.offsets = np.searchsorted(
            packed, np.arange(len(self.terms) + 1) * table.documents
        ).tolist()


class Bm25Index:
    """Scores of all documents for a query."""

    def __init__(self, postings: Postings, k1: float, b: float) -> None:
        self._postings = postings
        self._size = size = len(postings.lengths)
        self._weights = _weights(postings, k1, b)
        self._scores = np.zeros(size)
        self._dense: dict[int, FloatArray] = {}
        frequency = np.diff(postings.offsets)
        common = np.flatnonzero(frequency * _DENSE_SHARE >= max(size, 1))
        room = _DENSE_BYTES // max(size * 8, 1)
        for term in common[np.argsort(-frequency[common], kind="stable")][:room].tolist():
            span = slice(postings.offsets[term], postings.offsets[term + 1])
            row = np.zeros(size)
            row[postings.documents[span]] = self._weights[span]
            self._dense[term] = row

    def scores(self, query_tokens: Sequence[str]) -> FloatArray:
        """Scores of all documents, shape (N,). The buffer is reused by the next call."""
        numbers = self._postings.numbers
        offsets, documents, weights = (
            self._postings.offsets,
            self._postings.documents,
            self._weights,
        )
        scores = self._scores
        scores.fill(0.0)
        for term in sorted({numbers[token] for token in query_tokens if token in numbers}):
            row = self._dense.get(term)
            if row is not None:
                scores += row  # adding +0.0 elsewhere is exact
            else:
                span = slice(offsets[term], offsets[term + 1])
                scores[documents[span]] += weights[span]  # a posting's documents are unique
        return scores


def inverse_document_frequency(documents: int, frequency: int) -> float:
    """idf of a term that stands in `frequency` of `documents`; never negative."""
    return math.log(1 + ((documents - frequency) + 0.5) / (frequency + 0.5))


def _weights(postings: Postings, k1: float, b: float) -> FloatArray:
    """The summand of every posting, aligned with `postings.documents`."""
    size = len(postings.lengths)
    total = int(postings.lengths.sum())
    if total == 0:
        return np.zeros(0)
    average = total / size
    norm = k1 * ((1 - b) + (b * postings.lengths) / average)
    frequency = np.diff(postings.offsets)
    # math.log and not numpy's: its last bit may differ between builds. Once per distinct df.
    distinct, where = np.unique(frequency, return_inverse=True)
    idf = np.array([inverse_document_frequency(size, df) for df in distinct.tolist()])[where]
    tf = postings.frequencies.astype(np.float64)
    weights: FloatArray = ((np.repeat(idf, frequency) * tf) * (k1 + 1)) / (
        tf + norm[postings.documents]
    )
    return weights
