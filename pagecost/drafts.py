"""What a new draft says: an example, a collection's, and one over runs, with generic sentences."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from importlib.metadata import version as installed
from typing import Any

import msgspec

from pagecost.model import (
    ALL,
    FIRST,
    SEARCHES,
    SEARCHES_WITH_RUNS,
    TIES,
    TIES_WITH_RUNS,
    BeirCorpus,
    Policy,
    TrecCorpus,
)

Draft = dict[str, Any]
"""A plan as it stands in its file."""

NO_TITLE = "Say in one line what is compared"
NO_QUESTION = "Ask one question that the figures can answer."
NO_CAVEAT = "Say where the queries"
PLACEHOLDERS = (NO_TITLE, NO_QUESTION, NO_CAVEAT)
"""How a draft's sentences begin that only its author can write: none may be frozen."""

PAGE_SIZES = (1, 5, 10, 20, 50)
PRIMARY_SIZE = 20
_BM25 = {"kind": "bm25", "text": "raw", "k1": 1.2, "b": 0.75}
_HELPER = [
    {"name": "baseline", "label": "baseline", "ranking": _BM25},
    {
        "name": "helper",
        "label": "helper",
        "ranking": {
            "kind": "interleave",
            "first": "baseline",
            "second": {**_BM25, "text": "identifiers"},
        },
    },
]
_PROXY = "The proxy counts index searches and assumes that each costs the same; it is not time."
_NOT_TIME = "**Time, power and money.** The proxy is none of them."
_NO_RATE = "**An exchange rate** between a candidate read and a search made."
_STATELESS = (
    "**The service is stateless.** It rebuilds its indexes and rankings for every page.",
    "**Every index search costs the same.** It is not true in detail.",
)
_ORACLE = (
    "**A reader takes page after page and stops at the target.** An oracle recognises it, and the "
    "whole last page counts."
)
_JUDGMENTS = (
    "**The judgments are right.** What nobody judged counts as not relevant until somebody does."
)
_LOOKED_FOR = {FIRST: "the first relevant document", ALL: "every relevant document"}
_UNJUDGED = "**Whether an unjudged document is relevant.**"
_CUT = (
    "**Behind a run’s depth there is nothing.** A run that was cut earlier costs less where it "
    "finds nothing, so that totals are read beside what was not found."
)


def today() -> str:
    """The one clock that is read: a first guess at what the author will write."""
    return datetime.date.today().isoformat()


def definitions(target: str = FIRST, *, with_runs: bool = False) -> dict[str, str]:
    """The terms that a plan defines."""
    return {
        "target": target,
        "ties": TIES_WITH_RUNS if with_runs else TIES,
        "pages": "ceil(rank / page_size)",
        "emitted": "min(depth, pages * page_size)",
        "searches": SEARCHES_WITH_RUNS if with_runs else SEARCHES,
    }


def _given(record: msgspec.Struct) -> dict[str, Any]:
    """A record as it stands in a file, without what was left out."""
    given: dict[str, Any] = _without_nothing(msgspec.to_builtins(record))
    return given


def _without_nothing(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_nothing(one) for key, one in part.items() if one is not None}
    return part


def _draft(experiment: str, version: str, **fields: Any) -> Draft:
    """A draft with its fields in their usual order."""
    order = (
        "title", "question", "kind", "date", "corpus", "policies", "baseline", "primary_policy",
        "page_sizes", "primary_page_size", "definitions", "caveat", "measured", "not_measured",
        "assumptions",
    )  # fmt: skip
    start: Draft = {
        "schema": 1,
        "status": "draft",
        "experiment": experiment,
        "version": version,
    }
    fields = {
        "kind": "confirmatory",
        "date": today(),
        "policies": _HELPER,
        "baseline": "baseline",
        "primary_policy": "helper",
        "page_sizes": list(PAGE_SIZES),
        "primary_page_size": PRIMARY_SIZE,
        "definitions": definitions(),
    } | fields
    return start | {name: fields[name] for name in order}


