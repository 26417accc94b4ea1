"""The table of all queries in a real browser: filtered, sorted, paged, linked to, printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Locator, Page, Route, expect

from pagecost.cli import main
from pagecost.model import QueryRow, RankTable
from tests.browser.hosting import hosted
from tests.browser.watching import Opener, Scheme, choose, shown, wait
from tests.collection_builders import write
from tests.query_builders import HOSTILE, REVISION, SIZE, Asked, invented, report, table_of
from tests.site_builders import figures_folder, policy

PAGE_ROWS = 25
LARGE = 100_000
ORIGINS = ("folder", "path")
CONTROLS = "button, input, select, textarea, fieldset, .controls, .btn"
FEW = [
    *invented(57),
    *(Asked(name, f"hostile/{name}.go", 41, 2, line=7) for name in HOSTILE),
    Asked("caught", "c/1.go", 1, 41, id="0123456789abcdef" * 4),
]


# --- What the table must show, reckoned apart from the code that makes it -------------------------


def cost(rank: int) -> int:
    """Pages, at 5,000 documents of which none may be found."""
    return -(-(rank or 5000) // SIZE)


def outcome(base: int, ours: int, base_rank: int, rank: int) -> str:
    if not base_rank and not rank:
        return "tie"
    if not base_rank or not rank:
        return "fewer" if rank else "more"
    return "fewer" if ours < base else "more" if ours > base else "tie"


def number(value: int, sign: str = "") -> str:
    return f"{value:{sign},}".replace("-", "\u2212")


def change(by: int, counts: str) -> str:
    said = number(by, "+") if by else "0"
    return said if counts == ("fewer", "tie", "more")[(by > 0) - (by < 0) + 1] else (
        f"{said}counts as {counts}"
    )  # fmt: skip


class Expected:
    """One query as a row of the table, and what it is filtered and sorted by."""

    def __init__(self, row: QueryRow, base: int, ours: int) -> None:
        more = f" and {row.relevant - 1:,} more" if row.relevant > 1 else ""
        pages, searches = (cost(base), cost(ours)), (cost(base), 2 * cost(ours))
        self.of = {
            "outcome": outcome(*pages, base, ours),
            "proxy": outcome(*searches, base, ours),
            "repo": row.repository,
            "stratum": row.stratum,
        }
        self.searched = (row.target_name.lower(), row.target_path.lower())
        self.id = row.query_id
        self.key: dict[str, Any] = {
            "name": (row.target_name.casefold(), row.target_name),
            "repo": (row.repository.casefold(), row.repository),
            "stratum": row.stratum,
            "rank-from": base,
            "rank": ours,
            "pages-from": pages[0],
            "pages": pages[1],
            "pages-change": pages[1] - pages[0],
            "searches-from": searches[0],
            "searches": searches[1],
            "searches-change": searches[1] - searches[0],
        }
        self.cells = [
            f"{row.target_name}{row.target_path}:{row.target_line}{more}",
            row.repository,
            row.stratum,
            *(number(rank) if rank else "not found" for rank in (base, ours)),
            *map(number, pages),
            change(pages[1] - pages[0], self.of["outcome"]),
            *map(number, searches),
            change(searches[1] - searches[0], self.of["proxy"]),
        ]

    def has(self, q: str) -> bool:
        return any(q.lower() in text for text in self.searched) or self.id.startswith(q.lower())


def expected(table: RankTable) -> list[Expected]:
    base, ours = (table.column(name).ranks.tolist() for name in ("baseline", "helper"))
    return [Expected(*one) for one in zip(table.rows, base, ours, strict=True)]


def view(rows: list[Expected], state: Mapping[str, str]) -> list[Expected]:
    """Those that a state asks for, in its order."""
    found = [
        row
        for row in rows
        if all(row.of[key] == state[key] for key in row.of if key in state)
        and row.has(state.get("q", ""))
    ]
    if key := state.get("sort", "").removeprefix("-"):
        last = [row for row in found if key.startswith("rank") and not row.key[key]]
        rest = [row for row in found if row not in last]
        found = sorted(rest, key=lambda row: row.key[key], reverse=state["sort"][0] == "-") + last
    return found


def check(page: Page, rows: list[Expected], state: Mapping[str, str], number: int = 1) -> None:
    """The table shows that page of the view, the count says so, and the address leads here."""
    found = view(rows, state)
    first = (number - 1) * PAGE_ROWS
    part = found[first : first + PAGE_ROWS]
    said = f"{first + 1:,} to {first + len(part):,}" if len(part) > 1 else f"{first + 1:,}"
    all_said = f" (of {len(rows):,})" if len(found) < len(rows) else ""
    none = f"None of {len(rows):,}"
    expect(count(page)).to_have_text(f"{said} of {len(found):,}{all_said}" if found else none)
    assert cells(page) == ([row.cells for row in part] or [["No query matches."]])
    assert state_of(page.url) == (dict(state) | ({"page": str(number)} if number > 1 else {}))
    assert page.locator("#q-link").evaluate("a => a.href") == page.url


# --- The page -------------------------------------------------------------------------------------


def count(page: Page) -> Locator:
    return page.locator("#q-count")


def table_in(page: Page) -> Locator:
    return page.locator("#t-queries")


def cells(page: Page) -> list[list[str]]:
    """The text of every cell of the body."""
    found: list[list[str]] = table_in(page).evaluate(
        "t => [...t.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))"
    )
    return found


def state_of(url: str) -> dict[str, str]:
    """What an address says of the table, read by the browser's own rules."""
    return dict(parse_qsl(urlsplit(url).fragment.partition("?")[2]))


