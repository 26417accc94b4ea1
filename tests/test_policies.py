"""From a plan's policies to orders, and what a page of each costs in searches."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25L, BM25Okapi, BM25Plus

from pagecost import policies as policies_module
from pagecost import rankers
from pagecost.bm25 import Bm25Index, FloatArray, Postings, WordTable
from pagecost.errors import InputError
from pagecost.model import (
    Bm25,
    Corpus,
    CorpusPins,
    Deferred,
    Document,
    Interleave,
    Model,
    PinnedFile,
    Policy,
    Query,
    Ranking,
    Run,
    RunPins,
)
from pagecost.policies import (
    has_index,
    is_bound,
    parameters,
    resolve,
    runs,
    search_tiers,
    searched,
)
from pagecost.rankers import Ranker, _RankBm25
from pagecost.ranking import Delayed, Interleaved, Order, Target
from pagecost.report import terms
from pagecost.text import TextKind, tokens
from tests import oracle
from tests.oracle import IDENTIFIERS, RAW, Leaf

OTHER = Bm25(text="raw", k1=2.0)
DEFAULTS = {"k1": 1.5, "b": 0.75, "epsilon": 0.25}
OKAPI = Model(library="rank_bm25", model="BM25Okapi", text="raw", **DEFAULTS)
OKAPI_IDENTIFIERS = Model(library="rank_bm25", model="BM25Okapi", text="identifiers", **DEFAULTS)
LEAVES: tuple[Leaf, ...] = (RAW, IDENTIFIERS, OTHER, OKAPI)

HELPER = Interleave(first="baseline", second="identifiers")
PUBLISHED = [
    Policy(name="baseline", ranking=RAW),
    Policy(name="identifiers", ranking=IDENTIFIERS),
    Policy(name="helper", ranking=HELPER),
    Policy(name="identifier_first", ranking=Interleave(first="identifiers", second="baseline")),
    Policy(name="deferred", ranking=Deferred(first="baseline", second="helper", after=20)),
]
PINS = CorpusPins(
    documents=1,
    queries=1,
    membership="0" * 64,
    query_hash="0" * 64,
    repositories=[],
    strata={},
    exclusions={},
)
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


def tiers_of(ranking: Ranking) -> tuple[tuple[int, int], ...]:
    """Its tiers, which are known."""
    tiers = search_tiers(ranking)
    assert tiers is not None
    return tiers


def searches_of_pages_ending_at(ranking: Ranking, ends: Sequence[int]) -> list[int]:
    """Looked up in the tiers, as they are documented."""
    tiers = tiers_of(ranking)
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
    bounds = [bound for bound, _ in tiers_of(ranking)]
    assert bounds[-1] == 0
    assert bounds[:-1] == sorted(set(bounds[:-1]))


class _Noting:
    """An order over 60 documents that notes whether any of them was asked for."""

    def __init__(self, name: Leaf, asked: set[Leaf], order: list[int]) -> None:
        self._name, self._asked, self._order = name, asked, order

    def rank(self) -> int:
        return 1

    def depth(self) -> int:
        return len(self._order)

    def is_complete(self) -> bool:
        return True

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
            return Interleaved(made(part.first), made(part.second), Target([0]))
        if isinstance(part, Deferred):
            return Delayed(made(part.first), made(part.second), part.after, Target([0]))
        assert not isinstance(part, str)
        return _Noting(part, asked, list(range(60)))

    made(ranking).prefix(count)
    assert searched(ranking, count) == asked


# --- Ranking a corpus -----------------------------------------------------------------------------


def leaf_scores(leaf: Leaf, texts: Sequence[str], query: str) -> list[float]:
    """By brute force, and for a library's model by the library itself, asked once."""
    assert not isinstance(leaf, Run)
    documents = [oracle.tokens_as(text, leaf.text) for text in texts]
    terms = oracle.tokens_as(query, leaf.text)
    if isinstance(leaf, Bm25):
        return oracle.bm25_scores(documents, terms, leaf.k1, leaf.b)
    scores: list[float] = BM25Okapi(documents).get_scores(terms).tolist()
    return scores


