"""The committed site in a real browser: from a folder, at the root, and under a path."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.browser.watching import (
    ORIGINS,
    Opener,
    Scheme,
    choose,
    ground,
    open_everything,
    pages_of,
    settle,
    shown,
    wait,
)

REPORT = "page-cost/12/index.html"
ONE_OF_EACH = (
    "index.html",
    "page-cost/index.html",
    REPORT,
    "page-cost/compare/12..12.1/index.html",
    "guide/method/index.html",
)
CONTROLS = "button, input, select, textarea, fieldset, .controls, .btn"


def counts(site: Path, path: str = REPORT) -> list[dict[str, str]]:
    """The rows of costs.csv for all queries."""
    with (site / path).with_name("costs.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["group_by"] == "all"]


# --- Every page -----------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("origin", ORIGINS)
def test_no_page_complains_fails_or_asks_another_host(
    origin: str, scheme: Scheme, site: Path, visit: Opener
) -> None:
    watched = visit(origin=origin, scheme=scheme)
    grounds = set()
    for path in pages_of(site):
        page = watched.open(path)
        settle(page)
        grounds.add(ground(page))
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


@pytest.mark.parametrize("address", ["http://example.com/", "http://192.0.2.1/", "http://[::1]/"])
def test_the_browser_finds_no_other_host(address: str, browser: Browser) -> None:
    page = browser.new_page()
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        page.goto(address)
    page.close()


@pytest.mark.parametrize("width", [360, 320])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways_on_a_phone(
    scheme: Scheme, width: int, site: Path, visit: Opener
) -> None:
    watched = visit(width=width, scheme=scheme)
    too_wide = []
    for path in pages_of(site):
        page = watched.open(path)
        settle(page)
        open_everything(page)
        wide, there = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert there == width
        if wide > there:
            too_wide.append((path, wide))
    assert too_wide == []


def test_bars_of_the_head_stand_level_where_one_count_takes_more_lines(visit: Opener) -> None:
    page = visit(REPORT, width=800).page
    bars = page.locator(".trio dd > svg:not(.mk)")
    before = bars.first.bounding_box()
    page.locator(".trio .v b").first.evaluate("count => { count.innerHTML = '1<br>2<br>3'; }")
    boxes = [bar.bounding_box() for bar in bars.all()]
    assert len(boxes) == 3
    assert boxes[0] != before  # it did take more lines
    assert len({box and box["y"] for box in boxes}) == 1


def test_section_numbers_stay_on_one_line_however_narrow_and_wide(visit: Opener) -> None:
    page = visit(REPORT, width=360).page
    lines = page.locator("h2 .n").evaluate_all("""numbers => numbers.map(number => {
      number.textContent = "100000";
      const text = document.createRange();
      text.selectNodeContents(number);
      return text.getClientRects().length;
    })""")
    assert len(lines) == 12
    assert set(lines) == {1}


_MOVES = """
const moves = [], note = entries => moves.push(...entries.flatMap(one => one.sources.map(
  ({ node, previousRect, currentRect }) =>
    `${node?.outerHTML?.slice(0, 60)}: ${previousRect.y} to ${currentRect.y}`)));
