"""Where the change comes from: queries by their target's rank on both sides, in log-log cells."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing, unit

_LEAST = 24.0  # pixels of the smallest bin: its count is printed in it
_DIGIT = 6.2
_STEPS = len(theme.SEQUENCE)
_NOT_FOUND = 1.9  # how much wider than its lower edge the bin of what was not found is


class Cell(msgspec.Struct, frozen=True):
    """Queries whose target has these ranks; None where it was not found."""

    base: int | None
    ours: int | None
    queries: int


class Ranks(msgspec.Struct, frozen=True):
    """Ranks under the baseline and under a policy, and how they are called.

    `page_size` sets the edges of bins beyond the first page; `last` is the largest rank there is.
    """

    cells: Sequence[Cell]
    page_size: int
    last: int
    base_label: str
    ours_label: str

    @property
    def has_missing(self) -> bool:
        """Was any target not found on either side?"""
        return any(cell.base is None or cell.ours is None for cell in self.cells)


def edges(page_size: int, last: int, most: int) -> list[int]:
    """Lower edges of bins for ranks from 1, and at the end the first rank that none has.

    Halves of the first page, then whole pages: 1, 2 and 5 times powers of ten, so that a bin never
    crosses the end of a page that bounds another. At most `most` bins.
    """
    halves: list[int] = []
    part = page_size
    while part > 1:
        part //= 2
        halves.append(part + 1)
    end = last + 1
    for digits in ((1, 2, 5), (1, 3), (1,)):
        pages = (
            digit * 10**power * page_size + 1 for power in itertools.count() for digit in digits
        )
        whole = list(itertools.takewhile(lambda edge: edge < end, pages))
        found = sorted({1, *(edge for edge in halves if edge < end), *whole, end})
        if len(found) - 1 <= most:
            break
    while len(found) - 1 > most:  # the thinnest goes first, never the end of the first page
        kept = {1, page_size + 1, end}
        thin = min((high / low, low) for low, high in itertools.pairwise(found) if low not in kept)
        found.remove(thin[1])
    return found


def figure(ranks: Ranks, *, narrow: bool) -> Drawing:
    """The heat map: the baseline's rank from left to right, the policy's from the bottom up."""
    return _Map(ranks, 296 if narrow else 452, narrow=narrow).draw()


class _Map:
    """The cells, their axes, and what is written on them."""

    def __init__(self, ranks: Ranks, side: int, *, narrow: bool) -> None:
        self._ranks, self._side, self._narrow = ranks, side, narrow
        self._edges = edges(ranks.page_size, ranks.last, 11 if narrow else 14)
        while len(self._edges) > 3 and self._thinnest() < _LEAST:
            self._edges = edges(ranks.page_size, ranks.last, len(self._edges) - 2)
        self._end = self._edges[-1]
        self._top = self._limit()

    def _limit(self) -> float:
        return self._end * _NOT_FOUND if self._ranks.has_missing else float(self._end)

    def _thinnest(self) -> float:
        self._end = self._edges[-1]
        whole = math.log(self._limit())
        ratios = (math.log(high / low) for low, high in itertools.pairwise(self._edges))
        return self._side * min(ratios) / whole

    def draw(self) -> Drawing:
        data, side = Datasets(), self._side
        cells = data.rows(self._rows())
        x, y = self._axis(alt.X, self._ranks.base_label), self._axis(alt.Y, self._ranks.ours_label)
        box = {"x": x, "x2": alt.X2("x2:Q"), "y": y, "y2": alt.Y2("y2:Q")}
        scale = self._scale()
        middle = {
            "x": alt.X("mx:Q", scale=scale), "y": alt.Y("my:Q", scale=scale),
            "text": alt.Text("text:N"), "color": alt.Color("ink:N", scale=None),
        }  # fmt: skip
        colour = {"color": alt.Color("colour:N", scale=None), "tooltip": self._tooltip()}
        several = [
            unit(cells, "rect", box | colour, stroke=theme.PAPER, strokeWidth=1),
            unit(cells, "text", middle, fontSize=10 if self._narrow else 11),
            unit(
                cells, "rect", box, filled=False, stroke=theme.INK, strokeWidth=1,
                where="datum.same",
            ),
            *self._page(data),
            *(
                unit(
                    data.one(), "text",
                    {"x": alt.value(px), "y": alt.value(py), "text": alt.value(said)},
                    align=align, color=theme.MUTED, fontStyle="italic",
                )
                for px, py, align, said in (
                    (8, 14, "left", "later" if self._narrow else "later than the baseline"),
                    (side - 6, side - 10, "right", "earlier"),
                )
            ),
        ]  # fmt: skip
        spec = parts.layers(several, side, side)
        return Drawing(parts.beside([spec], narrow=True, spacing=0), data.sets)

    def _rows(self) -> list[dict[str, Any]]:
        counts: dict[tuple[int, int], int] = {}
        for cell in self._ranks.cells:
            place = self._bin(cell.base), self._bin(cell.ours)
            counts[place] = counts.get(place, 0) + cell.queries
        most = max(counts.values(), default=1)
        return [self._row(i, j, count, most) for (i, j), count in sorted(counts.items())]

    def _bin(self, rank: int | None) -> int:
        return len(self._edges) - 1 if rank is None else bisect.bisect_right(self._edges, rank) - 1

    def _row(self, i: int, j: int, count: int, most: int) -> dict[str, Any]:
        ends = [*self._edges, self._top]
        # Each step of colour stands for as large a ratio of counts.
        step = min(_STEPS - 1, int(_STEPS * math.log(count) / math.log(most + 1)))
        width = self._side * math.log(ends[i + 1] / ends[i]) / math.log(self._top)
        text = f"{count:,}"
        return {
            "x": ends[i], "x2": ends[i + 1], "y": ends[j], "y2": ends[j + 1],
            "mx": round(math.sqrt(ends[i] * ends[i + 1]), 3),
            "my": round(math.sqrt(ends[j] * ends[j + 1]), 3),
            "queries": count,
            "text": text if _DIGIT * len(text) <= width else _brief(count),
            "base": self._said(i), "ours": self._said(j),
            "colour": theme.SEQUENCE[step],
            "ink": theme.ON_DARK if step >= _STEPS // 2 else theme.ON_LIGHT,
            "same": i == j,
        }  # fmt: skip

    def _said(self, index: int) -> str:
        if index == len(self._edges) - 1:
            return "not found"
        low, high = self._edges[index], self._edges[index + 1] - 1
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"

    def _scale(self) -> Any:
        return alt.Scale(type="log", domain=[1, self._top], nice=False)

    def _axis(self, channel: Any, label: str) -> Any:
        """Ticks at the lower edges of bins."""
        ticks = self._edges if self._ranks.has_missing else self._edges[:-1]
        said = parts.COUNT_LABELS
        if self._ranks.has_missing:
            said = f"datum.value == {self._end} ? 'not found' : {said}"
        is_y = channel is alt.Y
        edge = "bin edge" if self._narrow else "lower edge of bin"
        name = parts.shortened(label, 24 if self._narrow else 40)
        axis = alt.Axis(
            values=ticks, grid=False, labelExpr=said, labelFontSize=11, ticks=True, offset=0,
            labelOverlap="greedy", labelPadding=3,
            title=f"rank under {name}" + ("" if is_y else f" ({edge}, log)"),
            titleAnchor=alt.Undefined if is_y else "start",
        )  # fmt: skip
        return channel("y:Q" if is_y else "x:Q", scale=self._scale(), axis=axis)

    def _tooltip(self) -> list[Any]:
        name = parts.shortened
        return [
            alt.Tooltip("base:N", title=f"Rank under {name(self._ranks.base_label, 40)}"),
            alt.Tooltip("ours:N", title=f"Rank under {name(self._ranks.ours_label, 40)}"),
            alt.Tooltip("queries:Q", title="Queries", format=",d"),
        ]

    def _page(self, data: Datasets) -> list[Any]:
        """The end of the first page, on both sides."""
        edge = self._ranks.page_size + 1
        if edge >= self._end:
            return []
        look: dict[str, Any] = {"color": theme.INK, "strokeWidth": 1.25}
        start, end = alt.value(0), alt.value(self._side)
        at = math.log(edge) / math.log(self._top) * self._side
        said = {"x": alt.value(at), "y": alt.value(-5), "text": alt.value("page 1 | page 2 and on")}
        text = {"align": "center", "baseline": "bottom", "color": theme.INK, "fontSize": 11}
        rules = [
            unit(data.one(), "rule", {"x": alt.XDatum(edge), "y": start, "y2": end}, **look),
            unit(data.one(), "rule", {"y": alt.YDatum(edge), "x": start, "x2": end}, **look),
        ]
        return rules if self._narrow else [*rules, unit(data.one(), "text", said, **text)]


def _brief(count: int) -> str:
    """A count that has no room: in thousands or millions. Its exact value stands in the tooltip."""
    for unit_, name in ((10**9, "bn"), (10**6, "M"), (1000, "k")):
        if count >= unit_:
            return f"{count / unit_:.0f}{name}"
    return str(count)
