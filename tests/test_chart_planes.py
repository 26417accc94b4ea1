"""The grid of ranks and the cost plane, at their edges, and figures as pictures with words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.charts import plane, ranks, theme
from pagecost.charts.draw import Drawer, spec
from pagecost.charts.plane import Spot
from pagecost.charts.ranks import Cell, Ranks, edges
from pagecost.charts.sheet import Sheet, Tell, preview, sheet
from pagecost.charts.text import drawable, text_width, wrap
from pagecost.charts.theme import Style
from tests.test_charts import HOSTILE, drawn, labels, parts_unchecked, texts, values_of

__all__ = ["parts_unchecked"]

# --- Ranks ----------------------------------------------------------------------------------------


def cells(*several: tuple[int | None, int | None, int]) -> list[Cell]:
    return [Cell(*one) for one in several]


RANKS: dict[str, Ranks] = {
    "as usual": Ranks(
        cells((1, 1, 1428), (30, 2, 60), (2951, 32, 1), (4, 90, 41)), 20, 3009, "baseline", "helper"
    ),
    "one query": Ranks(cells((1, 1, 1)), 20, 1, "baseline", "helper"),
    "one candidate a page": Ranks(cells((3, 1, 2), (1, 7, 2)), 1, 9, "baseline", "helper"),
    "a page holds all": Ranks(cells((3, 1, 2), (9, 7, 2)), 10_000, 9, "baseline", "helper"),
    "not found": Ranks(cells((None, None, 3), (None, 4, 2), (9, None, 1)), 20, 100, "b", "h"),
    "nothing found": Ranks(cells((None, None, 3)), 20, 1, "b", "h"),
    "ten billion": Ranks(cells((1, 1, 10**10), (1, 10**9, 1)), 20, 10**10, "b", "h"),
    "names of eighty characters": Ranks(cells((1, 2, 3)), 5, 40, "b" * 80, "h" * 80),
    "hostile names": Ranks(cells((1, 2, 3)), 5, 40, HOSTILE[1], HOSTILE[4]),
}


@pytest.mark.parametrize("made", RANKS.values(), ids=RANKS.keys())
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_the_grid_of_ranks_is_valid_and_counts_every_query(
    made: Ranks, narrow: bool, tmp_path: Path
) -> None:
    drawing = ranks.figure(made, narrow=narrow)
    drawn(drawing, tmp_path)
    rows = [row for rows in drawing.datasets.values() for row in rows if "queries" in row]
    assert sum(int(str(row["queries"])) for row in rows) == sum(c.queries for c in made.cells)


def test_what_was_not_found_stands_in_the_last_row_and_column(tmp_path: Path) -> None:
    drawing = ranks.figure(RANKS["not found"], narrow=False)
    said = [one for one in labels(drawn(drawing, tmp_path)) if "Queries: 2" in one]
    assert any("Rank under b: not found" in one for one in said)
    assert "not found" in texts(drawn(drawing, tmp_path))
    plain = ranks.figure(RANKS["as usual"], narrow=False)
    assert "not found" not in texts(drawn(plain, tmp_path))


def test_a_count_that_has_no_room_is_short_and_whole_in_the_tooltip(tmp_path: Path) -> None:
    root = drawn(ranks.figure(RANKS["ten billion"], narrow=True), tmp_path)
    assert "10bn" in texts(root)
    assert any("Queries: 10,000,000,000" in one for one in labels(root))


@settings(deadline=None)
@given(st.integers(1, 10_000), st.integers(1, 10**10), st.integers(3, 20))
def test_bins_begin_at_one_end_after_the_last_and_keep_the_end_of_the_first_page(
    page_size: int, last: int, most: int
) -> None:
    found = edges(page_size, last, most)
    assert (found[0], found[-1]) == (1, last + 1)
    assert all(a < b for a, b in itertools.pairwise(found))
    assert len(found) - 1 <= most
    assert (page_size + 1 in found) == (page_size <= last)
    beyond = [edge for edge in found[:-1] if edge > page_size]
    assert all((edge - 1) % page_size == 0 for edge in beyond), "a bin crosses the end of a page"


# --- The cost plane -------------------------------------------------------------------------------


def styles(labels: Sequence[str]) -> list[Style]:
    names = [f"p.{place}" for place in range(len(labels))]
    made = theme.styles(list(zip(names, labels, strict=True)), names[0], names[-1])
    return list(made.values())


def spots(*costs: tuple[int, int], labels: Sequence[str] = ()) -> list[Spot]:
    several = styles(labels or [f"policy {place}" for place in range(len(costs))])
    return [
        Spot(style, pages, searches, undominated=place < 2, is_named=place < 2)
        for place, (style, (pages, searches)) in enumerate(zip(several, costs, strict=True))
    ]


PLANES: dict[str, list[Spot]] = {
    "as usual": spots((9488, 9488), (6287, 12574)),
    "one place": spots((7, 7), (7, 7), (7, 7)),
    "nothing at all": spots((0, 0), (0, 0)),
    "twenty policies": spots(*((100 + place, 300 - place) for place in range(20))),
    "ten billion": spots((10**10, 10**10), (1, 2 * 10**10)),
    "one of zero": spots((0, 5), (10**10, 0)),
    "names of eighty characters": spots((10, 10), (20, 5), labels=("b" * 80, "h" * 80)),
    "hostile names": spots(*((place, place) for place in range(5)), labels=HOSTILE),
}


@pytest.mark.parametrize("made", PLANES.values(), ids=PLANES.keys())
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_the_plane_is_valid_and_says_every_policys_counts(
    made: list[Spot], narrow: bool, tmp_path: Path
) -> None:
    said = labels(drawn(plane.figure(made, narrow=narrow), tmp_path))
    for spot in made:
        counts = f"Pages: {spot.pages:,}; Searches (proxy): {spot.searches:,}"
        assert any(counts in one and spot.style.label in one for one in said)


def test_hostile_names_are_values_and_no_part_of_the_planes_spec() -> None:
    made = spec(plane.figure(PLANES["hostile names"], narrow=False))
    ordinary = spec(plane.figure(spots(*((p, p) for p in range(5))), narrow=False))
    for key in ("field", "expr", "test", "labelExpr", "filter"):
        assert list(values_of(made, key)) == list(values_of(ordinary, key))


def test_a_ray_is_drawn_only_where_it_crosses_the_plane(tmp_path: Path) -> None:
    shown = texts(drawn(plane.figure(PLANES["as usual"], narrow=False), tmp_path))
    assert {text for text in shown if "a page" in text} == {"1 search a page", "2 searches a page"}
    cheap = texts(drawn(plane.figure(spots((100, 1), (120, 2)), narrow=False), tmp_path))
    assert not [text for text in cheap if "a page" in text]


# --- Text -----------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.text(max_size=300), st.sampled_from((11.0, 15.0, 40.0)), st.integers(60, 900))
def test_lines_fit_and_hold_every_letter_in_order(text: str, size: float, width: int) -> None:
    lines = wrap(text, size, width)
    assert all(text_width(line, size) <= width or len(line) <= 1 for line in lines)
    kept = drawable(text)
    for space in " \t\r\n":
        kept = kept.replace(space, "")
    assert "".join(lines).replace(" ", "") == kept


def test_a_number_stays_with_its_unit() -> None:
    lines = wrap("it needs 33.7\u202f% fewer pages", 12, text_width("it needs 33.7", 12))
    assert any("33.7\u00a0%" in line for line in lines)


# --- A figure as a picture ------------------------------------------------------------------------

CAVEAT = "The proxy counts searches and is not time. " * 6


@pytest.fixture(scope="module")
def svg(tmp_path_factory: pytest.TempPathFactory) -> str:
    drawing = plane.figure(PLANES["as usual"], narrow=False)
    return Drawer(tmp_path_factory.mktemp("figures")).svg(spec(drawing))


def words(made: Sheet) -> str:
    return " ".join(line.text for line in made.lines)


def test_a_sheet_holds_title_notes_and_source_below_each_other_and_inside(svg: str) -> None:
    title, source = "Figure 5. " + "What was found. " * 8, "https://example.invalid/x/#fig-plane"
    made = sheet(svg, title, [CAVEAT, "A second note."], source)
    for said in (title, CAVEAT, "A second note.", source):
        assert " ".join(said.split()) in words(made)
    for line in made.lines:
        assert line.x + text_width(line.text, line.size) <= made.width
    assert all(a.y < b.y for a, b in itertools.pairwise(made.lines))
    assert made.lines[-1].y < made.height
    inner = ElementTree.fromstring(made.drawing)
    top, height = float(inner.attrib["y"]), float(inner.attrib["height"])
    assert not [line for line in made.lines if top < line.y - line.size < top + height]


def test_a_preview_keeps_its_caveat_however_long_the_headline_is() -> None:
    tell = Tell("Pages, counted", "9,488 → 6,287", "33.7\u202f% fewer", ((100.0, "#000000"),))
    for headline in ("Short.", "A policy called so " * 16, "x" * 300):
        made = preview("page-cost 12", headline, [tell, tell, tell], CAVEAT)
        assert (made.width, made.height) == (1200, 630)
        assert " ".join(CAVEAT.split()) in words(made)
        for line in made.lines:
            assert 0 < line.y < made.height
            assert line.x + text_width(line.text, line.size) <= made.width
        for bar in made.bars:
            assert 0 <= bar.x <= bar.x + bar.width <= made.width
            assert 0 <= bar.y <= bar.y + bar.height <= made.height


def test_a_preview_of_a_caveat_as_long_as_a_plan_may_have_ends_visibly() -> None:
    made = preview("page-cost 12", "Short.", [], "A long caveat. " * 400)
    assert made.lines[-1].text.endswith("…")
    assert all(0 < line.y < made.height for line in made.lines)
