"""What a truncated run hides: the figures over the queries that both found, and what is unjudged.

The counts are made here again, page by page and query by query.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from statistics import mean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagecost
from pagecost.charts.draw import Drawer
from pagecost.report.found import FoundRow, found_rows, unjudged_rows
from pagecost.report.page import styles_of
from pagecost.site import alone
from pagecost.versions import Version
from tests.oracle import page_by_page, rank_of
from tests.site_builders import Page, figures_folder

DOCUMENTS = "abcdefgh"
SIZES = [1, 2, 3, 7]
Lists = Mapping[str, str]
"""By query, the documents in order, a letter each."""

QRELS = {"q1": {"b": 1, "a": 0}, "q2": {"c": 2}, "q3": {"d": 1, "e": 1}}
BASE = {"q1": "abc", "q2": "ba", "q3": "xxd".replace("xx", "fg")}
MORE = {"q1": "ba", "q3": "defgh"}
NEVER = {"q1": "fgh", "q2": "a", "q3": "h"}
BEST = {"q1": "b", "q2": "c", "q3": "d"}


def run_of(lists: Lists) -> dict[str, dict[str, float]]:
    return {
        query: {one: float(-place) for place, one in enumerate(found)}
        for query, found in lists.items()
        if found
    }


def scored(
    qrels: Mapping[str, Mapping[str, int]], several: Mapping[str, Lists], **more: Any
) -> Version:
    runs = {name: run_of(lists) for name, lists in several.items()}
    choices = {"page_sizes": SIZES, "primary_page_size": 2, "date": "2026-01-02", **more}
    return pagecost.score(qrels, runs, **choices)


def rows_of(version: Version) -> list[FoundRow]:
    assert version.record is not None
    return list(found_rows(version.plan, version.record.table, styles_of(version.plan)))


def expected(
    qrels: Mapping[str, Mapping[str, int]], ours: Lists, base: Lists, size: int, searches: int
) -> tuple[Any, ...] | None:
    """Queries both found; pages, candidates, searches and mean rank of base and ours over them."""
    pairs = []
    for query, grades in qrels.items():
        relevant = {one for one, grade in grades.items() if grade > 0}
        if not relevant:
            continue
        pair = []
        for lists in (base, ours):
            delivered = lists.get(query, "")
            rank = rank_of([*delivered], relevant, 1)  # type: ignore[arg-type]  # letters do
            pair.append((rank, len(delivered)))
        pairs.append(pair)
    both = [pair for pair in pairs if all(rank is not None for rank, _ in pair)]
    if not both or len(both) == len(pairs):
        return None
    sides = []
    for side in (0, 1):
        costs = [
            page_by_page(*pair[side][:1], size, pair[side][1], lambda _: searches) for pair in both
        ]
        ranks = [pair[side][0] for pair in both]
        sides.append((*map(sum, zip(*costs, strict=True)), mean(map(float, filter(None, ranks)))))
    return (len(both), *sides)


def shown(row: FoundRow) -> tuple[Any, ...]:
    base = (row.pages.base, row.emitted.base, row.searches.base, row.mean_base)
    ours = (row.pages.ours, row.emitted.ours, row.searches.ours, row.mean_ours)
    return (row.queries, pytest.approx(base), pytest.approx(ours))


# --- Found by both --------------------------------------------------------------------------------


def test_only_queries_that_both_found_count() -> None:
    version = scored(QRELS, {"base": BASE, "ours": MORE})
    rows = rows_of(version)
    # base: q1 at 2, q3 at 3; ours: q1 at 1, q3 at 1; q2 is found by none.
    assert [row.size for row in rows] == SIZES
    assert [row.queries for row in rows] == [2] * 4
    assert [(row.pages.base, row.pages.ours) for row in rows] == [(5, 2), (3, 2), (2, 2), (2, 2)]
    assert [(row.emitted.base, row.emitted.ours) for row in rows] == [
        (5, 2), (2 + 3, 4), (3 + 3, 2 + 3), (6, 2 + 5),
    ]  # fmt: skip
    assert {(row.mean_base, row.mean_ours) for row in rows} == {(2.5, 1.0)}
    assert {row.searches.difference for row in rows} == {None}


def test_the_primary_policy_stands_at_every_size_and_others_at_the_primary_one() -> None:
    rows = rows_of(scored(QRELS, {"base": BASE, "ours": MORE, "other": {"q1": "b"}}))
    assert [(row.style.name, row.size, row.is_primary) for row in rows] == [
        *(("ours", size, True) for size in SIZES),
        ("other", 2, False),
    ]


def test_a_policy_that_misses_nothing_that_the_baseline_finds_has_no_row() -> None:
    assert rows_of(scored(QRELS, {"best": BEST, "again": BEST})) == []
    assert rows_of(scored(QRELS, {"best": BEST})) == []
    # Where the baseline misses, what the other found too is all that is compared.
    assert [row.queries for row in rows_of(scored(QRELS, {"base": BASE, "best": BEST}))] == [2] * 4


def test_where_nothing_was_found_by_both_there_is_no_row() -> None:
    assert rows_of(scored(QRELS, {"base": NEVER, "best": BEST})) == []
    assert rows_of(scored(QRELS, {"base": {"q1": "b"}, "ours": {"q3": "d"}})) == []


def lists() -> st.SearchStrategy[dict[str, str]]:
    one = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=8).map("".join)
    return st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4", "q9"]), one, max_size=5).filter(
        lambda made: any(made.values())
    )


GRADES = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q4"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 2), min_size=1, max_size=5),
    min_size=1,
).filter(lambda made: any(grade > 0 for grades in made.values() for grade in grades.values()))


@given(qrels=GRADES, base=lists(), ours=lists(), other=lists())
def test_figures_over_what_both_found_are_a_recount(
    qrels: dict[str, dict[str, int]], base: Lists, ours: Lists, other: Lists
) -> None:
    several = {"base": base, "ours": ours, "other": other}
    rows = rows_of(scored(qrels, several, searches=dict.fromkeys(several, 2)))
    counted = {(row.style.name, row.size): row for row in rows}
    wanted = {
        (name, size): expected(qrels, several[name], base, size, 2)
        for name, sizes in (("ours", SIZES), ("other", [2]))
        for size in sizes
    }
    assert set(counted) == {key for key, found in wanted.items() if found is not None}
    for key, row in counted.items():
        assert shown(row) == wanted[key]


@given(qrels=GRADES, base=lists(), ours=lists())
def test_unjudged_candidates_are_a_recount(
    qrels: dict[str, dict[str, int]], base: Lists, ours: Lists
) -> None:
    version = scored(qrels, {"base": base, "ours": ours})
    assert version.record is not None
    rows = list(unjudged_rows(version.plan, version.record.results, styles_of(version.plan)))
    assert [(row.style.name, row.is_primary) for row in rows] == [("base", False), ("ours", True)]
    for row, given_lists in zip(rows, (base, ours), strict=True):
        for (unjudged, read), size in zip(row.shares, SIZES, strict=True):
            wanted, candidates = 0, 0
            for query, grades in qrels.items():
                relevant = {one for one, grade in grades.items() if grade > 0}
                if relevant:
                    delivered = given_lists.get(query, "")
                    rank = rank_of([*delivered], relevant, 1)  # type: ignore[arg-type]  # letters
                    _, emitted, _ = page_by_page(rank, size, len(delivered), lambda _: 1)
                    candidates += emitted
                    wanted += sum(one not in grades for one in delivered[:emitted])
            assert (unjudged, read) == (wanted, candidates)


# --- On the page ----------------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The report of runs: its files, and its page taken apart."""

    def make(several: Mapping[str, Lists], **more: Any) -> tuple[dict[str, bytes], Page]:
        version = scored(QRELS, several, **more)
        contents = alone.report(version, ["again"], Drawer(figures_folder(tmp_path_factory)))
        return contents, Page(contents["index.html"].decode("utf-8"))

    return make


