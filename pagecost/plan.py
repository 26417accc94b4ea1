"""`plan.json` → Plan, strictly, and its digest: the sha256 of the file's bytes."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from pagecost import gates, jsonio
from pagecost.errors import InputError
from pagecost.model import (
    ALL,
    FIRST,
    RESERVED_POLICY_NAMES,
    SEARCHES,
    SEARCHES_WITH_RUNS,
    TIES,
    TIES_WITH_RUNS,
    ArchivesCorpus,
    Collection,
    CorpusPins,
    DistributionsCorpus,
    IrDatasetsCorpus,
    Plan,
    TrecCorpus,
)
from pagecost.pinned import files_of, is_inside
from pagecost.policies import has_index, identity, leaves, resolve, runs
from pagecost.project import DOCUMENTS, PLAN, PROJECTION, RANKS, RESULTS, WRITEUP

_MAX_BYTES = 1 << 20
_TAKEN = frozenset(
    name.lower() for name in (PLAN, PROJECTION, RESULTS, RANKS, DOCUMENTS, WRITEUP, "PLAN.md")
)
_SEPARATORS = re.compile(r"[-_.]+")


def load(path: Path) -> tuple[Plan, str]:
    """The plan in that file and its digest.

    InputError names the file and the JSON path of everything that is wrong.
    """
    data = jsonio.read_bytes(path, _MAX_BYTES)
    return parse(data, path), jsonio.sha256(data)


def parse(data: bytes, where: object) -> Plan:
    """A plan from the bytes of its file, checked as a whole."""
    plan = jsonio.decode(data, Plan, where)
    problems = list(_problems(plan))
    if problems:
        raise InputError("\n".join(f"{where}: {problem}" for problem in problems))
    return plan


def schema() -> dict[str, object]:
    """The JSON Schema of plans (2020-12), as published with the site."""
    made: dict[str, object] = msgspec.json.schema(Plan)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}


def _problems(plan: Plan) -> Iterator[str]:
    """What the types can't say: how the fields of one plan must agree."""
    yield from _date(plan)
    yield from _policies(plan)
    yield from _page_sizes(plan)
    yield from gates.problems(plan)
    yield from _corpus(plan)
    if plan.kind == "replication" and plan.origin is None:
        yield "$.origin: missing; a replication names the published record it repeats"


def _date(plan: Plan) -> Iterator[str]:
    try:
        datetime.date.fromisoformat(plan.date)
    except ValueError as error:
        yield f"$.date: {plan.date!r}: {error}"


def _policies(plan: Plan) -> Iterator[str]:
    names = [policy.name for policy in plan.policies]
    yield from _repeated("$.policies", (name.lower() for name in names), "a policy's name")
    for index, policy in enumerate(plan.policies):
        if policy.name in RESERVED_POLICY_NAMES:
            yield (
                f"$.policies[{index}].name: {policy.name!r} is a column of ranks.csv; "
                "choose another name"
            )
    for field, name in (("baseline", plan.baseline), ("primary_policy", plan.primary_policy)):
        if name not in names:
            yield f"$.{field}: no policy is named {name!r}; known: {', '.join(names)}"
    try:
        resolve(plan.policies)
    except InputError as error:
        yield f"$.policies: {error}"
    else:
        yield from _runs(plan)


def _runs(plan: Plan) -> Iterator[str]:
    """What is asked of a plan once its policies are known to be made of something."""
    several = runs(plan.policies)
    expected = (
        ("ties", TIES_WITH_RUNS if several else TIES),
        ("searches", SEARCHES_WITH_RUNS if several else SEARCHES),
    )
    for field, term in expected:
        if (found := getattr(plan.definitions, field)) != term:
            why = "a policy is made of a run" if several else "no policy is made of a run"
            yield f"$.definitions.{field}: {found!r}, expected {term!r}, since {why}"
    if isinstance(plan.corpus, TrecCorpus) and has_index(plan.policies):
        yield (
            "$.policies: a corpus of kind 'trec' has no documents, so every policy must be a run "
            "or be made of runs"
        )
    for run in several:
        if run.pins is None and not plan.is_draft:
            yield f"$.policies: {run.file.path}: pins missing; a frozen plan pins its runs"
    for name, ranking in resolve(plan.policies).items():
        parts = leaves(ranking)
        if len(parts) != len({identity(part) for part in parts}):
            yield f"$.policies: {name!r} is made of one run with two statements about it"
    files = files_of(plan)
    for file in files:
        if not is_inside(file.path):
            yield f"{file.path!r}: expected a path below the version's folder, divided by /"
        elif file.path.lower() in _TAKEN:
            yield f"{file.path!r}: a version's own file has that name; choose another"
    yield from _repeated("a pinned file", (file.path.lower() for file in files), "a path")