class TextRanker:
    """Ranks over documents that are nothing but texts."""

    def __init__(self, policies: Sequence[Policy], texts: Sequence[str]) -> None:
        documents = tuple(
            Document(id=str(place), repository="", path="", name="", line=0, text=text)
            for place, text in enumerate(texts)
        )
        self._ranker = Ranker(policies, Corpus(documents=documents, queries=(), counts=PINS))

    def ranks(self, query: str, relevant: Sequence[int], wanted: int = 1) -> dict[str, int]:
        asked = Query(id="q", text=query, repository="", stratum="", relevant=tuple(relevant))
        orders = self._ranker.orders(asked, wanted)
        return {name: order.rank() for name, order in orders.items()}


def expected_order(ranking: Ranking, texts: list[str], query: str) -> list[int]:
    orders = {leaf: oracle.by_score(leaf_scores(leaf, texts, query)) for leaf in LEAVES}
    return oracle.order_of(ranking, orders)


def check_ranks(policies: list[Policy], search: tuple[list[str], str, list[int]]) -> None:
    """The rank of the relevant documents, and of each document alone, so of the whole order."""
    texts, query, relevant = search
    resolved = resolve(policies)
    orders = {name: expected_order(one, texts, query) for name, one in resolved.items()}
    ranker = TextRanker(policies, texts)
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
    ranks = TextRanker(PUBLISHED, ["get name", "getName"]).ranks("name", [1])
    assert list(ranks) == [policy.name for policy in PUBLISHED]


@pytest.mark.parametrize("inner", [20, 21, 50])
def test_a_deferred_ranking_may_be_cut_before_its_own_change(inner: int) -> None:
    """Its second part is never searched, so nothing may ask for it."""
    cut = Deferred(
        first=Deferred(first=RAW, second=IDENTIFIERS, after=inner), second=OTHER, after=20
    )
    texts = ["get name", "getName", "name"]
    assert TextRanker(alone(cut), texts).ranks("name", [2]) == {
        "only": expected_order(cut, texts, "name").index(2) + 1
    }


def test_one_query_does_not_disturb_the_next() -> None:
    texts = ["get name", "getName http", "name http http", "the", ""]
    ranker = TextRanker(PUBLISHED, texts)
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

        monkeypatch.setattr(rankers, "WordTable", Table)
        monkeypatch.setattr(rankers, "Postings", Counted)
        monkeypatch.setattr(rankers, "Bm25Index", Index)


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
    ranker = TextRanker([*PUBLISHED, *copies], ["get name", "getName", "http"])
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
    ranker = TextRanker(alone(Interleave(first=RAW, second=OTHER)), ["get name", "getName", "http"])
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
    assert TextRanker(alone(model), texts).ranks(query, relevant) == {"only": expected}


def test_a_library_model_counts_a_repeated_word_of_the_query_each_time() -> None:
    texts = ["get get http", "name name http", "the", "the", "the"]
    ranker = TextRanker(alone(OKAPI), texts)
    assert ranker.ranks("get name", [1]) == {"only": 2}
    assert ranker.ranks("get name name", [1]) == {"only": 1}
    assert TextRanker(alone(RAW), texts).ranks("get name name", [1]) == {"only": 2}


def test_a_library_model_breaks_ties_by_document_order() -> None:
    texts = ["the", "get", "get", "http", "the"]
    assert TextRanker(alone(OKAPI), texts).ranks("get", [2]) == {"only": 2}
    assert TextRanker(alone(OKAPI), texts).ranks("unknown", [3, 4]) == {"only": 4}


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
        TextRanker([Policy(name="okapi", ranking=model)], ["", "…"])


# --- Parameters of a library's models -------------------------------------------------------------

LIBRARY = {"BM25Okapi": BM25Okapi, "BM25L": BM25L, "BM25Plus": BM25Plus}
PARAMETERS = ("k1", "b", "epsilon", "delta")


def model_of(name: str, given: Mapping[str, float] | None = None, text: str = "raw") -> Model:
    """A model as a plan writes it, with the parameters that are given."""
    made = {"kind": "model", "library": "rank_bm25", "model": name, "text": text}
    return msgspec.convert(made | dict(given or {}), Model)


def signature_defaults(name: str) -> dict[str, float]:
    """What the library itself takes where it is told nothing."""
    found = inspect.signature(LIBRARY[name].__init__).parameters
    return {
        one: found[one].default
        for one in found
        if found[one].default is not inspect.Parameter.empty and one != "tokenizer"
    }


