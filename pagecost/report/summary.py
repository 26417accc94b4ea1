"""The report as Markdown, to be pasted into a pull request: headline, table, caveats, links."""

from __future__ import annotations

from collections.abc import Iterator

from pagecost.prose import escape, plain
from pagecost.report import words
from pagecost.report.page import ReportPage
from pagecost.report.scores import Scores
from pagecost.report.words import number


def summary(page: ReportPage, site_url: str | None) -> bytes:
    """`summary.md`. Links are whole where the site's address is known, else left out."""
    return ("\n".join(_lines(page, site_url)) + "\n").encode("utf-8")


def _lines(page: ReportPage, site_url: str | None) -> Iterator[str]:
    plan = page.plan
    yield f"## {escape(plan.experiment)} {escape(plan.version)} ({page.kind})"
    yield ""
    if page.state == "draft":
        yield f"**{words.DRAFT}**"
    elif page.scores is None:
        yield f"**{words.UNSCORED}**"
    else:
        yield "".join(
            f"**{escape(piece.text)}**" if piece.strong else escape(piece.text)
            for piece in page.heading
        )
    yield ""
    yield f"*{escape(plan.caveat)}*"
    yield ""
    if page.scores is not None:
        for note in page.scores.notes:
            yield escape(note)
            yield ""
        yield from _table(page, page.scores)
    if page.gates:
        yield "**Gates**, frozen with the plan" if page.state != "draft" else "**Gates**"
        yield ""
        for gate in page.gates:
            yield f"- {gate.decision}: {escape(gate.name)}: {escape(words.gate_said(gate))}"
        yield ""
    for title, statements in (
        ("Not measured", plan.not_measured),
        ("Assumed", plan.assumptions),
        ("Measured", plan.measured),
    ):
        yield f"**{title}**"
        yield ""
        yield from (f"- {escape(plain(statement))}" for statement in statements)
        yield ""
    yield f"Plan `{page.digest[:12]}`, {escape(plan.date)}. {page.kind_said}"
    if site_url is not None:
        address = f"{site_url}{plan.experiment}/{plan.version}/"
        yield ""
        costs = f" · [costs.csv]({address}costs.csv)" if page.scores is not None else ""
        yield f"[Report]({address}){costs} · [plan]({address}plan.json)"


def _table(page: ReportPage, scores: Scores) -> Iterator[str]:
    missing = any(row.not_found for block in scores.blocks for row in block.rows)
    columns = "| Page size | Policy | Pages | Change | Searches (proxy) | Change |"
    yield columns + missing * " Not found |"
    yield "|---:|---|---:|---:|---:|---:|" + missing * "---:|"
    for block in scores.blocks:
        for row in block.rows:
            if not (row.is_baseline or row.is_primary):
                continue
            size = f"**{block.size:,}**" if block.is_primary else f"{block.size:,}"
            yield (
                f"| {size} | {escape(row.style.label)} | {number(row.pages.ours)} "
                f"| {row.pages.short} | {number(row.searches.ours)} | {row.searches.short} |"
                + missing
                * f" {number(row.not_found)} |"
            )
    queries = words.count(scores.results.overall.queries, "query", "queries")
    yield ""
    yield (
        "Lower is better. Pages are counted; searches are a proxy: searches, not time. All "
        f"policies and groups stand in costs.csv. {queries}."
    )
    yield ""
