"""What several figures share: encodings by policy, labels that don't overlap, axes that fit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import theme
from pagecost.charts.theme import Style

LABEL_GAP = 14
"""Pixels between two direct labels."""

CHANGE_LABELS = (
    "datum.value == 0 ? 'baseline' : "
    "(datum.value > 0 ? '+' : '\u2212') + format(abs(datum.value), '~r') + '\u202f%'"
)


class Drawing(msgspec.Struct, frozen=True):
    """An Altair chart and the data sets that it names."""

    chart: Any
    datasets: dict[str, list[dict[str, object]]]


class Datasets:
    """The data of one figure, by names of ours.

    A chart that only names its data is ten times faster to make than one that holds it, since
    Altair copies a chart deeply at every step; and a data set that several layers share is
    written once.
    """

    def __init__(self) -> None:
        self.sets: dict[str, list[dict[str, object]]] = {}

    def rows(self, values: Sequence[Mapping[str, object]]) -> Any:
        """A chart over these rows. Field names are ours; names of users' things are values only."""
        rows = [dict(value) for value in values]
        for name, known in self.sets.items():
            if known == rows:
                return alt.Chart(alt.NamedData(name=name))
        name = f"d{len(self.sets)}"
        self.sets[name] = rows
        return alt.Chart(alt.NamedData(name=name))

    def one(self) -> Any:
        """A chart over a single empty row, for marks that stand at fixed places."""
        return self.rows([{}])


def colour(styles: Iterable[Style]) -> Any:
    """Colour by policy, without a legend: policies are labelled where they end."""
    several = list(styles)
    return alt.Color(
        "policy:N",
        scale=alt.Scale(domain=[s.name for s in several], range=[s.colour for s in several]),
        legend=None,
    )


def shape(styles: Iterable[Style]) -> Any:
    """Point shape by policy."""
    several = list(styles)
    return alt.Shape(
        "policy:N",
        scale=alt.Scale(domain=[s.name for s in several], range=[s.shape for s in several]),
        legend=None,
    )


def title(text: str, *, proxy: bool, offset: int = 10) -> Any:
    """A panel's title; its second line names the kind of count."""
    said = "proxy: searches, not time" if proxy else "counted"
    colour = theme.PROXY if proxy else theme.MUTED
    return alt.Title(text, subtitle=said, subtitleColor=colour, offset=offset)


def size_axis(sizes: Sequence[int], *, label: str | None) -> Any:
    """Page size, logarithmic, ticked at the frozen sizes alone."""
    low, high = float(sizes[0]), float(sizes[-1])
    if low == high:
        low, high = low * 0.8, high * 1.25
    return alt.X(
        "size:Q",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(
            values=list(sizes), grid=False, title=label, titleAnchor="start",
            format=",d", labelOverlap="greedy",
        ),
    )  # fmt: skip


def primary_rule(data: Datasets, size: int, height: int, *, named: bool = True) -> list[Any]:
    """The dotted rule at the primary page size."""
    rule = (
        data.one()
        .mark_rule(color=theme.RULE, strokeDash=[2, 3])
        .encode(x=alt.XDatum(size), y=alt.value(-2), y2=alt.value(height))
    )
    if not named:
        return [rule]
    text = (
        data.one()
        .mark_text(color=theme.MUTED, baseline="bottom", dy=-4, fontSize=12)
        .encode(x=alt.XDatum(size), y=alt.value(0), text=alt.value(f"{size:,}, primary"))
    )
    return [rule, text]


def spread(values: Mapping[str, float], low: float, high: float, height: int) -> dict[str, float]:
    """Places for labels, at least LABEL_GAP pixels apart, near their values and inside the panel.

    `low` and `high` are the domain, `height` the panel's pixels; values and places are in data
    units of a linear axis.
    """
    scale = height / ((high - low) or 1)
    placed = sorted((((value - low) * scale), key) for key, value in values.items())
    places = [place for place, _ in placed]
    # Pools of labels that would overlap sit centred on their mean, as in isotonic regression.
    pools: list[tuple[float, int]] = []
    for index, place in enumerate(places):
        pools.append((place - index * LABEL_GAP, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    flat = [centre for centre, count in pools for _ in range(count)]
    top = max(0.0, height - (len(places) - 1) * LABEL_GAP)
    return {
        key: (min(max(centre, 0.0), top) + index * LABEL_GAP) / scale + low
        for index, (centre, (_, key)) in enumerate(zip(flat, placed, strict=True))
    }


def signed(value: float) -> str:
    """One decimal with its sign; ≈0 where it rounds to nothing."""
    shown = f"{abs(value):.1f}"
    if shown == "0.0":
        return "≈0" if value else "0"
    return ("+" if value > 0 else "\u2212") + shown


def nice_domain(values: Iterable[float], *, step: float) -> tuple[float, float]:
    """The values' range widened to whole steps, zero included, never empty."""
    several = [*values, 0.0]
    low, high = math.floor(min(several) / step) * step, math.ceil(max(several) / step) * step
    return (low, high if high > low else low + step)
