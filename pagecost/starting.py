"""Beginning a version: a draft plan that builds, and beside it what each field means."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from pagecost import bringing, drafts, files, jsonio, pinning, plan, plannotes, project
from pagecost.bringing import Brought
from pagecost.corpora import beir, source_of
from pagecost.drafts import Draft
from pagecost.errors import InputError
from pagecost.model import ArchivesCorpus
from pagecost.names import split_key
from pagecost.pinned import files_of
from pagecost.project import PLAN, RESULTS, Project, VersionFolder
from pagecost.sources import keep

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
_AS_THEY_ARE = b"""\
# Pinned byte for byte by the plan, whatever their line ends are.
runs/** -text
qrels.* -text
"""


Content = bytes | Path
"""What goes into a file: bytes, or what another file holds."""


class _Place(msgspec.Struct, frozen=True):
    """Where a new version goes, the project it joins, and what the project lacks."""

    folder: Path
    found: Project | None
    lacking: dict[Path, Content]


def new(key: str, like: str | None, config: Path | None, *, dry_run: bool = False) -> list[Path]:
    """Writes a draft and what it needs, and returns the paths; nothing that exists is touched.

    InputError where the version exists, or `like` does not.
    """
    experiment, version = split_key(key)
    place = _place(key, config, needs_project=like is not None)
    if like is None or place.found is None:
        return _finish(place, drafts.example(experiment, version), {}, dry_run=dry_run)
    draft, copied = _like(place.found, like, experiment, version)
    return _finish(place, draft, copied, dry_run=dry_run)


def from_beir(
    key: str, folder: Path, split: str | None, config: Path | None, cache: Path, *, dry_run: bool
) -> list[Path]:
    """The same over a collection in BEIR's layout, everything pinned; its files go to the cache.

    InputError names what the folder lacks.
    """
    experiment, version = split_key(key)
    place = _place(key, config)
    corpus, given = beir.found_in(folder, split)
    draft = drafts.beir(experiment, version, corpus)
    parsed = plan.parse(jsonio.canonical(draft), place.folder / PLAN)
    source = source_of(parsed, place.folder, cache, given=given)
    draft = pinning.written(draft, pinning.found(parsed, source, source.load()))
    if not dry_run:
        for file in files_of(parsed):
            keep(cache, file, given[file.path])
    return _finish(place, draft, {}, dry_run=dry_run)


def from_runs(
    key: str,
    brought: Brought,
    config: Path | None,
    *,
    dry_run: bool,
    tick: Callable[[int], None] | None = None,
) -> list[Path]:
    """The same over runs and judgments, everything pinned; copies of them lie beside the plan."""
    place = _place(key, config)
    draft = bringing.draft(brought, key, tick)
    copied: dict[str, Content] = {**brought.files, ".gitattributes": _AS_THEY_ARE}
    return _finish(place, draft, copied, dry_run=dry_run)


def save(path: Path, brought: Brought, config: Path | None, *, dry_run: bool) -> list[Path]:
    """`from_runs` for the version that lies in that folder: DOCS_DIR/EXPERIMENT/VERSION."""
    path = path.absolute()
    key = key_of(path)
    expected = _place(key, config).folder
    if expected != path:
        docs = expected.parent.parent
        raise InputError(f"{path}: not a version's folder here: {docs}/EXPERIMENT/VERSION")
    return from_runs(key, brought, config, dry_run=dry_run)


def key_of(path: Path) -> str:
    """The version that lies in that folder, as commands name it."""
    path = path.absolute()
    return f"{path.parent.name}@{path.name}"


def _place(key: str, config: Path | None, *, needs_project: bool = False) -> _Place:
    """Where the version of that name goes. InputError where it is there, or its name is taken."""
    experiment, version = split_key(key)
    lacking: dict[Path, Content] = {}
    found: Project | None = None
    try:
        found = project.load(config or project.find_config(Path.cwd()))
    except InputError:
        if config is not None or needs_project or _has_config(Path.cwd()):
            raise
        root = Path.cwd()
        lacking[root / project.CONFIG] = _CONFIG.format(name=json.dumps(experiment)).encode()
        docs = root / "site"
    else:
        root, docs = found.config.root, found.config.docs_dir
        _refuse_taken(found, experiment, version)
    folder = docs / experiment / version
    if folder.exists():
        raise InputError(f"{folder}: exists already; a version is never written over")
    if not (root / ".gitattributes").exists():
        lacking[root / ".gitattributes"] = _ATTRIBUTES.encode()
    return _Place(folder, found, lacking)


def _finish(
    place: _Place, draft: Draft, copied: Mapping[str, Content], *, dry_run: bool
) -> list[Path]:
    """Writes the draft, its notes and what it needs."""
    folder = place.folder
    data = jsonio.canonical(draft)
    plan.parse(data, folder / PLAN)
    made = {path: one for path, one in place.lacking.items() if path.name == project.CONFIG}
    made |= {folder / name: content for name, content in copied.items()}
    made |= {folder / PLAN: data, folder / NOTES: plannotes.notes().encode("utf-8")}
    made |= place.lacking
    if not dry_run:
        _write(made)
    return list(made)


def _write(made: Mapping[Path, Content]) -> None:
    """Writes all of it or leaves nothing behind, no folder either."""
    written: list[Path] = []
    lacking = {one for path in made for one in path.parents if not one.exists()}
    try:
        for path, content in made.items():
            written.append(path)
            if isinstance(content, Path):
                files.copy(path, content)
            else:
                files.write(path, content)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        for folder in sorted(lacking, key=lambda one: -len(one.parts)):
            with contextlib.suppress(OSError):
                folder.rmdir()  # only an empty folder goes
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


def _like(
    found: Project, like: str, experiment: str, version: str
) -> tuple[Draft, dict[str, Content]]:
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
        "date": drafts.today(),
    }
    if old.kind == "replication" or where.file(RESULTS).exists():
        # Its figures are known: what begins from it explores, until its author knows better.
        changed["kind"] = "exploration"
        changed.pop("origin", None)
    copied: dict[str, Content] = {}
    names = [file.path for file in files_of(old)]
    if isinstance(old.corpus, ArchivesCorpus):
        names.append(old.corpus.projection.path)
    copied |= {name: where.file(name) for name in names if where.file(name).is_file()}
    if files_of(old):
        copied[".gitattributes"] = _AS_THEY_ARE
    return changed, copied
