"""What a plan's policies are made of, and how many searches a page of each costs."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pagecost.errors import InputError
from pagecost.model import (
    Bm25,
    Deferred,
    Interleave,
    Model,
    PinnedFile,
    Policy,
    Ranking,
    Run,
)

Leaf = Bm25 | Model | Run


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
            case Model():
                return _spelled_out(part)
            case _:
                return part


_DEFAULTS: dict[str, dict[str, float]] = {
    "BM25Okapi": {"k1": 1.5, "b": 0.75, "epsilon": 0.25},
    "BM25L": {"k1": 1.5, "b": 0.75, "delta": 0.5},
    "BM25Plus": {"k1": 1.5, "b": 0.75, "delta": 1.0},
}
"""What rank_bm25 0.2.2 takes where a plan says nothing: a test holds it against the library."""


def parameters(model: Model) -> dict[str, float]:
    """The parameters of a library's model, its defaults filled in.

    InputError where it is given one that it does not have.
    """
    known = _DEFAULTS[model.model]
    given = {
        name: value
        for name in ("k1", "b", "epsilon", "delta")
        if (value := getattr(model, name)) is not None
    }
    if unknown := sorted(given.keys() - known.keys()):
        raise InputError(
            f"{model.model} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        )
    return known | given


def _spelled_out(model: Model) -> Model:
    """The same model with every parameter written: what is alike is one ranking."""
    return msgspec.structs.replace(model, **parameters(model))


def searched(ranking: Ranking, candidates: int) -> frozenset[Leaf]:
    """The index rankings that must be made to emit the first `candidates` of a resolved ranking."""
    match ranking:
        case Interleave(first=first, second=second):
            return searched(known(first), candidates) | searched(known(second), candidates)
        case Deferred(first=first, second=second):
            bound = _change(ranking)
            kept = searched(known(first), min(candidates, ranking.after))
            return kept if candidates <= bound else kept | searched(known(second), candidates)
        case _:
            return frozenset((ranking,))


def _change(ranking: Deferred) -> int:
    """How many candidates surely come from its first order alone, whatever the query.

    A run may end before `after`, and then the second order fills the page. By how much differs from
    query to query, so that the shortest is taken: more searches may be counted than were made, but
    never fewer.
    """
    assured = _assured(known(ranking.first))
    return ranking.after if assured is None else min(ranking.after, assured)


def is_bound(ranking: Ranking) -> bool:
    """Are the searches of a resolved ranking an upper bound, since a run ends before a change?"""
    match ranking:
        case Interleave(first=first, second=second):
            return is_bound(known(first)) or is_bound(known(second))
        case Deferred(first=first, second=second, after=after):
            inside = is_bound(known(first)) or is_bound(known(second))
            return inside or _change(ranking) < after
        case _:
            return False


def _assured(ranking: Ranking) -> int | None:
    """How many candidates a ranking delivers at least; None where it is all documents."""
    match ranking:
        case Run(pins=pins):
            return pins.shallowest if pins is not None else 0
        case Interleave(first=first, second=second):
            sides = _assured(known(first)), _assured(known(second))
            return None if sides[0] is None or sides[1] is None else max(sides[0], sides[1])
        case Deferred(second=second):
            rest = _assured(known(second))
            return None if rest is None else max(rest, _change(ranking))
        case _:
            return None


def known(part: str | Ranking) -> Ranking:
    """A part of a resolved ranking, in which no names are left."""
    if isinstance(part, str):
        raise TypeError(f"not resolved: {part!r}")
    return part


def search_tiers(ranking: Ranking) -> tuple[tuple[int, int], ...] | None:
    """How many searches a page takes, by where it ends: ((candidates, searches), …).

    A page that ends at or before `candidates` takes that many; the last tier has no bound, shown
    as 0. A page is served statelessly, so it takes each index ranking that it draws on once, and
    each run as many searches as its author states. None where a run's author stated none.
    """
    if any(isinstance(leaf, Run) and leaf.searches is None for leaf in leaves(ranking)):
        return None

    def taken(candidates: int) -> int:
        return sum(_searches_of(leaf) for leaf in searched(ranking, candidates))

    bounds = sorted(_bounds(ranking))
    tiers = [(bound, taken(bound)) for bound in bounds]
    return (*tiers, (0, taken(bounds[-1] + 1 if bounds else 1)))


def _searches_of(leaf: Leaf) -> int:
    return leaf.searches or 0 if isinstance(leaf, Run) else 1


def _bounds(ranking: Ranking) -> set[int]:
    match ranking:
        case Interleave(first=first, second=second):
            return _bounds(known(first)) | _bounds(known(second))
        case Deferred(first=first, second=second):
            own = {bound for bound in (_change(ranking),) if bound}
            return own | _bounds(known(first)) | _bounds(known(second))
        case _:
            return set()


def identity(ranking: Ranking) -> Ranking:
    """What a resolved ranking orders by, without what is only said of it.

    A run is its bytes and its tie rule: where its file lies, what was found in it, and the searches
    that its author states change no order.
    """
    match ranking:
        case Run(file=file, ties=ties):
            return Run(file=PinnedFile(path="run", sha256=file.sha256), ties=ties)
        case Interleave(first=first, second=second):
            return Interleave(first=identity(known(first)), second=identity(known(second)))
        case Deferred(first=first, second=second, after=after):
            sides = identity(known(first)), identity(known(second))
            return Deferred(first=sides[0], second=sides[1], after=after)
        case _:
            return ranking


def leaves(ranking: Ranking) -> frozenset[Leaf]:
    """Every index ranking and run that it is made of, whether or not any page reaches it."""
    match ranking:
        case Interleave(first=first, second=second) | Deferred(first=first, second=second):
            return leaves(known(first)) | leaves(known(second))
        case _:
            return frozenset((ranking,))


def runs(policies: Sequence[Policy]) -> dict[Run, None]:
    """The runs that policies draw on, each once, in the plan's order."""
    found: dict[Run, None] = {}
    for ranking in resolve(policies).values():
        several = [leaf for leaf in leaves(ranking) if isinstance(leaf, Run)]
        found |= dict.fromkeys(sorted(several, key=lambda run: run.file.path))
    return found


def has_index(policies: Sequence[Policy]) -> bool:
    """Does any policy rank documents itself? Where all are runs, no document is needed."""
    used = (leaf for ranking in resolve(policies).values() for leaf in leaves(ranking))
    return any(not isinstance(leaf, Run) for leaf in used)
