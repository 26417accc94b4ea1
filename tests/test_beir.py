"""Corpus kind `beir`: documents, queries and judgments, each in a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost.corpora.beir import BeirSource, entries
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import BeirCorpus, Corpus
from pagecost.pinned import Shelf
from tests.builders import Json
from tests.collection_builders import (
    BOM,
    beir_corpus,
    collection_plan,
    definitions,
    jsonl,
    packed,
    score,
    write,
)

DOCUMENTS: list[Json] = [
    {"_id": "d2", "title": "Knots", "text": "tie a rope", "metadata": {"url": "x", "n": [1]}},
    {"_id": "d1", "title": "", "text": "a sail"},
    {"_id": "d3", "title": None, "text": "an anchor"},
    {"_id": "d4", "text": "a keel"},
]
QUERIES: list[Json] = [
    {"_id": "q1", "text": "rope", "metadata": {}},
    {"_id": "q2", "text": "anchor", "title": "not used"},
    {"_id": "q3", "text": "mast"},
]
QRELS = "query-id\tcorpus-id\tscore\nq2\td3\t1\nq1\td2\t2\nq1\td1\t0\n"
FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")


def collection(folder: Path, **changes: Any) -> Json:
    given: dict[str, Any] = {
        "documents": jsonl(DOCUMENTS),
        "queries": jsonl(QUERIES),
        "qrels": QRELS,
    }
    return beir_corpus(folder, **(given | changes))


def source(folder: Path, corpus: Json) -> BeirSource:
    kind = msgspec.convert(corpus, BeirCorpus)
    return BeirSource(kind, definitions(), Shelf(folder, folder / "cache"))


def loaded(folder: Path, **changes: Any) -> Corpus:
    return source(folder, collection(folder, **changes)).load()


def wrong(folder: Path, **changes: Any) -> str:
    """The message of the error, without the folder."""
    with pytest.raises(InputError) as error:
        loaded(folder, **changes)
    return str(error.value).replace(f"{folder}/", "")


def texts(corpus: Corpus) -> dict[str, str]:
    return {document.id: document.text for document in corpus.documents}


# --- What is read ---------------------------------------------------------------------------------


def test_the_three_files_make_a_complete_corpus(tmp_path: Path) -> None:
    corpus = loaded(tmp_path)
    assert corpus.is_complete
    assert [document.id for document in corpus.documents] == ["d1", "d2", "d3", "d4"]
    assert [(query.id, query.text, query.relevant, query.judged) for query in corpus.queries] == [
        ("q1", "rope", (1,), (0, 1)),
        ("q2", "anchor", (2,), (2,)),
    ]
    assert (corpus.counts.documents, corpus.counts.queries) == (4, 2)
    assert corpus.counts.exclusions["unjudged"] == 1


def test_title_and_text_are_joined_by_a_space_where_there_is_a_title(tmp_path: Path) -> None:
    assert texts(loaded(tmp_path)) == {
        "d1": "a sail",
        "d2": "Knots tie a rope",
        "d3": "an anchor",
        "d4": "a keel",
    }


def test_text_alone_is_taken_where_the_plan_says_so(tmp_path: Path) -> None:
    assert texts(loaded(tmp_path, document_text="text"))["d2"] == "tie a rope"


def test_what_else_stands_in_a_line_changes_nothing(tmp_path: Path) -> None:
    bare = [
        {name: value for name, value in entry.items() if name in ("_id", "title", "text")}
        for entry in DOCUMENTS
    ]
    assert loaded(tmp_path, documents=jsonl(bare)) == loaded(tmp_path)


def test_a_query_is_its_text_whatever_its_title(tmp_path: Path) -> None:
    assert loaded(tmp_path).queries[1].text == "anchor"


def test_each_file_may_be_gzip_or_have_a_byte_order_mark_crlf_and_blank_lines(
    tmp_path: Path,
) -> None:
    expected = loaded(tmp_path)
    plain: Json = {"documents": jsonl(DOCUMENTS), "queries": jsonl(QUERIES), "qrels": QRELS}
    for name, content in plain.items():
        assert loaded(tmp_path, **{name: packed(content)}) == expected
        for other in (
            BOM + content.encode(),
            content.replace("\n", "\r\n"),
            content + "\n \n",
            content.rstrip("\n"),
        ):
            found = loaded(tmp_path, **{name: other})
            assert (found.documents, found.queries) == (expected.documents, expected.queries)


def test_text_may_hold_any_character_that_json_can(tmp_path: Path) -> None:
    text = "é \u2028 \x00 \U0001f600\nline"
    entry = {"_id": "d2", "text": text}
    written = jsonl([*DOCUMENTS[1:], entry])
    assert texts(loaded(tmp_path, documents=written))["d2"] == text


def test_the_relevance_level_of_the_plan_decides(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, relevance_level=2)
    assert [query.id for query in corpus.queries] == ["q1"]
    assert corpus.counts.exclusions["no-relevant"] == 1


def test_an_empty_text_is_a_document_like_any_other(tmp_path: Path) -> None:
    documents = {"d1": "", "d2": "rope", "d3": "anchor"}
    assert texts(loaded(tmp_path, documents=documents)) == documents


# --- What is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{", "line 2: "),
        ("[]", "line 2: "),
        ('\ufeff{"_id": "x", "text": "y"}', "line 2: "),
        ("null", "line 2: "),
        ('{"_id": "x"}', "line 2: Object missing required field `text`"),
        ('{"text": "x"}', "line 2: Object missing required field `_id`"),
        ('{"_id": 1, "text": "x"}', "line 2: Expected `str`, got `int`"),
        ('{"_id": "x", "text": null}', "line 2: Expected `str`, got `null`"),
        ('{"_id": "x", "text": "y"} {}', "line 2: "),
        ('{"_id": "", "text": "x"}', "line 2: '': expected an id of 1 to 500 characters"),
        ('{"_id": "a\\u0007", "text": "x"}', "none of them a control character"),
        ('{"_id": "a\\nb", "text": "x"}', "none of them a control character"),
        ('{"_id": "' + "x" * 501 + '", "text": "x"}', "expected an id of 1 to 500 characters"),
        ('{"_id": "x", "text": "\\ud800"}', "line 2: "),
        ('{"_id": "x", "text": "y", "metadata": ' + "[" * 10_000, "line 2: "),
    ],
)
def test_a_line_that_is_no_such_object_is_named(tmp_path: Path, line: str, expected: str) -> None:
    good = jsonl(DOCUMENTS[:1])
    for name, file in (("documents", "corpus.jsonl"), ("queries", "queries.jsonl")):
        message = wrong(tmp_path, **{name: f"{good}{line}\n{good}"})
        assert message.startswith(f"{file}: line 2: ")
        assert expected in message


def test_bytes_that_are_not_utf_8_name_their_line(tmp_path: Path) -> None:
    message = wrong(tmp_path, documents=b'\n\n{"_id": "x", "text": "\xff"}\n')
    assert message.startswith("corpus.jsonl: line 3: ")


def test_an_id_that_stands_twice_is_refused(tmp_path: Path) -> None:
    message = wrong(tmp_path, documents=jsonl([*DOCUMENTS, DOCUMENTS[0]]))
    assert message == "corpus.jsonl: line 5: id 'd2' stands in a line above"
    message = wrong(tmp_path, queries=jsonl([*QUERIES, QUERIES[2]]))
    assert message.startswith("queries.jsonl: line ")
    assert message.endswith(": id 'q3' stands in a line above")


def test_a_judged_query_without_a_text_is_refused(tmp_path: Path) -> None:
    message = wrong(tmp_path, queries=jsonl(QUERIES[1:]))
    assert message.endswith("query 'q1' is judged, but has no text")


def test_a_judged_document_that_is_missing_is_left_out_and_counted(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, qrels=QRELS + "q1\td9\t1\nq3\td9\t1\n")
    assert [(query.id, query.relevant) for query in corpus.queries] == [("q1", (1,)), ("q2", (2,))]
    assert corpus.counts.judgments is not None
    assert corpus.counts.judgments.missing_documents == 2
    assert corpus.counts.exclusions["no-relevant"] == 1


def test_a_bad_judgment_names_its_file_and_line(tmp_path: Path) -> None:
    assert wrong(tmp_path, qrels=QRELS + "q1 d2 1\n").startswith(
        "qrels/test.tsv: line 5: expected 3 fields, found 1"
    )


def test_a_file_of_blank_lines_has_no_entry(tmp_path: Path) -> None:
    assert list(entries(write(tmp_path, "x.jsonl", "\n\r\n"))) == []
    assert "no query has the relevant documents" in wrong(tmp_path, documents="\n")


# --- The source -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_wrong_bytes_are_refused_and_missing_files_named(tmp_path: Path, name: str) -> None:
    made = source(tmp_path, collection(tmp_path))
    path = tmp_path / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InputError, match=f"{name}: sha256 .*, the plan pins "):
        made.load()
    path.unlink()
    for ask in (made.load, made.fingerprint):
        with pytest.raises(CorpusMissing, match=f"^{name}: not at hand"):
            ask()


@pytest.mark.parametrize("name", FILES)
def test_the_fingerprint_changes_with_any_byte_of_each_file(tmp_path: Path, name: str) -> None:
    made = source(tmp_path, collection(tmp_path))
    before = made.fingerprint()
    assert made.fingerprint() == before
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    assert made.fingerprint() != before


def test_the_words_of_a_title_are_searched(tmp_path: Path) -> None:
    bm25 = {"kind": "bm25", "text": "raw"}
    queries = {"q1": "knots", "q2": "anchor"}
    for how, rank in (("title and text", 1), ("text", 2)):
        made = collection(tmp_path, queries=queries, document_text=how)
        scored = score(collection_plan(made, {"bm25": bm25}), tmp_path)
        assert scored.ranks("bm25") == {"q1": rank, "q2": 1}
        assert [row.target_path for row in scored.table.rows] == ["d2", "d3"]


def test_a_document_without_end_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "corpus.jsonl").open("wb") as file:
        file.write(b'{"_id": "')
        file.truncate(file.tell() + (65 << 20))  # sparse: nothing is written
    with pytest.raises(InputError, match=r"corpus\.jsonl: line \d+: longer than 67,108,864 bytes"):
        list(entries(tmp_path / "corpus.jsonl"))
