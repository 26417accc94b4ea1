"""The same input gives the same bytes: on any machine, from anywhere, however often."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.builders import ROOT, TinyProject, commit_all, environment, pagecost
from tests.site_builders import committed_site, copy_committed, tree, without_corpora


def differences(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """The files that are only in one of them, or not the same."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def build(root: Path, output: Path, cwd: Path | None = None, **changes: str | None) -> str:
    """Builds that project in a process of its own; what it said."""
    given = ["--config", str(root / "mkdocs.yml"), "--output", str(output)]
    done = pagecost("build", *given, cwd=cwd or root, env=environment(**changes))
    assert done.status == 0, done.err
    return done.err


@pytest.fixture
def first(tiny_project: TinyProject, tmp_path: Path, drawn: Path) -> dict[str, bytes]:
    """The tiny project's site, built with everything at hand in an ordinary environment."""
    said = build(tiny_project.root, tmp_path / "first", TZ="UTC", LANG="C.UTF-8", LC_ALL=None)
    assert "replayed from source" in said
    return tree(tmp_path / "first")


def test_surroundings_change_nothing(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere" / "deep"
    elsewhere.mkdir(parents=True)
    said = build(
        tiny_project.root,
        tmp_path / "second",
        cwd=elsewhere,
        TZ="Asia/Kathmandu",
        PYTHONHASHSEED="4242",
        LANG="tr_TR.UTF-8",
        LC_ALL="C",
        PYTHONUTF8="0",
        HOME=str(elsewhere),
        COLUMNS="20",
        PAGECOST_CACHE=str(tmp_path / "empty"),  # so that every figure is drawn again
    )
    assert "from ranks" in said
    assert differences(first, tree(tmp_path / "second")) == []


def test_an_umask_changes_modes_and_no_bytes(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    script = (
        "import os, sys; os.umask(0o077); from pagecost.cli import main; "
        "sys.argv[0] = 'pagecost'; main()"
    )
    subprocess.run(
        [sys.executable, "-c", script, "build", "--output", str(tmp_path / "second")],
        cwd=tiny_project.root,
        env=environment(),
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert differences(first, tree(tmp_path / "second")) == []
    if os.name == "posix":
        assert (tmp_path / "second" / "index.html").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / "first" / "index.html").stat().st_mode & 0o444 == 0o444


def test_a_project_that_was_moved_out_of_git_gives_the_same_site(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    moved = tmp_path / "a folder with spaces é"
    shutil.copytree(tiny_project.root, moved, ignore=shutil.ignore_patterns(".git", "_site"))
    build(moved, tmp_path / "second")
    assert differences(first, tree(tmp_path / "second")) == []


def test_a_rebuild_with_nothing_changed_gives_the_same_tree(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    said = build(tiny_project.root, tmp_path / "first")
    assert "nothing changed since" in said
    assert differences(first, tree(tmp_path / "first")) == []


def test_what_git_and_the_clock_say_leaves_no_mark(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    for path in tiny_project.root.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (1, 1))
    commit_all(tiny_project.root, "Another commit, which changes no file")
    build(tiny_project.root, tmp_path / "second")
    assert differences(first, tree(tmp_path / "second")) == []


def test_a_page_is_gone_with_its_source(
    tiny_project: TinyProject, first: dict[str, bytes], tmp_path: Path
) -> None:
    extra = tiny_project.docs / "guide" / "extra.md"
    extra.parent.mkdir()
    extra.write_text("# Extra\n", encoding="utf-8")
    build(tiny_project.root, tmp_path / "first")
    assert "guide/extra/index.html" in tree(tmp_path / "first")
    shutil.rmtree(extra.parent)
    build(tiny_project.root, tmp_path / "first")
    assert differences(first, tree(tmp_path / "first")) == []


def test_the_committed_site_is_the_same_from_another_place_and_with_its_corpora_at_hand(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    one = tree(committed_site(tmp_path_factory))
    root = copy_committed(tmp_path / "copy")
    build(
        root,
        tmp_path / "site",
        cwd=tmp_path,
        TZ="America/St_Johns",
        PYTHONHASHSEED="1",
        LC_ALL="C",
        PAGECOST_CACHE=str(tmp_path / "cache"),
    )
    assert differences(one, tree(tmp_path / "site")) == []


def test_versions_that_are_not_the_pinned_ones_are_no_corpus(tmp_path: Path) -> None:
    env = without_corpora(tmp_path)
    done = pagecost("corpus", "python-packages@1", cwd=ROOT, env=env)
    assert done.status == 2
    assert "networkx" in done.err
