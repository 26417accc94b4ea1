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
from pagecost.charts.draw import Drawer, inline
from pagecost.charts.parts import Drawing
from pagecost.charts.theme import Style
from pagecost.model import Group, Plan, RankTable, Results
from pagecost.policies import resolve, search_tiers
from pagecost.report import words
from pagecost.report.words import Change

_FINE_SIZES = 48
"""About how many page sizes a curve has between the smallest and the largest frozen one."""


class Figure(msgspec.Struct, frozen=True):
    """One figure: its anchor, what it found, how to read it, what it doesn't say, and drawings."""

    anchor: str
    number: int
    finding: str
    reading: str
    limit: str
    drawings: tuple[Markup, ...]


class CostFigure(msgspec.Struct, frozen=True):
    """The cost figure, with its specs by `<metric>-<scale>-<width>` and a note on its axis."""

    figure: Figure
    specs: dict[str, Any]
    linear: str | None


_WIDTHS = (("wide", False), ("narrow", True))
"""The style sheet's class, and whether the drawing is the narrow one."""


def _drawn(
    drawer: Drawer, specs: Mapping[str, Any], anchor: str, title: str, description: str
) -> tuple[Markup, ...]:
    return tuple(
        Markup(
            inline(
                drawer.svg(specs[width]),
                css_class=width,
                name=f"{anchor}-{width}",
                title=title,
                description=description,
            )
        )
        for width, _ in _WIDTHS
    )


# --- Cost against page size -----------------------------------------------------------------------


