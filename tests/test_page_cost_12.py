"""The published experiment 12, reproduced: every figure that its method states, exactly.

The figures here are typed in from the published method. From the committed ranks they are counted
again without the package's own arithmetic; from the pinned sources, where those are at hand, the
ranks themselves are made again.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost import export, replay, versions
from pagecost.corpora.archives import ArchivesSource, archive_path
from pagecost.corpora.build import check_pins
from pagecost.errors import InputError
from pagecost.model import ArchivesCorpus, Corpus, Plan, Results
from pagecost.project import VersionFolder
from pagecost.text import tokens
from tests.builders import ROOT, sha256, shared_data
from tests.oracle import nearest_rank, page_by_page

FOLDER = ROOT / "site" / "page-cost"
DOCUMENTS, QUERIES = 3009, 2948
ETCD, INFRA, LXD = "etcd-io/etcd", "kubernetes/test-infra", "lxc/lxd"
SOURCES = {
    # repository: revision, archive's sha256, licence file and its sha256, our repacking's sha256
    INFRA: (
        "8125fbda10178887be5dff9e901d6a0a519b67bc",
        "a7eb03b988784e9bea3bb6fcb5d43e3d7559bd70564db0c5b0aac46d56bda714",
        "LICENSE",
        "9c5490f258dba85c52aa747e9d4936f84d56415f67c935a854b12d6571632161",
        "b3107e8697586bb290bbdebdbe15a99ea86234003c69ac425a71615a2f233e2a",
    ),
    LXD: (
        "7a41d14e4c1a6bc25918aca91004d594774dcdd3",
        "2b0487e81e97b6f06663ab4c9bb9d783126b0147ad5029a02c7f33595509d6b9",
        "COPYING",
        "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
        "b654759096e4ebb474cad2a848f0756f623bd6edd68ebb55072a7ed826f72739",
    ),
    ETCD: (
        "616592d9ba993e3fe9798eef581316016df98906",
        "fa857b268cadde9a7ce136bb449c22f5e8f60b64cd7c22bfea67612cfeb34d78",
        "LICENSE",
        "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
        "c8921d43bede0885d5edcebe47152c5ae0cff6b1fd73ab2d14147f033546472c",
    ),
}
MEMBERSHIP = "3a6d161ac50e16f18b841645968f47af32055350e460c99a96d733ff217ff37d"
QUERY_HASH = "9ecfb692ca9a979ee10bd8e7f899bc2df5009cdb5ab27e96b6489e565e783b75"
PLAN_SHA = "1f032277cf53571f93defdeeb20a5718ea866f538645975fbd4da156ad293b63"
RESULTS_SHA = "cd0810943256e1946219a4c482574643d344cc86606bc2e716510e188d0ed3b9"
PLAN_COMMIT = "afd5274f0f844b25f253e4eacc137c0c6f77aebd"
RESULTS_COMMIT = "46f811ab7e69f4f0985cc02f39a6015a511f6e57"
COUNTS = {  # documents, queries
    ETCD: (815, 806),
    INFRA: (1182, 1152),
    LXD: (1012, 990),
}
EXCLUSIONS = {
    ETCD: {"generated": 20, "header": 1},
    INFRA: {"generated": 43, "query": 1},
    LXD: {"notice": 14, "header": 7},
}
BASE, IDENTIFIERS = "baseline", "identifiers"
HELPER, IDENTIFIERS_FIRST = "identifier_baseline_first", "identifier_first"
TABLE = {  # Recall@1, Recall@10, MRR to 13 digits, mean rank, pages at 20
    BASE: (0.417910447761194, 0.748303934871099, 0.5336131485420, 48.98880597014925, 9488),
    IDENTIFIERS: (
        0.3921302578018996, 0.7727272727272727, 0.5261661213912, 30.002035278154683, 6711
    ),
    HELPER: (0.417910447761194, 0.8137720488466758, 0.5600617377693, 26.698439620081412, 6287),
    IDENTIFIERS_FIRST: (
        0.3921302578018996, 0.8151289009497965, 0.5478735822967, 26.711668928086837, 6292
    ),
}  # fmt: skip
BETTER_WORSE_SAME = {ETCD: (213, 173, 420), INFRA: (268, 230, 654), LXD: (252, 271, 467)}


class Recorded:
    """A committed version of the experiment: its files, and its ranks as plain numbers."""

    def __init__(self, version: str) -> None:
        folder = FOLDER / version
        self.version = versions.load(VersionFolder("page-cost", version, folder))
        text = (folder / "ranks.csv").read_text(encoding="utf-8")
        self.rows = list(csv.DictReader(io.StringIO(text, newline="")))
        names = [policy.name for policy in self.version.plan.policies]
        self.ranks = {name: [int(row[name]) for row in self.rows] for name in names}

    @property
    def plan(self) -> Plan:
        return self.version.plan

    @property
    def corpus(self) -> ArchivesCorpus:
        assert isinstance(self.plan.corpus, ArchivesCorpus)
        return self.plan.corpus

    @property
    def results(self) -> Results:
        assert self.version.record is not None
        return self.version.record.results

    def of(self, policy: str, **field: str) -> list[int]:
        """The ranks of the queries whose row has those values."""
        return [
            rank
            for row, rank in zip(self.rows, self.ranks[policy], strict=True)
            if all(row[name] == value for name, value in field.items())
        ]


@pytest.fixture(scope="module")
def twelve() -> Recorded:
    return Recorded("12")


@pytest.fixture(scope="module")
def more() -> Recorded:
    """Version 12.1: the same corpus and queries under six policies."""
    return Recorded("12.1")


def recall(ranks: Sequence[int], k: int) -> float:
    return sum(rank <= k for rank in ranks) / len(ranks)


def mrr(ranks: Sequence[int]) -> float:
    return math.fsum(1 / rank for rank in ranks) / len(ranks)


def mean(ranks: Sequence[int]) -> float:
    return sum(ranks) / len(ranks)


# --- What was published, and what is pinned of it -------------------------------------------------


def test_the_plan_names_the_published_experiment(twelve: Recorded) -> None:
    origin = twelve.plan.origin
    assert origin is not None
    assert (twelve.plan.kind, twelve.plan.key) == ("replication", "page-cost@12")
    assert origin.url.startswith("https://github.com/teamswyg/laya-tools/")
    assert (origin.plan.commit, origin.plan.sha256) == (PLAN_COMMIT, PLAN_SHA)
    assert (origin.results.commit, origin.results.sha256) == (RESULTS_COMMIT, RESULTS_SHA)
    assert origin.results.export == "results-12"
    for file in (origin.plan, origin.results):
        assert file.commit in file.url
    assert "experiments/retrieval-baseline" in (origin.note or "")


def test_both_versions_pin_the_published_sources(twelve: Recorded, more: Recorded) -> None:
    for recorded in (twelve, more):
        found = {
            one.repository: (one.revision, one.sha256, one.licence.path, one.licence.sha256)
            for one in recorded.corpus.archives
        }
        assert found == {name: source[:4] for name, source in SOURCES.items()}
        assert recorded.corpus.refuse_multiple
    assert twelve.corpus == more.corpus


def test_the_pins_are_the_published_counts_and_hashes(twelve: Recorded) -> None:
    pins = twelve.corpus.pins
    assert pins is not None
    assert (pins.documents, pins.queries) == (DOCUMENTS, QUERIES)
    assert (pins.membership, pins.query_hash) == (MEMBERSHIP, QUERY_HASH)
    assert {row.name: (row.documents, row.queries) for row in pins.repositories} == COUNTS
    assert pins.strata == {"name-present": 2604, "name-absent": 344}
    assert pins.exclusions == {"code": 0, "generated": 63, "notice": 14, "header": 8, "query": 1}
    assert twelve.results.corpus == pins


def test_the_plan_is_that_of_the_published_method(twelve: Recorded, more: Recorded) -> None:
    assert twelve.plan.page_sizes == [1, 5, 10, 20, 50]
    assert twelve.plan.primary_page_size == 20
    assert (twelve.plan.baseline, twelve.plan.primary_policy) == (BASE, HELPER)
    bm25 = {"kind": "bm25", "k1": 1.2, "b": 0.75}
    raw, split = {**bm25, "text": "raw"}, {**bm25, "text": "identifiers"}
    made = {
        policy.name: msgspec.to_builtins(policy.ranking)
        for recorded in (twelve, more)
        for policy in recorded.plan.policies
    }
    assert made[BASE] == raw
    assert made[IDENTIFIERS] == split
    assert made[HELPER] == {"kind": "interleave", "first": BASE, "second": IDENTIFIERS}
    assert made[IDENTIFIERS_FIRST] == {"kind": "interleave", "first": IDENTIFIERS, "second": BASE}
    assert made["deferred"] == {"kind": "deferred", "first": BASE, "second": HELPER, "after": 20}
    helper = msgspec.to_builtins(twelve.plan.policy(HELPER).ranking)
    assert helper == {"kind": "interleave", "first": BASE, "second": split}


def test_the_plan_carries_the_published_caveats(twelve: Recorded) -> None:
    said = " ".join([twelve.plan.caveat, *twelve.plan.not_measured, *twelve.plan.assumptions])
    for words in (
        "documentation comments",
        "not 24 questions",
        "An oracle recognises the first known target",
        "unjudged",
        "CPU time, latency, power, GPU cost or billed tokens",
        "stateless",
        "rises at every page size tested",
        "exchange rate",
        "not independent draws",
        "repositories are the unit of separation",
        "No learned policy is shown to be optimal",
        "no default changes",
    ):
        assert words in said


# --- Counted again from the committed ranks -------------------------------------------------------


def test_the_ranks_are_those_of_the_published_queries(twelve: Recorded, more: Recorded) -> None:
    for recorded in (twelve, more):
        ids = [row["query_id"] for row in recorded.rows]
        assert len(ids) == QUERIES
        assert ids == sorted(set(ids))
        assert sha256("".join(f"{one}\n" for one in ids).encode()) == QUERY_HASH
        found = Counter(row["repository"] for row in recorded.rows)
        assert found == {name: queries for name, (_, queries) in COUNTS.items()}
        strata = Counter(row["stratum"] for row in recorded.rows)
        assert strata == {"name-present": 2604, "name-absent": 344}
        assert sum(int(row["relevant"]) for row in recorded.rows) == DOCUMENTS
        assert sum(int(row["relevant"]) > 1 for row in recorded.rows) == 52
        for ranks in recorded.ranks.values():
            assert 1 <= min(ranks) <= max(ranks) <= DOCUMENTS


def test_both_versions_hold_the_same_ranks_where_they_share_a_policy(
    twelve: Recorded, more: Recorded
) -> None:
    for name, ranks in twelve.ranks.items():
        assert ranks == more.ranks[name]
    fixed = [name for name in twelve.rows[0] if name not in twelve.ranks]
    assert [[row[name] for name in fixed] for row in twelve.rows] == [
        [row[name] for name in fixed] for row in more.rows
    ]


@pytest.mark.parametrize("policy", TABLE)
def test_every_figure_of_the_published_table(more: Recorded, policy: str) -> None:
    recall_1, recall_10, published_mrr, mean_rank, pages = TABLE[policy]
    ranks = more.ranks[policy]
    assert recall(ranks, 1) == recall_1
    assert recall(ranks, 10) == recall_10
    assert abs(mrr(ranks) - published_mrr) < 1e-12
    assert mean(ranks) == mean_rank
    assert sum(math.ceil(rank / 20) for rank in ranks) == pages
    recorded = more.results.overall.policy(policy)
    assert (recorded.quality.recall_at_1, recorded.quality.recall_at_10) == (recall_1, recall_10)
    assert abs(recorded.quality.mrr - published_mrr) < 1e-12
    assert recorded.quality.mean_rank == mean_rank
    assert recorded.at(20).pages == pages
    assert (recorded.found, recorded.not_found) == (QUERIES, 0)


def test_the_baselines_other_figures(twelve: Recorded) -> None:
    ranks = twelve.ranks[BASE]
    quality = twelve.results.overall.policy(BASE).quality
    assert recall(ranks, 5) == quality.recall_at_5 == 0.6648575305291723
    assert nearest_rank(ranks, 50) == quality.median_rank == 2
    assert nearest_rank(ranks, 95) == quality.p95_rank == 161


@pytest.mark.parametrize(
    ("stratum", "mean_rank"),
    [("name-present", 19.115591397849464), ("name-absent", 275.1220930232558)],
)
def test_the_baselines_mean_rank_by_stratum(
    twelve: Recorded, stratum: str, mean_rank: float
) -> None:
    assert mean(twelve.of(BASE, stratum=stratum)) == mean_rank
    (group,) = [group for group in twelve.results.groups if group.name == stratum]
    assert group.policy(BASE).quality.mean_rank == mean_rank


@pytest.mark.parametrize("repository", BETTER_WORSE_SAME)
def test_where_the_helper_ranks_better_worse_and_the_same(
    twelve: Recorded, repository: str
) -> None:
    pairs = list(
        zip(
            twelve.of(HELPER, repository=repository),
            twelve.of(BASE, repository=repository),
            strict=True,
        )
    )
    better, worse = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    assert (better, worse, len(pairs) - better - worse) == BETTER_WORSE_SAME[repository]
    (group,) = [group for group in twelve.results.groups if group.name == repository]
    found = group.policy(HELPER).at(1).on_pages  # at one candidate a page, pages are ranks
    assert (found.win, found.loss, found.tie) == BETTER_WORSE_SAME[repository]
    assert group.queries == COUNTS[repository][1]


def test_pages_and_candidates_fall_by_a_third_and_the_proxy_rises_by_a_third(
    twelve: Recorded,
) -> None:
    base, helper = (twelve.results.overall.policy(name).at(20) for name in (BASE, HELPER))
    assert round(100 * (helper.pages / base.pages - 1), 1) == -33.7
    assert round(100 * (helper.emitted / base.emitted - 1), 1) == -33.7
    assert base.searches is not None
    assert helper.searches is not None
    assert round(100 * (helper.searches / base.searches - 1), 1) == 32.5


def searches_of_page(policy: str, ends_at: int) -> int:
    if policy == "deferred":
        return 1 if ends_at <= 20 else 2
    return 2 if policy in (HELPER, IDENTIFIERS_FIRST) else 1


@pytest.mark.parametrize("size", [1, 5, 10, 20, 50])
def test_every_cost_is_what_serving_page_by_page_comes_to(more: Recorded, size: int) -> None:
    base: list[tuple[int, int, int]] = []
    for policy, ranks in more.ranks.items():
        costs = [
            page_by_page(rank, size, DOCUMENTS, partial(searches_of_page, policy)) for rank in ranks
        ]
        base = base or costs
        found = more.results.overall.policy(policy).at(size)
        assert [found.pages, found.emitted, found.searches] == [
            sum(cost[kind] for cost in costs) for kind in range(3)
        ]
        for outcomes, kind in ((found.on_pages, 0), (found.on_searches, 2)):
            assert outcomes is not None
            pairs = [(cost[kind], other[kind]) for cost, other in zip(costs, base, strict=True)]
            assert outcomes.win == sum(a < b for a, b in pairs)
            assert outcomes.loss == sum(a > b for a, b in pairs)
            assert outcomes.tie == sum(a == b for a, b in pairs)


def test_no_interleaving_ranks_a_target_later_than_it_may(more: Recorded) -> None:
    for base, split, helper, other, deferred in zip(
        *(more.ranks[name] for name in (BASE, IDENTIFIERS, HELPER, IDENTIFIERS_FIRST, "deferred")),
        strict=True,
    ):
        assert helper <= min(DOCUMENTS, 2 * base - 1, 2 * split)
        assert other <= min(DOCUMENTS, 2 * split - 1, 2 * base)
        assert deferred == base if base <= 20 else deferred > 20


def test_the_record_is_the_published_one_to_the_byte(twelve: Recorded) -> None:
    data = export.results_12(twelve.plan, twelve.results)
    assert len(data) == 2058
    assert sha256(data) == RESULTS_SHA
    found = json.loads(data)
    assert (found["Questions"], found["Candidates"]) == (QUERIES, DOCUMENTS)


@pytest.mark.parametrize("version", ["12", "12.1"])
def test_the_results_follow_from_the_ranks_to_the_byte(version: str) -> None:
    replay.from_ranks(Recorded(version).version)


# --- From the published data ----------------------------------------------------------------------


def test_the_published_files_are_the_pinned_ones(twelve: Recorded) -> None:
    published = shared_data("page-cost-12")
    plan_12 = (published / "plan-12.json").read_bytes()
    assert (len(plan_12), sha256(plan_12)) == (814, PLAN_SHA)
    results_12 = (published / "results-12.json").read_bytes()
    assert (len(results_12), sha256(results_12)) == (2058, RESULTS_SHA)
    assert export.results_12(twelve.plan, twelve.results) == results_12
    projection = (published / "projection.csv").read_bytes()
    assert sha256(projection) == twelve.corpus.projection.sha256
    for version in ("12", "12.1"):
        assert (FOLDER / version / "projection.csv").read_bytes() == projection
    assert projection.count(b"\n") - 1 == 3095


@pytest.fixture(scope="module")
def filled(twelve: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the repacked sources."""
    sources = shared_data("page-cost-12", "sources")
    cache = tmp_path_factory.mktemp("page-cost-12")
    for archive in twelve.corpus.archives:
        path = archive_path(cache, archive)
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(sources / f"{archive.repository.split('/')[1]}.zip", path)
        assert sha256(path.read_bytes()) == SOURCES[archive.repository][4]
    return cache


