"""`pagecost publish` against a bare repository: what comes to a Pages branch, and what never does.

Where no process is needed to show something, `World.publish` runs what the command runs.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pagecost import files, pipeline
from pagecost.errors import CheckFailed, InputError, PagecostError
from pagecost.publish import run
from pagecost.publish.branch import Branch
from pagecost.publish.run import Outcome
from tests.builders import (
    Json,
    TinyProject,
    archives_plan,
    commit_all,
    environment,
    forge,
    git,
    make_project,
    require,
    sha256,
    stock,
)
from tests.conftest import isolate
from tests.site_builders import Page

PAGES = "gh-pages"


@dataclass(frozen=True)
class World:
    """A bare repository and the clones that publish to it; `ours` is the first of them."""

    folder: Path
    clones: dict[str, TinyProject] = field(default_factory=dict)

    @property
    def remote(self) -> Path:
        return self.folder / "remote.git"

    @property
    def ours(self) -> TinyProject:
        return self.clones.setdefault("ours", TinyProject(self.folder / "ours"))

    def clone(self, name: str = "theirs") -> TinyProject:
        """Another clone of the same repository, as far as ours is now, with its own identity."""
        made = TinyProject(self.folder / name)
        shutil.copytree(self.ours.root, made.root, symlinks=True)
        git(made.root, "config", "user.name", name.title())
        return self.clones.setdefault(name, made)

    # What is done

    def publish(self, made: TinyProject | None = None, **options: Any) -> Outcome:
        """What `pagecost publish` does, in this process."""
        return self._publish(made or self.ours, io.StringIO(), **options)

    def said(self, made: TinyProject) -> str:
        """What is said while a publication goes well."""
        out = io.StringIO()
        self._publish(made, out)
        return out.getvalue()

    def refused(self, kind: type[PagecostError], made: TinyProject | None = None, **to: str) -> str:
        """The words with which a publication is refused, and nothing changes."""
        before = git(self.remote, "for-each-ref")
        with pytest.raises(kind) as error:
            self.publish(made, **to)
        assert git(self.remote, "for-each-ref") == before
        return str(error.value)

    def _publish(
        self,
        made: TinyProject,
        out: io.StringIO,
        *,
        remote: str = "origin",
        branch: str = PAGES,
        dry_run: bool = False,
    ) -> Outcome:
        return pipeline.publish(made.work(out), remote, branch, dry_run=dry_run)

    def by_hand(self, change: Callable[[Path], object], *, push: bool = True) -> Path:
        """Somebody changes files of the branch with Git alone; the clone that they did it in."""
        folder = self.folder / f"hand-{len(list(self.folder.glob('hand-*')))}"
        if self.tip():
            git(self.folder, "clone", "--quiet", "--branch", PAGES, str(self.remote), str(folder))
        else:
            git(self.folder, "init", "--quiet", f"--initial-branch={PAGES}", str(folder))
            git(folder, "remote", "add", "origin", str(self.remote))
        for key, value in (("user.name", "Hand"), ("user.email", "hand@example.invalid")):
            git(folder, "config", key, value)
        change(folder)
        commit_all(folder, "By hand")
        if push:
            git(folder, "push", "--quiet", "origin", PAGES)
        return folder

    def write(self, files: Mapping[str, str]) -> None:
        """Somebody writes these files to the branch."""

        def change(folder: Path) -> None:
            for name, text in files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")

        self.by_hand(change)

    def rewrite(self, change: Callable[[Json], object]) -> None:
        """Somebody edits `versions.json` on the branch."""

        def edit(folder: Path) -> None:
            path = folder / "versions.json"
            listed = json.loads(path.read_bytes())
            change(listed)
            path.write_text(json.dumps(listed), encoding="utf-8")

        self.by_hand(edit)

    # What there is

    def tip(self, branch: str = PAGES) -> str:
        """The branch's commit; empty where there is none."""
        return git(self.remote, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}")

    def commits(self) -> list[str]:
        """The branch's commits, the newest first."""
        return git(self.remote, "rev-list", "--first-parent", PAGES).split()

    def modes(self) -> dict[str, str]:
        """Mode, kind and object of every entry of the branch."""
        done = subprocess.run(
            ["git", "-C", str(self.remote), "ls-tree", "-r", "-z", PAGES],
            capture_output=True,
            check=True,
        )
        listed = os.fsdecode(done.stdout).split("\0")
        return {path: said for said, _, path in (one.partition("\t") for one in listed if one)}

    def files(self, commit: str = PAGES) -> dict[str, bytes]:
        """Every plain file of the branch."""
        done = subprocess.run(
            ["git", "-C", str(self.remote), "archive", "--format=tar", commit],
            capture_output=True,
            check=True,
        )
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            found = ((one.name, archive.extractfile(one)) for one in archive if one.isfile())
            return {name: file.read() for name, file in found if file is not None}

    def page(self, path: str) -> Page:
        return Page(git(self.remote, "show", f"{PAGES}:{path}"))

    def listed(self) -> dict[str, Json]:
        """The entries of `versions.json` by key."""
        entries = json.loads(git(self.remote, "show", f"{PAGES}:versions.json"))["versions"]
        return {f"{one['experiment']}@{one['version']}": one for one in entries}


def state(made: TinyProject) -> dict[str, object]:
    """Everything of a clone that a publication is to leave alone."""
    return {
        "files": made.state(),
        "head": (made.root / ".git" / "HEAD").read_bytes(),
        "index": (made.root / ".git" / "index").read_bytes(),
        "config": (made.root / ".git" / "config").read_bytes(),
        "refs": git(made.root, "for-each-ref", "refs/heads", "refs/tags", "refs/pagecost"),
    }


def links(page: Page) -> set[str]:
    return {link.get("href") for link in page.all("a") if "href" in link.attributes}


def add(made: TinyProject, key: str, *, record: bool = False, **changes: Any) -> None:
    """A version more: frozen, or recorded, and committed."""
    made.write_plan(key, archives_plan(*key.split("@"), **changes))
    made.commit(f"Draft {key}")
    made.freeze(key)
    if record:
        complete(made, key)


def complete(made: TinyProject, key: str = "tiny@1") -> None:
    """Records a frozen version and commits the record."""
    made.record(key)
    made.commit(f"Record {key}")


def write_up(made: TinyProject, text: str, key: str = "tiny@1") -> None:
    made.file(key, "writeup.md").write_text(f"# What it says\n\n{text}\n", encoding="utf-8")
    made.commit("Write it up")


