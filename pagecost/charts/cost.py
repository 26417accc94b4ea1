"""Cost against page size: one counted metric to choose on the left, the proxy always on the right.

A saving in pages is never shown without what it takes in searches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing, unit
from pagecost.charts.theme import Style

Metric = Literal["pages", "emitted", "searches"]
Scale = Literal["relative", "absolute"]

METRICS: dict[Metric, str] = {
    "pages": "Pages",
    "emitted": "Emitted candidates",
    "searches": "Search-work proxy",
}
_TICKS = 8
_LABELLED = 8  # more direct labels than this run into each other; a key names them instead


class Point(msgspec.Struct, frozen=True):
    """What one policy costs in all at one page size; `frozen` if the plan has that size.

    `searches` are None where the author of a run did not give them.
    """

    policy: str
    size: int
    pages: int
    emitted: int
    searches: int | None
    frozen: bool


class Curves(msgspec.Struct, frozen=True):
    """Every policy at every page size, the frozen sizes in `sizes`, ascending."""

    points: Sequence[Point]
    styles: Sequence[Style]
    baseline: str
    sizes: Sequence[int]
    primary_size: int


def figure(curves: Curves, metric: Metric, scale: Scale, *, narrow: bool) -> Drawing:
    """The figure: a panel for `metric`, and one for the proxy."""
    width, height = (190, 210) if narrow else (285, 300)
    data = Datasets()
    sides: tuple[Metric, ...] = (metric, "searches")
    rows = _rows(curves)
    panels = [_Panel(curves, rows, side, scale, width, height, sides).draw(data) for side in sides]
    spacing = 26 if narrow else 30
    if len(curves.styles) <= _LABELLED:
        chart = parts.beside(panels, narrow=narrow, spacing=spacing, interactive=True)
        return Drawing(chart, data.sets)
    below: list[Any] = (
        panels if narrow else [alt.HConcatSpecGenericSpec(hconcat=panels, spacing=spacing)]
    )
    below.append(parts.key(data, curves.styles, 260 if narrow else 780))
    return Drawing(parts.beside(below, narrow=True, spacing=26, interactive=True), data.sets)


def falls_back(curves: Curves, metric: Metric) -> bool:
    """Does an absolute axis have to be linear, since a logarithm has no zero?"""
    return any(getattr(point, metric) == 0 for point in curves.points)


def metric_change(metric: Metric) -> str:
    """The field that holds a metric's change against the baseline, in per cent."""
    return f"{metric}_change"


