"""What a query is called on a page, and where its target stands."""

from __future__ import annotations

import re
from urllib.parse import quote

import msgspec

from pagecost.model import Plan
from pagecost.report import terms, words
from pagecost.report.querydata import QueryTable

_BREAK = re.compile(r"[/_.:]+(?=[^/_.:])|[a-z0-9](?=[A-Z])")


class Named(msgspec.Struct, frozen=True):
    """A query's name, the link to its target, and where that stands, in pieces between breaks."""

    name: tuple[str, ...]
    url: str | None
    place: tuple[str, ...]


def pieces(text: str) -> tuple[str, ...]:
    """The text in pieces that a line may break between: at camelCase, slashes, underscores."""
    ends = [found.end() for found in _BREAK.finditer(text)]
    return tuple(text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True))


def named(plan: Plan, table: QueryTable, at: int) -> Named:
    """What the query in that place of the record is called."""
    row = table.rows[at]
    place = pieces(row.target_path)
    line = f":{row.target_line}" if row.target_line else ""
    more = f" and {words.number(row.relevant - 1)} more" if row.relevant > 1 else ""
    root = table.roots.get(row.repository)
    # `safe` is what encodeURIComponent leaves, so that the page's script writes the same link.
    path = quote(row.target_path, safe="/!'()*~")
    return Named(
        name=pieces(row.query_id if terms.is_judged(plan) else row.target_name),
        url=f"{root}{path}#L{row.target_line}" if root else None,
        place=(*place[:-1], f"{place[-1]}{line}{more}"),
    )