const observer = new PerformanceObserver(list => note(list.getEntries()));
observer.observe({ type: "layout-shift" });
window.moved = () => { note(observer.takeRecords()); return moves; };
new PerformanceObserver(() => { window.painted = true; }).observe({ type: "paint" });
"""
TWO_FRAMES = """() => new Promise(done =>
  requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"""


@pytest.mark.parametrize("width", [1280, 768, 360])
def test_nothing_moves_when_scripts_arrive_after_the_first_paint(width: int, visit: Opener) -> None:
    watched = visit(width=width)
    page = watched.page
    page.add_init_script(_MOVES)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/assets/*.js", hold)
    moved = {}
    for path in ONE_OF_EACH:
        page.goto(watched.origin + path, wait_until="commit")
        wait(page, "() => window.painted === true")
        assert held, path
        while held:
            held.pop().continue_()
        page.wait_for_load_state("load")
        wait(page, TWO_FRAMES)
        moved[path] = page.evaluate("moved()")
    assert {path: what for path, what in moved.items() if what} == {}


def test_a_missing_page_leads_back_from_any_depth(visit: Opener) -> None:
    watched = visit("no/such/page/", origin="invented")
    page = watched.page
    assert page.title() == "No such page · Invented"
    assert ground(page) == "rgb(253, 253, 251)"
    expect(page.locator("input[name='theme'][value='dark']")).to_be_visible()
    links = page.locator("main a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) > 2
    for link in links:
        assert page.goto(link).ok, link  # type: ignore[union-attr]
    # Nothing else was wrong than that the page is missing.
    assert watched.problems
    assert [one for one in watched.problems if "404" not in one] == []


def test_the_narrow_drawings_are_shown_on_a_phone_and_the_wide_ones_else(visit: Opener) -> None:
    for width, there, gone in ((1280, "wide", "narrow"), (360, "narrow", "wide")):
        page = visit(REPORT, width=width, script=False).page
        assert len(shown(page, f"svg.{there}")) == 5
        assert shown(page, f"svg.{gone}") == []


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
    assert ground(page) == "rgb(253, 253, 251)"
    choose(page, "theme", "dark")
    assert ground(page) == "rgb(20, 23, 26)"
    page = watched.open("index.html")
    assert ground(page) == "rgb(20, 23, 26)"
    expect(page.locator("input[name='theme'][value='dark']")).to_be_checked()
    choose(page, "theme", "")
    assert ground(page) == "rgb(253, 253, 251)"
    page = watched.open(REPORT)
    assert ground(page) == "rgb(253, 253, 251)"
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


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_what_can_be_copied_is_copied_whole(how: str, site: Path, visit: Opener) -> None:
    watched = visit()
    watched.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = watched.open(REPORT)
    of = {one: page.locator(f"#{one}").text_content() for one in ("cmd", "cite-md")}
    expected = {
        "Copy commands": of["cmd"],
        "Copy link": watched.origin + REPORT,
        "Copy Markdown": of["cite-md"],
        "Copy BibTeX": (site / REPORT).with_name("citation.bib").read_text(encoding="utf-8"),
    }
    buttons = page.locator("[data-copy]")
    assert buttons.all_text_contents() == list(expected)
    for place, text in enumerate(expected.values()):
        button = buttons.nth(place)
        if how == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Enter")
        expect(button).to_have_text("Copied")
        expect(page.locator("[role=status].vh")).to_have_text("Copied")
        assert text is not None
        assert page.evaluate("navigator.clipboard.readText()") == text.strip()


def test_the_contents_mark_the_section_that_is_read(visit: Opener) -> None:
    page = visit(REPORT).page
    marked = page.locator(".toc a[aria-current]")
    expect(marked).to_have_count(0)
    for name in ("ranks", "writeup", "measured"):
        page.evaluate("name => document.getElementById(name).scrollIntoView()", name)
        expect(marked).to_have_count(1)
        expect(marked).to_have_attribute("href", f"#{name}")


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
    assert drawings.count() == 5
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
        settle(page)
        page.emulate_media(media="print")
        assert shown(page, CONTROLS) == [], path
        assert ground(page) == "rgb(255, 255, 255)", path
        page.emulate_media(media="screen")


def test_a_report_prints_with_what_is_folded_and_on_few_sheets(visit: Opener) -> None:
    page = visit(REPORT).page
    visible = """details => details.map(one =>
      [...one.children].at(-1).checkVisibility({ contentVisibilityAuto: true }))"""
    folded = page.locator("details.all")
    assert set(folded.evaluate_all(visible)) == {False}
    page.emulate_media(media="print")
    assert set(folded.evaluate_all(visible)) == {True}
    page.emulate_media(media="screen")
    sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))
    assert 8 <= len(sheets) <= 16
