"""From files of judgments and runs to a plan over them, and to a version that can be shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from pagecost import drafts, jsonio, pinning, replay, results
from pagecost import plan as plans
from pagecost.corpora import source_of
from pagecost.drafts import Draft
from pagecost.errors import InputError
from pagecost.model import ALL, FIRST, Corpus, PinnedFile, Plan, Policy, Run, TrecCorpus
from pagecost.names import split_key
from pagecost.pinned import digest, is_gzip
from pagecost.project import VersionFolder
from pagecost.ranks import from_csv, layout
from pagecost.runs import Ties
from pagecost.versions import Record, Version

_NOWHERE = Path("-")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_SUFFIXES = re.compile(r"(\.(gz|run|txt|trec|res|results))+$", re.IGNORECASE)


class Brought(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody brings: judgments, runs by name (the first is the baseline), and choices.

    `searches` are index searches behind a page, by run; `target` is `first`, `all` or a number.
    """

    qrels: Path
    runs: Mapping[str, Path]
    page_sizes: Sequence[int] = drafts.PAGE_SIZES
    primary_page_size: int | None = None
    primary: str | None = None
    searches: Mapping[str, int] = msgspec.field(default_factory=dict)
    relevance_level: int = 1
    target: str | int = "first"
    ties: Ties = "score-then-docno"
    collection: str | None = None
    title: str | None = None
    date: str | None = None

    @property
    def files(self) -> dict[str, Path]:
        """The files by the paths that a plan gives them, below its version's folder."""
        named = {_placed("qrels", "txt", self.qrels): self.qrels}
        return named | {
            f"runs/{_placed(name, 'run', path)}": path for name, path in self.runs.items()
        }


def _placed(name: str, suffix: str, path: Path) -> str:
    return f"{name}.{suffix}{'.gz' if is_gzip(path) else ''}"


def name_of(path: Path) -> str:
    """What a run is called after its file: `bm25` for `runs/bm25.run.gz`.

    InputError where that leaves no name.
    """
    name = _UNFIT.sub("-", _SUFFIXES.sub("", path.name)).strip("-._")[:80]
    if not name:
        raise InputError(f"{path}: no name for this run; give one with NAME={path}")
    return name


def target_term(target: str | int) -> str:
    """A plan's term for `first`, `all`, or how many relevant documents are looked for."""
    match str(target)[:20]:
        case "first" | "1":
            return FIRST
        case "all":
            return ALL
        case several if several.isascii() and several.isdigit() and 1 < int(several) < 1_000_000:
            return f"{int(several)} relevant documents"
        case other:
            raise InputError(f"target {other!r}: expected first, all, or a number from 1 on")


def draft(brought: Brought, key: str, tick: Callable[[int], None] | None = None) -> Draft:
    """A plan over those files with everything pinned.

    InputError where a choice names a run that is not there, or a file is not what it must be.
    """
    return _read(brought, key, tick)[0]


def scored(brought: Brought, key: str, tick: Callable[[int], None] | None = None) -> Version:
    """The version of that plan, scored. It lies nowhere: its files are where they came from."""
    made, unpinned, corpus = _read(brought, key, tick)
    data = jsonio.canonical(made)
    plan = plans.parse(data, key)
    # The runs are known by their pins too from here on.
    runs = dict(zip(_runs(plan), (corpus.runs[run] for run in _runs(unpinned)), strict=True))
    corpus = msgspec.structs.replace(corpus, runs=runs)
    where = VersionFolder(plan.experiment, plan.version, _NOWHERE)
    return _version(where, plan, data, replay.score(plan, jsonio.sha256(data), corpus))


def _read(
    brought: Brought, key: str, tick: Callable[[int], None] | None
) -> tuple[Draft, Plan, Corpus]:
    """The draft, the plan that it was before it pinned anything, and what is in the files."""
    unpinned = _unpinned(brought, *split_key(key))
    plan = plans.parse(jsonio.canonical(unpinned), key)
    source = source_of(plan, _NOWHERE, _NOWHERE, given=brought.files, tick=tick)
    corpus = source.load()
    return pinning.written(unpinned, pinning.found(plan, source, corpus)), plan, corpus


def _runs(plan: Plan) -> list[Run]:
    return [policy.ranking for policy in plan.policies if isinstance(policy.ranking, Run)]


def _unpinned(brought: Brought, experiment: str, version: str) -> Draft:
    if not brought.runs:
        raise InputError("no run; expected at least one")
    names = list(brought.runs)
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                f"run {name!r}: expected a name of at most 80 letters, digits, dots, underscores "
                "and hyphens, beginning with a letter or a digit"
            )
    primary = brought.primary or names[min(1, len(names) - 1)]
    for what, given in (("primary", [primary]), ("searches", list(brought.searches))):
        if unknown := [name for name in given if name not in names]:
            raise InputError(f"{what}: no run is called {unknown[0]!r}; known: {', '.join(names)}")
    sizes = sorted(set(brought.page_sizes))
    size = brought.primary_page_size
    if size is None:
        size = drafts.PRIMARY_SIZE if drafts.PRIMARY_SIZE in sizes else sizes[0]
    (qrels, *paths) = brought.files
    policies = [
        Policy(
            name=name,
            ranking=Run(
                file=PinnedFile(path=path, sha256=digest(brought.runs[name])),
                ties=brought.ties,
                searches=brought.searches.get(name),
            ),
        )
        for name, path in zip(names, paths, strict=True)
    ]
    corpus = TrecCorpus(
        name=brought.collection or name_of(brought.qrels),
        qrels=PinnedFile(path=qrels, sha256=digest(brought.qrels)),
        relevance_level=brought.relevance_level,
    )
    return drafts.runs(
        experiment,
        version,
        corpus,
        policies,
        primary=primary,
        target=target_term(brought.target),
        page_sizes=sizes,
        primary_size=size,
        searches=brought.searches,
        title=brought.title,
        date=brought.date,
    )


def _version(where: VersionFolder, plan: Plan, data: bytes, scored: replay.Scored) -> Version:
    record = Record(
        results_json=scored.results_json,
        ranks_csv=scored.ranks_csv,
        results=results.from_json(scored.results_json, where.key),
        table=from_csv(scored.ranks_csv, layout(plan), where.key),
    )
    return Version(
        where=where,
        plan=plan,
        plan_json=data,
        digest=jsonio.sha256(data),
        record=record,
        documents_txt=None,
        writeup=None,
    )