def _page_sizes(plan: Plan) -> Iterator[str]:
    for index, (size, after) in enumerate(
        zip(plan.page_sizes, plan.page_sizes[1:], strict=False), start=1
    ):
        if after <= size:
            yield (
                f"$.page_sizes[{index}]: {after} after {size}; expected ascending sizes, each once"
            )
    if plan.primary_page_size not in plan.page_sizes:
        yield (
            f"$.primary_page_size: {plan.primary_page_size} is not one of the page sizes "
            f"{', '.join(map(str, plan.page_sizes))}"
        )


def _corpus(plan: Plan) -> Iterator[str]:
    corpus = plan.corpus
    is_collection = isinstance(corpus, Collection)
    if plan.definitions.target not in (FIRST, ALL) and not is_collection:
        yield (
            f"$.definitions.target: {plan.definitions.target!r}: only where a corpus has judgments;"
            f" expected {FIRST!r} or {ALL!r}"
        )
    if isinstance(corpus, IrDatasetsCorpus) and corpus.sha256 is None and not plan.is_draft:
        yield "$.corpus.sha256: missing; a frozen plan pins it"
    if isinstance(corpus, ArchivesCorpus):
        if corpus.projection.path != "projection.csv":
            yield f"$.corpus.projection.path: {corpus.projection.path!r}, expected 'projection.csv'"
        names = [archive.repository.lower() for archive in corpus.archives]
        yield from _repeated("$.corpus.archives", names, "a repository")
    if isinstance(corpus, DistributionsCorpus):
        # As package indexes compare names: more-itertools is more_itertools.
        names = [_SEPARATORS.sub("-", one.name).lower() for one in corpus.distributions]
        yield from _repeated("$.corpus.distributions", names, "a distribution")
        for index, distribution in enumerate(corpus.distributions):
            if distribution.sha256 is None and not plan.is_draft:
                yield f"$.corpus.distributions[{index}].sha256: missing; a frozen plan pins it"
    if corpus.pins is not None:
        yield from _pins(corpus.pins, is_collection=is_collection)
        if corpus.pins.documents is not None and isinstance(corpus, TrecCorpus):
            yield "$.corpus.pins.documents: expected null, since only runs are known"
        if corpus.pins.documents is None and not isinstance(corpus, TrecCorpus | IrDatasetsCorpus):
            yield "$.corpus.pins.documents: null, expected how many documents there are"
    elif not plan.is_draft:
        yield "$.corpus.pins: missing; a frozen plan pins its corpus (`pagecost corpus` prints it)"


def _pins(pins: CorpusPins, *, is_collection: bool) -> Iterator[str]:
    if (pins.documents is None) != (pins.membership is None):
        yield "$.corpus.pins.membership: expected null where documents is null, and only there"
    if is_collection:
        if pins.repositories or pins.strata:
            yield "$.corpus.pins.repositories: expected none, and no strata, in a collection"
        if pins.judgments is None:
            yield "$.corpus.pins.judgments: missing; a collection has them"
        return
    if pins.judgments is not None:
        yield "$.corpus.pins.judgments: only a collection has them"
    if not pins.repositories:
        yield "$.corpus.pins.repositories: none; expected every repository"
    yield from _repeated(
        "$.corpus.pins.repositories", (row.name for row in pins.repositories), "a repository"
    )
    sums = (
        ("documents", sum(row.documents for row in pins.repositories), pins.documents),
        ("queries", sum(row.queries for row in pins.repositories), pins.queries),
    )
    for name, found, total in sums:
        if found != total:
            yield f"$.corpus.pins.{name}: {total}, but the repositories have {found} together"
    if (found := sum(pins.strata.values())) != pins.queries:
        yield f"$.corpus.pins.strata: {found} queries together, expected {pins.queries}"


def _repeated(path: str, names: Iterable[str], what: str) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{path}: {what} stands {count} times (ignoring case): {name!r}"
