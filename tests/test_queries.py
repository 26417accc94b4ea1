"""Every query of a record: its numbers, the data beside the page, and what the page shows first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import project, versions
from pagecost.model import ArchivesCorpus, Plan, RankTable, Results
from pagecost.report import queries, querydata, words
from pagecost.report.queries import Queries, queries_of
from pagecost.report.querydata import QueryTable, query_table
from pagecost.report.querynames import pieces
from pagecost.versions import Version
from tests import site_builders
from tests.builders import ROOT
from tests.collection_builders import collection_json, run_of, score, trec_corpus
from tests.query_builders import (
    HOSTILE,
    REPOSITORIES,
    REVISION,
    SIZE,
    Asked,
    column_of,
    data_of,
    invented,
    plan_for,
    report,
    scored,
    table_of,
)
from tests.site_builders import Page


def recorded() -> Iterator[Version]:
    """Every version of this repository that has a record."""
    for where in project.load(ROOT / "mkdocs.yml").versions:
        version = versions.load(where)
        if version.record is not None:
            yield version


def section(asked: list[Asked], **changes: Any) -> Queries:
    table = table_of(asked)
    plan = plan_for(table, **changes)
    return queries_of(plan, query_table(plan, table))


def texts(section: Queries) -> list[list[str]]:
    """The first page, a text a cell, notes behind a bar."""
    return [
        [
            "".join(row.named.name),
            "".join(row.named.place),
            *("".join(cell.pieces) + (f"|{cell.note}" if cell.note else "") for cell in row.cells),
        ]
        for row in section.rows
    ]


def keys(section: Queries) -> list[str]:
    return [column.key for column in section.columns]


# --- The numbers are the record's -----------------------------------------------------------------


def check_against_record(plan: Plan, results: Results, table: QueryTable, data: Any) -> None:
    """Sums and outcomes, over all queries and in each group, are those of the record."""
    size = plan.primary_page_size
    for group in results.groups:
        where = {"all": "ids", "repository": "repo", "stratum": "stratum"}[group.by]
        inside = [group.by == "all" or one == group.name for one in column_of(data, where)]
        for ending, name in (("", plan.primary_policy), ("-from", plan.baseline)):
            recorded = group.policy(name).at(size)
            for metric, expected in (("pages", recorded.pages), ("searches", recorded.searches)):
                if f"{metric}{ending}" not in data["numbers"]:
                    assert expected is None or (ending and plan.primary_policy == plan.baseline)
                    continue
                values = column_of(data, f"{metric}{ending}")
                assert sum(v for v, i in zip(values, inside, strict=True) if i) == expected
        if plan.primary_policy == plan.baseline:
            continue
        ours = group.policy(plan.primary_policy).at(size)
        for key, counts in (("outcome", ours.on_pages), ("proxy", ours.on_searches)):
            assert (key in data["texts"]) == (counts is not None)
            if counts is not None:
                found = [v for v, i in zip(column_of(data, key), inside, strict=True) if i]
                assert found.count("fewer") == counts.win
                assert found.count("tie") == counts.tie
                assert found.count("more") == counts.loss
    assert table.compares == (plan.primary_policy != plan.baseline)


def test_pages_searches_and_outcomes_add_up_to_what_every_committed_record_says() -> None:
    keys = []
    for version in recorded():
        assert version.record is not None
        keys.append(version.where.key)
        plan, ranks = version.plan, version.record.table
        table = query_table(plan, ranks)
        data = data_of(querydata.script(table))
        check_against_record(plan, version.record.results, table, data)
        for key, name in (("rank", plan.primary_policy), ("rank-from", plan.baseline)):
            assert column_of(data, key) == ranks.column(name).ranks.tolist()
        for key in ("name", "path", "line"):
            assert column_of(data, key) == [getattr(row, f"target_{key}") for row in ranks.rows]
        assert column_of(data, "relevant") == [row.relevant for row in ranks.rows]
        for row, short in zip(ranks.rows, data["ids"], strict=True):
            assert row.query_id.startswith(short)
        assert len(set(data["ids"])) == len(ranks.rows)
    assert {"page-cost@12", "page-cost@12.1", "cut-runs@2"} <= set(keys)


_RANK = st.one_of(st.none(), st.integers(1, 5000))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_RANK, _RANK), min_size=1, max_size=40), st.sampled_from([1, 3, 20, 999]))
def test_any_ranks_add_up_to_their_record(
    ranks: list[tuple[int | None, int | None]], size: int
) -> None:
    asked = [
        Asked("f", "a.go", base, ours, REPOSITORIES[place % 3], line=place + 1)
        for place, (base, ours) in enumerate(ranks)
    ]
    table = table_of(asked)
    plan = plan_for(table, page_sizes=[size], primary_page_size=size)
    record, found = scored(plan, table), query_table(plan, table)
    check_against_record(plan, record.results, found, data_of(querydata.script(found)))


def test_a_target_that_is_found_counts_as_fewer_and_two_that_are_not_tie() -> None:
    found = section(
        [
            Asked("found", "a", None, 5000, id="1"),
            Asked("lost", "b", 4000, None, id="2"),
            Asked("neither", "c", None, None, id="3"),
            Asked("first", "d", None, 1, id="4"),
        ]
    )
    # Both cost 250 pages where nothing or the last document is found, at 5,000 documents.
    assert texts(found) == [
        ["found", "a:1", "not found", "5,000", "250", "250", "0|counts as fewer", "250", "500",
         "+250|counts as fewer"],
        ["lost", "b:1", "4,000", "not found", "200", "250", "+50", "200", "500", "+300"],
        ["neither", "c:1", "not found", "not found", "250", "250", "0", "250", "500",
         "+250|counts as tie"],
        ["first", "d:1", "not found", "1", "250", "1", "−249", "250", "2", "−248"],
    ]  # fmt: skip
    assert [one.choices for one in found.outcomes] == [
        (("", 4), ("fewer", 2), ("tie", 1), ("more", 1)),
        (("", 4), ("fewer", 2), ("tie", 1), ("more", 1)),
    ]
    assert f"{words.FOUND_FIRST}." in found.caption
    assert "counts as" not in section([Asked("a", "b", 1, 2)]).caption


# --- The data beside the page ---------------------------------------------------------------------


def test_the_data_are_columns_and_text_is_written_once_in_order() -> None:
    asked = invented(200)
    table = table_of(asked)
    data = data_of(querydata.script(query_table(plan_for(table), table)))
    assert sorted(data) == ["ids", "numbers", "roots", "texts"]
    for column in data["numbers"].values():
        assert isinstance(column, int) or all(type(value) is int for value in column)
    for key, (known, places) in data["texts"].items():
        assert len(set(known)) == len(known)
        assert isinstance(places, int) or len(places) == 200
        if key not in ("outcome", "proxy"):
            assert known == sorted(known, key=lambda text: (text.casefold(), text))
            assert set(known) == set(column_of(data, key))
    assert data["texts"]["repo"][0] == ["example/alpha", "example/Beta", "multiple", "other/gamma"]
    assert data["texts"]["outcome"][0] == data["texts"]["proxy"][0] == ["fewer", "tie", "more"]
    assert data["roots"] == [
        f"https://github.com/example/alpha/blob/{REVISION}/",
        f"https://github.com/example/Beta/blob/{REVISION}/",
        None,
        f"https://github.com/other/gamma/blob/{REVISION}/",
    ]


def test_a_column_that_is_the_same_for_every_query_is_one_value() -> None:
    table = table_of([Asked("f", "a.go", 1, 1, line=7), Asked("g", "a.go", 2, 2, line=7)])
    data = data_of(querydata.script(query_table(plan_for(table), table)))
    assert data["numbers"] == {
        "rank": [1, 2], "pages": 1, "searches": 2, "rank-from": [1, 2], "pages-from": 1,
        "searches-from": 1, "line": 7, "relevant": 1,
    } or data["numbers"] == {
        "rank": [2, 1], "pages": 1, "searches": 2, "rank-from": [2, 1], "pages-from": 1,
        "searches-from": 1, "line": 7, "relevant": 1,
    }  # fmt: skip
    assert data["texts"]["path"] == [["a.go"], 0]
    assert column_of(data, "path") == ["a.go", "a.go"]


def test_the_same_queries_give_the_same_bytes() -> None:
    first, second = (
        querydata.script(query_table(plan_for(table), table))
        for table in (table_of(invented(300)), table_of(invented(300)))
    )
    assert first == second


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["q1", "q10", "q2"], ["q1", "q10", "q2"]),
        (["a" * 64], ["a" * 12]),
        (["a" * 64, "b" * 64], ["a" * 12, "b" * 12]),
        (["a" * 30 + "b" * 34, "a" * 30 + "c" * 34], ["a" * 30 + "b", "a" * 30 + "c"]),
        (["a" * 64, "a" * 63 + "b"], ["a" * 64, "a" * 63 + "b"]),
        (["A" * 64, "a" * 64], ["A" * 64, "a" * 64]),
        (["a" * 64, "z"], ["a" * 64, "z"]),
    ],
)
def test_digests_are_cut_where_all_still_differ_and_other_ids_never(
    ids: list[str], short: list[str]
) -> None:
    assert querydata.short_ids(ids) == short


def test_nothing_in_the_data_ends_the_script_or_breaks_its_lines() -> None:
    asked = [
        Asked(name, f"dir/{name}", 1, 2, id=f"{place}{name}") for place, name in enumerate(HOSTILE)
    ]
    table = table_of(asked)
    script = querydata.script(query_table(plan_for(table), table))
    text = script.decode("utf-8")
    assert not re.search("[<>&\u2028\u2029\n\r]", text.removesuffix("\n"))
    data = data_of(script)
    assert set(column_of(data, "name")) == set(HOSTILE)
    assert set(data["ids"]) == {f"{place}{name}" for place, name in enumerate(HOSTILE)}


def test_100_000_queries_take_few_bytes_each() -> None:
    asked = [
        Asked(f"name{place % 5000}", f"path{place % 700}.go", place % 977 + 1, place % 31 + 1)
        for place in range(100_000)
    ]
    table = table_of(asked)
    script = querydata.script(query_table(plan_for(table), table))
    assert len(script) < 60 * 100_000
    assert len(data_of(script)["ids"]) == 100_000


# --- The head -------------------------------------------------------------------------------------

_COMPARED = ["rank-from", "rank", "pages-from", "pages", "pages-change", "searches-from",
             "searches", "searches-change"]  # fmt: skip


def test_columns_that_tell_no_query_from_another_are_left_out() -> None:
    one = Asked("f", "a", 1, 2)
    assert keys(section([one])) == ["name", *_COMPARED]
    two = [one, Asked("g", "a", 1, 2, repository=REPOSITORIES[1])]
    assert keys(section(two)) == ["name", "repo", *_COMPARED]
    three = [*two, Asked("h", "a", 1, 2, stratum="name-present")]
    assert keys(section(three)) == ["name", "repo", "stratum", *_COMPARED]
    assert [column.key for column in section(three).groups] == ["repo", "stratum"]
    assert [column.key for column in section(two).groups] == ["repo"]
    assert section([one]).groups == ()


def test_a_phone_keeps_pages_and_proxy_side_by_side() -> None:
    kept = [column for column in section(invented(40)).columns if not column.is_wide]
    assert [column.key for column in kept] == [
        "name", "pages", "pages-change", "searches", "searches-change"
    ]  # fmt: skip
    assert [column.phone_title or column.title for column in kept] == [
        "Known target", "Pages", "Change", "Proxy", "Change"
    ]  # fmt: skip


def test_bands_say_what_is_counted_and_what_is_a_proxy() -> None:
    bands = {one.title: one for one in section(invented(40)).bands if one.title}
    assert list(bands) == ["Rank", "Pages, counted", "Proxy: searches, not time"]
    assert [one.title for one in bands.values() if one.is_proxy] == ["Proxy: searches, not time"]
    assert [len(one.columns) for one in bands.values()] == [2, 3, 3]
    for band in bands.values():
        assert [column.is_first for column in band.columns] == [True] + [False] * (
            len(band.columns) - 1
        )


def test_one_policy_alone_has_its_numbers_and_nothing_to_compare() -> None:
    found = section(
        [Asked("f", "a", 41, 2), Asked("g", "b", 1, 2)],
        policies=[site_builders.policy("baseline", "baseline")],
        primary_policy="baseline",
    )
    assert keys(found) == ["name", "rank", "pages", "searches"]
    assert not found.is_banded
    assert found.outcomes == ()
    assert sorted(texts(found)) == [["f", "a:1", "41", "3", "3"], ["g", "b:1", "1", "1", "1"]]
    assert found.said == f"All 2 queries, at {SIZE} candidates a page."
    assert found.caption == f"With the baseline, at page size {SIZE}."


@pytest.fixture
def of_runs(tmp_path: Path) -> Any:
    """The section of two runs, whose authors gave those searches a page."""

    def made(base: int | None, ours: int | None, target: str = "first relevant document") -> Any:
        qrels = "q1 0 b 1\nq1 0 a 1\nq2 0 c 2\nq10 0 d 1\n"
        runs = {
            "base": run_of(tmp_path, "base.run", "q1 Q0 b 1 2 t\nq2 Q0 y 1 1 t\n"),
            "ours": run_of(tmp_path, "ours.run", "q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 c 1 1 t\n"),
        }
        for name, searches in (("base", base), ("ours", ours)):
            runs[name] |= {} if searches is None else {"searches": searches}
        given = collection_json(trec_corpus(tmp_path, qrels), runs, target=target)
        given |= {"page_sizes": [1, 2], "primary_page_size": 1}
        plan = msgspec.convert(given, Plan)
        done = score(plan, tmp_path)
        return queries_of(done.plan, query_table(done.plan, done.table)), done

    return made


def test_a_collection_is_named_by_its_query_ids_and_links_nowhere(of_runs: Any) -> None:
    found, done = of_runs(1, 2)
    assert keys(found) == ["id", *_COMPARED]
    assert found.columns[0].title == "Query"
    assert texts(found) == [
        ["q1", "a and 1 more", "1", "2", "1", "2", "+1", "1", "4", "+3"],
        ["q10", "d", "not found", "not found", "1", "1", "0", "1", "2", "+1|counts as tie"],
        ["q2", "c", "not found", "1", "1", "1", "0|counts as fewer", "1", "2",
         "+1|counts as fewer"],
    ]  # fmt: skip
    assert [row.named.url for row in found.rows] == [None, None, None]
    assert found.named == (
        "Below a query’s id stands its first relevant document in document order; “and 1 more” "
        "says that there is another. The rank is that of whichever is met first."
    )
    data = data_of(querydata.script(query_table(done.plan, done.table)))
    assert data["ids"] == ["q1", "q10", "q2"]
    assert data["roots"] == [None]
    check_against_record(done.plan, done.results, query_table(done.plan, done.table), data)


@pytest.mark.parametrize(
    ("base", "ours", "there", "said"),
    [
        (None, None, [], "Searches were given neither for ours nor for base."),
        (1, None, ["searches-from"], "Searches of ours were not given."),
        (None, 1, ["searches"], "Searches of base were not given."),
    ],
)
def test_searches_that_nobody_gave_have_no_column_no_filter_and_no_number(
    base: int | None, ours: int | None, there: list[str], said: str, of_runs: Any
) -> None:
    found, done = of_runs(base, ours)
    assert keys(found) == ["id", *_COMPARED[:5], *there]
    assert [one.key for one in found.outcomes] == ["outcome"]
    assert said in found.said
    data = data_of(querydata.script(query_table(done.plan, done.table)))
    assert sorted(key for key in data["numbers"] if key.startswith("searches")) == there
    assert "proxy" not in data["texts"]
    if there:  # the one side that is known never leaves, on a phone neither
        assert not found.columns[-1].is_wide


# --- Rows -----------------------------------------------------------------------------------------


def test_the_page_begins_with_the_first_25_in_the_order_of_the_record() -> None:
    table = table_of(invented(60))
    plan = plan_for(table)
    found = queries_of(plan, query_table(plan, table))
    assert ["".join(row.named.name) for row in found.rows] == [
        row.target_name for row in table.rows[: queries.PAGE_ROWS]
    ]
    assert len(found.rows) == 25 and found.total == 60 and found.is_long
    assert found.range_said == "1 to 25 of 60"
    few = section(invented(25))
    assert (few.range_said, few.is_long) == ("1 to 25 of 25", False)
    assert section(invented(1)).range_said == "1 of 1"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("lxd/main.go", "lxd/main.go"),
        ("a b/ü#?%.go", "a%20b/%C3%BC%23%3F%25.go"),
        ("x/!'()*~.go", "x/!'()*~.go"),
        ('"><script>', "%22%3E%3Cscript%3E"),
    ],
)
def test_a_target_in_an_archive_is_linked_to_its_line_at_the_pinned_revision(
    path: str, written: str
) -> None:
    (row,) = section([Asked("f", path, 1, 1, line=12, repository="example/Beta")]).rows
    assert row.named.url == f"https://github.com/example/Beta/blob/{REVISION}/{written}#L12"
    assert unquote(written) == path


def test_what_stands_in_several_repositories_or_in_an_installed_package_is_not_linked() -> None:
    found = section([Asked("f", "a", 1, 1), Asked("g", "b", 1, 1, repository="multiple")])
    assert {"".join(row.named.name): row.named.url is None for row in found.rows} == {
        "f": False,
        "g": True,
    }
    plan = site_builders.plan()
    table = site_builders.rank_table(site_builders.RANKS, 8, 60)
    installed = queries_of(plan, query_table(plan, table))
    assert [row.named.url for row in installed.rows] == [None] * 8
    assert "Package" in [column.title for column in installed.columns]


@pytest.mark.parametrize(
    ("relevant", "place"),
    [(1, "a/b.go:9"), (2, "a/b.go:9 and 1 more"), (1235, "a/b.go:9 and 1,234 more")],
)
def test_a_query_with_several_targets_says_so(relevant: int, place: str) -> None:
    found = section([Asked("f", "a/b.go", 1, 1, line=9, relevant=relevant)])
    assert "".join(found.rows[0].named.place) == place
    several = "The rank is that of whichever is met first." in found.named
    assert several == (relevant > 1)


def test_the_rank_that_is_shown_is_of_what_the_plan_looks_for(of_runs: Any) -> None:
    found, _ = of_runs(1, 1, target="all relevant documents")
    assert found.named.endswith("The rank is that of the last of all relevant documents.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("",)),
        ("name", ("name",)),
        ("camelCaseHTTPServer", ("camel", "Case", "HTTPServer")),
        ("a/b_c.go", ("a/", "b_", "c.", "go")),
        ("std::vector", ("std::", "vector")),
        ("__init__", ("__", "init__")),
        ("trailing/", ("trailing/",)),
        ("x1Y", ("x1", "Y")),
    ],
)
def test_a_line_may_break_at_camel_case_slashes_and_underscores(
    text: str, expected: tuple[str, ...]
) -> None:
    assert pieces(text) == expected


@given(st.text())
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text
    assert len(pieces(text)) == 1 or all(pieces(text))


# --- The sentence ---------------------------------------------------------------------------------


def asked(*ranks: tuple[int, int]) -> list[Asked]:
    return [Asked("f", "a", base, ours, line=place + 1) for place, (base, ours) in enumerate(ranks)]


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        (
            [(1, 1)],
            "The one query, at 20 candidates a page. Pages change in no query. Searches "
            "(proxy) change in it.",
        ),
        (
            [(1, 1), (2, 2), (41, 1)],
            "All 3 queries, at 20 candidates a page. Most take as many pages either way: the "
            "change in pages above comes from one query. Searches (proxy) change in each of them.",
        ),
        (
            [(1, 1), (61, 1), (1, 61)],
            "All 3 queries, at 20 candidates a page. One takes as many pages either way; the "
            "changes in two queries cancel out. Searches (proxy) change in each of them.",
        ),
        (
            [(1, 1), (1, 1), (81, 1), (1, 41)],
            "All 4 queries, at 20 candidates a page. Two take as many pages either way: the "
            "change in pages above comes from two queries. Searches (proxy) change in each of "
            "them.",
        ),
        (
            [(21, 1), (61, 21)],
            "All 2 queries, at 20 candidates a page. Pages change in each of them. Searches "
            "(proxy) change in no query.",
        ),
    ],
)
def test_the_sentence_says_how_many_queries_the_changes_come_from(
    ranks: list[tuple[int, int]], said: str
) -> None:
    assert section(asked(*ranks)).said == said


def test_the_sentence_over_page_cost_12_is_counted_from_its_record() -> None:
    (version,) = (one for one in recorded() if one.where.key == "page-cost@12")
    assert version.record is not None
    found = queries_of(version.plan, query_table(version.plan, version.record.table))
    ours = version.record.results.overall.policy("identifier_baseline_first").at(20)
    assert ours.on_searches is not None
    pages = words.number(ours.on_pages.win + ours.on_pages.loss)
    searches = words.number(ours.on_searches.win + ours.on_searches.loss)
    assert found.said == (
        "All 2,948 queries, at 20 candidates a page. Most take as many pages either way: the "
        f"change in pages above comes from {pages} queries. Searches (proxy) change in {searches} "
        "queries."
    )
    assert isinstance(version.plan.corpus, ArchivesCorpus)


# --- On the page ----------------------------------------------------------------------------------


def page_of(folder: Path, table: RankTable) -> tuple[Page, Mapping[str, bytes]]:
    report(folder, table)
    files = site_builders.tree(folder)
    return Page(files["index.html"].decode("utf-8")), files


def test_names_stand_on_the_page_as_text_whatever_they_hold(tmp_path: Path) -> None:
    names = [name.replace("\u2028", "").replace("\u2029", "") for name in HOSTILE]
    table = table_of(
        [Asked(name, f"dir/{name}", 1, 2, id=f"{place:02}") for place, name in enumerate(names)]
    )
    page, _ = page_of(tmp_path, table)
    heads = [one for one in page.all("th", scope="row") if one.text.endswith(":1")]
    assert [one.text for one in heads] == [f"{name}dir/{name}:1" for name in names]
    assert all("src" in script.attributes for script in page.all("script"))
    assert page.all("img") == []


def test_the_page_shows_its_first_rows_and_leads_to_all_of_them(tmp_path: Path) -> None:
    table = table_of(invented(60))
    page, files = page_of(tmp_path, table)
    found = queries_of(plan_for(table), query_table(plan_for(table), table))
    start = page.elements.index(page.one("table", id="t-queries"))
    heads = [
        one.text
        for one in page.elements[start:]
        if one.tag == "th" and one.attributes.get("scope") == "row" and ".go:" in one.text
    ]
    assert heads == ["".join((*row.named.name, *row.named.place)) for row in found.rows]
    (form,) = page.all("form")
    assert "hidden" in form.attributes
    assert "hidden" in page.one("div", id="q-pager").attributes
    assert page.one("p", id="q-count").text == "1 to 25 of 60"
    assert [one.text for one in page.all("noscript") if "first in the order" in one.text] == [
        "These are the first in the order of the record. All of them stand in ranks.csv."
    ]
    assert data_of(files["queries.js"]) == data_of(
        querydata.script(query_table(plan_for(table), table))
    )
    (script,) = (one for one in page.all("script") if "data-queries" in one.attributes)
    assert (script.get("data-queries"), "defer" in script.attributes) == ("queries.js", True)
    assert found.said in page.text


def test_the_text_of_queries_is_nowhere_even_where_the_plan_would_publish_it(
    tmp_path: Path,
) -> None:
    table = table_of(invented(30))
    report(tmp_path / "a", table)
    report(tmp_path / "b", table, publish_queries=True)
    a, b = ((tmp_path / one / "queries.js").read_bytes() for one in "ab")
    assert a == b


def test_ranks_of_other_policies_are_no_concern_of_the_table() -> None:
    table = table_of(invented(20))
    other = RankTable(table.rows, (*table.columns, table.columns[0]))
    plan = plan_for(table)
    assert querydata.script(query_table(plan, table)) == querydata.script(query_table(plan, other))
    assert np.array_equal(query_table(plan, table).numbers["rank"], table.columns[1].ranks)
