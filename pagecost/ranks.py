"""The rank of every query under every policy, and `ranks.csv`, where it is kept.

One row a query, one column a policy: a rank, or empty for *not found*. The target named in a row
is the first relevant document in corpus order, the same for all policies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from pagecost import csvio
from pagecost.errors import InputError
from pagecost.model import NOT_FOUND, Corpus, Policy, QueryRow, RankColumn, RankTable
from pagecost.policies import Ranker

FIXED_COLUMNS = QueryRow.__struct_fields__
_COUNT = re.compile(r"[1-9][0-9]{0,17}")


def rank_all(
    policies: Sequence[Policy], corpus: Corpus, tick: Callable[[int, int], None] | None = None
) -> RankTable:
    """Ranks every query of the corpus; calls `tick` with how many are done, of how many."""
    ranker = Ranker(policies, [document.text for document in corpus.documents])
    ranks: dict[str, list[int]] = {policy.name: [] for policy in policies}
    for done, query in enumerate(corpus.queries, start=1):
        for policy, rank in ranker.ranks(query.text, query.relevant).items():
            ranks[policy].append(rank)
        if tick is not None:
            tick(done, len(corpus.queries))
    return RankTable(
        rows=tuple(_rows(corpus)),
        columns=tuple(
            RankColumn(policy, np.array(column, dtype=np.int64), depth=len(corpus.documents))
            for policy, column in ranks.items()
        ),
    )


def _rows(corpus: Corpus) -> Iterator[QueryRow]:
    for query in corpus.queries:
        target = corpus.documents[query.relevant[0]]
        yield QueryRow(
            query_id=query.id,
            repository=query.repository,
            stratum=query.stratum,
            relevant=len(query.relevant),
            target_path=target.path,
            target_line=target.line,
            target_name=target.name,
        )


# --- ranks.csv ------------------------------------------------------------------------------------


def to_csv(table: RankTable) -> bytes:
    """The canonical bytes: UTF-8, LF, quoted only where needed."""
    columns = [column.ranks.tolist() for column in table.columns]
    lines = [csvio.line((*FIXED_COLUMNS, *(column.policy for column in table.columns)))]
    for index, row in enumerate(table.rows):
        fixed = (getattr(row, field) for field in FIXED_COLUMNS)
        lines.append(csvio.line((*fixed, *(column[index] or "" for column in columns))))
    return "".join(lines).encode("utf-8")


def from_csv(data: bytes, depths: Sequence[tuple[str, int]], where: object) -> RankTable:
    """The table in those bytes, for policies of those names and depths, in that order.

    InputError names the row and what was expected: every byte must be as `to_csv` writes it.
    """
    header = (*FIXED_COLUMNS, *(name for name, _ in depths))
    rows: list[QueryRow] = []
    columns: list[list[int]] = [[] for _ in depths]
    for place, fields in csvio.read(data, header, where):
        rows.append(_row(fields, rows, place))
        ranks = fields[len(FIXED_COLUMNS) :]
        for column, (policy, depth), value in zip(columns, depths, ranks, strict=True):
            column.append(_rank(value, depth, f"{place}: {policy}"))
    if not rows:
        raise InputError(f"{where}: no query")
    table = RankTable(
        rows=tuple(rows),
        columns=tuple(
            RankColumn(policy, np.array(column, dtype=np.int64), depth)
            for (policy, depth), column in zip(depths, columns, strict=True)
        ),
    )
    if to_csv(table) != data:
        raise InputError(f"{where}: quoting or line ends are not those that pagecost writes")
    return table


def _row(fields: list[str], before: list[QueryRow], place: str) -> QueryRow:
    query_id, repository, stratum, relevant, path, line, name = fields[: len(FIXED_COLUMNS)]
    if before and query_id <= before[-1].query_id:
        what = "a repeat of" if query_id == before[-1].query_id else "before"
        raise InputError(
            f"{place}: query_id {query_id!r} is {what} the row above, expected ascending ids"
        )
    return QueryRow(
        query_id=query_id,
        repository=repository,
        stratum=stratum,
        relevant=_count(relevant, f"{place}: relevant"),
        target_path=path,
        target_line=_count(line, f"{place}: target_line"),
        target_name=name,
    )


def _count(value: str, place: str) -> int:
    if not _COUNT.fullmatch(value):
        raise InputError(f"{place}: {value!r}, expected a whole number of at least 1")
    return int(value)


def _rank(value: str, depth: int, place: str) -> int:
    if value == "":
        return NOT_FOUND
    rank = _count(value, place)
    if rank > depth:
        raise InputError(f"{place}: rank {rank}, expected 1 to {depth}, or empty for not found")
    return rank
