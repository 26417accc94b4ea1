"""One Chromium for every test in a browser, and the committed site in three places.

Set PAGECOST_CHROMIUM to one where none is on the path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.hosting import hosted
from tests.browser.watching import ARGUMENTS, Opener
from tests.builders import require
from tests.site_builders import committed_site, figures_folder, render, tiny, write


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the browser."""
    named = os.environ.get("PAGECOST_CHROMIUM") or shutil.which("chromium")
    require(named, "no chromium on the path; PAGECOST_CHROMIUM names one")
    return str(named)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the committed site."""
    return committed_site(tmp_path_factory)


@pytest.fixture(scope="session")
def invented(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with drafts and explorations, whose address is known: below /repo/."""
    folder = tmp_path_factory.mktemp("invented")
    root = tiny(folder / "project")
    with (root / "mkdocs.yml").open("a", encoding="utf-8") as config:
        config.write("site_url: https://example.invalid/repo/\n")
    write(folder / "site", render(root, figures_folder(tmp_path_factory)))
    return folder / "site"


@pytest.fixture(scope="session")
def origins(site: Path, invented: Path) -> Iterator[dict[str, str]]:
    """Where that site is, by name (see `ORIGINS`), and `invented`; each ends in a slash."""
    with ExitStack() as hosts:
        yield {
            "folder": site.as_uri() + "/",
            "root": hosts.enter_context(hosted(site, "/")),
            "path": hosts.enter_context(hosted(site, "/repo/")),
            "invented": hosts.enter_context(hosted(invented, "/repo/")),
        }


@pytest.fixture
def visit(browser: Browser, origins: dict[str, str]) -> Iterator[Opener]:
    opener = Opener(browser, origins)
    yield opener
    opener.close()