@pytest.fixture(scope="module")
def corpus(twelve: Recorded, filled: Path) -> Corpus:
    return ArchivesSource(twelve.corpus, FOLDER / "12", filled, strict=False).load()


def test_the_corpus_is_the_published_one(twelve: Recorded, corpus: Corpus) -> None:
    assert twelve.corpus.pins is not None
    check_pins(corpus.counts, twelve.corpus.pins, "plan.json: $.corpus.pins")
    ids = [document.id for document in corpus.documents]
    assert ids == sorted(set(ids))
    assert sha256("".join(f"{one}\n" for one in ids).encode()) == MEMBERSHIP
    queries = [query.id for query in corpus.queries]
    assert sha256("".join(f"{one}\n" for one in queries).encode()) == QUERY_HASH
    assert sum(len(query.relevant) > 1 for query in corpus.queries) == 52
    found = Counter(document.repository for document in corpus.documents)
    assert found == {name: documents for name, (documents, _) in COUNTS.items()}


def test_each_repacked_archive_is_noted_and_strictly_refused(
    twelve: Recorded, filled: Path, corpus: Corpus
) -> None:
    assert [note.partition(":")[0] for note in corpus.notes] == [INFRA, LXD, ETCD]
    strict = ArchivesSource(twelve.corpus, FOLDER / "12", filled, strict=True)
    with pytest.raises(InputError, match="refused, since archives must match to the byte"):
        strict.load()


