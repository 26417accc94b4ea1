"""From a plan's policies to orders, and what a page of each costs in searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from pagecost import policies as policies_module
from pagecost.bm25 import Bm25Index, FloatArray, Postings, WordTable
from pagecost.errors import InputError
from pagecost.model import Bm25, Deferred, Interleave, Model, Policy, Ranking
from pagecost.policies import Ranker, _RankBm25, resolve, search_tiers, searched
from pagecost.ranking import Delayed, Interleaved, Order
from pagecost.text import TextKind, tokens
from tests import oracle
from tests.oracle import IDENTIFIERS, RAW, Leaf

OTHER = Bm25(text="raw", k1=2.0)
OKAPI = Model(library="rank_bm25", model="BM25Okapi", text="raw")
OKAPI_IDENTIFIERS = Model(library="rank_bm25", model="BM25Okapi", text="identifiers")
LEAVES: tuple[Leaf, ...] = (RAW, IDENTIFIERS, OTHER, OKAPI)

HELPER = Interleave(first="baseline", second="identifiers")
PUBLISHED = [
    Policy(name="baseline", ranking=RAW),
    Policy(name="identifiers", ranking=IDENTIFIERS),
    Policy(name="helper", ranking=HELPER),
    Policy(name="identifier_first", ranking=Interleave(first="identifiers", second="baseline")),
    Policy(name="deferred", ranking=Deferred(first="baseline", second="helper", after=20)),
]
VOCABULARY = ("get", "getName", "name", "Name", "HTTPServer", "http", "x²", "the")


def alone(ranking: Ranking) -> list[Policy]:
    return [Policy(name="only", ranking=ranking)]


# --- Resolving names ------------------------------------------------------------------------------


def test_names_are_replaced_by_what_they_name() -> None:
    helper = Interleave(first=RAW, second=IDENTIFIERS)
    assert resolve(PUBLISHED) == {
        "baseline": RAW,
        "identifiers": IDENTIFIERS,
        "helper": helper,
        "identifier_first": Interleave(first=IDENTIFIERS, second=RAW),
        "deferred": Deferred(first=RAW, second=helper, after=20),
    }


def test_a_policy_may_be_named_before_it_is_defined() -> None:
    assert resolve(PUBLISHED[::-1]) == resolve(PUBLISHED)


def test_nesting_inline_and_by_name_is_the_same_ranking() -> None:
    inline = Deferred(first=RAW, second=Interleave(first=RAW, second=IDENTIFIERS), after=20)
    mixed = Deferred(
        first="baseline", second=Interleave(first="baseline", second=IDENTIFIERS), after=20
    )
    resolved = resolve(
        [*PUBLISHED, Policy(name="inline", ranking=inline), Policy(name="mixed", ranking=mixed)]
    )
    assert resolved["inline"] == resolved["mixed"] == resolved["deferred"]
    assert hash(resolved["inline"]) == hash(resolved["deferred"])


def test_a_policy_may_be_drawn_on_twice() -> None:
    twice = Interleave(first="baseline", second=Interleave(first="baseline", second="baseline"))
    resolved = resolve([*PUBLISHED, Policy(name="twice", ranking=twice)])
    assert resolved["twice"] == Interleave(first=RAW, second=Interleave(first=RAW, second=RAW))


@pytest.mark.parametrize(
    "ranking",
    [
        Interleave(first="baseline", second="typo"),
        Interleave(first="typo", second="baseline"),
        Deferred(first="baseline", second=Interleave(first="typo", second=RAW), after=3),
        Deferred(first=Deferred(first="typo", second=RAW, after=1), second=RAW, after=3),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(ranking: Ranking) -> None:
    with pytest.raises(InputError) as error:
        resolve([Policy(name="baseline", ranking=RAW), Policy(name="new", ranking=ranking)])
    assert "'typo'" in str(error.value)
    assert "baseline, new" in str(error.value)


def test_a_policy_made_of_itself_is_refused() -> None:
    with pytest.raises(InputError, match="'only' is made of itself: only → only"):
        resolve(alone(Interleave(first=RAW, second="only")))


def test_policies_made_of_each_other_are_refused_with_the_way_round() -> None:
    ring = [
        Policy(name="a", ranking=Interleave(first=RAW, second="b")),
        Policy(name="b", ranking=Deferred(first="c", second=RAW, after=5)),
        Policy(name="c", ranking=Interleave(first=Interleave(first=RAW, second="a"), second=RAW)),
    ]
    with pytest.raises(InputError, match="'a' is made of itself: a → b → c → a"):
        resolve(ring)


def test_a_ranking_that_still_holds_names_is_not_taken_for_a_resolved_one() -> None:
    with pytest.raises(TypeError, match="'baseline'"):
        searched(HELPER, 1)


# --- Searches -------------------------------------------------------------------------------------

BOTH = Interleave(first=RAW, second=IDENTIFIERS)
SWAPPED = Interleave(first=IDENTIFIERS, second=RAW)


def searches_of_pages_ending_at(ranking: Ranking, ends: Sequence[int]) -> list[int]:
    """Looked up in the tiers, as they are documented."""
    tiers = search_tiers(ranking)
    return [
        next(count for bound, count in tiers if bound in (0, *range(end, bound + 1)))
        for end in ends
    ]


@pytest.mark.parametrize(
    ("ranking", "tiers"),
    [
        (RAW, ((0, 1),)),
        (IDENTIFIERS, ((0, 1),)),
        (OKAPI, ((0, 1),)),
        (BOTH, ((0, 2),)),
        (SWAPPED, ((0, 2),)),
        (Interleave(first=RAW, second=RAW), ((0, 1),)),
        (Interleave(first=BOTH, second=SWAPPED), ((0, 2),)),
        (Interleave(first=BOTH, second=OKAPI), ((0, 3),)),
        (Deferred(first=RAW, second=BOTH, after=20), ((20, 1), (0, 2))),
        (Deferred(first=RAW, second=IDENTIFIERS, after=7), ((7, 1), (0, 2))),
        (Deferred(first=BOTH, second=SWAPPED, after=20), ((20, 2), (0, 2))),
        (
            Interleave(first=Deferred(first=RAW, second=OTHER, after=10), second=IDENTIFIERS),
            ((10, 2), (0, 3)),
        ),
        (
            Deferred(
                first=Deferred(first=RAW, second=IDENTIFIERS, after=5), second=OTHER, after=20
            ),
            ((5, 1), (20, 2), (0, 3)),
        ),
        (
            Deferred(first=RAW, second=Deferred(first=RAW, second=BOTH, after=50), after=20),
            ((20, 1), (50, 1), (0, 2)),
        ),
    ],
)
def test_a_page_takes_each_index_ranking_it_draws_on_once(
    ranking: Ranking, tiers: tuple[tuple[int, int], ...]
) -> None:
    assert search_tiers(ranking) == tiers


def test_published_policies_search_as_often_as_published() -> None:
    resolved = resolve(PUBLISHED)
    ends = [1, 19, 20, 21, 40, 10_000_000]
    assert {name: searches_of_pages_ending_at(one, ends) for name, one in resolved.items()} == {
        "baseline": [1, 1, 1, 1, 1, 1],
        "identifiers": [1, 1, 1, 1, 1, 1],
        "helper": [2, 2, 2, 2, 2, 2],
        "identifier_first": [2, 2, 2, 2, 2, 2],
        "deferred": [1, 1, 1, 2, 2, 2],
    }


def test_what_an_inner_ranking_would_do_later_is_not_searched_where_it_is_cut_before() -> None:
    cut = Deferred(first=Deferred(first=RAW, second=IDENTIFIERS, after=50), second=OTHER, after=20)
    assert searched(cut, 20) == {RAW}
    assert searched(cut, 21) == {RAW, OTHER}
    assert searched(cut, 10_000_000) == {RAW, OTHER}
    assert searches_of_pages_ending_at(cut, [20, 21, 50, 51, 1000]) == [1, 2, 2, 2, 2]


@settings(deadline=None, max_examples=150)
@given(oracle.rankings(LEAVES, 12))
def test_the_tiers_say_what_is_searched_for_every_end_of_a_page(ranking: Ranking) -> None:
    ends = range(1, 20)
    expected = [len(searched(ranking, end)) for end in ends]
    assert searches_of_pages_ending_at(ranking, ends) == expected
    bounds = [bound for bound, _ in search_tiers(ranking)]
    assert bounds[-1] == 0
    assert bounds[:-1] == sorted(set(bounds[:-1]))


class _Noting:
    """An order over 60 documents that notes whether any of them was asked for."""

    def __init__(self, name: Leaf, asked: set[Leaf], order: list[int]) -> None:
        self._name, self._asked, self._order = name, asked, order

    def rank(self) -> int:
        return 1

    def before(self) -> Sequence[int]:
        return []

    def prefix(self, count: int) -> Sequence[int]:
        if count:
            self._asked.add(self._name)
        return self._order[:count]


@settings(deadline=None, max_examples=150)
@given(oracle.rankings(LEAVES, 12), st.integers(1, 20))
def test_the_rankings_searched_are_those_whose_documents_a_prefix_draws_on(
    ranking: Ranking, count: int
) -> None:
    asked: set[Leaf] = set()

    def made(part: str | Ranking) -> Order:
        if isinstance(part, Interleave):
            return Interleaved(made(part.first), made(part.second), [0])
        if isinstance(part, Deferred):
            return Delayed(made(part.first), made(part.second), part.after)
        assert not isinstance(part, str)
        return _Noting(part, asked, list(range(60)))

    made(ranking).prefix(count)
    assert searched(ranking, count) == asked


# --- Ranking a corpus -----------------------------------------------------------------------------


def leaf_scores(leaf: Leaf, texts: Sequence[str], query: str) -> list[float]:
    """By brute force, and for a library's model by the library itself, asked once."""
    documents = [oracle.tokens_as(text, leaf.text) for text in texts]
    terms = oracle.tokens_as(query, leaf.text)
    if isinstance(leaf, Bm25):
        return oracle.bm25_scores(documents, terms, leaf.k1, leaf.b)
    scores: list[float] = BM25Okapi(documents).get_scores(terms).tolist()
    return scores


