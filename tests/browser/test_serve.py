"""`pagecost serve` in a real browser: what is saved is shown, and so is what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.watching import Watched
from tests.builders import CONFIG, Serving, TinyProject, make_project, serving

LONG = 30_000.0  # milliseconds after which a test gives up


@pytest.fixture
def project(tmp_path: Path) -> TinyProject:
    """`tiny@1`, frozen and written up; its site is to be below /repo/."""
    config = CONFIG + "site_url: https://example.invalid/repo/\n"
    made = make_project(tmp_path / "project", state="frozen", config=config)
    write_up(made, "First words.")
    return made


@pytest.fixture
def running(project: TinyProject) -> Iterator[Serving]:
    with serving(project.root) as made:
        yield made


@pytest.fixture
def watched(browser: Browser, running: Serving) -> Iterator[Watched]:
    """A page that looks at the preview, and everything that goes wrong on it."""
    context = browser.new_context()
    context.set_default_timeout(LONG)
    yield Watched(context.new_page(), running.address)
    context.close()


def write_up(project: TinyProject, text: str) -> None:
    project.file("tiny@1", "writeup.md").write_text(f"# Said\n\n{text}\n", encoding="utf-8")


def words(page: Page) -> Locator:
    return page.locator("#writeup")


def shows(found: Locator, text: str) -> None:
    """Waits until it does: as long as a build takes, not as long as a test says."""
    expect(found).to_contain_text(text, timeout=LONG)


def test_a_preview_is_below_the_path_that_the_site_will_have(watched: Watched) -> None:
    page = watched.open("")
    page.get_by_role("link", name="tiny", exact=True).first.click()
    page.wait_for_url("**/repo/tiny/index.html")
    page.goto(watched.origin + "tiny/latest/")
    page.wait_for_url("**/repo/tiny/1/index.html")
    shows(words(page), "First words.")
    assert watched.problems == []


def test_a_write_up_that_is_saved_is_shown(watched: Watched, project: TinyProject) -> None:
    page = watched.open("tiny/1/")
    shows(words(page), "First words.")
    for text in ("Second thoughts.", "Third thoughts.", "First words."):
        write_up(project, text)
        shows(words(page), text)
    assert page.url == watched.origin + "tiny/1/"
    assert watched.problems == []


def test_every_page_that_is_open_shows_what_is_saved(
    watched: Watched, project: TinyProject
) -> None:
    report = watched.open("tiny/1/")
    front = report.context.new_page()
    front.goto(watched.origin)
    shows(front.locator("main"), "For tests.")
    (project.docs / "index.md").write_text("# Invented\n\nOther words.\n")
    write_up(project, "Second thoughts.")
    shows(front.locator("main"), "Other words.")
    shows(words(report), "Second thoughts.")


def test_a_broken_plan_is_shown_until_it_is_mended(watched: Watched, project: TinyProject) -> None:
    page = watched.open("tiny/1/")
    path = project.file("tiny@1", "plan.json")
    right = path.read_bytes()
    path.write_bytes(right[:-10])
    shows(page.locator("#error"), "plan.json: line ")
    path.write_bytes(right.replace(b'"page_sizes"', b'"<img src=x onerror=alert(1)>"'))
    shows(page.locator("#error"), "<img src=x onerror=alert(1)>")
    assert page.title() == "Not built"
    assert page.locator("img").count() == 0
    write_up(project, "Said meanwhile.")
    path.write_bytes(right)
    shows(words(page), "Said meanwhile.")
    assert page.url == watched.origin + "tiny/1/"
    # Nothing but the pages that say so: neither a script nor a policy had anything against them.
    assert [one for one in watched.problems if "500" not in one] == []


def test_a_broken_configuration_is_shown_until_it_is_mended(
    watched: Watched, project: TinyProject
) -> None:
    page = watched.open("tiny/1/")
    path = project.root / "mkdocs.yml"
    right = path.read_text()
    path.write_text("site_name: [\n")
    shows(page.locator("#error"), "mkdocs.yml: not YAML")
    path.write_text(right)
    shows(words(page), "First words.")


def test_a_page_that_is_not_there_yet_is_there_once_it_is_written(
    watched: Watched, project: TinyProject
) -> None:
    page = watched.open("")
    (project.docs / "index.md").write_text("# Invented\n\nSee [more](more.md).\n")
    shows(page.locator("#error"), "leads to 'more.md', which is no file of the site")
    (project.docs / "more.md").write_text("# More\n\nAll there is.\n")
    page.locator("main").get_by_role("link", name="more", exact=True).click()
    page.wait_for_url("**/repo/more/index.html")
    shows(page.locator("main"), "All there is.")


def test_a_style_that_is_saved_is_used(watched: Watched, project: TinyProject) -> None:
    page = watched.open("")
    assets = project.root / "templates" / "assets"
    assets.mkdir(parents=True)
    (assets / "site.css").write_text("h1 { color: rgb(1, 2, 3) }\n")
    expect(page.locator("h1")).to_have_css("color", "rgb(1, 2, 3)", timeout=LONG)
    assert watched.problems == []


def test_a_page_that_was_left_open_comes_back_with_the_next_preview(
    browser: Browser, project: TinyProject
) -> None:
    context = browser.new_context()
    with serving(project.root) as first:
        page = context.new_page()
        page.goto(first.address + "tiny/1/")
        shows(words(page), "First words.")
        assert first.interrupt() == 0
    write_up(project, "Second thoughts.")
    with serving(project.root, "--port", str(urlsplit(first.address).port)) as second:
        assert second.address == first.address
        shows(words(page), "Second thoughts.")
    context.close()