def live(page: Page) -> Page:
    """The page, once the table's data are there."""
    table_in(page).scroll_into_view_if_needed()
    wait(page, "() => 'pagecostQueries' in window")
    return page


def field(page: Page, label: str) -> Locator:
    return page.locator("#q-form").get_by_label(label)


def head(page: Page, key: str) -> Locator:
    return page.locator(f"#t-queries [data-k='{key}']")


def press(page: Page, target: Locator, how: str, key: str = "Enter") -> None:
    if how == "mouse":
        target.click(force=True)  # one that is disabled can be clicked, too
    else:
        target.focus()
        page.keyboard.press(key)


def pager(page: Page, name: str) -> Locator:
    return page.locator("#q-pager").get_by_role("button", name=name, exact=True)


@pytest.fixture(scope="module")
def few() -> RankTable:
    return table_of(FEW)


@pytest.fixture(scope="module")
def large() -> RankTable:
    return table_of(
        [
            Asked(
                name=f"find{place % 90_001}Thing",
                path=f"src/{place % 777}/{place}.go",
                base=1 + place * 7919 % 3000,
                ours=1 + place * 104729 % 2000,
                repository=("example/alpha", "example/Beta")[place % 2],
                stratum=("name-absent", "name-present")[place // 2 % 2],
                line=place + 1,
            )
            for place in range(LARGE)
        ]
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory, few: RankTable, large: RankTable) -> Path:
    """`few` and `large` of these names, `one` of a single policy, `runs` without any searches."""
    folder = tmp_path_factory.mktemp("queries")
    report(folder / "few", few)
    report(folder / "large", large)
    single = {"policies": [policy("baseline", "baseline")], "primary_policy": "baseline"}
    report(folder / "one", few, **single)
    qrels = "".join(f"q{place} 0 d{place} 1\n" for place in range(40))
    base = "".join(f"q{place} Q0 d{place} 1 1 t\n" for place in range(39))
    ours = "".join(f"q{place} Q0 x 1 2 t\nq{place} Q0 d{place} 2 1 t\n" for place in range(1, 40))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("PAGECOST_CACHE", str(figures_folder(tmp_path_factory)))
        for name, text in (("qrels.txt", qrels), ("base.run", base), ("ours.run", ours)):
            write(folder, name, text)
        given = ["--qrels", "qrels.txt", "--run", "base.run", "--run", "ours.run"]
        sizes = ["--page-size", "1", "--date", "2026-01-02", "--output", "runs"]
        done = CliRunner().invoke(main, ["quick", *given, *sizes], prog_name="pagecost")
        assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(scope="module")
def places(reports: Path) -> Iterator[dict[str, str]]:
    with ExitStack() as hosts:
        path = hosts.enter_context(hosted(reports, "/repo/"))
        yield {"folder": f"{reports.as_uri()}/", "path": path}


@pytest.fixture
def visit(browser: Browser, places: dict[str, str]) -> Iterator[Opener]:
    opener = Opener(browser, places)
    yield opener
    opener.close()


# --- Live -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ORIGINS)
def test_the_table_comes_alive_from_a_folder_and_from_a_host_and_nothing_moves(
    origin: str, few: RankTable, visit: Opener
) -> None:
    watched = visit(origin=origin)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    if origin == "path":
        watched.page.route("**/queries.js", hold)
    page = watched.open("few/index.html")
    table_in(page).scroll_into_view_if_needed()
    expect(page.locator("#q-form")).to_be_visible()
    if origin == "path":
        while not held:
            page.evaluate("() => new Promise(done => requestAnimationFrame(() => done()))")
    outline = """() => [...document.querySelectorAll("#queries, #queries :not(option)")].map(e => {
        const box = e.getBoundingClientRect(); return [box.top + scrollY, box.height].join(); })"""
    before = page.evaluate(outline)
    if origin == "path":
        assert not page.evaluate("() => 'pagecostQueries' in window")
        held[0].continue_()
    live(page)
    assert page.evaluate(outline) == before
    choose(page, "outcome", "tie")
    check(page, expected(few), {"outcome": "tie"})
    assert watched.problems == []


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_each_column_sorts_up_then_down_then_not_at_all(
    how: str, few: RankTable, visit: Opener
) -> None:
    watched = visit("few/index.html")
    page, rows = live(watched.page), expected(few)
    for key in rows[0].key:
        button = head(page, key).get_by_role("button")
        press(page, button, how)
        expect(head(page, key)).to_have_attribute("aria-sort", "ascending")
        check(page, rows, {"sort": key})
        press(page, button, how, "Space")
        expect(head(page, key)).to_have_attribute("aria-sort", "descending")
        check(page, rows, {"sort": f"-{key}"})
        assert page.locator("#t-queries [aria-sort]").count() == 1
        press(page, button, how)
        assert page.locator("#t-queries [aria-sort]").count() == 0
        check(page, rows, {})
    assert watched.problems == []


@pytest.mark.parametrize("name", ["outcome", "proxy"])
@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_outcomes_filter_and_their_labels_say_how_many_there_are(
    how: str, name: str, few: RankTable, visit: Opener
) -> None:
    page, rows = live(visit("few/index.html").page), expected(few)
    for value in ("fewer", "tie", "more", ""):
        if how == "mouse":
            choose(page, name, value)
        else:
            page.locator(f"input[name='{name}']:checked").focus()
            page.keyboard.press("ArrowRight")
        state = {name: value} if value else {}
        check(page, rows, state)
        label = page.locator(f"label:has(input[name='{name}'][value='{value}'])")
        expect(label).to_have_text(f"{value.capitalize() or 'All'} {len(view(rows, state))}")


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_a_repository_a_stratum_and_a_text_narrow_the_view_together(
    how: str, few: RankTable, visit: Opener
) -> None:
    watched = visit("few/index.html")
    page, rows = live(watched.page), expected(few)
    if how == "mouse":
        field(page, "Repository").select_option("example/Beta")
        check(page, rows, {"repo": "example/Beta"})
        field(page, "Stratum").select_option("name-present")
        field(page, "Find").click()
    else:
        field(page, "Find").focus()
        page.keyboard.press("Tab")
        page.keyboard.type("example/B")
        check(page, rows, {"repo": "example/Beta"})
        page.keyboard.press("Tab")
        page.keyboard.type("name-p")
        field(page, "Find").focus()
    state = {"repo": "example/Beta", "stratum": "name-present"}
    check(page, rows, state)
    page.keyboard.type("PARSE")
    state |= {"q": "PARSE"}
    assert 0 < len(view(rows, state)) < len(view(rows, {"q": "PARSE"}))
    check(page, rows, state)
    page.keyboard.press("Enter")  # submits nothing
    check(page, rows, state)
    press(page, page.get_by_role("button", name="Reset"), how)
    check(page, rows, {})
    expect(field(page, "Find")).to_have_value("")
    expect(field(page, "Repository")).to_have_value("")
    assert watched.problems == []


@pytest.mark.parametrize(
    "q",
    ["0123456789ab", "0123", "123456", "c/1.GO", "NODE", "zzz", "\u00fcn\u00cfCODE", "\u540d\u524d",
     "</SCRIPT>", ".", "_", "%", "a+b", "&page=2"],
)  # fmt: skip
def test_the_search_looks_into_names_paths_and_starts_of_ids(
    q: str, few: RankTable, visit: Opener
) -> None:
    page = live(visit("few/index.html").page)
    field(page, "Find").fill(f"  {q} ")
    check(page, expected(few), {"q": q})


@pytest.mark.parametrize("how", ["mouse", "keyboard"])
def test_pages_are_turned_and_the_ends_are_ends(how: str, few: RankTable, visit: Opener) -> None:
    watched = visit("few/index.html")
    page, rows = live(watched.page), expected(few)
    turns = [("Next", 2), ("Next", 3), ("Previous", 2), ("First", 1), ("Last", 3)]
    for name, at in turns:
        press(page, pager(page, name), how)
        check(page, rows, {}, at)
        for end, closed in (("First", at == 1), ("Previous", at == 1), ("Next", at == 3),
                            ("Last", at == 3)):  # fmt: skip
            expect(pager(page, end)).to_have_attribute("aria-disabled", str(closed).lower())
    press(page, pager(page, "Next"), how)
    check(page, rows, {}, 3)
    if how == "keyboard":  # a button that leads nowhere keeps the focus
        expect(pager(page, "Next")).to_be_focused()
    choose(page, "outcome", "tie")
    check(page, rows, {"outcome": "tie"})
    assert watched.problems == []


def test_a_page_that_is_turned_from_below_begins_at_its_top(visit: Opener) -> None:
    page = live(visit("few/index.html").page)
    page.locator("#t-queries tbody tr").nth(20).scroll_into_view_if_needed()
    page.evaluate("document.querySelectorAll('#t-queries tbody tr')[20].scrollIntoView()")
    expect(pager(page, "Next")).to_be_in_viewport(ratio=1)  # it stays in sight
    pager(page, "Next").click()
    expect(count(page)).to_contain_text("26 to 50")
    expect(page.locator("#t-queries caption")).to_be_in_viewport()


def test_what_has_the_focus_is_not_hidden_below_the_count(visit: Opener) -> None:
    page = live(visit("few/index.html").page)
    page.locator("#t-queries tbody a").last.focus()
    for _ in range(15):
        page.keyboard.press("Shift+Tab")
        box, bar = (page.locator(selector).bounding_box() for selector in (":focus", ".qbar"))
        assert box is not None and bar is not None
        assert box["y"] >= bar["y"] + bar["height"]


# --- Links ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize(
    "state",
    [
        {"outcome": "fewer"},
        {"outcome": "tie", "proxy": "more", "sort": "-searches-change"},
        {"repo": "other/gamma", "stratum": "name-absent", "q": "e", "sort": "name"},
        {"q": "</script><script>document.title='owned'</script>"},
        {"q": "a&b=c#d?e%41+\u540d\u524d \u2603"},
        {"sort": "-rank"},
    ],
)
def test_a_filtered_view_can_be_linked(
    state: dict[str, str], origin: str, few: RankTable, visit: Opener
) -> None:
    watched = visit(origin=origin)
    fragment = "&".join(f"{key}={quote(value)}" for key, value in state.items())
    page, rows = watched.open(f"few/index.html#queries?{fragment}"), expected(few)
    expect(page.locator("#queries h2")).to_be_in_viewport()
    found = view(rows, state)
    expect(count(page)).to_contain_text(f"of {len(found)}" if found else "None")
    assert cells(page) == ([row.cells for row in found[:PAGE_ROWS]] or [["No query matches."]])
    link = page.locator("#q-link").evaluate("a => a.href")
    assert state_of(link) == state
    for name in ("repo", "stratum", "q"):
        expect(page.locator(f"[name='{name}']")).to_have_value(state.get(name, ""))
    other = visit(origin=origin).page
    other.goto(link)
    expect(count(other)).to_have_text(count(page).inner_text())
    assert cells(other) == cells(page)
    assert watched.problems == []


