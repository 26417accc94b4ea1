"""The section of all queries: its sentence, the head of its table, and the first page of rows."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from pagecost.cost import IntArray
from pagecost.model import FIRST, NOT_FOUND, Plan
from pagecost.report import terms, words
from pagecost.report.querydata import OUTCOMES, QueryTable
from pagecost.report.querynames import Named, named, pieces
from pagecost.report.words import Change

PAGE_ROWS = 25
"""Rows on a page of the table. The first page stands in the HTML."""


class Column(msgspec.Struct, frozen=True):
    """A column: its key in the data and in the URL's fragment, its head, and its place."""

    key: str
    title: str
    phone_title: str = ""
    """Empty where it is the same."""
    about: str = ""
    """What its band says, for who hears one head at a time."""
    is_wide: bool = False
    """Is it left out on a phone?"""
    is_number: bool = True
    is_first: bool = False
    """Does it begin a band with a title of its own?"""

    @property
    def is_from(self) -> bool:
        """Is it the baseline's?"""
        return self.key.endswith("-from")


class Band(msgspec.Struct, frozen=True):
    """Columns that stand below one title, which is empty where they need none."""

    title: str
    columns: tuple[Column, ...]
    is_proxy: bool = False


class Cell(msgspec.Struct, frozen=True):
    """A value, in pieces that a line may break between, and what is to be said of it."""

    pieces: tuple[str, ...]
    note: str | None = None


class Row(msgspec.Struct, frozen=True):
    """A query: what names it, and a cell a column else."""

    named: Named
    cells: tuple[Cell, ...]


class Filter(msgspec.Struct, frozen=True):
    """What to choose queries by: a key in the fragment, its name, and (value, queries) each.

    The empty value is all queries.
    """

    key: str
    title: str
    choices: tuple[tuple[str, int], ...]


class Queries(msgspec.Struct, frozen=True):
    """The section of all queries."""

    said: str
    caption: str
    named: str
    """What names a query."""
    total: int
    hint: str
    """What the search looks in."""
    bands: tuple[Band, ...]
    rows: tuple[Row, ...]
    outcomes: tuple[Filter, ...]
    groups: tuple[Column, ...]
    """The columns whose values are chosen from a list, which the data brings."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, the query's name first."""
        return tuple(column for band in self.bands for column in band.columns)

    @property
    def range_said(self) -> str:
        """Which rows are shown, as the page's script will say it of others: 1 to 25 of 2,948."""
        last = f" to {words.number(len(self.rows))}" if len(self.rows) > 1 else ""
        return f"1{last} of {words.number(self.total)}"

    @property
    def is_long(self) -> bool:
        """Are there more queries than the page shows at first?"""
        return self.total > len(self.rows)

    @property
    def is_banded(self) -> bool:
        """Does any band have a title?"""
        return any(band.title for band in self.bands)


def queries_of(plan: Plan, table: QueryTable) -> Queries:
    """The section, at the plan's primary page size."""
    bands = tuple(_bands(plan, table))
    columns = [column for band in bands for column in band.columns]
    shown = min(PAGE_ROWS, len(table.rows))
    return Queries(
        said=_said(plan, table),
        caption=_caption(plan, table),
        named=_named(plan, table),
        total=len(table.rows),
        hint="query id or document" if terms.is_judged(plan) else "name or path",
        bands=bands,
        rows=tuple(_row(plan, table, at, columns) for at in range(shown)),
        outcomes=tuple(_outcomes(table)),
        groups=tuple(column for column in columns[1:] if not column.is_number),
    )


def _outcomes(table: QueryTable) -> Iterator[Filter]:
    for metric, key, title in (("pages", "outcome", "Pages"), ("searches", "proxy", "Proxy")):
        if metric in table.outcomes:
            counts = np.bincount(table.outcomes[metric], minlength=len(OUTCOMES)).tolist()
            choices = (("", len(table.rows)), *zip(OUTCOMES, counts, strict=True))
            yield Filter(key, title, choices)


# --- The head -------------------------------------------------------------------------------------

_ALONE = Band(
    "",
    (
        Column("rank", "Rank"),
        Column("pages", "Pages"),
        Column("searches", "Searches (proxy)", "Proxy"),
    ),
)
_COMPARED = (
    Band(
        "Rank",
        (
            Column("rank-from", "From", about="Rank", is_wide=True),
            Column("rank", "To", about="Rank", is_wide=True),
        ),
    ),
    Band(
        "Pages, counted",
        (
            Column("pages-from", "From", about="Pages", is_wide=True),
            Column("pages", "To", "Pages", about="Pages"),
            Column("pages-change", "Change", about="Pages"),
        ),
    ),
    Band(
        "Proxy: searches, not time",
        (
            Column("searches-from", "From", "Proxy, from", about="Proxy", is_wide=True),
            Column("searches", "To", "Proxy", about="Proxy"),
            Column("searches-change", "Change", about="Proxy"),
        ),
        is_proxy=True,
    ),
)


