"""Figures: what they show at the edges, that their specs are valid, and how they are inlined."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import altair as alt
import pytest
from altair.utils.schemapi import debug_mode
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from pagecost.charts import cost, groups, outcomes, parts, theme
from pagecost.charts.cost import Curves, Metric, Point, Scale
from pagecost.charts.draw import ROW_CAP, Drawer, spec
from pagecost.charts.inline import inline
from pagecost.charts.parts import LABEL_GAP, Drawing, nice_domain, signed, spread
from pagecost.charts.theme import Style
from tests.builders import ROOT

Spec = dict[str, Any]
Counts = Callable[[int, int], tuple[int, int, int]]
METRICS: tuple[Metric, ...] = ("pages", "emitted", "searches")
SCALES: tuple[Scale, ...] = ("relative", "absolute")


@pytest.fixture(autouse=True)
def parts_unchecked() -> Iterator[None]:
    """As the product draws. Every whole spec is validated here instead of every part of one."""
    with debug_mode(False):
        yield


def usual(place: int, size: int) -> tuple[int, int, int]:
    """Pages, candidates and searches of the policy in that place: each cheaper than the last."""
    pages = 9_000 // size // (place + 1) + 1
    return pages, pages * size, pages * (1 + place % 2)


def curves(
    names: Sequence[str] = ("baseline", "helper"),
    sizes: Sequence[int] = (1, 5, 20),
    counts: Counts = usual,
    labels: Sequence[str] | None = None,
) -> Curves:
    """Those policies at those sizes and, where there are several, at one more, not frozen."""
    styled = theme.styles(list(zip(names, labels or names, strict=True)), names[0], names[-1])
    between = [sizes[0] + 1] if len(sizes) > 1 else []
    points = [
        Point(name, size, *counts(place, size), frozen=size in sizes)
        for place, name in enumerate(names)
        for size in sorted({*sizes, *between})
    ]
    return Curves(points, list(styled.values()), names[0], sizes, sizes[-1])


def cost_drawings(made: Curves) -> Iterator[Drawing]:
    """The cost figure so that each setting is drawn in both ways."""
    yield cost.figure(made, "pages", "relative", narrow=False)
    yield cost.figure(made, "emitted", "absolute", narrow=True)


def every_cost_drawing(made: Curves) -> Iterator[Drawing]:
    """The cost figure in every way that a report draws it."""
    for metric, scale, narrow in itertools.product(METRICS[:2], SCALES, (False, True)):
        yield cost.figure(made, metric, scale, narrow=narrow)


def style() -> Style:
    return theme.styles([("baseline", "baseline"), ("helper", "helper")], "baseline", "helper")[
        "helper"
    ]


def tallies(most: int = 8, sizes: Sequence[int] = (1, 5, 20)) -> list[outcomes.Tally]:
    return [outcomes.Tally(size, (most - 1, 1, 0), (0, 0, most)) for size in sizes]


def outcome_drawings(counts: Sequence[outcomes.Tally]) -> Iterator[Drawing]:
    base = theme.styles([("baseline", "baseline")], "baseline", "baseline")["baseline"]
    for narrow in (False, True):
        yield outcomes.figure(counts, style(), base, counts[-1].size, narrow=narrow)


def panels(
    number: int,
    sizes: Sequence[int] = (1, 5, 20),
    change: tuple[float | None, float | None] = (-33.7, 32.5),
    name: str = "repository",
) -> list[groups.Panel]:
    return [
        groups.Panel(f"{name} {one}", 8, style(), [groups.Change(size, *change) for size in sizes])
        for one in range(number)
    ]


def group_drawings(
    several: Sequence[groups.Panel], sizes: Sequence[int] = (1, 5, 20)
) -> Iterator[Drawing]:
    for narrow in (False, True):
        yield groups.figure(several, sizes, sizes[-1], narrow=narrow)


@cache
def validator() -> Draft7Validator:
    return Draft7Validator(alt.load_schema())


def drawn(drawing: Drawing, folder: Path) -> ElementTree.Element:
    """The figure as SVG, once its spec is valid and its numbers are numbers."""
    made = spec(drawing)
    json.dumps(made, allow_nan=False)
    validator().validate(made)
    svg = Drawer(folder).svg(made)
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        for name, value in element.attrib.items():
            if name in ("d", "x", "y", "x2", "y2", "width", "height", "transform", "viewBox"):
                assert not re.search("NaN|undefined|Infinity|null", value), (name, value)
    for text in texts(root):
        assert not re.search(r"NaN|undefined|Infinity|\bnull\b", text), text
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter() if element.tag.endswith("text")]


def labels(root: ElementTree.Element) -> list[str]:
    """What each mark says of itself to who can't see it."""
    return [
        element.attrib["aria-label"] for element in root.iter() if "aria-label" in element.attrib
    ]


