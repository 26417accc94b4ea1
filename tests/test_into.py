"""`pagecost build --into DIR/PREFIX`: one folder of a site that another tool built, no more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from pagecost import pipeline
from pagecost.errors import InputError
from pagecost.site.host import AT_ROOT
from tests.builders import CONFIG, TinyProject, archives_plan, environment, make_project, require
from tests.site_builders import Page, tree, write

PREFIX = "experiments"


class Entry(NamedTuple):
    """A file as it was: what is in it, and what would show that somebody touched it."""

    data: bytes | str
    mode: int
    modified: int


def entries(folder: Path, but: Path) -> dict[str, Entry]:
    """Every file and link below a folder, without those in `but`."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path == but or but in path.parents or (path.is_dir() and not path.is_symlink()):
            continue
        status = path.lstat()
        data = str(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[path.relative_to(folder).as_posix()] = Entry(data, status.st_mode, status.st_mtime_ns)
    return found


def build(made: TinyProject, into: Path, *, drafts: bool = True) -> None:
    """What `pagecost build --into` does, in this process."""
    pipeline.build(made.work(), None, into, drafts=drafts)


def refusal(made: TinyProject, into: Path) -> str:
    """The words with which it is refused, and nothing in the project's folder changes."""
    before = tree(made.root)
    with pytest.raises(InputError) as error:
        build(made, into)
    assert tree(made.root) == before
    return str(error.value)


@pytest.fixture
def project(tmp_path: Path) -> TinyProject:
    """`tiny@1`, frozen, with a guide."""
    config = CONFIG + f"site_url: https://example.invalid/docs/{PREFIX}/\n"
    made = make_project(tmp_path / "project", state="frozen", config=config)
    write(
        made.docs,
        {
            "guide/index.md": "# Guide\n\nSee [the report](../tiny/1/#provenance).\n",
            "tiny/index.md": "---\ntitle: Tiny\n---\n\nSee [the guide](../guide/index.md).\n",
        },
    )
    return made


# --- Sites of others ------------------------------------------------------------------------------


def mkdocs(made: TinyProject) -> Path:
    require(find_spec("mkdocs"), "mkdocs is not installed")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet"],
        cwd=made.root,
        env=environment(NO_MKDOCS_2_WARNING="1"),
        capture_output=True,
        check=True,
    )
    assert (made.root / "_mkdocs" / "sitemap.xml").is_file()
    return made.root / "_mkdocs"


def sphinx(made: TinyProject) -> Path:
    folder = made.root / "_build" / "html"
    write(
        folder,
        {
            ".buildinfo": "# Sphinx build info version 1\nconfig: 0\n",
            ".nojekyll": "",
            "index.html": "<!DOCTYPE html>\n<title>Invented</title>\n",
            "genindex.html": "<!DOCTYPE html>\n",
            "objects.inv": b"# Sphinx inventory version 2\n\x78\x9c\x00\xff",
            "searchindex.js": "Search.setIndex({})",
            "_static/pygments.css": "pre { line-height: 125% }\n",
            "_sources/index.rst.txt": "Invented\n========\n",
        },
    )
    return folder


def hugo(made: TinyProject) -> Path:
    folder = made.root / "public"
    write(
        folder,
        {
            "404.html": "<!doctype html>\n",
            "index.html": '<!doctype html>\n<a href="/experiments/">Experiments</a>\n',
            "index.xml": "<rss/>\n",
            "sitemap.xml": "<urlset/>\n",
            "posts/first/index.html": "<!doctype html>\n",
            "css/main.min.0a1b2c.css": "body{}",
            "images/logo.png": b"\x89PNG\r\n\x1a\n",
        },
    )
    return folder


def by_hand(made: TinyProject) -> Path:
    folder = made.root / "www"
    write(folder, {"index.html": "<h1>By hand</h1>\r\n", "CNAME": "example.invalid\n", "a b/ü": ""})
    (folder / "deploy.sh").write_text("#!/bin/sh\n")
    if os.name == "posix":
        (folder / "deploy.sh").chmod(0o755)
        (folder / "home.html").symlink_to("index.html")
        (folder / "dangling").symlink_to("nowhere")
    return folder


Make = Callable[[TinyProject], Path]
SITES = [mkdocs, sphinx, hugo, by_hand]


