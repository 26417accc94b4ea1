"""What a version's report is called, and what is said of it in one breath, wherever that is."""

from __future__ import annotations

from pagecost.model import Plan, Results
from pagecost.report import words
from pagecost.versions import Version


def title_of(plan: Plan, results: Results | None) -> str:
    """Name, kind and both sides of the trade: for a page's title, a feed, a bibliography."""
    if results is None:
        state = "draft plan" if plan.is_draft else "plan frozen, not scored"
        return f"{plan.experiment} {plan.version}: {state}"
    name = f"{plan.experiment} {plan.version} ({plan.kind})"
    if plan.primary_policy == plan.baseline:
        return f"{name}: {plan.title}"
    pages, searches = (
        words.counted(words.primary_change(plan, results.overall, plan.primary_page_size, metric))
        for metric in ("pages", "searches")
    )
    missed = ""
    if (change := words.missing(plan, results)) is not None:
        missed = f", not found {words.number(change.base)} → {words.number(change.ours)}"
    return f"{name}: {pages} pages, {searches} searches (proxy){missed}"


def description_of(plan: Plan, results: Results | None) -> str:
    """The headline and its caveat, then whose they are: no two versions have the same."""
    caveat = " ".join(plan.caveat.split())
    name = f"{words.capital(plan.kind)}, version {plan.version} of {plan.experiment}"
    return f"{words.standing(plan, results)} {caveat} ({name}.)"


def results_of(version: Version) -> Results | None:
    """A version's results, where it has a record."""
    return None if version.record is None else version.record.results
