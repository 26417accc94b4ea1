"""trec_eval's own test data: two files of judgments, and two runs that are not tidy.

`results.test` has its lines in no order; `results.trunc` is scattered and cut too, and has junk at
the end of lines. Every topic is held against pytrec_eval, and each repair against a count made
here.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, groupby
from pathlib import Path

import pytest

from pagecost.model import Run, RunPins
from tests.builders import sha256, shared_data
from tests.collection_builders import Scored, collection_plan, library, run_of, score, trec_corpus

FILES = {
    "qrels.test": "6c44a070a10bfb14b123cadc597227fc63c1acec109bc6d1e5a6bc4763906698",
    "qrels.rel_level": "4430ec2026fcb964851e03bd73df21daf27e7ef4783d20ad63634182bc9df843",
    "results.test": "69019319f6cb9ce861b4ad08d90898170d3d2b27da580fb3cba59e557ff2fd20",
    "results.trunc": "4a85d6b7b21b69b59728fa0aa7452199640f70d96529b86d0cca8f9c9292e438",
}
RUNS = {"whole": "results.test", "cut": "results.trunc"}
CASES = [("qrels.test", 1), *(("qrels.rel_level", level) for level in (1, 2, 3, 4))]
SIZES = [1, 5, 20]


def folder() -> Path:
    return shared_data("trec_eval")


def fields(name: str) -> list[list[str]]:
    return [line.split() for line in (folder() / name).read_text(encoding="ascii").splitlines()]


def judgments(name: str) -> dict[str, dict[str, int]]:
    """By topic and document, its grade."""
    found: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in fields(name):
        found.setdefault(topic, {})[document] = int(grade)
    return found


def scores(name: str) -> dict[str, dict[str, float]]:
    """By topic and document, its score."""
    found: dict[str, dict[str, float]] = {}
    for topic, _, document, _, number, *_ in fields(name):
        found.setdefault(topic, {})[document] = float(number)
    return found


def scored(qrels: str, level: int = 1) -> Scored:
    policies = {policy: run_of(folder(), file) for policy, file in RUNS.items()}
    corpus = trec_corpus(folder(), name=qrels, relevance_level=level)
    made = collection_plan(corpus, policies, page_sizes=SIZES, primary_page_size=5)
    return score(made, folder())


def pins(found: Scored, policy: str) -> RunPins:
    ranking = found.plan.policy(policy).ranking
    assert isinstance(ranking, Run)
    return found.corpus.runs[ranking].pins


def test_the_files_are_those_of_trec_eval() -> None:
    assert {name: sha256((folder() / name).read_bytes()) for name in FILES} == FILES


@pytest.mark.parametrize("policy", RUNS)
@pytest.mark.parametrize(("qrels", "level"), CASES)
def test_every_rank_is_the_one_behind_trec_evals_reciprocal_rank(
    qrels: str, level: int, policy: str
) -> None:
    judged = judgments(qrels)
    evaluator = library("pytrec_eval").RelevanceEvaluator(
        judged, {"recip_rank"}, relevance_level=level
    )
    given = evaluator.evaluate(scores(RUNS[policy]))
    ranks = scored(qrels, level).ranks(policy)
    assert list(ranks) == [
        topic for topic in ("301", "302", "303") if max(judged[topic].values()) >= level
    ]
    for topic, rank in ranks.items():
        reciprocal = given[topic]["recip_rank"] if topic in given else 0
        if not rank:
            assert reciprocal == 0
        else:
            assert rank == round(1 / reciprocal)
            assert 1 / rank == reciprocal


def test_the_ranks_themselves() -> None:
    found = scored("qrels.test")
    assert found.ranks("whole") == {"301": 6, "302": 1, "303": 19}
    assert found.ranks("cut") == {"301": 6, "302": 0, "303": 3}
    found = scored("qrels.rel_level", 3)
    assert found.ranks("whole") == {"301": 307, "302": 1}
    assert found.ranks("cut") == {"301": 307, "302": 0}


def test_a_topic_that_the_cut_run_lacks_is_not_found_at_depth_0() -> None:
    found = scored("qrels.test")
    assert found.ranks("cut")["302"] == 0
    assert found.depths("whole") == {"301": 500, "302": 500, "303": 500}
    assert found.depths("cut") == {"301": 500, "302": 0, "303": 84}
    assert [found.unjudged("cut", size)["302"] for size in SIZES] == [0, 0, 0]


@pytest.mark.parametrize(("qrels", "level"), CASES)
def test_the_judgments_are_counted(qrels: str, level: int) -> None:
    found = scored(qrels, level).corpus.counts
    grades = Counter(grade for of in judgments(qrels).values() for grade in of.values())
    assert found.judgments is not None
    assert found.judgments.judgments == len(fields(qrels)) == 3681
    assert found.judgments.relevant == sum(n for grade, n in grades.items() if grade >= level)
    assert found.judgments.negative == grades[-1] == (304 if qrels == "qrels.rel_level" else 0)
    assert found.exclusions["no-relevant"] == 3 - found.queries


@pytest.mark.parametrize("policy", RUNS)
@pytest.mark.parametrize("qrels", ["qrels.test", "qrels.rel_level"])
def test_the_unjudged_are_those_that_stand_in_no_judgment(qrels: str, policy: str) -> None:
    found, judged, of = scored(qrels), judgments(qrels), scores(RUNS[policy])
    for topic, rank in found.ranks(policy).items():
        given = of.get(topic, {})
        order = sorted(given, key=lambda one: (given[one], one), reverse=True)
        for size in SIZES:
            read = order[: -(-(rank or len(order)) // size) * size]
            expected = sum(one not in judged[topic] for one in read)
            assert found.unjudged(policy, size)[topic] == expected


@pytest.mark.parametrize("policy", RUNS)
def test_each_repair_is_counted(policy: str) -> None:
    rows = fields(RUNS[policy])
    stretches = [topic for topic, _ in groupby(row[0] for row in rows)]
    by_topic = {topic: [row for row in rows if row[0] == topic] for topic in stretches}
    shared = {topic: Counter(float(row[4]) for row in of) for topic, of in by_topic.items()}
    contradicts = 0
    for of in by_topic.values():
        pairs = [(int(row[3]), float(row[4])) for row in of]
        contradicts += any(
            (one[0] - other[0]) * (one[1] - other[1]) > 0 for one, other in combinations(pairs, 2)
        )
    assert pins(scored("qrels.test"), policy) == RunPins(
        lines=len(rows),
        topics=len(by_topic),
        deepest=max(map(len, by_topic.values())),
        shallowest=min(map(len, by_topic.values())) if len(by_topic) == 3 else 0,
        missing_topics=3 - len(by_topic),
        repeated=sum(len(of) - len({row[2] for row in of}) for of in by_topic.values()),
        tied=sum(n for counts in shared.values() for n in counts.values() if n > 1),
        rank_contradicts=contradicts,
        scattered=sum(n > 1 for n in Counter(stretches).values()),
        extra_fields=sum(len(row) > 6 for row in rows),
    )


def test_the_runs_are_as_untidy_as_was_said() -> None:
    whole, cut = (pins(scored("qrels.test"), policy) for policy in RUNS)
    assert (whole.extra_fields, whole.scattered, whole.missing_topics) == (0, 0, 0)
    assert (cut.extra_fields, cut.scattered, cut.missing_topics) == (5, 2, 1)
    assert (whole.lines, whole.rank_contradicts, whole.tied) == (1500, 0, 19)
    assert (cut.lines, cut.rank_contradicts, cut.tied) == (584, 0, 12)


def test_lines_about_a_topic_left_out_by_its_grades_are_counted_as_unjudged() -> None:
    found = scored("qrels.rel_level", 3)
    assert list(found.ranks("whole")) == ["301", "302"]
    whole, cut = (pins(found, policy) for policy in RUNS)
    assert (whole.unjudged_topics, whole.unjudged_lines, whole.topics) == (1, 500, 2)
    assert (cut.unjudged_topics, cut.unjudged_lines, cut.topics) == (1, 84, 1)
