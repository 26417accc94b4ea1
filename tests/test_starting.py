"""`pagecost new`: a draft that builds, and nothing that exists is touched."""

from __future__ import annotations

import datetime
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from pagecost import files, plan, plannotes, recording, starting
from pagecost.bringing import Brought
from pagecost.cli import main
from pagecost.errors import InputError
from pagecost.model import NOT_FOUND, Plan
from tests.builders import (
    TinyProject,
    archives_plan,
    distributions_plan,
    git_init,
    make_project,
    pagecost,
    projection_of,
    sha256,
)
from tests.collection_builders import jsonl, packed, write
from tests.site_builders import tree

NEW = ["mkdocs.yml", "site/first/1/plan.json", "site/first/1/PLAN.md", ".gitattributes"]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def here(tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch) -> TinyProject:
    """The tiny project, in which we are."""
    monkeypatch.chdir(tiny_project.root)
    return tiny_project


def new(key: str, like: str | None = None, config: Path | None = None, **more: bool) -> list[Path]:
    return starting.new(key, like, config, **more)


def refusal(key: str, like: str | None = None, config: Path | None = None) -> str:
    with pytest.raises(InputError) as error:
        new(key, like, config)
    return str(error.value)


# --- From nothing ---------------------------------------------------------------------------------


def test_where_there_is_no_project_one_is_begun(empty: Path) -> None:
    assert new("first@1") == [empty / name for name in NEW]
    made = TinyProject(empty)
    assert sorted(made.state()) == sorted(NEW)
    assert [one.key for one in made.load().versions] == ["first@1"]
    assert made.load().config.site_name == "first"
    assert made.version("first@1").state == "draft"
    assert "eol=lf" in (empty / ".gitattributes").read_text()


def test_the_draft_can_be_read_as_a_corpus_and_pinned(empty: Path) -> None:
    new("first@1")
    made = TinyProject(empty)
    found: Any = msgspec.to_builtins(recording.corpus_pins(made.work(), "first@1"))
    assert found["pins"]["documents"] > 100
    draft = made.plan("first@1")
    draft["corpus"] |= found
    made.write_plan("first@1", draft)
    made.write_plan("first@1", draft | {"status": "frozen"})
    assert made.version("first@1").state == "frozen"


def test_the_draft_says_what_is_measured_and_what_is_not(empty: Path) -> None:
    new("first@1")
    draft = TinyProject(empty).version("first@1").plan
    assert draft.kind == "confirmatory"
    assert draft.date == datetime.date.today().isoformat()
    assert draft.measured
    assert draft.not_measured
    assert draft.assumptions
    assert "proxy" in draft.caveat


def test_the_name_of_a_project_may_be_any_experiments(empty: Path) -> None:
    new("1.0@1")  # a number, if it stood there without quotes
    assert TinyProject(empty).load().config.site_name == "1.0"


def test_a_dry_run_writes_nothing(empty: Path) -> None:
    assert new("first@1", dry_run=True) == [empty / name for name in NEW]
    assert list(empty.iterdir()) == []


def test_a_second_version_needs_no_second_project(empty: Path) -> None:
    new("first@1")
    before = TinyProject(empty).state()
    assert [path.name for path in new("first@2")] == ["plan.json", "PLAN.md"]
    assert [path.name for path in new("second@1")] == ["plan.json", "PLAN.md"]
    after = TinyProject(empty).state()
    assert {name: after[name] for name in before} == before
    assert [one.key for one in TinyProject(empty).load().versions] == [
        "first@1",
        "first@2",
        "second@1",
    ]


def test_a_version_is_begun_from_a_folder_below(
    here: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here.folder("tiny@1"))
    assert new("tiny@2")[0] == here.file("tiny@2", "plan.json")


# --- Refused --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("tiny@1", "tiny@1: exists already"),
        ("tiny@../1", "version '../1' is no name"),
        ("../x@1", "experiment '../x' is no name"),
        ("tiny", "expected EXPERIMENT@VERSION, for example page-cost@12"),
        ("guide@1", "experiment 'guide' is reserved"),
        ("tiny@latest", "version 'latest' is reserved"),
        ("Tiny@2", "there is an experiment 'tiny', which differs only by case"),
    ],
)
def test_a_name_that_cannot_be_is_refused(here: TinyProject, key: str, expected: str) -> None:
    before = here.state()
    assert expected in refusal(key)
    assert here.state() == before


