"""Corpus kind `trec`: judgments alone, and the topics that count where a plan names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost.corpora.trec import TrecSource, topics
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import Corpus, TrecCorpus
from pagecost.pinned import Shelf
from tests.builders import Json
from tests.collection_builders import (
    BOM,
    QRELS,
    collection_plan,
    definitions,
    packed,
    pin,
    run_of,
    trec_corpus,
    write,
)

SGML = """\
<top>

<num> Number: 303
<title> Invented topic

<desc> Description:
What stands in no <num of a topic>?
</top>

<TOP>
<NUM>Number:304</NUM>
</TOP>
<top><num> 305 <title>x</top>
<top><num>
number : 306
</top>
"""


def asked(folder: Path, content: str | bytes) -> set[str]:
    return set(topics(write(folder, "topics", content)))


def wrong(folder: Path, content: str | bytes) -> str:
    """The message of the error, without the folder."""
    with pytest.raises(InputError) as error:
        asked(folder, content)
    return str(error.value).replace(str(folder / "topics"), "topics")


def source(folder: Path, corpus: Json) -> TrecSource:
    kind = msgspec.convert(corpus, TrecCorpus)
    return TrecSource(kind, definitions(with_runs=True), Shelf(folder, folder / "cache"))


def loaded(folder: Path, **changes: Any) -> Corpus:
    return source(folder, trec_corpus(folder, **changes)).load()


# --- Topics ---------------------------------------------------------------------------------------


def test_topics_in_trecs_own_layout(tmp_path: Path) -> None:
    assert asked(tmp_path, SGML) == {"303", "304", "305", "306"}
    assert asked(tmp_path, packed(SGML.replace("\n", "\r\n"))) == {"303", "304", "305", "306"}


def test_topics_one_a_line_begin_with_their_id(tmp_path: Path) -> None:
    text = "303\thubble telescope\n304 some words\n\n  305  \n306\n"
    for content in (text, text.replace("\n", "\r\n"), packed(text), BOM + text.encode()):
        assert asked(tmp_path, content) == {"303", "304", "305", "306"}
    assert asked(tmp_path, "MB01\tx\né") == {"MB01", "é"}


@pytest.mark.parametrize(
    "content", ["303\tx\n304\ty\n303\tz\n", "<top><num> 303</top><top><num> Number: 303</top>"]
)
def test_a_topic_that_stands_twice_is_refused(tmp_path: Path, content: str) -> None:
    assert wrong(tmp_path, content) == "topics: topic '303' stands twice"


@pytest.mark.parametrize("content", [b"", b"\n \r\n", BOM, packed(b"")])
def test_a_file_without_a_topic_is_refused(tmp_path: Path, content: bytes) -> None:
    assert wrong(tmp_path, content) == "topics: no topic"


@pytest.mark.parametrize("content", [b"<top>no number</top>", b"<top><num> Number: \n<title> x"])
def test_a_topic_without_a_number_is_refused(tmp_path: Path, content: bytes) -> None:
    assert wrong(tmp_path, content).startswith("topics: topic 1: '': expected an id")


def test_an_id_that_a_file_of_ids_could_not_hold_is_refused(tmp_path: Path) -> None:
    assert wrong(tmp_path, b"q\xff x\n") == "topics: topic 1: an id that is not UTF-8"
    assert "none of them a control character" in wrong(tmp_path, "303\n3\x1b04\n")
    assert "of 1 to 500 characters" in wrong(tmp_path, "3" * 501)


def test_a_file_that_is_too_large_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagecost.corpora.trec._MOST", 8)
    assert asked(tmp_path, "303\n304\n") == {"303", "304"}
    assert wrong(tmp_path, "303\n304 \n") == "topics: larger than 8 bytes"
    assert wrong(tmp_path, packed("303\n304 \n")) == "topics: larger than 8 bytes"


# --- The source -----------------------------------------------------------------------------------


def test_judgments_alone_make_a_corpus_without_documents(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, qrels=QRELS)
    assert [query.id for query in corpus.queries] == ["q1", "q2"]
    assert [document.id for document in corpus.documents] == ["a", "b", "c"]
    assert not corpus.is_complete
    assert (corpus.counts.documents, corpus.counts.queries) == (None, 2)
    assert corpus.runs == {}


def test_the_relevance_level_of_the_plan_decides(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, qrels=QRELS, relevance_level=2)
    assert [query.id for query in corpus.queries] == ["q2"]
    assert corpus.counts.exclusions["no-relevant"] == 1


def test_only_the_topics_of_the_file_count(tmp_path: Path) -> None:
    corpus = loaded(tmp_path, qrels=QRELS, topics=pin(tmp_path, "topics.txt", "q2 x\nq3 y\n"))
    assert [query.id for query in corpus.queries] == ["q2"]
    left_out = corpus.counts.exclusions
    assert (left_out["unjudged"], left_out["not-asked"]) == (1, 1)


@pytest.mark.parametrize("name", ["qrels.txt", "topics.txt"])
def test_wrong_bytes_are_refused_before_anything_is_read_from_them(
    tmp_path: Path, name: str
) -> None:
    corpus = trec_corpus(tmp_path, QRELS, topics=pin(tmp_path, "topics.txt", "q2\n"))
    write(tmp_path, name, "not a judgment and not a topic either\n" * 2)
    made = source(tmp_path, corpus)
    with pytest.raises(InputError, match=f"{name}: sha256 .*, the plan pins "):
        made.load()
    (tmp_path / name).unlink()
    with pytest.raises(CorpusMissing, match=f"^{name}: not at hand"):
        made.load()
    with pytest.raises(CorpusMissing, match=f"^{name}: not at hand"):
        made.fingerprint()


def test_the_fingerprint_changes_with_any_byte_of_either_file(tmp_path: Path) -> None:
    corpus = trec_corpus(tmp_path, QRELS, topics=pin(tmp_path, "topics.txt", "q2\n"))
    made = source(tmp_path, corpus)
    seen = [made.fingerprint()]
    assert made.fingerprint() == seen[0]
    write(tmp_path, "topics.txt", "q1\n")
    seen.append(made.fingerprint())
    write(tmp_path, "qrels.txt", QRELS + "\n")
    seen.append(made.fingerprint())
    seen.append(source(tmp_path, trec_corpus(tmp_path)).fingerprint())
    assert len(set(seen)) == len(seen)


def test_the_fingerprint_does_not_say_where_a_file_lies(tmp_path: Path) -> None:
    corpus = trec_corpus(tmp_path / "one", QRELS)
    trec_corpus(tmp_path / "two", QRELS)
    first = source(tmp_path / "one", corpus).fingerprint()
    assert source(tmp_path / "two", corpus).fingerprint() == first


# --- Its plans ------------------------------------------------------------------------------------


def test_a_policy_that_ranks_documents_itself_is_refused(tmp_path: Path) -> None:
    corpus = trec_corpus(tmp_path, QRELS)
    run = run_of(tmp_path, "x.run", "q1 Q0 a 1 1 t\n")
    bm25 = {"kind": "bm25", "text": "raw"}
    mixed = {"kind": "interleave", "first": "run", "second": bm25}
    collection_plan(corpus, {"run": run, "twice": {**mixed, "second": "run"}})
    for policies in ({"bm25": bm25}, {"run": run, "mixed": mixed}):
        with pytest.raises(InputError, match="a corpus of kind 'trec' has no documents"):
            collection_plan(corpus, policies)
