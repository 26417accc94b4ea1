"""The rank of a query's target, exactly, without sorting what need not be sorted.

This module owns the tie rule of scores: a higher score stands first, equal scores stand in document
order. (A run brings an order of its own.) An *order* is how one policy orders the documents that it
delivers for one query. Ranks are 1-based; NOT_FOUND where the target is not among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

NOT_FOUND = 0
"""The rank of a target that was not delivered: a state, never a number."""


class Target:
    """What is looked for: `wanted` of the `relevant` documents (positions, ascending, not empty).

    The rank of a target is that of the last one needed: the first relevant document, or the m-th.
    """

    def __init__(self, relevant: Sequence[int], wanted: int = 1) -> None:
        self.relevant = relevant
        self.wanted = wanted
        self._set = frozenset(relevant)

    def rank_in(self, documents: Iterable[int], held: int = 0) -> int:
        """The 1-based place at which the target is met; NOT_FOUND where it isn't.

        `held` relevant documents were met before.
        """
        for place, document in enumerate(documents, start=1):
            if document in self._set:
                held += 1
                if held == self.wanted:
                    return place
        return NOT_FOUND

    def met(self, documents: Iterable[int]) -> int:
        """How many of them are relevant."""
        return sum(document in self._set for document in documents)

    def by_score(self, scores: FloatArray) -> int:
        """The last document needed, as scores order them: highest score, then lowest position."""
        if self.wanted == 1:
            return max(self.relevant, key=lambda position: (scores[position], -position))
        ordered = sorted(self.relevant, key=lambda position: (-scores[position], position))
        return ordered[self.wanted - 1]


class Order(Protocol):
    """One policy's order of the documents that it delivers for one query."""

    def rank(self) -> int:
        """The 1-based rank of the target, or NOT_FOUND."""

    def depth(self) -> int:
        """How many documents it delivers."""

    def is_complete(self) -> bool:
        """Does it deliver all documents that there are, whatever the query?"""

    def prefix(self, count: int) -> Sequence[int]:
        """The first `count` documents, in order; all of them where there are fewer."""


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
    """All documents by score. `scores` must not change while this is in use."""

    def __init__(self, scores: FloatArray, target: Target) -> None:
        self._scores = scores
        self._rank = rank_by_counting(scores, target.by_score(scores))
        self._top: list[int] = []

    def rank(self) -> int:
        return self._rank

    def depth(self) -> int:
        return len(self._scores)

    def is_complete(self) -> bool:
        return True

    def prefix(self, count: int) -> Sequence[int]:
        if count > len(self._top):
            self._top = top(self._scores, min(count, len(self._scores)))
        return self._top[:count]


class Listed:
    """The documents that a run delivers, in its order, each once."""

    def __init__(self, documents: Sequence[int], target: Target) -> None:
        self._documents = documents
        self._rank = target.rank_in(documents)

    def rank(self) -> int:
        return self._rank

    def depth(self) -> int:
        return len(self._documents)

    def is_complete(self) -> bool:
        return False

    def prefix(self, count: int) -> Sequence[int]:
        return self._documents[:count]


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

    def __init__(self, first: Order, second: Order, target: Target) -> None:
        self._first = first
        self._second = second
        self._target = target
        self._start: list[int] = []
        self._rank: int | None = None

    def rank(self) -> int:
        if self._rank is None:
            self._rank = self._find()
        return self._rank

    def _find(self) -> int:
        in_first, in_second = self._first.rank(), self._second.rank()
        if in_first == 1:
            return 1
        if in_second == 1:
            return 2 if self._first.depth() else 1
        # What stands at rank r of `first` is emitted by step 2r − 1, at rank r of `second` by 2r.
        # So the target is among the first `limit`, and no side gives more than that many, nor
        # anything behind its own target. No closed form: the walk depends on what is skipped.
        bounds = [2 * in_first - 1] if in_first else []
        bounds += [2 * in_second] if in_second else []
        in_first, in_second = in_first or self._first.depth(), in_second or self._second.depth()
        limit = min(bounds, default=in_first + in_second)
        self._start = alternate(
            self._first.prefix(min(in_first, limit)),
            self._second.prefix(min(in_second, limit)),
            limit,
        )
        rank = self._target.rank_in(self._start)
        del self._start[rank:]  # behind the target, a side may have been cut
        return rank

    def is_complete(self) -> bool:
        return self._first.is_complete() or self._second.is_complete()

    def depth(self) -> int:
        for side in (self._first, self._second):
            if side.is_complete():
                return side.depth()
        return len({*self._whole(self._first), *self._whole(self._second)})

    @staticmethod
    def _whole(side: Order) -> Sequence[int]:
        return side.prefix(side.depth())

    def prefix(self, count: int) -> Sequence[int]:
        if count <= len(self._start):
            return self._start[:count]
        return alternate(self._first.prefix(count), self._second.prefix(count), count)


class Delayed:
    """The first `after` documents of one order unchanged, then another without those."""

    def __init__(self, first: Order, second: Order, after: int, target: Target) -> None:
        self._first = first
        self._second = second
        self._after = after
        self._target = target

    def rank(self) -> int:
        in_first = self._first.rank()
        if 0 < in_first <= self._after:
            return in_first
        kept = self._first.prefix(self._after)
        # What the second order has up to its own target holds as much as is still looked for.
        rest = self._rest(kept, self._second.rank() or self._second.depth())
        place = self._target.rank_in(rest, self._target.met(kept))
        return len(kept) + place if place else NOT_FOUND

    def _rest(self, kept: Sequence[int], count: int) -> list[int]:
        """The first `count` documents of the second order, without those kept."""
        known = set(kept)
        return [document for document in self._second.prefix(count) if document not in known]

    def is_complete(self) -> bool:
        return self._second.is_complete()

    def depth(self) -> int:
        if self.is_complete():
            return self._second.depth()
        kept = self._first.prefix(self._after)
        return len(kept) + len(self._rest(kept, self._second.depth()))

    def prefix(self, count: int) -> Sequence[int]:
        kept = self._first.prefix(min(count, self._after))
        if len(kept) == count:
            return kept
        return [*kept, *self._rest(kept, count)][:count]
