"""Every query at the primary page size, and `queries.js`, the data beside the page.

Every cost is counted here, from the ranks, by `cost`. The page's script only looks up, filters and
sorts: who takes fewer is not for it to decide.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pagecost import cost
from pagecost.cost import IntArray
from pagecost.model import NOT_FOUND, ArchivesCorpus, Plan, QueryRow, RankTable
from pagecost.policies import resolve, search_tiers
from pagecost.report.embed import script_json

OUTCOMES = ("fewer", "tie", "more")
"""In words; in the data they are numbered from 0."""


class QueryTable(msgspec.Struct, frozen=True):
    """All queries in the record's order, a number a query in each column.

    `numbers` has `rank`, `pages` and `searches` of the primary policy and, where it is held against
    a baseline, `rank-from`, `pages-from` and `searches-from` of that, and `pages-change` and
    `searches-change`. A rank may be NOT_FOUND; what nobody gave is left out. `outcomes` has what
    `pages` and `searches` count as against the baseline, by place in OUTCOMES. `roots` are the URLs
    of the pinned sources by repository.
    """

    rows: tuple[QueryRow, ...]
    numbers: Mapping[str, IntArray]
    outcomes: Mapping[str, IntArray]
    roots: Mapping[str, str]

    @property
    def compares(self) -> bool:
        """Is there a baseline beside the primary policy?"""
        return "pages" in self.outcomes

    @property
    def repositories(self) -> set[str]:
        """The names of repositories; one, which may be empty, where there is none to choose."""
        return {row.repository for row in self.rows}

    @property
    def strata(self) -> set[str]:
        """The names of strata, likewise."""
        return {row.stratum for row in self.rows}


def query_table(plan: Plan, table: RankTable) -> QueryTable:
    """The primary policy against the baseline, query by query, at the primary page size."""
    numbers, found = _side(plan, table, plan.primary_policy)
    outcomes: dict[str, IntArray] = {}
    if plan.primary_policy != plan.baseline:
        base, base_found = _side(plan, table, plan.baseline)
        for metric in ("pages", "searches"):
            if metric in numbers and metric in base:
                verdicts = cost.verdicts(numbers[metric], found, base[metric], base_found)
                outcomes[metric] = 1 - verdicts  # 1, 0, −1 to the place in OUTCOMES
                numbers[f"{metric}-change"] = numbers[metric] - base[metric]
        numbers |= {f"{metric}-from": counts for metric, counts in base.items()}
    return QueryTable(table.rows, numbers, outcomes, _roots(plan))


def _side(
    plan: Plan, table: RankTable, policy: str
) -> tuple[dict[str, IntArray], NDArray[np.bool_]]:
    """One policy's numbers, and which targets it found."""
    column, size = table.column(policy), plan.primary_page_size
    pages = cost.pages(column.ranks, size, column.depth)
    numbers = {"rank": column.ranks, "pages": pages}
    if (tiers := search_tiers(resolve(plan.policies)[policy])) is not None:
        numbers["searches"] = cost.searches(pages, size, tiers, column.depth)
    return numbers, column.ranks != NOT_FOUND


def _roots(plan: Plan) -> dict[str, str]:
    if not isinstance(plan.corpus, ArchivesCorpus):
        return {}
    return {
        one.repository: f"https://github.com/{one.repository}/blob/{one.revision}/"
        for one in plan.corpus.archives
    }


# --- The data beside the page ---------------------------------------------------------------------


def script(table: QueryTable) -> bytes:
    """`queries.js`: columns, in a script, since a fetch would not work from a folder.

    A column is a list in the record's order, or one value where it is the same for every query.
    Text is a list of what there is, in order, and a column of places in it.
    """
    rows = table.rows
    texts = {
        "name": _coded(row.target_name for row in rows),
        "path": _coded(row.target_path for row in rows),
        "repo": _coded(row.repository for row in rows),
        "stratum": _coded(row.stratum for row in rows),
    }
    for metric, key in (("pages", "outcome"), ("searches", "proxy")):
        if metric in table.outcomes:
            texts[key] = list(OUTCOMES), _column(table.outcomes[metric].tolist())
    numbers = {
        key: _column(column.tolist())
        for key, column in table.numbers.items()
        if not key.endswith("-change")  # a difference of two that are here
    }
    numbers["line"] = _column(row.target_line for row in rows)
    numbers["relevant"] = _column(row.relevant for row in rows)
    data = {
        "ids": short_ids([row.query_id for row in rows]),
        "texts": texts,
        "numbers": numbers,
        "roots": [table.roots.get(name) for name in texts["repo"][0]],
    }
    # Not a field of window.pagecost, which the figures' data replaces.
    return f"window.pagecostQueries = {script_json(data)};\n".encode()


def _column(values: Iterable[int]) -> list[int] | int:
    column = list(values)
    return column[0] if len(set(column)) == 1 else column


def _coded(texts: Iterable[str]) -> tuple[list[str], Any]:
    """The distinct texts in order, and the place of each row's among them."""
    column = list(texts)
    known = sorted(set(column), key=lambda text: (text.casefold(), text))
    places = {text: place for place, text in enumerate(known)}
    return known, _column(places[text] for text in column)


_DIGEST = re.compile(r"[0-9a-f]{64}")
_SHORTEST = 12


def short_ids(ids: Sequence[str]) -> list[str]:
    """Digests cut where all of them still differ, at 12 digits at the least; others as they are.

    `ids` ascend, so that those that share most are neighbours.
    """
    if not all(map(_DIGEST.fullmatch, ids)):
        return list(ids)
    length = _SHORTEST
    for one, other in itertools.pairwise(ids):
        while one[:length] == other[:length] and length < len(one):
            length += 1
    return [one[:length] for one in ids]
