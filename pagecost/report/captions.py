"""What each figure found, in one sentence made from the record, and how to read it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pagecost.model import Group, Plan, Results
from pagecost.report import words
from pagecost.report.movers import Movers
from pagecost.report.tradeoffs import Plane
from pagecost.report.words import primary_change


class Caption(msgspec.Struct, frozen=True):
    """A figure's finding, how to read it, its limit, and what it shows for who can't see it."""

    finding: str
    reading: str
    limit: str
    alternative: str


def cost(plan: Plan, results: Results) -> Caption:
    """Cost against page size."""
    return Caption(
        finding=_cost_finding(plan, results),
        reading=_cost_reading(plan),
        limit=_with_not_found(
            "The proxy panel never leaves: pages are only shown beside the searches behind them.",
            plan,
            results,
        ),
        alternative="Two panels over page size: pages on the left, the search-work proxy on the "
        "right, a line a policy. Every value at a page size of the plan stands in table 1.",
    )


def _with_not_found(limit: str, plan: Plan, results: Results) -> str:
    """A limit, and what was not found: totals of truncated runs never stand without it."""
    missing = words.not_found(plan, results)
    return limit if missing is None else f"{limit} {missing}"


def _cost_finding(plan: Plan, results: Results) -> str:
    small, large = plan.page_sizes[0], plan.page_sizes[-1]
    name = words.subject(plan.policy(plan.primary_policy))
    if plan.primary_policy == plan.baseline:
        ours = results.overall.policy(plan.primary_policy)
        more = f", {words.number(ours.at(large).pages)} at {large:,}" if small != large else ""
        pages = words.count(ours.at(small).pages, "page")
        return f"With {name}, {pages} are requested at page size {small:,}{more}."

    def at(size: int, metric: str) -> str:
        return primary_change(plan, results.overall, size, metric).short

    searches = primary_change(plan, results.overall, small, "searches")
    if searches.difference is None:
        change = at(small, "pages")
        if small != large:
            candidates = words.count(small, "candidate")
            change = f"{change} at {candidates} a page, {at(large, 'pages')} at {large:,}"
        unknown = words.not_given(searches, name)
        return f"Against the baseline, {name} changes pages by {change}; {unknown}."
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
        return "One page size. Lower is better in both panels."
    shared = "Changes are drawn on one scale in both panels. " if len(plan.policies) > 1 else ""
    return (
        f"Marks are the plan’s {words.spelled(len(plan.page_sizes), 'page size')}. The line "
        "between them is counted from the same ranks at sizes that the plan does not name, and is "
        f"exploratory. {shared}Lower is better in both."
    )


def outcomes(plan: Plan, results: Results) -> Caption:
    """Who wins, who loses."""
    name = words.subject(plan.policy(plan.primary_policy))
    at = results.overall.policy(plan.primary_policy).at(plan.primary_page_size)
    queries = words.count(results.overall.queries, "query", "queries")
    searches = primary_change(plan, results.overall, plan.primary_page_size, "searches")
    proxy, drawn = f"; {words.not_given(searches, name)}.", "on pages alone"
    if at.on_searches is not None:
        drawn = "on pages and on the search-work proxy"
        losses = words.number(at.on_searches.loss)
        proxy = f", and {losses} take more searches (proxy) with {name}."
    return Caption(
        finding=f"At page size {plan.primary_page_size:,}, {words.number(at.on_pages.tie)} of "
        f"{queries} tie{'s' if at.on_pages.tie == 1 else ''} on pages{proxy}",
        reading=f"Queries on which {name} needs fewer, ties with, or needs more than the baseline, "
        f"by page size. All bars share one scale, 0 to {queries}.",
        limit=_with_not_found(_once(results), plan, results),
        alternative=f"Bars by page size: fewer, tie, more, {drawn}. The same counts stand in "
        "the table below.",
    )


def _once(results: Results) -> str:
    said = "A query counts once, however many pages it gains or loses; the sums stand in table 1."
    missed = any(one.not_found for one in results.overall.policies)
    return f"{said} {words.FOUND_FIRST}." if missed else said


def groups(plan: Plan, several: Sequence[Group]) -> Caption:
    """By repository and stratum."""
    size = plan.primary_page_size
    return Caption(
        finding=_group_finding(plan, several, size),
        reading="Solid: pages, counted. Dashed: searches, proxy. Both in per cent of the baseline; "
        f"values are printed at page size {size:,}.",
        limit="No interval over queries is shown: they are not independent draws.",
        alternative=f"Small multiples over page size, one a {words.unit(plan)} or stratum: change "
        "in pages and in searches. The values at the primary page size stand in the table below.",
    )


def _group_finding(plan: Plan, several: Sequence[Group], size: int) -> str:
    own = [group for group in several if group.by == "repository"] or list(several)

    def extent(metric: str) -> str:
        changes = sorted(
            (primary_change(plan, group, size, metric) for group in own),
            key=lambda change: change.percent or 0.0,
        )
        low, high = changes[0].short, changes[-1].short
        return f"by {low}" if low == high else f"by {low} to {high}"

    what = words.unit(plan) if own[0].by == "repository" else "group"
    where = f"From {what} to {what}" if len(own) > 1 else f"In the one {what}"
    return (
        f"{where}, pages change {extent('pages')} and searches (proxy) {extent('searches')} "
        f"at page size {size:,}."
    )


def ranks(plan: Plan, movers: Movers) -> Caption:
    """Where the change comes from."""
    name = words.subject(plan.policy(plan.primary_policy))
    size = plan.primary_page_size
    missed = any(cell.base is None or cell.ours is None for cell in movers.cells)
    return Caption(
        finding=f"Of {words.count(movers.queries, 'query', 'queries')}, "
        f"{words.number(movers.earlier)} {_have(movers.earlier)} their target earlier with {name} "
        f"than with the baseline, {words.number(movers.later)} later, "
        f"{words.number(movers.same)} at the same rank.",
        reading="Queries by the rank of their target on both sides. Stronger colour is more "
        "queries, in six steps; outlined cells are the same bin."
        + (f" Heavy rules: the end of page 1 at page size {size:,}." if movers.last > size else "")
        + (" The last row and column are targets that were not found." if missed else ""),
        limit="A rank is not a cost: an earlier one saves a page only where it crosses the end of "
        "one, and says nothing of searches.",
        alternative="A grid of counts: the target's rank under the baseline from left to right, "
        f"under {name} from the bottom up. Every query's ranks stand in the table of queries and "
        "in ranks.csv.",
    )


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def plane(at: Plane) -> Caption:
    """Policies in the cost plane."""
    unknown = [style.label for style in at.unknown]
    missing = (
        f" Without a place, since their searches were not given: {_joined(unknown)}."
        if unknown
        else ""
    )
    return Caption(
        finding=f"At page size {at.size:,}, {_plane_finding(at)}",
        reading="Pages are counted, searches are a proxy. Joined: policies that no other beats on "
        "pages and searches at once. Dotted: a whole number of searches a page. Axes do not start "
        "at zero.",
        limit="No line of equal total cost is drawn, since no exchange rate is measured. A policy "
        f"may be chosen for more than these two counts.{missing}",
        alternative="One point a policy: pages from left to right, searches from the bottom up. "
        "The counts stand in table 1.",
    )


def _plane_finding(at: Plane) -> str:
    best = [spot for spot in at.spots if spot.undominated]
    names = _joined([spot.style.label for spot in best])
    if len({(spot.pages, spot.searches) for spot in best}) == 1:
        verb = "needs" if len(best) == 1 else "need"
        return f"no policy needs fewer pages or searches (proxy) than {names} {verb}."
    if not at.beaten:
        return "no policy beats another on pages and searches (proxy) at once."
    return f"nothing is cheapest on both sides: {names} are beaten by no other."


def _joined(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
