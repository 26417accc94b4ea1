"""`pagecost new`: a draft that builds, and nothing that exists is touched."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost import files, plan, plannotes, recording, starting
from pagecost.errors import InputError
from pagecost.model import Plan
from tests.builders import (
    TinyProject,
    archives_plan,
    distributions_plan,
    make_project,
    projection_of,
)

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