@pytest.mark.parametrize(
    "fragment",
    [
        "", "outcome=none&repo=no/such&stratum=&sort=-nothing&page=-3",
        "page=0", "page=1.5", "page=NaN&sort=constructor", "sort=--rank", "__proto__=1&outcome=",
        "outcome=%E0%A4%A&proxy=%", "&&&==&=&?", "repo=__proto__&sort=__proto__",
    ],
)  # fmt: skip
def test_what_a_fragment_can_not_mean_is_left_alone(
    fragment: str, few: RankTable, visit: Opener
) -> None:
    watched = visit(f"few/index.html#queries?{fragment}")
    expect(watched.page.locator("#queries h2")).to_be_in_viewport()
    page = live(watched.page)
    assert cells(page) == [row.cells for row in expected(few)[:PAGE_ROWS]]
    expect(count(page)).to_have_text(f"1 to 25 of {len(FEW)}")
    assert page.locator("#q-link").evaluate("a => a.hash") == "#queries"
    assert field(page, "Repository").evaluate("s => s.selectedIndex") == 0
    assert watched.problems == []


@pytest.mark.parametrize(("asked", "shown"), [("2", 2), ("2.9", 2), ("99", 3), ("1e999", 3)])
def test_a_page_beyond_the_last_is_the_last(
    asked: str, shown: int, few: RankTable, visit: Opener
) -> None:
    page = live(visit(f"few/index.html#queries?page={asked}").page)
    first = (shown - 1) * PAGE_ROWS
    rows = [row.cells for row in expected(few)[first : first + PAGE_ROWS]]
    expect(count(page)).to_contain_text(f"{first + 1} to ")
    assert cells(page) == rows