def values_of(made: object, key: str) -> Iterator[Any]:
    """Every value that stands under that key, however deep."""
    if isinstance(made, dict):
        for name, value in made.items():
            if name == key:
                yield value
            yield from values_of(value, key)
    elif isinstance(made, list):
        for value in made:
            yield from values_of(value, key)


# --- The edges of what can be drawn ---------------------------------------------------------------

COSTS: dict[str, Curves] = {
    "one policy": curves(("only",)),
    "twenty policies": curves([f"policy.{number}" for number in range(20)]),
    "one page size": curves(sizes=(20,)),
    "two neighbouring page sizes": curves(sizes=(1, 2)),
    "all policies alike": curves(counts=lambda place, size: (7, 7, 7)),
    "nothing at all": curves(counts=lambda place, size: (0, 0, 0)),
    "a baseline of zero": curves(counts=lambda place, size: (place, place, place)),
    "ten billion": curves(counts=lambda place, size: (10**10, 10**10, 10**10 + place)),
    "from one to ten billion": curves(counts=lambda place, size: (10 ** (10 * place), size, 1)),
    "ten million candidates a page": curves(sizes=(1, 10_000_000)),
    "labels of eighty characters": curves(labels=("b" * 80, "h" * 80)),
}


def test_the_cost_figure_is_valid_in_every_way_that_it_is_drawn(tmp_path: Path) -> None:
    for drawing in every_cost_drawing(curves()):
        drawn(drawing, tmp_path)


@pytest.mark.parametrize("made", COSTS.values(), ids=COSTS.keys())
def test_the_cost_figure_is_valid_and_without_nan(made: Curves, tmp_path: Path) -> None:
    for drawing in cost_drawings(made):
        drawn(drawing, tmp_path)


@pytest.mark.parametrize(
    "counts",
    [
        tallies(),
        tallies(10**10),
        tallies(1, sizes=(5,)),
        [outcomes.Tally(5, (0, 0, 0), (0, 0, 0))],
        tallies(8, sizes=range(1, 51)),
    ],
    ids=["as usual", "ten billion", "one page size", "no query", "fifty page sizes"],
)
def test_the_outcome_figure_is_valid_and_without_nan(
    counts: list[outcomes.Tally], tmp_path: Path
) -> None:
    for drawing in outcome_drawings(counts):
        shown = texts(drawn(drawing, tmp_path))
        for tally in counts:
            assert shown.count(f"{tally.size:,}") >= 2  # its row, in both panels
            assert tally.searches is not None
            for count in (*tally.pages, *tally.searches):
                assert f"{count:,}" in shown


