"""The record of a report's page: what it names, what it leaves out, and the files beside it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pagecost import export, project, versions
from pagecost.charts.cost import Curves, Point
from pagecost.charts.draw import Drawer
from pagecost.report import sidecar, tables, words
from pagecost.report.embed import script_json
from pagecost.report.figuredata import figure_script
from pagecost.report.figures import cost_figure, fine_sizes
from pagecost.report.page import ReportPage, report_page, styles_of
from pagecost.report.scores import Scores
from pagecost.report.summary import summary
from pagecost.report.words import DRAFT, UNSCORED
from tests.builders import Json, sha256
from tests.site_builders import (
    CONFIG,
    RANKS,
    Page,
    Ranks,
    add_version,
    counted,
    figures_folder,
    plan,
    plan_json,
    policy,
    write,
)

N = "\u202f"


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


@pytest.fixture
def made(tmp_path: Path, figures: Path) -> Any:
    """Makes the page of one version."""

    def make(plan: Json, given: Ranks | None = None, writeup: str | None = None) -> ReportPage:
        write(tmp_path, {"mkdocs.yml": CONFIG})
        add_version(tmp_path, plan, given, writeup)
        (where,) = project.load(tmp_path / "mkdocs.yml").versions
        return report_page(versions.load(where), Drawer(figures), lambda link: link, "get it")

    return make


def scores(page: ReportPage) -> Scores:
    assert page.scores is not None
    return page.scores


# --- Title and description ------------------------------------------------------------------------


def test_title_and_description_of_a_scored_version_name_both_sides_and_its_kind(made: Any) -> None:
    page = made(plan_json(kind="exploration"), RANKS)
    assert page.title == (
        f"tiny 1 (exploration): 29.2{N}% fewer pages, 41.7{N}% more searches (proxy)"
    )
    assert page.description == (
        f"At 5 candidates a page, the helper needs 29.2{N}% fewer pages and 41.7{N}% more searches "
        f"(proxy). {page.plan.caveat} (Exploration, version 1 of tiny.)"
    )


def test_a_side_that_does_not_change_is_named_as_well(made: Any) -> None:
    alike: Ranks = {"baseline": (4,) * 8, "helper": (4,) * 8}
    page = made(plan_json(), alike)
    assert page.title == (f"tiny 1 (confirmatory): as many pages, 100.0{N}% more searches (proxy)")


def test_a_version_of_one_policy_is_titled_by_its_plan(made: Any) -> None:
    only = plan_json(policies=[policy("only")], baseline="only", primary_policy="only")
    page = made(only, {"only": RANKS["helper"]})
    assert page.title == "tiny 1 (confirmatory): An invented comparison"
    assert not page.compares
    (figure,) = scores(page).figures
    assert figure.anchor == "fig-cost"
    assert all("relative" not in name for name in figure.specs)
    assert [one.anchor for one in page.sections] == [
        "measured", "cost", "curve", "queries", "provenance", "cite",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "title", "said"),
    [
        ("draft", "tiny 1: draft plan", DRAFT),
        ("frozen", "tiny 1: plan frozen, not scored", UNSCORED),
    ],
)
def test_a_version_without_a_record_says_so_and_has_no_part_with_figures(
    status: str, title: str, said: str, made: Any
) -> None:
    page = made(plan_json(status=status))
    assert page.title == title
    assert page.description == f"{said} {page.plan.caveat} (Confirmatory, version 1 of tiny.)"
    assert page.scores is None
    assert [one.anchor for one in page.sections] == ["measured", "provenance", "cite"]
    assert not any("score" in command for command in page.commands)


def test_sections_are_numbered_in_order(made: Any) -> None:
    page = made(plan_json(), RANKS, "# Text\n")
    assert [(one.number, one.anchor) for one in page.sections] == list(
        enumerate(
            [
                "measured",
                "cost",
                "curve",
                "wins",
                "ranks",
                "groups",
                "plane",
                "traded",
                "queries",
                "writeup",
                "provenance",
                "cite",
            ],
            start=1,
        )
    )


def test_a_caveat_over_several_lines_is_one_line_in_the_description(made: Any) -> None:
    page = made(plan_json(caveat="One.\n\nTwo.\tThree."))
    assert page.description.endswith(" One. Two. Three. (Confirmatory, version 1 of tiny.)")


# --- The three figures ----------------------------------------------------------------------------


def test_the_three_figures_go_from_baseline_to_primary_and_the_proxy_is_marked(made: Any) -> None:
    trio = scores(made(plan_json(), RANKS)).trio
    assert [(one.name, one.change.base, one.change.ours, one.is_proxy) for one in trio] == [
        ("Pages", 24, 17, False),
        ("Emitted candidates", 120, 85, False),
        ("Search-work proxy", 24, 34, True),
    ]
    assert [one.kind for one in trio] == ["counted", "counted", "proxy, not time"]


def test_bars_are_per_cent_of_the_larger_count(made: Any) -> None:
    pages, _, searches = scores(made(plan_json(), RANKS)).trio
    assert (pages.base_bar, pages.ours_bar) == (100, round(100 * 17 / 24, 2))
    assert (searches.base_bar, searches.ours_bar) == (round(100 * 24 / 34, 2), 100)


# --- Tables ---------------------------------------------------------------------------------------


def test_the_cost_table_has_every_policy_at_every_size_against_the_baseline_there() -> None:
    made = plan(policies=[policy("baseline"), policy("helper"), policy("third")])
    results = counted(made, {"baseline": (10, 10), "helper": (5, 20), "third": (10, 0)})
    blocks = list(tables.cost_blocks(made, results, styles_of(made)))
    assert [(block.size, block.is_primary) for block in blocks] == [
        (1, False), (5, True), (20, False),
    ]  # fmt: skip
    for block in blocks:
        assert [row.style.name for row in block.rows] == ["baseline", "helper", "third"]
        assert [row.pages.percent for row in block.rows] == [0, -50, 0]
        assert [row.searches.percent for row in block.rows] == [0, 100, -100]


def test_a_last_page_that_is_not_full_keeps_candidates_and_pages_apart() -> None:
    made = plan(page_sizes=[5], primary_page_size=5)
    full = counted(
        made, {"baseline": (8, 8), "helper": (8, 8)}, emitted={"baseline": 40, "helper": 40}
    )
    clipped = counted(
        made, {"baseline": (8, 8), "helper": (8, 8)}, emitted={"baseline": 39, "helper": 39}
    )
    styles = styles_of(made)
    assert not tables.is_clipped(tuple(tables.cost_blocks(made, full, styles)))
    assert tables.is_clipped(tuple(tables.cost_blocks(made, clipped, styles)))


def total(counts: Iterable[int | None]) -> int:
    """The sum of counts that are all known."""
    known = list(counts)
    assert None not in known
    return sum(one or 0 for one in known)


def test_the_group_table_adds_up_to_all_queries_which_stand_last(made: Any) -> None:
    rows = scores(made(plan_json(), RANKS)).groups
    assert [(row.by, row.name, row.queries) for row in rows] == [
        ("repository", "example/alpha", 4),
        ("repository", "example/beta", 4),
        ("stratum", "name-present", 4),
        ("stratum", "name-absent", 4),
        ("all", "all queries", 8),
    ]
    everything = rows[-1]
    assert (everything.ranks.win, everything.ranks.tie, everything.ranks.loss) == (5, 2, 1)
    for by in ("repository", "stratum"):
        own = [row for row in rows if row.by == by]
        assert total(row.pages.ours for row in own) == everything.pages.ours
        assert total(row.searches.base for row in own) == everything.searches.base
        assert sum(row.ranks.win for row in own) == everything.ranks.win


def outcome_limit(page: ReportPage) -> str:
    return scores(page).figure("fig-wins").caption.limit


def test_not_found_is_said_beside_the_headline_and_in_the_tables(made: Any) -> None:
    page = made(
        plan_json(), {"baseline": (None, *RANKS["baseline"][1:]), "helper": RANKS["helper"]}
    )
    (said,) = scores(page).notes
    assert "0 by the helper, 1 by the baseline" in said
    assert [row.not_found for row in scores(page).blocks[0].rows] == [1, 0]
    assert [row.not_found for row in scores(page).qualities] == [1, 0]
    assert said.split(".")[0] in summary(page, None).decode()
    heading = words.plain(page.heading)
    assert heading.endswith(" It misses 0 of 8 targets, the baseline 1.")
    assert heading in page.description
    assert page.title.endswith(", not found 1 → 0")
    assert words.FOUND_FIRST in outcome_limit(page)


def test_where_all_is_found_nothing_is_said_of_it(made: Any) -> None:
    page = made(plan_json(), RANKS)
    assert scores(page).notes == ()
    assert "misses" not in words.plain(page.heading)
    assert "not found" not in page.title
    assert words.FOUND_FIRST not in outcome_limit(page)


def test_a_headline_says_what_both_miss_alike_and_what_one_policy_alone_misses(made: Any) -> None:
    missed = {policy: (None, *ranks[1:]) for policy, ranks in RANKS.items()}
    both = made(plan_json(), missed)
    assert words.plain(both.heading).endswith(" Each misses 1 of 8 targets.")
    alone = made(plan_json(primary_policy="baseline"), missed)
    assert words.plain(alone.heading).endswith(" It misses 1 of 8 targets.")


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 10_000_000), min_size=1, max_size=50, unique=True).map(sorted),
    st.integers(2, 500),
)
def test_the_sizes_between_the_frozen_ones_stay_between_them_and_are_few(
    sizes: list[int], most: int
) -> None:
    fine = fine_sizes(sizes, most)
    assert fine == sorted(set(fine))
    assert (fine[0], fine[-1]) == (sizes[0], sizes[-1])
    assert len(fine) <= min(101, most)


def test_as_many_policies_and_sizes_as_a_plan_may_have_are_drawn(made: Any) -> None:
    document = plan_json()
    ranking = document["policies"][0]["ranking"]
    names = [f"policy-{number}" for number in range(60)]
    document["policies"] = [{"name": name, "ranking": ranking} for name in names]
    document["baseline"], document["primary_policy"] = names[0], names[1]
    document["page_sizes"] = [*range(1, 50), 10_000]
    document["primary_page_size"] = 5
    shown = scores(made(document, dict.fromkeys(names, RANKS["baseline"])))
    assert len(shown.blocks) == 50


def test_the_exploratory_sizes_are_marked_so(made: Any) -> None:
    shown = scores(made(plan_json(), RANKS)).figure("fig-cost").specs["pages-relative-wide"]
    rows = [row for rows in shown["datasets"].values() for row in rows if "frozen" in row]
    assert {row["size"] for row in rows if row["frozen"]} == {1, 5, 20}
    assert {row["size"] for row in rows if not row["frozen"]} == set(range(1, 21)) - {1, 5, 20}
    assert {row["status"] for row in rows if not row["frozen"]} == {"exploratory"}


def test_a_count_of_zero_is_said_to_make_the_axis_linear(made: Any, figures: Path) -> None:
    page = made(plan_json(), RANKS)
    assert scores(page).figure("fig-cost").notes == ()
    points = [
        Point(name, size, pages=0, emitted=1, searches=0, frozen=True)
        for name in ("baseline", "helper")
        for size in page.plan.page_sizes
    ]
    styles = list(styles_of(page.plan).values())
    zero = Curves(points, styles, "baseline", page.plan.page_sizes, page.plan.primary_page_size)
    drawn = cost_figure(1, page.plan, scores(page).results, zero, Drawer(figures))
    assert drawn.notes == ("A logarithm has no zero: Pages, Search-work proxy on a linear axis.",)


def test_panels_are_named_shortly_only_where_that_is_clear(made: Any) -> None:
    short = made(plan_json("1"), RANKS)
    assert [row.name for row in scores(short).groups][:2] == ["example/alpha", "example/beta"]
    for drawing in scores(short).figure("fig-groups").drawings:
        assert ">alpha<" in drawing
        assert ">example/alpha<" not in drawing


def test_panels_of_repositories_with_the_same_short_name_keep_their_owners(made: Any) -> None:
    page = made(plan_json(repositories=("one/tool", "two/tool")), RANKS)
    for drawing in scores(page).figure("fig-groups").drawings:
        assert ">one/tool<" in drawing
        assert ">two/tool<" in drawing


# --- Embedded data --------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_embedded_json_reads_back_and_holds_nothing_that_ends_a_script(value: Any) -> None:
    text = script_json(value)
    assert not set("<>&\u2028\u2029\n") & set(text)
    assert json.loads(text) == value


def test_a_number_that_is_none_is_refused_as_data() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="Out of range"):
            script_json({"x": value})


def test_the_figures_script_names_shared_data_by_place(made: Any) -> None:
    figure = scores(made(plan_json(), RANKS)).figure("fig-cost")
    script = figure_script(figure).decode("utf-8")
    start, end = '((window.pagecost ??= {}).figures ??= {})["fig-cost"] = ', ";\n"
    assert script.startswith(start)
    assert script.endswith(end)
    data = json.loads(script.removeprefix(start).removesuffix(end))
    shared, found = data["shared"], data["specs"]
    assert len({json.dumps(value) for value in shared}) == len(shared)
    assert set(found) == set(figure.specs) == {
        f"{metric}-{scale}-{width}"
        for metric in ("pages", "emitted")
        for scale in ("relative", "absolute")
        for width in ("wide", "narrow")
    }  # fmt: skip
    for name, spec in figure.specs.items():
        back = {own: shared[place] for own, place in found[name]["datasets"].items()}
        config = shared[found[name]["config"]]
        assert {**found[name], "datasets": back, "config": config} == json.loads(json.dumps(spec))


# --- Files beside the report ----------------------------------------------------------------------


def columns(data: bytes) -> list[str]:
    return [one["name"] for one in json.loads(data)["tableSchema"]["columns"]]


def test_a_sidecar_describes_every_column_and_carries_the_caveat(made: Any) -> None:
    page = made(plan_json(), RANKS)
    results = scores(page).results
    costs = export.costs_csv(page.plan, results).decode()
    header = next(csv.reader(io.StringIO(costs)))
    assert columns(sidecar.costs(page.plan, results)) == header
    assert columns(sidecar.ranks(page.plan))[-2:] == ["baseline", "helper"]
    for data in (sidecar.costs(page.plan, results), sidecar.ranks(page.plan)):
        said = json.loads(data)
        assert said["dc:description"] == page.plan.caveat
        assert said["dc:title"] == "tiny 1 (confirmatory): An invented comparison"
        assert said["rdfs:comment"] == [
            "Not measured: Time. The proxy is none.",
            "Assumed: Every index search costs the same.",
        ]
        assert all(one["dc:description"] for one in said["tableSchema"]["columns"])


def rendered(markdown: bytes) -> Page:
    """As a reader that allows raw HTML would show it, which is the worst case."""
    text = markdown.decode("utf-8")
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    return Page(f"<body>{reader.render(text)}</body>")


def test_the_summary_of_a_scored_version_has_headline_table_and_caveats(made: Any) -> None:
    page = made(plan_json(), RANKS)
    shown = rendered(summary(page, None))
    assert shown.one("h2").text == "tiny 1 (confirmatory)"
    assert [e.text for e in shown.all("strong")][:2] == [
        f"29.2{N}% fewer", f"41.7{N}% more",
    ]  # fmt: skip
    assert page.plan.caveat in shown.text
    rows = [row.text.split() for row in shown.all("tr")]
    assert rows[1] == ["1", "baseline", "103", "0", "103", "0"]
    assert len(rows) == 1 + 3 * 2
    assert "Time. The proxy is none." in shown.text
    assert not shown.all("a")


def test_the_summary_links_to_the_site_only_where_its_address_is_known(made: Any) -> None:
    page = made(plan_json(), RANKS)
    base = "https://example.invalid/x/tiny/1/"
    links = [e.get("href") for e in rendered(summary(page, "https://example.invalid/x/")).all("a")]
    assert links == [base, f"{base}costs.csv", f"{base}plan.json"]


@pytest.mark.parametrize(("status", "said"), [("draft", DRAFT), ("frozen", UNSCORED)])
def test_the_summary_without_a_record_has_no_table_and_links_to_no_counts(
    status: str, said: str, made: Any
) -> None:
    shown = rendered(summary(made(plan_json(status=status)), "https://example.invalid/"))
    assert said in shown.text
    assert not shown.all("table")
    assert not any("costs" in e.get("href") for e in shown.all("a"))


def test_nothing_in_a_plan_is_markup_in_the_summary(made: Any) -> None:
    evil = "</td><script>alert(1)</script> | [a](javascript:x) ![b](https://example.invalid/c) `"
    hostile = [policy("baseline", evil), policy("helper", evil, searches=2)]
    plan_ = plan_json(policies=hostile, caveat=evil, not_measured=[f"\\{evil}"])
    shown = rendered(summary(made(plan_, RANKS), None))
    assert {e.tag for e in shown.elements} <= {
        "body", "h2", "p", "strong", "em", "code", "ul", "li", "table", "thead", "tbody", "tr",
        "th", "td",
    }  # fmt: skip
    # In the headline, the caveat, each row of the table, and what is not measured.
    assert shown.text.count("<script>alert(1)</script>") == 1 + 1 + 2 * 3 + 1
    assert len(shown.all("td")) == 6 * 2 * 3


# --- Provenance -----------------------------------------------------------------------------------


def origin(digest: str) -> Json:
    published = {"url": "https://example.invalid/f", "commit": "c" * 40, "sha256": digest}
    return {
        "name": "An invented record",
        "url": "https://example.invalid/",
        "plan": published,
        "results": published | {"export": "results-12"},
    }


def test_a_replication_says_whether_its_export_equals_the_published_record(made: Any) -> None:
    page = made(plan_json(kind="replication", origin=origin("d" * 64)), RANKS)
    assert scores(page).origin_equal is False
    exported = export.results_12(page.plan, scores(page).results)
    again = plan_json(kind="replication", origin=origin(sha256(exported)))
    assert scores(made(again, RANKS)).origin_equal is True


def test_a_version_that_names_no_published_record_compares_with_none(made: Any) -> None:
    assert scores(made(plan_json(), RANKS)).origin_equal is None


def test_tools_are_named_with_their_versions(made: Any) -> None:
    page = made(plan_json())
    assert [name for name, _ in page.tools] == ["pagecost", "altair", "vl-convert-python"]
    assert all(version[0].isdigit() for _, version in page.tools)


def test_statements_are_inline_markdown_and_policies_are_explained(made: Any) -> None:
    page = made(plan_json())
    assert page.measured == ("<strong>Exact rank</strong> of the first known target.",)
    assert [note.style.label for note in page.policies] == ["baseline", "helper"]
    assert all(note.said.endswith("search a page.") or "searches" in note.said
               for note in page.policies)  # fmt: skip
