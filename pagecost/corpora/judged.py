"""From judgments to a corpus: what every kind of collection does alike.

Queries are those judged, in ascending order of id; one without the relevant documents that are
looked for is left out and counted. Documents stand in ascending order of id.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from pagecost.errors import InputError
from pagecost.jsonio import ids_hash
from pagecost.model import (
    Corpus,
    CorpusPins,
    Definitions,
    Document,
    JudgmentPins,
    Query,
)
from pagecost.qrels import Judgments

REASONS = ("unjudged", "not-asked", "no-relevant", "too-few-relevant")
"""Why a query is left out, in the order of checking: nobody judged it; it is not among the topics;
no document is relevant to it; fewer are than the plan looks for."""


def build(
    judgments: Judgments,
    definitions: Definitions,
    level: int = 1,
    *,
    documents: Iterable[tuple[str, str]] | None = None,
    texts: Mapping[str, str] | None = None,
    asked: Collection[str] | None = None,
    where: object,
) -> Corpus:
    """The corpus of judgments, with documents (id, text) and queries (text by id) where known.

    A grade of `level` or more is relevant. `asked` are the queries that count, all those judged
    where it is left out. Without documents they are those judged, and the corpus is not complete.
    InputError where a judged query has no text, an id stands twice, or no query is left.
    """
    known = _documents(judgments, documents)
    places = {document.id: place for place, document in enumerate(known)}
    if len(places) != len(known):
        twice = Counter(document.id for document in known).most_common(1)[0][0]
        raise InputError(f"{where}: document id {twice!r} stands twice")
    left_out = dict.fromkeys(REASONS, 0)
    left_out["unjudged"] = len({*(texts or ()), *(asked or ())} - judgments.grades.keys())
    queries: list[Query] = []
    counts = Counter(judgments.repairs)
    for query_id, grades in sorted(judgments.grades.items()):
        if texts is not None and query_id not in texts:
            raise InputError(f"{where}: query {query_id!r} is judged, but has no text")
        judged = {places[one]: grade for one, grade in grades.items() if one in places}
        query = _query(query_id, texts[query_id] if texts else "", judged, level)
        counts["judgments"] += len(grades)
        counts["missing_documents"] += len(grades) - len(judged)
        counts["relevant"] += len(query.relevant)
        reason = _reason(len(query.relevant), definitions.wanted(len(query.relevant)))
        if asked is not None and query_id not in asked:
            reason = "not-asked"
        if reason is None:
            queries.append(query)
        else:
            left_out[reason] += 1
    if not queries:
        raise InputError(f"{where}: no query has the relevant documents that are looked for")
    is_complete = documents is not None
    return Corpus(
        documents=tuple(known),
        queries=tuple(queries),
        counts=CorpusPins(
            documents=len(known) if is_complete else None,
            queries=len(queries),
            membership=ids_hash(one.id for one in known) if is_complete else None,
            query_hash=ids_hash(one.id for one in queries),
            repositories=[],
            strata={},
            exclusions=left_out,
            judgments=JudgmentPins(**counts),
        ),
        is_complete=is_complete,
    )


def _documents(
    judgments: Judgments, documents: Iterable[tuple[str, str]] | None
) -> Sequence[Document]:
    if documents is None:
        judged = {one for grades in judgments.grades.values() for one in grades}
        documents = ((one, "") for one in judged)
    return sorted(
        (
            Document(one, repository="", path=one, name="", line=0, text=text)
            for one, text in documents
        ),
        key=lambda document: document.id,
    )


def _query(query_id: str, text: str, judged: Mapping[int, int], level: int) -> Query:
    """A query with the places of its documents, judged and relevant, in order."""
    return Query(
        id=query_id,
        text=text,
        repository="",
        stratum="",
        relevant=tuple(sorted(place for place, grade in judged.items() if grade >= level)),
        judged=tuple(sorted(judged)),
    )


def _reason(relevant: int, wanted: int) -> str | None:
    if not relevant:
        return "no-relevant"
    return "too-few-relevant" if relevant < wanted else None