def test_a_version_that_differs_only_by_case_is_refused(here: TinyProject) -> None:
    new("tiny@RC1")
    assert "tiny@RC1: exists already" in refusal("tiny@rc1")


def test_a_folder_that_is_there_is_never_written_over(here: TinyProject) -> None:
    here.folder("tiny@2").mkdir()
    (here.folder("tiny@2") / "notes.txt").write_text("mine")
    before = here.state()
    assert "exists already; a version is never written over" in refusal("tiny@2")
    assert here.state() == before


@pytest.mark.parametrize("text", ["site_name: [", "docs_dir: none\n"])
def test_a_project_that_is_broken_is_no_missing_project(empty: Path, text: str) -> None:
    (empty / "mkdocs.yml").write_text(text)
    assert "mkdocs.yml: " in refusal("first@1")
    assert [path.name for path in empty.iterdir()] == ["mkdocs.yml"]


def test_a_configuration_that_was_named_must_be_there(empty: Path) -> None:
    assert "other.yml: can't be read" in refusal("first@1", config=empty / "other.yml")
    assert list(empty.iterdir()) == []


# --- Like another ---------------------------------------------------------------------------------


def test_a_version_like_another_has_its_plan_as_a_draft_of_today(here: TinyProject) -> None:
    here.write_plan("tiny@2", archives_plan("tiny", "2", date="2025-01-01"))
    written = new("tiny@3", "tiny@2")
    assert [path.name for path in written] == [
        "projection.csv",
        "plan.json",
        "PLAN.md",
        ".gitattributes",
    ]
    before, after = here.plan("tiny@2"), here.plan("tiny@3")
    today = datetime.date.today().isoformat()
    assert after == before | {"status": "draft", "version": "3", "date": today}
    assert list(after) == list(before)
    assert here.file("tiny@3", "projection.csv").read_bytes() == projection_of()
    assert here.version("tiny@3").state == "draft"


def test_what_is_like_a_version_with_results_explores(here: TinyProject) -> None:
    assert here.plan("tiny@1")["kind"] == "confirmatory"
    new("tiny@2", "tiny@1")
    assert here.plan("tiny@2")["kind"] == "exploration"


