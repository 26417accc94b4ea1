"""The rank of every query under every policy, and `ranks.csv`, where it is kept.

One row a query, one column a policy: a rank, or empty for *not found*. Where a run decides how many
candidates there are, `POLICY:depth` says how many were delivered for the query; where a corpus has
judgments, `POLICY:unjudged@SIZE` says how many candidates on the pages read nobody judged. The
target named in a row is the first relevant document in corpus order, the same for all policies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from pagecost import cost, csvio
from pagecost.errors import InputError
from pagecost.model import (
    NOT_FOUND,
    Collection,
    Corpus,
    Plan,
    QueryRow,
    RankArray,
    RankColumn,
    RankTable,
    Run,
)
from pagecost.policies import leaves, resolve
from pagecost.rankers import Ranker
from pagecost.ranking import Order

FIXED_COLUMNS = QueryRow.__struct_fields__
_COUNT = re.compile(r"[1-9][0-9]{0,17}")


class Layout(msgspec.Struct, frozen=True):
    """Which columns a policy has. `depth` is None where there is one for it."""

    policy: str
    depth: int | None
    unjudged_at: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns. A policy's own name has no colon."""
        depth = (self.depth_name,) if self.depth is None else ()
        return (self.policy, *depth, *self.unjudged_names.values())

    @property
    def depth_name(self) -> str:
        """What the column of its depths is called, where it has one."""
        return f"{self.policy}:depth"

    @property
    def unjudged_names(self) -> dict[int, str]:
        """What the columns of its unjudged candidates are called, by page size."""
        return {size: f"{self.policy}:unjudged@{size}" for size in self.unjudged_at}


def layout(plan: Plan) -> list[Layout]:
    """The columns of a plan's policies, in its order. InputError where it pins no corpus."""
    if plan.corpus.pins is None:
        raise InputError(
            f"{plan.key}: $.corpus.pins is missing; `pagecost corpus {plan.key}` prints it"
        )
    documents = plan.corpus.pins.documents
    sizes = tuple(plan.page_sizes) if isinstance(plan.corpus, Collection) else ()
    return [
        Layout(
            policy=name,
            depth=None if any(isinstance(leaf, Run) for leaf in leaves(ranking)) else documents,
            unjudged_at=sizes,
        )
        for name, ranking in resolve(plan.policies).items()
    ]


def rank_all(
    plan: Plan, corpus: Corpus, tick: Callable[[int, int], None] | None = None
) -> RankTable:
    """Ranks every query of the corpus; calls `tick` with how many are done, of how many."""
    ranker = Ranker(plan.policies, corpus)
    columns = [_Column(one) for one in layout(plan)]
    for done, query in enumerate(corpus.queries, start=1):
        orders = ranker.orders(query, plan.definitions.wanted(len(query.relevant)))
        judged = frozenset(query.judged or ())
        for column in columns:
            column.add(orders[column.layout.policy], judged)
        if tick is not None:
            tick(done, len(corpus.queries))
    return RankTable(rows=tuple(_rows(corpus)), columns=tuple(column.made() for column in columns))


