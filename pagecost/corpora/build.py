"""From kept rows to a corpus: what every kind of corpus does alike, and the hashes that pin it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pagecost.errors import InputError
from pagecost.jsonio import ids_hash, sha256
from pagecost.model import MULTIPLE, Corpus, CorpusPins, Document, Query, RepositoryCount
from pagecost.text import collapsed, normalized

NAME_PRESENT = "name-present"
NAME_ABSENT = "name-absent"
_NAME_WORD = re.compile(r"\w+")


class Row(msgspec.Struct, frozen=True):
    """A document that stays, and the question it is known to answer, in its original case."""

    document: Document
    query: str


def build(
    rows: Sequence[Row],
    exclusions: Mapping[str, int],
    *,
    refuse_multiple: bool,
    notes: Sequence[str] = (),
) -> Corpus:
    """Documents in ascending order of id; rows with the same normalized query are one query.

    InputError where an id stands twice, no row is left, or a query is relevant in several
    repositories and the plan refuses such.
    """
    rows = sorted(rows, key=lambda row: row.document.id)
    if not rows:
        raise InputError("no document is left after the exclusions")
    for row, after in itertools.pairwise(rows):
        if row.document.id == after.document.id:
            raise InputError(
                f"document id {row.document.id} stands twice: {after.document.path}, "
                f"{after.document.name}"
            )
    groups: dict[str, list[int]] = {}
    for position, row in enumerate(rows):
        groups.setdefault(normalized(row.query), []).append(position)
    queries = [_query(text, positions, rows) for text, positions in groups.items()]
    queries.sort(key=lambda query: query.id)
    if refuse_multiple:
        for query in queries:
            if query.repository == MULTIPLE:
                names = sorted({rows[position].document.repository for position in query.relevant})
                raise InputError(
                    f"query {query.id} is relevant in several repositories ({', '.join(names)}), "
                    "which the plan refuses"
                )
    documents = tuple(row.document for row in rows)
    return Corpus(
        documents=documents,
        queries=tuple(queries),
        counts=_counts(documents, queries, exclusions),
        notes=tuple(notes),
    )


def _query(text: str, positions: list[int], rows: Sequence[Row]) -> Query:
    relevant = [rows[position].document for position in positions]
    repositories = {document.repository for document in relevant}
    return Query(
        id=sha256(text.encode("utf-8")),
        # Searched in its original case, since identifier splitting looks at case.
        text=collapsed(rows[positions[0]].query),
        repository=repositories.pop() if len(repositories) == 1 else MULTIPLE,
        stratum=_stratum(text, relevant),
        relevant=tuple(positions),
    )


def _stratum(query: str, relevant: Iterable[Document]) -> str:
    """Does the query name a target? The last dot-separated part of its name, ignoring case."""
    words = set(_NAME_WORD.findall(query))
    names = {normalized(document.name.rsplit(".", 1)[-1]) for document in relevant}
    return NAME_PRESENT if words & names else NAME_ABSENT


def _counts(
    documents: Sequence[Document], queries: Sequence[Query], exclusions: Mapping[str, int]
) -> CorpusPins:
    found: dict[str, list[int]] = {}
    for document in documents:
        found.setdefault(document.repository, [0, 0])[0] += 1
    for query in queries:
        found.setdefault(query.repository, [0, 0])[1] += 1
    names = sorted(found, key=lambda name: (name == MULTIPLE, name))
    strata = {
        stratum: sum(query.stratum == stratum for query in queries)
        for stratum in (NAME_PRESENT, NAME_ABSENT)
    }
    return CorpusPins(
        documents=len(documents),
        queries=len(queries),
        membership=ids_hash(document.id for document in documents),
        query_hash=ids_hash(query.id for query in queries),
        repositories=[
            RepositoryCount(name=name, documents=found[name][0], queries=found[name][1])
            for name in names
        ],
        strata=strata,
        exclusions=dict(exclusions),
    )


def check_pins(found: msgspec.Struct, pinned: msgspec.Struct, where: object) -> None:
    """InputError that names everything in which what was found is not what the plan pins."""
    differences = [
        f"{where}.{field}: found {ours!r}, the plan pins {theirs!r}"
        for field in type(found).__struct_fields__
        if (ours := msgspec.to_builtins(getattr(found, field)))
        != (theirs := msgspec.to_builtins(getattr(pinned, field)))
    ]
    if differences:
        raise InputError("\n".join(differences))
