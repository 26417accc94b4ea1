"""TREC 2003 Robust: its official judgments and three of its runs, ranked as trec_eval ranks them.

Every topic of every run is held against pytrec_eval, which wraps trec_eval itself, over files that
are read here line by line.
"""

from __future__ import annotations

import gzip
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from pagecost.model import Run
from tests.builders import sha256, shared_data
from tests.collection_builders import Scored, collection_plan, library, run_of, score, trec_corpus

RUNS = {
    # run: sha256 of its file, documents a topic
    "THUIRr0301": ("6c6751fbd6481ab7ddb201af05fda682a6c4a735335c61522ccf73e9ccdaac5e", 1000),
    "aplrob03a": ("0efad3c9ccf250aa72ba02c3aa5c5fbda7e79754d80ba7a20d123a4e82e0d1c6", 1000),
    "humR03dc": ("06fad7648f2970e9f0c04510b6639a273bcca96297e4ec2699d3c055046926f2", 100),
}
QRELS = "45e34dd11e5c907798b5aa1826598260bf8d5e5a460d5a2a4bf0d847c5898849"
NOT_FOUND = {
    # run: topics at relevance level 1, and at level 2
    "THUIRr0301": {1: 0, 2: 0},
    "aplrob03a": {1: 0, 2: 0},
    "humR03dc": {1: 2, 2: 2},
}
SIZES = [1, 10, 20, 50]
LEVELS = [1, 2]


def folder() -> Path:
    return shared_data("robust03")


def lines(name: str) -> list[list[str]]:
    text = gzip.decompress((folder() / name).read_bytes()).decode()
    return [line.split() for line in text.splitlines()]


Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def judged() -> Grades:
    """By topic and document, its grade."""
    found: Grades = {}
    for topic, _, document, grade in lines("qrels.txt.gz"):
        found.setdefault(topic, {})[document] = int(grade)
    return found


@pytest.fixture(scope="module")
def delivered() -> dict[str, Scores]:
    """By run, topic and document, its score."""
    found: dict[str, Scores] = {}
    for run in RUNS:
        scores: Scores = found.setdefault(run, {})
        for topic, _, document, _, score_of, _ in lines(f"{run}.run.gz"):
            of = scores.setdefault(topic, {})
            assert document not in of
            of[document] = float(score_of)
    return found


@pytest.fixture(scope="module", params=LEVELS)
def level(request: pytest.FixtureRequest) -> int:
    made: int = request.param
    return made


@pytest.fixture(scope="module")
def scored(level: int) -> Scored:
    """All runs against the judgments, at that relevance level."""
    policies = {run: run_of(folder(), f"{run}.run.gz") for run in RUNS}
    corpus = trec_corpus(folder(), name="qrels.txt.gz", relevance_level=level)
    made = collection_plan(corpus, policies, page_sizes=SIZES, primary_page_size=10)
    return score(made, folder())


@pytest.fixture(scope="module")
def reciprocal(
    judged: Grades, delivered: dict[str, Scores], level: int
) -> dict[str, dict[str, float]]:
    """By run and topic, trec_eval's reciprocal rank."""
    evaluator = library("pytrec_eval").RelevanceEvaluator(
        judged, {"recip_rank"}, relevance_level=level
    )
    return {
        run: {topic: found["recip_rank"] for topic, found in evaluator.evaluate(scores).items()}
        for run, scores in delivered.items()
    }


def test_the_files_are_the_official_ones() -> None:
    assert sha256((folder() / "qrels.txt.gz").read_bytes()) == QRELS
    for run, (digest, _) in RUNS.items():
        assert sha256((folder() / f"{run}.run.gz").read_bytes()) == digest


def test_topics_without_a_relevant_document_are_left_out_and_counted(
    judged: Grades, scored: Scored, level: int
) -> None:
    expected = sorted(topic for topic, of in judged.items() if max(of.values()) >= level)
    assert [row.query_id for row in scored.table.rows] == expected
    assert len(expected) == {1: 100, 2: 43}[level]
    left_out = scored.corpus.counts.exclusions
    assert left_out == {
        "unjudged": 0,
        "not-asked": 0,
        "no-relevant": 100 - len(expected),
        "too-few-relevant": 0,
    }
    assert [row.relevant for row in scored.table.rows] == [
        sum(grade >= level for grade in judged[topic].values()) for topic in expected
    ]


def test_the_judgments_are_counted(judged: Grades, scored: Scored, level: int) -> None:
    counts = scored.corpus.counts.judgments
    assert counts is not None
    grades = Counter(grade for of in judged.values() for grade in of.values())
    assert grades == {0: 122_722, 1: 5667, 2: 407}
    assert (counts.judgments, counts.relevant) == (
        128_796,
        sum(count for grade, count in grades.items() if grade >= level),
    )
    repairs = (counts.repeated, counts.negative, counts.carriage_returns, counts.blank)
    assert (*repairs, counts.byte_order_mark, counts.missing_documents) == (0,) * 6