def expected_order(ranking: Ranking, texts: list[str], query: str) -> list[int]:
    orders = {leaf: oracle.by_score(leaf_scores(leaf, texts, query)) for leaf in LEAVES}
    return oracle.order_of(ranking, orders)


def check_ranks(policies: list[Policy], search: tuple[list[str], str, list[int]]) -> None:
    """The rank of the relevant documents, and of each document alone, so of the whole order."""
    texts, query, relevant = search
    resolved = resolve(policies)
    orders = {name: expected_order(one, texts, query) for name, one in resolved.items()}
    ranker = Ranker(policies, texts)
    for targets in (relevant, *([position] for position in range(len(texts)))):
        assert ranker.ranks(query, targets) == {
            name: oracle.first_rank(order, targets) for name, order in orders.items()
        }


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[str], str, list[int]]:
    """Documents, at least one of them with a word, a query, and its relevant documents."""
    texts = [draw(st.sampled_from(VOCABULARY)), *draw(oracle.corpora(VOCABULARY, 16))]
    texts = draw(st.permutations(texts))
    query = " ".join(draw(st.lists(st.sampled_from((*VOCABULARY, "unknown")), max_size=5)))
    relevant = draw(st.sets(st.integers(0, len(texts) - 1), min_size=1, max_size=3))
    return texts, query, sorted(relevant)


