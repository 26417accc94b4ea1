"""What axe-core finds on every page, wide and narrow, light and dark: nothing.

All its rules for WCAG 2.0 to 2.2, levels A and AA, and its best practices. PAGECOST_AXE names its
`axe.min.js`; `.ci/package.json` says which version `.ci/run` installs. It judges no text inside
an SVG: the colours of figures are tested with the palette.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.watching import Opener, open_everything, pages_of, settle
from tests.builders import require

EVERYTHING = {
    "runOnly": [
        "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice",
    ],
    "rules": {"target-size": {"enabled": True}},  # of WCAG 2.2, and off unless asked for
    "resultTypes": ["violations"],
}  # fmt: skip
COLOURS = {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]},
    "resultTypes": ["violations"],
}
"""All that can differ where the scheme alone is another, which is all that the style sheet lets it
change."""

_FOUND = """async options => (await axe.run(options)).violations.flatMap(rule =>
  rule.nodes.map(node => `${rule.id}: ${node.target.flat().join(" ")}: ` +
    [...node.any, ...node.all, ...node.none].map(check => check.message).join("; ")))"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Its source, which is evaluated rather than loaded: the site's policy would forbid that."""
    named = os.environ.get("PAGECOST_AXE")
    require(named, "no axe-core; PAGECOST_AXE names its axe.min.js")
    return Path(str(named)).read_text(encoding="utf-8")


def found(page: Page, axe: str, options: dict[str, Any]) -> list[str]:
    """What it finds: the rule, where, and why."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe)
    violations: list[str] = page.evaluate(_FOUND, options)
    return violations


def judged(page: Page, axe: str) -> list[str]:
    """What it finds on a page with everything opened, sorted and drawn, in both schemes."""
    settle(page)
    open_everything(page)
    page.emulate_media(color_scheme="light")
    light = found(page, axe, EVERYTHING)
    page.emulate_media(color_scheme="dark")
    return light + [f"dark: {one}" for one in found(page, axe, COLOURS)]


def nothing_found(visit: Opener, origin: str, paths: Sequence[str], width: int, axe: str) -> None:
    """Judges these pages one after the other; AssertionError with all that was found."""
    watched = visit(origin=origin, width=width)
    # The page that leads on at once stays to be judged.
    watched.page.route("**/assets/latest.*.js", lambda route: route.abort())
    problems = []
    for path in paths:
        page = watched.open(path)
        problems += [f"{path}: {one}" for one in judged(page, axe)]
        assert page.url == watched.origin + path
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_on_the_committed_site(
    width: int, site: Path, visit: Opener, axe: str
) -> None:
    nothing_found(visit, "path", pages_of(site, leading_on=True), width, axe)


@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_nothing_on_drafts_explorations_and_what_is_missing(
    width: int, invented: Path, visit: Opener, axe: str
) -> None:
    nothing_found(visit, "invented", [*pages_of(invented), "404.html"], width, axe)


def test_axe_finds_what_is_wrong(visit: Opener, axe: str) -> None:
    page = visit("index.html").page
    page.evaluate(
        """() => {
          document.documentElement.removeAttribute("lang");
          document.querySelector("main p").style.color = "#777";
        }"""
    )
    said = judged(page, axe)
    assert any(one.startswith("html-has-lang: html: ") for one in said), said
    assert any(one.startswith("color-contrast: ") for one in said), said
    assert any(one.startswith("dark: color-contrast: ") for one in said), said