@pytest.mark.parametrize("make", SITES)
def test_everything_around_the_prefix_stays_as_it_was(project: TinyProject, make: Make) -> None:
    around = make(project)
    target = around / PREFIX
    before = entries(project.root, target)
    build(project, target)
    assert entries(project.root, target) == before
    assert {"index.html", "tiny/1/index.html", ".pagecost-site"} <= tree(target).keys()


@pytest.mark.parametrize("make", SITES)
def test_a_second_build_replaces_the_prefix_alone(project: TinyProject, make: Make) -> None:
    around = make(project)
    target = around / PREFIX
    build(project, target)
    project.write_plan("fleet@1", archives_plan("fleet", "1"))
    (project.docs / "guide" / "index.md").unlink()
    (project.docs / "tiny" / "index.md").unlink()
    before = entries(project.root, target)
    build(project, target)
    assert entries(project.root, target) == before
    assert (target / "fleet" / "1" / "index.html").is_file()
    assert not (target / "guide").exists()


def test_the_command_builds_into_a_site(project: TinyProject) -> None:
    around = hugo(project)
    before = entries(project.root, around / PREFIX)
    done = project.run("build", "--into", f"public/{PREFIX}")
    assert (done.status, done.out) == (0, "")
    assert done.err.endswith(f" bytes in public/{PREFIX}\n")
    assert entries(project.root, around / PREFIX) == before
    assert (around / PREFIX / "tiny" / "1" / "plan.json").is_file()


def test_a_prefix_is_the_same_site_as_any_but_for_what_a_host_seeks_at_its_root(
    project: TinyProject,
) -> None:
    build(project, hugo(project) / PREFIX)
    assert project.run("build").status == 0
    whole, part = tree(project.root / "_site"), tree(project.root / "public" / PREFIX)
    for name in AT_ROOT:
        del whole[name]
    listed = whole.pop(".pagecost-site").decode().splitlines()
    assert part.pop(".pagecost-site").decode().splitlines() == [
        line for line in listed if line.partition("  ")[2] not in AT_ROOT
    ]
    assert part == whole


# --- What is inside -------------------------------------------------------------------------------


def test_links_lead_to_files_of_the_prefix_and_never_out_of_it(project: TinyProject) -> None:
    target = hugo(project) / PREFIX
    build(project, target)
    followed = 0
    for path in sorted(target.rglob("*.html")):
        page = Page(path.read_text(encoding="utf-8"))
        for element in page.elements:
            for name in ("href", "src", "data-target", "data-source"):
                link = element.attributes.get(name)
                if not link or ":" in link or link.startswith("#"):
                    continue
                assert not link.startswith("/"), f"{path}: {link}"
                place, _, anchor = link.partition("#")
                found = Path(os.path.normpath(path.parent / place))
                assert found.is_file(), f"{path}: {link}"
                assert found.is_relative_to(target), f"{path}: {link}"
                if anchor:
                    assert f'id="{anchor}"' in found.read_text(encoding="utf-8"), f"{path}: {link}"
                followed += 1
    assert followed > 20


def test_a_canonical_link_begins_with_the_address_of_the_prefix(project: TinyProject) -> None:
    target = hugo(project) / PREFIX
    build(project, target)
    page = Page((target / "tiny" / "1" / "index.html").read_text(encoding="utf-8"))
    expected = f"https://example.invalid/docs/{PREFIX}/tiny/1/"
    assert page.one("link", rel="canonical").get("href") == expected


def test_drafts_can_be_left_out_of_a_prefix(project: TinyProject) -> None:
    project.write_plan("tiny@2", archives_plan("tiny", "2"))
    target = hugo(project) / PREFIX
    build(project, target)
    assert (target / "tiny" / "2").is_dir()
    build(project, target, drafts=False)
    assert not (target / "tiny" / "2").exists()


def test_a_prefix_below_docs_dir_is_never_taken_for_a_source(project: TinyProject) -> None:
    (project.docs / "tiny" / "plot.png").write_bytes(b"a picture")
    target = project.docs / "static" / PREFIX
    target.parent.mkdir()
    build(project, target)
    first = tree(target)
    assert "tiny/plot.png" in first
    for _ in range(2):
        build(project, target)
        assert tree(target) == first
    assert project.run("build").status == 0
    assert not (project.root / "_site" / "static").exists()


# --- Where it goes --------------------------------------------------------------------------------