def text(contents: Mapping[str, bytes], name: str) -> str:
    return contents[name].decode("utf-8")


def test_the_table_stands_on_the_page_only_where_something_was_missed(made: Any) -> None:
    contents, page = made({"base": BASE, "ours": MORE})
    assert page.one("caption", id="tfc").text.startswith("Found by both. ")
    assert "flatter whoever misses the hard ones" in page.text
    assert "5 → 2" in text(contents, "index.html")
    assert "of one or both were not given, so none are compared" in page.text
    contents, page = made({"best": BEST, "again": BEST})
    assert page.all("caption", id="tfc") == []
    assert "ot found" not in page.one("section", id="cost").text
    assert "Not found within" not in page.text
    assert "| Not found |" not in text(contents, "summary.md")


def test_searches_of_what_both_found_are_shown_where_both_were_given(made: Any) -> None:
    _, page = made({"base": BASE, "ours": MORE}, searches={"base": 1, "ours": 3})
    assert "so none are compared" not in page.text
    cells = [one.text for one in page.all("td")]
    assert "5 → 6" in cells, "base needs 5 pages of 1 search, ours 2 of 3"
    _, page = made({"base": BASE, "ours": MORE, "other": MORE}, searches={"base": 1, "other": 3})
    assert "so none are compared" not in page.text
    assert "3 → not given" in [one.text for one in page.all("td")]


