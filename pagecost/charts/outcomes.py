"""Who wins, who loses: on how many queries a policy needs fewer, as many, more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing, unit
from pagecost.charts.theme import Style

_ROW = 30
_DIGIT = 6.7  # pixels of a digit, at the size of type that counts are printed in
_NARROW = 300


class Tally(msgspec.Struct, frozen=True):
    """Queries at one page size: fewer, as many and more, on pages and on the proxy.

    `searches` are None where they were not given for both.
    """

    size: int
    pages: tuple[int, int, int]
    searches: tuple[int, int, int] | None


def figure(
    tallies: Sequence[Tally], policy: Style, baseline: Style, primary_size: int, *, narrow: bool
) -> Drawing:
    """Three columns of bars on one scale, for pages and, beside them, for the proxy.

    The proxy's stay away where nobody knows them.
    """
    data = Datasets()
    known = all(tally.searches is not None for tally in tallies)
    panels = [
        _panel(data, tallies, policy, baseline, primary_size, narrow=narrow, proxy=proxy)
        for proxy in ((False, True) if known else (False,))
    ]
    return Drawing(parts.beside(panels, narrow=narrow, spacing=28 if narrow else 24), data.sets)


def _panel(
    datasets: Datasets,
    tallies: Sequence[Tally],
    policy: Style,
    baseline: Style,
    primary_size: int,
    *,
    narrow: bool,
    proxy: bool,
) -> Any:
    counts = [(t.size, (t.searches if proxy else t.pages) or (0, 0, 0)) for t in tallies]
    most = max((sum(several) for _, several in counts), default=0) or 1
    # What is printed beside a bar fits before the next column, however large the counts.
    gap = max(38, round(_DIGIT * len(f"{most:,}")) + 12)
    column = max(24, (_NARROW - 3 * gap) // 3) if narrow else 104
    width, height = 3 * (column + gap), _ROW * len(tallies)
    starts = [place * (column + gap) for place in range(3)]
    heads = ("fewer", "tie", "more")
    bars = [
        {
            "size": size,
            "x": start,
            # A handful among thousands stays visible; the number beside it is exact.
            "x2": start + (max(1.0, count / most * column) if count else 0.0),
            "count": count,
            "needs": head,
            "text": f"{count:,}",
            "colour": colour,
        }
        for size, several in counts
        for start, head, count, colour in zip(
            starts, heads, several, (policy.colour, theme.TIE, baseline.colour), strict=True
        )
    ]
    y = _size_axis(primary_size)
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    end = alt.X("x2:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    data = datasets.rows(bars)
    head_rows = datasets.rows(
        [{"x": start, "text": text} for start, text in zip(starts, heads, strict=True)]
    )
    primary = datasets.rows([{"size": primary_size}])
    x2, top, bottom, text = alt.X2("x2:Q"), alt.value(0), alt.value(height), alt.Text("text:N")
    tooltip = [
        alt.Tooltip("size:Q", title="Page size", format=",d"),
        alt.Tooltip("needs:N", title=f"{_side(proxy)}: {parts.shortened(policy.label, 40)} needs"),
        alt.Tooltip("count:Q", title="Queries", format=",d"),
    ]
    marked = {"y": y, "x": alt.value(-34), "x2": alt.value(width)}
    bar = {"y": y, "x": x, "x2": x2, "color": alt.Color("colour:N", scale=None), "tooltip": tooltip}
    several = [
        unit(primary, "rect", marked, color=theme.MARK, height={"band": 1.35}),
        unit(data, "bar", bar),
        unit(head_rows, "rule", {"x": x, "y": top, "y2": bottom}, color=theme.RULE),
        unit(data, "text", {"y": y, "x": end, "text": text}, align="left", dx=4),
        unit(
            head_rows, "text", {"x": x, "y": top, "text": text},
            align="left", baseline="bottom", color=theme.MUTED, dy=-5,
        ),
    ]  # fmt: skip
    title = "Search-work proxy" if proxy else "Pages"
    return parts.layers(several, width, height, parts.title(title, proxy=proxy, offset=24))


def _side(proxy: bool) -> str:
    return "Searches (proxy)" if proxy else "Pages"


def _size_axis(primary_size: int) -> Any:
    """A row a page size, the primary one in bold."""
    return alt.Y(
        "size:O",
        axis=alt.Axis(
            title=None, domain=False, ticks=False, labelPadding=8, labelColor=theme.INK,
            labelExpr="format(datum.value, ',d')",
            labelFontWeight={
                "condition": {"test": f"datum.value == {primary_size}", "value": "bold"},
                "value": "normal",
            },
        ),
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.15),
    )  # fmt: skip
