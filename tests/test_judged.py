"""From judgments to a corpus: what is relevant, what is judged, and which queries are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

import pytest

from pagecost.corpora.judged import REASONS, build
from pagecost.errors import InputError
from pagecost.model import Corpus, JudgmentPins
from pagecost.qrels import Judgments
from tests.builders import sha256
from tests.collection_builders import definitions

ALL = "all relevant documents"
GRADES = {
    "q2": {"d3": 1, "d1": 0, "d2": 3},
    "q1": {"d2": 2, "d9": 1},
    "q3": {"d1": 0, "d2": -1},
    "q4": {"d9": 5},
}
DOCUMENTS = {"d3": "three", "d1": "one", "d2": "two", "d4": "four"}
TEXTS = {"q1": "first", "q2": "second", "q3": "third", "q4": "fourth", "q5": "fifth"}


def built(
    grades: Mapping[str, Mapping[str, int]] = GRADES,
    documents: Mapping[str, str] | None = DOCUMENTS,
    texts: Mapping[str, str] | None = TEXTS,
    target: str = "first relevant document",
    level: int = 1,
    asked: Collection[str] | None = None,
) -> Corpus:
    judgments = Judgments({query: dict(of) for query, of in grades.items()}, Counter())
    given: Any = documents if documents is None else documents.items()
    return build(
        judgments,
        definitions(target),
        level,
        documents=given,
        texts=texts,
        asked=asked,
        where="here",
    )


def refusal(**changes: Any) -> str:
    with pytest.raises(InputError) as error:
        built(**changes)
    return str(error.value)


def relevant(corpus: Corpus) -> dict[str, list[str]]:
    """By query, the ids of what is relevant to it."""
    return {
        query.id: [corpus.documents[place].id for place in query.relevant]
        for query in corpus.queries
    }


def exclusions(corpus: Corpus) -> dict[str, int]:
    return {reason: count for reason, count in corpus.counts.exclusions.items() if count}


def ids_hash(*ids: str) -> str:
    return sha256("".join(f"{one}\n" for one in ids).encode())


# --- Documents and queries ------------------------------------------------------------------------


def test_documents_and_queries_stand_in_ascending_order_of_id() -> None:
    corpus = built()
    assert [(one.id, one.text) for one in corpus.documents] == sorted(DOCUMENTS.items())
    assert {(one.repository, one.name, one.line) for one in corpus.documents} == {("", "", 0)}
    assert [one.path for one in corpus.documents] == sorted(DOCUMENTS)
    assert [(query.id, query.text) for query in corpus.queries] == [
        ("q1", "first"),
        ("q2", "second"),
    ]
    assert {(one.repository, one.stratum) for one in corpus.queries} == {("", "")}
    assert corpus.is_complete


def test_ids_are_ordered_as_text_not_as_numbers() -> None:
    corpus = built({"10": {"9": 1}, "9": {"é": 1}, "1": {"10": 1}}, None, None)
    assert [query.id for query in corpus.queries] == ["1", "10", "9"]
    assert [document.id for document in corpus.documents] == ["10", "9", "é"]


def test_relevant_and_judged_are_positions_ascending() -> None:
    corpus = built()
    assert relevant(corpus) == {"q1": ["d2"], "q2": ["d2", "d3"]}
    assert [query.relevant for query in corpus.queries] == [(1,), (1, 2)]
    assert [query.judged for query in corpus.queries] == [(1,), (0, 1, 2)]


def test_without_documents_they_are_those_that_anybody_judged() -> None:
    corpus = built(documents=None, texts=None)
    assert [one.id for one in corpus.documents] == ["d1", "d2", "d3", "d9"]
    assert {document.text for document in corpus.documents} == {""}
    assert {query.text for query in corpus.queries} == {""}
    assert not corpus.is_complete
    assert (corpus.counts.documents, corpus.counts.membership) == (None, None)
    assert relevant(corpus) == {"q1": ["d2", "d9"], "q2": ["d2", "d3"], "q4": ["d9"]}


def test_the_counts_are_hashed_over_ids_in_order() -> None:
    counts = built().counts
    assert (counts.documents, counts.queries) == (4, 2)
    assert counts.membership == ids_hash("d1", "d2", "d3", "d4")
    assert counts.query_hash == ids_hash("q1", "q2")
    assert (counts.repositories, counts.strata) == ([], {})


def test_judgments_and_those_relevant_are_counted_over_all_queries_left_out_or_not() -> None:
    assert built().counts.judgments == JudgmentPins(judgments=8, relevant=3, missing_documents=2)
    assert built(documents=None).counts.judgments == JudgmentPins(judgments=8, relevant=5)


def test_the_repairs_of_the_judgments_are_passed_on() -> None:
    made = Counter(repeated=1, negative=2, carriage_returns=3, blank=4, byte_order_mark=1)
    judgments = Judgments({"q": {"d": 1}}, made)
    counts = build(judgments, definitions(), where="here").counts
    assert counts.judgments == JudgmentPins(
        judgments=1,
        relevant=1,
        repeated=1,
        negative=2,
        carriage_returns=3,
        blank=4,
        byte_order_mark=1,
    )
    assert made == Counter(repeated=1, negative=2, carriage_returns=3, blank=4, byte_order_mark=1)


# --- What is relevant -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "expected", "left_out"),
    [
        (1, {"q": ["a", "b", "c"], "r": ["a"]}, {}),
        (2, {"q": ["b", "c"]}, {"no-relevant": 1}),
        (3, {"q": ["c"]}, {"no-relevant": 1}),
    ],
)
def test_a_grade_at_or_above_the_level_is_relevant(
    level: int, expected: dict[str, list[str]], left_out: dict[str, int]
) -> None:
    grades = {"q": {"a": 1, "b": 2, "c": 3, "d": 0, "e": -1}, "r": {"a": 1}}
    corpus = built(grades, None, None, level=level)
    assert relevant(corpus) == expected
    assert exclusions(corpus) == left_out
    assert corpus.queries[0].judged == (0, 1, 2, 3, 4)
    assert corpus.counts.judgments is not None
    assert corpus.counts.judgments.relevant == sum(
        grade >= level for of in grades.values() for grade in of.values()
    )


def test_a_judged_document_that_the_corpus_lacks_is_neither_relevant_nor_judged() -> None:
    corpus = built({"q": {"d9": 1, "d1": 1, "d8": 0}}, texts=None)
    (query,) = corpus.queries
    assert (query.relevant, query.judged) == ((0,), (0,))
    assert corpus.counts.judgments == JudgmentPins(judgments=3, relevant=1, missing_documents=2)


@pytest.mark.parametrize(
    ("target", "expected", "left_out"),
    [
        ("first relevant document", ["q1", "q2", "q3"], {"no-relevant": 1}),
        ("2 relevant documents", ["q2", "q3"], {"no-relevant": 1, "too-few-relevant": 1}),
        ("3 relevant documents", ["q3"], {"no-relevant": 1, "too-few-relevant": 2}),
        (ALL, ["q1", "q2", "q3"], {"no-relevant": 1}),
    ],
)
def test_a_query_without_as_many_relevant_documents_as_are_looked_for_is_left_out(
    target: str, expected: list[str], left_out: dict[str, int]
) -> None:
    grades = {
        "q0": {"a": 0},
        "q1": {"a": 1, "b": 0},
        "q2": {"a": 1, "b": 1},
        "q3": {"a": 1, "b": 1, "c": 1},
    }
    corpus = built(grades, None, None, target)
    assert [query.id for query in corpus.queries] == expected
    assert exclusions(corpus) == left_out
    assert corpus.counts.query_hash == ids_hash(*expected)


def test_a_missing_document_counts_for_too_few() -> None:
    grades = {"q": {"d1": 1, "d9": 1}, "r": {"d1": 1, "d2": 1}}
    corpus = built(grades, texts=None, target="2 relevant documents")
    assert [query.id for query in corpus.queries] == ["r"]
    assert exclusions(corpus) == {"too-few-relevant": 1}
    assert relevant(built(grades, texts=None, target=ALL)) == {"q": ["d1"], "r": ["d1", "d2"]}


# --- What is left out -----------------------------------------------------------------------------


def test_reasons_stand_in_the_order_of_checking_and_none_is_left_away() -> None:
    assert list(built().counts.exclusions.items()) == [
        ("unjudged", 1),
        ("not-asked", 0),
        ("no-relevant", 2),
        ("too-few-relevant", 0),
    ]
    assert list(REASONS) == list(built(documents=None, texts=None).counts.exclusions)


def test_a_judged_query_without_a_text_is_refused() -> None:
    texts = {name: text for name, text in TEXTS.items() if name != "q3"}
    assert refusal(texts=texts) == "here: query 'q3' is judged, but has no text"
    assert refusal(texts={}) == "here: query 'q1' is judged, but has no text"


def test_only_topics_that_were_asked_count() -> None:
    corpus = built(documents=None, texts=None, asked={"q1", "q3", "q7", "q8"})
    assert [query.id for query in corpus.queries] == ["q1"]
    assert exclusions(corpus) == {"unjudged": 2, "not-asked": 2, "no-relevant": 1}
    assert corpus.counts.judgments is not None
    assert corpus.counts.judgments.judgments == 8


def test_a_topic_both_asked_and_with_a_text_is_unjudged_once() -> None:
    corpus = built(asked={"q1", "q5", "q6"})
    assert exclusions(corpus) == {"unjudged": 2, "not-asked": 3}


def test_a_topic_that_was_not_asked_is_counted_so_whatever_else_it_lacks() -> None:
    grades = {"q": {"a": 1}, "r": {"a": 0}, "s": {"a": 1}}
    assert exclusions(built(grades, None, None, asked=["q"])) == {"not-asked": 2}


@pytest.mark.parametrize(
    "changes",
    [
        {"grades": {"q1": {"d1": 0}}},
        {"level": 6},
        {"target": "4 relevant documents"},
        {"asked": ["q3"]},
        {"asked": []},
        {"documents": {"d5": "five"}},
        {"documents": {}},
    ],
)
def test_a_collection_of_which_no_query_is_left_is_refused(changes: dict[str, Any]) -> None:
    expected = "here: no query has the relevant documents that are looked for"
    assert refusal(**changes) == expected


def test_a_document_id_that_stands_twice_is_refused() -> None:
    judgments = Judgments({"q": {"a": 1}}, Counter())
    documents = [("b", "x"), ("a", "y"), ("b", "x"), ("c", "z")]
    with pytest.raises(InputError, match=r"^here: document id 'b' stands twice$"):
        build(judgments, definitions(), documents=documents, where="here")