@pytest.mark.parametrize(
    ("several", "sizes"),
    [
        (panels(1), (1, 5, 20)),
        (panels(20), (1, 5, 20)),
        (panels(2, sizes=(5,)), (5,)),
        (panels(2, change=(None, 3.0)), (1, 5, 20)),
        (panels(2, change=(None, None)), (1, 5, 20)),
        (panels(2, change=(0.0, 0.0)), (1, 5, 20)),
        (panels(2, change=(-100.0, 10.0**6)), (1, 5, 20)),
        (panels(2, name="r" * 80), (1, 5, 20)),
    ],
    ids=[
        "one panel", "twenty panels", "one page size", "no baseline on one side",
        "no baseline on both", "no change", "a millionfold", "names of eighty characters",
    ],
)  # fmt: skip
def test_the_group_figure_is_valid_and_without_nan(
    several: list[groups.Panel], sizes: tuple[int, ...], tmp_path: Path
) -> None:
    for drawing in group_drawings(several, sizes):
        shown = texts(drawn(drawing, tmp_path))
        assert shown.count("8 queries") == len(several)


def test_every_panel_has_the_colour_of_its_own_policy(tmp_path: Path) -> None:
    styled = list(theme.styles([("a", "a"), ("b", "b"), ("c", "c")], "a", "b").values())
    several = [
        groups.Panel(one.label, 8, one, [groups.Change(size, 1.0, 2.0) for size in (1, 5)])
        for one in styled
    ]
    drawing = groups.figure(several, (1, 5), 5, narrow=False)
    root = drawn(drawing, tmp_path)
    marks = [e for e in root.iter() if e.attrib.get("stroke-width") == "1.5" and "fill" in e.attrib]
    filled = [e.attrib["fill"] for e in marks if e.attrib["fill"] == e.attrib["stroke"]]
    assert filled == [one.colour for one in styled for _ in (1, 5)]


def y_scales(drawing: Drawing) -> set[str]:
    return {
        y["scale"]["type"] for y in values_of(spec(drawing), "y") if "type" in y.get("scale", {})
    }


def test_an_absolute_axis_is_logarithmic_where_no_count_is_zero() -> None:
    drawing = cost.figure(curves(), "pages", "absolute", narrow=False)
    assert y_scales(drawing) == {"log"}
    assert not any(cost.falls_back(curves(), metric) for metric in METRICS)


def test_a_count_of_zero_makes_its_own_absolute_axis_linear_and_no_other() -> None:
    made = curves(counts=lambda place, size: (place, 4, 4))
    assert [cost.falls_back(made, metric) for metric in METRICS] == [True, False, False]
    drawing = cost.figure(made, "pages", "absolute", narrow=False)
    assert y_scales(drawing) == {"linear", "log"}
    other = cost.figure(made, "emitted", "absolute", narrow=False)
    assert y_scales(other) == {"log"}


def test_a_relative_axis_is_linear_and_both_panels_share_its_domain() -> None:
    drawing = cost.figure(curves(), "pages", "relative", narrow=False)
    scales = [y["scale"] for y in values_of(spec(drawing), "y") if "type" in y.get("scale", {})]
    assert {scale["type"] for scale in scales} == {"linear"}
    assert len({tuple(scale["domain"]) for scale in scales}) == 1


def test_counts_of_ten_billion_are_short_on_the_axis_and_whole_in_the_tooltip(
    tmp_path: Path,
) -> None:
    drawing = cost.figure(COSTS["ten billion"], "pages", "absolute", narrow=False)
    root = drawn(drawing, tmp_path)
    assert any(re.fullmatch(r"[\d.]+ bn", text) for text in texts(root))
    assert not any("e+" in text for text in texts(root))
    assert any("10,000,000,000" in said for said in labels(root))


def test_a_long_label_is_shortened_beside_the_panel_and_whole_in_the_tooltip(
    tmp_path: Path,
) -> None:
    made = COSTS["labels of eighty characters"]
    drawing = cost.figure(made, "pages", "relative", narrow=False)
    shown = texts(drawn(drawing, tmp_path))
    assert "h" * 21 + "…" in shown
    assert "h" * 80 not in shown
    rows = [row for rows in drawing.datasets.values() for row in rows]
    assert any(row.get("label") == "h" * 80 for row in rows)


