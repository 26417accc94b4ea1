"""A policy's order as a TREC run: a report from it equals the report from the corpus itself."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pagecost import bringing, exportrun, recording
from pagecost.bringing import Brought
from pagecost.errors import CheckFailed, InputError
from pagecost.model import Corpus
from pagecost.versions import Version
from tests.builders import TinyProject, make_project, pagecost
from tests.collection_builders import (
    beir_corpus,
    collection_plan,
    load,
    run_of,
    trec_corpus,
    write,
)

KEY = "tiny@1"
DOCUMENTS, QUERIES = 12, 11


@pytest.fixture
def whole(tiny_project: TinyProject) -> Version:
    return tiny_project.version(KEY)


def run(
    made: TinyProject, policy: str | None, depth: int | None = None, *, short: bool = False
) -> str:
    return recording.export_run(made.work(), KEY, policy, depth, short=short).decode()


def qrels(made: TinyProject, *, short: bool = False) -> str:
    return recording.export_qrels(made.work(), KEY, short=short).decode()


def again(
    made: TinyProject, folder: Path, depth: int | None = None, *, short: bool = False
) -> Version:
    """The version that the exported files make, scored."""
    policies = made.version(KEY).plan.policies
    brought = Brought(
        qrels=write(folder, "qrels.txt", qrels(made, short=short)),
        runs={
            one.name: write(folder, f"{one.name}.run", run(made, one.name, depth, short=short))
            for one in policies
        },
        page_sizes=made.version(KEY).plan.page_sizes,
        primary_page_size=2,
        searches={"baseline": 1, "helper": 2},
    )
    return bringing.scored(brought, "again@1")


def ranks(version: Version, policy: str, length: int | None = None) -> dict[str, int]:
    assert version.record is not None
    table = version.record.table
    ids = [row.query_id[:length] for row in table.rows]
    assert len(set(ids)) == QUERIES
    return dict(zip(ids, table.column(policy).ranks.tolist(), strict=True))


# --- The same report ------------------------------------------------------------------------------


@pytest.mark.parametrize("short", [False, True])
def test_a_report_from_exported_runs_equals_the_direct_one(
    tiny_project: TinyProject, whole: Version, tmp_path: Path, short: bool
) -> None:
    found = again(tiny_project, tmp_path / "out", short=short)
    assert found.record is not None
    assert whole.record is not None
    for policy in ("baseline", "helper"):
        length = len(next(iter(ranks(found, policy))))
        assert (length < 64) == short
        assert ranks(found, policy) == ranks(whole, policy, length)
        ours, direct = (
            version.record.results.overall.policy(policy)
            for version in (found, whole)
            if version.record is not None
        )
        assert ours.quality == direct.quality
        assert (ours.found, ours.not_found) == (QUERIES, 0)
        for size in (1, 2, 5):
            a, b = ours.at(size), direct.at(size)
            assert (a.pages, a.emitted, a.searches) == (b.pages, b.emitted, b.searches)
            assert (a.on_pages, a.on_searches) == (b.on_pages, b.on_searches)
    assert {*ranks(whole, "helper").values()} - {1}, "every rank is 1, so nothing is compared"


@pytest.mark.parametrize("depth", [1, 2, 3, DOCUMENTS, 100])
def test_a_run_that_was_cut_keeps_the_ranks_within_and_loses_the_others(
    tiny_project: TinyProject, whole: Version, tmp_path: Path, depth: int
) -> None:
    found = again(tiny_project, tmp_path / "out", depth)
    for policy in ("baseline", "helper"):
        expected = {
            query: rank if rank <= depth else 0 for query, rank in ranks(whole, policy).items()
        }
        assert ranks(found, policy) == expected
        assert (0 in expected.values()) == (max(ranks(whole, policy).values()) > depth)


# --- The files ------------------------------------------------------------------------------------


def test_a_run_has_every_document_of_every_query_and_scores_that_count_down(
    tiny_project: TinyProject, whole: Version
) -> None:
    lines = [line.split(" ") for line in run(tiny_project, "helper").splitlines()]
    assert len(lines) == DOCUMENTS * QUERIES
    assert whole.record is not None
    assert list(dict.fromkeys(line[0] for line in lines)) == [
        row.query_id for row in whole.record.table.rows
    ]
    for start in range(0, len(lines), DOCUMENTS):
        topic = lines[start : start + DOCUMENTS]
        assert len({line[2] for line in topic}) == DOCUMENTS
        assert [int(line[3]) for line in topic] == list(range(1, DOCUMENTS + 1))
        assert [int(line[4]) for line in topic] == list(range(DOCUMENTS, 0, -1))
        assert {(line[1], line[5]) for line in topic} == {("Q0", "helper")}


def test_a_run_that_was_cut_is_the_beginning_of_the_whole_one(tiny_project: TinyProject) -> None:
    whole = [line.split(" ") for line in run(tiny_project, "helper").splitlines()]
    cut = [line.split(" ") for line in run(tiny_project, "helper", 3).splitlines()]
    assert [line[:4] for line in cut] == [line[:4] for line in whole if int(line[3]) <= 3]
    assert [line[4] for line in cut] == ["3", "2", "1"] * QUERIES
    deep = [line.split(" ") for line in run(tiny_project, "helper", 100).splitlines()]
    assert [line[:4] for line in deep] == [line[:4] for line in whole]
    assert deep[0][4] == "100"


def test_the_judgments_are_the_known_targets(tiny_project: TinyProject, whole: Version) -> None:
    lines = [line.split(" ") for line in qrels(tiny_project).splitlines()]
    assert whole.record is not None
    rows = whole.record.table.rows
    assert [line[0] for line in lines] == [
        row.query_id for row in rows for _ in range(row.relevant)
    ]
    assert {(line[1], line[3]) for line in lines} == {("0", "1")}
    assert len(lines) > QUERIES, "no query has several targets, so nothing is seen"


def test_short_ids_are_the_shortest_beginnings_that_tell_them_apart(
    tiny_project: TinyProject,
) -> None:
    for long, short in (
        (run(tiny_project, "helper"), run(tiny_project, "helper", short=True)),
        (qrels(tiny_project), qrels(tiny_project, short=True)),
    ):
        for one, other in zip(long.splitlines(), short.splitlines(), strict=True):
            fields, cut = one.split(" "), other.split(" ")
            assert (cut[0], cut[2]) == (fields[0][:8], fields[2][:8])
            assert [cut[1], *cut[3:]] == [fields[1], *fields[3:]]


def test_beginnings_grow_until_no_two_ids_are_alike() -> None:
    ids = ["a" * 64, "a" * 9 + "b" * 55, "c" * 64]
    shortened = exportrun._shortened(ids, "document")
    assert [shortened(one) for one in ids] == ["a" * 10, "a" * 9 + "b", "c" * 10]


# --- Over collections and runs --------------------------------------------------------------------


def collection(
    folder: Path, documents: dict[str, str], queries: dict[str, str], table: str
) -> Corpus:
    corpus = beir_corpus(folder, documents, queries, table)
    return load(collection_plan(corpus, {"run": {"kind": "bm25", "text": "raw"}}), folder)


def test_judgments_of_a_collection_say_what_was_judged_not_relevant(tmp_path: Path) -> None:
    corpus = collection(
        tmp_path, {"a": "tide", "b": "mast"}, {"q1": "mast"}, "q1\tb\t2\nq1\ta\t0\n"
    )
    assert exportrun.qrels(corpus) == b"q1 0 a 0\nq1 0 b 1\n"
    with pytest.raises(InputError, match="id 'a': only digests can be shortened"):
        exportrun.qrels(corpus, short=True)


def test_an_id_with_white_space_fits_no_trec_file(tmp_path: Path) -> None:
    corpus = collection(tmp_path, {"a b": "tide"}, {"q1": "tide"}, "q1\ta b\t1\n")
    with pytest.raises(InputError, match="id 'a b': has white space, which a TREC file can't hold"):
        exportrun.qrels(corpus)


def test_a_run_is_exported_as_it_was_delivered(tmp_path: Path) -> None:
    given = run_of(
        tmp_path, "x.run", "q1 Q0 a 1 1 t\nq1 Q0 b 1 1 t\nq1 Q0 a 1 0 t\nq9 Q0 c 1 1 t\n"
    )
    made = collection_plan(trec_corpus(tmp_path, "q1 0 b 1\nq2 0 z 1\n"), {"run": given})
    corpus = load(made, tmp_path)
    assert exportrun.run(made, corpus, "run", None) == b"q1 Q0 b 1 2 run\nq1 Q0 a 2 1 run\n"
    assert exportrun.run(made, corpus, "run", 1) == b"q1 Q0 b 1 1 run\n"


# --- What is refused ------------------------------------------------------------------------------


def test_a_policy_that_is_not_there_is_refused(tiny_project: TinyProject) -> None:
    with pytest.raises(InputError, match="no policy is named 'other'; known: baseline, helper"):
        run(tiny_project, "other")


def test_a_confirmatory_draft_shows_no_figures_before_it_is_frozen(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    with pytest.raises(CheckFailed, match="plan"):
        run(made, "helper")
    done = made.run("export", KEY, "--format", "trec-run")
    assert (done.status, done.out) == (1, "")
    made.change_plan(KEY, kind="exploration")
    assert run(made, None, 1) == run(made, "helper", 1)


def test_another_corpus_than_the_plan_pins_is_refused(tiny_project: TinyProject) -> None:
    plan = tiny_project.plan(KEY)
    plan["kind"] = "exploration"
    plan["status"] = "draft"
    plan["version"] = "2"
    plan["corpus"]["pins"]["documents"] = 13
    tiny_project.write_plan("tiny@2", plan)
    work = tiny_project.work(io.StringIO())
    with pytest.raises(InputError, match="documents"):
        recording.export_run(work, "tiny@2", None, None, short=False)


def test_the_command_prints_what_the_library_gives(tiny_project: TinyProject) -> None:
    done = tiny_project.run(
        "export", KEY, "--format", "trec-run", "--policy", "baseline", "--depth", "2", "--short-ids"
    )
    assert done.status == 0, done.err
    assert done.out == run(tiny_project, "baseline", 2, short=True)
    done = tiny_project.run("export", KEY, "--format", "trec-qrels")
    assert (done.status, done.out) == (0, qrels(tiny_project))
    done = tiny_project.run("export", KEY, "--format", "trec-run")
    assert done.out == run(tiny_project, "helper")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("costs-csv", "--policy", "helper"), "--policy and --depth go with --format trec-run"),
        (("trec-qrels", "--depth", "3"), "--policy and --depth go with --format trec-run"),
        (("results-12", "--short-ids"), "--short-ids goes with --format trec-run or trec-qrels"),
        (("trec-run", "--depth", "0"), "Invalid value for '--depth'"),
    ],
)
def test_options_that_do_not_fit_a_format_are_refused(
    tiny_project: TinyProject, arguments: tuple[str, ...], said: str
) -> None:
    done = pagecost("export", KEY, "--format", *arguments, cwd=tiny_project.root)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
