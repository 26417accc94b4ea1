"""One look for all figures: colours, marks and type.

Every colour is a unique light-theme hex. In an inlined SVG each is replaced by the style sheet's
variable of the same name, so one drawing serves light, dark and paper; downloads keep the hexes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec

INK = "#1c1f24"
MUTED = "#575d67"
RULE = "#b9bdc4"
GRID = "#e6e6e2"
PAPER = "#fdfdfb"
PROXY = "#666000"
MARK = "#f3f0e6"
TIE = "#d3d5d9"
SEQUENCE = ("#eaf0f7", "#c8d9ed", "#9dbfe3", "#3c74b4", "#22589a", "#0f3a70")
ON_LIGHT = "#1c1f25"
ON_DARK = "#fffffe"

_POLICY_COLOURS = (
    "#323844", "#2469c4", "#a85a2a", "#7c2374", "#07532e", "#1a7a88", "#94273a", "#6a5aa8",
)  # fmt: skip
_SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")
_DASHES: tuple[tuple[int, ...], ...] = (
    (1, 0),
    (1, 0),
    (6, 3),
    (2, 2),
    (8, 3, 2, 3),
    (4, 2),
    (1, 3),
)

VARIABLES: dict[str, str] = {
    INK: "ink", MUTED: "muted", RULE: "rule", GRID: "grid", PAPER: "paper", PROXY: "k-proxy",
    MARK: "mark", TIE: "tie", ON_LIGHT: "seqlo", ON_DARK: "seqhi",
    **{colour: f"seq{number}" for number, colour in enumerate(SEQUENCE, start=1)},
    **{colour: f"p{number}" for number, colour in enumerate(_POLICY_COLOURS)},
}  # fmt: skip
"""Hex → the style sheet's variable, without its dashes."""

FONT = "Liberation Sans"
"""vl-convert carries it, and versions that a system may have measure alike (see `drawable`)."""


class Style(msgspec.Struct, frozen=True):
    """How one policy is drawn, everywhere in a report. `number` names its style-sheet class."""

    name: str
    label: str
    number: int
    colour: str
    shape: str
    dash: tuple[int, ...]
    width: float


_KEPT = {
    "baseline": 0,
    "identifier_baseline_first": 1,
    "helper": 1,
    "identifiers": 2,
    "identifier_first": 3,
    "deferred": 4,
}
"""Policies that look the same wherever they are drawn, whatever stands beside them."""


def styles(names: Sequence[tuple[str, str]], baseline: str, primary: str) -> dict[str, Style]:
    """A style for each (name, label), in plan order.

    Policies of well-known names keep their look in every report. The others take what is left:
    the baseline first, the primary policy second, then in plan order. Past the palette, colours
    repeat with other marks and dashes.
    """
    numbers: dict[str, int] = {}
    for name, _ in names:
        if name in _KEPT and _KEPT[name] not in numbers.values():
            numbers[name] = _KEPT[name]
    wanted = {primary: 1} | {baseline: 0}
    for name, _ in sorted(names, key=lambda pair: wanted.get(pair[0], 2)):
        if name not in numbers:
            places = itertools.chain([wanted[name]] if name in wanted else [], itertools.count(2))
            numbers[name] = next(place for place in places if place not in numbers.values())
    return {
        name: Style(
            name=name,
            label=label,
            number=numbers[name] % len(_POLICY_COLOURS),
            colour=_POLICY_COLOURS[numbers[name] % len(_POLICY_COLOURS)],
            shape=_SHAPES[numbers[name] % len(_SHAPES)],
            dash=_DASHES[numbers[name] % len(_DASHES)],
            width=2.25 if name == primary and primary != baseline else 1.25,
        )
        for name, label in names
    }


def config() -> dict[str, object]:
    """The Vega-Lite configuration that every figure carries."""
    axis = {
        "labelColor": MUTED, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "domainColor": RULE, "tickColor": RULE, "gridColor": GRID,
        "gridWidth": 1, "tickSize": 4, "labelPadding": 4, "titlePadding": 8, "labelFlush": False,
    }  # fmt: skip
    return {
        "background": "transparent",
        "font": FONT,
        "padding": 2,
        "view": {"stroke": None},
        "axis": axis,
        "axisY": {"domain": False, "ticks": False, "offset": 8},
        "title": {
            "anchor": "start", "fontSize": 13, "fontWeight": 600, "color": INK,
            "subtitleColor": MUTED, "subtitleFontSize": 12, "offset": 10, "subtitlePadding": 3,
        },
        "text": {"fontSize": 12, "color": INK},
    }  # fmt: skip
