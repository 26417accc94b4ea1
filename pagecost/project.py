"""A project on disk: `mkdocs.yml`, and the experiments and versions below its `docs_dir`.

`mkdocs.yml` is the one configuration file, in MkDocs' own vocabulary; `extra.pagecost` holds what
MkDocs has no word for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from pagecost.errors import InputError
from pagecost.jsonio import read_bytes, text_of
from pagecost.names import split_key, version_order

CONFIG = "mkdocs.yml"
PLAN, PROJECTION, RESULTS, RANKS, DOCUMENTS, WRITEUP = (
    "plan.json",
    "projection.csv",
    "results.json",
    "ranks.csv",
    "documents.txt",
    "writeup.md",
)


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What pagecost reads of `mkdocs.yml`. Paths are absolute; `site_url` ends in a slash.

    `site_author` is as BibTeX has authors: several are joined by ` and `.
    """

    root: Path
    site_name: str
    site_url: str | None
    repo_url: str | None
    docs_dir: Path
    site_dir: Path
    output: Path
    nav: tuple[tuple[str, str], ...]
    site_author: str | None = None


class VersionFolder(msgspec.Struct, frozen=True, order=True):
    """Where one version of one experiment lies. It need not be valid yet."""

    experiment: str
    version: str
    folder: Path

    @property
    def key(self) -> str:
        """How commands name it."""
        return f"{self.experiment}@{self.version}"

    def file(self, name: str) -> Path:
        """One of its files, which need not exist."""
        return self.folder / name


class Project(msgspec.Struct, frozen=True):
    """A configuration and the versions found below its `docs_dir`, in order."""

    config: Config
    versions: tuple[VersionFolder, ...]

    def find(self, key: str) -> VersionFolder:
        """The version that EXPERIMENT@VERSION names. InputError says which there are."""
        experiment, version = split_key(key)
        for candidate in self.versions:
            if (candidate.experiment, candidate.version) == (experiment, version):
                return candidate
        known = ", ".join(candidate.key for candidate in self.versions) or "none"
        raise InputError(f"{key}: no such version below {self.config.docs_dir}; known: {known}")

    def select(self, key: str | None) -> tuple[VersionFolder, ...]:
        """All versions, those of EXPERIMENT, or the one of EXPERIMENT@VERSION."""
        if key is None:
            return self.versions
        if "@" in key:
            return (self.find(key),)
        found = tuple(one for one in self.versions if one.experiment == key)
        if not found:
            known = ", ".join(sorted({one.experiment for one in self.versions})) or "none"
            raise InputError(f"{key}: no such experiment; known: {known}")
        return found


# --- Finding it -----------------------------------------------------------------------------------


def find_config(start: Path) -> Path:
    """`mkdocs.yml` in `start` or the nearest folder above. InputError if there is none."""
    for folder in (start, *start.parents):
        if (folder / CONFIG).is_file():
            return folder / CONFIG
    raise InputError(
        f"no {CONFIG} in {start} or above; name one with --config, or start with "
        "`pagecost new EXPERIMENT@VERSION`, which writes one"
    )


def load(config_path: Path) -> Project:
    """The project of that configuration file. InputError names what is wrong where."""
    config = load_config(config_path)
    return Project(config, tuple(_versions(config.docs_dir)))


def _versions(docs: Path) -> Iterator[VersionFolder]:
    experiments: dict[str, list[VersionFolder]] = {}
    for name in (RESULTS, RANKS):
        for path in sorted(docs.glob(f"*/*/{name}")):
            if not path.with_name(PLAN).exists():
                raise InputError(f"{path.with_name(PLAN)}: missing, though {name} is there")
    for plan in docs.glob(f"*/*/{PLAN}"):
        folder = plan.parent
        experiment, version = split_key(f"{folder.parent.name}@{folder.name}")
        experiments.setdefault(experiment, []).append(VersionFolder(experiment, version, folder))
    _refuse_collisions(experiments, docs)
    for experiment, found in sorted(experiments.items()):
        _refuse_collisions((one.version for one in found), docs / experiment)
        yield from sorted(found, key=lambda one: (version_order(one.version), one.version))


def _refuse_collisions(names: Iterable[str], where: Path) -> None:
    """Two names that differ only by case are one folder on many systems, and one URL on some."""
    seen: dict[str, str] = {}
    for name in sorted(names):
        if other := seen.get(name.lower()):
            raise InputError(f"{where}: {other!r} and {name!r} differ only by case; rename one")
        seen[name.lower()] = name


