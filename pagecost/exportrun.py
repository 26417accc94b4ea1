"""A version's rankings as a TREC run, and its targets as judgments, for any other tool.

The score column of a run counts down from the depth that was asked for: a composition has no score,
and equal ones would be reordered by trec_eval's tie rule. So the order is exactly ours under it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pagecost.errors import InputError
from pagecost.model import Corpus, Plan
from pagecost.rankers import Ranker

_LEAST = 8
_DIGEST = re.compile(r"[0-9a-f]{64}")


def run(
    plan: Plan,
    corpus: Corpus,
    policy: str,
    depth: int | None,
    *,
    short: bool = False,
    tick: Callable[[int, int], None] | None = None,
) -> bytes:
    """A policy's order of every query, `depth` documents deep, all of them where it is None.

    InputError where there is no such policy, or an id has white space.
    """
    names = [one.name for one in plan.policies]
    if policy not in names:
        raise InputError(f"{plan.key}: no policy is named {policy!r}; known: {', '.join(names)}")
    documents, queries = _ids(corpus, short=short)
    ranker = Ranker(plan.policies, corpus)
    lines: list[str] = []
    for done, query in enumerate(corpus.queries, start=1):
        order = ranker.orders(query)[policy]
        whole = order.depth()
        listed = order.prefix(whole if depth is None else min(depth, whole))
        most = len(listed) if depth is None else depth
        topic = queries(query.id)
        lines += [
            f"{topic} Q0 {documents(ranker.document_id(one))} {place} {most - place + 1} {policy}\n"
            for place, one in enumerate(listed, start=1)
        ]
        if tick is not None:
            tick(done, len(corpus.queries))
    return "".join(lines).encode("utf-8")


def qrels(corpus: Corpus, *, short: bool = False) -> bytes:
    """The relevant documents of every query as judgments: 1 relevant, 0 judged and not."""
    documents, queries = _ids(corpus, short=short)
    lines = []
    for query in corpus.queries:
        relevant = set(query.relevant)
        for place in query.judged or query.relevant:
            document = documents(corpus.documents[place].id)
            lines.append(f"{queries(query.id)} 0 {document} {int(place in relevant)}\n")
    return "".join(lines).encode("utf-8")


def _ids(corpus: Corpus, *, short: bool) -> tuple[Callable[[str], str], Callable[[str], str]]:
    """How ids of documents and of queries are written."""
    if not short:
        return _whole, _whole
    return (
        _shortened([document.id for document in corpus.documents], "document"),
        _shortened([query.id for query in corpus.queries], "query"),
    )


def _whole(one: str) -> str:
    if one.split() != [one]:
        raise InputError(f"id {one!r}: has white space, which a TREC file can't hold")
    return one


def _shortened(ids: Iterable[str], what: str) -> Callable[[str], str]:
    """Digests cut to the least length, of 8 or more, at which they are told apart."""
    ids = list(ids)
    for one in ids:
        if not _DIGEST.fullmatch(one):
            raise InputError(f"{what} id {one!r}: only digests can be shortened")
    length = _LEAST
    while len({one[:length] for one in ids}) < len(ids):
        length += 1
    return lambda one: one[:length]
