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
    "(datum.value > 0 ? '+' : '\u2212') + format(abs(datum.value), '~r') + '\u00a0%'"
)


COUNT_LABELS = (
    "datum.value >= 1e9 ? format(datum.value / 1e9, ',~r') + ' bn' : "
    "datum.value >= 1e7 ? format(datum.value / 1e6, ',~r') + ' M' : format(datum.value, ',d')"
)
"""Counts on an axis: whole, and past ten million in millions or billions."""

FADED = "indexof(off, datum.policy) < 0"
"""Holds for what the reader has not switched off."""


class Drawing(msgspec.Struct, frozen=True):
    """An Altair chart and the data sets that it names."""

    chart: Any
    datasets: dict[str, list[dict[str, object]]]


class Datasets:
    """The data of one figure, by names of ours. A data set that several layers share is held once.

    Charts are put together from Altair's own classes for the parts of a spec: its methods that
    chain copy and validate the whole chart at every step, which takes a hundred times as long.
    Tests validate every spec instead.
    """

    def __init__(self) -> None:
        self.sets: dict[str, list[dict[str, object]]] = {}

    def rows(self, values: Sequence[Mapping[str, object]]) -> alt.NamedData:
        """These rows, by name. Field names are ours; names of users' things are values only."""
        rows = [dict(value) for value in values]
        for name, known in self.sets.items():
            if known == rows:
                return alt.NamedData(name=name)
        name = f"d{len(self.sets)}"
        self.sets[name] = rows
        return alt.NamedData(name=name)

    def one(self) -> alt.NamedData:
        """A single empty row, for marks that stand at fixed places."""
        return self.rows([{}])


def unit(data: alt.NamedData, mark: Any, encoding: Mapping[str, Any], **given: Any) -> Any:
    """One mark over one data set. `where` keeps some of its rows; the rest is about the mark."""
    where = given.pop("where", None)
    return alt.UnitSpec(
        data=data,
        mark=alt.MarkDef(type=mark, **given),
        encoding=alt.Encoding(**encoding),
        transform=[alt.FilterTransform(filter=where)] if where is not None else alt.Undefined,
    )


def layers(several: Sequence[Any], width: int, height: int, heading: Any = alt.Undefined) -> Any:
    """Marks drawn over each other, in that order, in one panel."""
    return alt.LayerSpec(layer=list(several), width=width, height=height, title=heading)


def beside(panels: Sequence[Any], *, narrow: bool, spacing: int, interactive: bool = False) -> Any:
    """Panels side by side; where it is narrow, one below the other.

    Interactive charts take a parameter `off`, the names of policies to fade.
    """
    params = [alt.VariableParameter(name="off", value=[])] if interactive else alt.Undefined
    if narrow:
        return alt.TopLevelVConcatSpec(vconcat=list(panels), spacing=spacing, params=params)
    return alt.TopLevelHConcatSpec(hconcat=list(panels), spacing=spacing, params=params)


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
    at = alt.XDatum(size)
    ends = {"x": at, "y": alt.value(-2), "y2": alt.value(height)}
    rule = unit(data.one(), "rule", ends, color=theme.RULE, strokeDash=[2, 3])
    if not named:
        return [rule]
    said = {"x": at, "y": alt.value(0), "text": alt.value(f"{size:,}, primary")}
    look = {"color": theme.MUTED, "baseline": "bottom", "dy": -4, "fontSize": 12}
    return [rule, unit(data.one(), "text", said, **look)]


def spread(
    values: Mapping[str, float], low: float, high: float, height: int, gap: int = LABEL_GAP
) -> dict[str, float]:
    """Places for labels, at least `gap` pixels apart, near their values and inside the panel.

    `low` and `high` are the domain, `height` the panel's pixels; values and places are in data
    units of a linear axis.
    """
    scale = height / ((high - low) or 1)
    placed = sorted((((value - low) * scale), key) for key, value in values.items())
    places = [place for place, _ in placed]
    # Pools of labels that would overlap sit centred on their mean, as in isotonic regression.
    pools: list[tuple[float, int]] = []
    for index, place in enumerate(places):
        pools.append((place - index * gap, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, n), (b, m) = pools[-2:]
            pools[-2:] = [((a * n + b * m) / (n + m), n + m)]
    flat = [centre for centre, count in pools for _ in range(count)]
    top = max(0.0, height - (len(places) - 1) * gap)
    return {
        key: (min(max(centre, 0.0), top) + index * gap) / scale + low
        for index, (centre, (_, key)) in enumerate(zip(flat, placed, strict=True))
    }


def shortened(label: str, most: int = 22) -> str:
    """A label that fits beside a panel; the table and the legend have it whole."""
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def fading() -> dict[str, Any]:
    """Opacity of what a reader may switch off: faded and not removed, so that it still answers."""
    return {"condition": {"test": FADED, "value": 1}, "value": 0.12}


_KEY_COLUMN = 250
_KEY_ROW = 18


def key(data: Datasets, styles: Sequence[Style], width: int) -> Any:
    """Which mark is which policy, for where there are too many to label their ends."""
    columns = max(1, width // _KEY_COLUMN)
    rows = [
        {
            "policy": style.name,
            "x": index % columns * _KEY_COLUMN + 6,
            "y": index // columns * _KEY_ROW + 8,
            "text": shortened(style.label, 36),
        }
        for index, style in enumerate(styles)
    ]
    height = -(-len(rows) // columns) * _KEY_ROW
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[height, 0], nice=False), axis=None)
    place, named = {"x": x, "y": y}, data.rows(rows)
    marks = place | {"color": colour(styles), "shape": shape(styles)}
    return layers(
        [
            unit(named, "point", marks, filled=True, size=46, opacity=1),
            unit(named, "text", place | {"text": alt.Text("text:N")}, align="left", dx=10),
        ],
        width,
        height,
    )


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
