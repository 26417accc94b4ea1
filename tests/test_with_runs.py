"""A corpus and the runs held against it: read once, checked, ranked and scored by the rules."""

from __future__ import annotations

import math
import struct
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import ranks, runs
from pagecost.corpora import check, pinned, source_of
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import Outcomes, Plan
from tests import oracle
from tests.builders import Json, sha256
from tests.collection_builders import (
    QRELS,
    RUN,
    Scored,
    beir_corpus,
    collection_plan,
    load,
    packed,
    pin,
    run_of,
    score,
    trec_corpus,
    with_pins,
    write,
)

BM25 = {"kind": "bm25", "text": "raw"}
DOCUMENTS = {"a": "tide", "b": "mast", "c": "keel"}
TEXTS = {"q1": "mast", "q2": "keel"}
TABLE = "q1\tb\t1\nq1\ta\t0\nq2\tc\t2\n"
ALL = "all relevant documents"
PINS = {"lines": 3, "topics": 2, "deepest": 2, "shallowest": 1}
"""Of `RUN`."""


def trec_plan(folder: Path, policies: Mapping[str, Json], qrels: str = QRELS, **more: Any) -> Plan:
    return collection_plan(trec_corpus(folder, qrels), policies, **more)


def counting(patch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are read as runs from now on."""
    read = runs.read
    names: list[str] = []

    def counted(path: Path, *others: Any) -> runs.RunFile:
        names.append(path.name)
        return read(path, *others)

    patch.setattr(runs, "read", counted)
    return names


# --- What is loaded -------------------------------------------------------------------------------


def test_each_run_is_held_against_the_queries_of_the_corpus_alone(tmp_path: Path) -> None:
    run = run_of(tmp_path, "x.run", RUN + "q3 Q0 a 1 1 t\n")
    corpus = load(trec_plan(tmp_path, {"run": run}, QRELS + "q3 0 a 0\n"), tmp_path)
    (delivered,) = corpus.runs.values()
    assert [query.id for query in corpus.queries] == ["q1", "q2"]
    assert delivered.documents("q1") == ("a", "b")
    assert delivered.documents("q3") == ()
    assert (delivered.pins.unjudged_topics, delivered.pins.unjudged_lines) == (1, 1)


def test_a_file_that_two_policies_use_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = counting(monkeypatch)
    run = run_of(tmp_path, "x.run", RUN)
    other = run_of(tmp_path, "y.run", RUN + "\n")
    policies: dict[str, Json] = {
        "run": run,
        "again": run,
        "mixed": {"kind": "interleave", "first": run, "second": other},
        "other": other,
    }
    corpus = load(trec_plan(tmp_path, policies), tmp_path)
    assert sorted(names) == ["x.run", "y.run"]
    assert [used.file.path for used in corpus.runs] == ["x.run", "y.run"]


@pytest.mark.parametrize("other", [{"searches": 2}, {"pins": PINS}])
def test_a_policy_is_made_of_one_statement_about_a_run(tmp_path: Path, other: Json) -> None:
    run = run_of(tmp_path, "x.run", RUN)
    both = {"kind": "interleave", "first": run, "second": {**run, **other}}
    with pytest.raises(InputError, match="'both' is made of one run with two statements"):
        trec_plan(tmp_path, {"run": run, "both": both})
    trec_plan(tmp_path, {"run": run, "again": {**run, **other}})
    trec_plan(tmp_path, {"run": run, "again": {**run, "ties": "rank-column", **other}})


def test_a_file_that_two_policies_order_otherwise_is_read_for_each_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = counting(monkeypatch)
    text = "q1 Q0 a 2 2 t\nq1 Q0 b 1 1 t\n"
    run = run_of(tmp_path, "x.run", text)
    policies = {"scores": run, "ranks": {**run, "ties": "rank-column"}}
    scored = score(trec_plan(tmp_path, policies), tmp_path)
    assert names == ["x.run", "x.run"]
    assert scored.ranks("scores") == {"q1": 2, "q2": 0}
    assert scored.ranks("ranks") == {"q1": 1, "q2": 0}


def test_the_tick_is_told_how_many_lines_were_read(tmp_path: Path) -> None:
    text = "".join(f"q1 Q0 d{n} {n} {-n} t\n" for n in range(250_000))
    made = trec_plan(tmp_path, {"run": run_of(tmp_path, "x.run", packed(text))})
    seen: list[int] = []
    source_of(made, tmp_path, tmp_path / "cache", tick=seen.append).load()
    assert seen == sorted(seen)
    assert 100_000 <= seen[0] <= seen[-1] <= 250_000


def test_runs_lie_beside_the_plan_in_the_cache_or_where_they_are_given(tmp_path: Path) -> None:
    made = trec_plan(tmp_path / "one", {"run": run_of(tmp_path / "one", "x.run", RUN)})
    expected = load(made, tmp_path / "one")
    for data in (QRELS, RUN):
        write(tmp_path / "cache", f"files/{sha256(data.encode())}", data)
    assert load(made, tmp_path / "two", tmp_path / "cache") == expected
    given = {
        "x.run": write(tmp_path, "three/my.run", RUN),
        "qrels.txt": write(tmp_path, "three/my.qrels", QRELS),
    }
    source = source_of(made, tmp_path / "two", tmp_path / "none", given=given)
    assert source.load() == expected
    assert source.fingerprint() == source_of(made, tmp_path / "one", tmp_path).fingerprint()


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.run", "y.run", "qrels.txt"])
def test_wrong_bytes_and_missing_files_are_named(tmp_path: Path, name: str) -> None:
    policies = {"x": run_of(tmp_path, "x.run", RUN), "y": run_of(tmp_path, "y.run", RUN + "\n")}
    made = trec_plan(tmp_path, policies)
    source = source_of(made, tmp_path, tmp_path / "cache")
    path = tmp_path / name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(InputError, match=f"{name}: sha256 .*, the plan pins "):
        source.load()
    path.unlink()
    for ask in (source.load, source.fingerprint):
        with pytest.raises(CorpusMissing, match=f"^{name}: not at hand"):
            ask()


def test_a_run_that_delivers_what_the_corpus_lacks_names_run_topic_and_document(
    tmp_path: Path,
) -> None:
    corpus = beir_corpus(tmp_path, DOCUMENTS, TEXTS, TABLE)
    text = RUN + "q2 Q0 stranger 2 0 t\n"
    expected = r"^x\.run: topic q2: document 'stranger' is not in the corpus$"
    run = run_of(tmp_path, "x.run", text)
    for ranking in (run, {"kind": "interleave", "first": run, "second": BM25}):
        with pytest.raises(InputError, match=expected):
            score(collection_plan(corpus, {"it": ranking}), tmp_path)


def test_a_stranger_in_a_topic_that_is_not_asked_does_no_harm(tmp_path: Path) -> None:
    corpus = beir_corpus(tmp_path, DOCUMENTS, TEXTS, TABLE)
    run = run_of(tmp_path, "x.run", RUN + "q9 Q0 stranger 1 0 t\n")
    scored = score(collection_plan(corpus, {"run": run, "bm25": BM25}), tmp_path)
    assert scored.ranks("run") == {"q1": 2, "q2": 0}


def test_a_stranger_is_no_error_where_only_runs_are_known(tmp_path: Path) -> None:
    run = run_of(tmp_path, "x.run", "q1 Q0 new 1 3 t\nq1 Q0 b 2 2 t\nq1 Q0 newer 3 1 t\n")
    scored = score(trec_plan(tmp_path, {"run": run}), tmp_path)
    assert scored.ranks("run") == {"q1": 2, "q2": 0}
    assert scored.depths("run") == {"q1": 3, "q2": 0}
    assert scored.unjudged("run", 1) == {"q1": 1, "q2": 0}
    assert scored.unjudged("run", 5) == {"q1": 2, "q2": 0}


def test_the_same_stranger_in_two_runs_is_one_document(tmp_path: Path) -> None:
    first = run_of(tmp_path, "x.run", "q1 Q0 new 1 3 t\nq1 Q0 newer 2 2 t\n")
    second = run_of(tmp_path, "y.run", "q1 Q0 newer 1 3 t\nq1 Q0 new 2 2 t\nq1 Q0 b 3 1 t\n")
    mixed = {"kind": "interleave", "first": first, "second": second}
    scored = score(trec_plan(tmp_path, {"mixed": mixed}), tmp_path)
    assert scored.ranks("mixed") == {"q1": 3, "q2": 0}
    assert scored.depths("mixed") == {"q1": 3, "q2": 0}


def test_what_stands_on_a_page_behind_the_target_is_in_its_order_too(tmp_path: Path) -> None:
    # Interleaved: a b T c e d. A page of five holds e, not d.
    first = "".join(f"q Q0 {one} 1 {9 - n} t\n" for n, one in enumerate("abTe"))
    second = "".join(f"q Q0 {one} 1 {9 - n} t\n" for n, one in enumerate("bcd"))
    mixed = {
        "kind": "interleave",
        "first": run_of(tmp_path, "x.run", first),
        "second": run_of(tmp_path, "y.run", second),
    }
    scored = score(trec_plan(tmp_path, {"mixed": mixed}, "q 0 T 1\nq 0 d 0\n"), tmp_path)
    assert (scored.ranks("mixed"), scored.depths("mixed")) == ({"q": 3}, {"q": 6})
    assert scored.unjudged("mixed", 5) == {"q": 4}


# --- Fingerprints and pins ------------------------------------------------------------------------


def test_the_fingerprint_changes_with_any_byte_of_any_file(tmp_path: Path) -> None:
    policies = {"x": run_of(tmp_path, "x.run", RUN), "y": run_of(tmp_path, "y.run", RUN + "\n")}
    source = source_of(trec_plan(tmp_path, policies), tmp_path, tmp_path / "cache")
    before = source.fingerprint()
    assert source.fingerprint() == before
    for name in ("x.run", "y.run", "qrels.txt"):
        data = (tmp_path / name).read_bytes()
        seen = {before}
        for place in range(len(data)):
            flipped = bytearray(data)
            flipped[place] ^= 1
            write(tmp_path, name, bytes(flipped))
            seen.add(source.fingerprint())
        assert len(seen) == len(data) + 1
        write(tmp_path, name, data)
    assert source.fingerprint() == before


def test_two_runs_that_change_places_give_another_fingerprint(tmp_path: Path) -> None:
    policies = {"x": run_of(tmp_path, "x.run", RUN), "y": run_of(tmp_path, "y.run", RUN + "\n")}
    source = source_of(trec_plan(tmp_path, policies), tmp_path, tmp_path / "cache")
    before = source.fingerprint()
    write(tmp_path, "x.run", RUN + "\n")
    write(tmp_path, "y.run", RUN)
    assert source.fingerprint() != before


def test_pins_of_a_run_are_checked_where_a_plan_has_them(tmp_path: Path) -> None:
    run = run_of(tmp_path, "x.run", RUN)
    made = trec_plan(tmp_path, {"run": run})
    corpus = load(made, tmp_path)
    assert not pinned(made)
    check(corpus, made, "tiny@1")
    assert not pinned(with_pins(made, corpus))
    made = with_pins(trec_plan(tmp_path, {"run": {**run, "pins": PINS}}), corpus)
    assert pinned(made)
    check(load(made, tmp_path), made, "tiny@1")
    for name, value in PINS.items():
        wrong = {**run, "pins": PINS | {name: 9}}
        made = trec_plan(tmp_path, {"run": wrong})
        with pytest.raises(InputError) as error:
            check(load(made, tmp_path), made, "tiny@1")
        assert str(error.value).startswith(f"tiny@1: x.run: pins.{name}: found {value}")


def test_pins_of_the_judgments_are_checked_where_a_plan_has_them(tmp_path: Path) -> None:
    run = run_of(tmp_path, "x.run", RUN)
    made = trec_plan(tmp_path, {"run": run})
    corpus = load(made, tmp_path)
    other = load(trec_plan(tmp_path, {"run": run}, QRELS + "q1 0 d 0\n"), tmp_path)
    with pytest.raises(InputError, match=r"tiny@1: \$\.corpus\.pins\.judgments: found "):
        check(corpus, with_pins(made, other), "tiny@1")


# --- Against a brute force ------------------------------------------------------------------------
#
# Everything below the strategies is written from the rules alone, over plain lists of ids.


class Line(NamedTuple):
    topic: str
    document: str
    rank: int
    score: str


def single(text: str) -> float:
    """The number as a C float holds it."""
    made: float = struct.unpack("f", struct.pack("f", float(text)))[0]
    return made


def delivered(lines: Sequence[Line], topic: str, ties: str) -> list[str]:
    """A run's documents for a topic, in order, each once."""
    of = [line for line in lines if line.topic == topic]
    of.sort(key=lambda line: line.document.encode(), reverse=True)
    of.sort(key=lambda line: single(line.score), reverse=True)
    if ties == "rank-column":
        of.sort(key=lambda line: line.rank)
    return list(dict.fromkeys(line.document for line in of))


def interleaved(first: Sequence[str], second: Sequence[str]) -> list[str]:
    queues, order = [list(first), list(second)], list[str]()
    while queues[0] or queues[1]:
        for queue in queues:
            while queue and queue[0] in order:
                queue.pop(0)
            if queue:
                order.append(queue.pop(0))
    return order


def deferred(first: Sequence[str], second: Sequence[str], after: int) -> list[str]:
    return list(dict.fromkeys([*first[:after], *second]))


class Cost(NamedTuple):
    found: bool
    pages: int
    emitted: int
    unjudged: int
    searches: int | None


class Case(NamedTuple):
    """One query under one policy."""

    order: list[str]
    rank: int | None
    judged: set[str]

    def cost(self, size: int, searches: Callable[[int], int | None]) -> Cost:
        """Asked page by page, until the target stands on one, or a page isn't full."""
        pages, spent, reached = 0, 0, 0
        while not pages or (reached < len(self.order) and reached < (self.rank or math.inf)):
            pages += 1
            reached = min(pages * size, len(self.order))
            spent += searches(reached) or 0
        unjudged = sum(document not in self.judged for document in self.order[:reached])
        stated = None if searches(1) is None else spent
        return Cost(self.rank is not None, pages, reached, unjudged, stated)


def place_of(order: Sequence[str], relevant: set[str], wanted: int) -> int | None:
    """Where the last document that is looked for stands."""
    places = [place for place, one in enumerate(order, start=1) if one in relevant]
    return places[wanted - 1] if len(places) >= wanted else None


def against(pairs: Sequence[tuple[Cost, Cost]], of: Callable[[Cost], int]) -> Outcomes:
    counted = {"win": 0, "loss": 0, "tie": 0}
    for own, base in pairs:
        ours = of(own) if own.found else math.inf
        theirs = of(base) if base.found else math.inf
        counted["win" if ours < theirs else "loss" if ours > theirs else "tie"] += 1
    return Outcomes(**counted)


@dataclass(frozen=True)
class Given:
    """A random collection: grades by query and document, runs, and what is looked for."""

    grades: dict[tuple[str, str], int]
    lines: list[list[Line]]
    ties: list[str]
    searches: list[int | None]
    level: int
    target: str
    after: int

    def wanted(self, relevant: int) -> int:
        if self.target == ALL:
            return relevant
        return 1 if self.target.startswith("first") else int(self.target[0])

    def relevant(self, query: str, known: set[str]) -> set[str]:
        return {
            document
            for (asked, document), grade in self.grades.items()
            if asked == query and grade >= self.level and document in known
        }

    def judged(self, query: str) -> set[str]:
        return {document for asked, document in self.grades if asked == query}

    def queries(self, known: set[str]) -> list[str]:
        """Those that have what is looked for."""
        several = sorted({query for query, _ in self.grades})
        counts = {query: len(self.relevant(query, known)) for query in several}
        return [query for query in several if counts[query] >= max(1, self.wanted(counts[query]))]

    def rankings(self, folder: Path) -> dict[str, Json]:
        """The runs, and what is made of the first and the last of them."""
        made: dict[str, Json] = {}
        for number, lines in enumerate(self.lines):
            text = "".join(f"{a} Q0 {b} {c} {d} t{number}\n" for a, b, c, d in lines)
            more: Json = (
                {} if self.searches[number] is None else {"searches": self.searches[number]}
            )
            made[f"r{number}"] = run_of(
                folder, f"r{number}.run", text, ties=self.ties[number], **more
            )
        last = f"r{len(self.lines) - 1}"
        made["mixed"] = {"kind": "interleave", "first": last, "second": "r0"}
        made["late"] = {"kind": "deferred", "first": last, "second": "mixed", "after": self.after}
        return made

    def orders(self, query: str) -> dict[str, list[str]]:
        made = {
            f"r{number}": delivered(lines, query, self.ties[number])
            for number, lines in enumerate(self.lines)
        }
        last = made[f"r{len(self.lines) - 1}"]
        made["mixed"] = interleaved(last, made["r0"])
        made["late"] = deferred(last, made["mixed"], self.after)
        return made

    def unsure(self, orders: Mapping[str, Mapping[str, list[str]]]) -> set[str]:
        """Policies whose searches are an upper bound: what comes first is cut, and pins nothing."""
        assert orders
        return {"late"}

    def searches_of(self, policy: str, ends_at: int) -> int | None:
        """Behind a page that ends there: every ranking that it is made of, each once."""
        last = len(self.lines) - 1
        if policy.startswith("r"):
            return self.searches[int(policy[1:])]
        used = {last, 0}
        if any(self.searches[one] is None for one in used):
            return None
        if policy == "late" and ends_at <= self.after:
            used = {last}
        return sum(self.searches[one] or 0 for one in used)


DOCUMENT_IDS = ["a", "aa", "b", "B", "é", "9", "10"]
QUERY_IDS = ["q1", "q2", "q3"]
SCORES = ["1", "1.00000001", "1.0000002", "-3", "2e1"]
TARGETS = ["first relevant document", "2 relevant documents", "3 relevant documents", ALL]


@st.composite
def collections(draw: st.DrawFn) -> Given:
    documents = st.sampled_from(DOCUMENT_IDS)
    line = st.builds(
        Line,
        st.sampled_from([*QUERY_IDS, "other"]),
        documents,
        st.integers(1, 9),
        st.sampled_from(SCORES),
    )
    pair = st.tuples(st.sampled_from(QUERY_IDS), documents)
    several = draw(st.lists(st.lists(line, min_size=1, max_size=30), min_size=1, max_size=3))
    return Given(
        grades=draw(st.dictionaries(pair, st.integers(-1, 3), min_size=1, max_size=15)),
        lines=several,
        ties=[draw(st.sampled_from(["score-then-docno", "rank-column"])) for _ in several],
        searches=[draw(st.none() | st.integers(1, 3)) for _ in several],
        level=draw(st.integers(1, 2)),
        target=draw(st.sampled_from(TARGETS)),
        after=draw(st.integers(1, 6)),
    )


SIZES = [1, 2, 3, 7]


def compare(
    scored: Scored,
    queries: list[str],
    cases: Mapping[str, list[Case]],
    searches: Callable[[str, int], int | None],
    skip_searches: set[str],
) -> None:
    """Holds everything that was ranked and counted against the cases, by policy."""
    assert [row.query_id for row in scored.table.rows] == queries
    (base, *_) = cases
    for policy, several in cases.items():
        found = scored.overall(policy)
        ranks = [case.rank for case in several]
        assert list(scored.ranks(policy).values()) == [rank or 0 for rank in ranks]
        assert list(scored.depths(policy).values()) == [len(case.order) for case in several]
        assert (found.found, found.not_found) == (
            sum(rank is not None for rank in ranks),
            sum(rank is None for rank in ranks),
        )
        reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
        assert math.isclose(found.quality.mrr, reciprocal, abs_tol=1e-12)
        assert found.quality.recall_at_1 == sum(rank == 1 for rank in ranks) / len(ranks)
        assert found.quality.median_rank == oracle.nearest_rank(ranks, 50)
        assert found.quality.p95_rank == oracle.nearest_rank(ranks, 95)
        for size in SIZES:
            costs = [case.cost(size, partial(searches, policy)) for case in several]
            theirs = [case.cost(size, partial(searches, base)) for case in cases[base]]
            pairs = list(zip(costs, theirs, strict=True))
            counted = found.at(size)
            assert counted.pages == sum(cost.pages for cost in costs)
            assert counted.emitted == sum(cost.emitted for cost in costs)
            assert counted.unjudged == sum(cost.unjudged for cost in costs)
            assert list(scored.unjudged(policy, size).values()) == [one.unjudged for one in costs]
            assert counted.on_pages == against(pairs, lambda cost: cost.pages)
            if policy in skip_searches:
                continue
            if costs[0].searches is None:
                assert (counted.searches, counted.on_searches) == (None, None)
                continue
            assert counted.searches == sum(cost.searches or 0 for cost in costs)
            if theirs[0].searches is None:
                assert counted.on_searches is None
            else:
                assert counted.on_searches == against(pairs, lambda cost: cost.searches or 0)


@settings(deadline=None, max_examples=250)
@given(collections())
def test_any_judgments_and_runs_are_scored_as_a_brute_force_scores_them(given: Given) -> None:
    qrels = "".join(f"{query} 0 {one} {grade}\n" for (query, one), grade in given.grades.items())
    known = {document for _, document in given.grades}
    queries = given.queries(known)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        corpus = trec_corpus(folder, qrels, relevance_level=given.level)
        policies = given.rankings(folder)
        made = collection_plan(
            corpus, policies, target=given.target, page_sizes=SIZES, primary_page_size=1
        )
        if not queries:
            with pytest.raises(InputError, match="no query has the relevant documents"):
                score(made, folder)
            return
        scored = score(made, folder)
    orders = {query: given.orders(query) for query in queries}
    cases: dict[str, list[Case]] = {policy: [] for policy in policies}
    for query, by_policy in orders.items():
        relevant = given.relevant(query, known)
        wanted = given.wanted(len(relevant))
        for policy, order in by_policy.items():
            rank = place_of(order, relevant, wanted)
            cases[policy].append(Case(order, rank, given.judged(query)))
    compare(scored, queries, cases, given.searches_of, given.unsure(orders))


@settings(deadline=None, max_examples=100)
@given(collections(), st.data())
def test_any_collection_is_scored_as_a_brute_force_scores_it(
    given: Given, data: st.DataObject
) -> None:
    words = st.lists(st.sampled_from(["tide", "mast", "keel"]), max_size=4).map(" ".join)
    documents = {one: data.draw(words) for one in DOCUMENT_IDS}
    texts = {query: data.draw(words) for query in QUERY_IDS}
    grades = given.grades | {("q1", "lost"): 3, ("q2", "lost"): 1}
    given = replace(given, grades=grades)
    table = "".join(f"{query}\t{one}\t{grade}\n" for (query, one), grade in grades.items())
    queries = given.queries(set(documents))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        corpus = beir_corpus(folder, documents, texts, table, relevance_level=given.level)
        policies = {
            "bm25": BM25,
            **given.rankings(folder),
            "with": {"kind": "interleave", "first": "r0", "second": "bm25"},
            "then": {"kind": "deferred", "first": "bm25", "second": "r0", "after": given.after},
        }
        made = collection_plan(
            corpus, policies, target=given.target, page_sizes=SIZES, primary_page_size=1
        )
        if not queries:
            with pytest.raises(InputError, match="no query has the relevant documents"):
                score(made, folder)
            return
        scored = score(made, folder)
    ids = sorted(documents)
    split = [oracle.tokens(documents[one]) for one in ids]
    orders: dict[str, dict[str, list[str]]] = {}
    cases: dict[str, list[Case]] = {policy: [] for policy in policies}
    for query in queries:
        scores = oracle.bm25_scores(split, oracle.tokens(texts[query]))
        bm25 = [ids[place] for place in oracle.by_score(scores)]
        by_policy = {"bm25": bm25, **given.orders(query)}
        by_policy["with"] = interleaved(by_policy["r0"], bm25)
        by_policy["then"] = deferred(bm25, by_policy["r0"], given.after)
        orders[query] = by_policy
        relevant = given.relevant(query, set(documents))
        wanted = given.wanted(len(relevant))
        for policy in policies:
            order = by_policy[policy]
            rank = place_of(order, relevant, wanted)
            cases[policy].append(Case(order, rank, given.judged(query)))

    def searches(policy: str, ends_at: int) -> int | None:
        stated = given.searches[0]
        if policy == "bm25":
            return 1
        if policy in ("with", "then"):
            alone = policy == "then" and ends_at <= given.after
            return None if stated is None else 1 if alone else 1 + stated
        return given.searches_of(policy, ends_at)

    compare(scored, queries, cases, searches, given.unsure(orders))


def test_a_corpus_of_which_all_files_are_packed_is_scored_alike(tmp_path: Path) -> None:
    plain = trec_plan(tmp_path / "a", {"run": run_of(tmp_path / "a", "x.run", RUN)})
    gzipped = collection_plan(
        trec_corpus(tmp_path / "b", packed(QRELS), topics=pin(tmp_path / "b", "t", "q1\nq2\n")),
        {"run": run_of(tmp_path / "b", "x.run", packed(RUN))},
    )
    found, expected = score(gzipped, tmp_path / "b"), score(plain, tmp_path / "a")
    assert ranks.to_csv(found.table) == ranks.to_csv(expected.table)
    assert found.corpus.counts == expected.corpus.counts
