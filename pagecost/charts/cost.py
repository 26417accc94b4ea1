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
from pagecost.charts.theme import Style

Metric = Literal["pages", "emitted", "searches"]
Scale = Literal["relative", "absolute"]

METRICS: dict[Metric, str] = {
    "pages": "Pages",
    "emitted": "Emitted candidates",
    "searches": "Search-work proxy",
}
_LABELLED = 8  # more direct labels than this run into each other; the legend names them all


class Point(msgspec.Struct, frozen=True):
    """What one policy costs in all at one page size; `frozen` if the plan has that size."""

    policy: str
    size: int
    pages: int
    emitted: int
    searches: int
    frozen: bool


class Curves(msgspec.Struct, frozen=True):
    """Every policy at every page size, the frozen sizes in `sizes`, ascending."""

    points: Sequence[Point]
    styles: Sequence[Style]
    baseline: str
    sizes: Sequence[int]
    primary_size: int

    def change(self, point: Point, metric: Metric) -> float | None:
        """Per cent against the baseline at the same size; None where that is zero."""
        base = next(p for p in self.points if p.policy == self.baseline and p.size == point.size)
        below = getattr(base, metric)
        return 100 * (getattr(point, metric) - below) / below if below else None


def figure(curves: Curves, metric: Metric, scale: Scale, *, narrow: bool, interactive: bool) -> Any:
    """The figure. Interactive ones take a parameter `off`, the names of policies to fade."""
    width, height = (190, 210) if narrow else (285, 300)
    panels = [
        _panel(curves, one, scale, width, height, interactive=interactive)
        for one in (metric, "searches")
    ]
    if narrow:
        return alt.vconcat(*panels, spacing=26)
    return alt.hconcat(*panels, spacing=30)


def falls_back(curves: Curves, metric: Metric) -> bool:
    """Does an absolute axis have to be linear, since a logarithm has no zero?"""
    return any(getattr(point, metric) == 0 for point in curves.points)


def _panel(
    curves: Curves, metric: Metric, scale: Scale, width: int, height: int, *, interactive: bool
) -> Any:
    relative = scale == "relative"
    values = [_row(curves, point, metric, relative=relative) for point in curves.points]
    values = [row for row in values if row["value"] is not None]
    log = not relative and not falls_back(curves, metric)
    domain = _domain([float(str(row["value"])) for row in values], relative=relative, log=log)
    x = parts.size_axis(curves.sizes, label="candidates a page (log)")
    y = alt.Y(
        "value:Q",
        scale=alt.Scale(type="log" if log else "linear", domain=list(domain), nice=False),
        axis=_axis(domain, relative=relative, log=log),
    )
    colour, shape = parts.colour(curves.styles), parts.shape(curves.styles)
    fading: dict[str, Any] = {}
    if interactive:
        # Faded and not removed: a policy that is hidden can still be asked for its values.
        fading["opacity"] = alt.condition(
            "indexof(off, datum.policy) < 0", alt.value(1), alt.value(0.12)
        )
    data = parts.rows(values)
    lines = [
        alt.Chart(data)
        .transform_filter(alt.FieldEqualPredicate(field="policy", equal=style.name))
        .mark_line(strokeWidth=style.width, strokeDash=list(style.dash))
        .encode(x=x, y=y, color=colour, **fading)
        # The primary policy is drawn last, over lines that coincide with it.
        for style in sorted(curves.styles, key=lambda style: style.width)
    ]
    points = (
        alt.Chart(data)
        .transform_filter("datum.frozen")
        .mark_point(filled=True, size=46, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, **fading)
    )
    layers = [*parts.primary_rule(curves.primary_size, height), *lines, points]
    if relative:
        layers.insert(0, parts.one().mark_rule(color=theme.RULE).encode(y=alt.YDatum(0)))
    if len(curves.styles) <= _LABELLED:
        layers.append(_labels(curves, values, domain, height, x, y, colour, fading, log=log))
    if interactive:
        layers.append(_targets(data, x, y))
    return alt.layer(*layers).properties(
        width=width, height=height, title=parts.title(METRICS[metric], proxy=metric == "searches")
    )


def _row(curves: Curves, point: Point, metric: Metric, *, relative: bool) -> dict[str, object]:
    change = curves.change(point, metric)
    label = next(style.label for style in curves.styles if style.name == point.policy)
    return {
        "policy": point.policy,
        "label": label,
        "size": point.size,
        "value": (None if change is None else round(change, 4))
        if relative
        else getattr(point, metric),
        "count": getattr(point, metric),
        "change": None if change is None else round(change, 2),
        "frozen": point.frozen,
        "status": "frozen in the plan" if point.frozen else "exploratory",
    }


def _domain(values: Sequence[float], *, relative: bool, log: bool) -> tuple[float, float]:
    if not values:
        return (0.0, 1.0)
    if relative:
        span = max(values) - min(values)
        return parts.nice_domain(values, step=10 if span > 20 else 5 if span > 8 else 1)
    low, high = min(values), max(values)
    return (low * 0.9, high * 1.1) if log else (min(low, 0.0), high * 1.05 or 1.0)


def _axis(domain: tuple[float, float], *, relative: bool, log: bool) -> Any:
    if relative:
        return alt.Axis(title=None, tickCount=6, labelExpr=parts.CHANGE_LABELS)
    values = _decades(*domain) if log else alt.Undefined
    return alt.Axis(title=None, tickCount=5, values=values, labelExpr="format(datum.value, ',d')")


def _decades(low: float, high: float) -> list[int]:
    """1, 2 and 5 times powers of ten inside the domain; fewer where there are many."""
    marks = [
        digit * 10**power
        for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        if power >= 0
        for digit in (1, 2, 5)
        if low <= digit * 10**power <= high
    ]
    if len(marks) > 8:
        marks = [mark for mark in marks if str(mark)[0] == "1"]
    return marks or [round(low), round(high)]


def _labels(
    curves: Curves,
    values: Sequence[dict[str, object]],
    domain: tuple[float, float],
    height: int,
    x: Any,
    y: Any,
    colour: Any,
    fading: dict[str, Any],
    *,
    log: bool,
) -> Any:
    def to(value: float) -> float:
        return math.log10(value) if log else value

    last = curves.sizes[-1]
    ends = {
        str(row["policy"]): to(float(str(row["value"]))) for row in values if row["size"] == last
    }
    places = parts.spread(ends, to(domain[0]), to(domain[1]), height)
    labels = {style.name: style.label for style in curves.styles}
    return (
        alt.Chart(
            parts.rows(
                [
                    {
                        "policy": name,
                        "size": last,
                        "value": 10**place if log else place,
                        "text": shortened(labels[name]),
                    }
                    for name, place in places.items()
                ]
            )
        )
        .mark_text(align="left", dx=9, fontSize=12)
        .encode(x=x, y=y, text="text:N", color=colour, **fading)
    )


def shortened(label: str, most: int = 22) -> str:
    """A label that fits beside a panel; the table and the legend have it whole."""
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def _targets(data: Any, x: Any, y: Any) -> Any:
    """Wide invisible points that answer the pointer with exact values."""
    return (
        alt.Chart(data)
        .mark_point(size=180, opacity=0, filled=True)
        .encode(
            x=x,
            y=y,
            tooltip=[
                alt.Tooltip("label:N", title="Policy"),
                alt.Tooltip("size:Q", title="Page size", format=",d"),
                alt.Tooltip("count:Q", title="Count", format=",d"),
                alt.Tooltip("change:Q", title="% against baseline", format="+.1f"),
                alt.Tooltip("status:N", title="Page size is"),
            ],
        )
    )