def test_an_address_that_changes_changes_the_view_and_back_is_one_step(
    few: RankTable, visit: Opener
) -> None:
    watched = visit("few/index.html")
    page, rows = live(watched.page), expected(few)
    steps = page.evaluate("history.length")
    choose(page, "outcome", "more")
    head(page, "pages").get_by_role("button").click()
    pager(page, "Last").click(force=True)
    field(page, "Find").fill("e")
    assert page.evaluate("history.length") == steps
    check(page, rows, {"outcome": "more", "sort": "pages", "q": "e"})
    page.evaluate("location.hash = '#queries?outcome=tie&page=2'")
    expect(count(page)).to_contain_text("26 to")
    check(page, rows, {"outcome": "tie"}, 2)
    expect(field(page, "Find")).to_have_value("")
    page.go_back()
    expect(field(page, "Find")).to_have_value("e")
    check(page, rows, {"outcome": "more", "sort": "pages", "q": "e"})
    page.evaluate("location.hash = '#cost'")  # another section leaves the view as it is
    wait(page, "() => document.querySelector('#cost').getBoundingClientRect().top < 200")
    assert cells(page) == [
        row.cells for row in view(rows, {"outcome": "more", "sort": "pages", "q": "e"})
    ][:PAGE_ROWS]  # fmt: skip
    assert watched.problems == []


