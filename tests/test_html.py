"""What the Nu HTML checker says of the site's pages, style sheet and drawings: nothing.

Not even a warning, but for those of `KNOWN`. PAGECOST_VNU names its `vnu.jar`, which Java runs;
`.ci/package.json` says which version `.ci/run` installs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders import require
from tests.site_builders import committed_site, figures_folder, render, tiny, write

KNOWN = (
    # CSS Fill and Stroke, in every browser for years; the checker's list of properties lacks it.
    "CSS: “paint-order”: Property “paint-order” doesn't exist.",
    # A file has no origin, so to the checker nothing is 'self'. In a real browser no page violates
    # its policy (see tests/browser/test_pages.py).
    "Resource violates Content Security Policy (meta tag): external ",
    # Some rows have a cell for wide screens and another for phones, of which the style sheet shows
    # one; the checker counts both.
    "A table row was ",
)
"""How those of its messages begin that say nothing about the site. Only the first is an error."""


@pytest.fixture(scope="module")
def checker() -> list[str]:
    """The command that checks the files named after it."""
    named = os.environ.get("PAGECOST_VNU")
    require(named, "no Nu HTML checker; PAGECOST_VNU names its vnu.jar")
    require(shutil.which("java"), "no Java on the path, which the Nu HTML checker runs on")
    options = ["--format", "json", "--stdout", "--also-check-css", "--also-check-svg"]
    return ["java", "-jar", str(named), *options]


def said(checker: Sequence[str], folder: Path) -> list[str]:
    """What it says of the pages, style sheets and drawings below the folder, and where."""
    kinds = (".html", ".css", ".svg")
    files = [str(path) for path in sorted(folder.rglob("*")) if path.suffix in kinds]
    assert files
    done = subprocess.run(
        [*checker, *files], capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    return [
        f"{one['url'].rpartition(f'{folder}/')[2]}:{one.get('lastLine', '?')}: {one['message']}"
        for one in json.loads(done.stdout)["messages"]
        if not one["message"].startswith(KNOWN)
    ]


def test_the_checker_finds_nothing_on_the_committed_site(
    checker: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    problems = said(checker, committed_site(tmp_path_factory))
    assert not problems, "\n".join(problems)


def test_the_checker_finds_nothing_on_drafts_explorations_and_what_is_missing(
    checker: list[str], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    contents = render(tiny(tmp_path / "project"), figures_folder(tmp_path_factory))
    write(tmp_path / "site", contents)
    problems = said(checker, tmp_path / "site")
    assert not problems, "\n".join(problems)


def test_the_checker_finds_what_is_wrong(checker: list[str], tmp_path: Path) -> None:
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Wrong</title>'
    write(
        tmp_path,
        {
            "right.html": f"{head}<p>Right.</p>",
            "wrong.html": f"{head}<p><div></p><a href='a b'>c</a>",
            "wrong.css": "p { colour: red }",
            "wrong.svg": '<svg xmlns="http://www.w3.org/2000/svg"><rect widht="1"/></svg>',
        },
    )
    problems = said(checker, tmp_path)
    files = {one.partition(":")[0] for one in problems}
    assert files == {"wrong.css", "wrong.html", "wrong.svg"}, problems
