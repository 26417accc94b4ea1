"""One Chromium for every test in a browser.

Set PAGECOST_CHROMIUM to one where none is on the path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.builders import require

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    named = os.environ.get("PAGECOST_CHROMIUM") or shutil.which("chromium")
    require(named, "no chromium on the path; PAGECOST_CHROMIUM names one")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=named, args=ARGUMENTS)
        yield launched
        launched.close()
