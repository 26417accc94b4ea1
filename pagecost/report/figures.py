"""The figures of a report: what each shows, and what can be chosen in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pagecost import cost
from pagecost.charts import cost as cost_chart
from pagecost.charts import groups as groups_chart
from pagecost.charts import outcomes as outcomes_chart
from pagecost.charts import plane as plane_chart
from pagecost.charts import ranks as ranks_chart
from pagecost.charts.cost import METRICS, Curves, Metric, Point, Scale
from pagecost.charts.draw import ROW_CAP, Drawer
from pagecost.charts.groups import Panel
from pagecost.charts.parts import Drawing
from pagecost.charts.theme import Style
from pagecost.model import Group, Outcomes, Plan, RankTable, Results
from pagecost.policies import resolve, search_tiers
from pagecost.report import captions, words
from pagecost.report.captions import Caption
from pagecost.report.figure import Control, Figure, Option, draw
from pagecost.report.movers import Movers
from pagecost.report.tradeoffs import Plane
from pagecost.report.words import primary_change

_WHOLE_SPAN = 100
_MOST_POINTS = ROW_CAP * 9 // 10
_FINE_SIZES = 48
"""Every whole page size is drawn over a span up to the first; else about as many as the second."""

_COUNTED = Control(
    "metric",
    "Counted",
    (Option("pages", METRICS["pages"]), Option("emitted", METRICS["emitted"])),
)
_SCALE = Control(
    "scale",
    "Scale",
    (Option("relative", "Relative to baseline"), Option("absolute", "Absolute, log")),
)


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


def cost_figure(number: int, plan: Plan, results: Results, curve: Curves, drawer: Drawer) -> Figure:
    """Cost against page size, relative to the baseline where there is something to compare."""
    several = len(plan.policies) > 1
    linear = [name for metric, name in METRICS.items() if cost_chart.falls_back(curve, metric)]
    notes = [f"A logarithm has no zero: {', '.join(linear)} on a linear axis."] if linear else []

    def make(chosen: Sequence[str], narrow: bool) -> Drawing:
        metric, scale = chosen if several else (*chosen, "absolute")
        return cost_chart.figure(curve, cast(Metric, metric), cast(Scale, scale), narrow=narrow)

    return draw(
        drawer,
        "fig-cost",
        number,
        captions.cost(plan, results),
        curve,
        make,
        (_COUNTED, _SCALE) if several else (_COUNTED,),
        has_key=several,
        notes=notes,
    )


# --- Who wins, who loses --------------------------------------------------------------------------


def outcome_figure(
    number: int, plan: Plan, results: Results, styles: dict[str, Style], drawer: Drawer
) -> Figure:
    """Each policy against the baseline, query by query; the primary one first."""
    names = [policy.name for policy in plan.policies if policy.name != plan.baseline]
    names.sort(key=lambda name: name != plan.primary_policy)
    tallies = {name: _tallies(results, name) for name in names}
    base, primary = styles[plan.baseline], plan.primary_page_size
    options = tuple(Option(str(place), styles[name].label) for place, name in enumerate(names))

    def make(chosen: Sequence[str], narrow: bool) -> Drawing:
        name = names[int(chosen[0]) if chosen else 0]
        return outcomes_chart.figure(tallies[name], styles[name], base, primary, narrow=narrow)

    return draw(
        drawer,
        "fig-wins",
        number,
        captions.outcomes(plan, results),
        (list(tallies.items()), [styles[name] for name in names], base, primary),
        make,
        (Control("policy", "Against the baseline", options),) if len(names) > 1 else (),
    )


def _tallies(results: Results, policy: str) -> list[outcomes_chart.Tally]:
    return [
        outcomes_chart.Tally(
            size=row.page_size,
            pages=_tally(row.on_pages),
            searches=_tally(row.on_searches) if row.on_searches else None,
        )
        for row in results.overall.policy(policy).costs
    ]


def _tally(found: Outcomes) -> tuple[int, int, int]:
    return (found.win, found.tie, found.loss)


# --- Where the change comes from ------------------------------------------------------------------


def rank_figure(number: int, plan: Plan, movers: Movers, drawer: Drawer) -> Figure:
    """The primary policy's ranks against the baseline's."""
    names = (words.subject(plan.policy(name)) for name in (plan.baseline, plan.primary_policy))
    ranks = ranks_chart.Ranks(movers.cells, plan.primary_page_size, movers.last, *names)
    return draw(
        drawer,
        "fig-ranks",
        number,
        captions.ranks(plan, movers),
        ranks,
        lambda chosen, narrow: ranks_chart.figure(ranks, narrow=narrow),
    )


# --- By repository and stratum --------------------------------------------------------------------


def group_figure(
    number: int,
    plan: Plan,
    groups: Sequence[tuple[str, Group]],
    styles: dict[str, Style],
    drawer: Drawer,
) -> Figure:
    """The primary policy against the baseline, a panel a group."""

    def panels(metric: str) -> list[Panel]:
        return [
            Panel(
                name=name,
                queries=group.queries,
                style=styles[plan.primary_policy],
                changes=[
                    groups_chart.Change(
                        size=size,
                        counted=primary_change(plan, group, size, metric).percent,
                        searches=primary_change(plan, group, size, "searches").percent,
                    )
                    for size in plan.page_sizes
                ],
            )
            for name, group in groups
        ]

    caption = captions.groups(plan, [group for _, group in groups])
    sizes = (plan.page_sizes, plan.primary_page_size)
    both = {option.value: panels(option.value) for option in _COUNTED.options}
    return panel_figure(drawer, "fig-groups", number, caption, both, *sizes)


def panel_figure(
    drawer: Drawer,
    anchor: str,
    number: int,
    caption: Caption,
    panels: Mapping[str, Sequence[Panel]],
    sizes: Sequence[int],
    primary: int,
) -> Figure:
    """Changes by page size, a panel a group or version; `panels` by what is counted in them."""

    def make(chosen: Sequence[str], narrow: bool) -> Drawing:
        metric = chosen[0] if chosen else next(iter(panels))
        called = METRICS[cast(Metric, metric)].lower()
        return groups_chart.figure(panels[metric], sizes, primary, narrow=narrow, counted=called)

    inputs = (list(panels.items()), sizes, primary)
    controls = (_COUNTED,) if len(panels) > 1 else ()
    return draw(drawer, anchor, number, caption, inputs, make, controls)


# --- Policies in the cost plane -------------------------------------------------------------------


def plane_figure(number: int, plan: Plan, planes: Sequence[Plane], drawer: Drawer) -> Figure:
    """Pages against searches, a point a policy, at each page size; the primary size first."""
    options = tuple(Option(str(plane.size), words.number(plane.size)) for plane in planes)
    by_size = {str(plane.size): plane for plane in planes}
    first = by_size[str(plan.primary_page_size)]

    def make(chosen: Sequence[str], narrow: bool) -> Drawing:
        at = by_size[chosen[0]] if chosen else first
        return plane_chart.figure(at.spots, narrow=narrow)

    return draw(
        drawer,
        "fig-plane",
        number,
        captions.plane(first),
        [(size, plane.spots) for size, plane in by_size.items()],
        make,
        (Control("size", "Candidates a page", options, str(first.size)),)
        if len(options) > 1
        else (),
        has_key=True,
    )
