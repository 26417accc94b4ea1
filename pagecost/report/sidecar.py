"""What the columns of our CSV files mean and don't, as CSV on the Web (W3C, 2015).

It stands beside the file (`<name>.csv-metadata.json`), since comment lines break strict readers.
"""

from __future__ import annotations

from collections.abc import Iterable

from pagecost import jsonio
from pagecost.export import cost_columns
from pagecost.model import Plan, Results
from pagecost.prose import plain

_RANK_COLUMNS = (
    ("query_id", "string", "sha256 of the normalized query."),
    ("repository", "string", "Where its relevant documents stand; `multiple` if in several."),
    ("stratum", "string", "Does the query name a target?"),
    ("relevant", "integer", "How many relevant documents the query has."),
    ("target_path", "string", "The first relevant document in corpus order: its file."),
    ("target_line", "integer", "Its first line there, counted from 1."),
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


def ranks(plan: Plan, results: Results) -> bytes:
    """The sidecar of `ranks.csv`."""
    policies = (
        (
            policy.name,
            "integer",
            "Rank of the first relevant document under this policy, counted from 1; empty if it "
            f"is not among the {policy.depth:,} candidates delivered.",
        )
        for policy in results.policies
    )
    return _metadata(plan, "ranks.csv", (*_RANK_COLUMNS, *policies))


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
