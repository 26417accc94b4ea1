"""The figure of a compare page: each version's change against its own baseline, side by side."""

from __future__ import annotations

from pagecost.charts.draw import Drawer
from pagecost.charts.groups import Change as PanelChange
from pagecost.charts.groups import Panel
from pagecost.charts.theme import Style
from pagecost.diff.records import Diff, SizeRow
from pagecost.report import diffwords
from pagecost.report.captions import Caption
from pagecost.report.figures import Figure, panel_figure
from pagecost.report.words import Change, number


def change_figure(diff: Diff, styles: tuple[Style, Style], drawer: Drawer) -> Figure | None:
    """Each version's primary policy against its own baseline; None where nothing is shared."""
    size, ours = diff.primary_page_size, diffwords.primary_figures(diff)
    if ours is None or size is None:
        return None
    base = diffwords.shared_figures(diff, diff.baseline) if diff.baseline else None
    if base is None:
        return None
    names = diffwords.names(diff)
    panels = [
        Panel(
            name=f"{name}: {style.label}",
            queries=getattr(ours.queries, side),
            style=style,
            changes=[_panel_change(base.at(one), ours.at(one), side) for one in diff.page_sizes],
        )
        for side, name, style in zip(("a", "b"), names, styles, strict=True)
    ]
    caption = _caption(base.at(size), ours.at(size), names)
    return panel_figure(drawer, "fig-change", 1, caption, panels, diff.page_sizes, size)


def _change(base: SizeRow, ours: SizeRow, metric: str, side: str) -> Change:
    """One side's change against its own baseline."""
    return Change(getattr(getattr(base, metric), side), getattr(getattr(ours, metric), side))


def _panel_change(base: SizeRow, ours: SizeRow, side: str) -> PanelChange:
    return PanelChange(
        size=ours.page_size,
        pages=_change(base, ours, "pages", side).percent,
        searches=_change(base, ours, "searches", side).percent,
    )


def _caption(base: SizeRow, ours: SizeRow, names: tuple[str, str]) -> Caption:
    said = [
        f"{name} changes pages by {_change(base, ours, 'pages', side).short} and searches (proxy) "
        f"by {_change(base, ours, 'searches', side).short}"
        for side, name in zip(("a", "b"), names, strict=True)
    ]
    return Caption(
        finding=f"At page size {number(ours.page_size)}, each against its own baseline: "
        f"{'; '.join(said)}.",
        reading="Solid: pages, counted. Dashed: searches, proxy. Both in per cent of the baseline, "
        "over the queries that both versions have, on one scale. Lower is better.",
        limit="The baseline orders alike on both sides; over another corpus it has other ranks.",
        alternative="Two panels over page size, one a version: change in pages and in searches "
        "against the baseline. The counts stand in table 3.",
    )
