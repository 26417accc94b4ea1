"""The figure of a compare page: each version's change against its own baseline, side by side."""

from __future__ import annotations

from pagecost.charts.draw import Drawer
from pagecost.charts.groups import Change as PanelChange
from pagecost.charts.groups import Panel
from pagecost.charts.theme import Style
from pagecost.diff.records import Diff
from pagecost.report import diffwords
from pagecost.report.captions import Caption
from pagecost.report.figure import Figure
from pagecost.report.figures import panel_figure
from pagecost.report.words import Change, number


def change_figure(diff: Diff, styles: tuple[Style, Style], drawer: Drawer) -> Figure | None:
    """Each version's primary policy against its own baseline; None where nothing is shared."""
    size = diff.primary_page_size
    ours, base = diff.shared(diff.headline), diff.shared(diff.baseline)
    if size is None or ours is None or base is None:
        return None

    def own(one: int, metric: str) -> tuple[Change, Change]:
        return diffwords.own_changes(ours.at(one), base.at(one), metric)

    names = diffwords.names(diff)

    def panels(metric: str) -> list[Panel]:
        return [
            Panel(
                name=f"{name}: {style.label}",
                queries=queries or 0,
                style=style,
                changes=[
                    PanelChange(
                        size=one,
                        counted=own(one, metric)[place].percent,
                        searches=own(one, "searches")[place].percent,
                    )
                    for one in diff.page_sizes
                ],
            )
            for place, (name, style, queries) in enumerate(
                zip(names, styles, (ours.queries.a, ours.queries.b), strict=True)
            )
        ]

    caption = _caption(size, names, own(size, "pages"), own(size, "searches"))
    both = {metric: panels(metric) for metric in ("pages", "emitted")}
    return panel_figure(drawer, "fig-change", 1, caption, both, diff.page_sizes, size)


def _caption(
    size: int,
    names: tuple[str, str],
    pages: tuple[Change, Change],
    searches: tuple[Change, Change],
) -> Caption:
    said = [
        f"{name} changes pages by {one.short} and searches (proxy) by {other.short}"
        for name, one, other in zip(names, pages, searches, strict=True)
    ]
    return Caption(
        finding=f"At page size {number(size)}, each against its own baseline: {'; '.join(said)}.",
        reading="Solid: pages, counted. Dashed: searches, proxy. Both in per cent of the baseline, "
        "over the queries that both versions have, on one scale. Lower is better.",
        limit="The baseline orders alike on both sides; over another corpus it has other ranks.",
        alternative="Two panels over page size, one a version: change in pages and in searches "
        "against the baseline. The counts stand in table 3.",
    )