@settings(deadline=None, max_examples=80)
@given(searches(), st.integers(1, 8))
def test_published_policies_rank_as_brute_force_does(
    search: tuple[list[str], str, list[int]], after: int
) -> None:
    early = Policy(name="early", ranking=Deferred(first="baseline", second="helper", after=after))
    check_ranks([*PUBLISHED, early], search)


@settings(deadline=None, max_examples=200)
@given(searches(), st.lists(oracle.rankings(LEAVES, 20), min_size=1, max_size=3))
def test_any_policies_rank_as_brute_force_does(
    search: tuple[list[str], str, list[int]], drawn: list[Ranking]
) -> None:
    check_ranks([Policy(name=f"p{i}", ranking=one) for i, one in enumerate(drawn)], search)


def test_ranks_stand_under_their_policies_in_the_order_of_the_plan() -> None:
    ranks = Ranker(PUBLISHED, ["get name", "getName"]).ranks("name", [1])
    assert list(ranks) == [policy.name for policy in PUBLISHED]


@pytest.mark.parametrize("inner", [20, 21, 50])
def test_a_deferred_ranking_may_be_cut_before_its_own_change(inner: int) -> None:
    """Its second part is never searched, so nothing may ask for it."""
    cut = Deferred(
        first=Deferred(first=RAW, second=IDENTIFIERS, after=inner), second=OTHER, after=20
    )
    texts = ["get name", "getName", "name"]
    assert Ranker(alone(cut), texts).ranks("name", [2]) == {
        "only": expected_order(cut, texts, "name").index(2) + 1
    }


def test_one_query_does_not_disturb_the_next() -> None:
    texts = ["get name", "getName http", "name http http", "the", ""]
    ranker = Ranker(PUBLISHED, texts)
    first = ranker.ranks("http get", [1, 3])
    ranker.ranks("name the name", [0])
    assert ranker.ranks("http get", [1, 3]) == first