class _Column:
    """One policy's values, query by query."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._ranks: list[int] = []
        self._depths: list[int] = []
        self._unjudged: dict[int, list[int]] = {size: [] for size in layout.unjudged_at}

    def add(self, order: Order, judged: frozenset[int]) -> None:
        rank = order.rank()
        depth = self.layout.depth
        if depth is None:
            depth = order.depth()
            self._depths.append(depth)
        self._ranks.append(rank)
        if not self._unjudged:
            return
        reads = {size: cost.emitted_for(rank, size, depth) for size in self._unjudged}
        read = order.prefix(max(reads.values()))
        unjudged = np.cumsum([0, *(document not in judged for document in read)])
        for size, emitted in reads.items():
            self._unjudged[size].append(int(unjudged[emitted]))

    def made(self) -> RankColumn:
        depth = self.layout.depth
        return RankColumn(
            policy=self.layout.policy,
            ranks=_array(self._ranks),
            depth=_array(self._depths) if depth is None else depth,
            unjudged={size: _array(counts) for size, counts in self._unjudged.items()},
        )


def _array(values: Sequence[int]) -> RankArray:
    return np.array(values, dtype=np.int64)


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
    columns = [named for column in table.columns for named in _named(column)]
    lines = [csvio.line((*FIXED_COLUMNS, *(name for name, _ in columns)))]
    for index, row in enumerate(table.rows):
        fixed = (_fixed(getattr(row, field), field) for field in FIXED_COLUMNS)
        lines.append(csvio.line((*fixed, *(values[index] for _, values in columns))))
    return "".join(lines).encode("utf-8")


def _fixed(value: str | int, field: str) -> str | int:
    return "" if field == "target_line" and not value else value


def _named(column: RankColumn) -> Iterator[tuple[str, list[int | str]]]:
    """A policy's columns, each with its name."""
    depth = column.depth if isinstance(column.depth, int) else None
    values: list[list[int | str]] = [[rank or "" for rank in column.ranks.tolist()]]
    if not isinstance(column.depth, int):
        values.append(column.depth.tolist())
    values += [counts.tolist() for counts in column.unjudged.values()]
    names = Layout(column.policy, depth, tuple(column.unjudged)).names
    return zip(names, values, strict=True)


def from_csv(data: bytes, several: Sequence[Layout], where: object) -> RankTable:
    """The table in those bytes, for policies with those columns, in that order.

    InputError names the row and what was expected: every byte must be as `to_csv` writes it.
    """
    header = (*FIXED_COLUMNS, *(name for one in several for name in one.names))
    rows: list[QueryRow] = []
    read = [_Read(one) for one in several]
    has_lines = not any(one.unjudged_at for one in several)  # a collection's documents have none
    for place, fields in csvio.read(data, header, where):
        rows.append(_row(fields, rows, place, has_lines=has_lines))
        values = iter(fields[len(FIXED_COLUMNS) :])
        for one in read:
            one.take(values, place)
    if not rows:
        raise InputError(f"{where}: no query")
    table = RankTable(rows=tuple(rows), columns=tuple(one.made() for one in read))
    if to_csv(table) != data:
        raise InputError(f"{where}: quoting or line ends are not those that pagecost writes")
    return table


class _Read(_Column):
    """One policy's values, as they stand in a file."""

    def take(self, values: Iterator[str], place: str) -> None:
        """Takes its fields of a row. InputError where one is not what it must be."""
        policy = self.layout.policy
        rank, depth = next(values), self.layout.depth
        if depth is None:
            depth = _count(next(values), f"{place}: {self.layout.depth_name}", least=0)
            self._depths.append(depth)
        self._ranks.append(_rank(rank, depth, f"{place}: {policy}"))
        for size, counts in self._unjudged.items():
            where = f"{place}: {self.layout.unjudged_names[size]}"
            count = _count(next(values), where, least=0)
            emitted = cost.emitted_for(self._ranks[-1], size, depth)
            if count > emitted:
                raise InputError(f"{where}: {count}, but {emitted} candidates stand on its pages")
            counts.append(count)


def _row(fields: list[str], before: list[QueryRow], place: str, *, has_lines: bool) -> QueryRow:
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
        target_line=_count(line, f"{place}: target_line") if has_lines or line else 0,
        target_name=name,
    )


def _count(value: str, place: str, least: int = 1) -> int:
    if value == "0" and not least:
        return 0
    if not _COUNT.fullmatch(value):
        raise InputError(f"{place}: {value!r}, expected a whole number of at least {least}")
    return int(value)


def _rank(value: str, depth: int, place: str) -> int:
    if value == "":
        return NOT_FOUND
    rank = _count(value, place)
    if rank > depth:
        raise InputError(f"{place}: rank {rank}, expected 1 to {depth}, or empty for not found")
    return rank