@pytest.mark.parametrize("name", LIBRARY)
def test_the_defaults_are_those_of_the_librarys_own_signatures(name: str) -> None:
    assert policies_module._DEFAULTS[name] == signature_defaults(name)
    assert parameters(model_of(name)) == signature_defaults(name)


def test_every_model_that_a_plan_may_name_has_its_defaults_here() -> None:
    assert policies_module._DEFAULTS.keys() == LIBRARY.keys()


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("parameter", PARAMETERS)
def test_a_parameter_that_a_model_does_not_have_is_refused_and_any_other_taken(
    name: str, parameter: str
) -> None:
    model = model_of(name, {parameter: 0.5})
    known = signature_defaults(name)
    if parameter in known:
        assert parameters(model) == known | {parameter: 0.5}
        return
    with pytest.raises(InputError) as error:
        resolve([Policy(name="only", ranking=Interleave(first=RAW, second=model))])
    assert str(error.value) == (f"{name} has no parameter {parameter!r}; it has {', '.join(known)}")


@pytest.mark.parametrize("name", LIBRARY)
def test_a_model_with_its_defaults_written_or_left_out_is_one_ranking(name: str) -> None:
    short, written = model_of(name), model_of(name, signature_defaults(name))
    assert resolve(alone(short)) == resolve(alone(written))
    twice = resolve(alone(Interleave(first=short, second=written)))["only"]
    assert search_tiers(twice) == ((0, 1),)
    assert searched(twice, 1) == {written}