@pytest.mark.parametrize("run", RUNS)
def test_every_rank_is_the_one_behind_trec_evals_reciprocal_rank(
    scored: Scored, reciprocal: dict[str, dict[str, float]], run: str
) -> None:
    ranks = scored.ranks(run)
    assert ranks.keys() <= reciprocal[run].keys()
    for topic, rank in ranks.items():
        given = reciprocal[run][topic]
        if not rank:
            assert given == 0
        else:
            assert rank == round(1 / given)
            assert 1 / rank == given


@pytest.mark.parametrize("run", RUNS)
def test_a_topic_is_not_found_where_its_run_holds_nothing_relevant(
    judged: Grades, delivered: dict[str, Scores], scored: Scored, level: int, run: str
) -> None:
    missing = [
        topic
        for topic in scored.ranks(run)
        if all(judged[topic].get(one, 0) < level for one in delivered[run][topic])
    ]
    assert [topic for topic, rank in scored.ranks(run).items() if not rank] == missing
    assert scored.overall(run).not_found == len(missing) == NOT_FOUND[run][level]


@pytest.mark.parametrize("run", RUNS)
def test_a_run_is_as_deep_as_it_was_cut_in_every_topic(
    delivered: dict[str, Scores], scored: Scored, run: str
) -> None:
    depths = scored.depths(run)
    assert depths == {topic: len(delivered[run][topic]) for topic in depths}
    assert set(depths.values()) == {RUNS[run][1]}


def ordered(scores: dict[str, float]) -> list[str]:
    """Documents as trec_eval orders them: by score, then by id, both descending.

    Here as doubles: in these runs no scores of a topic tie that differ as such, as the count of
    ties below shows.
    """
    return sorted(scores, key=lambda one: (scores[one], one), reverse=True)


@pytest.mark.parametrize("target", ["5 relevant documents", "all relevant documents"])
def test_several_relevant_documents_are_met_where_the_last_one_stands(
    judged: Grades, delivered: dict[str, Scores], target: str
) -> None:
    policies = {run: run_of(folder(), f"{run}.run.gz") for run in RUNS}
    corpus = trec_corpus(folder(), name="qrels.txt.gz")
    scored = score(collection_plan(corpus, policies, target=target), folder())
    relevant = {topic: sum(grade > 0 for grade in of.values()) for topic, of in judged.items()}
    wanted = {
        topic: 5 if target.startswith("5") else count
        for topic, count in relevant.items()
        if target.startswith("all") or count >= 5
    }
    assert scored.corpus.counts.exclusions["too-few-relevant"] == 100 - len(wanted)
    for run in RUNS:
        ranks = scored.ranks(run)
        assert ranks.keys() == wanted.keys()
        assert any(ranks.values())
        for topic, rank in ranks.items():
            grades = (judged[topic].get(one, 0) for one in ordered(delivered[run][topic]))
            places = [place for place, grade in enumerate(grades, start=1) if grade > 0]
            found = len(places) >= wanted[topic]
            assert rank == (places[wanted[topic] - 1] if found else 0)


@pytest.mark.parametrize("run", RUNS)
def test_the_unjudged_on_the_pages_read_are_those_that_stand_in_no_judgment(
    judged: Grades, delivered: dict[str, Scores], scored: Scored, run: str
) -> None:
    for topic, rank in scored.ranks(run).items():
        order = ordered(delivered[run][topic])
        for size in SIZES:
            read = order[: -(-(rank or len(order)) // size) * size]
            expected = sum(one not in judged[topic] for one in read)
            assert scored.unjudged(run, size)[topic] == expected


@pytest.mark.parametrize("run", RUNS)
def test_what_reading_a_run_took_is_counted(
    delivered: dict[str, Scores], scored: Scored, run: str
) -> None:
    ranking = scored.plan.policy(run).ranking
    assert isinstance(ranking, Run)
    pins = scored.corpus.runs[ranking].pins
    asked = scored.ranks(run).keys()
    tied = contradicts = 0
    ranks: dict[str, list[tuple[int, float]]] = {}
    for topic, _, _, rank, score_of, _ in lines(f"{run}.run.gz"):
        ranks.setdefault(topic, []).append((int(rank), float(score_of)))
    for topic in asked:
        shared = Counter(delivered[run][topic].values())
        tied += sum(count for count in shared.values() if count > 1)
        pairs = sorted(ranks[topic], key=lambda pair: (pair[0], -pair[1]))
        falls = [(one[1], other[1]) for one, other in pairwise(pairs)]
        contradicts += any(one < other for one, other in falls)
    assert (pins.lines, pins.topics) == (len(lines(f"{run}.run.gz")), len(asked))
    assert pins.deepest == pins.shallowest == RUNS[run][1]
    assert pins.missing_topics == 0
    assert pins.unjudged_topics == 100 - len(asked)
    assert pins.unjudged_lines == (100 - len(asked)) * RUNS[run][1]
    assert (pins.tied, pins.rank_contradicts) == (tied, contradicts)
    assert (pins.repeated, pins.scattered, pins.ranks_unreadable) == (0, 0, 0)
    assert (pins.extra_fields, pins.carriage_returns, pins.blank, pins.byte_order_mark) == (0,) * 4