def test_the_plain_anchor_leads_to_the_section_and_to_all_queries(
    few: RankTable, visit: Opener
) -> None:
    watched = visit("few/index.html#queries")
    page, rows = watched.page, expected(few)
    expect(page.locator("#queries h2")).to_be_in_viewport()
    live(page)
    choose(page, "outcome", "tie")
    check(page, rows, {"outcome": "tie"})
    page.evaluate("scrollTo(0, 0)")
    page.locator(".toc").get_by_role("link", name="Queries").click()
    expect(page.locator("#queries h2")).to_be_in_viewport()
    expect(count(page)).to_have_text(f"1 to 25 of {len(FEW)}")
    check(page, rows, {})
    page.evaluate("location.hash = '#queries?outcome=more'")
    expect(page.locator("input[name='outcome'][value='more']")).to_be_checked()
    page.keyboard.press("Tab")  # the keyboard goes on from the section, as after any anchor
    assert page.evaluate("document.activeElement.closest('section').id") == "queries"


def test_a_page_loaded_again_or_come_back_to_has_its_view(few: RankTable, visit: Opener) -> None:
    watched = visit("few/index.html", "path")
    page, rows = live(watched.page), expected(few)
    choose(page, "proxy", "fewer")
    field(page, "Find").fill("e")
    state = {"proxy": "fewer", "q": "e"}
    check(page, rows, state)
    page.reload()
    expect(count(page)).to_contain_text(f"of {len(view(rows, state))} ")
    check(page, rows, state)
    page.goto(f"{watched.origin}one/index.html")
    page.go_back()
    expect(count(page)).to_contain_text(f"of {len(view(rows, state))} ")
    check(page, rows, state)


