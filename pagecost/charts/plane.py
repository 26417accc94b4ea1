"""Policies in the cost plane: pages, counted, against searches, a proxy. No line joins equal costs.

What one is worth in the other was not measured, so nothing here adds them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing, unit
from pagecost.charts.theme import Style

_GAP = 30  # pixels between labels of two lines
_LABELLED = 8
_RAYS = (1, 2, 3, 5, 10, 20, 50, 100)


class Spot(msgspec.Struct, frozen=True):
    """What one policy costs; `undominated` if no other needs fewer of one and no more of the other.

    `is_named` if it is to be labelled however many policies there are.
    """

    style: Style
    pages: int
    searches: int
    undominated: bool
    is_named: bool


def figure(spots: Sequence[Spot], *, narrow: bool) -> Drawing:
    """A point a policy; those that no other beats on both sides are joined."""
    return _Plane(spots, (270, 260) if narrow else (640, 380), narrow=narrow).draw()


class _Plane:
    """The points, the axes, and labels that keep clear of each other."""

    def __init__(self, spots: Sequence[Spot], extent: tuple[int, int], *, narrow: bool) -> None:
        self._spots, self._narrow = spots, narrow
        self._width, self._height = extent
        self._x = _domain([spot.pages for spot in spots])
        self._y = _domain([spot.searches for spot in spots])

    def draw(self) -> Drawing:
        data, place = Datasets(), {"x": self._axis(alt.X), "y": self._axis(alt.Y)}
        styles = [spot.style for spot in self._spots]
        # The primary policy is drawn last, over points that coincide with it.
        drawn = sorted(self._spots, key=lambda spot: spot.style.width)
        points = data.rows([self._row(spot) for spot in drawn])
        front = data.rows(
            [
                {"pages": spot.pages, "searches": spot.searches, "order": order}
                for order, spot in enumerate(
                    sorted(
                        (spot for spot in self._spots if spot.undominated),
                        key=lambda spot: (spot.pages, spot.searches),
                    )
                )
            ]
        )
        colour = {"color": parts.colour(styles), "opacity": parts.fading()}
        mark = place | colour | {"shape": parts.shape(styles), "tooltip": _tooltip()}
        joined = place | {"order": alt.Order("order:Q")}
        several = [
            *self._rays(data, place),
            unit(front, "line", joined, color=theme.INK, strokeWidth=1),
            unit(
                points, "point", mark, filled=True, size=90, stroke=theme.PAPER, strokeWidth=1.5
            ),
            *self._labels(data, place, colour),
        ]  # fmt: skip
        panel = parts.layers(several, self._width, self._height)
        panels = [panel]
        if len(self._spots) > _LABELLED:
            panels.append(parts.key(data, styles, 260 if self._narrow else 750))
        chart = parts.beside(panels, narrow=True, spacing=26, interactive=True)
        return Drawing(chart, data.sets)

    def _axis(self, channel: Any) -> Any:
        is_y = channel is alt.Y
        title = (
            "searches, proxy: fewer is lower" if is_y else "pages, counted: fewer is to the left"
        )
        axis = alt.Axis(
            title=title, tickCount=5, labelExpr=parts.COUNT_LABELS, labelOverlap="greedy",
            titleAnchor=alt.Undefined if is_y else "start", grid=is_y,
        )  # fmt: skip
        domain = list(self._y if is_y else self._x)
        scale = alt.Scale(domain=domain, nice=False, zero=False)
        return channel("searches:Q" if is_y else "pages:Q", scale=scale, axis=axis)

    def _rays(self, data: Datasets, place: dict[str, Any]) -> list[Any]:
        """Dotted, where a page takes a whole number of searches on average."""
        several: list[Any] = []
        for rate in _RAYS:
            low = max(self._x[0], self._y[0] / rate)
            high = min(self._x[1], self._y[1] / rate)
            if (high - low) / (self._x[1] - self._x[0]) < 0.1:
                continue
            ends = [{"pages": at, "searches": at * rate} for at in (low, high)]
            several.append(
                unit(data.rows(ends), "line", place, color=theme.RULE, strokeDash=[2, 3])
            )
            said = "1 search a page" if rate == 1 else f"{rate} searches a page"
            text = {"text": alt.value(said)}
            look = {"align": "right", "baseline": "bottom", "dx": -4, "dy": -2, "fontSize": 11}
            named = unit(data.rows(ends[1:]), "text", place | text, color=theme.MUTED, **look)
            several.append(named)
        return several

    def _row(self, spot: Spot) -> dict[str, Any]:
        return {
            "policy": spot.style.name,
            "label": spot.style.label,
            "pages": spot.pages,
            "searches": spot.searches,
            "beaten": "no" if spot.undominated else "yes",
        }

    def _labels(self, data: Datasets, place: dict[str, Any], colour: dict[str, Any]) -> list[Any]:
        """Name and counts beside each point, on the side where there is room."""
        named = [spot for spot in self._spots if spot.is_named or len(self._spots) <= _LABELLED]
        middle = self._x[0] + (self._x[1] - self._x[0]) * (0.5 if self._narrow else 0.62)
        several = []
        for is_left in (False, True):
            own = [spot for spot in named if (spot.pages > middle) == is_left]
            places = parts.spread(
                {spot.style.name: float(spot.searches) for spot in own},
                *self._y, self._height, _GAP,
            )  # fmt: skip
            rows = [
                {
                    "policy": spot.style.name,
                    "pages": spot.pages,
                    "searches": places[spot.style.name],
                    "name": parts.shortened(spot.style.label, 20 if self._narrow else 32),
                    "counts": f"{spot.pages:,} pages, {spot.searches:,} searches",
                }
                for spot in own
            ]
            if not rows:
                continue
            held = data.rows(rows)
            look = {"align": "right" if is_left else "left", "dx": -12 if is_left else 12}
            several.append(
                unit(held, "text", place | colour | {"text": alt.Text("name:N")},
                     fontWeight=600, dy=-3, **look)
            )  # fmt: skip
            if not self._narrow:
                counts = place | {"text": alt.Text("counts:N"), "opacity": parts.fading()}
                several.append(
                    unit(held, "text", counts, fontSize=11, color=theme.MUTED, dy=11, **look)
                )
        return several


def _tooltip() -> list[Any]:
    return [
        alt.Tooltip("label:N", title="Policy"),
        alt.Tooltip("pages:Q", title="Pages", format=",d"),
        alt.Tooltip("searches:Q", title="Searches (proxy)", format=",d"),
        alt.Tooltip("beaten:N", title="Beaten on both sides"),
    ]


def _domain(values: Sequence[int]) -> tuple[float, float]:
    """The values' range with room around it, never below zero and never empty."""
    low, high = min(values, default=0), max(values, default=1)
    room = (high - low) * 0.25 or max(1.0, high * 0.1)
    return (max(0.0, low - room), high + room)
