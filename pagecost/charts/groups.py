"""Small multiples: the change in one count and in searches by page size, a panel a group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing, signed, unit
from pagecost.charts.theme import Style

_PROXY = "searches (proxy)"
_ROOM = 790  # pixels for a row of panels
_GAP = 20
_MOST_COLUMNS = 5
_MOST_TICKS = 8


class Change(msgspec.Struct, frozen=True):
    """Per cent against the baseline at one page size; None where the baseline is zero."""

    size: int
    counted: float | None
    searches: float | None


class Panel(msgspec.Struct, frozen=True):
    """One group of queries, and the policy whose changes are shown for it."""

    name: str
    queries: int
    style: Style
    changes: Sequence[Change]


def figure(
    panels: Sequence[Panel],
    sizes: Sequence[int],
    primary_size: int,
    *,
    narrow: bool,
    counted: str = "pages",
) -> Drawing:
    """A panel a group on one scale: what is counted solid, named `counted`; searches dashed."""
    columns = 2 if narrow else _columns(len(panels))
    width, height = (116, 130) if narrow else ((_ROOM - (columns - 1) * _GAP) // columns, 176)
    data, kinds, domain = Datasets(), (counted, _PROXY), _domain(panels)
    charts = [
        _Panel(data, panel, kinds, sizes, primary_size, domain, (width, height)).draw(
            is_labelled=index % columns == 0, is_first=index == 0, narrow=narrow
        )
        for index, panel in enumerate(panels)
    ]
    spacing = alt.RowColnumber(row=20, column=14 if narrow else _GAP)
    chart = alt.TopLevelConcatSpec(concat=charts, columns=columns, spacing=spacing)
    return Drawing(chart, data.sets)


def _domain(panels: Sequence[Panel]) -> tuple[float, float]:
    """What all panels' axes span, with room for what is printed above and below the lines."""
    values = [
        value
        for panel in panels
        for change in panel.changes
        for value in (change.counted, change.searches)
        if value is not None
    ]
    low, high = parts.nice_domain(values, step=25)
    room = (high - low) * 0.2
    return (low - room, high + room)


def _ticks(low: float, high: float) -> list[int]:
    """Steps of 50 %, or of more where there would be too many."""
    step = 50
    while (high - low) / step > _MOST_TICKS:
        step *= 2
    first = math.ceil(low / step)
    return [step * place for place in range(first, math.floor(high / step) + 1)]


def _columns(panels: int) -> int:
    """Panels a row: as many rows as needed, all about equally full."""
    rows = -(-max(panels, 1) // _MOST_COLUMNS)
    return -(-max(panels, 1) // rows)


class _Panel:
    """One group: its axes, and the layers drawn on them."""

    def __init__(
        self,
        datasets: Datasets,
        panel: Panel,
        kinds: tuple[str, str],
        sizes: Sequence[int],
        primary_size: int,
        domain: tuple[float, float],
        extent: tuple[int, int],
    ) -> None:
        self._datasets, self._panel, self._kinds = datasets, panel, kinds
        self._sizes, self._primary_size = sizes, primary_size
        self._domain, self._extent = domain, extent
        self._rows: list[dict[str, Any]] = [
            {
                "kind": kind,
                "is_proxy": kind == kinds[1],
                "size": change.size,
                "value": round(value, 4),
            }
            for change in panel.changes
            for kind, value in zip(kinds, (change.counted, change.searches), strict=True)
            if value is not None
        ]

    def draw(self, *, is_labelled: bool, is_first: bool, narrow: bool) -> Any:
        (width, height), policy = self._extent, self._panel.style
        x = parts.size_axis(
            self._sizes, label="page size (log)" if is_first and not narrow else None
        )
        y = self._y_axis(is_labelled)
        place = {"x": x, "y": y}
        data, kinds = self._datasets.rows(self._rows), list(self._kinds)
        dash = alt.StrokeDash(
            "kind:N", scale=alt.Scale(domain=kinds, range=[[1, 0], [4, 3]]), legend=None
        )
        # No scale: panels would share one, and with it the first one's colour.
        fill = {
            "condition": {"test": "datum.is_proxy", "value": theme.PAPER},
            "value": policy.colour,
        }
        line = {"strokeWidth": 1.5, "color": policy.colour}
        point = {"size": 30, "opacity": 1, "stroke": policy.colour, "strokeWidth": 1.5}
        several = [
            unit(self._datasets.one(), "rule", {"y": alt.YDatum(0)}, color=theme.RULE),
            *parts.primary_rule(self._datasets, self._primary_size, height, named=False),
            unit(data, "line", place | {"strokeDash": dash}, **line),
            unit(data, "point", place | {"fill": fill}, **point),
            *self._values(place),
            unit(data, "point", place | self._tooltip(), size=180, opacity=0, filled=True),
        ]
        if is_first:
            several += self._names(height)
        heading = alt.Title(
            parts.shortened(self._panel.name, 18 if narrow else max(20, width // 9)),
            subtitle=f"{self._panel.queries:,} queries",
        )
        return parts.layers(several, width, height, heading)

    def _y_axis(self, is_labelled: bool) -> Any:
        return alt.Y(
            "value:Q",
            scale=alt.Scale(domain=list(self._domain), nice=False),
            axis=alt.Axis(
                title=None,
                values=_ticks(*self._domain),
                labels=is_labelled,
                labelExpr=parts.CHANGE_LABELS.replace("baseline", "0"),
            ),
        )

    def _tooltip(self) -> dict[str, Any]:
        return {
            "tooltip": [
                alt.Tooltip("kind:N", title=parts.shortened(self._panel.name, 60)),
                alt.Tooltip("size:Q", title="Page size", format=",d"),
                alt.Tooltip("value:Q", title="Change, %", format="+.1f"),
            ]
        }

    def _values(self, place: dict[str, Any]) -> list[Any]:
        """The two values at the primary size: the higher above its point, the lower below."""
        own = sorted(
            (row for row in self._rows if row["size"] == self._primary_size),
            key=lambda row: row["value"],
        )
        several = []
        for index, row in enumerate(own):
            said = self._datasets.rows([{**row, "text": signed(row["value"])}])
            dy = -9 if index == len(own) - 1 else 15
            encoded = place | {"text": alt.Text("text:N")}
            several.append(unit(said, "text", encoded, align="right", dx=-3, dy=dy))
        return several

    def _names(self, height: int) -> list[Any]:
        """In the first panel, which line is which, in the room above and below the lines."""
        ends = {row["kind"]: row["value"] for row in self._rows if row["size"] == self._sizes[0]}
        counted, proxy = self._kinds
        above = ends.get(proxy, 0.0) >= ends.get(counted, 0.0)
        places = (10, height - 8) if above else (height - 8, 10)
        return [
            unit(
                self._datasets.one(), "text",
                {"x": alt.value(0), "y": alt.value(place), "text": alt.value(kind)},
                align="left", dx=4, color=self._panel.style.colour,
            )
            for place, kind in zip(places, (proxy, counted), strict=True)
        ]  # fmt: skip
