"""Opening pages of a site in a browser, and everything that goes wrong on them meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, Response

Scheme = Literal["light", "dark"]
ORIGINS = ("folder", "root", "path")

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    # The network is off: every other host, by name or address, is not found.
    "--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]  # fmt: skip
"""What every Chromium of the tests is started with."""

_VIOLATIONS = """
addEventListener("securitypolicyviolation", event =>
  console.error("policy", event.violatedDirective, event.blockedURI));
"""
_SHOWN = """
selector => [...document.querySelectorAll(selector)].filter(element => {
  const style = getComputedStyle(element);
  return element.getClientRects().length > 0 && style.visibility === "visible"
    && Number(style.opacity) > 0;
}).map(element => element.outerHTML.slice(0, 120))
"""
_OPENED = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  for (const one of document.querySelectorAll("table[data-sort]"))
    one.querySelector("thead button")?.click();
}"""

_TIPS = """([plot, panel]) => [...document.querySelectorAll(`${plot} .live svg ${panel} path`)]
  .map(path => path.__data__?.tooltip).filter(Boolean)"""


@dataclass
class Watched:
    """A page in a context of its own, and everything that went wrong on it."""

    page: Page
    origin: str
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(_VIOLATIONS)
        self.page.on("console", lambda message: self._note(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self._note(f"error: {error}"))
        self.page.on("requestfailed", self._on_failure)
        self.page.on("response", self._on_response)
        self.page.on("request", self._on_request)

    def _on_failure(self, request: Request) -> None:
        # Aborted is what the test left behind when it went on, an icon for instance.
        if request.failure != "net::ERR_ABORTED":
            self._note(f"failed: {request.url}: {request.failure}")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self._note(f"{response.status}: {response.url}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:")):
            self._note(f"elsewhere: {request.url}")

    def _note(self, problem: str) -> None:
        self.problems.append(f"{self.page.url}: {problem}")

    def open(self, path: str) -> Page:
        self.page.goto(self.origin + path, wait_until="load")
        return self.page


@dataclass(frozen=True)
class Opener:
    """Opens watched pages, and closes them when the test ends."""

    browser: Browser
    origins: Mapping[str, str]
    contexts: list[BrowserContext] = field(default_factory=list)

    def __call__(
        self,
        path: str | None = None,
        origin: str = "path",
        *,
        width: int = 1280,
        scheme: Scheme = "light",
        script: bool = True,
        touch: bool = False,
    ) -> Watched:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=script,
            has_touch=touch,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        self.contexts.append(context)
        watched = Watched(context.new_page(), self.origins[origin])
        if path is not None:
            watched.open(path)
        return watched

    def close(self) -> None:
        for context in self.contexts:
            context.close()


def pages_of(site: Path, *, leading_on: bool = False) -> list[str]:
    """Every page but the one that only its host can place; those that lead on if asked for."""
    found = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    return [path for path in found if path != "404.html" and (leading_on or not is_latest(path))]


def is_latest(path: str) -> bool:
    """Does the page lead on to a version at once?"""
    return path.endswith("/latest/index.html")


def plot(anchor: str = "fig-cost", key: str | None = None) -> str:
    """The selector of a figure's drawing; with a key, once it is drawn that way ("" is any)."""
    drawn = "" if key is None else f"[data-live='{key}']" if key else "[data-live]"
    return f"[data-figure='{anchor}']{drawn}"


def live(page: Page, key: str = "", anchor: str = "fig-cost") -> Locator:
    """A figure, once it is interactive and, if a key is given, drawn that way."""
    page.locator(plot(anchor)).scroll_into_view_if_needed()
    page.wait_for_selector(plot(anchor, key))
    return page.locator(plot(anchor))


def tips(page: Page, anchor: str = "fig-cost", panel: int | None = None) -> list[dict[str, str]]:
    """What the marks of a figure say to whoever points at them; of one of its panels if given."""
    within = "" if panel is None else f".concat_{panel}_group"
    found: list[dict[str, str]] = page.evaluate(_TIPS, [plot(anchor), within])
    return found


def settle(page: Page) -> None:
    """Until every figure is interactive, where the page has any that will be."""
    for one in page.locator("[data-figure]").all():
        live(page, anchor=one.get_attribute("data-figure") or "")


def open_everything(page: Page) -> None:
    """Unfolds what is folded and sorts every table by its first column."""
    page.evaluate(_OPENED)


def choose(page: Page, name: str, value: str) -> None:
    """Chooses a radio button as a pointer does: by its label."""
    page.locator(f"label:has(input[name='{name}'][value='{value}'])").click()


def shown(page: Page, selector: str) -> list[str]:
    """The elements of that selector that have a box that can be seen."""
    found: list[str] = page.evaluate(_SHOWN, selector)
    return found


def ground(page: Page) -> str:
    """The colour that the page is on, as Chromium writes it."""
    found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


def wait(page: Page, script: str, *arguments: object) -> None:
    """Until the script returns true, a frame at a time.

    Not `wait_for_function`, which evaluates strings in the page: the site's policy forbids that.
    """
    for _ in range(600):
        if page.evaluate(script, list(arguments)):
            return
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")
    pytest.fail(f"never came true: {script}")
