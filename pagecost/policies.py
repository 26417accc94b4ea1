"""From a plan's policies to orders, and how many searches a page of each costs.

An explicit table says what each kind of ranking is made of. Rankings that are written alike are
one ranking: an index is built once, and scored once a query, however many policies draw on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagecost.bm25 import Bm25Index, Postings, WordTable
from pagecost.errors import InputError
from pagecost.model import Bm25, Deferred, Interleave, Model, Policy, Ranking
from pagecost.ranking import Delayed, Interleaved, Order, Scored
from pagecost.text import TextKind, tokens

FloatArray = NDArray[np.float64]
Leaf = Bm25 | Model


class Scorer(Protocol):
    """Scores of all documents for a query's tokens, shape (N,); the buffer may be reused."""

    def scores(self, query_tokens: Sequence[str]) -> FloatArray: ...


# --- What a ranking is made of --------------------------------------------------------------------


_MOST_PARTS = 100
"""Rankings that one policy may be made of: one that takes the one before it twice, forty times
over, would be made of a trillion."""


def resolve(policies: Sequence[Policy]) -> dict[str, Ranking]:
    """Every policy's ranking with names replaced by what they name.

    InputError where a name is unknown, or a policy would be made of itself or of too much.
    """
    return {policy.name: _Resolver(policies, policy.name).made() for policy in policies}


class _Resolver:
    """Resolves one policy, counting what it is made of."""

    def __init__(self, policies: Sequence[Policy], name: str) -> None:
        self._by_name = {policy.name: policy for policy in policies}
        self._name = name
        self._parts = 0

    def made(self) -> Ranking:
        return self._ranking(self._name, ())

    def _ranking(self, part: str | Ranking, seen: tuple[str, ...]) -> Ranking:
        if isinstance(part, str):
            if part not in self._by_name:
                known = ", ".join(self._by_name)
                raise InputError(f"no policy is named {part!r}; known: {known}")
            if part in seen:
                raise InputError(f"policy {part!r} is made of itself: {' → '.join((*seen, part))}")
            return self._ranking(self._by_name[part].ranking, (*seen, part))
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise InputError(f"policy {self._name!r} is made of more than {_MOST_PARTS} rankings")
        match part:
            case Interleave(first=first, second=second):
                return Interleave(
                    first=self._ranking(first, seen), second=self._ranking(second, seen)
                )
            case Deferred(first=first, second=second, after=after):
                return Deferred(
                    first=self._ranking(first, seen),
                    second=self._ranking(second, seen),
                    after=after,
                )
            case _:
                return part


def searched(ranking: Ranking, candidates: int) -> frozenset[Leaf]:
    """The index rankings that must be made to emit the first `candidates` of a resolved ranking."""
    match ranking:
        case Interleave(first=first, second=second):
            return searched(_known(first), candidates) | searched(_known(second), candidates)
        case Deferred(first=first, second=second, after=after):
            kept = searched(_known(first), min(candidates, after))
            return kept if candidates <= after else kept | searched(_known(second), candidates)
        case _:
            return frozenset((ranking,))


def _known(part: str | Ranking) -> Ranking:
    if isinstance(part, str):
        raise TypeError(f"not resolved: {part!r}")
    return part


def search_tiers(ranking: Ranking) -> tuple[tuple[int, int], ...]:
    """How many searches a page takes, by where it ends: ((candidates, searches), …).

    A page that ends at or before `candidates` takes that many; the last tier has no bound, shown
    as 0. A page is served statelessly, so it takes each index ranking that it draws on once.
    """
    bounds = sorted(_bounds(ranking))
    tiers = [(bound, len(searched(ranking, bound))) for bound in bounds]
    return (*tiers, (0, len(searched(ranking, bounds[-1] + 1 if bounds else 1))))


def _bounds(ranking: Ranking) -> set[int]:
    match ranking:
        case Interleave(first=first, second=second):
            return _bounds(_known(first)) | _bounds(_known(second))
        case Deferred(first=first, second=second, after=after):
            return {after} | _bounds(_known(first)) | _bounds(_known(second))
        case _:
            return set()


# --- Making the orders ----------------------------------------------------------------------------


class _RankBm25:
    """A rank_bm25 model: the library's own scores, term by term as it adds them up itself.

    `get_scores` starts from zeros and adds one row a query token; asking for one token at a time
    and adding the rows in the same order gives the same floats, and shared terms are scored once.
    """

    _CACHE_BYTES = 64 << 20

    def __init__(self, texts: Sequence[str], spec: Model) -> None:
        import rank_bm25

        self._size = len(texts)
        documents = [tokens(text, spec.text) for text in texts]
        if not any(documents):
            raise InputError(f"{spec.library}'s {spec.model} can't index a corpus without a token")
        model = getattr(rank_bm25, spec.model)(documents)
        rows = max(16, self._CACHE_BYTES // (8 * max(self._size, 1)))

        @lru_cache(maxsize=rows)
        def row(token: str) -> FloatArray:
            return np.asarray(model.get_scores([token]), dtype=np.float64)

        self._row: Callable[[str], FloatArray] = row

    def scores(self, query_tokens: Sequence[str]) -> FloatArray:
        scores = np.zeros(self._size)
        for token in query_tokens:
            scores += self._row(token)
        return scores


class Ranker:
    """All policies of a plan over one corpus: for each query, the rank of its first target."""

    def __init__(self, policies: Sequence[Policy], texts: Sequence[str]) -> None:
        """Builds the indexes that the policies draw on, each once. `texts` are the documents."""
        self._rankings = resolve(policies)
        self._scorers = _scorers(set().union(*map(_leaves, self._rankings.values())), texts)

    def ranks(self, query: str, relevant: Sequence[int]) -> dict[str, int]:
        """By policy name, the rank of the first of `relevant` (ascending document positions)."""
        query_tokens: dict[TextKind, list[str]] = {}
        orders: dict[Ranking, Order] = {}

        def order(ranking: Ranking) -> Order:
            if ranking in orders:
                return orders[ranking]
            made: Order
            match ranking:
                case Interleave(first=first, second=second):
                    made = Interleaved(order(_known(first)), order(_known(second)), relevant)
                case Deferred(first=first, second=second, after=after):
                    made = Delayed(order(_known(first)), order(_known(second)), after)
                case Bm25() | Model():
                    if ranking.text not in query_tokens:
                        query_tokens[ranking.text] = tokens(query, ranking.text)
                    scores = self._scorers[ranking].scores(query_tokens[ranking.text])
                    made = Scored(scores, relevant)
            orders[ranking] = made
            return made

        return {name: order(ranking).rank() for name, ranking in self._rankings.items()}


def _leaves(ranking: Ranking) -> frozenset[Leaf]:
    """Every index ranking that it is made of, whether or not any page reaches it."""
    match ranking:
        case Interleave(first=first, second=second) | Deferred(first=first, second=second):
            return _leaves(_known(first)) | _leaves(_known(second))
        case _:
            return frozenset((ranking,))


def _scorers(leaves: set[Leaf], texts: Sequence[str]) -> Mapping[Leaf, Scorer]:
    scorers: dict[Leaf, Scorer] = {}
    postings: dict[TextKind, Postings] = {}
    table = WordTable(texts) if any(isinstance(leaf, Bm25) for leaf in leaves) else None
    for leaf in leaves:
        if isinstance(leaf, Model):
            scorers[leaf] = _RankBm25(texts, leaf)
        elif table is not None:
            if leaf.text not in postings:
                postings[leaf.text] = Postings(table, leaf.text)
            scorers[leaf] = Bm25Index(postings[leaf.text], leaf.k1, leaf.b)
    return scorers
