"""A figure that is copied elsewhere still says what it shows, what it does not, and whose it is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import vl_convert

from pagecost.charts.draw import Drawer
from tests.site_builders import (
    CONFIG,
    RANKS,
    Page,
    add_version,
    figures_folder,
    plan_json,
    render,
    write,
)

SVG = "{http://www.w3.org/2000/svg}"
ANCHORS = ("fig-cost", "fig-wins", "fig-ranks", "fig-groups", "fig-plane")
CAVEAT = "Invented queries over invented functions. The proxy counts searches, not time."
ADDRESS = "https://example.invalid/x/"
PLAN = re.compile(r"tiny 1, plan [0-9a-f]{12} dated 2026-01-02\.")

Contents = dict[str, bytes]


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory, figures: Path) -> Contents:
    """A site that knows its address, of one version that is scored."""
    root = tmp_path_factory.mktemp("known")
    write(root, {"mkdocs.yml": f"{CONFIG}site_url: {ADDRESS}\n"})
    add_version(root, plan_json("1", caveat=CAVEAT), RANKS)
    return render(root, figures)


def words(text: str) -> str:
    """The text with one blank for every white space, however lines are broken in it."""
    return " ".join(text.replace("\u202f", " ").replace("\u00a0", " ").split())


def drawn(svg: bytes) -> str:
    """What can be read in a drawing, from the top down."""
    root = ElementTree.fromstring(svg)
    return words(" ".join(" ".join(text.itertext()) for text in root.iter(f"{SVG}text")))


def said(contents: Contents, anchor: str) -> dict[str, str]:
    """A figure's own words in the report, by what they are."""
    page = Page(contents["tiny/1/index.html"].decode("utf-8"))
    figure = page.one("figure", id=anchor).text
    spec = json.loads(contents[f"tiny/1/{anchor}.vl.json"])
    return {"figure": words(figure), "title": words(" ".join(spec["title"]["text"]))}


@pytest.mark.parametrize("anchor", ANCHORS)
def test_a_figures_svg_has_its_title_caveat_and_address_inside(
    anchor: str, contents: Contents
) -> None:
    svg = contents[f"tiny/1/{anchor}.svg"]
    shown, title = drawn(svg), said(contents, anchor)["title"]
    assert shown.startswith(title)
    assert title in said(contents, anchor)["figure"]
    assert words(CAVEAT) in shown
    assert PLAN.search(shown)
    # An address has no blanks to be broken at, so lines may break it anywhere.
    assert f"{ADDRESS}tiny/1/#{anchor}" in shown.replace(" ", "")
    root = ElementTree.fromstring(svg)
    assert words(root.findtext(f"{SVG}title", "")) == title
    assert words(CAVEAT) in words(root.findtext(f"{SVG}desc", ""))


@pytest.mark.parametrize("anchor", ANCHORS)
def test_a_figures_picture_is_its_drawing_in_twice_the_pixels(
    anchor: str, contents: Contents
) -> None:
    svg = contents[f"tiny/1/{anchor}.svg"]
    png = contents[f"tiny/1/{anchor}.png"]
    assert png == bytes(vl_convert.svg_to_png(svg.decode("utf-8"), scale=2.0))
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    root = ElementTree.fromstring(svg)
    assert width == pytest.approx(2 * float(root.attrib["width"]), abs=2)
    assert height == pytest.approx(2 * float(root.attrib["height"]), abs=2)


@pytest.mark.parametrize("anchor", ANCHORS)
def test_a_figures_spec_draws_its_words_wherever_it_is_drawn(
    anchor: str, contents: Contents
) -> None:
    spec: dict[str, Any] = json.loads(contents[f"tiny/1/{anchor}.vl.json"])
    source = f"{ADDRESS}tiny/1/#{anchor}"
    assert spec["usermeta"]["source"].endswith(source)
    assert words(CAVEAT) in words(spec["description"])
    shown = drawn(vl_convert.vegalite_to_svg(spec).encode("utf-8"))
    assert said(contents, anchor)["title"] in shown
    assert words(CAVEAT) in shown
    assert source in shown.replace(" ", "")


def test_an_embedded_figure_carries_its_caveat_and_leads_to_its_report(contents: Contents) -> None:
    for anchor in ANCHORS:
        page = Page(contents[f"tiny/1/embed/{anchor}/index.html"].decode("utf-8"))
        assert words(CAVEAT) in words(page.one("main").text)
        links = {link.get("href") for link in page.all("a")}
        assert f"../../index.html#{anchor}" in links
        assert page.meta("robots") is None or "noindex" in str(page.meta("robots"))


def test_where_no_address_is_known_a_figure_invents_none(tmp_path: Path, figures: Path) -> None:
    write(tmp_path, {"mkdocs.yml": CONFIG})
    add_version(tmp_path, plan_json("1"), RANKS)
    contents = render(tmp_path, figures)
    for anchor in ANCHORS:
        shown = drawn(contents[f"tiny/1/{anchor}.svg"])
        assert "dated 2026-01-02" in shown
        assert "http" not in shown + contents[f"tiny/1/{anchor}.vl.json"].decode("utf-8").replace(
            '"$schema": "http', ""
        )


def test_the_preview_says_both_changes_that_one_is_not_time_and_the_caveat(
    tmp_path: Path, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawings: list[str] = []
    draw = Drawer.png

    def watched(self: Drawer, svg: str, scale: float) -> bytes:
        drawings.append(svg)
        return draw(self, svg, scale)

    monkeypatch.setattr(Drawer, "png", watched)
    write(tmp_path, {"mkdocs.yml": CONFIG})
    add_version(tmp_path, plan_json("1", caveat=CAVEAT), RANKS)
    contents = render(tmp_path, figures)
    (preview,) = (one for one in drawings if 'width="1200"' in one)
    assert contents["tiny/1/og.png"] == bytes(vl_convert.svg_to_png(preview, scale=1.0))
    shown = drawn(preview.encode("utf-8"))
    for expected in ("29.2 % fewer", "41.7 % more", "not time", words(CAVEAT), "confirmatory"):
        assert expected in shown.replace("Confirmatory", "confirmatory"), shown
