"""Who wins, who loses: on how many queries a policy needs fewer, as many, more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import msgspec

from pagecost.charts import parts, theme
from pagecost.charts.parts import Datasets, Drawing
from pagecost.charts.theme import Style

_ROW = 30


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
    if narrow:
        return Drawing(alt.vconcat(*panels, spacing=28), data.sets)
    return Drawing(alt.hconcat(*panels, spacing=24), data.sets)


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
    column, gap, tail = (62, 38, 40) if narrow else (104, 38, 46)
    height = _ROW * len(tallies)
    width = 3 * column + 2 * gap + tail
    counts = [(t.size, (t.searches if proxy else t.pages) or (0, 0, 0)) for t in tallies]
    most = max((sum(several) for _, several in counts), default=0) or 1
    starts = [place * (column + gap) for place in range(3)]
    bars = [
        {
            "size": size,
            "x": start,
            # A handful among thousands stays visible; the number beside it is exact.
            "x2": start + (max(1.0, count / most * column) if count else 0.0),
            "text": f"{count:,}",
            "colour": colour,
        }
        for size, several in counts
        for start, count, colour in zip(
            starts, several, (policy.colour, theme.TIE, baseline.colour), strict=True
        )
    ]
    y = _size_axis(primary_size)
    x = alt.X("x:Q", scale=alt.Scale(domain=[0, width], nice=False), axis=None)
    data = datasets.rows(bars)
    heads = ("fewer", "tie", "more")
    head_rows = datasets.rows(
        [{"x": start, "text": text} for start, text in zip(starts, heads, strict=True)]
    )
    marked = (
        datasets.rows([{"size": primary_size}])
        .mark_rect(color=theme.MARK, height={"band": 1.35})
        .encode(y=y, x=alt.value(-34), x2=alt.value(width))
    )
    return alt.layer(
        marked,
        data.mark_bar().encode(y=y, x=x, x2="x2:Q", color=alt.Color("colour:N", scale=None)),
        head_rows.mark_rule(color=theme.RULE).encode(x="x:Q", y=alt.value(0), y2=alt.value(height)),
        data.mark_text(align="left", dx=4).encode(y=y, x="x2:Q", text="text:N"),
        head_rows.mark_text(align="left", baseline="bottom", color=theme.MUTED, dy=-5).encode(
            x="x:Q", y=alt.value(0), text="text:N"
        ),
    ).properties(
        width=width,
        height=height,
        title=parts.title("Search-work proxy" if proxy else "Pages", proxy=proxy, offset=24),
    )


def _size_axis(primary_size: int) -> Any:
    """A row a page size, the primary one in bold."""
    return alt.Y(
        "size:O",
        axis=alt.Axis(
            title=None, domain=False, ticks=False, labelPadding=8, labelColor=theme.INK,
            labelExpr="format(datum.value, ',d')",
            labelFontWeight=alt.condition(
                f"datum.value == {primary_size}", alt.value("bold"), alt.value("normal")
            ),
        ),
        scale=alt.Scale(paddingInner=0.35, paddingOuter=0.15),
    )  # fmt: skip
