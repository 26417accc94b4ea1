"""The record in other formats: the published schema of experiment 12, and costs as a CSV."""

from __future__ import annotations

import json
from collections.abc import Callable

from pagecost import csvio
from pagecost.errors import InputError
from pagecost.model import PageCost, Plan, Results


def results_12(plan: Plan, results: Results) -> bytes:
    """The schema of the published `results-12.json`: one helper against one baseline, by page size.

    The helper is the plan's primary policy. InputError where a query was not found, which that
    schema has no word for.
    """
    base = results.overall.policy(plan.baseline)
    helper = results.overall.policy(plan.primary_policy)
    if base.not_found or helper.not_found:
        raise InputError(f"{plan.key}: results-12 has no word for queries that are not found")

    def row(size: int) -> dict[str, int]:
        ours, theirs = helper.at(size), base.at(size)
        if ours.on_searches is None or ours.searches is None or theirs.searches is None:
            raise InputError(f"{plan.key}: results-12 needs searches, which were not given")
        return {
            "PageSize": size,
            "Questions": results.overall.queries,
            "BaselinePages": theirs.pages,
            "HelperPages": ours.pages,
            "BaselineEmitted": theirs.emitted,
            "HelperEmitted": ours.emitted,
            "PageWins": ours.on_pages.win,
            "PageLosses": ours.on_pages.loss,
            "PageTies": ours.on_pages.tie,
            "BaselineWorkProxy": theirs.searches,
            "HelperWorkProxy": ours.searches,
            "WorkWins": ours.on_searches.win,
            "WorkLosses": ours.on_searches.loss,
            "WorkTies": ours.on_searches.tie,
        }

    record = {
        "Questions": results.overall.queries,
        "Candidates": results.corpus.documents,
        "PrimaryPageSize": plan.primary_page_size,
        "Costs": [row(size) for size in results.page_sizes],
        # The schema's own field: no experiment here was shown ready for production.
        "ProductionReady": False,
    }
    return (json.dumps(record, indent=2) + "\n").encode("ascii")


_RULE = "Found counts as fewer than not found, and two not found tie, whatever they cost."
COST_COLUMNS: tuple[tuple[str, str, str], ...] = (
    ("group_by", "string", "Which queries are counted: all, one repository's, or one stratum's."),
    ("group", "string", "The repository or stratum; `all` for all queries."),
    ("policy", "string", "The ranking policy."),
    ("page_size", "integer", "Candidates a page."),
    ("queries", "integer", "Queries in the group."),
    ("not_found", "integer", "Queries whose target is not among the candidates delivered."),
    (
        "pages",
        "integer",
        "Counted: pages requested until the target, summed; where it is not found, all that were "
        "delivered, at least one. Lower is better.",
    ),
    ("emitted", "integer", "Counted: candidates on those pages, summed. Lower is better."),
    ("searches", "integer", "Proxy: index searches behind those pages. Searches, not time."),
    (
        "page_wins",
        "integer",
        f"Queries on which the policy needs fewer pages than the baseline. {_RULE}",
    ),
    ("page_losses", "integer", f"Queries on which it needs more. {_RULE}"),
    ("page_ties", "integer", f"Queries on which it needs as many. {_RULE}"),
    ("search_wins", "integer", f"Queries on which it needs fewer searches (proxy). {_RULE}"),
    ("search_losses", "integer", f"Queries on which it needs more searches (proxy). {_RULE}"),
    ("search_ties", "integer", f"Queries on which it needs as many searches (proxy). {_RULE}"),
)
"""Name, CSV on the Web datatype, and what the column says and doesn't."""


UNJUDGED = (
    "unjudged",
    "integer",
    "Counted: candidates on those pages that nobody judged, summed. Not the same as not relevant.",
)


def cost_columns(results: Results) -> tuple[tuple[str, str, str], ...]:
    """The columns of a record's costs: with judgments, one more."""
    judged = results.overall.policies[0].costs[0].unjudged is not None
    return (*COST_COLUMNS, UNJUDGED) if judged else COST_COLUMNS


def costs_csv(_plan: Plan, results: Results) -> bytes:
    """Every count of the record, one row a group, policy and page size; empty where not given."""
    columns = cost_columns(results)
    lines = [csvio.line(name for name, _, _ in columns)]
    for group in results.groups:
        for result in group.policies:
            for cost in result.costs:
                start = (group.by, group.name, result.policy, cost.page_size)
                counts = (group.queries, result.not_found, *_counts(cost))
                values = ("" if count is None else count for count in counts[: len(columns) - 4])
                lines.append(csvio.line((*start, *values)))
    return "".join(lines).encode("utf-8")


def _counts(cost: PageCost) -> tuple[int | None, ...]:
    pages, searches = cost.on_pages, cost.on_searches
    return (
        cost.pages, cost.emitted, cost.searches, pages.win, pages.loss, pages.tie,
        *((searches.win, searches.loss, searches.tie) if searches else (None, None, None)),
        cost.unjudged,
    )  # fmt: skip


FORMATS: dict[str, Callable[[Plan, Results], bytes]] = {
    "results-12": results_12,
    "costs-csv": costs_csv,
}
"""What `pagecost export --format` knows."""
