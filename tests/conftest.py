"""Fixtures: every test has a cache of its own, and Git as if the machine had no configuration."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.builders import TinyProject, install_distribution, make_project, stock
from tests.diff_builders import make_pair

# A run that decides whether something lands gives the same answer twice; others explore.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


def isolate(patch: pytest.MonkeyPatch, folder: Path) -> Path:
    """A cache in `folder`, no Git configuration but a repository's own; the cache's path."""
    cache = folder / "cache"
    for name in list(os.environ):
        if name.startswith("GIT_") or name.lower().endswith("_proxy"):
            patch.delenv(name)
    patch.setenv("PAGECOST_CACHE", str(cache))
    patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    patch.setenv("GIT_CEILING_DIRECTORIES", str(folder.resolve()))
    return cache


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own cache, which need not exist yet."""
    return isolate(monkeypatch, tmp_path)


@pytest.fixture(scope="session")
def _recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        root = make_project(folder / "project").root
    yield root


@pytest.fixture
def tiny_project(_recorded: Path, tmp_path: Path, cache: Path) -> TinyProject:
    """`tiny@1`: drafted, frozen, recorded, each in a commit of its own; archives in the cache."""
    root = tmp_path / "project"
    shutil.copytree(_recorded, root)
    stock(cache)
    return TinyProject(root)


@pytest.fixture(scope="session")
def _pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pair")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        return make_pair(folder / "project").root


@pytest.fixture
def pair(_pair: Path, tmp_path: Path) -> TinyProject:
    """`tiny@1` and `tiny@2`, both recorded (see `make_pair`). No archive is in the cache."""
    root = tmp_path / "project"
    shutil.copytree(_pair, root)
    return TinyProject(root)


@pytest.fixture(scope="session")
def _figures(_recorded: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        cache = isolate(patch, folder)
        shutil.copytree(_recorded, folder / "project")
        done = TinyProject(folder / "project").run("build")
    assert done.status == 0, done.err
    return cache / "figures"


@pytest.fixture
def drawn(_figures: Path, cache: Path) -> Path:
    """The test's cache with the figures of `tiny@1` in it, since drawing them takes seconds."""
    shutil.copytree(_figures, cache / "figures")
    return cache


@pytest.fixture
def tiny_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the distribution `knots` is installed, for this process and its own."""
    site = tmp_path / "installed"
    install_distribution(site)
    monkeypatch.syspath_prepend(site)
    before = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(site), before))))
    return site