def test_totals_never_stand_without_what_was_not_found(made: Any) -> None:
    contents, page = made({"base": BASE, "ours": NEVER, "other": MORE}, primary="ours")
    said = "Not found within the depth delivered, of 3 queries: 3 by ours, 1 by base."
    assert said in page.text
    assert said in text(contents, "summary.md")
    assert [one.text for one in page.all("dd", class_="nf")] == ["with 1 → 3 not found"] * 2
    for row in page.all("tr"):
        for name, count in (("base", "1"), ("ours", "3"), ("other", "1")):
            if row.text.startswith(tuple(f"{size}{name}" for size in SIZES)):
                assert f"{name} {count} not found" in row.text
    rows = [line for line in text(contents, "summary.md").splitlines() if line.startswith("| ")]
    assert rows[0].endswith("| Change | Not found |")
    assert [row.rsplit("|", 2)[1].strip() for row in rows[1:]] == ["1", "3"] * 4
    costs = csv.DictReader(io.StringIO(text(contents, "costs.csv")))
    assert {(row["policy"], row["not_found"]) for row in costs} == {
        ("base", "1"), ("ours", "3"), ("other", "1"),
    }  # fmt: skip


def test_a_single_run_says_what_it_did_not_find(made: Any) -> None:
    contents, page = made({"only": BASE})
    said = "Not found within the depth delivered, of 3 queries: 1 by only."
    assert said in page.text
    assert [one.text for one in page.all("dd", class_="nf")] == ["with 1 not found"] * 3
    assert page.all("caption", id="tfc") == []
    assert said in text(contents, "summary.md")


def test_the_share_that_nobody_judged_stands_on_the_page(made: Any) -> None:
    contents, page = made({"base": BASE, "ours": MORE})
    assert page.one("caption", id="tuc").text.startswith("Unjudged. ")
    # base at 2: q1 ab, q2 ba, q3 fgd, of which nobody judged ba for q2 and fg for q3.
    assert "57.1\u202f%" in [one.text for one in page.all("td")]
    rows = list(csv.DictReader(io.StringIO(text(contents, "costs.csv"))))
    found = {(row["policy"], row["page_size"]): (row["unjudged"], row["emitted"]) for row in rows}
    assert found["base", "2"] == ("4", "7")
    assert found["ours", "2"] == ("0", "4")


def test_nothing_unknown_is_shown_as_a_number(made: Any) -> None:
    contents, page = made({"base": BASE, "ours": MORE, "never": NEVER})
    for name in (
        "index.html",
        "summary.md",
        "costs.csv",
        "fig-cost.js",
        "fig-wins.svg",
        "queries.js",
    ):
        assert "None" not in text(contents, name), name
        assert "NaN" not in text(contents, name), name
    proxy = page.one("dl", class_="trio").text.split("Search-work proxy")[1]
    assert "not given" in proxy
    assert "0" not in proxy
    for row in csv.DictReader(io.StringIO(text(contents, "costs.csv"))):
        assert {row[name] for name in row if name.startswith("search")} == {""}
    for line in text(contents, "summary.md").splitlines():
        if line.startswith("| ") and "Policy" not in line:
            assert "| not given | – |" in line
