"""`pagecost.score` and `pagecost.write_report`: what is given, in every shape, makes one record."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import pagecost
from pagecost.errors import InputError
from pagecost.versions import Version
from tests.builders import environment
from tests.collection_builders import library, packed, write
from tests.site_builders import Page, figures_folder, tree

QRELS = {"q1": {"b": 1, "a": 0}, "q2": {"c": 2}, "q3": {"d": 1, "e": -1}, "q4": {"z": 0}}
BASE = {"q1": {"a": 2.0, "b": 1.5}, "q2": {"b": 1e-7}, "q3": {"d": 3, "x": 0.1 + 0.2}}
OURS = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": -3.0, "c": -3.0}, "q3": {"e": 1.0}}
"""Targets: base finds q1 at 2, q2 not, q3 at 1; ours q1 at 1, q2 at 2 (x > c), q3 not."""

Nested = Mapping[str, Mapping[str, Any]]


def triples(given: Nested) -> list[tuple[str, str, Any]]:
    return [(query, one, value) for query, found in given.items() for one, value in found.items()]


def scored(qrels: Any = QRELS, base: Any = BASE, ours: Any = OURS, **more: Any) -> Version:
    choices = {"page_sizes": [1, 2], "date": "2026-01-02", **more}
    return pagecost.score(qrels, {"base": base, "ours": ours}, **choices)


def record(version: Version) -> tuple[bytes, bytes]:
    """results.json without the digest of its plan, which pins the files as written; ranks.csv."""
    assert version.record is not None
    digest = version.digest.encode()
    assert digest in version.record.results_json
    return version.record.results_json.replace(digest, b""), version.record.ranks_csv


def ranks(version: Version, policy: str) -> list[int]:
    assert version.record is not None
    found: list[int] = version.record.table.column(policy).ranks.tolist()
    return found


def refusal(**changes: Any) -> str:
    with pytest.raises(InputError) as error:
        scored(**changes)
    return str(error.value)


# --- Every shape ----------------------------------------------------------------------------------


def test_dicts_are_scored(tmp_path: Path) -> None:
    version = scored()
    assert (ranks(version, "base"), ranks(version, "ours")) == ([2, 0, 1], [1, 2, 0])
    assert version.record is not None
    overall = version.record.results.overall
    base, ours = overall.policy("base"), overall.policy("ours")
    assert [(base.at(1).pages, base.at(1).emitted), ours.at(1).pages] == [(4, 4), 4]
    assert (base.not_found, ours.not_found) == (1, 1)
    assert ours.at(1).searches is None
    assert (base.at(2).unjudged, ours.at(2).unjudged) == (2, 1)
    assert version.plan.page_sizes == [1, 2]
    assert (version.plan.baseline, version.plan.primary_policy) == ("base", "ours")
    assert not list(tmp_path.iterdir())


def pandas_frame(names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> Any:
    return library("pandas").DataFrame(rows, columns=list(names))


def polars_frame(names: tuple[str, str, str], rows: list[tuple[str, str, Any]]) -> Any:
    polars = library("polars")
    columns = zip(*rows, strict=True)
    return polars.DataFrame({n: list(c) for n, c in zip(names, columns, strict=True)}, strict=False)


@pytest.mark.parametrize("make", [pandas_frame, polars_frame])
@pytest.mark.parametrize(
    "names",
    [
        (("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")),
        (("qid", "docno", "label"), ("qid", "docno", "score")),
        (("topic", "document", "rel"), ("topic_id", "docid", "sim")),
        (("query", "document_id", "grade"), ("query", "document_id", "similarity")),
    ],
)
def test_frames_are_scored_by_their_usual_columns(
    make: Callable[[Any, Any], Any], names: tuple[tuple[str, str, str], tuple[str, str, str]]
) -> None:
    judged, delivered = names
    found = scored(
        make(judged, triples(QRELS)), make(delivered, triples(BASE)), make(delivered, triples(OURS))
    )
    assert record(found) == record(scored())


@pytest.mark.parametrize("shuffled", [False, True])
def test_triples_are_scored_in_any_order(shuffled: bool) -> None:
    several = [triples(one)[:: -1 if shuffled else 1] for one in (QRELS, BASE, OURS)]
    results, table = record(scored(*several))
    assert (results, table) == record(scored())
    once = [iter(one) for one in several]
    assert record(scored(*once)) == (results, table)
    assert record(scored(*[[list(row) for row in one] for one in several])) == (results, table)


@pytest.mark.parametrize("kind", [str, Path])
def test_files_are_scored_where_they_lie(kind: type, tmp_path: Path) -> None:
    qrels = "".join(f"{query} 0 {one} {grade}\n" for query, one, grade in triples(QRELS))
    runs = [
        "".join(f"{query} Q0 {one} 1 {score!r} t\n" for query, one, score in triples(run))
        for run in (BASE, OURS)
    ]
    judged = write(tmp_path, "qrels.txt", qrels)
    base, ours = write(tmp_path, "base.run", runs[0]), write(tmp_path, "x", packed(runs[1]))
    found = scored(kind(judged), kind(base), kind(ours))
    assert record(found) == record(scored())
    assert record(scored(QRELS, kind(base), OURS)) == record(scored())


def test_whole_numbers_may_be_ids() -> None:
    numpy = library("numpy")
    version = pagecost.score(
        [(303, numpy.int64(7), numpy.int64(1)), ("304", 8, 1.0)],
        {"run": [(numpy.int64(303), "7", numpy.float32(0.5)), (304, 9, 1)]},
        [10],
    )
    assert ranks(version, "run") == [1, 0]


def test_scores_and_runs_keep_their_order(tmp_path: Path) -> None:
    close = {"q1": {"a": 0.30000001, "b": 0.3}, "q2": {"c": 1}, "q3": {"d": 1}}
    # Alike in single precision, as trec_eval compares: the id decides, b before a.
    assert ranks(scored(base=close), "base")[0] == 1
    version = pagecost.score(QRELS, {"z": OURS, "a": BASE, "m": OURS}, [1])
    assert [one.name for one in version.plan.policies] == ["z", "a", "m"]
    assert (version.plan.baseline, version.plan.primary_policy) == ("z", "a")
    assert not list(tmp_path.iterdir())


def test_every_choice_stands_in_the_plan() -> None:
    version = scored(
        page_sizes=(5, 1, 5),
        primary_page_size=5,
        primary="base",
        searches={"ours": 3},
        relevance_level=2,
        target="all",
        ties="rank-column",
        collection="Invented",
        title="Mine",
    )
    plan = version.plan
    assert (plan.page_sizes, plan.primary_page_size, plan.primary_policy) == ([1, 5], 5, "base")
    assert (plan.title, plan.date, plan.definitions.target) == (
        "Mine", "2026-01-02", "all relevant documents",
    )  # fmt: skip
    assert version.record is not None
    assert version.record.results.overall.queries == 1
    # q2 alone: c is second, and a page takes three searches.
    ours = version.record.results.overall.policy("ours")
    assert (ours.at(1).pages, ours.at(1).searches) == (2, 6)
    assert version.record.results.overall.policy("base").at(1).searches is None
    with pytest.raises(InputError, match="target 'none': expected first, all, or a number"):
        scored(target="none")


def test_the_primary_size_is_20_or_else_the_smallest() -> None:
    assert scored(page_sizes=[50, 20, 7]).plan.primary_page_size == 20
    assert scored(page_sizes=[50, 7]).plan.primary_page_size == 7


# --- What is wrong --------------------------------------------------------------------------------


def test_a_frame_without_a_column_names_those_it_has() -> None:
    frame = pandas_frame(("query_id", "doc_id", "value"), triples(QRELS))
    assert refusal(qrels=frame) == (
        "qrels: columns query_id, doc_id, value; expected one, and one alone, of relevance, rel, "
        "label, grade"
    )
    frame = polars_frame(("query_id", "text", "score"), triples(OURS))
    assert refusal(ours=frame).startswith("run 'ours': columns query_id, text, score; expected one")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"page_sizes": []}, "page_sizes: [], expected whole numbers from 1 on"),
        ({"page_sizes": 5}, "page_sizes: 5, expected whole numbers from 1 on"),
        ({"page_sizes": [5, "1"]}, "page_sizes: [5, '1'], expected whole numbers from 1 on"),
        ({"page_sizes": [0]}, "page_sizes: [0], expected whole numbers from 1 on"),
        ({"searches": [("ours", 1)]}, "searches: expected {name of a run: a number}"),
        ({"searches": {"other": 1}}, "searches: no run is called 'other'; known: base, ours"),
        ({"primary": "other"}, "primary: no run is called 'other'; known: base, ours"),
        ({"target": "9" * 5000}, f"target '{'9' * 20}': expected first, all, or a number"),
        ({"qrels": None}, "qrels: None, expected {query: {document: value}}, "),
        ({"qrels": {"q\ud800": {"a": 1}}}, "qrels: id 'q\\ud800', which is not Unicode text"),
        ({"qrels": {b"q1": {"a": 1}}}, "qrels: id b'q1', expected text or a whole number"),
        ({"ours": {"q1": {1.0: 1}}}, "run 'ours': id 1.0, expected text or a whole number"),
        ({"ours": {1: {"a": 1}, "1": {"b": 1}}}, "run 'ours': id '1' stands twice"),
        ({"ours": {"q": {1: 1, "1": 2}}}, "run 'ours': query 'q': id '1' stands twice"),
        ({"qrels": [("q", "d", 1), ("q", "d", 2)]}, "qrels: line 2: query 'q', document 'd'"),
        ({"ours": {"q\x00": {"a": 1}}}, "run 'ours': line 1: "),
        ({"title": ""}, "report@1: $.title"),
    ],
)
def test_what_is_wrong_is_said_by_the_name_that_it_was_given_under(changes: Any, said: str) -> None:
    assert refusal(**changes).startswith(said)


def test_runs_without_names_are_refused() -> None:
    with pytest.raises(InputError, match=r"runs: expected \{name: run\}"):
        pagecost.score(QRELS, [BASE])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="run 5: expected a name of at most 80"):
        pagecost.score(QRELS, {5: BASE})  # type: ignore[dict-item]


def test_a_frame_with_two_columns_of_one_meaning_is_refused() -> None:
    rows = [("q1", "b", "b", 1)]
    frame = pandas_frame(("query_id", "doc_id", "docno", "relevance"), rows)
    assert "columns query_id, doc_id, docno, relevance; expected one, and one" in refusal(
        qrels=frame
    )
    frame = pandas_frame(("query_id", "doc_id", "doc_id", "relevance"), rows)
    assert "expected one, and one alone, of doc_id" in refusal(qrels=frame)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, "high", [1]])
def test_a_score_that_is_no_finite_number_is_refused(value: Any) -> None:
    said = refusal(ours={"q1": {"b": 1.0, "a": value}})
    assert said == (
        f"run 'ours': query 'q1', document 'a': score {value!r}, expected a finite number"
    )


@pytest.mark.parametrize("value", [0.5, math.nan, math.inf, None, "1", "relevant"])
def test_a_grade_that_is_no_whole_number_is_refused(value: Any) -> None:
    said = refusal(qrels={"q1": {"b": 1, "a": value}})
    assert said == f"qrels: query 'q1', document 'a': grade {value!r}, expected a whole number"


@pytest.mark.parametrize("one", ["a b", " a", "a\n", "a\u00a0b", ""])
def test_an_id_with_white_space_is_refused(one: str) -> None:
    said = f"id {one!r}, expected text without white space"
    assert refusal(qrels={one: {"b": 1}}) == f"qrels: {said}"
    assert refusal(ours={"q1": {one: 1.0}}) == f"run 'ours': {said}"


@pytest.mark.parametrize("one", [1.0, None, True, math.nan])
def test_an_id_that_is_no_text_and_no_whole_number_is_refused(one: Any) -> None:
    said = f"id {one!r}, expected text or a whole number"
    assert refusal(qrels=[(one, "b", 1)]) == f"qrels: {said}"
    assert refusal(base=[("q1", one, 1)]) == f"run 'base': {said}"


def test_ids_that_pandas_turned_into_floats_are_refused() -> None:
    frame = pandas_frame(("qid", "docno", "score"), [("q1", "b", 1.0)])
    frame["qid"] = [303.0]
    assert "run 'ours': id 303.0, expected text or a whole number" in refusal(ours=frame)


@pytest.mark.parametrize("nothing", [{}, [], {"q1": {}}])
def test_what_is_empty_is_refused(nothing: Any) -> None:
    assert refusal(qrels=nothing) == "qrels: empty"
    assert refusal(ours=nothing) == "run 'ours': empty"


def test_what_is_no_triple_is_refused() -> None:
    assert (
        refusal(ours=[("q1", "b")]) == "run 'ours': ('q1', 'b'), expected (query, document, value)"
    )
    assert refusal(ours=[1]) == "run 'ours': 1, expected (query, document, value)"
    assert refusal(qrels={"q1": ["b"]}) == "qrels: query 'q1': expected {document: value}"


def test_a_choice_of_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run; expected at least one"):
        pagecost.score(QRELS, {})
    assert "no run is called 'other'; known: base, ours" in refusal(primary="other")
    assert "no run is called 'other'; known: base, ours" in refusal(searches={"other": 1})
    assert "no query has the relevant documents" in refusal(relevance_level=9)
    with pytest.raises(InputError, match=r"missing\.run: "):
        scored(ours=tmp_path / "missing.run")


def test_judgments_that_contradict_each_other_are_refused() -> None:
    assert "query 'q1', document 'b': grade 0, but 1 in a line above" in refusal(
        qrels=[("q1", "b", 1), ("q1", "b", 0)]
    )


# --- The report -----------------------------------------------------------------------------------


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    monkeypatch.setenv("PAGECOST_CACHE", str(figures_folder(tmp_path_factory)))


@pytest.mark.usefixtures("drawings")
def test_the_report_is_written_and_replaced_and_no_other_folder_is_touched(tmp_path: Path) -> None:
    version = scored()
    written = pagecost.write_report(version, str(tmp_path / "report"))
    assert written == tmp_path / "report" / "index.html"
    page = Page(written.read_text(encoding="utf-8"))
    assert "ours needs as many pages as the baseline" in page.text
    assert "pagecost.write_report(pagecost.score(qrels, runs, …), output)" in page.text
    first = tree(tmp_path / "report")
    assert version.record is not None
    assert first["results.json"] == version.record.results_json
    assert first["ranks.csv"] == version.record.ranks_csv
    assert first["plan.json"] == version.plan_json
    assert all(str(tmp_path).encode() not in data for data in first.values())
    pagecost.write_report(scored(), tmp_path / "report")
    assert tree(tmp_path / "report") == first
    write(tmp_path, "mine/notes.txt", "mine")
    with pytest.raises(InputError, match=r"did not write \(notes\.txt\)"):
        pagecost.write_report(version, tmp_path / "mine")
    assert list(tree(tmp_path / "mine")) == ["notes.txt"]


# --- What is loaded -------------------------------------------------------------------------------


def loaded(code: str) -> set[str]:
    """Which of the heavy modules are there after that code, in a process of its own."""
    asked = "import sys; print(*({'numpy', 'pandas', 'polars', 'altair'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{asked}"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_pagecost_alone_loads_nothing_heavy_and_scoring_no_frames() -> None:
    assert loaded("import pagecost; pagecost.__version__") == set()
    code = "import pagecost; pagecost.score({'q': {'d': 1}}, {'r': {'q': {'d': 1.0}}}, [1])"
    assert loaded(code) == {"numpy"}


def test_what_is_not_there_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'pagecost' has no attribute 'other'"):
        _ = pagecost.other
    assert set(pagecost.__all__) == {"__version__", "score", "write_report"}
