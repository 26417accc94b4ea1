"""Lighthouse, as on a phone: 95 or more in all four of its categories.

PAGECOST_LIGHTHOUSE names its `cli/index.js`, which Node.js runs; `.ci/package.json` says which
version `.ci/run` installs. Its own phone, connection and slower processor are simulated, and the
site is served as `tests/browser/hosting.py` says. What else a machine does at the time counts
against a page, so one that does not do well twice at once is judged five times, and the middle one
counts.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from urllib.robotparser import RobotFileParser

import pytest

from tests.browser.hosting import hosted
from tests.browser.watching import ARGUMENTS
from tests.builders import require

PAGES = ("", "page-cost/12/", "page-cost/compare/12..12.1/")
ENOUGH = 0.95
SKIPPED = "robots-txt"
"""An audit that asks for the file from within the page, which the page's policy forbids, and then
calls the file invalid (GoogleChrome/lighthouse#4386). The file is read here instead."""

Report = dict[str, Any]


@pytest.fixture(scope="module")
def lighthouse(chromium: str) -> list[str]:
    """The command that judges the address after it."""
    named = os.environ.get("PAGECOST_LIGHTHOUSE")
    require(named, "no Lighthouse; PAGECOST_LIGHTHOUSE names its cli/index.js")
    require(shutil.which("node"), "no Node.js on the path, which Lighthouse runs on")
    # It reads flags as `name='value'`, quoted after the sign.
    flags = " ".join("=".join(map(shlex.quote, one.split("=", 1))) for one in ARGUMENTS)
    return [
        "env", f"CHROME_PATH={chromium}", "node", str(named),
        "--quiet", "--output=json", "--form-factor=mobile", "--throttling-method=simulate",
        f"--skip-audits={SKIPPED}", f"--chrome-flags=--headless=new {flags}",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def host(site: Path) -> Iterator[str]:
    """Where the site is, at the root of its host: a crawler looks for robots.txt nowhere else."""
    with hosted(site) as address:
        yield address


def judged(lighthouse: list[str], address: str) -> Report:
    done = subprocess.run(
        [*lighthouse, address], capture_output=True, encoding="utf-8", check=False, timeout=180
    )
    assert done.returncode == 0, done.stderr
    report: Report = json.loads(done.stdout)
    assert "runtimeError" not in report, report["runtimeError"]
    return report


def performance(report: Report) -> float:
    found: float = report["categories"]["performance"]["score"]
    return found


def middle(lighthouse: list[str], address: str) -> Report:
    """The lesser of two by performance; where that falls short, the middle one of five."""
    reports = [judged(lighthouse, address) for _ in range(2)]
    if min(map(performance, reports)) >= ENOUGH:
        return min(reports, key=performance)
    reports += [judged(lighthouse, address) for _ in range(3)]
    return sorted(reports, key=performance)[len(reports) // 2]


def shortfalls(report: Report) -> list[str]:
    """Each category that falls short, and the audits that bring it down."""
    found = []
    for category in report["categories"].values():
        if category["score"] is not None and category["score"] >= ENOUGH:
            continue
        found.append(f"{category['id']}: {category['score']}")
        for reference in category["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if reference["weight"] and audit["score"] is not None and audit["score"] < 0.9:
                why = audit.get("explanation") or audit.get("displayValue") or audit["score"]
                found.append(f"    {audit['id']}: {audit['title']}: {why}")
    return found


@pytest.mark.parametrize("path", PAGES)
def test_lighthouse_gives_95_or_more_in_all_four_categories(
    path: str, host: str, lighthouse: list[str]
) -> None:
    report = middle(lighthouse, host + path)
    assert set(report["categories"]) == {"performance", "accessibility", "best-practices", "seo"}
    assert not report["runWarnings"] or "slower CPU" in str(report["runWarnings"])
    problems = shortfalls(report)
    assert not problems, "\n".join(problems)


def test_lighthouse_notices_a_page_that_falls_short(lighthouse: list[str], tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        "<!doctype html><meta charset=utf-8><meta name=robots content=noindex><img src=no.png>",
        encoding="utf-8",
    )
    with hosted(tmp_path) as address:
        problems = "\n".join(shortfalls(judged(lighthouse, address)))
    for said in ("accessibility: ", "html-has-lang: ", "seo: ", "is-crawlable: "):
        assert said in problems


def test_robots_txt_lets_every_page_be_read(host: str) -> None:
    with urlopen(f"{host}robots.txt", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        rules = answer.read().decode("ascii")
    robots = RobotFileParser()
    robots.parse(rules.splitlines())
    assert all(robots.can_fetch("Anybot", host + path) for path in PAGES)
