"""A figure as a file of its own: with its title, and below it what it does not show.

A copied figure still says what it means: the words are part of the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

import msgspec

from pagecost.charts import theme
from pagecost.charts.text import wrap

_MARGIN = 24
_LEAST = 520  # pixels of width that words get below a figure that is itself narrower
_LEADING = 1.4
_SVG = "http://www.w3.org/2000/svg"


class Line(msgspec.Struct, frozen=True):
    """One line of text; `y` is its baseline."""

    x: float
    y: float
    size: float
    text: str
    colour: str = theme.INK
    weight: int = 400


class Bar(msgspec.Struct, frozen=True):
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    colour: str


class Sheet(msgspec.Struct, frozen=True):
    """What a file shows: its extent in pixels, text, bars, and a drawing as SVG."""

    width: float
    height: float
    lines: tuple[Line, ...]
    bars: tuple[Bar, ...] = ()
    drawing: str = ""
    background: str = theme.PAPER
    font: str = theme.FONT


def sheet(svg: str, title: str, notes: Sequence[str], source: str) -> Sheet:
    """The file of a figure: title, drawing, `notes` a paragraph each, and where it comes from."""
    root = ElementTree.fromstring(svg)
    drawn_width, drawn_height = (float(root.attrib[key]) for key in ("width", "height"))
    inner = max(drawn_width, _LEAST)
    setter = _Setter(_MARGIN, inner)
    setter.paragraph(title, 15, weight=600)
    setter.skip(10)
    root.set("x", str(_MARGIN))
    root.set("y", f"{setter.y:g}")
    setter.skip(drawn_height + 14)
    for note in notes:
        setter.paragraph(note, 12.5)
        setter.skip(4)
    setter.skip(4)
    setter.paragraph(source, 11.5, colour=theme.MUTED)
    ElementTree.register_namespace("", _SVG)
    drawing = ElementTree.tostring(root, encoding="unicode")
    return Sheet(inner + 2 * _MARGIN, setter.y + _MARGIN - 6, tuple(setter.lines), (), drawing)


class Tell(msgspec.Struct, frozen=True):
    """One count of a preview: its name, from and to as words, and a bar for each, 0 to 100."""

    name: str
    value: str
    phrase: str
    bars: tuple[tuple[float, str], ...]


_PREVIEW = (1200, 630)  # what sites that show previews ask for


def preview(eyebrow: str, headline: str, tells: Sequence[Tell], caveat: str) -> Sheet:
    """The picture of a report in link previews. The caveat is never left out of it."""
    width, height = _PREVIEW
    margin, inner = 60, width - 120
    below = _fitted(caveat, inner, (24, 22, 20, 18, 16, 14, 12), 150)
    top = _Setter(margin, inner, y=46)
    top.paragraph(eyebrow, 24, colour=theme.MUTED)
    top.skip(14)
    size = _fitted(headline, inner, (52, 48, 44, 40, 36, 32, 28, 24), 200)
    top.paragraph(headline, size, weight=600, most=_most(200, size))
    lines, bars = list(top.lines), []
    column = inner / max(len(tells), 1)
    middle = top.y + 30
    for place, tell in enumerate(tells):
        x = margin + place * column
        setter = _Setter(x, column - 24, y=middle)
        setter.paragraph(tell.name, 20, colour=theme.MUTED, most=1)
        setter.skip(2)
        setter.paragraph(tell.value, 32, most=1)
        setter.skip(2)
        setter.paragraph(tell.phrase, 24, weight=600, most=1)
        lines += setter.lines
        for index, (length, colour) in enumerate(tell.bars):
            drawn = length / 100 * (column - 40)
            bars.append(Bar(x, setter.y + 10 + index * 14, drawn, 10, colour))
    foot = _Setter(margin, inner)
    foot.paragraph(caveat, below, most=_most(150, below))
    shift = height - 34 - foot.y
    lines += [msgspec.structs.replace(line, y=line.y + shift) for line in foot.lines]
    bars.append(Bar(margin, shift - 8, inner, 1, theme.RULE))
    return Sheet(width, height, tuple(lines), tuple(bars))


def _most(room: float, size: float) -> int:
    return max(1, int(room / (size * _LEADING)))


def _fitted(text: str, width: float, sizes: Sequence[float], room: float) -> float:
    """The largest size at which the text keeps to its room."""
    for size in sizes:
        if len(wrap(text, size, width)) <= _most(room, size):
            return size
    return sizes[-1]


class _Setter:
    """Sets paragraphs below each other, from the top down."""

    def __init__(self, x: float, width: float, y: float = _MARGIN - 4) -> None:
        self.x, self.width, self.y = x, width, y
        self.lines: list[Line] = []

    def skip(self, pixels: float) -> None:
        self.y += pixels

    def paragraph(
        self,
        text: str,
        size: float,
        *,
        weight: int = 400,
        colour: str = theme.INK,
        most: int | None = None,
    ) -> None:
        """A paragraph; what goes past `most` lines is cut, and seen to be."""
        found = wrap(text, size, self.width)
        if most is not None and len(found) > most:
            found = [*found[: most - 1], found[most - 1].rstrip(" .,;:") + " …"]
        for line in found:
            self.y += size * _LEADING
            baseline = round(self.y - size * 0.3, 2)
            self.lines.append(Line(self.x, baseline, size, line, colour, weight))
