"""Clones of one project that publish to one branch: whose prose is later, and what stays.

Real `pagecost` processes in real clones. The project's repository and the one of the pages are two.
"""

from __future__ import annotations

import posixpath
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import site_builders
from tests.builders import (
    Done,
    TinyProject,
    archives_plan,
    commit_all,
    environment,
    git,
    make_project,
)
from tests.conftest import isolate
from tests.site_builders import Page

PAGES = "gh-pages"
PUBLISH = ("publish", "--remote", "../pages.git")
SECRET = "Nobody-is-to-know"
DRAFTS = ("other/", "tiny/2/")
"""Where drafts would be."""
PROSE = {
    "index.md": "# Invented experiments\n\nFirst front.\n",
    "guide/index.md": "# Guide\n\nFirst guide.\n",
    "tiny/index.md": "# Tiny\n\nFirst abstract.\n",
    "tiny/1/writeup.md": "# What it says\n\nFirst words.\n",
}


@dataclass(frozen=True)
class World:
    """The repository of a project, that of its pages, and clones beside them."""

    folder: Path

    @property
    def project(self) -> Path:
        return self.folder / "project.git"

    @property
    def pages(self) -> Path:
        return self.folder / "pages.git"

    def clone(self, name: str) -> TinyProject:
        """A clone of the project as it was pushed last."""
        return TinyProject(_clone(self.project, self.folder / name))

    def publish(self, made: TinyProject) -> str:
        """What is said when a publication goes well."""
        done = made.run(*PUBLISH)
        assert (done.status, done.out) == (0, ""), done.err
        return done.err

    def refused(self, made: TinyProject, *options: str, status: int = 1) -> str:
        """What is said when a publication is refused; no branch has changed."""
        before = self.refs()
        done = made.run(*PUBLISH, *options)
        assert (done.status, done.out) == (status, ""), done.err
        assert self.refs() == before
        return done.err

    def by_hand(self, files: Mapping[str, bytes]) -> None:
        """Somebody writes these files to the branch, with Git alone."""
        hand = _clone(self.pages, self.folder / "hand", "--branch", PAGES)
        site_builders.write(hand, files)
        commit_all(hand, "By hand")
        git(hand, "push", "--quiet")

    def refs(self) -> str:
        return git(self.pages, "for-each-ref")

    def blobs(self, below: str = "") -> dict[str, str]:
        """The object of each file of the branch whose path begins like that."""
        listed = git(self.pages, "ls-tree", "-r", PAGES).splitlines()
        found = (
            (path, said.split()[2]) for said, _, path in (one.partition("\t") for one in listed)
        )
        return {path: blob for path, blob in found if path.startswith(below)}

    def page(self, path: str) -> str:
        """The text of a page of the branch."""
        return Page(git(self.pages, "show", f"{PAGES}:{path}")).text


def _clone(repository: Path, folder: Path, *options: str) -> Path:
    git(repository, "clone", "--quiet", *options, str(repository), str(folder))
    git(folder, "config", "user.name", "Tester")
    git(folder, "config", "user.email", "tester@example.invalid")
    return folder


