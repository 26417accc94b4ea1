"""Interactive figures: what they show, by mouse, keyboard and touch, and when they load."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.hosting import hosted
from tests.browser.watching import ORIGINS, Opener, choose, live, plot, shown, tips, wait

REPORT = "page-cost/12.1/index.html"
FIGURES = ("fig-cost", "fig-wins", "fig-ranks", "fig-groups", "fig-plane")
LABELS = {
    "baseline": "baseline",
    "identifiers": "identifiers",
    "helper": "identifier_baseline_first",
    "identifiers first": "identifier_first",
    "deferred helper": "deferred",
    "rank_bm25 Okapi": "okapi",
}
"""What that report calls its policies → their names."""
COUNTED = {"pages": "Pages", "emitted": "Candidates", "searches": "Searches (proxy)"}


def number(text: str) -> int:
    return int(text.replace(",", ""))


def change(ours: int, base: int) -> str:
    """A change in per cent, as a tip says it."""
    return f"{100 * (ours - base) / base:+.1f}".replace("-", "\u2212")


def costs(site: Path, **where: str) -> list[dict[str, str]]:
    """The rows of the report's costs.csv that have those values."""
    with (site / REPORT).with_name("costs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if all(row[key] == value for key, value in where.items())]


def recorded(site: Path, metric: str) -> dict[tuple[str, str], int]:
    """(policy's label, page size) → count over all queries."""
    labels = {name: label for label, name in LABELS.items()}
    rows = costs(site, group_by="all")
    return {(labels[row["policy"]], row["page_size"]): int(row[metric]) for row in rows}


def drawn(page: Page, panel: int, metric: str) -> dict[tuple[str, str], int]:
    """The same as a panel of figure 1 shows it, at the sizes of the plan."""
    return {
        (tip["Policy"], tip["Page size"].replace(",", "")): number(tip[COUNTED[metric]])
        for tip in tips(page, panel=panel)
        if tip["Page size is"] == "in the plan"
    }


# --- When they load -------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ORIGINS)
def test_every_figure_turns_interactive_and_the_bundle_loads_once(
    origin: str, visit: Opener
) -> None:
    watched = visit(origin=origin)
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    page = watched.open(REPORT)
    for anchor in FIGURES:
        live(page, anchor=anchor)
        assert tips(page, anchor), anchor
    assert len([url for url in asked if "/assets/vega." in url]) == 1
    assert watched.problems == []


def test_the_bundle_waits_for_the_first_paint_and_for_a_figure_to_come_near(visit: Opener) -> None:
    watched = visit()
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    page = watched.open(REPORT)
    wait(page, "() => performance.getEntriesByType('paint').length > 0")
    assert not [url for url in asked if "vega" in url or "fig-" in url]
    live(page)
    assert [url for url in asked if "/assets/vega." in url]
    assert not [url for url in asked if "fig-plane" in url]
    assert page.evaluate(
        """() => performance.getEntriesByType("resource").find(one => one.name.includes("/vega."))
             .startTime > performance.getEntriesByType("paint")[0].startTime"""
    )


def test_a_page_without_figures_never_asks_for_the_bundle(visit: Opener) -> None:
    watched = visit()
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    for path in ("index.html", "page-cost/index.html", "guide/method/index.html"):
        watched.open(path).wait_for_load_state("networkidle")
    assert asked
    assert not [url for url in asked if "vega" in url or "figures" in url]


def test_a_figure_stays_a_drawing_where_the_bundle_does_not_load(visit: Opener) -> None:
    watched = visit()
    watched.page.route("**/vega.*.js", lambda route: route.abort())
    page = watched.open(REPORT)
    page.locator(plot()).scroll_into_view_if_needed()
    expect(controls(page)).to_be_hidden()
    assert len(shown(page, f"{plot()} svg.wide")) == 1
    assert page.locator(plot()).get_attribute("data-live") is None
    assert not [one for one in watched.problems if "error: " in one]


@pytest.mark.parametrize(
    "where", ["page-cost/compare/12..12.1/index.html", "python-packages/compare/1..2/index.html"]
)
def test_the_figure_of_a_comparison_turns_interactive(where: str, visit: Opener) -> None:
    watched = visit(where)
    live(watched.page, anchor="fig-change")
    assert tips(watched.page, "fig-change")
    assert watched.problems == []


# --- What can be chosen ---------------------------------------------------------------------------


def controls(page: Page, anchor: str = "fig-cost") -> Locator:
    return page.locator(f"#{anchor} .controls")


def test_the_metric_switch_changes_the_left_panel_to_the_recorded_counts_and_keeps_the_proxy(
    site: Path, visit: Opener
) -> None:
    watched = visit(REPORT)
    page = watched.page
    live(page, "pages-relative-wide")
    for metric in ("pages", "emitted", "pages"):
        choose(page, "fig-cost-metric", metric)
        live(page, f"{metric}-relative-wide")
        assert drawn(page, 0, metric) == recorded(site, metric)
        assert drawn(page, 1, "searches") == recorded(site, "searches")
    assert watched.problems == []


def test_the_scale_switch_goes_from_change_to_counts_and_back(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    axis = page.locator(f"{plot()} .concat_0_group .role-axis-label").last
    assert "%" in (axis.text_content() or "")
    choose(page, "fig-cost-scale", "absolute")
    live(page, "pages-absolute-wide")
    assert "%" not in (axis.text_content() or "")
    assert drawn(page, 0, "pages") == recorded(site, "pages")
    page.locator("input[name='fig-cost-scale'][value='absolute']").focus()
    page.keyboard.press("ArrowLeft")
    live(page, "pages-relative-wide")


def test_a_policy_is_chosen_for_wins_and_losses(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, "0-wide", "fig-wins")
    labels = {name: label for label, name in LABELS.items()}
    options = controls(page, "fig-wins").locator("option")
    assert options.first.text_content() == "deferred helper"
    for place, label in enumerate(options.all_text_contents()):
        page.locator("select[name='fig-wins-policy']").select_option(str(place))
        live(page, f"{place}-wide", "fig-wins")
        found = {tip["Queries"] for tip in tips(page, "fig-wins", 0)}
        rows = [row for row in costs(site, group_by="all") if labels[row["policy"]] == label]
        assert len(rows) == 5
        for row in rows:
            for name in ("page_wins", "page_ties", "page_losses"):
                assert f"{int(row[name]):,}" in found, (label, name)


def test_groups_show_the_changes_of_what_is_chosen(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, "pages-wide", "fig-groups")
    choose(page, "fig-groups-metric", "emitted")
    live(page, "emitted-wide", "fig-groups")
    rows = {row["policy"]: row for row in costs(site, group="etcd-io/etcd", page_size="20")}
    found = {
        tip["etcd"]: tip["Change, %"]
        for tip in tips(page, "fig-groups")
        if "etcd" in tip and tip["Page size"] == "20"
    }
    assert found == {
        said: change(*(int(rows[policy][metric]) for policy in ("deferred", "baseline")))
        for said, metric in (("emitted candidates", "emitted"), ("searches (proxy)", "searches"))
    }


def test_the_plane_shows_the_counts_of_the_page_size_that_is_chosen(
    site: Path, visit: Opener
) -> None:
    page = visit(REPORT).page
    live(page, "20-wide", "fig-plane")
    for size in ("1", "50", "20"):
        choose(page, "fig-plane-size", size)
        live(page, f"{size}-wide", "fig-plane")
        found = {
            LABELS[tip["Policy"]]: (number(tip["Pages"]), number(tip["Searches (proxy)"]))
            for tip in tips(page, "fig-plane")
        }
        assert found == {
            row["policy"]: (int(row["pages"]), int(row["searches"]))
            for row in costs(site, group_by="all", page_size=size)
        }


def test_every_query_is_in_the_grid_of_ranks(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, anchor="fig-ranks")
    assert sum(number(tip["Queries"]) for tip in tips(page, "fig-ranks")) == 2948


@pytest.mark.parametrize("anchor", ["fig-cost", "fig-plane"])
@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_press_on_the_legend_fades_a_policy_and_another_brings_it_back(
    how: str, anchor: str, visit: Opener
) -> None:
    page = visit(REPORT).page
    live(page, anchor=anchor)
    button = controls(page, anchor).locator("[data-policy='deferred']")
    opacity = """([plot, name, opacity]) => {
        const found = [...document.querySelectorAll(`${plot} .live svg path`)]
            .filter(path => path.__data__?.datum?.policy === name)
            .filter(path => (path.getAttribute("opacity") ?? "0") !== "0");
        return found.length > 0 && found.every(path => path.getAttribute("opacity") === opacity);
    }"""

    def press() -> None:
        if how == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press("Space")

    expect(button).to_have_attribute("aria-pressed", "true")
    wait(page, opacity, plot(anchor), "deferred", "1")
    press()
    expect(button).to_have_attribute("aria-pressed", "false")
    wait(page, opacity, plot(anchor), "deferred", "0.12")
    wait(page, opacity, plot(anchor), "baseline", "1")
    if anchor == "fig-cost":  # a faded policy stays so when the figure is drawn anew
        choose(page, "fig-cost-metric", "emitted")
        live(page, "emitted-relative-wide")
        wait(page, opacity, plot(anchor), "deferred", "0.12")
    press()
    expect(button).to_have_attribute("aria-pressed", "true")
    wait(page, opacity, plot(anchor), "deferred", "1")


# --- Exact values ---------------------------------------------------------------------------------

_PLACE = """([plot, policy, size]) => {
  const panel = document.querySelector(`${plot} .live svg .concat_0_group`);
  const path = [...panel.querySelectorAll("path")].find(path => {
    const tip = path.__data__?.tooltip;
    return tip?.Policy === policy && tip["Page size"] === size
      && tip["Page size is"] === "in the plan";
  });
  const { left, top, width, height } = path.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""


def place(page: Page, policy: str, size: str) -> tuple[float, float]:
    """The middle of that mark in the left panel of figure 1."""
    x, y = page.evaluate(_PLACE, [plot(), policy, size])
    return x, y


def said(page: Page) -> str:
    """The tip that is shown."""
    expect(page.locator(".tip")).to_be_visible()
    return page.locator(".tip").inner_text()


def test_the_pointer_gets_exact_values_and_beside_all_marks_none(site: Path, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    x, y = place(page, "deferred helper", "20")
    page.mouse.move(x, y)
    counts = recorded(site, "pages")
    ours, base = counts["deferred helper", "20"], counts["baseline", "20"]
    moved = change(ours, base)
    for text in ("deferred helper", f"{ours:,}", moved, "in the plan"):
        assert text in said(page)
    page.mouse.move(x + 30, y - 45)
    expect(page.locator(".tip")).to_be_hidden()


def test_a_tap_gets_exact_values(site: Path, visit: Opener) -> None:
    page = visit(REPORT, width=360, touch=True).page
    live(page, "pages-relative-narrow")
    x, y = place(page, "baseline", "5")
    page.touchscreen.tap(x + 6, y + 4)  # a finger seldom meets the middle
    expect(page.locator(".tip")).to_be_visible()
    box = page.locator(".tip").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360


@pytest.mark.parametrize("anchor", FIGURES)
def test_the_keyboard_reaches_every_value(anchor: str, visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, anchor=anchor)
    page.locator(f"{plot(anchor)} .live").focus()
    expected = sorted("\n".join(f"{k} {v}" for k, v in tip.items()) for tip in tips(page, anchor))
    found = []
    page.keyboard.press("Home")
    for _ in expected:
        found.append(said(page).replace("\n\n", "\n"))
        page.keyboard.press("ArrowRight")
    squeezed = [" ".join(one.split()) for one in found]
    assert sorted(squeezed) == sorted(" ".join(one.split()) for one in expected)
    expect(page.locator(".dot")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".tip")).to_be_hidden()
    page.keyboard.press("End")
    assert " ".join(said(page).split()) == squeezed[-1]
    page.keyboard.press("Tab")
    expect(page.locator(".tip")).to_be_hidden()


def test_up_and_down_go_from_policy_to_policy_at_one_page_size(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    page.locator(f"{plot()} .live").focus()
    page.keyboard.press("Home")
    first = said(page)
    page.keyboard.press("ArrowDown")
    second = said(page)
    page.keyboard.press("ArrowUp")
    assert said(page) == first
    assert first.split("\n\n")[0] != second.split("\n\n")[0]


# --- Width, scheme, paper, other pages ------------------------------------------------------------


def test_a_figure_is_drawn_anew_where_the_window_gets_narrow(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page, "pages-relative-wide")
    page.set_viewport_size({"width": 360, "height": 900})
    live(page, "pages-relative-narrow")


def test_a_figure_follows_the_scheme_without_being_drawn_anew(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    stroke = f"""() => getComputedStyle(document.querySelector(
        "{plot()} svg .concat_0_group .mark-line path")).stroke"""
    before = page.evaluate(stroke)
    page.evaluate(f"window.kept = document.querySelector(`{plot()} svg`)")
    choose(page, "theme", "dark")
    wait(page, f"([before]) => ({stroke})() !== before", before)
    assert page.evaluate(f"window.kept === document.querySelector(`{plot()} svg`)")


def test_on_paper_a_figure_is_the_drawing_that_it_was_before(visit: Opener) -> None:
    page = visit(REPORT).page
    live(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(f"{plot()} .live").count() == 0
    assert len(shown(page, f"{plot()} > svg.wide")) == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_selector(f"{plot()} .live")


@pytest.mark.parametrize("anchor", FIGURES)
def test_an_embed_turns_interactive_and_keeps_its_caveat(anchor: str, visit: Opener) -> None:
    watched = visit(f"page-cost/12.1/embed/{anchor}/index.html", width=600)
    page = watched.page
    live(page, anchor=anchor)
    assert tips(page, anchor)
    text = page.locator("main").inner_text()
    assert "The proxy counts index searches; it is not time." in text
    assert "exploration" in text
    back = page.locator("main .meta a")
    assert back.get_attribute("href") == f"../../index.html#{anchor}"
    assert watched.problems == []


def test_an_embed_works_inside_a_page_of_another_host(
    origins: dict[str, str], visit: Opener, tmp_path: Path
) -> None:
    address = f"{origins['path']}page-cost/12.1/embed/fig-cost/"
    frame = f"<!doctype html><title>o</title><iframe width=800 height=700 src='{address}'></iframe>"
    (tmp_path / "outer.html").write_text(frame, encoding="utf-8")
    page = visit().page
    with hosted(tmp_path) as outer:
        page.goto(f"{outer}outer.html")
        inside = page.frame_locator("iframe")
        inside.locator(plot("fig-cost", "")).wait_for()
        expect(inside.locator("main")).to_contain_text("it is not time")
