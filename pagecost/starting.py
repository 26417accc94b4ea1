"""Beginning a version: a draft plan that builds, and beside it what each field means."""

from __future__ import annotations

import contextlib
import datetime
import json
import types
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from pagecost import files, jsonio, plan, project
from pagecost.errors import InputError
from pagecost.model import (
    Archive,
    ArchivesCorpus,
    Bm25,
    CorpusPins,
    Deferred,
    Distribution,
    DistributionsCorpus,
    Gate,
    Interleave,
    Model,
    Plan,
    Policy,
)
from pagecost.names import split_key
from pagecost.project import PLAN, RESULTS, Project, VersionFolder

NOTES = "PLAN.md"
_CONFIG = """\
site_name: {name}
docs_dir: site
site_dir: _mkdocs

extra:
  pagecost:
    output: _site
"""
_ATTRIBUTES = """\
# Records are compared byte for byte: Git must not touch their line ends on any system.
* text=auto eol=lf
"""


def new(key: str, like: str | None, config: Path | None, *, dry_run: bool = False) -> list[Path]:
    """Writes a draft and what it needs, and returns the paths; nothing that exists is touched.

    InputError where the version exists, or `like` does not.
    """
    experiment, version = split_key(key)
    made: dict[Path, bytes] = {}
    found: Project | None = None
    try:
        found = project.load(config or project.find_config(Path.cwd()))
    except InputError:
        if config is not None or like is not None or _has_config(Path.cwd()):
            raise
        root = Path.cwd()
        made[root / project.CONFIG] = _CONFIG.format(name=json.dumps(experiment)).encode()
        docs = root / "site"
    else:
        root, docs = found.config.root, found.config.docs_dir
        _refuse_taken(found, experiment, version)
    folder = docs / experiment / version
    if folder.exists():
        raise InputError(f"{folder}: exists already; a version is never written over")
    if like is None or found is None:
        draft = _example(experiment, version)
    else:
        draft, copied = _like(found, like, experiment, version)
        made |= {folder / name: data for name, data in copied.items()}
    plan.parse(draft, folder / PLAN)
    made[folder / PLAN] = draft
    made[folder / NOTES] = notes().encode("utf-8")
    if not (root / ".gitattributes").exists():
        made[root / ".gitattributes"] = _ATTRIBUTES.encode()
    if not dry_run:
        _write(made)
    return list(made)


def _write(made: Mapping[Path, bytes]) -> None:
    """Writes all of it or leaves nothing behind."""
    written: list[Path] = []
    try:
        for path, data in made.items():
            written.append(path)
            files.write(path, data)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                path.parent.rmdir()  # only an empty folder goes
        raise


def _has_config(start: Path) -> bool:
    return any((folder / project.CONFIG).is_file() for folder in (start, *start.parents))


def _refuse_taken(found: Project, experiment: str, version: str) -> None:
    """Names that differ only by case are one folder on many systems."""
    for other in found.versions:
        if other.experiment.lower() != experiment.lower():
            continue
        if other.experiment != experiment:
            raise InputError(
                f"{experiment!r}: there is an experiment {other.experiment!r}, which differs only "
                "by case"
            )
        if other.version.lower() == version.lower():
            raise InputError(f"{other.key}: exists already ({other.folder})")


