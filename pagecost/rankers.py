"""The orders of a plan's policies over one corpus, query by query.

Rankings that are written alike are one ranking: an index is built once, and scored once a query,
however many policies draw on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagecost.bm25 import Bm25Index, Postings, WordTable
from pagecost.errors import InputError
from pagecost.model import (
    Bm25,
    Corpus,
    Deferred,
    Interleave,
    Model,
    Policy,
    Query,
    Ranking,
    Run,
)
from pagecost.policies import Leaf, known, leaves, parameters, resolve
from pagecost.ranking import Delayed, Interleaved, Listed, Order, Scored, Target
from pagecost.text import TextKind, tokens

FloatArray = NDArray[np.float64]


class Scorer(Protocol):
    """Scores of all documents for a query's tokens, shape (N,); the buffer may be reused."""

    def scores(self, query_tokens: Sequence[str]) -> FloatArray: ...


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
        model = getattr(rank_bm25, spec.model)(documents, **parameters(spec))
        rows = max(16, self._CACHE_BYTES // (8 * max(self._size, 1)))

        @lru_cache(maxsize=rows)
        def row(token: str) -> FloatArray:
            with np.errstate(all="ignore"):
                scores = np.asarray(model.get_scores([token]), dtype=np.float64)
            if not np.isfinite(scores).all():
                given = ", ".join(f"{name} {value:g}" for name, value in parameters(spec).items())
                raise InputError(
                    f"{spec.library}'s {spec.model} ({given}): {token!r} gives a score that is no "
                    "number, which no rank follows from; documents without a token do so at b 1, "
                    "and any at k1 0"
                )
            return scores

        self._row: Callable[[str], FloatArray] = row

    def scores(self, query_tokens: Sequence[str]) -> FloatArray:
        scores = np.zeros(self._size)
        for token in query_tokens:
            scores += self._row(token)
        return scores


class Ranker:
    """All policies of a plan over one corpus: for each query, their orders."""

    def __init__(self, policies: Sequence[Policy], corpus: Corpus) -> None:
        """Builds the indexes that the policies draw on, each once."""
        self._rankings = resolve(policies)
        self._corpus = corpus
        used: set[Leaf] = set().union(*map(leaves, self._rankings.values()))
        scored = {leaf for leaf in used if not isinstance(leaf, Run)}
        texts = [document.text for document in corpus.documents] if scored else []
        self._scorers = _scorers(scored, texts)
        self._unknown: dict[str, int] = {}
        self._places: dict[str, int] = {}
        if len(scored) < len(used):
            self._places = {one.id: place for place, one in enumerate(corpus.documents)}

    def orders(self, query: Query, wanted: int = 1) -> dict[str, Order]:
        """By policy name, its order of the documents for that query; its target is `wanted` of the
        relevant ones.

        They share what they are made of, and hold until the next query: scores are in buffers.
        """
        target = Target(query.relevant, wanted)
        query_tokens: dict[TextKind, list[str]] = {}
        unknown = self._unknown = {}
        made: dict[Ranking, Order] = {}

        def order(ranking: Ranking) -> Order:
            if ranking not in made:
                made[ranking] = make(ranking)
            return made[ranking]

        def make(ranking: Ranking) -> Order:
            match ranking:
                case Interleave(first=first, second=second):
                    return Interleaved(order(known(first)), order(known(second)), target)
                case Deferred(first=first, second=second, after=after):
                    sides = order(known(first)), order(known(second))
                    return Delayed(*sides, after, target)
                case Run():
                    return Listed(self._delivered(ranking, query, unknown), target)
                case Bm25() | Model():
                    if ranking.text not in query_tokens:
                        query_tokens[ranking.text] = tokens(query.text, ranking.text)
                    return Scored(self._scorers[ranking].scores(query_tokens[ranking.text]), target)

        return {name: order(ranking) for name, ranking in self._rankings.items()}

    def document_id(self, position: int) -> str:
        """The id of a document that an order of the last query gave."""
        documents = self._corpus.documents
        if position < len(documents):
            return documents[position].id
        return list(self._unknown)[position - len(documents)]

    def _delivered(self, run: Run, query: Query, unknown: dict[str, int]) -> list[int]:
        """A run's documents as positions. Those that a corpus can't know get numbers behind it."""
        places = self._places
        listed = self._corpus.runs[run].documents(query.id)
        if self._corpus.is_complete:
            try:
                return [places[one] for one in listed]
            except KeyError as error:
                raise InputError(
                    f"{run.file.path}: topic {query.id}: document {error.args[0]!r} is not in the "
                    "corpus"
                ) from None
        count = len(places)
        return [
            places[one] if one in places else unknown.setdefault(one, count + len(unknown))
            for one in listed
        ]


def _scorers(leaves: set[Bm25 | Model], texts: Sequence[str]) -> Mapping[Leaf, Scorer]:
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