# --- Whatever the names ---------------------------------------------------------------------------


def test_names_of_every_kind_are_shown_as_they_are_and_lead_to_their_line(visit: Opener) -> None:
    watched = visit("few/index.html#queries?q=hostile/")
    page = watched.page
    expect(count(page)).to_contain_text(f"of {len(HOSTILE)} ")
    rows = page.locator("#t-queries tbody tr")
    found = set()
    for row in rows.all():
        link = row.locator("a")
        name = link.text_content()
        assert name in HOSTILE
        found.add(name)
        href = link.evaluate("a => a.getAttribute('href')")
        root = f"https://github.com/example/alpha/blob/{REVISION}/"
        assert unquote(href.removeprefix(root)) == f"hostile/{name}.go#L7"
        assert row.locator("small").first.text_content() == f"hostile/{name}.go:7"
        assert row.locator("img, script").count() == 0
    assert found == set(HOSTILE)
    assert "owned" not in page.title()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert watched.problems == []


def test_rows_made_live_are_marked_up_as_those_that_stand_in_the_page(visit: Opener) -> None:
    page = live(visit("few/index.html").page)
    body = (
        "() => document.querySelector('#t-queries tbody').innerHTML.trim().replace(/>\\s+</g, '><')"
    )
    before = page.evaluate(body)
    pager(page, "Next").click()
    expect(count(page)).to_contain_text("26 to 50")
    assert page.evaluate(body) != before
    pager(page, "First").click()
    expect(count(page)).to_contain_text("1 to 25")
    assert page.evaluate(body) == before


# --- Other reports --------------------------------------------------------------------------------


