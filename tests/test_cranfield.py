"""Cranfield in BEIR's layout, graded 0 to 4: every policy against orders made without the package.

BM25 is written out again below, rank_bm25's models are asked themselves, and what the policies
deliver is written as runs and given to ir_measures.
"""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
import rank_bm25

from pagecost.rankers import Ranker
from tests import oracle
from tests.builders import Json, sha256, shared_data
from tests.collection_builders import Scored, collection_plan, library, pin, run_of, score

FILES = {
    "documents": (
        "corpus.jsonl.gz",
        "55437c2c80350799929208d5c8d97b62b03faf6841a2ae36d7da383335a92bbc",
    ),
    "queries": (
        "queries.jsonl",
        "70914f4cee2b861959813356b008b8c61b78400e4de7e03193c3ea0cff72a63f",
    ),
    "qrels": (
        "qrels/test.tsv",
        "df2819294f47ee6cc2d18b50ff863e244ef4dde30fdd1c21a1aaed1600bf96a4",
    ),
}
MODELS = {"okapi": "BM25Okapi", "l": "BM25L", "plus": "BM25Plus"}
LEAVES: dict[str, Json] = {
    "raw": {"kind": "bm25", "text": "raw"},
    "identifiers": {"kind": "bm25", "text": "identifiers"},
    **{
        name: {"kind": "model", "library": "rank_bm25", "model": model, "text": "raw"}
        for name, model in MODELS.items()
    },
}
MIXED = {
    "raw-okapi": ("raw", "okapi"),
    "l-raw": ("l", "raw"),
    "plus-okapi": ("plus", "okapi"),
    "nested": ("raw-okapi", "l-raw"),
}
POLICIES = LEAVES | {
    name: {"kind": "interleave", "first": first, "second": second}
    for name, (first, second) in MIXED.items()
}
LEVELS = [1, 2, 3]
QUERIES = {1: 225, 2: 222, 3: 183}
SIZES = [1, 5, 20]
CUT = 100


def folder() -> Path:
    return shared_data("cranfield")


def corpus_json(level: int = 1) -> Json:
    files = {part: pin(folder(), name) for part, (name, _) in FILES.items()}
    return {"kind": "beir", "name": "Cranfield", **files, "relevance_level": level}


# --- Made without the package ---------------------------------------------------------------------


def objects(part: str) -> list[Json]:
    data = (folder() / FILES[part][0]).read_bytes()
    data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    return [json.loads(line) for line in data.splitlines()]


@pytest.fixture(scope="module")
def judged() -> dict[str, dict[str, int]]:
    """By query and document, its grade."""
    found: dict[str, dict[str, int]] = {}
    lines = (folder() / FILES["qrels"][0]).read_text(encoding="ascii").splitlines()
    assert lines[0] == "query-id\tcorpus-id\tscore"
    for query, document, grade in (line.split("\t") for line in lines[1:]):
        found.setdefault(query, {})[document] = int(grade)
    return found