def _example(experiment: str, version: str) -> bytes:
    """A small confirmatory plan over a package that comes with pagecost itself."""
    bm25 = {"kind": "bm25", "text": "raw", "k1": 1.2, "b": 0.75}
    from importlib.metadata import version as installed

    example: dict[str, Any] = {
        "schema": 1,
        "status": "draft",
        "experiment": experiment,
        "version": version,
        "title": "Say in one line what is compared",
        "question": "Ask one question that the figures can answer.",
        "kind": "confirmatory",
        # The one clock that is read: a first guess at what the author will write.
        "date": datetime.date.today().isoformat(),
        "corpus": {
            "kind": "distributions",
            "distributions": [{"name": "jinja2", "version": installed("jinja2")}],
            "trivial_statements": 2,
        },
        "policies": [
            {"name": "baseline", "label": "baseline", "ranking": bm25},
            {
                "name": "helper",
                "label": "helper",
                "ranking": {
                    "kind": "interleave",
                    "first": "baseline",
                    "second": {**bm25, "text": "identifiers"},
                },
            },
        ],
        "baseline": "baseline",
        "primary_policy": "helper",
        "page_sizes": [1, 5, 10, 20, 50],
        "primary_page_size": 20,
        "definitions": {
            "target": "first relevant document",
            "ties": "document order",
            "pages": "ceil(rank / page_size)",
            "emitted": "min(depth, pages * page_size)",
            "searches": "distinct index rankings behind each page, every page served statelessly",
        },
        "caveat": "Say where the queries come from and what they are not. The proxy counts index "
        "searches and assumes that each costs the same; it is not time.",
        "measured": [
            "**Exact rank** of the first known target, for every query and policy.",
            "**Pages** requested until it is shown, and **candidates** emitted on them.",
            "**Index searches** behind those pages, as a proxy.",
        ],
        "not_measured": [
            "**Time, power and money.** The proxy is none of them.",
            "**An exchange rate** between a candidate read and a search made.",
        ],
        "assumptions": [
            "**Every index search costs the same.** It is not true in detail.",
            "**The service is stateless.** It rebuilds its indexes and rankings for every page.",
        ],
    }
    return jsonio.canonical(example)


def _like(
    found: Project, like: str, experiment: str, version: str
) -> tuple[bytes, dict[str, bytes]]:
    """A draft that begins from another version's plan, and the files that plan needs."""
    where: VersionFolder = found.find(like)
    data = jsonio.read_bytes(where.file(PLAN))
    old = plan.parse(data, where.file(PLAN))
    changed = json.loads(data)
    changed = {"schema": 1, "status": "draft"} | changed
    changed |= {
        "status": "draft",
        "experiment": experiment,
        "version": version,
        "date": datetime.date.today().isoformat(),
    }
    if old.kind == "replication" or where.file(RESULTS).exists():
        # Its figures are known: what begins from it explores, until its author knows better.
        changed["kind"] = "exploration"
        changed.pop("origin", None)
    copied: dict[str, bytes] = {}
    if isinstance(old.corpus, ArchivesCorpus):
        name = old.corpus.projection.path
        copied[name] = jsonio.read_bytes(where.file(name))
    return jsonio.canonical(changed), copied


# --- PLAN.md --------------------------------------------------------------------------------------

_SHOWN: tuple[type[msgspec.Struct], ...] = (
    Plan, Gate, Policy, Bm25, Interleave, Deferred, Model,
    DistributionsCorpus, Distribution, ArchivesCorpus, Archive, CorpusPins,
)  # fmt: skip


def notes() -> str:
    """What each field of a plan means, as Markdown, from the same source as the JSON Schema."""
    return "\n".join(_notes()) + "\n"


def _notes() -> Iterator[str]:
    yield "# The plan, field by field"
    yield ""
    yield "`plan.json` says everything that is decided before a number is known. Edit it, look at"
    yield "the draft with `pagecost build`, let `pagecost corpus EXPERIMENT@VERSION` print what it"
    yield "must pin, then freeze it with `pagecost freeze` and score it with `pagecost record`."
    yield "Unknown fields are refused. This file is for you; it is not published."
    for record in _SHOWN:
        tag = record.__struct_config__.tag
        yield ""
        kind = f'`"kind": "{tag}"`: ' if tag else ""
        yield f"## {record.__name__}"
        yield ""
        yield f"{kind}{(record.__doc__ or '').strip().splitlines()[0]}"
        yield ""
        hints = typing.get_type_hints(record, include_extras=True)
        for field in msgspec.structs.fields(record):
            optional = "" if field.required else ", optional"
            said = _description(hints[field.name])
            yield f"- `{field.encode_name}`{optional}{': ' + said if said else ''}"


def _description(hint: Any) -> str:
    """The description in the annotation's Meta, wherever it is nested."""
    for meta in getattr(hint, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            return meta.description
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return next((said for one in typing.get_args(hint) if (said := _description(one))), "")
    return ""