def test_a_single_policy_has_no_outcome_to_filter_by(visit: Opener) -> None:
    watched = visit("one/index.html#queries?outcome=fewer&sort=-pages")
    page = watched.page
    expect(head(page, "pages")).to_have_attribute("aria-sort", "descending")
    assert page.locator("#queries input[type='radio']").count() == 0
    assert page.locator("#t-queries [data-k]").evaluate_all("e => e.map(x => x.dataset.k)") == [
        "name", "repo", "stratum", "rank", "pages", "searches",
    ]  # fmt: skip
    pages = [int(row[4].replace(",", "")) for row in cells(page)]
    assert pages == sorted(pages, reverse=True) and pages[0] == 250
    expect(count(page)).to_have_text(f"1 to 25 of {len(FEW)}")
    assert watched.problems == []


def test_a_report_of_runs_is_searched_by_query_and_has_no_proxy_where_none_was_given(
    visit: Opener,
) -> None:
    watched = visit("runs/index.html")
    page = live(watched.page)
    assert page.locator("#t-queries [data-k]").evaluate_all("e => e.map(x => x.dataset.k)") == [
        "id", "rank-from", "rank", "pages-from", "pages", "pages-change",
    ]  # fmt: skip
    assert page.locator("#queries select, #queries input[name='proxy']").count() == 0
    expect(page.locator("#queries > p").first).to_contain_text("Searches were given neither for")
    head(page, "id").get_by_role("button").click()
    head(page, "id").get_by_role("button").click()
    assert [row[0] for row in cells(page)][:2] == ["q9d9", "q8d8"]
    field(page, "Find").fill("Q39")
    expect(count(page)).to_have_text("1 of 1 (of 40)")
    assert cells(page) == [["q39d39", "not found", "2", "1", "2", "+1counts as fewer"]]
    field(page, "Find").fill("d0")
    assert cells(page) == [["q0d0", "1", "not found", "1", "1", "0counts as more"]]
    assert watched.problems == []


# --- Without JavaScript, without the data, on paper, on a phone -----------------------------------


def test_without_javascript_the_first_rows_stand_there_and_the_rest_is_a_click_away(
    few: RankTable, visit: Opener
) -> None:
    page = visit("few/index.html", script=False).page
    assert shown(page, f"#queries :is({CONTROLS})") == []
    assert page.locator("#t-queries tbody tr:visible").count() == PAGE_ROWS
    assert cells(page) == [row.cells for row in expected(few)[:PAGE_ROWS]]
    note = page.locator("#queries noscript p:visible")
    expect(note).to_contain_text("the first in the order of the record")
    link = note.get_by_role("link")
    expect(link).to_have_attribute("href", "ranks.csv")
    expect(link).to_be_visible()


def test_where_its_data_do_not_load_the_table_stays_as_it_stands(
    few: RankTable, visit: Opener
) -> None:
    watched = visit(origin="path")
    watched.page.route("**/queries.js", lambda route: route.abort())
    page = watched.open("few/index.html#queries?outcome=fewer")
    expect(page.locator("#q-form")).to_be_hidden()
    assert shown(page, f"#queries :is({CONTROLS})") == []
    assert cells(page) == [row.cells for row in expected(few)[:PAGE_ROWS]]
    expect(count(page)).to_have_text(f"1 to 25 of {len(FEW)}")
    assert not [one for one in watched.problems if "error: " in one]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_paper_the_rows_in_view_stay_and_no_control_does(
    scheme: Scheme, few: RankTable, visit: Opener
) -> None:
    found = view(expected(few), {"outcome": "fewer"})
    page = live(visit("few/index.html", scheme=scheme).page)
    choose(page, "outcome", "fewer")
    page.emulate_media(media="print")
    assert shown(page, f"#queries :is({CONTROLS})") == []
    assert shown(page, "#q-link") == []
    expect(count(page)).to_contain_text(f"of {len(found)} (of {len(FEW)})")
    assert page.locator("#t-queries tbody tr:visible").count() == min(len(found), PAGE_ROWS) > 0
    assert page.locator(".qbar").evaluate("e => getComputedStyle(e).position") == "static"