def hook(repository: Path, name: str, script: str) -> None:
    """A hook of that repository."""
    require(os.name == "posix", "hooks here are shell scripts")
    path = repository / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


# --- Worlds, made once and copied -----------------------------------------------------------------


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for all tests here, since drawing takes seconds."""
    return tmp_path_factory.mktemp("publish-cache")


@pytest.fixture(autouse=True)
def _cache(cache: Path, _shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGECOST_CACHE", str(_shared))


def make_world(folder: Path) -> World:
    """A clone with `tiny@1`, frozen, and a repository to which nothing was published yet."""
    made = World(folder)
    make_project(made.ours.root, state="frozen")
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(made.remote))
    git(made.ours.root, "remote", "add", "origin", "../remote.git")
    git(made.ours.root, "push", "--quiet", "origin", "main")
    return made


@pytest.fixture(scope="module")
def _fresh(tmp_path_factory: pytest.TempPathFactory, _shared: Path) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        patch.setenv("PAGECOST_CACHE", str(_shared))
        return make_world(folder / "world").folder


@pytest.fixture(scope="module")
def _published(tmp_path_factory: pytest.TempPathFactory, _shared: Path, _fresh: Path) -> Path:
    folder = tmp_path_factory.mktemp("published")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        patch.setenv("PAGECOST_CACHE", str(_shared))
        shutil.copytree(_fresh, folder / "world", symlinks=True)
        World(folder / "world").publish()
    return folder / "world"


@pytest.fixture(scope="module")
def _recorded_world(
    tmp_path_factory: pytest.TempPathFactory, _shared: Path, _published: Path
) -> Path:
    folder = tmp_path_factory.mktemp("recorded-world")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        patch.setenv("PAGECOST_CACHE", str(_shared))
        shutil.copytree(_published, folder / "world", symlinks=True)
        made = World(folder / "world")
        complete(made.ours)
        made.publish()
    return folder / "world"


def _copied(world: Path, tmp_path: Path) -> Iterator[World]:
    shutil.copytree(world, tmp_path / "world", symlinks=True)
    made = World(tmp_path / "world")
    yield made
    for clone in made.clones.values():  # however it went, nothing is left in a clone
        assert git(clone.root, "for-each-ref", "refs/pagecost") == ""


@pytest.fixture
def fresh(_fresh: Path, tmp_path: Path) -> Iterator[World]:
    """Nothing is published yet."""
    yield from _copied(_fresh, tmp_path)


@pytest.fixture
def world(_published: Path, tmp_path: Path) -> Iterator[World]:
    """`tiny@1` is published, as a frozen plan."""
    yield from _copied(_published, tmp_path)


@pytest.fixture
def scored(_recorded_world: Path, tmp_path: Path) -> Iterator[World]:
    """`tiny@1` is published, first as a frozen plan and then with its record."""
    yield from _copied(_recorded_world, tmp_path)


# --- The first publication, and one more ----------------------------------------------------------


def test_a_first_publication_makes_the_branch(fresh: World) -> None:
    done = fresh.ours.run("publish")
    assert (done.status, done.out) == (0, "")
    found = fresh.files()
    assert f"gh-pages of origin: {len(found)} files written, 0 removed, in " in done.err
    assert "tiny@1                   new\n" in done.err
    assert fresh.tip().startswith(done.err.split()[-1])
    assert {".nojekyll", "index.html", "tiny/1/index.html", "tiny/experiment.json"} <= found.keys()
    assert found["tiny/1/plan.json"] == fresh.ours.file("tiny@1", "plan.json").read_bytes()
    assert fresh.listed()["tiny@1"]["plan_sha256"] == sha256(found["tiny/1/plan.json"])
    about = json.loads(found["tiny/experiment.json"])
    assert about["title"] == "tiny"
    assert about["abstract"] == "Does the helper need fewer pages than the baseline?"
    assert len(fresh.commits()) == 1


def test_the_manifest_on_the_branch_lists_every_other_file(world: World) -> None:
    found = world.files()
    lines = found.pop(".pagecost-site").decode().splitlines()
    assert lines == [f"{sha256(data)}  {path}" for path, data in sorted(found.items())]


def test_a_second_publication_finds_nothing_to_do(world: World) -> None:
    before = world.tip()
    done = world.ours.run("publish")
    assert done.status == 0
    assert "gh-pages of origin: nothing to publish\n" in done.err
    assert "tiny@1                   same\n" in done.err
    assert world.tip() == before


def test_a_publication_says_in_its_commit_what_it_brought(fresh: World) -> None:
    add(fresh.ours, "fleet@1")
    fresh.publish()
    head = git(fresh.ours.root, "rev-parse", "--short=12", "HEAD")
    message = git(fresh.remote, "log", "-1", "--format=%B", PAGES)
    assert message.startswith("Publish 2 versions\n\nfleet@1: new\ntiny@1: new\n")
    assert f"From {head}, by pagecost." in message
    complete(fresh.ours, "fleet@1")
    fresh.publish()
    assert git(fresh.remote, "log", "-1", "--format=%s", PAGES) == "Publish fleet@1"


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_the_clone_stays_as_it_is(world: World, options: tuple[str, ...]) -> None:
    made = world.ours
    add(made, "tiny@2")
    (made.root / "staged.txt").write_text("staged")
    git(made.root, "add", "staged.txt")
    (made.root / "staged.txt").write_text("changed since")
    (made.root / "untracked.txt").write_text("untracked")
    before = state(made)
    assert made.run("publish", *options).status == 0
    assert state(made) == before
    assert not (made.root / ".git" / "FETCH_HEAD").exists()


def test_a_dry_run_does_not_even_note_where_the_branch_is(world: World) -> None:
    world.write({"CNAME": "example.invalid\n"})
    before = git(world.ours.root, "for-each-ref")
    assert world.publish(dry_run=True).written == []
    assert git(world.ours.root, "for-each-ref") == before


def test_what_is_published_is_what_was_rendered_whatever_git_does_to_line_ends(
    world: World,
) -> None:
    git(world.ours.root, "config", "core.autocrlf", "true")
    (world.ours.docs / "picture.svg").write_bytes(b"<svg>\r\n</svg>\r\n")
    world.ours.commit()
    world.publish()
    assert world.files()["picture.svg"] == b"<svg>\r\n</svg>\r\n"


def test_a_dry_run_says_what_would_change_and_changes_nothing(world: World) -> None:
    add(world.ours, "tiny@2")
    before = git(world.remote, "for-each-ref"), git(world.remote, "count-objects", "-v")
    done = world.ours.run("publish", "--dry-run", "--verbose")
    assert done.status == 0
    assert (git(world.remote, "for-each-ref"), git(world.remote, "count-objects", "-v")) == before
    assert "tiny@1                   same\ntiny@2                   new\n" in done.err
    written = [line[6:] for line in done.err.splitlines() if line.startswith("write ")]
    assert f"gh-pages of origin: would be {len(written)} files written, 0 removed" in done.err
    assert sorted(world.publish().written) == written


def test_a_dry_run_of_a_first_publication_makes_no_branch(fresh: World) -> None:
    before = git(fresh.ours.root, "for-each-ref")
    done = fresh.publish(dry_run=True)
    assert (done.fates, done.commit) == ({"tiny@1": "new"}, None)
    assert fresh.tip() == ""
    assert git(fresh.ours.root, "for-each-ref") == before


def test_a_dry_run_needs_no_identity(fresh: World) -> None:
    _without_identity(fresh.ours)
    assert fresh.publish(dry_run=True).written


# --- What others have on the branch ---------------------------------------------------------------

FOREIGN = {
    "CNAME": "pages.example.invalid\n",
    "about.html": "<p>By hand.\n",
    "tiny/notes/index.html": "<p>Beside our versions.\n",
    "tiny/1/mine.txt": "Inside one of them.\n",
    "assets/logo.svg": "<svg/>\n",
    "odd \"name'\t\n.txt": "odd\n",
}


def _foreign(folder: Path) -> None:
    require(os.name == "posix", "not every system has such files")
    for name, text in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / os.fsdecode(b"\xff.bin")).write_bytes(b"\xff")
    (folder / "link").symlink_to("about.html")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    _bind(folder, "vendored")


def _bind(folder: Path, name: str) -> None:
    """A submodule, as far as the branch is concerned."""
    (folder / name).mkdir()
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{name}")


def _theirs(modes: Mapping[str, str]) -> dict[str, str]:
    names = {*FOREIGN, "link", "run.sh", os.fsdecode(b"\xff.bin"), "vendored"}
    return {path: said for path, said in modes.items() if path in names}


@pytest.mark.parametrize("first", [True, False])
def test_what_pagecost_does_not_own_stays_with_its_mode(fresh: World, first: bool) -> None:
    if not first:
        fresh.publish()
    fresh.by_hand(_foreign)
    before = _theirs(fresh.modes())
    assert len(before) == len(FOREIGN) + 4
    assert before["link"].startswith("120000 ")
    assert before["run.sh"].startswith("100755 ")
    assert before["vendored"].startswith("160000 ")
    write_up(fresh.ours, "Something changes.")
    fresh.publish()
    assert _theirs(fresh.modes()) == before
    assert "tiny/1/index.html" in fresh.modes()


def test_a_hand_written_front_page_in_the_way_is_refused(fresh: World) -> None:
    fresh.write({"index.html": "<p>By hand.\n"})
    done = fresh.ours.run("publish")
    assert done.status == 2
    assert "error: index.html: on the branch already, and not pagecost's. Move it away" in done.err
    assert "--branch" in done.err
    assert fresh.files() == {"index.html": b"<p>By hand.\n"}


def test_a_submodule_in_the_way_is_refused(world: World) -> None:
    world.by_hand(lambda folder: _bind(folder, "fleet"))
    add(world.ours, "fleet@1")
    assert "fleet: on the branch already, and not pagecost's" in world.refused(InputError)


def test_a_nojekyll_of_somebody_else_stays_theirs(fresh: World) -> None:
    fresh.write({".nojekyll": "on purpose\n"})
    fresh.publish()
    assert fresh.files()[".nojekyll"] == b"on purpose\n"


# --- Drafts ---------------------------------------------------------------------------------------


def test_a_draft_is_neither_published_nor_listed_nor_compared(world: World) -> None:
    world.ours.write_plan("tiny@2", archives_plan("tiny", "2", title="Nobody is to know"))
    world.ours.write_plan("secret@1", archives_plan("secret", "1"))
    before = world.tip()
    done = world.ours.run("publish")
    assert done.status == 0
    assert "note: tiny@2: a draft, and left out" in done.err
    assert "note: secret@1: a draft, and left out" in done.err
    assert world.tip() == before


def test_nothing_that_lies_beside_a_draft_is_published(world: World) -> None:
    for key in ("tiny@2", "secret@1"):
        world.ours.write_plan(key, archives_plan(*key.split("@")))
        write_up(world.ours, "Nobody is to know.", key)
        world.ours.file(key, "plot.png").write_bytes(b"a picture")
    (world.ours.docs / "secret" / "index.md").write_text("# Nobody is to know\n")
    world.ours.commit("Keep a secret")
    before = world.tip()
    world.publish()
    assert world.tip() == before


def test_a_version_that_is_a_draft_here_and_published_from_elsewhere_stays(world: World) -> None:
    theirs = world.clone()
    theirs.write_plan("tiny@2", archives_plan("tiny", "2"))
    theirs.commit("Draft tiny@2")
    behind = shutil.copytree(theirs.root, world.folder / "behind", symlinks=True)
    theirs.freeze("tiny@2")
    world.publish(theirs)
    before = world.files()
    assert world.publish(TinyProject(behind)).fates == {"tiny@1": "same"}
    assert world.files() == before


# --- The life of a version ------------------------------------------------------------------------


def test_a_record_is_added_to_a_published_plan(world: World) -> None:
    complete(world.ours)
    assert world.publish().fates == {"tiny@1": "record added"}
    found, entry = world.files(), world.listed()["tiny@1"]
    for name, listed in (("results.json", "results_sha256"), ("ranks.csv", "ranks_sha256")):
        assert found[f"tiny/1/{name}"] == world.ours.file("tiny@1", name).read_bytes()
        assert entry[listed] == sha256(found[f"tiny/1/{name}"])
    assert git(world.remote, "log", "-1", "--format=%b", PAGES).startswith("tiny@1: record added\n")
    assert world.publish().commit is None


def test_a_write_up_may_change_and_each_is_listed(world: World) -> None:
    for text in ("First words.", "Second thoughts."):
        write_up(world.ours, text)
        assert world.publish().fates == {"tiny@1": "write-up changed"}
        assert text in world.page("tiny/1/index.html").text
        data = world.ours.file("tiny@1", "writeup.md").read_bytes()
        assert world.listed()["tiny@1"]["writeup_sha256"] == sha256(data)


def test_a_write_up_may_become_what_it_was_before(world: World) -> None:
    for text in ("First words.", "Second thoughts.", "First words."):
        write_up(world.ours, text)
        assert world.publish().fates == {"tiny@1": "write-up changed"}
    assert "First words." in world.page("tiny/1/index.html").text


def test_a_figure_that_a_write_up_shows_no_longer_goes(world: World) -> None:
    world.ours.file("tiny@1", "plot.png").write_bytes(b"a picture")
    write_up(world.ours, "![A picture](plot.png)")
    world.publish()
    assert "tiny/1/plot.png" in world.files()
    world.ours.file("tiny@1", "plot.png").unlink()
    write_up(world.ours, "No picture.")
    assert world.publish().removed == ["tiny/1/plot.png"]
    assert "tiny/1/plot.png" not in world.files()


# --- A clone that is behind -----------------------------------------------------------------------


def test_a_clone_with_an_older_write_up_takes_nothing_back(world: World) -> None:
    theirs = world.clone()
    for made, text in ((theirs, "First words."), (world.ours, "First words.")):
        made.file("tiny@1", "plot.png").write_bytes(b"first")
        write_up(made, f"{text} ![A picture](plot.png)")
    world.publish()
    world.ours.file("tiny@1", "plot.png").write_bytes(b"second")
    write_up(world.ours, "Second thoughts. ![A picture](plot.png)")
    world.publish()
    before = world.files()
    done = theirs.run("publish")
    assert done.status == 0
    assert "tiny@1                   behind: what is published is not in this clone's" in done.err
    assert world.files() == before


def test_a_clone_without_the_record_takes_nothing_back(scored: World) -> None:
    theirs = scored.clone()
    git(theirs.root, "reset", "--quiet", "--hard", "HEAD~1")
    assert not theirs.file("tiny@1", "results.json").exists()
    before = scored.files()
    assert scored.publish(theirs).fates == {"tiny@1": "behind"}
    assert scored.files() == before


def test_a_clone_without_the_list_of_documents_takes_nothing_back(scored: World) -> None:
    add(scored.ours, "tiny@2", record=True)
    scored.publish()
    theirs = scored.clone()
    theirs.file("tiny@1", "documents.txt").unlink()
    theirs.commit("As it was before there was such a list")
    before = scored.files()
    assert "tiny/1/documents.txt" in before
    scored.publish(theirs)
    assert scored.files() == before


def test_a_list_of_documents_that_is_another_is_not_taken_for_ours(scored: World) -> None:
    scored.ours.file("tiny@1", "documents.txt").unlink()
    scored.ours.commit("As it was before there was such a list")
    scored.write({"tiny/1/documents.txt": "another\n"})
    scored.publish()
    assert b"  tiny/1/documents.txt\n" not in scored.files()[".pagecost-site"]
    assert scored.files()["tiny/1/documents.txt"] == b"another\n"


def test_a_clone_without_an_image_takes_nothing_back(world: World) -> None:
    theirs = world.clone()
    world.ours.file("tiny@1", "plot.png").write_bytes(b"a picture")
    world.ours.commit("Add a picture")
    world.publish()
    before = world.files()
    assert "tiny/1/plot.png" in before
    assert world.publish(theirs).fates == {"tiny@1": "same"}
    assert world.files() == before


def test_a_clone_that_is_behind_still_publishes_what_is_new(scored: World) -> None:
    theirs = scored.clone()
    git(theirs.root, "reset", "--quiet", "--hard", "HEAD~1")
    add(theirs, "tiny@2")
    assert scored.publish(theirs).fates == {"tiny@1": "behind", "tiny@2": "new"}
    assert scored.listed()["tiny@1"]["results_sha256"] is not None
    # `latest` goes to a version with a record, which only the branch has.
    assert "1/index.html" in str(scored.page("tiny/latest/index.html").one("script").attributes)
    assert "tiny/compare/1..2/index.html" in scored.files()


def test_a_clone_that_is_ahead_and_behind_is_refused(scored: World) -> None:
    theirs = scored.clone()
    git(theirs.root, "reset", "--quiet", "--hard", "HEAD~1")
    write_up(theirs, "Words of theirs.")
    said = scored.refused(CheckFailed, theirs)
    assert said.startswith("tiny@1: more of it was published from elsewhere")
    assert "git pull" in said


# --- What may not happen to a published version ---------------------------------------------------


def another_history(world: World, key: str = "tiny@1", **changes: Any) -> TinyProject:
    """A repository that has nothing to do with ours but the remote it publishes to."""
    made = make_project(
        world.folder / "stranger",
        versions={key: archives_plan(*key.split("@"), **changes)},
        state="frozen",
    )
    git(made.root, "remote", "add", "origin", "../remote.git")
    world.clones["stranger"] = made
    return made


def test_another_plan_of_a_published_version_is_refused(world: World) -> None:
    made = another_history(world, title="Another plan")
    before = world.tip()
    done = made.run("publish")
    assert done.status == 1
    assert "error: tiny@1: plan.json was published with sha256" in done.err
    assert "pagecost new tiny@NEXT --like tiny@1" in done.err
    assert world.tip() == before


def test_another_record_of_a_published_version_is_refused(
    scored: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    theirs = scored.clone()
    git(theirs.root, "reset", "--quiet", "--hard", "HEAD~1")
    complete(theirs)
    forge(theirs, "tiny@1")
    git(theirs.root, "commit", "--quiet", "--amend", "--all", "--no-edit")
    monkeypatch.setenv("PAGECOST_CACHE", str(tmp_path / "empty"))  # no corpus to disprove it
    said = scored.refused(CheckFailed, theirs)
    for name in ("results.json", "ranks.csv"):
        assert f"tiny@1: {name} was published with sha256" in said


def test_a_record_that_does_not_hold_is_refused(world: World) -> None:
    world.ours.record("tiny@1")
    forge(world.ours, "tiny@1")
    world.ours.commit("Forge a record")
    assert "ranking the corpus again" in world.refused(CheckFailed)


@pytest.mark.parametrize("key", ["Tiny@1", "Tiny@2"])
def test_a_name_that_differs_only_by_case_is_refused(world: World, key: str) -> None:
    said = world.refused(CheckFailed, another_history(world, key))
    assert said.startswith(f"{key}: published as 'tiny")
    assert "differs only by case" in said


def test_a_plan_that_changed_since_it_was_frozen_is_refused(world: World) -> None:
    world.ours.change_plan("tiny@1", title="Changed")
    world.ours.commit("Change a frozen plan")
    assert "the plan was frozen with sha256" in world.refused(CheckFailed)


def test_a_record_that_was_taken_out_is_refused(scored: World) -> None:
    for name in ("results.json", "ranks.csv"):
        scored.ours.file("tiny@1", name).unlink()
    scored.ours.commit("Take the record out")
    assert "results.json: was committed, and is gone" in scored.refused(CheckFailed)


def test_a_plan_that_is_not_committed_is_refused(fresh: World) -> None:
    fresh.ours.write_plan("tiny@2", archives_plan("tiny", "2", status="frozen"))
    said = fresh.refused(CheckFailed)
    assert said == "tiny@2: its plan is not committed; `pagecost freeze` does that"


@pytest.mark.parametrize("name", ["results.json", "ranks.csv", "documents.txt", "writeup.md"])
def test_a_file_of_a_version_that_is_not_committed_is_refused(scored: World, name: str) -> None:
    write_up(scored.ours, "Words.")
    git(scored.ours.root, "rm", "--quiet", "--cached", str(scored.ours.file("tiny@1", name)))
    git(scored.ours.root, "commit", "--quiet", "-m", "All but one of its files")
    said = scored.refused(CheckFailed)
    assert said.endswith(f"{name}: not committed; commit what is published first")


@pytest.mark.parametrize("name", ["index.md", "tiny/index.md", "guide/more.md"])
def test_prose_that_is_not_committed_is_refused(world: World, name: str) -> None:
    (world.ours.docs / "guide").mkdir()
    (world.ours.docs / name).write_text("# Not said yet\n")
    said = world.refused(CheckFailed)
    assert said.endswith(f"{name}: not committed; commit what is published first")


# --- What was done to the branch by hand ----------------------------------------------------------


def _drop_folder(folder: Path) -> None:
    shutil.rmtree(folder / "tiny" / "1")


def test_a_version_that_was_removed_by_hand_stops_those_who_lack_it(world: World) -> None:
    world.by_hand(_drop_folder)
    other = another_history(world, "fleet@1")
    said = world.refused(CheckFailed, other)
    assert said == (
        "gh-pages of origin: tiny@1: plan.json was published, and is gone. Put the branch back "
        "with Git, or publish from a clone that has this version"
    )


def test_a_version_that_was_removed_by_hand_is_healed_by_who_has_it(world: World) -> None:
    before = world.files()
    world.by_hand(_drop_folder)
    world.publish()
    assert world.files() == before
    world.publish(another_history(world, "fleet@1"))
    assert {"tiny@1", "fleet@1"} == world.listed().keys()


def test_a_published_file_that_was_altered_by_hand_stops_and_is_healed(scored: World) -> None:
    before = scored.files()
    scored.write({"tiny/1/ranks.csv": "altered\n"})
    said = scored.refused(CheckFailed, another_history(scored, "fleet@1"))
    assert "tiny@1: ranks.csv is not the one that was published" in said
    scored.publish()
    assert scored.files() == before


@pytest.mark.parametrize("gone", [True, False])
def test_a_version_that_was_dropped_from_the_list_stops_and_is_healed(
    scored: World, gone: bool
) -> None:
    before = scored.files()
    if gone:
        scored.by_hand(lambda folder: (folder / "versions.json").unlink())
    else:
        scored.rewrite(lambda listed: listed["versions"].clear())
    said = scored.refused(CheckFailed, another_history(scored, "fleet@1"))
    assert said.startswith(
        "gh-pages of origin: tiny@1: published, but dropped from versions.json. Put the branch back"
    )
    assert said.count("\n") == 0
    scored.publish()
    assert scored.files() == before


def test_a_version_that_was_dropped_from_the_list_is_not_replaced_by_less(scored: World) -> None:
    scored.rewrite(lambda listed: listed["versions"].clear())
    git(scored.ours.root, "reset", "--quiet", "--hard", "HEAD~1")
    assert "tiny@1: published, but dropped from versions.json" in scored.refused(CheckFailed)


def test_a_version_that_was_dropped_from_the_list_is_not_replaced_by_another(world: World) -> None:
    world.rewrite(lambda listed: listed["versions"].clear())
    said = world.refused(CheckFailed, another_history(world, title="Another plan"))
    assert "tiny@1: published, but dropped from versions.json" in said


def test_a_digest_that_was_edited_in_the_list_is_refused(world: World) -> None:
    world.rewrite(lambda listed: listed["versions"][0].update(plan_sha256="0" * 64))
    assert f"plan.json was published with sha256 {'0' * 64}" in world.refused(CheckFailed)
    said = world.refused(CheckFailed, another_history(world, "fleet@1"))
    assert "tiny@1: plan.json is not the one that was published" in said


@pytest.mark.parametrize("text", ['[{"version": "1.0", "title": "1.0", "aliases": []}]', "{"])
def test_a_list_of_another_tool_is_refused_with_the_way_out(fresh: World, text: str) -> None:
    fresh.write({"versions.json": text})  # mike, for MkDocs, has one of the same name
    said = fresh.refused(InputError)
    assert said.startswith("gh-pages of origin: versions.json: ")
    assert said.endswith(". If it is not pagecost's, publish to a branch of its own with --branch")


def test_a_page_of_ours_that_was_edited_by_hand_is_not_written_over(world: World) -> None:
    world.write({"index.html": "<p>Edited by hand.\n"})
    add(world.ours, "tiny@2")
    said = world.refused(InputError)
    assert said.startswith("index.html: on the branch already, and not pagecost's")
    assert world.files()["index.html"] == b"<p>Edited by hand.\n"


def test_a_report_of_ours_that_was_edited_by_hand_is_put_right(world: World) -> None:
    before = world.files()
    world.write({"tiny/1/index.html": "<p>Edited by hand.\n"})
    assert world.publish().written == ["tiny/1/index.html"]
    assert world.files() == before


def test_a_page_of_prose_does_not_replace_what_another_clone_published(world: World) -> None:
    world.publish(another_history(world, "fleet@1"))
    prose = world.ours.docs / "fleet" / "1"
    prose.mkdir(parents=True)
    (prose / "index.md").write_text("# No report\n")
    world.ours.commit("Write where others publish")
    said = world.refused(InputError)
    assert said == "fleet/1/index.html: a page of this project, where fleet@1 is published"


def test_a_manifest_that_was_spoilt_is_refused_with_the_line(world: World) -> None:
    world.write({".pagecost-site": "<<<<<<< HEAD\n"})
    said = world.refused(InputError)
    assert said.startswith("gh-pages of origin: .pagecost-site: line 1: expected a sha256")


def test_a_site_that_was_deployed_before_is_taken_over(fresh: World) -> None:
    """A branch that holds what `pagecost build` wrote, and no list of versions yet."""
    assert fresh.ours.run("build", "--output", "../built").status == 0
    built = fresh.folder / "built"
    fresh.by_hand(lambda folder: shutil.copytree(built, folder, dirs_exist_ok=True))
    assert fresh.publish().written == [".pagecost-site", "versions.json"]
    assert fresh.listed().keys() == {"tiny@1"}


# --- Several clones -------------------------------------------------------------------------------


def test_a_version_of_another_clone_stays_is_listed_and_is_compared(scored: World) -> None:
    theirs = scored.clone()
    add(theirs, "tiny@2", record=True)
    add(scored.ours, "tiny@3")
    scored.publish(theirs)
    between = scored.files()
    assert scored.publish().fates == {"tiny@1": "same", "tiny@3": "new"}
    found = scored.files()
    kept = [path for path in between if path.startswith("tiny/2/")]
    assert [found[path] for path in kept] == [between[path] for path in kept]
    assert found["tiny/2/results.json"] == theirs.file("tiny@2", "results.json").read_bytes()
    for page in ("index.html", "tiny/index.html"):
        reports = {f"{'tiny/' if page == 'index.html' else ''}{n}/index.html" for n in (1, 2, 3)}
        assert reports <= links(scored.page(page))
    assert "../2/index.html" in found["tiny/latest/index.html"].decode()  # 3 has no record
    for pair in ("1..2", "2..3"):
        assert f"compare/{pair}/index.html" in links(scored.page("tiny/index.html"))
        assert f"tiny/compare/{pair}/index.html" in found


def test_two_clones_with_different_experiments_are_both_listed(world: World) -> None:
    theirs = another_history(world, "fleet@1", title="Ships")
    (theirs.docs / "fleet" / "index.md").write_text(
        "---\ntitle: A question of ships\nabstract: Which ship sails?\n---\n"
    )
    theirs.commit("Say what it is")
    world.publish(theirs)
    add(world.ours, "tiny@2")
    world.publish()
    front = world.page("index.html")
    assert {"fleet/index.html", "fleet/1/index.html", "tiny/2/index.html"} <= links(front)
    for page in (front, world.page("fleet/index.html")):
        assert "A question of ships" in page.text
        assert "Which ship sails?" in page.text
    about = json.loads(world.files()["fleet/experiment.json"])
    assert about == {"schema": 1, "title": "A question of ships", "abstract": "Which ship sails?"}


def test_comparisons_that_others_led_to_stay(world: World) -> None:
    theirs = world.clone()
    add(world.ours, "tiny@3")
    world.publish()
    assert "tiny/compare/1..3/index.html" in world.files()
    for key in ("tiny@2", "tiny@4"):  # 1 is now neither just before 3, nor is 3 the newest
        add(theirs, key)
    world.publish(theirs)
    found = world.files()
    for pair in ("1..2", "2..3", "3..4", "1..4", "1..3"):
        assert f"tiny/compare/{pair}/index.html" in found
        assert f"compare/{pair}/index.html" in links(world.page("tiny/index.html"))
    assert "../compare/1..3/index.html" in links(world.page("tiny/3/index.html"))


def test_the_page_of_an_experiment_that_is_only_elsewhere_stays_as_it_is(world: World) -> None:
    theirs = another_history(world, "fleet@1")
    (theirs.docs / "fleet" / "index.md").write_text("# Ships\n\nAll about *ships*.\n")
    theirs.commit("Say what it is about")
    world.publish(theirs)
    before = world.files()["fleet/index.html"]
    assert b"All about <em>ships</em>." in before
    add(world.ours, "tiny@2")
    world.publish()
    assert world.files()["fleet/index.html"] == before


def test_prose_of_a_clone_that_is_ahead_is_not_taken_back(world: World) -> None:
    theirs = world.clone()
    (world.ours.docs / "index.md").write_text("# Front\n\nSecond thoughts.\n")
    world.ours.commit("Think again")
    world.publish()
    add(theirs, "tiny@2")
    said = world.refused(CheckFailed, theirs)
    assert "index.md: published in a state that is not in this clone's history" in said
    assert "git pull" in said
    git(theirs.root, "pull", "--quiet", "--no-rebase", str(world.ours.root), "main")
    assert world.publish(theirs).fates == {"tiny@1": "same", "tiny@2": "new"}
    assert "Second thoughts." in world.page("index.html").text


def test_a_write_up_that_two_clones_changed_is_nobodys_to_replace(world: World) -> None:
    theirs = world.clone()
    write_up(world.ours, "Words of ours.")
    world.publish()
    write_up(theirs, "Words of theirs.")
    before = world.files()
    assert world.publish(theirs).fates == {"tiny@1": "behind"}
    assert world.files() == before


# --- Assets ---------------------------------------------------------------------------------------


def _restyle(made: TinyProject, css: str) -> str:
    """Gives the project a style of its own; the name under which it is published."""
    path = made.root / "templates" / "assets" / "site.css"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(css, encoding="utf-8")
    made.commit("Restyle")
    return f"assets/site.{sha256(css.encode())[:10]}.css"


def test_an_asset_is_removed_once_no_page_names_it(world: World) -> None:
    old = next(path for path in world.files() if path.endswith(".css"))
    new = _restyle(world.ours, "body { color: black }\n")
    assert world.publish().removed == [old]
    assert {path for path in world.files() if path.endswith(".css")} == {new}


def test_an_asset_stays_while_a_page_of_another_clone_names_it(world: World) -> None:
    old = next(path for path in world.files() if path.endswith(".css"))
    stranger = another_history(world, "fleet@1")
    new = _restyle(stranger, "body { color: black }\n")
    assert world.publish(stranger).removed == []
    assert {old, new} <= world.files().keys()
    assert old in world.files()["tiny/1/index.html"].decode()
    # Once its own clone is restyled as well, nobody names it any more.
    _restyle(world.ours, "body { color: black }\n")
    assert world.publish().removed == [old]


def test_an_asset_stays_while_a_hand_written_page_names_it(world: World) -> None:
    old = next(path for path in world.files() if path.endswith(".css"))
    world.write({"about.html": f'<link rel="stylesheet" href="{old}">\n'})
    _restyle(world.ours, "body { color: black }\n")
    assert world.publish().removed == []
    assert old in world.files()


# --- Who, and where -------------------------------------------------------------------------------


def _without_identity(made: TinyProject) -> None:
    for key in ("user.name", "user.email"):
        git(made.root, "config", "--unset", key)
    git(made.root, "config", "user.useConfigOnly", "true")


def author(world: World) -> str:
    return git(world.remote, "log", "-1", "--format=%an <%ae>, %cn", PAGES)


def test_a_publication_is_by_whom_git_says_it_is(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(world.ours.root, "config", "user.name", "Ada Publisher")
    git(world.ours.root, "config", "user.email", "ada@example.invalid")
    write_up(world.ours, "Words.")
    world.publish()
    assert author(world) == "Ada Publisher <ada@example.invalid>, Ada Publisher"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "A Robot")
    write_up(world.ours, "Other words.")
    world.publish()
    assert author(world) == "A Robot <ada@example.invalid>, Ada Publisher"


def test_without_an_identity_git_says_what_is_missing(fresh: World) -> None:
    _without_identity(fresh.ours)
    done = fresh.ours.run("publish")
    assert done.status == 2
    assert "error: git commit-tree: " in done.err
    assert "Please tell me who you are." in done.err
    assert fresh.tip() == ""


def test_another_remote_and_another_branch_are_taken(fresh: World) -> None:
    other = fresh.folder / "upstream.git"
    git(fresh.folder, "init", "--quiet", "--bare", str(other))
    git(fresh.ours.root, "remote", "add", "upstream", str(other))
    done = fresh.ours.run("publish", "--remote", "upstream", "--branch", "site/pages")
    assert done.status == 0
    assert "site/pages of upstream: " in done.err
    assert git(other, "for-each-ref", "--format=%(refname)") == "refs/heads/site/pages"
    assert fresh.tip() == ""
    fresh.publish(remote=str(other), branch="site/pages")
    assert git(other, "rev-list", "--count", "site/pages") == "1"


@pytest.mark.parametrize("remote", ["nowhere", "../none.git", "https://127.0.0.1:1/none.git"])
def test_a_remote_that_cannot_be_reached_is_an_error_in_gits_words(
    fresh: World, remote: str
) -> None:
    said = fresh.refused(InputError, remote=remote)
    assert said.startswith(f"{remote}: can't be read: fatal: ")


@pytest.mark.parametrize("branch", ["a b", "a..b", "*", "", "-x", "@{-1}", "HEAD"])
def test_a_branch_that_git_would_not_have_is_an_error(fresh: World, branch: str) -> None:
    said = fresh.refused(InputError, branch=branch)
    assert said == f"--branch {branch!r}: no name that Git allows for a branch"


def test_a_password_in_an_address_is_not_shown(fresh: World) -> None:
    done = fresh.ours.run("publish", "--remote", "https://me:secret@127.0.0.1:1/none.git")
    assert done.status == 2
    assert "error: https://127.0.0.1:1/none.git: can't be read: " in done.err
    assert "secret" not in done.err


def test_outside_git_there_is_nothing_to_publish_to(tmp_path: Path) -> None:
    made = make_project(tmp_path / "plain", with_git=False, state="frozen")
    done = made.run("publish")
    assert done.status == 2
    assert "plain: not inside a Git work tree" in done.err


def test_a_page_that_leads_nowhere_is_not_published(world: World) -> None:
    (world.ours.docs / "index.md").write_text("# Front\n\nSee [the draft](tiny/9/).\n")
    world.ours.commit("Lead nowhere")
    said = world.refused(InputError)
    assert "'tiny/9/index.html' leads to 'tiny/9/index.html', which is no file of the site" in said


def test_a_page_may_lead_to_what_only_the_branch_has(world: World) -> None:
    world.publish(another_history(world, "fleet@1"))
    world.write({"about.html": '<h1 id="who">Us</h1>\n'})
    (world.ours.docs / "index.md").write_text(
        "# Front\n\nSee [ships](fleet/1/) and [us](about.html#who).\n"
    )
    world.ours.commit("Lead to what others have")
    world.publish()
    assert {"fleet/1/index.html", "about.html#who"} <= links(world.page("index.html"))


def test_a_shallow_clone_publishes_and_says_what_it_cannot_prove(fresh: World) -> None:
    git(fresh.ours.root, "push", "--quiet", "origin", "main")
    shallow = fresh.folder / "shallow"
    git(fresh.folder, "clone", "--quiet", "--depth=1", fresh.remote.as_uri(), str(shallow))
    made = TinyProject(shallow)
    for key, value in (("user.name", "Shallow"), ("user.email", "shallow@example.invalid")):
        git(shallow, "config", key, value)
    done = made.run("publish")
    assert done.status == 0
    assert "note: tiny@1: a shallow clone: history is cut off" in done.err
    assert fresh.listed().keys() == {"tiny@1"}
    write_up(made, "Words.")
    assert fresh.publish(made).fates == {"tiny@1": "write-up changed"}
    assert len(fresh.commits()) == 2


# --- A remote that refuses, and others who are faster ---------------------------------------------


def test_a_remote_that_refuses_is_an_error_in_its_words_and_asked_once(fresh: World) -> None:
    calls = fresh.folder / "calls"
    hook(
        fresh.remote,
        "pre-receive",
        f"echo once >> '{calls}'; echo 'No pages on Sundays [rejected] failed to lock' >&2; exit 1",
    )
    done = fresh.ours.run("publish")
    assert done.status == 2
    assert "error: origin: can't be pushed to: " in done.err
    assert "No pages on Sundays" in done.err
    assert "pre-receive hook declined" in done.err
    assert calls.read_text() == "once\n"


def _faster(world: World) -> Path:
    """A commit of somebody else on top of the branch, that is not pushed yet."""
    return world.by_hand(lambda folder: (folder / "CNAME").write_text("first\n"), push=False)


@pytest.mark.parametrize("exists", [True, False])
def test_a_push_that_comes_second_is_made_again(fresh: World, exists: bool) -> None:
    if exists:
        fresh.publish()
    hand = _faster(fresh)
    add(fresh.ours, "tiny@2")
    # Git asks this hook when it knows what it will push on top of, and before it does.
    hook(
        fresh.ours.root / ".git",
        "pre-push",
        f"test -e '{hand}/done' && exit 0\ntouch '{hand}/done'\n"
        f"unset $(git rev-parse --local-env-vars)\ngit -C '{hand}' push --quiet origin {PAGES}",
    )
    done = fresh.ours.run("publish")
    assert done.status == 0, done.err
    assert fresh.files()["CNAME"] == b"first\n"
    assert fresh.listed().keys() == {"tiny@1", "tiny@2"}
    assert len(fresh.commits()) == 3 if exists else 2


def test_a_push_that_the_branch_has_moved_on_from_is_made_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand, real = _faster(world), Branch.push

    def push(branch: Branch, commit: str) -> str | None:
        if not (hand / "done").exists():
            (hand / "done").touch()
            git(hand, "push", "--quiet", "origin", PAGES)
        return real(branch, commit)

    monkeypatch.setattr(Branch, "push", push)
    write_up(world.ours, "Words.")
    assert world.publish().attempts == 2
    assert world.files()["CNAME"] == b"first\n"


def test_a_push_that_loses_while_it_is_received_is_made_again(world: World) -> None:
    hand = _faster(world)
    git(hand, "push", "--quiet", "origin", f"{PAGES}:refs/heads/aside")
    hook(
        world.remote,
        "update",
        f'test "$1" = refs/heads/{PAGES} && test ! -e done || exit 0\ntouch done\n'
        f"git update-ref refs/heads/{PAGES} aside",
    )
    write_up(world.ours, "Words.")
    assert world.publish().attempts == 2
    assert world.files()["CNAME"] == b"first\n"
    assert "Words." in world.page("tiny/1/index.html").text


def test_a_version_published_meanwhile_is_listed_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, real = world.clone(), Branch.push
    add(theirs, "tiny@3")
    add(world.ours, "tiny@2")

    def push(branch: Branch, commit: str) -> str | None:
        monkeypatch.setattr(Branch, "push", real)
        world.publish(theirs)
        return real(branch, commit)

    monkeypatch.setattr(Branch, "push", push)
    assert world.publish().attempts == 2
    assert world.listed().keys() == {"tiny@1", "tiny@2", "tiny@3"}
    assert {f"{n}/index.html" for n in (1, 2, 3)} <= links(world.page("tiny/index.html"))


def test_a_version_that_another_published_meanwhile_is_not_altered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger, real = another_history(world, "fleet@1", title="Theirs"), Branch.push
    add(world.ours, "fleet@1", title="Ours")

    def push(branch: Branch, commit: str) -> str | None:
        monkeypatch.setattr(Branch, "push", real)
        world.publish(stranger)
        return real(branch, commit)

    monkeypatch.setattr(Branch, "push", push)
    with pytest.raises(CheckFailed, match=r"fleet@1: plan\.json was published with sha256"):
        world.publish()
    assert world.listed()["fleet@1"]["title"] == "Theirs"


def test_when_others_are_always_faster_it_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = _faster(world)

    def push(_branch: Branch, _commit: str) -> str:
        git(hand, "push", "--quiet", "origin", PAGES)
        commit_all(hand, "Once more")
        return "[rejected] (fetch first)"

    monkeypatch.setattr(Branch, "push", push)
    monkeypatch.setattr(run, "_ATTEMPTS", 6)
    write_up(world.ours, "Words.")
    with pytest.raises(InputError) as error:
        world.publish()
    assert str(error.value) == (
        "gh-pages of origin: can't be pushed, tried 6 times: [rejected] (fetch first)"
    )


def test_when_nobody_was_faster_it_is_not_tried_without_end(world: World) -> None:
    lock = world.remote / "refs" / "heads" / f"{PAGES}.lock"
    lock.touch()  # as a process leaves it that was killed
    write_up(world.ours, "Words.")
    said = world.refused(InputError)
    assert said.startswith("gh-pages of origin: can't be pushed, tried 4 times: ")
    assert "gh-pages.lock" in said


# --- At the same moment ---------------------------------------------------------------------------

ROUNDS = 20
EXPERIMENTS = ("tiny", "fleet", "vault", "parse", "echo")


def _next_version(made: TinyProject, key: str, *, record: bool) -> None:
    """A branch of the clone's own on which there is that version beside `tiny@1`, and no other."""
    git(made.root, "checkout", "--quiet", "-B", "round", "main")
    add(made, key, record=record)