@pytest.mark.parametrize("into", ["public/experiments/", "./public//experiments", "public/a/b"])
def test_a_prefix_may_be_written_in_any_way(
    project: TinyProject, monkeypatch: pytest.MonkeyPatch, into: str
) -> None:
    (hugo(project) / "a").mkdir()
    monkeypatch.chdir(project.root)
    build(project, Path(into))
    assert (project.root / into / "index.html").is_file()


def test_a_prefix_is_below_the_current_folder_wherever_the_project_is(
    project: TinyProject, tmp_path: Path
) -> None:
    elsewhere = TinyProject(tmp_path / "elsewhere")
    write(elsewhere.root, {"public/index.html": "theirs"})
    config = str(project.root / "mkdocs.yml")
    done = elsewhere.run("build", "--config", config, "--into", "public/experiments", "--quiet")
    assert (done.status, done.err) == (0, "")
    assert (elsewhere.root / "public" / "experiments" / "index.html").is_file()
    assert not (project.root / "public").exists()


def test_an_empty_prefix_is_taken(project: TinyProject) -> None:
    target = hugo(project) / PREFIX
    target.mkdir()
    build(project, target)
    assert (target / "index.html").is_file()


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["index.html", ".hidden", "below/page.html"])
def test_a_prefix_that_holds_files_of_others_is_refused(project: TinyProject, name: str) -> None:
    around = hugo(project)
    write(around, {f"{PREFIX}/{name}": "theirs"})
    said = refusal(project, around / PREFIX)
    assert f"public/{PREFIX}: holds files that pagecost did not write" in said


def test_the_site_itself_is_no_prefix(project: TinyProject) -> None:
    around = hugo(project)
    assert "public: holds files that pagecost did not write" in refusal(project, around)
    (around / "posts" / "below").mkdir()
    assert "did not write" in refusal(project, around / "posts" / "below" / "..")


@pytest.mark.parametrize("into", [".", "site", "..", "site/.."])
def test_a_folder_that_holds_the_project_is_no_prefix(
    project: TinyProject, monkeypatch: pytest.MonkeyPatch, into: str
) -> None:
    (project.docs / "tiny" / "index.md").unlink()  # or its links would be what is refused
    monkeypatch.chdir(project.root)
    assert "would be replaced" in refusal(project, Path(into))


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_prefix_that_is_no_folder_is_refused(project: TinyProject, kind: str) -> None:
    target = hugo(project) / PREFIX
    if kind == "file":
        target.write_bytes(b"theirs")
    else:
        require(os.name == "posix", "links need rights here")
        target.symlink_to(project.root / "public" / "posts")
    assert f"public/{PREFIX}: is no folder" in refusal(project, target)


@pytest.mark.parametrize("into", ["public/experiments", "public/a/b"])
def test_a_site_that_is_not_there_is_refused_and_not_made(project: TinyProject, into: str) -> None:
    done = project.run("build", "--into", into)
    assert done.status == 2
    around = project.root / Path(into).parent
    assert f"error: {around}: no such folder; build the site around it first" in done.err
    assert not (project.root / "public").exists()


def test_a_prefix_in_a_file_is_refused(project: TinyProject) -> None:
    write(project.root, {"public": "a file"})
    assert "no such folder" in refusal(project, project.root / "public" / PREFIX)


def test_a_prefix_and_an_output_exclude_each_other(project: TinyProject) -> None:
    hugo(project)
    done = project.run("build", "--output", "_site", "--into", f"public/{PREFIX}")
    assert done.status == 2
    assert "--output and --into exclude each other" in done.err
    assert not (project.root / "_site").exists()
    assert not (project.root / "public" / PREFIX).exists()


def test_a_build_that_fails_leaves_the_prefix_as_it_was(project: TinyProject) -> None:
    target = hugo(project) / PREFIX
    build(project, target)
    before = tree(project.root / "public")
    (project.docs / "index.md").write_text("# Front\n\nSee [nothing](nothing.md).\n")
    with pytest.raises(InputError, match="which is no file of the site"):
        build(project, target)
    assert tree(project.root / "public") == before


def test_a_site_that_is_built_anew_around_it_may_take_the_prefix_away(project: TinyProject) -> None:
    """MkDocs empties its folder first; the prefix is built again afterwards, as ever."""
    target = mkdocs(project) / PREFIX
    build(project, target)
    before = tree(target)
    shutil.rmtree(target.parent)
    assert mkdocs(project) == target.parent
    build(project, target)
    assert tree(target) == before