# --- mkdocs.yml -----------------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """Safe YAML that gets past the tags of MkDocs and its plugins."""


def _environment(loader: _Loader, node: yaml.Node) -> Any:
    """`!ENV NAME` or `!ENV [NAME, …, default]`, as MkDocs reads it: one name has no default."""
    names, default = [node], None
    if isinstance(node, yaml.SequenceNode):
        names = node.value
        if len(names) > 1:
            *names, last = names
            default = loader.construct_object(last)
    for name in names:
        value = os.environ.get(str(loader.construct_scalar(name)))  # type: ignore[arg-type]
        if value is not None:
            # A scalar, whatever is in it: a name with a colon is no mapping.
            tag = loader.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
            return loader.construct_object(yaml.ScalarNode(tag, value))
    return default


def _opaque(_loader: _Loader, _suffix: str, _node: yaml.Node) -> None:
    """`!!python/name:…` and the like say something to MkDocs and nothing to us: never run."""


_Loader.add_constructor("!ENV", _environment)
_Loader.add_multi_constructor("!", _opaque)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _opaque)


def load_config(path: Path) -> Config:
    """What pagecost needs of `mkdocs.yml`."""
    path = path.absolute()
    text = text_of(read_bytes(path, 1 << 20), path)
    try:
        data = yaml.load(text, Loader=_Loader)  # derived from SafeLoader
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError) as error:
        # Not YAMLError alone: `2026-02-30`, `!!bool x`, `!!int ""` fail as what they become.
        raise InputError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(data, dict):
        raise InputError(f"{path}: expected a mapping of settings")
    ours = _mapping(_mapping(data, "extra", path), "pagecost", path)
    if unknown := set(ours) - {"output"}:
        raise InputError(f"{path}: extra.pagecost: unknown: {', '.join(sorted(map(str, unknown)))}")
    root = path.parent
    config = Config(
        root=root,
        site_name=_text(data, "site_name", path) or "pagecost",
        site_url=_url(data, "site_url", path),
        repo_url=_url(data, "repo_url", path),
        docs_dir=root / (_text(data, "docs_dir", path) or "docs"),
        site_dir=root / (_text(data, "site_dir", path) or "site"),
        output=root / (_text(ours, "output", path) or "_site"),
        nav=tuple(_nav(data.get("nav"), path)),
        site_author=_text(data, "site_author", path),
    )
    if config.output.resolve() == config.site_dir.resolve():
        raise InputError(
            f"{path}: site_dir and extra.pagecost.output are one folder, which MkDocs would empty; "
            "give site_dir another"
        )
    if not config.docs_dir.is_dir():
        raise InputError(f"{path}: docs_dir: {config.docs_dir} is no folder")
    return config


def _mapping(data: dict[Any, Any], key: str, path: Path) -> dict[Any, Any]:
    value = data.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{path}: {key}: expected a mapping")
    return value


def _text(data: dict[Any, Any], key: str, path: Path) -> str | None:
    value = data.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InputError(f"{path}: {key}: {value!r}, expected text")
    return _encodable(value, key, path)


def _encodable(text: str, key: str, path: Path) -> str:
    """A YAML escape can name half a surrogate pair, which no page could hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{path}: {key}: {text!r} holds what is no character") from None
    return text


def _url(data: dict[Any, Any], key: str, path: Path) -> str | None:
    value = _text(data, key, path)
    if value is None:
        return None
    if not re.fullmatch(r"https?://[^\s<>\"]+", value):
        raise InputError(f"{path}: {key}: {value!r}, expected an http(s) address")
    return value.rstrip("/") + "/"


def _nav(value: object, path: Path, depth: int = 0) -> Iterator[tuple[str, str]]:
    """MkDocs' nav, flattened: (title, path below docs_dir)."""
    if depth > 20:  # an alias can make it hold itself
        raise InputError(f"{path}: nav: nested too deeply")
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            yield Path(_encodable(item, "nav", path)).stem, item
        elif isinstance(item, dict):
            for title, below in item.items():
                if isinstance(below, str):
                    yield _encodable(str(title), "nav", path), _encodable(below, "nav", path)
                else:
                    yield from _nav(below, path, depth + 1)