def curves(plan: Plan, table: RankTable, styles: Sequence[Style]) -> Curves:
    """Every policy at the frozen sizes and, exploratory, at sizes in between."""
    sizes = sorted({*plan.page_sizes, *fine_sizes(plan.page_sizes)})
    rankings = resolve(plan.policies)
    points = []
    for column in table.columns:
        tiers = search_tiers(rankings[column.policy])
        for size in sizes:
            pages = cost.pages(column.ranks, size, column.depth)
            points.append(
                Point(
                    policy=column.policy,
                    size=size,
                    pages=int(pages.sum()),
                    emitted=int(cost.emitted(pages, size, column.depth).sum()),
                    searches=int(cost.searches(pages, size, tiers).sum()),
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


def fine_sizes(page_sizes: Sequence[int]) -> list[int]:
    """Whole page sizes from the smallest to the largest, evenly spread on a logarithmic axis."""
    low, high = page_sizes[0], page_sizes[-1]
    if high - low < _FINE_SIZES:
        return list(range(low, high + 1))
    ratio = high / low
    return sorted({round(low * ratio ** (i / _FINE_SIZES)) for i in range(_FINE_SIZES + 1)})


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
    finding = _cost_finding(plan, results)
    drawings = _drawn(
        drawer,
        specs,
        "fig-cost",
        f"Figure 1. {finding}",
        "Two panels over page size: pages on the left, the search-work proxy on the right, a line "
        "a policy. Every value at a frozen page size stands in table 1.",
    )
    live = {name: spec for name, spec in specs.items() if "-" in name}
    linear = [METRICS[metric] for metric in axes if cost_chart.falls_back(curve, metric)]
    return CostFigure(
        figure=Figure(
            anchor="fig-cost",
            number=1,
            finding=finding,
            reading=_cost_reading(plan),
            limit="The proxy panel never leaves: a saving in pages is only shown beside what it "
            "takes in searches.",
            drawings=drawings,
        ),
        specs=live,
        linear=f"A logarithm has no zero: {', '.join(linear)} on a linear axis."
        if linear
        else None,
    )


def _cost_finding(plan: Plan, results: Results) -> str:
    small, large = plan.page_sizes[0], plan.page_sizes[-1]
    name = words.subject(plan.policy(plan.primary_policy))
    ours = results.overall.policy(plan.primary_policy)
    base = results.overall.policy(plan.baseline)
    if plan.primary_policy == plan.baseline:
        return (
            f"{words.capital(name)} needs {words.number(ours.at(small).pages)} pages at page "
            f"size {small:,}, {words.number(ours.at(large).pages)} at {large:,}."
        )

    def at(size: int, metric: str) -> str:
        return Change(getattr(base.at(size), metric), getattr(ours.at(size), metric)).short

    if small == large:
        return (
            f"Against the baseline, {name} changes pages by {at(small, 'pages')} and searches "
            f"(proxy) by {at(small, 'searches')}."
        )
    return (
        f"From {small:,} to {large:,} candidates a page, the change that {name} brings goes from "
        f"{at(small, 'pages')} to {at(large, 'pages')} in pages, and from {at(small, 'searches')} "
        f"to {at(large, 'searches')} in searches (proxy)."
    )


def _cost_reading(plan: Plan) -> str:
    if len(plan.page_sizes) == 1:
        return "One frozen page size. Lower is better in both panels."
    return (
        f"Marks are the {words.spelled(len(plan.page_sizes), 'frozen page size')}. The line "
        "between them is counted from the same ranks at sizes that the plan does not name, and is "
        "exploratory. Changes are drawn on one scale in both panels; lower is better in both."
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
            pages=(row.on_pages.win, row.on_pages.tie, row.on_pages.loss),
            searches=(row.on_searches.win, row.on_searches.tie, row.on_searches.loss),
        )
        for row in ours.costs
    ]
    name = words.subject(plan.policy(plan.primary_policy))
    at = ours.at(plan.primary_page_size)
    total = results.overall.queries
    finding = (
        f"At page size {plan.primary_page_size:,}, {words.number(at.on_pages.tie)} of "
        f"{words.count(total, 'query', 'queries')} take as many pages either way, and "
        f"{words.number(at.on_searches.loss)} take more searches (proxy) with {name}."
    )
    style, base = styles[plan.primary_policy], styles[plan.baseline]
    primary = plan.primary_page_size
    specs = drawer.specs(
        ("outcomes", tallies, style, base, primary),
        lambda: {
            width: outcomes_chart.figure(tallies, style, base, primary, narrow=narrow)
            for width, narrow in _WIDTHS
        },
    )
    return Figure(
        anchor="fig-wins",
        number=2,
        finding=finding,
        reading=f"Queries on which {name} needs fewer, as many, or more than the baseline, by page "
        f"size. All bars share one scale, 0 to {words.count(total, 'query', 'queries')}.",
        limit="A query counts once, however many pages it gains or loses; the sums stand in "
        "table 1.",
        drawings=_drawn(
            drawer,
            specs,
            "fig-wins",
            f"Figure 2. {finding}",
            "Two groups of bars by page size: fewer, as many, more, on pages and on the "
            "search-work proxy. The same counts stand in table 2.",
        ),
    )


# --- By repository and stratum --------------------------------------------------------------------


def group_figure(
    plan: Plan, groups: Sequence[tuple[str, Group]], styles: dict[str, Style], drawer: Drawer
) -> Figure:
    """Figure 3: the primary policy against the baseline, a panel a group."""
    panels = [
        groups_chart.Panel(
            name=name,
            queries=group.queries,
            changes=[
                groups_chart.Change(
                    size=size,
                    pages=Change(base.pages, ours.pages).percent,
                    searches=Change(base.searches, ours.searches).percent,
                )
                for size in plan.page_sizes
                for base, ours in (
                    (
                        group.policy(plan.baseline).at(size),
                        group.policy(plan.primary_policy).at(size),
                    ),
                )
            ],
        )
        for name, group in groups
    ]
    finding = _group_finding(plan, [group for _, group in groups])
    style, sizes = styles[plan.primary_policy], plan.page_sizes
    primary = plan.primary_page_size
    specs = drawer.specs(
        ("groups", panels, style, sizes, primary),
        lambda: {
            width: groups_chart.figure(panels, style, sizes, primary, narrow=narrow)
            for width, narrow in _WIDTHS
        },
    )
    return Figure(
        anchor="fig-groups",
        number=3,
        finding=finding,
        reading="Solid: pages, counted. Dashed: searches, proxy. Both in per cent of the baseline; "
        f"values are printed at page size {primary:,}.",
        limit="No interval over queries is shown: they are not independent draws.",
        drawings=_drawn(
            drawer,
            specs,
            "fig-groups",
            f"Figure 3. {finding}",
            "Small multiples over page size, one a repository or stratum: change in pages and in "
            "searches. The values at the primary page size stand in table 4.",
        ),
    )


def _group_finding(plan: Plan, groups: Sequence[Group]) -> str:
    size = plan.primary_page_size
    own = [group for group in groups if group.by == "repository"] or list(groups)

    def extent(metric: str) -> str:
        changes = sorted(
            (
                Change(
                    getattr(group.policy(plan.baseline).at(size), metric),
                    getattr(group.policy(plan.primary_policy).at(size), metric),
                )
                for group in own
            ),
            key=lambda change: change.percent or 0.0,
        )
        low, high = changes[0].short, changes[-1].short
        return f"by {low}" if low == high else f"by {low} to {high}"

    what = "repository" if own[0].by == "repository" else "group"
    where = f"From {what} to {what}" if len(own) > 1 else f"In the one {what}"
    return (
        f"{where}, pages change {extent('pages')} and searches (proxy) {extent('searches')} "
        f"at page size {size:,}."
    )
