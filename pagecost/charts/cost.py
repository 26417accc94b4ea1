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
from pagecost.charts.parts import Datasets, Drawing
from pagecost.charts.theme import Style

Metric = Literal["pages", "emitted", "searches"]
Scale = Literal["relative", "absolute"]

METRICS: dict[Metric, str] = {
    "pages": "Pages",
    "emitted": "Emitted candidates",
    "searches": "Search-work proxy",
}
_TICKS = 8
_LABELLED = 8  # more direct labels than this run into each other; the legend names them all


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

    def change(self, point: Point, metric: Metric) -> float | None:
        """Per cent against the baseline at the same size; None where that is zero or unknown."""
        base = next(p for p in self.points if p.policy == self.baseline and p.size == point.size)
        below, ours = getattr(base, metric), getattr(point, metric)
        return 100 * (ours - below) / below if below and ours is not None else None


def figure(
    curves: Curves, metric: Metric, scale: Scale, *, narrow: bool, interactive: bool
) -> Drawing:
    """The figure. Interactive ones take a parameter `off`, the names of policies to fade."""
    width, height = (190, 210) if narrow else (285, 300)
    datasets = Datasets()
    sides: tuple[Metric, ...] = (metric, "searches")
    panels = [
        _Panel(curves, side, scale, width, height, sides).draw(datasets, interactive)
        for side in sides
    ]
    if narrow:
        return Drawing(alt.vconcat(*panels, spacing=26), datasets.sets)
    return Drawing(alt.hconcat(*panels, spacing=30), datasets.sets)


def falls_back(curves: Curves, metric: Metric) -> bool:
    """Does an absolute axis have to be linear, since a logarithm has no zero?"""
    return any(getattr(point, metric) == 0 for point in curves.points)


def metric_change(metric: Metric) -> str:
    """The field that holds a metric's change against the baseline, in per cent."""
    return f"{metric}_change"


def shortened(label: str, most: int = 22) -> str:
    """A label that fits beside a panel; the table and the legend have it whole."""
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


class _Panel:
    """One metric against page size: its axes, and the layers drawn on them."""

    def __init__(
        self,
        curves: Curves,
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
        self._rows = [_row(curves, point) for point in curves.points]
        self._is_empty = all(row[self._field] is None for row in self._rows)
        self._log = not (self._relative or self._is_empty or falls_back(curves, metric))
        # Relative panels share one scale, so that a small saving beside a large price looks small.
        fields = (metric_change(shared) for shared in shared_scale) if self._relative else (metric,)
        values = (row[field] for field in fields for row in self._rows)
        known = [float(value) for value in values if value is not None]
        self._domain = self._fit(known)

    def draw(self, datasets: Datasets, interactive: bool) -> Any:
        """The panel; an interactive one answers the pointer and fades what `off` names."""
        x = parts.size_axis(self._curves.sizes, label="candidates a page (log)")
        y = self._y_axis()
        styles = self._curves.styles
        encoded: dict[str, Any] = {"x": x, "y": y, "color": parts.colour(styles)}
        if interactive:
            # Faded and not removed, so that a policy can still be asked for its values.
            encoded["opacity"] = alt.condition(
                "indexof(off, datum.policy) < 0", alt.value(1), alt.value(0.12)
            )
        data = datasets.rows(self._rows)
        layers = [
            *parts.primary_rule(datasets, self._curves.primary_size, self._height),
            # The primary policy is drawn last, over lines that coincide with it.
            *(
                data.transform_filter(alt.FieldEqualPredicate(field="policy", equal=style.name))
                .mark_line(strokeWidth=style.width, strokeDash=list(style.dash))
                .encode(**encoded)
                for style in sorted(styles, key=lambda style: style.width)
            ),
            data.transform_filter("datum.frozen")
            .mark_point(filled=True, size=46, opacity=1)
            .encode(**encoded, shape=parts.shape(styles)),
        ]
        if self._relative:
            layers.insert(0, datasets.one().mark_rule(color=theme.RULE).encode(y=alt.YDatum(0)))
        if len(styles) <= _LABELLED:
            labels = datasets.rows(self._labels()).mark_text(align="left", dx=9, fontSize=12)
            layers.append(labels.encode(**encoded, text="text:N"))
        if self._is_empty:
            layers.append(datasets.one().mark_text(text="not given", color=theme.MUTED))
        if interactive:
            # Frozen sizes on top: a point that is seen is the one that answers.
            for chosen in ("!datum.frozen", "datum.frozen"):
                layers.append(self._targets(data.transform_filter(chosen), x, y))
        return alt.layer(*layers).properties(
            width=self._width,
            height=self._height,
            title=parts.title(METRICS[self._metric], proxy=self._metric == "searches"),
        )

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
            axis = alt.Axis(
                title=None, tickCount=5, values=values, labelExpr="format(datum.value, ',d')"
            )
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
        labels = {style.name: shortened(style.label) for style in self._curves.styles}
        return [
            {
                "policy": name,
                "size": last,
                self._field: 10**place if self._log else place,
                "text": labels[name],
            }
            for name, place in places.items()
        ]

    def _targets(self, data: Any, x: Any, y: Any) -> Any:
        """Wide invisible points that answer the pointer with exact values."""
        return data.mark_point(size=180, opacity=0, filled=True).encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("label:N", title="Policy"),
                alt.Tooltip("size:Q", title="Page size", format=",d"),
                alt.Tooltip("status:N", title="Page size is"),
                alt.Tooltip(self._metric, type="quantitative", title="Count", format=",d"),
                alt.Tooltip(
                    metric_change(self._metric),
                    type="quantitative",
                    title="Change, %",
                    format="+.1f",
                ),
            ],
        )


def _row(curves: Curves, point: Point) -> dict[str, Any]:
    """Every metric of a point, so that all panels and both scales share one data set."""
    label = next(style.label for style in curves.styles if style.name == point.policy)
    row: dict[str, Any] = {
        "policy": point.policy,
        "label": label,
        "size": point.size,
        "frozen": point.frozen,
        "status": "in the plan" if point.frozen else "exploratory",
    }
    for metric in METRICS:
        change = curves.change(point, metric)
        row[metric] = getattr(point, metric)
        row[metric_change(metric)] = None if change is None else round(change, 3)
    return row


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