class Words:
    """BM25 with k1 = 1.2 and b = 0.75, as stated, over the documents that hold a word."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._lengths = [len(document) for document in documents]
        self._held: dict[str, dict[int, int]] = {}
        for place, document in enumerate(documents):
            for word, count in Counter(document).items():
                self._held.setdefault(word, {})[place] = count

    def scores(self, query: Iterable[str]) -> list[float]:
        n, k1, b = len(self._lengths), 1.2, 0.75
        average = sum(self._lengths) / n
        scores = [0.0] * n
        for word in sorted(set(query), key=str.encode):
            held = self._held.get(word, {})
            idf = math.log(1 + ((n - len(held)) + 0.5) / (len(held) + 0.5))
            for place, count in held.items():
                norm = k1 * ((1 - b) + (b * self._lengths[place]) / average)
                scores[place] += ((idf * count) * (k1 + 1)) / (count + norm)
        return scores


def alternating(first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    queues = (iter(first), iter(second))
    for _ in range(2 * len(first)):
        for queue in queues:
            document = next((one for one in queue if one not in seen), None)
            if document is not None:
                seen.add(document)
                yield document


Orders = Mapping[str, Mapping[str, Sequence[str]]]


@pytest.fixture(scope="module")
def orders() -> Orders:
    """By query and policy, all documents in order."""
    texts = {one["_id"]: f"{one['title']} {one['text']}" for one in objects("documents")}
    ids = sorted(texts)
    raw = [oracle.tokens(texts[one]) for one in ids]
    words = {
        "raw": Words(raw),
        "identifiers": Words([oracle.tokens_as(texts[one], "identifiers") for one in ids]),
    }
    models = {name: getattr(rank_bm25, model)(raw) for name, model in MODELS.items()}
    found: dict[str, dict[str, Sequence[str]]] = {}
    for query in objects("queries"):
        made: dict[str, Sequence[str]] = found.setdefault(query["_id"], {})
        for name, kind in words.items():
            scores = kind.scores(oracle.tokens_as(query["text"], name))
            made[name] = [ids[place] for place in oracle.by_score(scores)]
        for name, model in models.items():
            order = np.argsort(-model.get_scores(oracle.tokens(query["text"])), kind="stable")
            made[name] = [ids[place] for place in order.tolist()]
        for name, (first, second) in MIXED.items():
            made[name] = list(alternating(made[first], made[second]))
    return found


# --- Scored ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scored() -> dict[int, Scored]:
    """By relevance level."""
    return {
        level: score(
            collection_plan(corpus_json(level), POLICIES, page_sizes=SIZES, primary_page_size=5),
            folder(),
        )
        for level in LEVELS
    }


@pytest.fixture(scope="module")
def runs(
    scored: dict[int, Scored],
) -> dict[str, dict[str, dict[str, float]]]:
    """By policy, query and document: the first that it delivers, with falling scores."""
    one = scored[1]
    ranker = Ranker(one.plan.policies, one.corpus)
    found: dict[str, dict[str, dict[str, float]]] = {name: {} for name in POLICIES}
    for query in one.corpus.queries:
        for name, order in ranker.orders(query).items():
            found[name][query.id] = {
                one.corpus.documents[place].id: float(CUT - at)
                for at, place in enumerate(order.prefix(CUT))
            }
    return found


def test_the_files_are_the_pinned_ones() -> None:
    for name, digest in FILES.values():
        assert sha256((folder() / name).read_bytes()) == digest


@pytest.mark.parametrize("level", LEVELS)
def test_documents_queries_and_judgments_are_counted(
    judged: dict[str, dict[str, int]], scored: dict[int, Scored], level: int
) -> None:
    counts = scored[level].corpus.counts
    grades = Counter(grade for of in judged.values() for grade in of.values())
    assert grades == {0: 225, 1: 363, 2: 734, 3: 387, 4: 128}
    assert (counts.documents, counts.queries) == (1400, QUERIES[level])
    ids = sorted(query for query, of in judged.items() if max(of.values()) >= level)
    assert counts.query_hash == sha256("".join(f"{one}\n" for one in ids).encode())
    assert counts.exclusions == {
        "unjudged": 0,
        "not-asked": 0,
        "no-relevant": 225 - QUERIES[level],
        "too-few-relevant": 0,
    }
    assert counts.judgments is not None
    assert counts.judgments.judgments == grades.total() == 1837
    assert counts.judgments.relevant == sum(n for grade, n in grades.items() if grade >= level)
    assert (counts.judgments.missing_documents, counts.judgments.repeated) == (0, 0)


def test_documents_without_a_word_are_documents(scored: dict[int, Scored]) -> None:
    documents = scored[1].corpus.documents
    assert [one.id for one in documents if not one.text.strip()] == ["471", "995"]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_rank_is_that_of_the_first_relevant_document(
    judged: dict[str, dict[str, int]],
    orders: Orders,
    scored: dict[int, Scored],
    policy: str,
    level: int,
) -> None:
    ranks = scored[level].ranks(policy)
    assert len(ranks) == QUERIES[level]
    for query, rank in ranks.items():
        order = orders[query][policy]
        places = (at for at, one in enumerate(order, start=1) if judged[query].get(one, 0) >= level)
        assert rank == next(places)
    assert scored[level].overall(policy).not_found == 0
    assert set(scored[level].depths(policy).values()) == {1400}


@pytest.mark.parametrize("policy", POLICIES)
def test_the_unjudged_on_the_pages_read_are_those_that_stand_in_no_judgment(
    judged: dict[str, dict[str, int]], orders: Orders, scored: dict[int, Scored], policy: str
) -> None:
    for level, one in scored.items():
        for size in SIZES:
            total = emitted = 0
            counts = one.unjudged(policy, size)
            for query, rank in one.ranks(policy).items():
                read = orders[query][policy][: math.ceil(rank / size) * size]
                unjudged = sum(document not in judged[query] for document in read)
                assert counts[query] == unjudged, (level, size, query)
                total, emitted = total + unjudged, emitted + len(read)
            found = one.overall(policy).at(size)
            assert (found.unjudged, found.emitted) == (total, emitted)


@pytest.mark.parametrize("policy", POLICIES)
def test_what_a_policy_delivers_is_its_whole_order(
    orders: Orders, runs: dict[str, dict[str, dict[str, float]]], policy: str
) -> None:
    for query, found in runs[policy].items():
        assert list(found) == list(orders[query][policy][:CUT])


@pytest.fixture(scope="module")
def rescored(
    runs: dict[str, dict[str, dict[str, float]]], tmp_path_factory: pytest.TempPathFactory
) -> dict[int, Scored]:
    """The policies once more, as runs, by relevance level."""
    made = tmp_path_factory.mktemp("cranfield")
    corpus = corpus_json()
    for part, (name, _) in FILES.items():
        corpus[part] = pin(made, name, (folder() / name).read_bytes())
    policies = {}
    for policy, by_query in runs.items():
        lines = (
            f"{query} Q0 {document} {CUT + 1 - int(number)} {number} {policy}\n"
            for query, of in by_query.items()
            for document, number in of.items()
        )
        policies[policy] = run_of(made, f"{policy}.run", "".join(lines))
    return {
        level: score(collection_plan({**corpus, "relevance_level": level}, policies), made)
        for level in LEVELS
    }


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_order_as_a_run_has_the_same_ranks_as_far_as_it_was_cut(
    scored: dict[int, Scored], rescored: dict[int, Scored], policy: str
) -> None:
    for level in LEVELS:
        expected = scored[level].ranks(policy)
        assert rescored[level].ranks(policy) == {
            query: rank if rank <= CUT else 0 for query, rank in expected.items()
        }
        assert set(rescored[level].depths(policy).values()) == {CUT}
        for size in (1, 2, 5):
            assert rescored[level].overall(policy).at(size).searches is None


@pytest.mark.parametrize("policy", POLICIES)
def test_the_ranks_of_a_run_are_those_behind_ir_measures_reciprocal_ranks(
    judged: dict[str, dict[str, int]],
    runs: dict[str, dict[str, dict[str, float]]],
    rescored: dict[int, Scored],
    policy: str,
) -> None:
    ir_measures = library("ir_measures")
    measures = {ir_measures.RR(rel=level): level for level in LEVELS}
    given = {
        (measures[one.measure], one.query_id): one.value
        for one in ir_measures.iter_calc(list(measures), judged, runs[policy])
    }
    for level in LEVELS:
        ranks = rescored[level].ranks(policy)
        assert len(ranks) == QUERIES[level]
        for query, rank in ranks.items():
            assert given[level, query] == (1 / rank if rank else 0)
        lost = judged.keys() - ranks.keys()
        assert {given[level, query] for query in lost} <= {0}
        mrr = sum(given[level, query] for query in ranks) / len(ranks)
        assert math.isclose(rescored[level].overall(policy).quality.mrr, mrr, abs_tol=1e-12)