def test_more_policies_than_fit_as_labels_are_named_in_a_key(tmp_path: Path) -> None:
    made = COSTS["twenty policies"]
    for narrow in (False, True):
        drawing = cost.figure(made, "pages", "relative", narrow=narrow)
        shown = texts(drawn(drawing, tmp_path))
        assert [text for text in shown if text.startswith("policy.")] == [
            one.label for one in made.styles
        ]


def test_twenty_policies_all_look_different() -> None:
    looks = {(one.colour, one.shape, one.dash) for one in COSTS["twenty policies"].styles}
    assert len(looks) == 20


def test_the_proxy_panel_stands_beside_whatever_is_chosen(tmp_path: Path) -> None:
    for drawing in cost_drawings(curves()):
        shown = texts(drawn(drawing, tmp_path))
        assert "Search-work proxy" in shown
        assert "proxy: searches, not time" in shown


# --- Names ----------------------------------------------------------------------------------------

HOSTILE = ("cost.p95", "a'b\"]", "x[0]", "datum.policy", "</script>")


def test_a_policys_name_is_a_value_and_never_a_field_or_part_of_an_expression() -> None:
    plain = curves(("plain1", "plain2", "plain3", "plain4", "plain5"))
    for drawing, ordinary in zip(cost_drawings(curves(HOSTILE)), cost_drawings(plain), strict=True):
        made, expected = spec(drawing), spec(ordinary)
        assert list(values_of(made, "field")) == list(values_of(expected, "field"))
        for key in ("filter", "test", "labelExpr", "expr"):
            expressions = [one for one in values_of(made, key) if isinstance(one, str)]
            assert expressions == [one for one in values_of(expected, key) if isinstance(one, str)]
        columns = {name for rows in drawing.datasets.values() for row in rows for name in row}
        assert columns == {
            name for rows in ordinary.datasets.values() for row in rows for name in row
        }


def test_a_policy_with_an_awkward_name_is_drawn_like_any_other(tmp_path: Path) -> None:
    drawing = cost.figure(curves(HOSTILE), "pages", "relative", narrow=False)
    shown = texts(drawn(drawing, tmp_path))
    for name in HOSTILE:
        assert shown.count(name) == 2  # a label in each panel


# --- Specs ----------------------------------------------------------------------------------------


def test_a_figure_of_more_rows_than_the_cap_is_refused() -> None:
    chart = alt.Chart(alt.NamedData("d0")).mark_point()
    rows: list[dict[str, object]] = [{"x": number} for number in range(ROW_CAP)]
    spec(Drawing(chart, {"d0": rows}))
    with pytest.raises(ValueError, match="5,001 rows of data; aggregate first"):
        spec(Drawing(chart, {"d0": rows, "d1": [{}]}))


def test_data_that_several_layers_share_is_written_once() -> None:
    drawing = cost.figure(curves(), "pages", "relative", narrow=False)
    sets = [json.dumps(rows, sort_keys=True) for rows in drawing.datasets.values()]
    assert len(set(sets)) == len(sets)


def test_a_spec_asks_the_network_for_nothing_but_names_its_schema() -> None:
    for drawing in (*cost_drawings(curves()), *outcome_drawings(tallies())):
        made = spec(drawing)
        assert made.pop("$schema") == "https://vega.github.io/schema/vega-lite/v6.json"
        assert "http" not in json.dumps(made)
        assert not list(values_of(made, "url"))


def test_what_was_drawn_is_drawn_again_only_when_its_content_changes(tmp_path: Path) -> None:
    drawer, made = Drawer(tmp_path), []

    def make() -> dict[str, Drawing]:
        made.append(1)
        return {"wide": cost.figure(curves(), "pages", "relative", narrow=False)}

    first = drawer.specs(("cost", 1), make)
    assert drawer.specs(("cost", 1), make) == first
    assert len(made) == 1
    drawer.specs(("cost", 2), make)
    assert len(made) == 2
    assert drawer.svg(first["wide"]) == drawer.svg(first["wide"])


