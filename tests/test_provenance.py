"""Where raw data comes from and what reading it took: every repair that a plan pins, no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost import pinning
from pagecost import plan as plans
from pagecost.corpora import source_of
from pagecost.jsonio import canonical
from pagecost.model import JudgmentPins, Plan, RunPins
from pagecost.report import provenance
from tests.builders import Json, archives_plan, distributions_plan, sha256
from tests.collection_builders import (
    BOM,
    QRELS,
    RUN,
    beir_corpus,
    collection_json,
    run_of,
    trec_corpus,
)

RUN_REPAIRS = {
    "missing_topics": ("1 judged query missing", "2 judged queries missing"),
    "unjudged_topics": ("1 topic left out: unjudged, or", "2 topics left out: unjudged, or"),
    "repeated": ("1 line dropped: the document", "2 lines dropped: the document"),
    "tied": ("1 document placed by the tie rule", "2 documents placed by the tie rule"),
    "rank_contradicts": ("1 topic whose rank column", "2 topics whose rank column"),
    "ranks_unreadable": ("1 line whose rank is", "2 lines whose rank is"),
    "scattered": ("1 topic whose lines", "2 topics whose lines"),
    "extra_fields": ("1 line with more than six", "2 lines with more than six"),
    "carriage_returns": ("1 line ending in CRLF", "2 lines ending in CRLF"),
    "blank": ("1 blank line skipped", "2 blank lines skipped"),
    "byte_order_mark": ("1 byte-order mark skipped", "2 byte-order marks skipped"),
}
JUDGMENT_REPAIRS = {
    "missing_documents": ("1 judgment left out: no such", "2 judgments left out: no such"),
    "repeated": ("1 line dropped: the same", "2 lines dropped: the same"),
    "negative": ("1 judgment below 0", "2 judgments below 0"),
    "carriage_returns": ("1 line ending in CRLF", "2 lines ending in CRLF"),
    "blank": ("1 blank line skipped", "2 blank lines skipped"),
    "byte_order_mark": ("1 byte-order mark skipped", "2 byte-order marks skipped"),
}
HELD: Json = {"lines": 9, "topics": 2, "deepest": 5, "shallowest": 3}
JUDGED: Json = {"judgments": 9, "relevant": 4}


def draft(folder: Path, run: str | bytes = RUN, qrels: str | bytes = QRELS, **changes: Any) -> Json:
    return collection_json(
        trec_corpus(folder, qrels), {"run": run_of(folder, "x.run", run, **changes)}
    )


def read(made: Json) -> Plan:
    return plans.parse(canonical(made), "plan.json")


def pinned(folder: Path, made: Json) -> Plan:
    """The plan with what its files hold."""
    plan = read(made)
    source = source_of(plan, folder, folder / "cache")
    return read(pinning.written(made, pinning.found(plan, source, source.load())))


def with_pins(made: Json, of_run: Json, of_judgments: Json) -> Plan:
    """The plan with those pins, whatever its files hold."""
    made["policies"][0]["ranking"]["pins"] = of_run
    made["corpus"]["pins"] = {
        "documents": None, "queries": 2, "membership": None, "query_hash": "0" * 64,
        "repositories": [], "strata": {}, "exclusions": {}, "judgments": of_judgments,
    }  # fmt: skip
    return read(made)


def judged(plan: Plan) -> str:
    said = provenance.judged(plan)
    assert said is not None
    return said


# --- Runs -----------------------------------------------------------------------------------------


def test_every_repair_that_can_be_pinned_has_its_words() -> None:
    counted = {one.name for one in msgspec.structs.fields(RunPins) if not one.required}
    assert counted == {*RUN_REPAIRS, "unjudged_lines"}  # the lines of the topics left out
    counted = {one.name for one in msgspec.structs.fields(JudgmentPins) if not one.required}
    assert counted == set(JUDGMENT_REPAIRS)


@pytest.mark.parametrize("name", RUN_REPAIRS)
@pytest.mark.parametrize("count", [1, 2])
def test_a_repair_of_a_run_is_said_alone(tmp_path: Path, name: str, count: int) -> None:
    plan = with_pins(draft(tmp_path), HELD | {name: count}, JUDGED)
    (note,) = provenance.run_notes(plan)
    (said,) = note.repairs
    assert said.startswith(RUN_REPAIRS[name][count - 1])


def test_all_repairs_of_a_run_are_said_together(tmp_path: Path) -> None:
    counts = {name: 1000 * place for place, name in enumerate(RUN_REPAIRS, start=1)}
    (note,) = provenance.run_notes(with_pins(draft(tmp_path), HELD | counts, JUDGED))
    found = [re.match(r"[\d,]+", said) for said in note.repairs]
    assert [one[0] for one in found if one] == [f"{count:,}" for count in counts.values()]


def test_a_run_that_needed_none_says_none(tmp_path: Path) -> None:
    clean = "q1 Q0 b 1 1 t\nq2 Q0 c 1 1 t\n"
    (note,) = provenance.run_notes(pinned(tmp_path, draft(tmp_path, clean)))
    assert note.repairs == ()
    assert note.held.startswith("2 lines, 2 judged queries, 1 document")


def test_what_a_run_holds_is_said(tmp_path: Path) -> None:
    made = draft(tmp_path, searches=1, ties="rank-column")
    (note,) = provenance.run_notes(pinned(tmp_path, made))
    assert (note.path, note.sha256) == ("x.run", sha256(RUN.encode()))
    assert note.held == "3 lines, 2 judged queries, 1 to 2 documents delivered for a query"
    assert note.order == "by its rank column, whatever the scores"
    assert note.searches == "1 search a page, by its author's word"
    (note,) = provenance.run_notes(read(draft(tmp_path, searches=1000)))
    assert note.searches == "1,000 searches a page, by its author's word"
    assert note.held == "its content is not pinned yet"
    (note,) = provenance.run_notes(read(draft(tmp_path)))
    assert note.searches == "not given"
    assert note.order.startswith("by score, ties by document id descending")


def test_what_was_found_in_a_real_file_is_what_is_said(tmp_path: Path) -> None:
    run = BOM + (
        b"q1 Q0 a 2 1 t\r\n\nq1 Q0 b 1 1 t more\nq9 Q0 a 1 1 t\nq1 Q0 a 3 0 t\nq8 Q0 a 1 1 t\n"
        b"q1 Q0 c x 0.5 t\n"
    )
    (note,) = provenance.run_notes(pinned(tmp_path, draft(tmp_path, run)))
    assert note.held == "6 lines, 1 judged query, 0 to 3 documents delivered for a query"
    assert [said.partition(" ")[0] for said in note.repairs] == [
        "1",  # missing: q2
        "2",  # left out: q8 and q9
        "1",  # the second a
        "2",  # a and b
        "1",  # rank x
        "1",  # q1 is scattered
        "1",  # six fields and more
        "1",  # CRLF
        "1",  # blank
        "1",  # byte-order mark
    ]
    names = [name for name in RUN_REPAIRS if name != "rank_contradicts"]
    for said, name in zip(note.repairs, names, strict=True):
        assert said.startswith(RUN_REPAIRS[name]), name


def test_a_run_that_several_policies_use_is_noted_once(tmp_path: Path) -> None:
    run = run_of(tmp_path, "x.run", RUN)
    other = run_of(tmp_path, "y.run", RUN + "\n")
    mixed = {"kind": "interleave", "first": run, "second": other}
    made = collection_json(trec_corpus(tmp_path, QRELS), {"mixed": mixed, "run": run, "y": other})
    assert [note.path for note in provenance.run_notes(read(made))] == ["x.run", "y.run"]
    assert provenance.run_notes(read(archives_plan())) == []


# --- Judgments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", JUDGMENT_REPAIRS)
@pytest.mark.parametrize("count", [1, 2])
def test_a_repair_of_judgments_is_said_alone(tmp_path: Path, name: str, count: int) -> None:
    plan = with_pins(draft(tmp_path), HELD, JUDGED | {name: count})
    _, said = judged(plan).split("; ")
    assert said.startswith(JUDGMENT_REPAIRS[name][count - 1])


def test_what_judgments_hold_is_said(tmp_path: Path) -> None:
    made = draft(tmp_path, qrels=BOM + b"q1 0 b 2\r\nq1 0 a -1\n\nq1 0 b 2\nq2 0 c 1\n")
    made["corpus"]["relevance_level"] = 2
    said = judged(pinned(tmp_path, made))
    assert said == (
        "3 judgments, 1 of a document that is relevant (grade 2 or more); 1 line dropped: the same "
        "judgment stands before; 1 judgment below 0, read as not relevant; 1 line ending in CRLF; "
        "1 blank line skipped; 1 byte-order mark skipped."
    )
    plan = with_pins(draft(tmp_path), HELD, {"judgments": 1, "relevant": 1})
    assert judged(plan) == "1 judgment, 1 of a document that is relevant (grade 1 or more)."


def test_without_judgments_nothing_is_said_of_them(tmp_path: Path) -> None:
    assert provenance.judged(read(archives_plan())) is None
    assert provenance.judged(read(draft(tmp_path))) is None


# --- What is left out, and sources ----------------------------------------------------------------


def test_what_does_not_count_is_said_by_reason(tmp_path: Path) -> None:
    qrels = QRELS + "q3 0 a 0\nq4 0 a 1\nq4 0 b 1\n"
    made = draft(tmp_path, qrels=qrels)
    made["definitions"]["target"] = "2 relevant documents"
    plan = pinned(tmp_path, made)
    assert provenance.left_out(plan) == (
        "1 query without a relevant document, "
        "2 queries with fewer relevant documents than are looked for"
    )
    assert provenance.left_out(pinned(tmp_path, draft(tmp_path))) == "no query"
    assert provenance.left_out(read(draft(tmp_path))) is None
    said = provenance.left_out(read(archives_plan()))
    assert said is not None
    assert re.fullmatch(r"[a-z-]+ [\d,]+(, [a-z-]+ [\d,]+)*", said)


def test_runs_are_no_sources_of_the_corpus(tmp_path: Path) -> None:
    made = draft(tmp_path)
    made["corpus"] |= {"url": "https://example.invalid/q", "licence_name": "MIT"}
    (source,) = provenance.sources(read(made))
    assert source == provenance.Source(
        "Invented", "https://example.invalid/q", "qrels.txt", sha256(QRELS.encode()), "MIT"
    )
    corpus = beir_corpus(tmp_path, {"a": "tide"}, {"q": "tide"}, "q\ta\t1\n")
    several = provenance.sources(
        read(collection_json(corpus, {"bm25": {"kind": "bm25", "text": "raw"}}))
    )
    assert [one.pinned for one in several] == ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"]


@pytest.mark.usefixtures("tiny_distribution")
def test_archives_and_distributions_are_sources_by_their_pins() -> None:
    found = provenance.sources(read(archives_plan()))
    assert [(one.name, one.pinned) for one in found] == [
        ("example/alpha", "a" * 12), ("example/beta", "b" * 12),
    ]  # fmt: skip
    assert found[0].url == f"https://github.com/example/alpha/tree/{'a' * 40}"
    (knots,) = provenance.sources(read(distributions_plan()))
    assert (knots.name, knots.pinned) == ("knots", "1.0")
    assert knots.sha256 is not None
