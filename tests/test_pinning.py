"""`pagecost corpus KEY --write`: what a draft must pin is found, and written where it belongs."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from pagecost import jsonio, pinning, recording
from pagecost.errors import CheckFailed, InputError
from tests.builders import (
    CONFIG,
    Json,
    TinyProject,
    archives_plan,
    distributions_plan,
    git_init,
    make_project,
)
from tests.collection_builders import QRELS, RUN, collection_json, run_of, trec_corpus, write

KEY = "tiny@1"
TIED = "q1 Q0 a 2 1 t\nq1 Q0 b 1 1 t\nq1 Q0 a 3 0 t\r\nq2 Q0 c 1 1 t more\n"


def nested(folder: Path) -> Json:
    """A draft whose runs stand alone, in an interleaving, and in what is deferred in another."""
    x, y = run_of(folder, "runs/x.run", RUN), run_of(folder, "runs/y.run", TIED)
    deferred = {"kind": "deferred", "first": x, "second": y, "after": 1}
    return collection_json(
        trec_corpus(folder, QRELS),
        {
            "x": x,
            "mixed": {"kind": "interleave", "first": "x", "second": y},
            "deep": {"kind": "interleave", "first": deferred, "second": "mixed"},
        },
        kind="exploration",
    )


@pytest.fixture
def draft(tmp_path: Path) -> TinyProject:
    """A project whose draft pins nothing but its files, which lie beside it."""
    made = TinyProject(tmp_path / "p")
    write(made.root, "mkdocs.yml", CONFIG)
    made.write_plan(KEY, nested(made.folder(KEY)))
    return made


def pinned(made: TinyProject) -> Path | None:
    return recording.write_pins(made.work(), KEY, dry_run=False)


def runs_in(part: object) -> list[Json]:
    """Every run of a plan, wherever it is nested."""
    if isinstance(part, list):
        return [run for one in part for run in runs_in(one)]
    if not isinstance(part, dict):
        return []
    if part.get("kind") == "run":
        return [part]
    return [run for one in part.values() for run in runs_in(one)]


# --- What is written ------------------------------------------------------------------------------


def test_corpus_and_runs_are_pinned_wherever_they_stand(draft: TinyProject) -> None:
    before = draft.plan(KEY)
    assert pinned(draft) == draft.file(KEY, "plan.json")
    after = draft.plan(KEY)
    several = runs_in(after)
    assert [one["file"]["path"] for one in several] == [
        f"runs/{name}.run" for name in ("x", "y", "x", "y")
    ]
    by_path = {
        "runs/x.run": {"lines": 3, "topics": 2, "deepest": 2, "shallowest": 1},
        "runs/y.run": {
            "lines": 4, "topics": 2, "deepest": 2, "shallowest": 1, "repeated": 1,
            "tied": 2, "extra_fields": 1, "carriage_returns": 1,
        },
    }  # fmt: skip
    for one in several:
        assert one["pins"] == by_path[one["file"]["path"]]
    assert after["corpus"]["pins"]["queries"] == 2
    assert after["corpus"]["pins"]["judgments"] == {"judgments": 3, "relevant": 2}
    # Nothing else changes, and the plan stays the author's.
    for one in several:
        del one["pins"]
    del after["corpus"]["pins"]
    assert after == before
    assert list(after) == list(before)


def test_what_is_pinned_is_enough_to_freeze(draft: TinyProject) -> None:
    git_init(draft.root)
    draft.commit()
    with pytest.raises(InputError, match=r"x\.run: pins missing[^\0]*y\.run: pins missing"):
        recording.freeze(draft.work(), KEY, dry_run=False)
    pinned(draft)
    draft.commit()
    assert recording.freeze(draft.work(), KEY, dry_run=False)[1] is not None
    draft.record(KEY)
    assert draft.version(KEY).state == "recorded"


def test_one_file_under_two_tie_rules_has_the_pins_of_each(tmp_path: Path) -> None:
    made = TinyProject(tmp_path / "p")
    write(made.root, "mkdocs.yml", CONFIG)
    folder = made.folder(KEY)
    scored = run_of(folder, "runs/y.run", TIED)
    plan = collection_json(
        trec_corpus(folder, QRELS),
        {"scored": scored, "placed": scored | {"ties": "rank-column"}},
        kind="exploration",
    )
    made.write_plan(KEY, plan)
    git_init(made.root)
    pinned(made)
    by_score, by_rank = (one["pins"] for one in runs_in(made.plan(KEY)))
    assert by_score["tied"] == 2
    assert by_rank != by_score
    made.commit()
    assert recording.freeze(made.work(), KEY, dry_run=False)[1] is not None
    made.record(KEY)
    assert made.version(KEY).state == "recorded"


def test_what_stands_there_already_is_not_written_again(
    draft: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned(draft)
    before = draft.state()
    monkeypatch.setattr("pagecost.files.write", lambda *_: pytest.fail("written again"))
    assert pinned(draft) is None
    assert draft.state() == before


def test_pins_that_are_out_of_date_are_replaced(draft: TinyProject) -> None:
    pinned(draft)
    right = draft.plan(KEY)
    wrong = copy.deepcopy(right)
    wrong["corpus"]["pins"]["queries"] = 9
    for one in runs_in(wrong)[1::2]:
        one["pins"] = {"lines": 1, "topics": 1, "deepest": 1, "shallowest": 1, "blank": 5}
    draft.write_plan(KEY, wrong)
    assert pinned(draft) is not None
    assert draft.plan(KEY) == right


def test_archives_are_pinned_by_what_they_hold(tmp_path: Path) -> None:
    plans = {KEY: archives_plan(pinned=False)}
    made = make_project(tmp_path / "p", versions=plans, state="draft", with_git=False)
    assert pinned(made) is not None
    assert made.plan(KEY)["corpus"] == archives_plan()["corpus"]


@pytest.mark.usefixtures("tiny_distribution")
def test_distributions_are_pinned_by_their_hashes_too(tmp_path: Path) -> None:
    plans = {KEY: distributions_plan("tiny", pinned=False)}
    made = make_project(tmp_path / "p", versions=plans, state="draft", with_git=False)
    assert pinned(made) is not None
    assert made.plan(KEY)["corpus"] == distributions_plan()["corpus"]
    assert pinned(made) is None


def test_pins_are_laid_over_a_plan_and_leave_it_alone() -> None:
    run = {"kind": "run", "file": {"path": "x", "sha256": "0" * 64}}
    ranking = {"kind": "interleave", "first": run, "second": "a"}
    before: Json = {
        "title": "Mine",
        "corpus": {"kind": "trec", "name": "c", "pins": 1},
        "policies": [{"name": "a", "ranking": {"kind": "bm25"}}, {"name": "b", "ranking": ranking}],
    }
    kept = copy.deepcopy(before)
    held = {"lines": 4, "topics": 1, "deepest": 4, "shallowest": 4}
    of_run = {"file": "x", "ties": "score-then-docno", "pins": held}
    after = pinning.written(before, {"pins": 2, "sha256": "3", "runs": [of_run]})
    assert before == kept
    assert after["corpus"] == {"kind": "trec", "name": "c", "pins": 2, "sha256": "3"}
    assert after["policies"][0] == before["policies"][0]
    assert after["policies"][1]["ranking"] == ranking | {"first": run | {"pins": held}}


# --- What is refused ------------------------------------------------------------------------------


def test_a_frozen_plan_is_never_written(tiny_project: TinyProject) -> None:
    before = tiny_project.state()
    with pytest.raises(CheckFailed, match="the plan is frozen, and pins what it pins"):
        pinned(tiny_project)
    assert tiny_project.state() == before


def test_a_plan_that_was_frozen_in_git_is_refused_as_a_draft_too(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, status="draft")
    before = tiny_project.state()
    with pytest.raises(CheckFailed):
        pinned(tiny_project)
    assert tiny_project.state() == before


def test_files_with_other_bytes_pin_nothing(draft: TinyProject) -> None:
    draft.file(KEY, "runs/y.run").write_text(RUN)
    before = draft.state()
    with pytest.raises(InputError, match=r"y\.run: sha256 .*, the plan pins "):
        pinned(draft)
    assert draft.state() == before


# --- As a command ---------------------------------------------------------------------------------


def test_the_command_says_what_it_wrote_and_that_nothing_changed(draft: TinyProject) -> None:
    path = draft.file(KEY, "plan.json")
    before = draft.state()
    done = draft.run("corpus", KEY, "--write", "--dry-run")
    assert (done.status, done.out, done.err) == (0, "", f"would write {path}\n")
    assert draft.state() == before
    done = draft.run("corpus", KEY)
    found = json.loads(done.out)
    assert (done.status, draft.state()) == (0, before)
    assert {run["file"] for run in found["runs"]} == {"runs/x.run", "runs/y.run"}
    done = draft.run("corpus", KEY, "--write")
    assert (done.status, done.out, done.err) == (0, "", f"wrote {path}\n")
    after = path.read_bytes()
    assert json.loads(after) == pinning.written(json.loads(before["site/tiny/1/plan.json"]), found)
    assert after == jsonio.canonical(json.loads(after))
    for more in ((), ("--dry-run",)):
        done = draft.run("corpus", KEY, "--write", *more)
        assert (done.status, done.err) == (0, f"{KEY}: pins what was found already\n")
        assert path.read_bytes() == after


def test_the_command_refuses_a_frozen_plan(tiny_project: TinyProject) -> None:
    done = tiny_project.run("corpus", KEY, "--write")
    assert (done.status, done.out) == (1, "")
    assert "the plan is frozen" in done.err


def test_a_dry_run_without_anything_to_write_is_refused(draft: TinyProject) -> None:
    done = draft.run("corpus", KEY, "--dry-run")
    assert (done.status, done.out) == (2, "")
    assert "--dry-run goes with --write" in done.err
