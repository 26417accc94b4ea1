"""The figures of a report: what each shows, drawn wide and narrow, and its interactive specs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from markupsafe import Markup

from pagecost import cost
from pagecost.charts import cost as cost_chart
from pagecost.charts import groups as groups_chart
from pagecost.charts import outcomes as outcomes_chart
from pagecost.charts.cost import METRICS, Curves, Point
from pagecost.charts.draw import ROW_CAP, Drawer, inline
from pagecost.charts.groups import Panel
from pagecost.charts.parts import Drawing
from pagecost.charts.theme import Style
from pagecost.model import Group, Outcomes, Plan, RankTable, Results
from pagecost.policies import resolve, search_tiers
from pagecost.report import captions
from pagecost.report.captions import Caption
from pagecost.report.words import primary_change

_WHOLE_SPAN = 100
_MOST_POINTS = ROW_CAP * 9 // 10
_FINE_SIZES = 48
"""Every whole page size is drawn over a span up to the first; else about as many as the second."""


class Figure(msgspec.Struct, frozen=True):
    """One figure: its anchor, number and caption, drawn wide and narrow."""

    anchor: str
    number: int
    caption: Caption
    drawings: tuple[Markup, ...]


class CostFigure(msgspec.Struct, frozen=True):
    """The cost figure, with its specs by `<metric>-<scale>-<width>` and a note on its axis."""

    figure: Figure
    specs: dict[str, Any]
    linear: str | None


_WIDTHS = (("wide", False), ("narrow", True))
"""The style sheet's class, and whether the drawing is the narrow one."""


def _figure(
    drawer: Drawer, anchor: str, number: int, caption: Caption, specs: Mapping[str, Any]
) -> Figure:
    """A figure whose specs by width are drawn for the page."""
    drawings = (
        inline(
            drawer.svg(specs[width]),
            css_class=width,
            name=f"{anchor}-{width}",
            title=f"Figure {number}. {caption.finding}",
            description=caption.alternative,
        )
        for width, _ in _WIDTHS
    )
    return Figure(anchor, number, caption, tuple(map(Markup, drawings)))


# --- Cost against page size -----------------------------------------------------------------------


def curves(plan: Plan, table: RankTable, styles: Sequence[Style]) -> Curves:
    """Every policy at the frozen sizes and, exploratory, at sizes in between."""
    # A figure has a bound on its rows, so that many policies are drawn at fewer sizes.
    most = _MOST_POINTS // len(plan.policies) - len(plan.page_sizes)
    sizes = sorted({*plan.page_sizes, *fine_sizes(plan.page_sizes, most)})
    rankings = resolve(plan.policies)
    points = []
    for column in table.columns:
        tiers = search_tiers(rankings[column.policy])
        for size in sizes:
            pages = cost.pages(column.ranks, size, column.depth)
            searches = None
            if tiers is not None:
                searches = int(cost.searches(pages, size, tiers, column.depth).sum())
            points.append(
                Point(
                    policy=column.policy,
                    size=size,
                    pages=int(pages.sum()),
                    emitted=int(cost.emitted(pages, size, column.depth).sum()),
                    searches=searches,
                    frozen=size in plan.page_sizes,
                )
            )
    return Curves(
        points=points,
        styles=styles,
        baseline=plan.baseline,
        sizes=plan.page_sizes,
        primary_size=plan.primary_page_size,
    )


def fine_sizes(page_sizes: Sequence[int], most: int) -> list[int]:
    """Whole page sizes from the smallest to the largest, `most` at the most.

    All of them over a short span, else evenly spread on a logarithmic axis.
    """
    low, high = page_sizes[0], page_sizes[-1]
    if high - low <= min(_WHOLE_SPAN, most - 1):
        return list(range(low, high + 1))
    steps = min(_FINE_SIZES, most - 1)
    return sorted({round(low * (high / low) ** (step / steps)) for step in range(steps + 1)})