def _start(made: TinyProject) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "pagecost", "publish"],
        cwd=made.root,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def test_two_clones_that_publish_at_the_same_moment_lose_nothing(fresh: World) -> None:
    """The branch does not exist yet in the first round, and holds 41 versions after the last."""
    stock(files.cache_folder())
    clones = (fresh.ours, fresh.clone())
    expected: dict[str, str] = {}
    for turn in range(ROUNDS):
        keys = [f"{EXPERIMENTS[turn % 5]}@{2 * turn + place + 2}" for place in (0, 1)]
        for made, key in zip(clones, keys, strict=True):
            _next_version(made, key, record=turn % 7 == 6)
            expected[key] = sha256(made.file(key, "plan.json").read_bytes())
        expected["tiny@1"] = sha256(fresh.ours.file("tiny@1", "plan.json").read_bytes())
        running = [_start(made) for made in clones]
        for process in running:
            said, _ = process.communicate(timeout=120)
            assert process.returncode == 0, said
            assert "Traceback" not in said
        listed = {key: one["plan_sha256"] for key, one in fresh.listed().items()}
        assert listed == expected, f"round {turn}"
    assert sum(one["results_sha256"] is not None for one in fresh.listed().values()) == 4
    _check_history(fresh)
    _check_pages(fresh, expected)