def test_the_code_has_the_published_size_as_it_stands_and_normalized(corpus: Corpus) -> None:
    assert sum(len(document.text.encode()) for document in corpus.documents) == 1_935_208
    split = (" ".join(tokens(document.text, "identifiers")) for document in corpus.documents)
    assert sum(len(text.encode()) for text in split) == 1_586_563


@pytest.mark.parametrize("repository", EXCLUSIONS)
def test_what_is_left_out_of_each_repository(
    twelve: Recorded, filled: Path, tmp_path: Path, repository: str
) -> None:
    lines = (FOLDER / "12" / "projection.csv").read_bytes().splitlines(keepends=True)
    own = lines[0] + b"".join(one for one in lines if one.startswith(f"{repository},".encode()))
    (tmp_path / "projection.csv").write_bytes(own)
    alone: Any = msgspec.to_builtins(twelve.corpus)
    alone["projection"]["sha256"] = sha256(own)
    alone["archives"] = [one for one in alone["archives"] if one["repository"] == repository]
    kind = msgspec.convert(alone, ArchivesCorpus)
    counts = ArchivesSource(kind, tmp_path, filled, strict=False).load().counts
    assert {name: n for name, n in counts.exclusions.items() if n} == EXCLUSIONS[repository]
    assert (counts.documents, counts.queries) == COUNTS[repository]
    assert counts.documents is not None
    assert counts.documents + sum(counts.exclusions.values()) == own.count(b"\n") - 1


@pytest.mark.parametrize("version", ["12", "12.1"])
def test_ranking_the_published_corpus_again_gives_the_record_to_the_byte(
    corpus: Corpus, version: str
) -> None:
    replay.from_source(Recorded(version).version, corpus)


def test_the_plan_has_the_published_plans_parameters(twelve: Recorded) -> None:
    published = json.loads(shared_data("page-cost-12", "plan-12.json").read_bytes())
    pins = twelve.corpus.pins
    assert pins is not None
    assert (published["questions"], published["candidates"]) == (pins.queries, pins.documents)
    assert published["primary_page_size"] == twelve.plan.primary_page_size
    assert published["sensitivity_page_sizes"] == twelve.plan.page_sizes
    assert published["policies"] == [policy.name for policy in twelve.plan.policies]