def cost_figure(plan: Plan, results: Results, curve: Curves, drawer: Drawer) -> CostFigure:
    """Figure 1. Relative to the baseline where there is something to compare."""
    several = len(plan.policies) > 1
    scales: tuple[cost_chart.Scale, ...] = ("relative", "absolute") if several else ("absolute",)
    metrics: tuple[cost_chart.Metric, ...] = ("pages", "emitted")
    axes: tuple[cost_chart.Metric, ...] = (*metrics, "searches")

    def make() -> dict[str, Drawing]:
        made = {
            f"{metric}-{scale}-{width}": cost_chart.figure(
                curve, metric, scale, narrow=narrow, interactive=True
            )
            for metric in metrics
            for scale in scales
            for width, narrow in _WIDTHS
        }
        for width, narrow in _WIDTHS:
            made[width] = cost_chart.figure(
                curve, "pages", scales[0], narrow=narrow, interactive=False
            )
        return made

    specs = drawer.specs(("cost", curve), make)
    linear = [METRICS[metric] for metric in axes if cost_chart.falls_back(curve, metric)]
    note = f"A logarithm has no zero: {', '.join(linear)} on a linear axis." if linear else None
    return CostFigure(
        figure=_figure(drawer, "fig-cost", 1, captions.cost(plan, results), specs),
        specs={name: spec for name, spec in specs.items() if "-" in name},
        linear=note,
    )


# --- Who wins, who loses --------------------------------------------------------------------------


def outcome_figure(
    plan: Plan, results: Results, styles: dict[str, Style], drawer: Drawer
) -> Figure:
    """Figure 2: the primary policy against the baseline, query by query."""
    ours = results.overall.policy(plan.primary_policy)
    tallies = [
        outcomes_chart.Tally(
            size=row.page_size,
            pages=_tally(row.on_pages),
            searches=_tally(row.on_searches) if row.on_searches else None,
        )
        for row in ours.costs
    ]
    style, base = styles[plan.primary_policy], styles[plan.baseline]
    primary = plan.primary_page_size
    specs = drawer.specs(
        ("outcomes", tallies, style, base, primary),
        lambda: {
            width: outcomes_chart.figure(tallies, style, base, primary, narrow=narrow)
            for width, narrow in _WIDTHS
        },
    )
    return _figure(drawer, "fig-wins", 2, captions.outcomes(plan, results), specs)


def _tally(found: Outcomes) -> tuple[int, int, int]:
    return (found.win, found.tie, found.loss)


# --- By repository and stratum --------------------------------------------------------------------


def group_figure(
    plan: Plan, groups: Sequence[tuple[str, Group]], styles: dict[str, Style], drawer: Drawer
) -> Figure:
    """Figure 3: the primary policy against the baseline, a panel a group."""
    panels = [
        Panel(
            name=name,
            queries=group.queries,
            style=styles[plan.primary_policy],
            changes=[
                groups_chart.Change(
                    size=size,
                    pages=primary_change(plan, group, size, "pages").percent,
                    searches=primary_change(plan, group, size, "searches").percent,
                )
                for size in plan.page_sizes
            ],
        )
        for name, group in groups
    ]
    caption = captions.groups(plan, [group for _, group in groups])
    sizes = (plan.page_sizes, plan.primary_page_size)
    return panel_figure(drawer, "fig-groups", 3, caption, panels, *sizes)


def panel_figure(
    drawer: Drawer,
    anchor: str,
    number: int,
    caption: Caption,
    panels: Sequence[Panel],
    sizes: Sequence[int],
    primary: int,
) -> Figure:
    """Changes in pages and in searches by page size, a panel a group or version."""
    specs = drawer.specs(
        ("groups", panels, sizes, primary),
        lambda: {
            width: groups_chart.figure(panels, sizes, primary, narrow=narrow)
            for width, narrow in _WIDTHS
        },
    )
    return _figure(drawer, anchor, number, caption, specs)