# --- Labels that don't overlap --------------------------------------------------------------------


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=21),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.integers(60, 600),
)
def test_labels_keep_their_distance_and_stay_inside(
    shares: list[float], low: float, extent: float, height: int
) -> None:
    assume((len(shares) - 1) * LABEL_GAP <= height)
    values = {f"p{place}": low + share * extent for place, share in enumerate(shares)}
    places = spread(values, low, low + extent, height)
    assert set(places) == set(values)
    pixels = sorted((place - low) / extent * height for place in places.values())
    slack = 1e-3 + abs(low) / extent * 1e-6
    assert pixels[0] >= -slack
    assert pixels[-1] <= height + slack
    assert all(b - a >= LABEL_GAP - slack for a, b in itertools.pairwise(pixels))
    order = sorted(values, key=lambda key: (values[key], key))
    placed = [places[key] for key in order]
    assert all(a <= b for a, b in itertools.pairwise(placed))


def test_labels_that_are_apart_already_stay_where_they_are() -> None:
    values = {"a": 10.0, "b": 50.0, "c": 90.0}
    assert spread(values, 0, 100, 300) == pytest.approx(values)


def test_two_labels_in_one_place_move_apart_evenly() -> None:
    places = spread({"a": 50.0, "b": 50.0}, 0, 100, 100)
    assert places == pytest.approx({"a": 50 - LABEL_GAP / 2, "b": 50 + LABEL_GAP / 2})


def test_a_domain_without_extent_still_has_places() -> None:
    assert spread({"a": 5.0}, 5, 5, 100) == {"a": 5.0}
    assert spread({}, 0, 1, 100) == {}


@settings(deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), max_size=8),
    st.sampled_from((5.0, 25.0)),
)
def test_a_nice_domain_holds_zero_and_every_value(values: list[float], step: float) -> None:
    low, high = nice_domain(values, step=step)
    assert low < high
    assert all(low <= value <= high for value in (*values, 0.0))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(33.66, "+33.7"), (-33.66, "\u221233.7"), (0.0, "0"), (0.04, "≈0"), (-0.04, "≈0")],
)
def test_a_printed_change_has_its_sign(value: float, shown: str) -> None:
    assert signed(value) == shown


# --- Inlining -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A real figure, as it is downloaded."""
    drawing = cost.figure(curves(), "pages", "relative", narrow=False)
    return Drawer(tmp_path_factory.mktemp("figures")).svg(spec(drawing))


def inlined(svg: str, **changes: str) -> ElementTree.Element:
    given = {"css_class": "wide", "name": "fig", "title": "A title", "description": "A text"}
    return ElementTree.fromstring(inline(svg, **(given | changes)))


def test_an_inlined_figure_has_no_style_class_or_role_of_its_own(standalone: str) -> None:
    root = inlined(standalone)
    assert root.attrib["class"] == "wide"
    assert root.attrib["role"] == "img"
    for element in root.iter():
        if element is not root:
            assert not {"style", "class", "role", "aria-label", "font-family"} & set(element.attrib)
        assert not any(name.startswith(("on", "xmlns", "{")) for name in element.attrib)
        assert element.tag in ("svg", "title", "desc", "g", "path", "text", "line", "rect"), (
            element.tag
        )


def test_an_inlined_figure_is_less_than_half_the_size(standalone: str) -> None:
    made = inline(standalone, css_class="wide", name="fig", title="", description="")
    assert len(made) < len(standalone) / 2


def test_an_inlined_figure_keeps_every_text(standalone: str) -> None:
    before = [text for text in texts(ElementTree.fromstring(standalone)) if text.strip()]
    assert texts(inlined(standalone)) == before


def test_two_drawings_on_a_page_share_no_id(standalone: str) -> None:
    found = [
        element.attrib["id"]
        for name in ("fig-cost-wide", "fig-cost-narrow")
        for element in inlined(standalone, name=name).iter()
        if "id" in element.attrib
    ]
    assert len(found) == 4
    assert len(set(found)) == 4


