"""Where the change comes from: ranks on both sides, and the few queries that carry most of it."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np

from pagecost.charts.ranks import Cell
from pagecost.model import NOT_FOUND, Plan
from pagecost.report import words
from pagecost.report.querydata import QueryTable
from pagecost.report.querynames import Named, named
from pagecost.report.words import Change

_MOST = 10


class Mover(msgspec.Struct, frozen=True):
    """One query: what names it, its ranks as words, and its pages and searches on both sides."""

    named: Named
    ranks: tuple[str, str]
    pages: Change
    searches: Change | None


class Movers(msgspec.Struct, frozen=True):
    """How queries' ranks and pages change at the primary page size.

    `fewer` and `more` count queries by pages, `saved` and `added` are the pages of those; `top` is
    how many of them the first of `saving` carry. `earlier`, `later` and `same` count by rank.
    """

    cells: tuple[Cell, ...]
    last: int
    queries: int
    earlier: int
    later: int
    same: int
    fewer: int
    more: int
    saved: int
    added: int
    saving: tuple[Mover, ...]
    losing: tuple[Mover, ...]

    @property
    def said(self) -> str:
        """What changes in how many queries, and how much of it a few carry."""
        total = words.count(self.queries, "query", "queries")
        if not self.fewer and not self.more:
            return f"No query of {total} takes more or fewer pages."
        changed = words.number(self.fewer + self.more)
        net = self.added - self.saved
        way = "fewer" if net < 0 else "more"
        whole = f"{words.number(abs(net))} {way}" if net else "as many"
        said = (
            f"Pages change in {changed} of {total}: "
            f"{words.count(self.saved, 'page')} saved on {words.number(self.fewer)}, "
            f"{words.number(self.added)} added on {words.number(self.more)}, {whole} in all."
        )
        carried = sum(-(mover.pages.difference or 0) for mover in self.saving)
        if self.fewer > len(self.saving) and carried:
            few = words.spelled(len(self.saving), "query carries", "queries carry")
            share = words.share(carried, self.saved)
            said = f"{said} {words.capital(few)} {share} of the pages saved."
        return said


def movers(plan: Plan, table: QueryTable) -> Movers:
    """The primary policy against the baseline. The table compares the two."""
    base, ours = table.numbers["rank-from"], table.numbers["rank"]
    change = table.numbers["pages-change"]
    found = Counter(zip(base.tolist(), ours.tolist(), strict=True))
    # What was not found stands behind every rank.
    last = int(max(base.max(), ours.max(), 1))
    base_place, our_place = (np.where(one == NOT_FOUND, last + 1, one) for one in (base, ours))
    order = np.argsort(change, kind="stable")
    saving = [int(at) for at in order[:_MOST] if change[at] < 0]
    losing = [int(at) for at in order[::-1][:_MOST] if change[at] > 0]
    return Movers(
        cells=tuple(
            Cell(_rank(one), _rank(other), count) for (one, other), count in sorted(found.items())
        ),
        last=last,
        queries=len(table.rows),
        earlier=int((our_place < base_place).sum()),
        later=int((our_place > base_place).sum()),
        same=int((our_place == base_place).sum()),
        fewer=int((change < 0).sum()),
        more=int((change > 0).sum()),
        saved=-int(change[change < 0].sum()),
        added=int(change[change > 0].sum()),
        saving=tuple(_mover(plan, table, at) for at in saving),
        losing=tuple(_mover(plan, table, at) for at in losing),
    )


def _rank(rank: int) -> int | None:
    return None if rank == NOT_FOUND else rank


def _mover(plan: Plan, table: QueryTable, at: int) -> Mover:
    def said(key: str) -> str:
        rank = int(table.numbers[key][at])
        return "not found" if rank == NOT_FOUND else words.number(rank)

    def change(metric: str) -> Change | None:
        if metric not in table.numbers or f"{metric}-from" not in table.numbers:
            return None
        return Change(int(table.numbers[f"{metric}-from"][at]), int(table.numbers[metric][at]))

    pages = change("pages")
    assert pages is not None
    return Mover(
        named=named(plan, table, at),
        ranks=(said("rank-from"), said("rank")),
        pages=pages,
        searches=change("searches"),
    )