@pytest.mark.parametrize("name", LIBRARY)
def test_a_model_with_another_value_is_another_ranking(name: str) -> None:
    for parameter, value in signature_defaults(name).items():
        other = model_of(name, {parameter: value / 2})
        pair = resolve(alone(Interleave(first=model_of(name), second=other)))["only"]
        assert search_tiers(pair) == ((0, 2),)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any of the library's models, each parameter given or left out.

    None that makes the library divide zero by zero: k1 of 0, or b of 1 beside an empty document.
    """
    name = draw(st.sampled_from(tuple(LIBRARY)))
    values = {
        "k1": st.floats(0.1, 100),
        "b": st.floats(0, 0.99),
        "epsilon": st.floats(0, 100),
        "delta": st.floats(0, 100),
    }
    given = {one: draw(values[one]) for one in signature_defaults(name) if draw(st.booleans())}
    return model_of(name, given, draw(st.sampled_from(("raw", "identifiers"))))


@settings(deadline=None, max_examples=250)
@given(searches(), models())
def test_any_model_scores_and_ranks_as_the_library_asked_once(
    search: tuple[list[str], str, list[int]], model: Model
) -> None:
    texts, query, relevant = search
    documents = [oracle.tokens_as(text, model.text) for text in texts]
    values = {one: getattr(model, one) for one in PARAMETERS}
    stated = {one: value for one, value in values.items() if value is not None}
    library = LIBRARY[model.model](documents, **stated)
    scores = library.get_scores(oracle.tokens_as(query, model.text)).tolist()
    assert _RankBm25(texts, model).scores(tokens(query, model.text)).tolist() == scores
    order = oracle.by_score(scores)
    for wanted in range(1, len(relevant) + 1):
        expected = oracle.rank_of(order, relevant, wanted)
        assert TextRanker(alone(model), texts).ranks(query, relevant, wanted) == {"only": expected}


# --- Runs -----------------------------------------------------------------------------------------


DEEP = RunPins(lines=100, topics=1, deepest=100, shallowest=100)


def run(name: str = "a", searches: int | None = 1, **changes: Any) -> Run:
    changes = {"pins": DEEP, **changes}
    return Run(file=PinnedFile(path=f"{name}.run", sha256="a" * 64), searches=searches, **changes)


@pytest.mark.parametrize(
    ("ranking", "tiers"),
    [
        (run(searches=7), ((0, 7),)),
        (run(searches=None), None),
        (Interleave(first=RAW, second=run(searches=7)), ((0, 8),)),
        (Interleave(first=run("a", 2), second=run("b", 3)), ((0, 5),)),
        (Interleave(first=run("a", 2), second=run("a", 2)), ((0, 2),)),
        (Interleave(first=run("a", 2), second=run("b", None)), None),
        (Interleave(first=RAW, second=run(searches=None)), None),
        (Deferred(first=run("a", 2), second=run("b", 3), after=20), ((20, 2), (0, 5))),
        (Deferred(first=RAW, second=run("b", 3), after=20), ((20, 1), (0, 4))),
        (Deferred(first=run("a", 3), second=RAW, after=20), ((20, 3), (0, 4))),
        # Not said to be free as long as no page reaches it.
        (Deferred(first=RAW, second=run("b", None), after=10_000_000), None),
        (
            Deferred(first=RAW, second=Interleave(first=RAW, second=run("b", None)), after=3),
            None,
        ),
        (
            Deferred(
                first=Deferred(first=RAW, second=run("b", None), after=50), second=OTHER, after=20
            ),
            None,
        ),
        (
            Interleave(
                first=Deferred(first=run("a", 2), second=run("b", 3), after=5), second=IDENTIFIERS
            ),
            ((5, 3), (0, 6)),
        ),
    ],
)
def test_a_page_takes_the_searches_that_the_author_of_a_run_states(
    ranking: Ranking, tiers: tuple[tuple[int, int], ...] | None
) -> None:
    assert search_tiers(ranking) == tiers


def test_a_deferred_run_that_may_end_early_counts_the_second_from_there_on() -> None:
    """More searches may be counted than were made, never fewer."""
    short = RunPins(lines=9, topics=1, deepest=9, shallowest=7)
    for pins, tiers in ((short, ((7, 2), (0, 5))), (None, ((0, 5),))):
        late = Deferred(first=run("a", 2, pins=pins), second=run("b", 3), after=20)
        assert search_tiers(late) == tiers
        assert is_bound(late)
        assert is_bound(Interleave(first=RAW, second=late))
        assert is_bound(Deferred(first=RAW, second=late, after=1))
    exact = Deferred(first=run("a", 2, pins=short), second=run("b", 3), after=7)
    assert not is_bound(exact)
    assert not is_bound(Deferred(first=RAW, second=exact, after=1000))


def test_a_report_says_whose_searches_are_a_bound() -> None:
    short = RunPins(lines=9, topics=1, deepest=9, shallowest=7)
    for searches, after, said in ((2, 20, True), (2, 7, False), (None, 20, False)):
        late = Deferred(first=run("a", searches, pins=short), second=RAW, after=after)
        policies = [Policy(name="plain", ranking=RAW), Policy(name="late", ranking=late)]
        found = terms.bounds_said(policies)
        assert (found is not None) == said
        assert found is None or found.startswith("Searches of late are an upper bound: a run ")


RUNS: tuple[Leaf, ...] = (RAW, IDENTIFIERS, run("a", 2), run("b", 30), run("c", None))


@settings(deadline=None, max_examples=200)
@given(oracle.rankings(RUNS, 12))
def test_the_searches_of_runs_are_summed_or_none_are_shown(ranking: Ranking) -> None:
    def made_of(part: str | Ranking) -> set[Ranking]:
        assert not isinstance(part, str)
        if isinstance(part, Interleave | Deferred):
            return made_of(part.first) | made_of(part.second)
        return {part}

    if run("c", None) in made_of(ranking):
        assert search_tiers(ranking) is None
        return
    ends = range(1, 20)
    expected = [
        sum(one.searches or 0 if isinstance(one, Run) else 1 for one in searched(ranking, end))
        for end in ends
    ]
    assert searches_of_pages_ending_at(ranking, ends) == expected


def test_the_runs_of_a_plan_are_each_named_once_however_they_are_drawn_on() -> None:
    a, b, other_rule = run("a"), run("b"), run("a", ties="rank-column")
    several = [
        Policy(name="pair", ranking=Interleave(first="late", second=b)),
        Policy(name="late", ranking=Deferred(first=RAW, second=a, after=3)),
        Policy(name="again", ranking=b),
        Policy(name="other", ranking=other_rule),
    ]
    assert list(runs(several)) == [a, b, other_rule]
    assert has_index(several)
    assert not has_index(several[2:])
    assert not runs([Policy(name="plain", ranking=RAW)])


class _Delivered(msgspec.Struct, frozen=True):
    """A run as a corpus holds it."""

    pins: RunPins
    delivered: dict[str, Sequence[str]]

    def documents(self, query_id: str) -> Sequence[str]:
        return self.delivered.get(query_id, ())


def corpus_with(
    ids: Sequence[str], delivered: Mapping[Run, Sequence[str]], *, complete: bool
) -> Corpus:
    pins = RunPins(lines=1, topics=1, deepest=1, shallowest=1)
    return Corpus(
        documents=tuple(
            Document(id=one, repository="", path=one, name="", line=0, text=one) for one in ids
        ),
        queries=(),
        counts=PINS,
        is_complete=complete,
        runs={one: _Delivered(pins, {"q": found}) for one, found in delivered.items()},
    )


def orders_of(corpus: Corpus, several: list[Policy], *relevant: int) -> dict[str, Order]:
    asked = Query(id="q", text="d1", repository="", stratum="", relevant=relevant)
    return Ranker(several, corpus).orders(asked)


def test_a_document_that_nobody_judged_is_the_same_one_in_every_run() -> None:
    """Known by its id alone: both runs deliver it, and a composition delivers it once."""
    a, b = run("a"), run("b")
    several = [
        Policy(name="a", ranking=a),
        Policy(name="b", ranking=b),
        Policy(name="both", ranking=Interleave(first="a", second="b")),
    ]
    delivered = {a: ("new", "d0", "newer"), b: ("newer", "new", "d1")}
    orders = orders_of(corpus_with(["d0", "d1"], delivered, complete=False), several, 1)
    assert {name: order.depth() for name, order in orders.items()} == {"a": 3, "b": 3, "both": 4}
    assert {name: order.rank() for name, order in orders.items()} == {"a": 0, "b": 3, "both": 4}
    first, second, *rest = orders["both"].prefix(9)
    assert first >= 2 and second >= 2 and first != second
    assert rest == [0, 1]


def test_a_run_that_delivers_what_a_whole_corpus_lacks_is_refused_by_topic_and_id() -> None:
    a = run("a")
    corpus = corpus_with(["d0", "d1"], {a: ("d1", "d7")}, complete=True)
    with pytest.raises(InputError, match=r"^a\.run: topic q: document 'd7' is not in the corpus$"):
        orders_of(corpus, alone(a), 1)


def test_a_run_and_an_index_over_one_corpus_mean_the_same_documents() -> None:
    a = run("a")
    both = Interleave(first=a, second=RAW)
    several = [Policy(name="run", ranking=a), Policy(name="both", ranking=both)]
    orders = orders_of(corpus_with(["d0", "d1", "d2"], {a: ("d2",)}, complete=True), several, 0)
    assert list(orders["run"].prefix(3)) == [2]
    assert list(orders["both"].prefix(3)) == [2, 1, 0]
    assert (orders["run"].is_complete(), orders["both"].is_complete()) == (False, True)
    assert {name: order.rank() for name, order in orders.items()} == {"run": 0, "both": 3}


def test_a_query_that_a_run_lacks_gets_nothing_from_it() -> None:
    a = run("a")
    lacking = msgspec.structs.replace(
        corpus_with(["d0"], {}, complete=True),
        runs={a: _Delivered(RunPins(lines=1, topics=0, deepest=0, shallowest=0), {})},
    )
    (order,) = orders_of(lacking, alone(a), 0).values()
    assert (order.rank(), order.depth()) == (0, 0)


@pytest.mark.parametrize(
    ("model", "given"),
    [
        ("BM25Okapi", {"k1": 0.0}),
        ("BM25Okapi", {"b": 1.0}),
        ("BM25Plus", {"k1": 0.0}),
        ("BM25Plus", {"b": 1.0}),
        ("BM25L", {"b": 1.0}),
        ("BM25L", {"k1": 0.0, "delta": 0.0}),
    ],
)
def test_scores_that_are_no_numbers_are_refused_and_rank_nothing(
    model: Literal["BM25Okapi", "BM25L", "BM25Plus"], given: dict[str, float]
) -> None:
    """The library divides zero by zero there, and every comparison with what comes out is false."""
    texts = ["get get http", "name name http", "", "the the", "the"]
    spec = Model(library="rank_bm25", model=model, text="raw", **given)
    with pytest.raises(InputError, match=r"'get' gives a score that is no number"):
        TextRanker(alone(spec), texts).ranks("get", [2])
