"""The rank of the first relevant document, exactly, without sorting what need not be sorted.

This module owns the tie rule: a higher score stands first, equal scores stand in document order.
An *order* is how one policy orders all documents for one query. Ranks are 1-based.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class Order(Protocol):
    """One policy's order of all documents for one query."""

    def rank(self) -> int:
        """The 1-based rank of the first relevant document."""

    def before(self) -> Sequence[int]:
        """The documents that stand before it, in order: rank − 1 positions."""

    def prefix(self, count: int) -> Sequence[int]:
        """The first `count` documents, in order; all of them where there are fewer."""


def best_target(scores: FloatArray, relevant: Sequence[int]) -> int:
    """The relevant document that stands first: highest score, then lowest position.

    `relevant` are positions in ascending order, at least one.
    """
    return max(relevant, key=lambda position: (scores[position], -position))


def rank_by_counting(scores: FloatArray, position: int) -> int:
    """The rank of the document at `position`: one more than the documents that stand before it.

    Those score higher, or score equal and come earlier. `scores` has shape (N,).
    """
    score = scores[position]
    earlier = np.count_nonzero(scores[:position] >= score)
    later = np.count_nonzero(scores[position + 1 :] > score)
    return 1 + int(earlier) + int(later)


def top(scores: FloatArray, count: int) -> list[int]:
    """The first `count` documents in order: by partition, sorting only what it returns."""
    size = len(scores)
    if count <= 0:
        return []
    if count < size:
        threshold = np.partition(scores, size - count)[size - count]
        candidates = np.flatnonzero(scores >= threshold)
    else:
        candidates = np.arange(size)
    # Stable: candidates are in document order, so equal scores stay in it.
    ordered = candidates[np.argsort(-scores[candidates], kind="stable")]
    first: list[int] = ordered[:count].tolist()
    return first


class Scored:
    """Documents by score. `scores` must not change while this is in use."""

    def __init__(self, scores: FloatArray, relevant: Sequence[int]) -> None:
        self._scores = scores
        target = best_target(scores, relevant)
        self._rank = rank_by_counting(scores, target)
        self._top: list[int] = []

    def rank(self) -> int:
        return self._rank

    def before(self) -> Sequence[int]:
        return self.prefix(self._rank - 1)

    def prefix(self, count: int) -> Sequence[int]:
        if count > len(self._top):
            self._top = top(self._scores, min(count, len(self._scores)))
        return self._top[:count]


def alternate(first: Sequence[int], second: Sequence[int], count: int) -> list[int]:
    """Interleave: the next of `first` not yet emitted, then the next of `second`, and so on.

    Emits `count` documents, fewer where both run out.
    """
    emitted: dict[int, None] = {}  # a set that keeps its order
    sides = (iter(first), iter(second))
    exhausted = 0
    while len(emitted) < count and exhausted < len(sides):
        exhausted = 0
        for side in sides:
            for document in side:
                if document not in emitted:
                    emitted[document] = None
                    break
            else:
                exhausted += 1
            if len(emitted) == count:
                break
    return list(emitted)


class Interleaved:
    """Two orders, alternating, `first` first; a document is emitted once."""

    def __init__(self, first: Order, second: Order, relevant: Collection[int]) -> None:
        self._first = first
        self._second = second
        self._relevant = relevant
        self._before: list[int] | None = None

    def rank(self) -> int:
        return len(self.before()) + 1

    def before(self) -> Sequence[int]:
        if self._before is None:
            self._before = self._find()
        return self._before

    def _find(self) -> list[int]:
        in_first, in_second = self._first.rank(), self._second.rank()
        if in_first == 1:
            return []
        if in_second == 1:
            return list(self._first.prefix(1))
        # A document at rank r of `first` is emitted by step 2r − 1, one at rank r of `second` by
        # 2r. So the target is among the first `limit`, and no side gives more than that many.
        # No closed form: the walk depends on which documents were skipped before.
        limit = min(2 * in_first - 1, 2 * in_second)
        merged = alternate(
            self._first.prefix(min(in_first, limit)),
            self._second.prefix(min(in_second, limit)),
            limit,
        )
        return merged[: next(i for i, doc in enumerate(merged) if doc in self._relevant)]

    def prefix(self, count: int) -> Sequence[int]:
        return alternate(self._first.prefix(count), self._second.prefix(count), count)


class Delayed:
    """The first `after` documents of one order unchanged, then another without those."""

    def __init__(self, first: Order, second: Order, after: int) -> None:
        self._first = first
        self._second = second
        self._after = after

    def rank(self) -> int:
        in_first = self._first.rank()
        if in_first <= self._after:
            return in_first
        # No relevant document is in the kept part, so the target is the second order's own.
        kept = set(self._first.prefix(self._after))
        return len(kept) + 1 + sum(document not in kept for document in self._second.before())

    def before(self) -> Sequence[int]:
        return self.prefix(self.rank() - 1)

    def prefix(self, count: int) -> Sequence[int]:
        kept = list(self._first.prefix(min(count, self._after)))
        if len(kept) < count:
            known = set(kept)
            rest = (document for document in self._second.prefix(count) if document not in known)
            kept.extend(rest)
        return kept[:count]