def _bands(plan: Plan, table: QueryTable) -> Iterator[Band]:
    """Every column, below its band. What nobody gave has no column."""
    head = ("id", "Query") if terms.is_judged(plan) else ("name", "Known target")
    yield Band("", (Column(*head, is_number=False),))
    groups = (
        ("repo", words.capital(words.unit(plan)), table.repositories),
        ("stratum", "Stratum", table.strata),
    )
    for key, title, names in groups:
        if len(names) > 1:
            yield Band("", (Column(key, title, is_wide=True, is_number=False),))
    for band in _COMPARED if table.compares else (_ALONE,):
        known = [column for column in band.columns if column.key in table.numbers]
        if band.is_proxy and all(column.is_wide for column in known):  # never leave the proxy out
            known = [msgspec.structs.replace(one, is_wide=False) for one in known]
        if known:
            first = msgspec.structs.replace(known[0], is_first=True)
            yield msgspec.structs.replace(band, columns=(first, *known[1:]))


# --- Rows -----------------------------------------------------------------------------------------


def _row(plan: Plan, table: QueryTable, at: int, columns: list[Column]) -> Row:
    cells = tuple(_cell(table, at, column.key) for column in columns[1:])
    return Row(named(plan, table, at), cells)


def _cell(table: QueryTable, at: int, key: str) -> Cell:
    if key in ("repo", "stratum"):
        row = table.rows[at]
        return Cell(pieces(row.repository if key == "repo" else row.stratum))
    number = int(table.numbers[key][at])
    if key.startswith("rank") and number == NOT_FOUND:
        return Cell(("not found",))
    if not key.endswith("-change"):
        return Cell((words.number(number),))
    outcome = int(table.outcomes[key.removesuffix("-change")][at])
    # A target that was found counts as fewer whatever the numbers say: then it needs saying.
    note = None if outcome == np.sign(number) + 1 else f"counts as {OUTCOMES[outcome]}"
    return Cell((f"{'+' if number > 0 else ''}{words.number(number)}",), note)


# --- Words ----------------------------------------------------------------------------------------


def _caption(plan: Plan, table: QueryTable) -> str:
    base, ours = (words.subject(plan.policy(name)) for name in (plan.baseline, plan.primary_policy))
    sides = f"From {base} to {ours}" if table.compares else f"With {ours}"
    said = [f"{sides}, at page size {plan.primary_page_size:,}."]
    ranks = [column for key, column in table.numbers.items() if key.startswith("rank")]
    if table.compares and any((column == NOT_FOUND).any() for column in ranks):
        said.append(f"{words.FOUND_FIRST}.")
    return " ".join(said)


def _named(plan: Plan, table: QueryTable) -> str:
    """What stands in a row's first column. The document named need not be the one of the rank."""
    several = any(row.relevant > 1 for row in table.rows)
    if terms.is_judged(plan):
        said = "Below a query’s id stands its first relevant document in document order"
    elif several:
        said = "A query is named by the first of its known targets in document order"
    else:
        said = "A query is named by its known target"
    if not several:
        return f"{said}."
    is_first = plan.definitions.target == FIRST
    whose = "whichever is met first" if is_first else terms.target_said(plan)
    return f"{said}; “and 1 more” says that there is another. The rank is that of {whose}."


def _said(plan: Plan, table: QueryTable) -> str:
    """What all queries are, and in how many of them pages and searches change."""
    total = len(table.rows)
    start = f"All {words.number(total)} queries" if total > 1 else "The one query"
    start = f"{start}, at {words.count(plan.primary_page_size, 'candidate')} a page."
    if not table.compares:
        return start
    change = table.numbers.get("searches-change")
    if change is not None:
        proxy = f"Searches (proxy) change in {_changed(int(np.count_nonzero(change)), total)}."
    else:
        names = (words.subject(plan.policy(one)) for one in (plan.primary_policy, plan.baseline))
        known = (0 if key in table.numbers else None for key in ("searches-from", "searches"))
        proxy = f"{words.capital(words.not_given(Change(*known), *names))}."
    return f"{start} {_pages_said(table.numbers['pages-change'], total)} {proxy}"


def _pages_said(change: IntArray, total: int) -> str:
    """How many queries the change in pages comes from."""
    changed = int(np.count_nonzero(change))
    if not changed or changed == total:
        return f"Pages change in {_changed(changed, total)}."
    same = total - changed
    many = "Most take" if same > changed else words.capital(words.spelled(same, "takes", "take"))
    amount = words.spelled(changed, "query", "queries")
    if not change.sum():
        return f"{many} as many pages either way; the changes in {amount} cancel out."
    return f"{many} as many pages either way: the change in pages above comes from {amount}."


def _changed(queries: int, total: int) -> str:
    if queries == total:
        return "it" if total == 1 else "each of them"
    return words.spelled(queries, "query", "queries") if queries else "no query"
