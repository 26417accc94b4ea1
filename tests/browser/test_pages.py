"""The committed site in a real browser: from a folder, at the root, and under a path.

Set PAGECOST_CHROMIUM to a Chromium where none is on the path.
"""

from __future__ import annotations

import csv
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    Request,
    Response,
    expect,
)

from tests.site_builders import committed_site

ORIGINS = ("folder", "root", "path")
REPORT = "page-cost/12/index.html"
LABELS = {"baseline": "baseline", "helper": "identifier_baseline_first"}
"""What that report calls its policies → their names."""

VIOLATIONS = """
addEventListener("securitypolicyviolation", event =>
  console.error("policy", event.violatedDirective, event.blockedURI));
"""
SHOWN = """
selector => [...document.querySelectorAll(selector)].filter(element => {
  const style = getComputedStyle(element);
  return element.getClientRects().length > 0 && style.visibility === "visible"
    && Number(style.opacity) > 0;
}).map(element => element.outerHTML.slice(0, 120))
"""
CONTROLS = "button, input, select, textarea, fieldset, .controls, .btn"


# --- Serving and watching -------------------------------------------------------------------------


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder below a path, and nothing above it."""

    def __init__(self, *arguments: Any, below: str, directory: str) -> None:
        self._below = below
        super().__init__(*arguments, directory=directory)

    def translate_path(self, path: str) -> str:
        if not path.startswith(self._below):
            return str(Path(self.directory) / "outside")
        return super().translate_path("/" + path.removeprefix(self._below))

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return committed_site(tmp_path_factory)


@pytest.fixture(scope="module")
def origins(site: Path) -> Iterator[dict[str, str]]:
    """Where the site is, by name; each ends in a slash."""
    made = {"folder": site.as_uri() + "/"}
    servers = []
    for name, below in (("root", "/"), ("path", "/repo/")):
        handler = partial(_Handler, below=below, directory=str(site))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        servers.append((server, thread))
        made[name] = f"http://127.0.0.1:{server.server_port}{below}"
    yield made
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Watched:
    """A page in a context of its own, and everything that went wrong on it."""

    page: Page
    origin: str
    problems: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.add_init_script(VIOLATIONS)
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
        scheme: Literal["light", "dark"] = "light",
        script: bool = True,
    ) -> Watched:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=script,
            reduced_motion="reduce",
        )
        context.set_default_timeout(20_000)
        self.contexts.append(context)
        watched = Watched(context.new_page(), self.origins[origin])
        if path is not None:
            watched.open(path)
        return watched


@pytest.fixture
def visit(browser: Browser, origins: dict[str, str]) -> Iterator[Opener]:
    opener = Opener(browser, origins)
    yield opener
    for context in opener.contexts:
        context.close()


def pages_of(site: Path) -> list[str]:
    """Every page but those that lead on at once."""
    found = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    return [path for path in found if "/latest/" not in path]


def live(page: Page, key: str = "") -> Locator:
    """Figure 1, once it is interactive and, if a key is given, drawn that way."""
    page.locator("#plot-cost").scroll_into_view_if_needed()
    selector = f"#plot-cost[data-live='{key}']" if key else "#plot-cost[data-live]"
    page.wait_for_selector(selector)
    return page.locator("#plot-cost")


def shown(page: Page, selector: str) -> list[str]:
    """The elements of that selector that have a box that can be seen."""
    found: list[str] = page.evaluate(SHOWN, selector)
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


def counts(site: Path, path: str = REPORT) -> list[dict[str, str]]:
    """The rows of costs.csv for all queries."""
    with (site / path).with_name("costs.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["group_by"] == "all"]


# --- Every page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_no_page_complains_fails_or_asks_another_host(
    origin: str, scheme: Literal["light", "dark"], site: Path, visit: Opener
) -> None:
    watched = visit(origin=origin, scheme=scheme)
    grounds = set()
    for path in pages_of(site):
        page = watched.open(path)
        if page.locator("#plot-cost").count():
            live(page)
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert watched.problems == []
    assert grounds == {"rgb(253, 253, 251)" if scheme == "light" else "rgb(20, 23, 26)"}


def test_a_page_that_does_complain_is_noticed(visit: Opener) -> None:
    watched = visit("index.html")
    watched.page.evaluate("document.body.setAttribute('style', 'color: red')")
    watched.page.evaluate("document.body.append(new Image()); document.images[0].src = 'no.png'")
    wait(watched.page, "() => document.images[0].complete")
    said = "\n".join(watched.problems)
    assert "policy style-src" in said
    assert "404: " in said


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways_on_a_phone(
    scheme: Literal["light", "dark"], site: Path, visit: Opener
) -> None:
    watched = visit(width=360, scheme=scheme)
    for path in pages_of(site):
        page = watched.open(path)
        if page.locator("#plot-cost").count():
            live(page)
        wide = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert wide[0] <= wide[1] == 360, path


def test_the_narrow_drawings_are_shown_on_a_phone_and_the_wide_ones_else(visit: Opener) -> None:
    for width, there, gone in ((1280, "wide", "narrow"), (360, "narrow", "wide")):
        page = visit(REPORT, width=width, script=False).page
        assert len(shown(page, f"svg.{there}")) == 3
        assert shown(page, f"svg.{gone}") == []


# --- Figure 1 -------------------------------------------------------------------------------------

_DRAWN = re.compile(
    r"Policy: (?P<policy>[^;]*); Page size: (?P<size>[\d,]+); "
    r"Page size is: in the plan; Count: (?P<count>[\d,]+)"
)


def drawn(page: Page, panel: int) -> dict[tuple[str, str], int]:
    """What the marks of a panel say: (policy's label, frozen page size) → count."""
    labels = page.evaluate(
        """panel => [...document.querySelectorAll(
             `#plot-cost svg .concat_${panel}_group [aria-label]`
           )].map(element => element.getAttribute("aria-label"))""",
        panel,
    )
    found = filter(None, map(_DRAWN.search, labels))
    return {
        (one["policy"], one["size"].replace(",", "")): int(one["count"].replace(",", ""))
        for one in found
    }


def recorded(site: Path, metric: str) -> dict[tuple[str, str], int]:
    labels = {name: label for label, name in LABELS.items()}
    return {(labels[row["policy"]], row["page_size"]): int(row[metric]) for row in counts(site)}


def choose(page: Page, name: str, value: str) -> None:
    """Chooses a radio button as a pointer does: by its label."""
    page.locator(f"label:has(input[name='{name}'][value='{value}'])").click()


def test_figure_1_becomes_interactive_and_shows_the_recorded_counts(
    site: Path, visit: Opener
) -> None:
    page = visit(REPORT).page
    live(page, "pages-relative-wide")
    assert drawn(page, 0) == recorded(site, "pages")
    assert drawn(page, 1) == recorded(site, "searches")
    assert page.locator("#plot-cost svg").get_attribute("role") == "img"


def test_the_metric_switch_changes_the_left_panel_to_the_recorded_counts_and_keeps_the_proxy(
    site: Path, visit: Opener
) -> None:
    watched = visit(REPORT)
    page = watched.page
    live(page)
    for metric in ("emitted", "pages"):
        choose(page, "metric", metric)
        live(page, f"{metric}-relative-wide")
        assert drawn(page, 0) == recorded(site, metric)
        assert drawn(page, 1) == recorded(site, "searches")
    assert watched.problems == []


def test_the_scale_switch_goes_from_change_to_counts_and_back(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    axis = page.locator("#plot-cost svg .concat_0_group [aria-label^='Y-axis']").first
    assert "linear scale" in (axis.get_attribute("aria-label") or "")
    choose(page, "scale", "absolute")
    live(page, "pages-absolute-wide")
    assert "log scale" in (axis.get_attribute("aria-label") or "")
    assert drawn(page, 0) == recorded(site, "pages")
    page.locator("input[name='scale'][value='absolute']").focus()
    page.keyboard.press("ArrowLeft")
    live(page, "pages-relative-wide")


def test_the_pointer_gets_exact_values(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    point = page.locator(
        "#plot-cost svg .concat_0_group "
        "[aria-label*='Policy: helper; Page size: 20; Page size is: in the plan']"
    )
    box = point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tooltip = page.locator("#vg-tooltip-element.visible")
    expected = recorded(site, "pages")
    ours, base = expected["helper", "20"], expected["baseline", "20"]
    change = f"{100 * (ours - base) / base:+.1f}".replace("-", "\u2212")
    expect(tooltip).to_contain_text(f"{ours:,}")
    expect(tooltip).to_contain_text(change)
    expect(tooltip).to_contain_text("helper")


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_press_on_the_legend_fades_a_policy_and_another_brings_it_back(
    how: str, visit: Opener
) -> None:
    page = visit(REPORT).page
    live(page)
    name = LABELS["helper"]
    button = page.locator(f"#ctl-cost [data-policy='{name}']")
    opacity = """([name, opacity]) => {
        const found = [...document.querySelectorAll("#plot-cost svg [aria-label]")]
            .filter(e => e.getAttribute("aria-label").endsWith(`policy: ${name}`));
        return found.length > 0 && found.every(e => (e.getAttribute("opacity") ?? "1") === opacity);
    }"""

    def press() -> None:
        if how == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Space")

    expect(button).to_have_attribute("aria-pressed", "true")
    wait(page, opacity, name, "1")
    press()
    expect(button).to_have_attribute("aria-pressed", "false")
    wait(page, opacity, name, "0.12")
    wait(page, opacity, LABELS["baseline"], "1")
    choose(page, "metric", "emitted")  # a faded policy stays so when the figure is drawn anew
    live(page, "emitted-relative-wide")
    wait(page, opacity, name, "0.12")
    press()
    expect(button).to_have_attribute("aria-pressed", "true")
    wait(page, opacity, name, "1")


def test_figure_1_is_drawn_anew_where_the_window_gets_narrow(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, "pages-relative-wide")
    page.set_viewport_size({"width": 360, "height": 900})
    live(page, "pages-relative-narrow")


def test_figure_1_follows_the_scheme_without_being_drawn_anew(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    stroke = """() => getComputedStyle(document.querySelector(
        "#plot-cost svg .concat_0_group .mark-line path")).stroke"""
    before = page.evaluate(stroke)
    page.emulate_media(color_scheme="dark")
    wait(page, f"([before]) => ({stroke})() !== before", before)
    assert page.locator("#plot-cost").get_attribute("data-live") == "pages-relative-wide"


def test_figure_1_stays_a_drawing_where_its_script_does_not_load(visit: Opener) -> None:
    watched = visit()
    watched.page.route("**/vega.*.js", lambda route: route.abort())
    page = watched.open(REPORT)
    page.locator("#plot-cost").scroll_into_view_if_needed()
    expect(page.locator("#ctl-cost")).to_be_hidden()
    assert len(shown(page, "#plot-cost svg.wide")) == 1
    assert page.locator("#plot-cost").get_attribute("data-live") is None
    assert not [one for one in watched.problems if "error: " in one]


# --- Tables ---------------------------------------------------------------------------------------


def column(page: Page, index: int) -> list[str]:
    """A column of table 1, top to bottom, by what it sorts by."""
    found: list[str] = page.evaluate(
        """index => [...document.querySelectorAll("#t-cost tbody tr:not(.grp)")]
             .map(row => row.cells[index].dataset.v ?? row.cells[index].textContent.trim())""",
        index,
    )
    return found


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_table_sorts_as_numbers_and_a_third_press_restores_it(how: str, visit: Opener) -> None:
    page = visit(REPORT).page
    heads = page.locator("#t-cost thead tr:last-child th")
    texts = heads.all_text_contents()
    index = next(i for i, text in enumerate(texts) if text.startswith("Searches"))
    head = heads.nth(index)

    def press() -> None:
        if how == "mouse":
            head.get_by_role("button").click()
        else:
            head.get_by_role("button").focus()
            page.keyboard.press("Enter")

    before = column(page, index)
    assert before != sorted(before, key=float)
    press()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert column(page, index) == sorted(before, key=float)
    press()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert column(page, index) == sorted(before, key=float, reverse=True)
    press()
    assert head.get_attribute("aria-sort") is None
    assert column(page, index) == before
    assert page.locator("#t-cost [aria-sort]").count() == 0


def test_sorting_by_another_column_leaves_one_column_marked(visit: Opener) -> None:
    page = visit(REPORT).page
    heads = page.locator("#t-cost thead tr:last-child th")
    heads.nth(0).get_by_role("button").click()
    heads.nth(1).get_by_role("button").click()
    assert page.locator("#t-cost [aria-sort]").count() == 1
    assert column(page, 1) == sorted(column(page, 1))


def test_every_number_of_a_sorted_table_stays_in_its_row(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    rows = """() => [...document.querySelectorAll("#t-cost tbody tr:not(.grp)")]
        .map(row => [...row.cells].map(cell => cell.dataset.v ?? "").join(" ")).sort()"""
    before = page.evaluate(rows)
    assert len(before) == len(counts(site))
    for head in page.locator("#t-cost thead tr:last-child th").all():
        head.get_by_role("button").click()
    assert page.evaluate(rows) == before


# --- Theme, latest, copying -----------------------------------------------------------------------


def test_the_chosen_theme_stays_on_the_next_page_and_can_be_given_back(visit: Opener) -> None:
    watched = visit(REPORT)
    page = watched.page
    ground = "() => getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(253, 253, 251)"
    choose(page, "theme", "dark")
    assert page.evaluate(ground) == "rgb(20, 23, 26)"
    page = watched.open("index.html")
    assert page.evaluate(ground) == "rgb(20, 23, 26)"
    expect(page.locator("input[name='theme'][value='dark']")).to_be_checked()
    choose(page, "theme", "")
    assert page.evaluate(ground) == "rgb(253, 253, 251)"
    page = watched.open(REPORT)
    assert page.evaluate(ground) == "rgb(253, 253, 251)"
    assert watched.problems == []


def latest_target(site: Path, experiment: str) -> str:
    text = (site / experiment / "latest" / "index.html").read_text(encoding="utf-8")
    found = re.search(r'data-target="\.\./([^"]+)"', text)
    assert found is not None
    return f"{experiment}/{found[1]}"


@pytest.mark.parametrize("origin", ORIGINS)
def test_latest_goes_to_the_report_and_keeps_the_fragment(
    origin: str, site: Path, visit: Opener
) -> None:
    watched = visit(origin=origin)
    target = watched.origin + latest_target(site, "page-cost")
    watched.page.goto(f"{watched.origin}page-cost/latest/index.html#groups", wait_until="commit")
    watched.page.wait_for_url(f"{target}#groups")
    expect(watched.page.locator("#groups")).to_be_in_viewport()
    assert watched.problems == []


@pytest.mark.parametrize("origin", ORIGINS)
def test_latest_reaches_the_report_without_javascript(
    origin: str, site: Path, visit: Opener
) -> None:
    watched = visit(origin=origin, script=False)
    target = watched.origin + latest_target(site, "page-cost")
    watched.page.goto(f"{watched.origin}page-cost/latest/index.html", wait_until="commit")
    watched.page.wait_for_url(target)


def test_the_commands_can_be_copied(visit: Opener) -> None:
    watched = visit()
    watched.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = watched.open(REPORT)
    button = page.locator("[data-copy='#cmd']")
    button.click()
    expect(button).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#cmd").inner_text()


# --- Without JavaScript, and on paper -------------------------------------------------------------


def test_without_javascript_no_control_is_visible_anywhere(site: Path, visit: Opener) -> None:
    watched = visit(script=False)
    for path in pages_of(site):
        assert shown(watched.open(path), CONTROLS) == [], path


@pytest.mark.parametrize("width", [1280, 360])
def test_without_javascript_every_figure_is_a_drawing_with_a_text_alternative(
    width: int, visit: Opener
) -> None:
    page = visit(REPORT, width=width, script=False).page
    drawings = page.locator("figure svg[role='img']:visible")
    assert drawings.count() == 3
    for drawing in drawings.all():
        title = drawing.locator("title").text_content() or ""
        description = drawing.locator("desc").text_content() or ""
        assert re.match(r"Figure \d\. .{20,}", title)
        assert len(description) > 40
        named = (drawing.get_attribute("aria-labelledby") or "").split()
        assert named == [
            drawing.locator("title").get_attribute("id"),
            drawing.locator("desc").get_attribute("id"),
        ]


def test_without_javascript_every_number_is_in_a_table_or_a_linked_file(
    site: Path, visit: Opener
) -> None:
    watched = visit(REPORT, script=False)
    cells = watched.page.locator("#t-cost td:visible").all_inner_texts()
    for row in counts(site):
        for metric in ("pages", "emitted", "searches"):
            assert f"{int(row[metric]):,}" in cells, (row["policy"], row["page_size"], metric)
    link = watched.page.locator("#cost a[href='costs.csv']:visible")
    assert link.count() == 1
    assert shown(watched.page, "noscript p")


def test_on_paper_no_control_is_left_and_what_is_dark_becomes_light(
    site: Path, visit: Opener
) -> None:
    watched = visit(scheme="dark")
    for path in pages_of(site):
        page = watched.open(path)
        if page.locator("#plot-cost").count():
            live(page)
        page.emulate_media(media="print")
        assert shown(page, CONTROLS) == [], path
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(255, 255, 255)"
        )
        page.emulate_media(media="screen")


def test_a_report_prints(visit: Opener) -> None:
    page = visit(REPORT).page
    assert page.pdf(format="A4").startswith(b"%PDF-")
