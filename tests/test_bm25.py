"""BM25 scores, equal to the last bit."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from pagecost import bm25
from pagecost.bm25 import Bm25Index, Postings, WordTable, inverse_document_frequency
from pagecost.ranking import rank_by_counting
from pagecost.text import TextKind, tokens
from tests import oracle

VOCABULARY = (
    *("the", "The", "get", "getName", "HTTPServer", "server", "x²y", "é", "É", "e\u0301"),
    *("name2Of", "zebra", "𐐀", "\uffff", "ｚ", "ΟΔΟΣ", "²", "-"),
)
kinds: st.SearchStrategy[TextKind] = st.sampled_from(("raw", "identifiers"))
queries = st.lists(st.sampled_from((*VOCABULARY, "unknown", "zzz")), max_size=6).map(" ".join)


def index_of(
    texts: list[str], kind: TextKind = "raw", k1: float = 1.2, b: float = 0.75
) -> Bm25Index:
    return Bm25Index(Postings(WordTable(texts), kind), k1, b)


def scores_of(texts: list[str], query: str, kind: TextKind = "raw") -> list[float]:
    scores: list[float] = index_of(texts, kind).scores(tokens(query, kind)).tolist()
    return scores


# --- Equal to the oracle --------------------------------------------------------------------------


@settings(deadline=None, max_examples=250)
@given(
    oracle.corpora(VOCABULARY),
    queries,
    kinds,
    st.sampled_from((0.0, 0.9, 1.2, 2.0)),
    st.sampled_from((0.0, 0.4, 0.75, 1.0)),
)
def test_scores_equal_the_formula_to_the_last_bit(
    texts: list[str], query: str, kind: TextKind, k1: float, b: float
) -> None:
    documents = [oracle.tokens_as(text, kind) for text in texts]
    expected = oracle.bm25_scores(documents, oracle.tokens_as(query, kind), k1, b)
    assert index_of(texts, kind, k1, b).scores(tokens(query, kind)).tolist() == expected


def corpus_of_rare_and_common_terms() -> list[str]:
    """40 documents; `common` in all, `half` in 20, `fifth` in 8, `eighth` in 5, `rare` in 1."""
    return [
        "common " * (1 + i % 3)
        + "half " * (i % 2)
        + "fifth " * (2 if i % 5 == 0 else 0)
        + "eighth " * (i // 8 if i % 8 == 7 else 0)
        + ("rare" if i == 17 else "")
        for i in range(40)
    ]


@pytest.mark.parametrize("room_in_bytes", [0, 8 * 40, 2 * 8 * 40, 1 << 20])
def test_scores_do_not_depend_on_which_terms_are_kept_as_dense_rows(
    room_in_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bm25, "_DENSE_BYTES", room_in_bytes)
    texts = corpus_of_rare_and_common_terms()
    index = index_of(texts)
    documents = [oracle.tokens(text) for text in texts]
    for query in ("common", "rare", "rare eighth fifth half common", "half rare half", "none"):
        expected = oracle.bm25_scores(documents, oracle.tokens(query))
        assert index.scores(tokens(query)).tolist() == expected


def test_a_query_does_not_leave_scores_behind_for_the_next() -> None:
    texts = corpus_of_rare_and_common_terms()
    index = index_of(texts)
    index.scores(["common", "rare", "eighth"])
    documents = [oracle.tokens(text) for text in texts]
    assert index.scores(["fifth"]).tolist() == oracle.bm25_scores(documents, ["fifth"])


# --- What a query's terms are ---------------------------------------------------------------------


def test_a_term_counts_once_however_often_the_query_repeats_it() -> None:
    texts = ["red green", "red", "blue blue"]
    assert scores_of(texts, "red blue red red") == scores_of(texts, "blue red")
    assert scores_of(texts, "red")[0] > 0


def test_unknown_terms_add_nothing() -> None:
    texts = ["red green", "red", ""]
    assert scores_of(texts, "red violet") == scores_of(texts, "red")
    assert scores_of(texts, "violet indigo") == [0.0, 0.0, 0.0]


def test_a_query_without_a_token_scores_zero_everywhere() -> None:
    assert scores_of(["red", "green"], "-- ² !") == [0.0, 0.0]


@pytest.mark.parametrize("kind", ["raw", "identifiers"])
@pytest.mark.parametrize("texts", [[""], ["", "", ""], ["--", "²", "\u0301"]])
def test_a_corpus_without_a_token_scores_zero_everywhere(texts: list[str], kind: TextKind) -> None:
    assert scores_of(texts, "red", kind) == [0.0] * len(texts)


def test_empty_documents_count_for_the_mean_length_and_score_zero() -> None:
    with_empty = scores_of(["red red green", "", ""], "red")
    assert with_empty[1:] == [0.0, 0.0]
    assert with_empty == oracle.bm25_scores([["red", "red", "green"], [], []], ["red"])
    assert with_empty[0] != scores_of(["red red green", "blue", "blue"], "red")[0]


def test_a_term_in_every_document_still_counts() -> None:
    """This idf is never negative, so that a match never scores below none."""
    assert all(score > 0 for score in scores_of(["red", "red green", "red red"], "red"))
    assert inverse_document_frequency(1, 1) > 0
    assert inverse_document_frequency(10**7, 10**7) > 0


def test_identifier_terms_are_counted_across_words_that_share_them() -> None:
    texts = ["getName name", "get Name NAME", "getname"]
    first, second, third = scores_of(texts, "name", "identifiers")
    assert first == second > 0
    assert third == 0.0


def test_terms_stand_in_bytewise_order() -> None:
    """UTF-16 order would put U+FFFF-like characters behind the supplementary planes."""
    postings = Postings(WordTable(["𐐨 ｚ z É a1 A"]), "raw")
    assert postings.terms == sorted(postings.terms, key=lambda term: term.encode("utf-8"))
    assert postings.terms == ["a", "a1", "z", "é", "ｚ", "𐐨"]


def test_postings_name_each_document_once_in_ascending_order() -> None:
    postings = Postings(WordTable(["b aB", "", "B b ab b"]), "identifiers")
    by_term = {
        term: list(
            zip(
                postings.documents[start:end].tolist(),
                postings.frequencies[start:end].tolist(),
                strict=True,
            )
        )
        for term, start, end in zip(
            postings.terms, postings.offsets[:-1], postings.offsets[1:], strict=True
        )
    }
    assert by_term == {"a": [(0, 1)], "ab": [(2, 1)], "b": [(0, 2), (2, 3)]}
    assert postings.lengths.tolist() == [3, 0, 4]


# --- A last bit decides a rank --------------------------------------------------------------------


def documents_with(*frequencies: tuple[int, int, int]) -> list[str]:
    """Documents that hold a, b and c so often, and an empty one."""
    return [*("a " * a + "b " * b + "c " * c for a, b, c in frequencies), ""]


def weight(tf: int, length: int, average: float, idf: float) -> float:
    norm = 1.2 * ((1 - 0.75) + (0.75 * length) / average)
    return ((idf * tf) * (1.2 + 1)) / (tf + norm)


def test_terms_are_added_in_bytewise_order_where_another_order_would_move_a_rank() -> None:
    texts = documents_with((1, 2, 3), (3, 2, 1))
    idf = inverse_document_frequency(3, 2)
    one, two, three = (weight(tf, 6, 4.0, idf) for tf in (1, 2, 3))
    assert (one + two) + three > (three + two) + one  # equal to a mathematician
    for query in ("a b c", "c b a", "b c a"):
        scores = index_of(texts).scores(tokens(query))
        assert scores[0] == (one + two) + three
        assert scores[1] == (three + two) + one
        assert rank_by_counting(scores, 1) == 2
    # In the order c, b, a the second document would stand first.


def test_the_formula_is_grouped_as_stated_where_another_grouping_would_move_a_rank() -> None:
    texts = documents_with((1, 2, 7), (2, 7, 1))
    idf = inverse_document_frequency(3, 2)
    norm = 1.2 * ((1 - 0.75) + (0.75 * 10) / (20 / 3))

    def regrouped(*frequencies: int) -> float:
        score = 0.0
        for tf in frequencies:
            score += idf * (tf * (1.2 + 1) / (tf + norm))
        return score

    assert regrouped(1, 2, 7) == regrouped(2, 7, 1)  # a tie: document order would decide
    scores = index_of(texts).scores(["a", "b", "c"])
    assert scores[1] > scores[0]
    assert rank_by_counting(scores, 1) == 1


# --- Against a library ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(oracle.corpora(VOCABULARY), queries)
def test_scores_agree_with_rank_bm25_once_it_has_our_idf(texts: list[str], query: str) -> None:
    documents = [tokens(text) for text in texts]
    if not any(documents):
        documents[0], texts[0] = ["the"], "the"
    library = BM25Okapi(documents, k1=1.2, b=0.75)
    frequency = Counter(term for document in documents for term in set(document))
    library.idf = {
        term: math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        for term, df in frequency.items()
    }
    terms = sorted(set(tokens(query)))
    expected = np.asarray(library.get_scores(terms))
    # Its operations are grouped otherwise, so the last bits may differ.
    assert scores_of(texts, query) == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-12)
