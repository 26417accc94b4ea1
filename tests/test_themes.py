"""The theme that the guide shows is built, as it stands there."""

from __future__ import annotations

import re

import pytest

from pagecost.links import ANYWHERE
from tests.builders import ROOT
from tests.site_builders import Page, figures_folder, pages, render, tiny, write

GUIDE = ROOT / "site" / "guide" / "themes.md"
_FILE = re.compile(r"`(templates/[\w./]+)`[^`]*\n\n```\w+\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tiny(tmp_path_factory.mktemp("themed"))
    files = dict(_FILE.findall(GUIDE.read_text(encoding="utf-8")))
    assert sorted(files) == [
        "templates/assets/logo.svg",
        "templates/assets/theme.css",
        "templates/base.html",
        "templates/report.html",
    ]
    write(root, files)
    return render(root, figures_folder(tmp_path_factory))


def report(site: dict[str, bytes]) -> Page:
    return Page(site["tiny/1/index.html"].decode("utf-8"))


def test_every_page_has_logo_colours_and_foot(site: dict[str, bytes]) -> None:
    seen = 0
    for path, page in pages(site):
        if path.endswith("latest/index.html"):
            continue
        sheets = [one.get("href") for one in page.all("link", rel="stylesheet")]
        assert [re.sub(r".*/(\w+)\..*", r"\1", one) for one in sheets] == ["site", "theme"], path
        if "/embed/" not in path and path != ANYWHERE:  # which have none of their own
            assert page.one("img", class_="logo").get("alt") == "Example team", path
            assert "Ask us in the search channel" in page.text, path
            seen += 1
    assert seen > 8
    (colours,) = (data for path, data in site.items() if path.startswith("assets/theme."))
    assert b"--p1: light-dark(#8a2d3b, #e0828f);" in colours


def test_a_report_has_the_section_and_all_of_ours(site: dict[str, bytes]) -> None:
    page = report(site)
    sections = [one.get("id") for one in page.all("section")]
    assert sections[-1] == "reviewed"
    assert "Version 1 of tiny was read by the example team" in page.text
    assert "#reviewed" in [one.get("href") for one in page.all("a")]
    assert "The proxy counts searches, not time." in page.text


def test_the_guide_names_every_block_of_a_section(site: dict[str, bytes]) -> None:
    template = (ROOT / "templates" / "report.html").read_text(encoding="utf-8")
    blocks = re.findall(r"{% block (section_\w+) %}", template)
    text = GUIDE.read_text(encoding="utf-8")
    assert len(blocks) == 13
    for block in blocks:
        assert f"`{block}`" in text