def test_a_draft_that_cannot_be_written_leaves_nothing_behind(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.write

    def write(path: Path, data: bytes) -> None:
        if path.name == starting.NOTES:
            raise InputError(f"{path}: can't be written: No space left on device")
        real(path, data)

    monkeypatch.setattr(files, "write", write)
    assert "No space left on device" in refusal("first@1")
    assert [path for path in empty.rglob("*") if path.is_file()] == []


def test_an_experiment_may_begin_like_anothers_version(here: TinyProject) -> None:
    new("other@a", "tiny@1")
    assert here.version("other@a").plan.experiment == "other"


@pytest.mark.usefixtures("tiny_distribution")
def test_a_version_over_distributions_needs_no_projection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_project(tmp_path / "p", versions={"ropes@1": distributions_plan()}, with_git=False)
    monkeypatch.chdir(made.root)
    assert [path.name for path in new("ropes@2", "ropes@1")][:2] == ["plan.json", "PLAN.md"]


def test_what_is_like_a_replication_is_an_exploration_of_no_origin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = {"url": "https://example.invalid/x", "commit": "e" * 40, "sha256": "f" * 64}
    origin = {"name": "x", "url": "https://example.invalid", "plan": file, "results": file}
    plans = {"tiny@1": archives_plan(kind="replication", origin=origin)}
    made = make_project(tmp_path / "p", versions=plans, with_git=False)
    monkeypatch.chdir(made.root)
    new("tiny@2", "tiny@1")
    after = made.plan("tiny@2")
    assert after["kind"] == "exploration"
    assert "origin" not in after


def test_a_status_that_was_left_out_is_written(here: TinyProject) -> None:
    draft = archives_plan("tiny", "3")
    del draft["status"]
    here.write_plan("tiny@3", draft)
    new("tiny@4", "tiny@3")
    assert list(here.plan("tiny@4"))[:2] == ["schema", "status"]


def test_like_means_like_a_version_of_the_project_that_was_named(
    here: TinyProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.root / "mkdocs.yml").rename(here.root / "other.yml")
    monkeypatch.chdir(tmp_path)
    new("tiny@2", "tiny@1", here.root / "other.yml")
    assert here.plan("tiny@2")["title"] == here.plan("tiny@1")["title"]


def test_what_is_not_there_cannot_be_resembled(here: TinyProject, tmp_path: Path) -> None:
    before = here.state()
    assert "tiny@9: no such version" in refusal("tiny@2", "tiny@9")
    here.change_plan("tiny@1", baseline="none")
    assert "$.baseline: no policy is named 'none'" in refusal("tiny@2", "tiny@1")
    assert set(here.state()) == set(before)


def test_without_a_project_there_is_nothing_to_resemble(empty: Path) -> None:
    assert "no mkdocs.yml in " in refusal("first@2", "first@1")
    assert list(empty.iterdir()) == []


def test_line_ends_that_are_settled_already_stay(here: TinyProject) -> None:
    (here.root / ".gitattributes").write_text("*.json binary\n")
    new("tiny@2", "tiny@1")
    assert (here.root / ".gitattributes").read_text() == "*.json binary\n"


# --- PLAN.md --------------------------------------------------------------------------------------


def fields(schema: Any) -> Iterator[tuple[str, str]]:
    """Each object's name and field that the JSON Schema knows."""
    for name, found in schema["$defs"].items():
        for field in found.get("properties", {}):
            yield name, field


def test_the_notes_explain_the_plan_field_by_field() -> None:
    notes = plannotes.notes()
    parts = re.split(r"^## ", notes, flags=re.MULTILINE)[1:]
    sections = {part.split("\n", 1)[0]: part for part in parts}
    assert "Plan" in sections
    for name, field in fields(plan.schema()):
        if name in sections and field != "kind":
            assert f"- `{field}`" in sections[name], f"{name}.{field}"
    for known in msgspec.structs.fields(Plan):
        start = f"- `{known.name}`"
        line = next(line for line in sections["Plan"].split("\n") if line.startswith(start))
        assert (", optional" in line) == (not known.required)
        assert ": " in line or known.name == "definitions"


def test_the_notes_name_every_kind() -> None:
    notes = plannotes.notes()
    for kind in ("bm25", "interleave", "deferred", "model", "archives", "distributions"):
        assert f'`"kind": "{kind}"`: ' in notes


def test_the_example_has_the_layout_of_every_plan(empty: Path) -> None:
    new("first@1")
    data = (empty / "site/first/1/plan.json").read_bytes()
    text = json.dumps(json.loads(data), ensure_ascii=False, indent=2) + "\n"
    assert data.decode("utf-8") == text
    assert data.count(b'"status": "draft"') == 1


def test_what_failed_halfway_leaves_no_folder_behind(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty version folder would refuse the second try."""
    write = files.write

    def failing(path: Path, data: bytes) -> None:
        if path.name == starting.NOTES:
            raise InputError("full")
        write(path, data)

    monkeypatch.setattr(files, "write", failing)
    with pytest.raises(InputError, match="full"):
        starting.new("first@1", None, None)
    assert list(empty.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.chdir(empty)
    starting.new("first@1", None, None)


# --- From a collection ----------------------------------------------------------------------------

DOCUMENTS = {
    "d1": "a red ship at sea",
    "d2": "a blue ship",
    "d3": "one harbour for every ship",
    "d4": "openHarbour waits for an old anchor",
}
QUERIES = {"q1": "red ship", "q2": "blue anchor", "q3": "harbour", "q4": "nobody judged this"}
TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td4\t2\nq2\td2\t0\nq3\td4\t1\n"
DEV = "query-id\tcorpus-id\tscore\nq3\td3\t1\n"


def cli(*arguments: str) -> Result:
    """`pagecost new`, in this process; what went wrong without a message fails the test."""
    done = CliRunner().invoke(main, ["new", *arguments], prog_name="pagecost")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def beir_folder(
    folder: Path, splits: Mapping[str, str] | None = None, *, zipped: bool = False
) -> Path:
    """A collection in BEIR's layout, with those judgments by split."""
    several = {f"qrels/{name}.tsv": text for name, text in (splits or {"test": TSV}).items()}
    for name, entries in (("corpus", DOCUMENTS), ("queries", QUERIES)):
        several[f"{name}.jsonl"] = jsonl([{"_id": k, "text": v} for k, v in entries.items()])
    for name, text in several.items():
        write(folder, f"{name}.gz" if zipped else name, packed(text) if zipped else text)
    return folder


def contents(*folders: Path) -> list[dict[str, bytes]]:
    """Every file of those folders, which need not exist."""
    return [tree(folder) if folder.exists() else {} for folder in folders]


@pytest.mark.parametrize("zipped", [False, True])
def test_a_collection_is_pinned_whole_and_its_files_go_into_the_cache(
    empty: Path, tmp_path: Path, cache: Path, zipped: bool
) -> None:
    folder = beir_folder(tmp_path / "ships", zipped=zipped)
    before = tree(folder)
    done = cli("ships@1", "--from-beir", str(folder))
    assert (done.exit_code, done.stdout) == (0, "")
    assert sorted(Path(line).name for line in done.stderr.splitlines()) == [
        ".gitattributes", "PLAN.md", "mkdocs.yml", "plan.json",
    ]  # fmt: skip
    made = TinyProject(empty)
    corpus = made.plan("ships@1")["corpus"]
    assert (corpus["kind"], corpus["name"]) == ("beir", "ships")
    end = ".gz" if zipped else ""
    files_pinned = [corpus[one] for one in ("documents", "queries", "qrels")]
    assert [one["path"] for one in files_pinned] == [
        f"corpus.jsonl{end}", f"queries.jsonl{end}", f"qrels/test.tsv{end}",
    ]  # fmt: skip
    for one in files_pinned:
        assert one["sha256"] == sha256(before[one["path"]])
    assert sorted(tree(cache).values()) == sorted(before.values())
    pins = corpus["pins"]
    assert (pins["documents"], pins["queries"]) == (4, 3)
    assert pins["judgments"] == {"judgments": 4, "relevant": 3}
    assert pins["exclusions"]["unjudged"] == 1
    shutil.rmtree(folder)
    assert recording.write_pins(made.work(), "ships@1", dry_run=True) is None, "nothing is lacking"


@pytest.mark.usefixtures("empty")
@pytest.mark.parametrize(
    ("splits", "given", "chosen"),
    [
        (("dev", "test"), (), "test"),
        (("dev", "test"), ("--split", "dev"), "dev"),
        (("dev",), (), "dev"),
    ],
)
def test_the_split_is_the_one_that_was_said_or_the_only_one_or_test(
    tmp_path: Path, splits: tuple[str, ...], given: tuple[str, ...], chosen: str
) -> None:
    texts = {"test": TSV, "dev": DEV}
    folder = beir_folder(tmp_path / "ships", {name: texts[name] for name in splits})
    assert cli("ships@1", "--from-beir", str(folder), *given).exit_code == 0
    corpus = TinyProject(Path.cwd()).plan("ships@1")["corpus"]
    assert corpus["qrels"]["path"] == f"qrels/{chosen}.tsv"
    assert corpus["pins"]["queries"] == (3 if chosen == "test" else 1)


@pytest.mark.parametrize(
    ("gone", "given", "said"),
    [
        ("corpus.jsonl", (), "no corpus.jsonl, plain or .gz"),
        ("queries.jsonl", (), "no queries.jsonl, plain or .gz"),
        ("qrels/test.tsv", (), "qrels: no judgments for 'test'; found: none"),
        (None, ("--split", "train"), "qrels: no judgments for 'train'; found: test"),
    ],
)
def test_what_a_collection_lacks_is_named_and_nothing_is_written(
    empty: Path, tmp_path: Path, cache: Path, gone: str | None, given: tuple[str, ...], said: str
) -> None:
    folder = beir_folder(tmp_path / "ships")
    if gone is not None:
        (folder / gone).unlink()
    done = cli("ships@1", "--from-beir", str(folder), *given)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{folder}" in done.stderr
    assert said in done.stderr
    assert contents(empty, cache) == [{}, {}]


def test_a_collection_with_a_broken_line_is_refused_and_nothing_is_written(
    empty: Path, tmp_path: Path, cache: Path
) -> None:
    folder = beir_folder(tmp_path / "ships")
    write(folder, "queries.jsonl", '{"_id": "q1", "text": "x"}\n{"_id": 2}\n')
    done = cli("ships@1", "--from-beir", str(folder))
    assert done.exit_code == 2
    assert "queries.jsonl: line 2: " in done.stderr
    assert contents(empty, cache) == [{}, {}]


def test_a_dry_run_over_a_collection_writes_nothing_not_even_into_the_cache(
    empty: Path, tmp_path: Path, cache: Path
) -> None:
    folder = beir_folder(tmp_path / "ships")
    done = cli("ships@1", "--from-beir", str(folder), "--dry-run")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.count("would write ") == 4
    assert contents(empty, cache) == [{}, {}]


def written(made: TinyProject, key: str) -> None:
    """The author's own sentences instead of those that a draft begins with, which can't freeze."""
    git_init(made.root)
    made.commit("Draft")
    for field in ("title", "question", "caveat"):
        done = made.run("freeze", key, "--dry-run")
        assert done.status == 2
        assert f"plan.json: $.{field}: '" in done.err
        assert "write your own before it is frozen" in done.err
        made.change_plan(key, **{field: f"My own {field}"})


def lives(made: TinyProject, key: str) -> None:
    """Freezes, records, builds and verifies with a real Git and real processes."""
    (made.root / ".gitignore").write_text("/_site/\n")
    git_init(made.root)
    made.commit("Draft")
    for arguments in (("freeze", key), ("record", key), ("build",)):
        done = made.run(*arguments)
        assert done.status == 0, done.err
        made.commit(arguments[0])
    checked = made.run("verify", key, "--strict")
    assert checked.status == 0, checked.err
    assert {line.split()[0] for line in checked.out.splitlines()} == {"ok"}


def test_a_collection_lives_from_its_draft_to_its_record(empty: Path, tmp_path: Path) -> None:
    folder = beir_folder(tmp_path / "ships", zipped=True)
    assert cli("ships@1", "--from-beir", str(folder)).exit_code == 0
    shutil.rmtree(folder)
    made = TinyProject(empty)
    written(made, "ships@1")
    lives(made, "ships@1")
    record = made.version("ships@1").record
    assert record is not None
    # q1 wants d1, q2 d4 and q3 d4, whose harbour stands in an identifier: d3 comes first for it.
    assert record.table.column("baseline").ranks.tolist()[0] == 1
    assert record.results.overall.queries == 3
    assert all(one.not_found == 0 for one in record.results.overall.policies)
    shown = (empty / "_site" / "ships" / "1" / "index.html").read_text(encoding="utf-8")
    assert "4 judgments, 3 of a document that is relevant" in shown


# --- From runs ------------------------------------------------------------------------------------

QRELS = "q1 0 b 1\nq1 0 a 0\nq2 0 c 2\n"
BASE = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"
OURS = "q1 Q0 b 1 1 t\r\nq2 Q0 x 1 1 t\r\nq2 Q0 c 2 1 t\r\n"
GIVEN = ("--qrels", "../qrels.txt", "--from-runs", "../base.run", "--from-runs", "mine=../ours.run")


@pytest.fixture
def beside(empty: Path) -> Path:
    """The empty folder, beside which judgments and two runs lie."""
    for name, text in (("qrels.txt", QRELS), ("base.run", BASE), ("ours.run", OURS)):
        write(empty.parent, name, text)
    return empty


def test_a_draft_over_runs_has_their_pins_and_copies_of_them(beside: Path) -> None:
    done = cli("mine@1", *GIVEN, "--page-size", "2", "--searches", "mine=3", "--target", "all")
    assert (done.exit_code, done.stdout) == (0, "")
    made = TinyProject(beside)
    for name, text in (("qrels.txt", QRELS), ("runs/base.run", BASE), ("runs/mine.run", OURS)):
        assert made.file("mine@1", name).read_bytes() == text.encode()
    assert b"runs/** -text" in made.file("mine@1", ".gitattributes").read_bytes()
    draft = made.plan("mine@1")
    assert (draft["kind"], draft["status"]) == ("exploration", "draft")
    assert (draft["page_sizes"], draft["definitions"]["target"]) == ([2], "all relevant documents")
    base, ours = (one["ranking"] for one in draft["policies"])
    assert base["file"] == {"path": "runs/base.run", "sha256": sha256(BASE.encode())}
    assert "searches" not in base
    assert ours["searches"] == 3
    assert (base["pins"]["missing_topics"], base["pins"]["shallowest"]) == (1, 0)
    assert (ours["pins"]["carriage_returns"], ours["pins"]["tied"]) == (3, 2)
    assert draft["corpus"]["pins"]["queries"] == 2
    assert recording.write_pins(made.work(), "mine@1", dry_run=True) is None, "nothing is lacking"


def test_a_dry_run_over_runs_writes_nothing(beside: Path, cache: Path) -> None:
    done = cli("mine@1", *GIVEN, "--dry-run")
    assert done.exit_code == 0
    assert done.stderr.count("would write ") == 8
    assert "wrote" not in done.stderr
    assert contents(beside, cache) == [{}, {}]


def test_a_draft_over_runs_lives_from_there_to_its_record(beside: Path) -> None:
    assert cli("mine@1", *GIVEN, "--page-size", "1").exit_code == 0
    for name in ("qrels.txt", "base.run", "ours.run"):
        (beside.parent / name).unlink()
    made = TinyProject(beside)
    lives(made, "mine@1")
    record = made.version("mine@1").record
    assert record is not None
    assert record.table.column("base").ranks.tolist() == [2, NOT_FOUND]
    assert record.table.column("mine").ranks.tolist() == [1, 2]


# --- Beginnings that exclude each other -----------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--qrels", "../qrels.txt"), "--from-runs and --qrels go together"),
        (("--from-runs", "../base.run"), "--from-runs and --qrels go together"),
        (("--page-size", "5"), "--page-size goes with --from-runs"),
        (("--like", "a@1", "--title", "x"), "--title goes with --from-runs"),
        (("--from-beir", "..", "--ties", "rank-column"), "--ties goes with --from-runs"),
        (("--searches", "a=1"), "--searches goes with --from-runs"),
        (("--relevance-level", "1"), "--relevance-level goes with --from-runs"),
        (("--split", "dev"), "--split goes with --from-beir"),
        ((*GIVEN, "--split", "dev"), "--split goes with --from-beir"),
        (("--like", "a@1", "--from-beir", ".."), "--like and --from-beir exclude each other"),
        (("--like", "a@1", *GIVEN), "--like and --from-runs exclude each other"),
        (("--from-beir", "..", *GIVEN), "--from-beir and --from-runs exclude each other"),
        (
            ("--like", "a@1", "--from-beir", "..", *GIVEN),
            "--like and --from-beir and --from-runs exclude each other",
        ),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    beside: Path, cache: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = cli("mine@1", *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())
    assert contents(beside, cache) == [{}, {}]


# --- Saved and begun alike ------------------------------------------------------------------------

OVER_RUNS = [
    "qrels.txt", "runs/base.run", "runs/mine.run", ".gitattributes", "plan.json", "PLAN.md",
]  # fmt: skip


def brought(beside: Path) -> Brought:
    runs = {"base": beside.parent / "base.run", "mine": beside.parent / "ours.run"}
    return Brought(qrels=beside.parent / "qrels.txt", runs=runs, date="2026-01-02")


def test_a_folder_is_saved_as_the_version_that_it_names(beside: Path) -> None:
    given = brought(beside)
    dry = starting.save(Path("site/first/1"), given, None, dry_run=True)
    assert list(beside.iterdir()) == []
    assert starting.save(beside / "site/first/1", given, None, dry_run=False) == dry
    first = TinyProject(beside).folder("first@1")
    assert [path for path in dry if path.is_relative_to(first)] == [
        first / name for name in OVER_RUNS
    ]
    starting.from_runs("second@1", given, None, dry_run=False)
    second = TinyProject(beside).folder("second@1")
    for name in OVER_RUNS:
        expected = (second / name).read_bytes().replace(b'"second"', b'"first"')
        assert (first / name).read_bytes() == expected
    with pytest.raises(InputError, match="first@1: exists already"):
        starting.save(Path("site/first/1"), given, None, dry_run=False)
    with pytest.raises(InputError, match=r"not a version's folder here: .*/EXPERIMENT/"):
        starting.save(Path("first/2"), given, None, dry_run=False)


def test_new_over_runs_and_saving_them_write_the_same(beside: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    choices = ("--date", "2026-01-02", "--page-size", "5", "--searches", "base=2")
    assert cli("mine@1", *GIVEN, *choices).exit_code == 0
    given = (one.replace("--from-runs", "--run") for one in GIVEN)
    done = pagecost("quick", *given, *choices, "--save", "site/mine/1", cwd=other)
    assert done.status == 0, done.err
    assert TinyProject(beside).state() == TinyProject(other).state()


def test_copies_that_can_not_be_written_leave_nothing_behind(
    beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = files.copy

    def copy(path: Path, source: Path) -> None:
        if path.name == "mine.run":
            raise InputError(f"{path}: can't be written: No space left on device")
        real(path, source)

    monkeypatch.setattr(files, "copy", copy)
    with pytest.raises(InputError, match="No space left"):
        starting.from_runs("mine@1", brought(beside), None, dry_run=False)
    assert list(beside.iterdir()) == []


def test_runs_that_can_not_be_read_begin_nothing(beside: Path) -> None:
    write(beside.parent, "ours.run", "q1 Q0 a\n")
    done = cli("mine@1", *GIVEN)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "ours.run: line 1: expected at least 6 fields, found 3" in done.stderr
    assert list(beside.iterdir()) == []