class _Spy:
    """Counts what is built and how often it is asked, by what it was built with."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tables = 0
        self.postings: Counter[str] = Counter()
        self.built: Counter[tuple[float, float]] = Counter()
        self.asked = 0
        spy = self

        class Table(WordTable):
            def __init__(self, texts: Sequence[str]) -> None:
                spy.tables += 1
                super().__init__(texts)

        class Counted(Postings):
            def __init__(self, table: WordTable, kind: TextKind) -> None:
                spy.postings[kind] += 1
                super().__init__(table, kind)

        class Index(Bm25Index):
            def __init__(self, postings: Postings, k1: float, b: float) -> None:
                spy.built[k1, b] += 1
                super().__init__(postings, k1, b)

            def scores(self, query_tokens: Sequence[str]) -> FloatArray:
                spy.asked += 1
                return super().scores(query_tokens)

        monkeypatch.setattr(policies_module, "WordTable", Table)
        monkeypatch.setattr(policies_module, "Postings", Counted)
        monkeypatch.setattr(policies_module, "Bm25Index", Index)


def test_rankings_written_alike_build_one_index_and_are_scored_once_a_query(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy = _Spy(monkeypatch)
    copies = [
        Policy(name="copy", ranking=Bm25(text="raw")),
        Policy(name="spelled", ranking=Bm25(text="raw", k1=1.2, b=0.75)),
        Policy(
            name="inline",
            ranking=Interleave(first=Bm25(text="identifiers"), second=Bm25(text="raw")),
        ),
    ]
    ranker = Ranker([*PUBLISHED, *copies], ["get name", "getName", "http"])
    assert spy.tables == 1
    assert spy.postings == {"raw": 1, "identifiers": 1}
    assert spy.built == {(1.2, 0.75): 2}
    assert spy.asked == 0
    ranker.ranks("name", [1])
    assert spy.asked == 2
    ranker.ranks("http", [2])
    assert spy.asked == 4


def test_rankings_that_differ_in_a_parameter_build_an_index_each_on_shared_postings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spy = _Spy(monkeypatch)
    ranker = Ranker(alone(Interleave(first=RAW, second=OTHER)), ["get name", "getName", "http"])
    assert spy.postings == {"raw": 1}
    assert spy.built == {(1.2, 0.75): 1, (2.0, 0.75): 1}
    ranker.ranks("name", [0])
    assert spy.asked == 2


# --- A library's model ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(searches(), st.sampled_from((OKAPI, OKAPI_IDENTIFIERS)))
def test_a_library_model_scores_and_ranks_as_the_library_itself_says(
    search: tuple[list[str], str, list[int]], model: Model
) -> None:
    texts, query, relevant = search
    if not any(oracle.tokens(text) for text in texts):
        texts[0] = "the"  # the library can't index documents without a word
    query = f"{query} {query} the"  # it counts a repeated word as often as it stands
    scores = leaf_scores(model, texts, query)
    assert _RankBm25(texts, model).scores(tokens(query, model.text)).tolist() == scores
    expected = oracle.first_rank(oracle.by_score(scores), relevant)
    assert Ranker(alone(model), texts).ranks(query, relevant) == {"only": expected}


def test_a_library_model_counts_a_repeated_word_of_the_query_each_time() -> None:
    texts = ["get get http", "name name http", "the", "the", "the"]
    ranker = Ranker(alone(OKAPI), texts)
    assert ranker.ranks("get name", [1]) == {"only": 2}
    assert ranker.ranks("get name name", [1]) == {"only": 1}
    assert Ranker(alone(RAW), texts).ranks("get name name", [1]) == {"only": 2}


def test_a_library_model_breaks_ties_by_document_order() -> None:
    texts = ["the", "get", "get", "http", "the"]
    assert Ranker(alone(OKAPI), texts).ranks("get", [2]) == {"only": 2}
    assert Ranker(alone(OKAPI), texts).ranks("unknown", [3, 4]) == {"only": 4}


def test_a_library_model_scores_alike_when_its_cache_is_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_RankBm25, "_CACHE_BYTES", 0)
    terms = [f"w{number}" for number in range(40)]
    texts = [" ".join(terms[i::7]) for i in range(1, 12)]
    scorer = _RankBm25(texts, OKAPI)
    for query in (" ".join(terms), " ".join(terms[::-1]), "w1 w39 w1"):
        scores = scorer.scores(tokens(query))
        assert np.array_equal(scores, np.array(leaf_scores(OKAPI, texts, query)))


def test_a_library_model_refuses_a_corpus_without_a_token() -> None:
    model = Model(library="rank_bm25", model="BM25Okapi", text="raw")
    with pytest.raises(InputError, match="without a token"):
        Ranker([Policy(name="okapi", ranking=model)], ["", "…"])
