"""What the columns of our CSV files mean and don't, as CSV on the Web (W3C, 2015).

It stands beside the file (`<name>.csv-metadata.json`), since comment lines break strict readers.
"""

from __future__ import annotations

from collections.abc import Iterable

from pagecost import jsonio
from pagecost.export import cost_columns
from pagecost.model import Plan, Results
from pagecost.prose import plain
from pagecost.ranks import layout
from pagecost.report import terms

_RANK_COLUMNS = (
    ("query_id", "string", "The query: a collection's own id, or sha256 of the normalized text."),
    ("repository", "string", "Where its relevant documents stand; `multiple` if in several."),
    ("stratum", "string", "Does the query name a target?"),
    ("relevant", "integer", "How many relevant documents the query has."),
    ("target_path", "string", "The first relevant document in corpus order: its file, or its id."),
    ("target_line", "integer", "Its first line there, counted from 1; empty where it has none."),
    ("target_name", "string", "Its name."),
)
_PROJECTION_COLUMNS = (
    ("repository", "string", "The pinned archive that holds the function."),
    ("path", "string", "Its file there."),
    ("name", "string", "Its name."),
    ("doc_spans", "string", "Its comment: byte offsets from 0, each start-end, end not included."),
    ("code_start", "integer", "Where its code starts: a byte offset from 0."),
    ("code_end", "integer", "Where its code ends: the offset of the byte after it."),
    ("candidate_id", "string", "sha256 over repository, path and code, zero bytes between."),
)


def projection(plan: Plan) -> bytes:
    """The sidecar of `projection.csv`."""
    return _metadata(plan, "projection.csv", _PROJECTION_COLUMNS)


def costs(plan: Plan, results: Results) -> bytes:
    """The sidecar of `costs.csv`."""
    return _metadata(plan, "costs.csv", cost_columns(results))


def ranks(plan: Plan) -> bytes:
    """The sidecar of `ranks.csv`."""
    columns = list(_RANK_COLUMNS)
    for policy in layout(plan):
        depth = "the" if policy.depth is None else f"the {policy.depth:,}"
        rank = (
            f"Rank of {terms.target_said(plan)} under this policy, counted from 1; empty if it is "
            f"not among {depth} candidates delivered."
        )
        of = f"under {policy.policy}"
        said = {policy.policy: rank, policy.depth_name: f"Candidates delivered {of}."} | {
            name: f"Candidates {of} that nobody judged, on the pages read at {size:,} a page."
            for size, name in policy.unjudged_names.items()
        }
        columns += ((name, "integer", said[name]) for name in policy.names)
    return _metadata(plan, "ranks.csv", columns)


def _metadata(plan: Plan, url: str, columns: Iterable[tuple[str, str, str]]) -> bytes:
    return jsonio.canonical(
        {
            "@context": "http://www.w3.org/ns/csvw",
            "url": url,
            "dc:title": f"{plan.experiment} {plan.version} ({plan.kind}): {plan.title}",
            "dc:date": plan.date,
            "dc:description": plan.caveat,
            "rdfs:comment": [
                *(f"Not measured: {plain(text)}" for text in plan.not_measured),
                *(f"Assumed: {plain(text)}" for text in plan.assumptions),
            ],
            "tableSchema": {
                "columns": [
                    {"name": name, "titles": name, "datatype": kind, "dc:description": said}
                    for name, kind, said in columns
                ]
            },
        }
    )
