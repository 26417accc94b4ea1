"""Small multiples: the change in pages and in searches by page size, a panel a group or version."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.cost import shortened
from pagecost.charts.parts import Datasets, Drawing, signed
from pagecost.charts.theme import Style

_KINDS = ("pages", "searches (proxy)")
_ROOM = 790  # pixels for a row of panels
_GAP = 20
_MOST_COLUMNS = 5
_MOST_TICKS = 8


class Change(msgspec.Struct, frozen=True):
    """Per cent against the baseline at one page size; None where the baseline is zero."""

    size: int
    pages: float | None
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
) -> Drawing:
    """A panel a group on one scale: pages solid, searches dashed."""
    values = [
        value
        for panel in panels
        for change in panel.changes
        for value in (change.pages, change.searches)
        if value is not None
    ]
    low, high = parts.nice_domain(values, step=25)
    # Room for what is printed above and below the lines.
    room = (high - low) * 0.2
    domain = (low - room, high + room)
    columns = 2 if narrow else _columns(len(panels))
    width, height = (116, 130) if narrow else ((_ROOM - (columns - 1) * _GAP) // columns, 176)
    data = Datasets()
    charts = [
        _panel(
            data, panel, sizes, primary_size, domain,
            labelled=index % columns == 0, size=(width, height), narrow=narrow, first=index == 0,
        )
        for index, panel in enumerate(panels)
    ]  # fmt: skip
    spacing: Any = {"row": 20, "column": 14 if narrow else _GAP}
    return Drawing(alt.concat(*charts, columns=columns, spacing=spacing), data.sets)


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


def _panel(
    datasets: Datasets,
    panel: Panel,
    sizes: Sequence[int],
    primary_size: int,
    domain: tuple[float, float],
    *,
    labelled: bool,
    size: tuple[int, int],
    narrow: bool,
    first: bool,
) -> Any:
    (width, height), policy = size, panel.style
    x = parts.size_axis(sizes, label="page size (log)" if first and not narrow else None)
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(domain=list(domain), nice=False),
        axis=alt.Axis(
            title=None,
            values=_ticks(*domain),
            labels=labelled,
            labelExpr=parts.CHANGE_LABELS.replace("baseline", "0"),
        ),
    )
    rows: list[dict[str, Any]] = [
        {"kind": kind, "size": change.size, "value": round(value, 4)}
        for change in panel.changes
        for kind, value in zip(_KINDS, (change.pages, change.searches), strict=True)
        if value is not None
    ]
    data = datasets.rows(rows)
    dash = alt.StrokeDash(
        "kind:N", scale=alt.Scale(domain=list(_KINDS), range=[[1, 0], [4, 3]]), legend=None
    )
    fill = alt.Fill(
        "kind:N",
        scale=alt.Scale(domain=list(_KINDS), range=[policy.colour, theme.PAPER]),
        legend=None,
    )
    layers = [
        datasets.one().mark_rule(color=theme.RULE).encode(y=alt.YDatum(0)),
        *parts.primary_rule(datasets, primary_size, height, named=False),
        data.mark_line(strokeWidth=1.5, color=policy.colour).encode(x=x, y=y, strokeDash=dash),
        data.mark_point(size=30, opacity=1, stroke=policy.colour, strokeWidth=1.5).encode(
            x=x, y=y, fill=fill
        ),
        *_values(datasets, rows, primary_size, x, y),
    ]
    if first:
        ends = {row["kind"]: row["value"] for row in rows if row["size"] == sizes[0]}
        above = ends.get(_KINDS[1], 0.0) >= ends.get(_KINDS[0], 0.0)
        layers += _names(datasets, policy, height, proxy_above=above)
    return alt.layer(*layers).properties(
        width=width,
        height=height,
        title=alt.Title(
            shortened(panel.name, 18 if narrow else max(20, width // 9)),
            subtitle=f"{panel.queries:,} queries",
        ),
    )


def _values(
    datasets: Datasets, rows: Sequence[dict[str, Any]], primary_size: int, x: Any, y: Any
) -> list[Any]:
    """The two values at the primary size: the higher above its point, the lower below."""
    own = sorted((row for row in rows if row["size"] == primary_size), key=lambda row: row["value"])
    layers = []
    for place, row in enumerate(own):
        above = place == len(own) - 1
        text = signed(row["value"])
        layers.append(
            datasets.rows([{**row, "text": text}])
            .mark_text(align="right", dx=-3, dy=-9 if above else 15)
            .encode(x=x, y=y, text="text:N")
        )
    return layers


def _names(datasets: Datasets, policy: Style, height: int, *, proxy_above: bool) -> list[Any]:
    """In the first panel, which line is which, in the room above and below the lines."""
    places = (10, height - 8) if proxy_above else (height - 8, 10)
    return [
        datasets.one()
        .mark_text(align="left", dx=4, color=policy.colour)
        .encode(x=alt.value(0), y=alt.value(place), text=alt.value(kind))
        for place, kind in zip(places, reversed(_KINDS), strict=True)
    ]
