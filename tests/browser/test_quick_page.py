"""The page that `pagecost quick` writes, in a real browser and from a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Locator, Page, expect

from pagecost.cli import main
from tests.browser.watching import (
    Opener,
    Scheme,
    Watched,
    choose,
    ground,
    live,
    plot,
    tips,
    wait,
)
from tests.collection_builders import write
from tests.site_builders import figures_folder

QRELS = "q1 0 b 1\nq1 0 a 0\nq2 0 c 2\nq3 0 d 1\nq4 0 e 1\n"
BASE = "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 y 1 1 t\nq3 Q0 d 1 1 t\nq4 Q0 e 1 1 t\n"
OURS = "q1 Q0 b 1 2 t\nq2 Q0 x 1 3 t\nq2 Q0 c 2 1 t\nq4 Q0 y 1 2 t\nq4 Q0 e 2 1 t\n"
OTHER = "q1 Q0 b 1 2 t\nq2 Q0 x 1 1 t\nq3 Q0 x 1 2 t\nq3 Q0 d 2 1 t\nq4 Q0 e 1 1 t\n"
"""Each misses one of the four: base and other q2, ours q3."""

Open = Callable[..., Watched]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`unknown`, without anybody's searches, `known`, with the baseline's and one other's, and
    `one`, a single run."""
    folder = tmp_path_factory.mktemp("quick")
    texts = {"qrels.txt": QRELS, "base.run": BASE, "ours.run": OURS, "other.run": OTHER}
    for name, text in texts.items():
        write(folder, name, text)
    several = [word for name in ("base", "ours", "other") for word in ("--run", f"{name}.run")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PAGECOST_CACHE", str(figures_folder(tmp_path_factory)))
        for name, options in {
            "unknown": several,
            "known": [*several, "--searches", "base=2", "--searches", "other=1"],
            "one": ["--run", "base.run"],
        }.items():
            sizes = ["--page-size", "1", "--page-size", "2", "--page-size", "5"]
            given = ["quick", "--qrels", "qrels.txt", *options, *sizes, "--output", name]
            done = CliRunner().invoke(main, [*given, "--date", "2026-01-02"], prog_name="pagecost")
            assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def visit(browser: Browser, reports: Path) -> Iterator[Open]:
    opener = Opener(browser, {"folder": reports.as_uri() + "/"})

    def visited(report: str = "unknown", *, width: int = 1280, scheme: Scheme = "light") -> Watched:
        return opener(f"{report}/index.html", "folder", width=width, scheme=scheme)

    yield visited
    opener.close()


@pytest.mark.parametrize("report", ["unknown", "known", "one"])
@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_complains_of_nothing_asks_nobody_and_fits(
    scheme: Scheme, width: int, report: str, visit: Open
) -> None:
    watched = visit(report, width=width, scheme=scheme)
    page = watched.page
    live(page)
    assert ground(page) == ("rgb(253, 253, 251)" if scheme == "light" else "rgb(20, 23, 26)")
    wide, there = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= there == width
    assert watched.problems == []


@pytest.mark.parametrize("report", ["unknown", "known"])
def test_the_cost_figure_becomes_interactive_and_its_metric_can_be_changed(
    report: str, visit: Open
) -> None:
    watched = visit(report)
    page = watched.page
    live(page, "pages-relative-wide")
    svg = page.locator(f"{plot()} svg")
    for metric in ("emitted", "pages"):
        choose(page, "fig-cost-metric", metric)
        live(page, f"{metric}-relative-wide")
    choose(page, "fig-cost-scale", "absolute")
    live(page, "pages-absolute-wide")
    expect(svg).to_have_count(1)
    assert watched.problems == []


def test_a_single_run_has_its_counts_and_no_scale_to_choose(visit: Open) -> None:
    watched = visit("one")
    page = watched.page
    live(page, "pages-wide")
    choose(page, "fig-cost-metric", "emitted")
    live(page, "emitted-wide")
    assert page.locator("input[name='fig-cost-scale']").count() == 0
    assert watched.problems == []


def test_the_figure_shows_the_counts_of_the_runs(visit: Open) -> None:
    page = visit().page
    live(page, "pages-relative-wide")
    found = {
        (tip["Policy"], tip["Page size"]): tip["Pages"]
        for tip in tips(page, panel=0)
        if tip["Page size is"] == "in the plan"
    }
    for policy, pages in (("base", "5"), ("ours", "6"), ("other", "5")):
        assert found[policy, "1"] == pages


# --- Tables ---------------------------------------------------------------------------------------


def rows(table: Locator) -> list[str]:
    """Its rows, top to bottom."""
    found: list[str] = table.evaluate(
        "t => [...t.querySelectorAll('tbody tr:not(.grp)')].map(r => r.textContent)"
    )
    return found


def columns(table: Locator) -> list[list[str]]:
    """What each column sorts by, top to bottom."""
    found: list[list[str]] = table.evaluate(
        """t => [...t.tHead.rows].pop() && [...[...t.tHead.rows].pop().cells].map((_, i) =>
             [...t.querySelectorAll('tbody tr:not(.grp)')].map(
               r => r.cells[i].dataset.v ?? r.cells[i].textContent.trim()))"""
    )
    return found


def is_sorted(values: list[str], *, descending: bool = False) -> bool:
    """As numbers, what is not given last either way; texts are another test's."""
    given = [value for value in values if value]
    try:
        numbers = [float(value) for value in given]
    except ValueError:
        return True
    return values[: len(given)] == given and numbers == sorted(numbers, reverse=descending)


def opened(page: Page) -> list[Locator]:
    """Every table that sorts, the folded ones too."""
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    found = page.locator("table[data-sort]").all()
    assert len(found) >= 5
    return found


@pytest.mark.parametrize("report", ["unknown", "known"])
def test_every_table_sorts_by_every_column_and_is_restored(report: str, visit: Open) -> None:
    watched = visit(report)
    page = watched.page
    live(page)
    empty = 0
    for table in opened(page):
        before = rows(table)
        assert before
        heads = table.locator("thead tr:last-child th")
        for index, head in enumerate(heads.all()):
            empty += "" in columns(table)[index]
            button = head.get_by_role("button")
            button.click()
            expect(head).to_have_attribute("aria-sort", "ascending")
            assert is_sorted(columns(table)[index])
            button.click()
            expect(head).to_have_attribute("aria-sort", "descending")
            assert is_sorted(columns(table)[index], descending=True)
            assert sorted(rows(table)) == sorted(before)
            button.click()
            assert rows(table) == before
    assert empty, "no column had an empty value, so nothing was shown of them"
    assert watched.problems == []


def test_what_was_not_given_is_said_and_no_share_is_shown(visit: Open) -> None:
    watched = visit()
    page = watched.page
    proxy = page.locator("dl.trio > div", has_text="Search-work proxy")
    expect(proxy).to_contain_text("not given")
    expect(proxy).to_contain_text("No number is invented.")
    assert "%" not in proxy.inner_text()
    live(page)
    wait(page, "() => !/\\b(None|NaN|undefined|null)\\b/.test(document.body.innerText)")
    assert watched.problems == []
