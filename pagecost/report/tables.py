"""The tables of a report, as rows of plain values."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from pagecost import cost
from pagecost.charts.theme import Style
from pagecost.model import NOT_FOUND, Group, Outcomes, Plan, Quality, RankTable, Results
from pagecost.report.words import Change, primary_change


class CostRow(msgspec.Struct, frozen=True):
    """One policy at one page size, each count with the baseline's at the same size."""

    style: Style
    is_baseline: bool
    is_primary: bool
    pages: Change
    emitted: Change
    searches: Change
    not_found: int


class SizeBlock(msgspec.Struct, frozen=True):
    """All policies at one page size."""

    size: int
    is_primary: bool
    rows: tuple[CostRow, ...]


class OutcomeRow(msgspec.Struct, frozen=True):
    """The primary policy against the baseline at one page size."""

    size: int
    is_primary: bool
    pages: Outcomes
    searches: Outcomes | None


class QualityRow(msgspec.Struct, frozen=True):
    """Where the first target stands under one policy."""

    style: Style
    is_primary: bool
    quality: Quality
    not_found: int


class GroupRow(msgspec.Struct, frozen=True):
    """One group of queries: ranks better, worse, same, and both counts at the primary size."""

    name: str
    by: str
    queries: int
    ranks: Outcomes
    pages: Change
    searches: Change


def cost_blocks(plan: Plan, results: Results, styles: dict[str, Style]) -> Iterator[SizeBlock]:
    """Table 1."""
    base = results.overall.policy(plan.baseline)
    for size in plan.page_sizes:
        below = base.at(size)
        yield SizeBlock(
            size=size,
            is_primary=size == plan.primary_page_size,
            rows=tuple(
                CostRow(
                    style=styles[result.policy],
                    is_baseline=result.policy == plan.baseline,
                    is_primary=result.policy == plan.primary_policy,
                    pages=Change(below.pages, result.at(size).pages),
                    emitted=Change(below.emitted, result.at(size).emitted),
                    searches=Change(below.searches, result.at(size).searches),
                    not_found=result.not_found,
                )
                for result in results.overall.policies
            ),
        )


def is_clipped(blocks: tuple[SizeBlock, ...]) -> bool:
    """Is any last page not full, so that pages and candidates change by different ratios?"""
    return any(
        row.emitted.ours != (row.pages.ours or 0) * block.size
        for block in blocks
        for row in block.rows
    )


def outcome_rows(plan: Plan, results: Results) -> Iterator[OutcomeRow]:
    """Table 2."""
    for row in results.overall.policy(plan.primary_policy).costs:
        yield OutcomeRow(
            size=row.page_size,
            is_primary=row.page_size == plan.primary_page_size,
            pages=row.on_pages,
            searches=row.on_searches,
        )


def quality_rows(plan: Plan, results: Results, styles: dict[str, Style]) -> Iterator[QualityRow]:
    """Table 3."""
    for result in results.overall.policies:
        yield QualityRow(
            style=styles[result.policy],
            is_primary=result.policy == plan.primary_policy,
            quality=result.quality,
            not_found=result.not_found,
        )


def group_rows(plan: Plan, results: Results, table: RankTable) -> Iterator[GroupRow]:
    """Table 4, all queries last."""
    ours, base = table.column(plan.primary_policy), table.column(plan.baseline)
    groups = [*results.groups[1:], results.overall]
    for group in groups:
        mask = np.array([_belongs(row.repository, row.stratum, group) for row in table.rows])
        mine, theirs = ours.ranks[mask], base.ranks[mask]
        yield GroupRow(
            name="all queries" if group.by == "all" else group.name,
            by=group.by,
            queries=group.queries,
            ranks=cost.outcomes(mine, mine != NOT_FOUND, theirs, theirs != NOT_FOUND),
            pages=primary_change(plan, group, plan.primary_page_size, "pages"),
            searches=primary_change(plan, group, plan.primary_page_size, "searches"),
        )


def _belongs(repository: str, stratum: str, group: Group) -> bool:
    if group.by == "all":
        return True
    return group.name == (repository if group.by == "repository" else stratum)
