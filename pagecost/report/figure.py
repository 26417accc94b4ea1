"""One figure of a report: its words, what it looks like, and what a reader may choose in it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from markupsafe import Markup

from pagecost.charts.draw import Drawer
from pagecost.charts.parts import Drawing
from pagecost.report.captions import Caption

WIDTHS = (("wide", False), ("narrow", True))
"""The style sheet's class, and whether the drawing is the narrow one."""

_MOST_BESIDE, _GAP = 48, 3
"""Letters of a control's labels that stand in one line, and what is between two, in letters."""


class Option(msgspec.Struct, frozen=True):
    """One of the values that a control has, and what it is called."""

    value: str
    label: str


class Control(msgspec.Struct, frozen=True):
    """What a reader may choose; `start` is what is drawn without a choice, else the first."""

    name: str
    legend: str
    options: tuple[Option, ...]
    start: str = ""

    @property
    def first(self) -> str:
        """The value that is drawn without a choice."""
        return self.start or self.options[0].value

    @property
    def is_long(self) -> bool:
        """Are the options more than stand side by side?"""
        return sum(len(option.label) + _GAP for option in self.options) > _MOST_BESIDE


class Figure(msgspec.Struct, frozen=True):
    """One figure: its anchor, number and caption, drawn wide and narrow.

    `specs` has a Vega-Lite spec for each combination of the controls' values and width, by key:
    `<value>-<value>-<width>`. `svg` is the wide drawing as a picture of its own. `has_key` if
    policies can be switched off one by one. `notes` say what the drawing alone does not.
    """

    anchor: str
    number: int
    caption: Caption
    drawings: tuple[Markup, ...]
    specs: dict[str, Any]
    svg: str
    controls: tuple[Control, ...] = ()
    has_key: bool = False
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its number and what it found."""
        return f"Figure {self.number}. {self.caption.finding}"

    @property
    def spec(self) -> dict[str, Any]:
        """The spec of what is drawn without a choice."""
        return dict(self.specs[self._key("wide")])

    @property
    def is_chosen(self) -> bool:
        """Is there anything to choose?"""
        return bool(self.controls) or self.has_key

    def _key(self, width: str) -> str:
        return "-".join([*(control.first for control in self.controls), width])


Make = Callable[[Sequence[str], bool], Drawing]
"""Draws a figure: the controls' values, in order, and whether narrow."""


def draw(
    drawer: Drawer,
    anchor: str,
    number: int,
    caption: Caption,
    inputs: object,
    make: Make,
    controls: Sequence[Control] = (),
    *,
    has_key: bool = False,
    notes: Sequence[str] = (),
) -> Figure:
    """The figure, drawn as it is without a choice. `inputs` is all that `make` depends on."""
    choices = list(itertools.product(*([o.value for o in one.options] for one in controls)))

    def drawings() -> dict[str, Drawing]:
        return {
            "-".join([*chosen, width]): make(chosen, narrow)
            for chosen in choices
            for width, narrow in WIDTHS
        }

    specs = drawer.specs((anchor, [list(one) for one in choices], inputs), drawings)
    first = [control.first for control in controls]
    svgs = {width: drawer.svg(specs["-".join([*first, width])]) for width, _ in WIDTHS}
    said = f"Figure {number}. {caption.finding}"
    inlined = (
        drawer.inlined(svg, width, f"{anchor}-{width}", said, caption.alternative)
        for width, svg in svgs.items()
    )
    return Figure(
        anchor=anchor,
        number=number,
        caption=caption,
        drawings=tuple(map(Markup, inlined)),
        specs=specs,
        svg=svgs["wide"],
        controls=tuple(controls),
        has_key=has_key,
        notes=tuple(notes),
    )