def example(experiment: str, version: str) -> Draft:
    """A small confirmatory plan over a package that comes with pagecost itself."""
    return _draft(
        experiment,
        version,
        title=NO_TITLE,
        question=NO_QUESTION,
        corpus={
            "kind": "distributions",
            "distributions": [{"name": "jinja2", "version": installed("jinja2")}],
            "trivial_statements": 2,
        },
        caveat=f"{NO_CAVEAT} come from and what they are not. {_PROXY}",
        measured=[
            "**Exact rank** of the first known target, for every query and policy.",
            "**Pages** requested until it is shown, and **candidates** emitted on them.",
            "**Index searches** behind those pages, as a proxy.",
        ],
        not_measured=[_NOT_TIME, _NO_RATE],
        assumptions=list(reversed(_STATELESS)),
    )


def beir(experiment: str, version: str, corpus: BeirCorpus) -> Draft:
    """A plan over a collection with documents: BM25, and BM25 interleaved with split identifiers.

    What it says of the collection is for its author to replace.
    """
    return _draft(
        experiment,
        version,
        title=f"{NO_TITLE} on {corpus.name}",
        question=NO_QUESTION,
        corpus={"kind": "beir", **_given(corpus)},
        caveat=f"{NO_CAVEAT} and judgments come from and what they are not. {_PROXY}",
        measured=[
            "**Exact rank** of the first relevant document, for every query and policy.",
            "**Pages** requested until it is shown, and **candidates** emitted on them.",
            "**Index searches** behind those pages, as a proxy.",
            "**Unjudged candidates** on the pages read.",
        ],
        not_measured=[_NOT_TIME, _NO_RATE, _UNJUDGED],
        assumptions=[_ORACLE, _JUDGMENTS, *_STATELESS],
    )


def runs(
    experiment: str,
    version: str,
    corpus: TrecCorpus,
    policies: Sequence[Policy],
    *,
    primary: str,
    target: str = FIRST,
    page_sizes: Sequence[int] = PAGE_SIZES,
    primary_size: int = PRIMARY_SIZE,
    searches: Mapping[str, int] | None = None,
    title: str | None = None,
    date: str | None = None,
) -> Draft:
    """An exploration over runs, the first of them the baseline; its sentences are generic.

    They say so themselves, since nobody who knows the runs wrote them.
    """
    names = [policy.name for policy in policies]
    if set(names) <= set(searches or {}):
        proxy = "Searches a page are as they were given: a proxy, not time."
        of_searches = "**Searches** behind those pages, as they were given: a proxy."
    else:
        proxy = "Where the searches of a run were not given, none are shown."
        of_searches = "**Searches** behind those pages, where they were given: a proxy."
    what = f"{primary} against {names[0]}" if primary != names[0] else primary
    said = _LOOKED_FOR.get(target, target)
    return _draft(
        experiment,
        version,
        title=f"{what} on {corpus.name}" if title is None else title,
        question=f"How many pages until {said}: {what}?",
        kind="exploration",
        date=today() if date is None else date,
        corpus={"kind": "trec", **_given(corpus)},
        policies=[_given(policy) for policy in policies],
        baseline=names[0],
        primary_policy=primary,
        page_sizes=list(page_sizes),
        primary_page_size=primary_size,
        definitions=definitions(target, with_runs=True),
        caveat="Generic sentences: pagecost wrote them from the files alone, and nobody who knows "
        "these runs did. Figures could be known before anything was frozen. A target that a "
        "run does not hold within its depth is not found, and costs what was delivered, at least "
        f"one page. {proxy}",
        measured=[
            f"**Rank** of the target ({said}) in each run.",
            "**Pages** requested until it is shown, and **candidates** on them, to the depth "
            "that was delivered.",
            of_searches,
            "**Queries not found** within the depth of each run.",
            "**Unjudged candidates** on the pages read.",
        ],
        not_measured=[
            "**Time, power and money.**",
            "**How the runs were made**, tuned and cut: that is their authors’ to say.",
            _UNJUDGED,
            _NO_RATE,
        ],
        assumptions=[_ORACLE, _JUDGMENTS, _CUT],
    )