def _bare(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    git(folder.parent, "init", "--quiet", "--bare", "--initial-branch=main", folder.name)


def write(made: TinyProject, files: Mapping[str, str | bytes]) -> None:
    """Writes these files below docs_dir, and commits them."""
    site_builders.write(made.docs, files)
    made.commit("Write")


def write_up(made: TinyProject, text: str) -> None:
    write(made, {"tiny/1/writeup.md": f"# What it says\n\n{text}\n"})


def freeze(made: TinyProject, key: str) -> None:
    """A version more, frozen and committed."""
    made.write_plan(key, archives_plan(*key.split("@")))
    made.commit(f"Draft {key}")
    made.freeze(key)


def push(made: TinyProject) -> None:
    git(made.root, "push", "--quiet", "origin", "main")


def pull(made: TinyProject) -> None:
    git(made.root, "pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main")


def fate(key: str, said: str) -> str:
    """What is said to have become of that version."""
    (found,) = (line for line in said.splitlines() if line.startswith(f"{key} "))
    return found.removeprefix(key).strip().partition(":")[0]


# --- Worlds, made once and copied -----------------------------------------------------------------


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for all tests here, since drawing takes seconds."""
    return tmp_path_factory.mktemp("lineage-cache")


@pytest.fixture(autouse=True)
def _cache(cache: Path, _shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAGECOST_CACHE", str(_shared))


@pytest.fixture(scope="module")
def _worlds(tmp_path_factory: pytest.TempPathFactory, _shared: Path) -> Path:
    """Two worlds: `fresh`, where nothing is published, and `published`."""
    folder = tmp_path_factory.mktemp("worlds")
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, folder)
        patch.setenv("PAGECOST_CACHE", str(_shared))
        made = make_project(folder / "first", state="frozen")
        write(made, PROSE)
        world = World(folder / "fresh")
        _bare(world.project)
        _bare(world.pages)
        git(made.root, "push", "--quiet", str(world.project), "main")
        shutil.copytree(world.folder, folder / "published")
        world = World(folder / "published")
        world.publish(world.clone("first"))
        shutil.rmtree(world.folder / "first")
    return folder


@pytest.fixture
def fresh(_worlds: Path, tmp_path: Path) -> World:
    """`tiny@1` is frozen, and nothing is published."""
    return World(shutil.copytree(_worlds / "fresh", tmp_path / "world"))


@pytest.fixture
def world(_worlds: Path, tmp_path: Path) -> World:
    """`tiny@1` is published as a frozen plan, with all of PROSE."""
    return World(shutil.copytree(_worlds / "published", tmp_path / "world"))


# --- Write-ups ------------------------------------------------------------------------------------


def test_an_older_write_up_that_was_never_published_does_not_overwrite_a_newer_one(
    fresh: World,
) -> None:
    old, new = fresh.clone("old"), fresh.clone("new")
    write_up(new, "Second thoughts.")
    assert fate("tiny@1", fresh.publish(new)) == "new"
    before = fresh.refs()
    assert fate("tiny@1", fresh.publish(old)) == "behind"
    assert fresh.refs() == before
    push(new)
    pull(old)
    write_up(old, "Third thoughts.")
    assert fate("tiny@1", fresh.publish(old)) == "write-up changed"
    assert "Third thoughts." in fresh.page("tiny/1/index.html")


def test_a_write_up_that_was_reverted_is_published_again(world: World) -> None:
    made = world.clone("ours")
    write_up(made, "A mistake.")
    assert fate("tiny@1", world.publish(made)) == "write-up changed"
    git(made.root, "revert", "--no-edit", "HEAD")
    assert fate("tiny@1", world.publish(made)) == "write-up changed"
    text = world.page("tiny/1/index.html")
    assert "First words." in text
    assert "A mistake." not in text


# --- Prose that others publish too ----------------------------------------------------------------


@pytest.mark.parametrize("source", PROSE)
def test_prose_that_is_staged_but_not_committed_is_refused(world: World, source: str) -> None:
    made = world.clone("ours")
    site_builders.write(made.docs, {source: "# Not yet\n"})
    git(made.root, "add", "--all")
    said = world.refused(made)
    assert f"site/{source}: not committed" in said


def test_a_page_of_the_guide_that_git_does_not_know_is_refused(world: World) -> None:
    made = world.clone("ours")
    site_builders.write(made.docs, {"guide/more.md": "# More\n"})
    assert "site/guide/more.md: not committed" in world.refused(made)


def test_a_clone_with_older_texts_publishes_once_it_has_pulled(world: World) -> None:
    sources = ("index.md", "guide/index.md", "tiny/index.md")
    old, new = world.clone("old"), world.clone("new")
    write(new, dict.fromkeys(sources, "# Later\n\nSecond thoughts.\n"))
    push(new)
    world.publish(new)
    write_up(old, "Words of theirs.")
    said = world.refused(old).splitlines()
    for source in sources:
        (line,) = (line for line in said if f"site/{source}: published in a state that" in line)
        assert "git pull" in line
    pull(old)
    assert fate("tiny@1", world.publish(old)) == "write-up changed"
    for source in sources:
        assert "Second thoughts." in world.page(source.replace(".md", ".html"))
    assert "Words of theirs." in world.page("tiny/1/index.html")


def test_two_clones_with_the_same_prose_publish_different_versions(world: World) -> None:
    one, two = world.clone("one"), world.clone("two")
    freeze(one, "tiny@2")
    freeze(two, "fleet@1")
    assert fate("tiny@2", world.publish(one)) == "new"
    said = world.publish(two)
    assert (fate("fleet@1", said), fate("tiny@1", said)) == ("new", "same")
    assert {"tiny/1/index.html", "tiny/2/index.html", "fleet/1/index.html"} <= world.blobs().keys()


def test_pages_of_an_experiment_that_a_clone_lacks_stay_as_they_are(world: World) -> None:
    one, two = world.clone("one"), world.clone("two")
    freeze(one, "fleet@1")
    about = "---\ntitle: Ships\nabstract: How they fare\n---\n\nAll about ships.\n"
    write(one, {"fleet/index.md": about, "fleet/ship.png": b"a ship"})
    world.publish(one)
    before = world.blobs("fleet/")
    assert {"fleet/index.html", "fleet/experiment.json", "fleet/ship.png"} <= before.keys()
    write_up(two, "Words of theirs.")
    assert fate("tiny@1", world.publish(two)) == "write-up changed"
    assert world.blobs("fleet/") == before
    assert "All about ships." in world.page("fleet/index.html")
    front = world.page("index.html")
    assert "Ships" in front
    assert "How they fare" in front


# --- Drafts ---------------------------------------------------------------------------------------


def with_drafts(made: TinyProject) -> TinyProject:
    """Drafts beside a recorded version, with all that people keep beside a draft."""
    for key in ("other@1", "tiny@2"):
        made.write_plan(key, archives_plan(*key.split("@"), title=SECRET))
        files = dict.fromkeys(("writeup.md", "PLAN.md", "fig.png"), f"# {SECRET}\n")
        site_builders.write(made.folder(key), files)
    write(made, {"other/index.md": f"---\ntitle: {SECRET}\nabstract: {SECRET}\n---\n\n{SECRET}\n"})
    return made


def assert_no_draft(contents: Mapping[str, bytes]) -> None:
    """The recorded version is there, and of the drafts neither a file nor a word."""
    assert {"index.html", "tiny/index.html", "tiny/1/results.json"} <= contents.keys()
    assert not [path for path in contents if path.startswith(DRAFTS)]
    assert not [path for path, data in contents.items() if SECRET.encode() in data]
    for path, page in site_builders.pages(contents):
        drafts = ("other@1", "tiny@2", "other/1", "tiny/2")
        assert not [one for one in drafts if one in page.source], path
        for element in page.elements:
            link = element.attributes.get("href") or element.attributes.get("src") or ""
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
            assert not f"{target}/".startswith(DRAFTS), f"{path} leads to {target}"


def test_a_publication_holds_nothing_of_drafts(tiny_project: TinyProject, tmp_path: Path) -> None:
    world, made = World(tmp_path), with_drafts(tiny_project)
    _bare(world.pages)
    world.publish(made)
    folder = _clone(world.pages, tmp_path / "seen", "--branch", PAGES)
    shutil.rmtree(folder / ".git")
    assert_no_draft(site_builders.tree(folder))


def test_a_build_without_drafts_holds_nothing_of_them(tiny_project: TinyProject) -> None:
    made = with_drafts(tiny_project)
    done = made.run("build", "--no-drafts")
    assert done.status == 0, done.err
    assert_no_draft(site_builders.tree(made.root / "_site"))


# --- What somebody did by hand on the branch ------------------------------------------------------


def test_a_front_page_that_was_changed_by_hand_is_refused(world: World) -> None:
    made = world.clone("ours")
    world.by_hand({"index.html": b"<!doctype html><title>My own</title>"})
    write(made, {"index.md": "# Later\n\nSecond thoughts.\n"})
    assert "index.html: on the branch already, and not pagecost's" in world.refused(made, status=2)


def test_an_image_that_was_changed_by_hand_stays_where_its_owner_removes_it(world: World) -> None:
    made = world.clone("ours")
    write(made, {"tiny/1/fig.png": b"a picture"})
    world.publish(made)
    world.by_hand({"tiny/1/fig.png": b"my own picture"})
    before = world.blobs("tiny/1/fig.png")
    made.file("tiny@1", "fig.png").unlink()
    write_up(made, "No picture.")
    assert fate("tiny@1", world.publish(made)) == "write-up changed"
    assert world.blobs("tiny/1/fig.png") == before


def test_nothing_is_removed_from_the_folder_of_a_version_that_is_the_same(world: World) -> None:
    one, two = world.clone("one"), world.clone("two")
    write(one, {"tiny/1/fig.png": b"a picture"})
    world.publish(one)
    before = world.blobs("tiny/1/")
    assert "tiny/1/fig.png" in before
    freeze(two, "fleet@1")
    assert fate("tiny@1", world.publish(two)) == "same"
    assert world.blobs("tiny/1/") == before


def test_a_page_where_another_clone_published_a_version_is_refused(world: World) -> None:
    one, two = world.clone("one"), world.clone("two")
    freeze(one, "notes@1")
    world.publish(one)
    write(two, {"notes/1.md": "# A note of our own\n"})
    said = world.refused(two, status=2)
    assert "notes/1/index.html: a page of this project, where notes@1 is published" in said


def test_a_foreign_page_that_is_no_proper_html_stops_nobody(world: World) -> None:
    made = world.clone("ours")
    world.by_hand({"mine.html": b"<html><![foo[ x ]]></html>"})
    before = world.blobs("mine.html")
    write_up(made, "Words of ours.")
    assert fate("tiny@1", world.publish(made)) == "write-up changed"
    assert world.blobs("mine.html") == before


# --- Remotes and branches that won't do -----------------------------------------------------------


def test_a_remote_that_refuses_for_good_is_soon_given_up_in_gits_words(
    fresh: World, tmp_path: Path
) -> None:
    made, trace = fresh.clone("ours"), tmp_path / "trace"
    git(made.root, "push", "--quiet", "../pages.git", f"main:refs/heads/{PAGES}/old")
    before = fresh.refs()
    done = made.run(*PUBLISH, env=environment(GIT_TRACE=str(trace)))
    assert (done.status, done.out) == (2, "")
    assert f"'refs/heads/{PAGES}/old' exists" in done.err
    assert fresh.refs() == before
    pushes = [line for line in trace.read_text().splitlines() if "built-in: git push" in line]
    assert 1 <= len(pushes) <= 5


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
@pytest.mark.parametrize("branch", ["a..b", "", "HEAD"])
def test_what_cannot_be_a_branch_is_refused(
    fresh: World, branch: str, options: tuple[str, ...]
) -> None:
    said = fresh.refused(fresh.clone("ours"), "--branch", branch, *options, status=2)
    assert f"--branch {branch!r}: no name that Git allows" in said


def _to_nowhere(made: TinyProject, remote: str, *options: str) -> Done:
    done = made.run("publish", "--remote", remote, *options)
    assert (done.status, done.out) == (2, "")
    assert "127.0.0.1:9/x.git" in done.err
    return done


@pytest.mark.parametrize("password", ["secret", "with@secret"])
def test_a_password_in_an_address_is_in_no_message(fresh: World, password: str) -> None:
    address = f"https://user:{password}@127.0.0.1:9/x.git"
    done = _to_nowhere(fresh.clone("ours"), address, "--verbose")
    assert "cret" not in done.err


def test_a_password_in_the_address_of_a_named_remote_is_in_no_message(fresh: World) -> None:
    made = fresh.clone("ours")
    git(made.root, "remote", "set-url", "origin", "https://user:secret@127.0.0.1:9/x.git")
    assert "cret" not in _to_nowhere(made, "origin").err


def test_a_write_up_that_was_taken_out_is_taken_down(world: World) -> None:
    clone = world.clone("clone")
    write_up(clone, "A claim.")
    world.publish(clone)
    assert "A claim." in world.page("tiny/1/index.html")
    clone.file("tiny@1", "writeup.md").unlink()
    clone.commit("Withdraw it")
    assert fate("tiny@1", world.publish(clone)) == "write-up changed"
    assert "A claim." not in world.page("tiny/1/index.html")


def test_an_older_image_does_not_replace_a_newer_one(world: World) -> None:
    old, new = world.clone("old"), world.clone("new")
    write(new, {"guide/figure.svg": "<svg>1</svg>"})
    push(new)
    pull(old)
    write(new, {"guide/figure.svg": "<svg>2</svg>"})
    push(new)
    world.publish(new)
    assert "site/guide/figure.svg: published in a state that" in world.refused(old)
    write(old, {"guide/new.svg": "<svg/>"})
    pull(old)
    world.publish(old)
    assert world.blobs().keys() >= {"guide/figure.svg", "guide/new.svg"}


def test_an_image_that_is_not_committed_is_refused(world: World) -> None:
    clone = world.clone("clone")
    (clone.docs / "untracked.svg").write_text("<svg/>")
    assert "untracked.svg: not committed" in world.refused(clone)