def test_the_text_alternative_is_named_and_escaped(standalone: str) -> None:
    title, description = "1<2</title><script>alert(1)</script>", "a & b \"c\" 'd'"
    text = inline(standalone, css_class="wide", name="fig", title=title, description=description)
    assert "<script" not in text
    root = ElementTree.fromstring(text)
    by_id = {e.attrib["id"]: e.text for e in root.iter() if "id" in e.attrib}
    assert [by_id[name] for name in root.attrib["aria-labelledby"].split()] == [title, description]


def test_every_colour_of_the_theme_becomes_a_variable(standalone: str) -> None:
    assert re.findall("#[0-9a-f]{6}", standalone)
    text = inline(standalone, css_class="wide", name="fig", title="t", description="d")
    assert not re.findall("#[0-9a-fA-F]{3,8}", text)
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    assert {"ink", "muted", "p0", "p1", "k-proxy"} <= used <= set(theme.VARIABLES.values())


def test_a_label_that_looks_like_a_colour_stays_a_label(tmp_path: Path) -> None:
    label = f'"{theme.INK}"'
    made = curves(labels=(label, "helper"))
    drawing = cost.figure(made, "pages", "relative", narrow=False)
    root = inlined(Drawer(tmp_path).svg(spec(drawing)), title=label)
    assert root[0].text == label
    assert texts(root).count(label) == 2


@pytest.mark.parametrize("label", ["\x00", "a\x1bb", "\ufffe", "\x7f", "\u2028", "\u202e"])
def test_a_character_that_no_drawing_can_hold_does_not_end_the_process(
    label: str, tmp_path: Path
) -> None:
    made = curves(labels=("baseline", label))
    drawing = cost.figure(made, "pages", "relative", narrow=False)
    assert "baseline" in texts(drawn(drawing, tmp_path))


@pytest.mark.parametrize("label", ['a xmlns="b"', "xlink:href", "<g/>", "a&amp;b", "日本語 🦊"])
def test_a_label_that_looks_like_markup_stays_a_label(label: str, tmp_path: Path) -> None:
    made = curves(labels=("baseline", label))
    drawing = cost.figure(made, "pages", "relative", narrow=False)
    assert texts(inlined(Drawer(tmp_path).svg(spec(drawing)))).count(label) == 2


def test_the_style_sheet_has_every_variable_in_the_themes_own_light_colour() -> None:
    css = (ROOT / "templates" / "assets" / "site.css").read_text(encoding="utf-8")
    assert len(set(theme.VARIABLES)) == len(theme.VARIABLES)
    assert len(set(theme.VARIABLES.values())) == len(theme.VARIABLES)
    for colour, variable in theme.VARIABLES.items():
        plain, paired, *_paper = re.findall(rf"--{variable}: (#\w+|light-dark\(#\w+, #\w+\));", css)
        assert plain == colour
        assert paired.startswith(f"light-dark({colour}, ")


def test_the_primary_policy_is_drawn_last_and_bolder() -> None:
    styled = theme.styles([("a", "a"), ("b", "b"), ("c", "c")], baseline="b", primary="c")
    assert list(styled) == ["a", "b", "c"]
    assert [styled[name].number for name in ("b", "c", "a")] == [0, 1, 2]
    assert styled["c"].width > styled["b"].width == styled["a"].width


def test_a_baseline_alone_does_not_take_the_primarys_colour() -> None:
    styled = theme.styles([("a", "a"), ("b", "b")], baseline="a", primary="a")
    assert [styled[name].number for name in ("a", "b")] == [0, 2]


def test_size_ticks_are_the_frozen_sizes_alone() -> None:
    axis = parts.size_axis([1, 5, 20], label=None).to_dict()["axis"]
    assert axis["values"] == [1, 5, 20]
    assert axis["format"] == ",d"