@pytest.mark.parametrize("path", ["few", "one", "runs"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_pages_and_proxy_without_scrolling_sideways(
    scheme: Scheme, path: str, visit: Opener
) -> None:
    watched = visit(f"{path}/index.html", width=360, scheme=scheme)
    page = live(watched.page)
    for _ in range(3):
        wide = page.evaluate("document.documentElement.scrollWidth")
        inner = page.locator("#t-queries").evaluate(
            "t => t.parentNode.scrollWidth - t.parentNode.clientWidth"
        )
        assert (wide, inner) == (360, 0)
        pager(page, "Next").click(force=True)
    visible = page.locator("#t-queries thead [data-k]:visible").evaluate_all(
        "e => e.map(x => x.dataset.k)"
    )
    assert (
        visible
        == {
            "few": ["name", "pages", "pages-change", "searches", "searches-change"],
            "one": ["name", "rank", "pages", "searches"],
            "runs": ["id", "pages", "pages-change"],
        }[path]
    )
    assert watched.problems == []


@pytest.mark.parametrize("width", [360, 1280])
def test_every_control_can_be_hit_has_a_name_and_is_reached_by_tab(
    width: int, visit: Opener
) -> None:
    page = live(visit("few/index.html", width=width).page)
    targets = page.locator(
        "#queries :is(button, select, input[type=search], label:has([type=radio]), td a, th a)"
    )
    small = targets.evaluate_all(
        """all => all.filter(e => e.getClientRects().length).map(e => {
             const boxes = [...e.getClientRects()];
             return [e.textContent.trim().slice(0, 20), Math.max(...boxes.map(b => b.width)),
                     Math.max(...boxes.map(b => b.height))]; })
           .filter(([, width, height]) => width < 24 || height < 24)"""
    )
    assert small == []
    named = page.locator("#queries :is(button, select, input)")
    assert (
        named.evaluate_all(
            "all => all.filter(e => !(e.labels?.[0] ?? e).textContent.trim()).length"
        )
        == 0
    )
    field(page, "Find").focus()
    reached = set()
    for _ in range(30):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(e => e.name || e.dataset.k || e.closest('[data-k]')?.dataset.k || e.textContent)"
                "(document.activeElement)"
            )
        )
    assert {"repo", "stratum", "outcome", "proxy", "Reset", "Next", "pages"} <= reached


# --- Large ----------------------------------------------------------------------------------------


def test_a_hundred_thousand_queries_are_as_quick_and_25_rows(
    large: RankTable, reports: Path, visit: Opener
) -> None:
    assert (reports / "large" / "index.html").stat().st_size < 300_000
    watched = visit("large/index.html", "folder")
    page, rows = live(watched.page), expected(large)
    timed = """([act, value]) => {
        const form = document.getElementById("q-form"), start = performance.now();
        if (act === "sort") document.querySelector(`[data-k="${value}"] button`).click();
        else { form.elements[act].value = value; form.dispatchEvent(new Event("input")); }
        document.getElementById("t-queries").getBoundingClientRect();
        return performance.now() - start; }"""
    state: dict[str, str] = {}
    for act, value in (
        ("sort", "name"), ("q", "9Thing"), ("outcome", "fewer"), ("repo", "example/Beta"),
        ("sort", "pages-change"), ("sort", "pages-change"), ("q", "src/7"), ("q", "no such"),
    ):  # fmt: skip
        took = page.evaluate(timed, [act, value])
        assert took < 1000, (act, value, took)  # about twenty times what it takes
        was = state.get("sort") == value
        state |= {act: value} if act != "sort" else {"sort": f"-{value}" if was else value}
        check(page, rows, state)
        assert page.locator("#t-queries tbody tr").count() <= PAGE_ROWS
    field(page, "Find").fill("")
    del state["q"]
    pager(page, "Last").click()
    check(page, rows, state, -(-len(view(rows, state)) // PAGE_ROWS))
    assert watched.problems == []