class _Panel:
    """One metric against page size: its axes, and the layers drawn on them."""

    def __init__(
        self,
        curves: Curves,
        rows: Sequence[dict[str, Any]],
        metric: Metric,
        scale: Scale,
        width: int,
        height: int,
        shared_scale: Sequence[Metric],
    ) -> None:
        self._curves, self._metric = curves, metric
        self._width, self._height = width, height
        self._relative = scale == "relative"
        self._field = metric_change(metric) if self._relative else metric
        self._rows = rows
        self._is_empty = all(row[self._field] is None for row in self._rows)
        self._log = not (self._relative or self._is_empty or falls_back(curves, metric))
        # Relative panels share one scale, so that a small saving beside a large price looks small.
        fields = (metric_change(shared) for shared in shared_scale) if self._relative else (metric,)
        values = (row[field] for field in fields for row in self._rows)
        known = [float(value) for value in values if value is not None]
        self._domain = self._fit(known)

    def draw(self, datasets: Datasets) -> Any:
        """The panel. It answers the pointer, and fades what `off` names."""
        styles, data = self._curves.styles, datasets.rows(self._rows)
        x, y = parts.size_axis(self._curves.sizes, label="candidates a page (log)"), self._y_axis()
        encoded: dict[str, Any] = {
            "x": x, "y": y, "color": parts.colour(styles), "opacity": parts.fading(),
        }  # fmt: skip
        several = list(parts.primary_rule(datasets, self._curves.primary_size, self._height))
        if self._relative:
            several.insert(0, unit(datasets.one(), "rule", {"y": alt.YDatum(0)}, color=theme.RULE))
        several += [
            # The primary policy is drawn last, over lines that coincide with it.
            unit(
                data, "line", encoded, strokeWidth=style.width, strokeDash=list(style.dash),
                where=alt.FieldEqualPredicate(field="policy", equal=style.name),
            )
            for style in sorted(styles, key=lambda style: style.width)
        ]  # fmt: skip
        marked = encoded | {"shape": parts.shape(styles)}
        several.append(unit(data, "point", marked, filled=True, size=46, where="datum.frozen"))
        if len(styles) <= _LABELLED:
            said = encoded | {"text": alt.Text("text:N")}
            look = {"align": "left", "dx": 9, "fontSize": 12}
            several.append(unit(datasets.rows(self._labels()), "text", said, **look))
        if self._is_empty:
            empty = {"text": alt.value("not given")}
            several.append(unit(datasets.one(), "text", empty, color=theme.MUTED))
        # Frozen sizes on top: a point that is seen is the one that answers.
        several += [
            self._targets(data, x, y, chosen) for chosen in ("!datum.frozen", "datum.frozen")
        ]
        heading = parts.title(METRICS[self._metric], proxy=self._metric == "searches")
        return parts.layers(several, self._width, self._height, heading)

    def _fit(self, values: Sequence[float]) -> tuple[float, float]:
        if not values:
            return (0.0, 1.0)
        low, high = min(values), max(values)
        if self._relative:
            return parts.nice_domain(values, step=10 if high - low > 20 else 5)
        return (low * 0.9, high * 1.1) if self._log else (0.0, high * 1.05 or 1.0)

    def _y_axis(self) -> Any:
        if self._relative:
            axis = alt.Axis(title=None, tickCount=6, labelExpr=parts.CHANGE_LABELS)
        else:
            values = _decades(*self._domain) if self._log else alt.Undefined
            axis = alt.Axis(title=None, tickCount=5, values=values, labelExpr=parts.COUNT_LABELS)
        kind: Literal["log", "linear"] = "log" if self._log else "linear"
        scale = alt.Scale(type=kind, domain=list(self._domain), nice=False)
        return alt.Y(self._field, type="quantitative", scale=scale, axis=axis)

    def _labels(self) -> list[dict[str, Any]]:
        """A label for each policy at the right end, near its line and clear of the others."""

        def to(value: float) -> float:
            return math.log10(value) if self._log else value

        last = self._curves.sizes[-1]
        ends = {
            row["policy"]: to(row[self._field])
            for row in self._rows
            if row["size"] == last and row[self._field] is not None
        }
        places = parts.spread(ends, to(self._domain[0]), to(self._domain[1]), self._height)
        labels = {style.name: parts.shortened(style.label) for style in self._curves.styles}
        return [
            {
                "policy": name,
                "size": last,
                self._field: 10**place if self._log else place,
                "text": labels[name],
            }
            for name, place in places.items()
        ]

    def _targets(self, data: alt.NamedData, x: Any, y: Any, chosen: str) -> Any:
        """Wide invisible points that answer the pointer with exact values."""
        change = metric_change(self._metric)
        tooltip = [
            alt.Tooltip("label:N", title="Policy"),
            alt.Tooltip("size:Q", title="Page size", format=",d"),
            alt.Tooltip("status:N", title="Page size is"),
            alt.Tooltip(
                self._metric, type="quantitative", title=_COUNTS[self._metric], format=",d"
            ),
            alt.Tooltip(change, type="quantitative", title="Change, %", format="+.1f"),
        ]
        encoded = {"x": x, "y": y, "tooltip": tooltip}
        return unit(data, "point", encoded, size=180, opacity=0, filled=True, where=chosen)


_COUNTS: dict[Metric, str] = {
    "pages": "Pages",
    "emitted": "Candidates",
    "searches": "Searches (proxy)",
}


def _rows(curves: Curves) -> list[dict[str, Any]]:
    """Every metric of every point, so that all panels and both scales share one data set."""
    labels = {style.name: style.label for style in curves.styles}
    below = {point.size: point for point in curves.points if point.policy == curves.baseline}
    rows = []
    for point in curves.points:
        row: dict[str, Any] = {
            "policy": point.policy,
            "label": labels[point.policy],
            "size": point.size,
            "frozen": point.frozen,
            "status": "in the plan" if point.frozen else "exploratory",
        }
        for metric in METRICS:
            row[metric] = getattr(point, metric)
            row[metric_change(metric)] = _change(getattr(below[point.size], metric), row[metric])
        rows.append(row)
    return rows


def _change(base: int | None, ours: int | None) -> float | None:
    """Per cent against the baseline; None where that is zero or one of them unknown."""
    return round(100 * (ours - base) / base, 3) if base and ours is not None else None


def _decades(low: float, high: float) -> list[int]:
    """1, 2 and 5 times powers of ten inside the domain; fewer where there are many."""
    marks = [
        digit * 10**power
        for power in range(max(0, math.floor(math.log10(low))), math.ceil(math.log10(high)) + 1)
        for digit in (1, 2, 5)
        if low <= digit * 10**power <= high
    ]
    if len(marks) > _TICKS:
        marks = [mark for mark in marks if str(mark)[0] == "1"]
    return marks or [round(low), round(high)]
