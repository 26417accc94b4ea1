"""What a host, a feed reader and a crawler ask for by name, and how strict a build is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest

from tests.builders import environment, pagecost
from tests.site_builders import (
    CONFIG,
    Page,
    add_version,
    figures_folder,
    plan_json,
    render,
    tiny,
    write,
)

SITE = "https://example.invalid/x/"
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "]]>&amp;</title><script>alert(1)</script>"


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


def hosted(root: Path, figures: Path, more: str = "") -> dict[str, bytes]:
    """The files of the project there, whose site has an address."""
    write(root, {"mkdocs.yml": f"{CONFIG}site_url: {SITE}\n{more}"})
    return render(root, figures)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory, figures: Path) -> Mapping[str, bytes]:
    return hosted(tiny(tmp_path_factory.mktemp("hosted")), figures)


def entries(contents: Mapping[str, bytes]) -> list[ElementTree.Element]:
    return ElementTree.fromstring(contents["feed.xml"]).findall(f"{ATOM}entry")


def text(element: ElementTree.Element, name: str) -> str:
    found = element.find(ATOM + name)
    assert found is not None, name
    return found.text or ""


# --- The feed -------------------------------------------------------------------------------------


def test_the_feed_has_all_that_atom_asks_for(contents: Mapping[str, bytes]) -> None:
    feed = ElementTree.fromstring(contents["feed.xml"])
    assert feed.tag == f"{ATOM}feed"
    assert text(feed, "id") == SITE
    assert text(feed, "title") == "Invented"
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    links = {one.get("rel"): one.get("href") for one in feed.findall(f"{ATOM}link")}
    assert links == {"self": f"{SITE}feed.xml", "alternate": SITE}
    stamp = re.compile(r"\d{4}-\d\d-\d\dT00:00:00Z")
    assert stamp.fullmatch(text(feed, "updated"))
    ids = [text(one, "id") for one in entries(contents)]
    assert len(ids) == len(set(ids))
    for one in entries(contents):
        assert stamp.fullmatch(text(one, "updated"))
        assert text(one, "title")
        assert "Invented queries over invented functions." in text(one, "summary")
        (link,) = one.findall(f"{ATOM}link")
        assert link.get("href") == text(one, "id")


def test_an_entry_stands_for_every_version_but_drafts(contents: Mapping[str, bytes]) -> None:
    assert {text(one, "id") for one in entries(contents)} == {
        f"{SITE}tiny/{version}/" for version in ("1", "1.1", "2")
    }


def test_entries_have_the_dates_of_their_plans_and_the_newest_leads(
    tmp_path: Path, figures: Path
) -> None:
    for version, date in (("1", "2026-03-04"), ("2", "2026-01-02"), ("10", "2026-03-04")):
        add_version(tmp_path, plan_json(version, date=date))
    (tmp_path / "site").mkdir(exist_ok=True)
    made = hosted(tmp_path, figures)
    assert [(text(one, "id")[-3:], text(one, "updated")[:10]) for one in entries(made)] == [
        ("10/", "2026-03-04"), ("/1/", "2026-03-04"), ("/2/", "2026-01-02"),
    ]  # fmt: skip
    feed = ElementTree.fromstring(made["feed.xml"])
    assert text(feed, "updated") == "2026-03-04T00:00:00Z"


def test_a_hostile_title_is_text_in_the_feed(tmp_path: Path, figures: Path) -> None:
    add_version(tmp_path, plan_json("1", caveat=HOSTILE, title=HOSTILE, kind="exploration"))
    (tmp_path / "site").mkdir(exist_ok=True)
    (entry,) = entries(hosted(tmp_path, figures))
    assert " ".join(HOSTILE.split()) in text(entry, "summary")


def test_a_page_names_the_feed_only_where_there_is_one(
    contents: Mapping[str, bytes], tmp_path: Path, figures: Path
) -> None:
    front = Page(contents["index.html"].decode())
    (link,) = front.all("link", rel="alternate")
    assert link.get("type") == "application/atom+xml"
    without = render(tiny(tmp_path), figures)
    assert not {"feed.xml", "sitemap.xml"} & set(without)
    assert not Page(without["index.html"].decode()).all("link", rel="alternate")


# --- Crawlers -------------------------------------------------------------------------------------


def test_the_sitemap_lists_what_may_be_indexed_and_nothing_else(
    contents: Mapping[str, bytes],
) -> None:
    root = ElementTree.fromstring(contents["sitemap.xml"])
    found = [one.text for one in root.iter() if one.tag.endswith("}loc")]
    expected = {
        f"{SITE}{path.removesuffix('index.html')}"
        for path, data in contents.items()
        if path.endswith(".html") and Page(data.decode()).meta("robots") is None
    }
    assert set(found) == expected
    assert len(found) == len(expected)
    assert f"{SITE}tiny/1/" in expected
    assert not [one for one in expected if "/3/" in one or "embed" in one or "latest" in one]


def test_robots_may_read_all_and_are_led_to_the_sitemap(contents: Mapping[str, bytes]) -> None:
    robots = RobotFileParser()
    robots.parse(contents["robots.txt"].decode().splitlines())
    assert robots.can_fetch("any", f"{SITE}tiny/1/")
    assert robots.site_maps() == [f"{SITE}sitemap.xml"]


# --- The page that is not there -------------------------------------------------------------------


def test_links_of_the_missing_page_begin_with_the_path_of_the_site(
    contents: Mapping[str, bytes],
) -> None:
    page = Page(contents["404.html"].decode())
    links = [
        one.get(name)
        for one in page.elements
        for name in ("href", "src")
        if name in one.attributes and not one.get(name).startswith("#")
    ]
    assert "/x/tiny/latest/" in links
    assert all(link.startswith("/x/") for link in links)
    assert page.meta("robots") == "noindex"
    assert not page.all("link", rel="canonical")


# --- Strict ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_strict_build_fails_of_a_warning_however_quiet_it_is(
    quiet: tuple[str, ...], tmp_path: Path, figures: Path
) -> None:
    write(
        tmp_path,
        {"mkdocs.yml": CONFIG, "site/index.md": "# Home\n", "site/unused.png": b"\x89PNG"},
    )
    env = environment(PAGECOST_CACHE=str(figures))
    warning = "warning: unused.png: nothing on the site refers to it"
    done = pagecost("build", *quiet, cwd=tmp_path, env=env)
    assert done.status == 0
    assert warning in done.err
    done = pagecost("build", "--strict", *quiet, cwd=tmp_path, env=env)
    assert done.status == 1
    assert warning in done.err
    assert "error: 1 warnings, and --strict" in done.err
    (tmp_path / "site" / "unused.png").unlink()
    assert pagecost("build", "--strict", *quiet, cwd=tmp_path, env=env).status == 0


def test_a_build_says_what_an_address_would_add(tmp_path: Path, figures: Path) -> None:
    write(tmp_path, {"mkdocs.yml": CONFIG, "site/index.md": "# Home\n"})
    done = pagecost("build", cwd=tmp_path, env=environment(PAGECOST_CACHE=str(figures)))
    assert "note: site_url is not set in mkdocs.yml, so there is no feed, no sitemap" in done.err
    assert "budgets: largest page " in done.err
