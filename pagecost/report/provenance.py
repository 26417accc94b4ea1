"""Where a report's raw data comes from, and what reading it took, in words."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pagecost.model import (
    ArchivesCorpus,
    Collection,
    DistributionsCorpus,
    IrDatasetsCorpus,
    JudgmentPins,
    Plan,
    Run,
    RunPins,
)
from pagecost.pinned import files_of
from pagecost.policies import runs
from pagecost.report import terms, words

_RUN_REPAIRS = (
    ("missing_topics", "judged query", "judged queries", "missing: not found, nothing delivered"),
    (
        "unjudged_topics",
        "topic",
        "topics",
        "left out: unjudged, or without the relevant documents that are looked for",
    ),
    ("repeated", "line", "lines", "dropped: the document stands before in its topic"),
    ("tied", "document", "documents", "placed by the tie rule"),
    ("rank_contradicts", "topic", "topics", "whose rank column contradicts the scores"),
    ("ranks_unreadable", "line", "lines", "whose rank is no whole number"),
    ("scattered", "topic", "topics", "whose lines don’t stand together"),
    ("extra_fields", "line", "lines", "with more than six fields, of which six were read"),
    ("carriage_returns", "line", "lines", "ending in CRLF"),
    ("blank", "blank line", "blank lines", "skipped"),
    ("byte_order_mark", "byte-order mark", "byte-order marks", "skipped"),
)
_JUDGMENT_REPAIRS = (
    ("missing_documents", "judgment", "judgments", "left out: no such document in the corpus"),
    ("repeated", "line", "lines", "dropped: the same judgment stands before"),
    ("negative", "judgment", "judgments", "below 0, read as not relevant"),
    ("carriage_returns", "line", "lines", "ending in CRLF"),
    ("blank", "blank line", "blank lines", "skipped"),
    ("byte_order_mark", "byte-order mark", "byte-order marks", "skipped"),
)
_REASONS = {
    "unjudged": "without a judgment",
    "not-asked": "judged, but not among the topics",
    "no-relevant": "without a relevant document",
    "too-few-relevant": "with fewer relevant documents than are looked for",
}


class Source(msgspec.Struct, frozen=True):
    """One pinned source of the corpus."""

    name: str
    url: str | None
    pinned: str
    sha256: str | None
    licence: str | None


class RunNote(msgspec.Struct, frozen=True):
    """A run that policies draw on: what its file holds, and every repair that reading it took."""

    path: str
    sha256: str
    held: str
    order: str
    searches: str
    repairs: tuple[str, ...]


def sources(plan: Plan) -> list[Source]:
    """The pinned sources of a plan's corpus."""
    corpus = plan.corpus
    if isinstance(corpus, ArchivesCorpus):
        return [
            Source(
                name=one.repository,
                url=f"https://github.com/{one.repository}/tree/{one.revision}",
                pinned=one.revision[:12],
                sha256=one.sha256,
                licence=one.licence_name,
            )
            for one in corpus.archives
        ]
    if isinstance(corpus, DistributionsCorpus):
        return [
            Source(one.name, one.repository_url, one.version[:12], one.sha256, one.licence_name)
            for one in corpus.distributions
        ]
    if isinstance(corpus, IrDatasetsCorpus):
        return [Source(corpus.name, corpus.url, "ir_datasets", corpus.sha256, corpus.licence_name)]
    of_runs = {run.file for run in runs(plan.policies)}
    return [
        Source(corpus.name, corpus.url, file.path, file.sha256, corpus.licence_name)
        for file in files_of(plan)
        if file not in of_runs
    ]


def run_notes(plan: Plan) -> list[RunNote]:
    """Each run of a plan, in its order."""
    return [_run_note(run) for run in runs(plan.policies)]


def _run_note(run: Run) -> RunNote:
    pins = run.pins
    held, repairs = "its content is not pinned yet", list[str]()
    if pins is not None:
        held, repairs = _held(pins), list(_repairs(pins, _RUN_REPAIRS))
    searches = "not given"
    if run.searches is not None:
        searches = f"{words.count(run.searches, 'search', 'searches')} a page, by its author's word"
    return RunNote(
        run.file.path, run.file.sha256, held, terms.TIES[run.ties], searches, tuple(repairs)
    )


def _held(pins: RunPins) -> str:
    depth = f"{words.number(pins.shallowest)} to {words.number(pins.deepest)}"
    if pins.shallowest == pins.deepest:
        depth = words.number(pins.deepest)
    topics = words.count(pins.topics, "judged query", "judged queries")
    return f"{words.count(pins.lines, 'line')}, {topics}, {depth} documents delivered for a query"


def _repairs(
    pins: RunPins | JudgmentPins, several: tuple[tuple[str, str, str, str], ...]
) -> Iterator[str]:
    for field, one, many, said in several:
        if found := getattr(pins, field):
            yield f"{words.count(found, one, many)} {said}"


def judged(plan: Plan) -> str | None:
    """What a collection's judgments hold, and what reading them took; None where there are none."""
    pins = plan.corpus.pins
    if not isinstance(plan.corpus, Collection) or pins is None or pins.judgments is None:
        return None
    found = pins.judgments
    level = words.number(plan.corpus.relevance_level)
    said = [
        f"{words.count(found.judgments, 'judgment')}, {words.number(found.relevant)} of a document "
        f"that is relevant (grade {level} or more)",
        *_repairs(found, _JUDGMENT_REPAIRS),
    ]
    return f"{'; '.join(said)}."


def left_out(plan: Plan) -> str | None:
    """What of a corpus does not count, by reason; None where nothing is pinned, or nothing is."""
    if plan.corpus.pins is None:
        return None
    exclusions = plan.corpus.pins.exclusions
    if not isinstance(plan.corpus, Collection):
        return ", ".join(f"{reason} {words.number(rows)}" for reason, rows in exclusions.items())
    said = [
        f"{words.count(queries, 'query', 'queries')} {_REASONS.get(reason, reason)}"
        for reason, queries in exclusions.items()
        if queries
    ]
    return ", ".join(said) or "no query"