def _check_pages(world: World, expected: Mapping[str, str]) -> None:
    """Every version is there and listed wherever versions are, and compared with its neighbour."""
    found, front = world.files(), links(world.page("index.html"))
    for experiment in EXPERIMENTS:
        versions = sorted(int(key.split("@")[1]) for key in expected if key.startswith(experiment))
        listed = links(world.page(f"{experiment}/index.html"))
        assert f"{experiment}/index.html" in front
        assert f"{experiment}/latest/index.html" in found
        for one in versions:
            assert sha256(found[f"{experiment}/{one}/plan.json"]) == expected[f"{experiment}@{one}"]
            assert f"{experiment}/{one}/index.html" in front
            assert f"{one}/index.html" in listed
        for one, next_one in itertools.pairwise(versions):
            assert f"compare/{one}..{next_one}/index.html" in listed
            assert f"{experiment}/compare/{one}..{next_one}/index.html" in found
    lines = found.pop(".pagecost-site").decode().splitlines()
    assert lines == [f"{sha256(data)}  {path}" for path, data in sorted(found.items())]


def _check_history(world: World) -> None:
    """Every commit of the branch keeps what the one before it had, but what lists versions."""
    commits = world.commits()
    assert len(commits) == 2 * ROUNDS
    for newer, older in itertools.pairwise(commits):
        changed = git(
            world.remote, "diff-tree", "-r", "--no-renames", "--name-status", older, newer
        )
        for line in changed.splitlines():
            status, _, path = line.partition("\t")
            assert status in ("A", "M"), f"{newer}: {line}"
            if status == "M":
                assert path.endswith((".html", "versions.json", ".pagecost-site")), line
