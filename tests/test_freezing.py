"""The life of a version: a draft, frozen by a commit of its own, recorded once and for all."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagecost import files, freezing, pipeline, recording, replay
from pagecost.errors import CheckFailed, CorpusMissing, InputError
from pagecost.git import Repository
from tests.builders import (
    CONFIG,
    TREES,
    TinyProject,
    archives_plan,
    cached,
    distributions_plan,
    forge,
    git,
    git_init,
    make_project,
    require,
    sha256,
    stock,
)
from tests.collection_builders import QRELS, RUN, collection_json, run_of, trec_corpus, write

KEY = "tiny@1"
PLAN = "site/tiny/1/plan.json"
PROJECTION = "site/tiny/1/projection.csv"


@pytest.fixture
def draft(tmp_path: Path) -> TinyProject:
    """A confirmatory draft, committed."""
    return make_project(tmp_path / "project", state="draft")


@pytest.fixture
def frozen(tmp_path: Path) -> TinyProject:
    """A frozen plan without a record."""
    return make_project(tmp_path / "project", state="frozen")


def freeze(made: TinyProject, *, dry_run: bool = False) -> tuple[str, str | None]:
    return recording.freeze(made.work(), KEY, dry_run=dry_run)


def record(made: TinyProject, *, dry_run: bool = False) -> str:
    """Records and returns what was said."""
    out = io.StringIO()
    recording.record(made.work(out), KEY, dry_run=dry_run)
    return out.getvalue()


def score(made: TinyProject) -> tuple[replay.Scored, str]:
    """Scores and returns what was said, too."""
    out = io.StringIO()
    return recording.score(made.work(out), KEY), out.getvalue()


def build(made: TinyProject) -> None:
    """As far as a build goes before it renders."""
    work = made.work()
    for version in pipeline.load_all(work, drafts=True):
        pipeline.replayed(work, version)


def everything(made: TinyProject) -> tuple[object, ...]:
    """Files, commits, and what is staged or not: all of it stays where nothing is done."""
    if not made.has_git():
        return (made.state(),)
    status = git(made.root, "status", "--porcelain", "--untracked-files=all")
    return made.state(), git(made.root, "log", "--all", "--format=%H"), status


def unchanged(made: TinyProject, call: Callable[..., Any], kind: type[Exception]) -> str:
    """Why the call is refused, having changed nothing at all."""
    before = everything(made)
    with pytest.raises(kind) as error:
        call(made)
    assert everything(made) == before
    return str(error.value)


# --- Freezing -------------------------------------------------------------------------------------


def test_freezing_turns_the_status_and_keeps_every_other_byte(draft: TinyProject) -> None:
    path = draft.file(KEY, "plan.json")
    before = path.read_bytes()
    assert before.count(b'"status": "draft"') == 1
    digest, commit = freeze(draft)
    after = path.read_bytes()
    assert after == before.replace(b'"status": "draft"', b'"status": "frozen"')
    assert digest == sha256(after)
    assert commit == git(draft.root, "rev-parse", "HEAD")
    committed = Repository.around(draft.root)
    assert committed is not None
    assert committed.committed(path) == after
    assert draft.version(KEY).state == "frozen"


def test_the_commit_says_what_was_frozen(draft: TinyProject) -> None:
    digest, _ = freeze(draft)
    message = git(draft.root, "log", "-1", "--format=%B").strip()
    assert message == f"Freeze the plan of {KEY}\n\nplan.json sha256 {digest}"


@pytest.mark.parametrize("layout", ['"status":"draft"', '"status"\n\t : \n "draft"'])
def test_the_layout_of_the_plan_is_its_authors(draft: TinyProject, layout: str) -> None:
    path = draft.file(KEY, "plan.json")
    text = path.read_text(encoding="utf-8").replace('"status": "draft"', layout)
    path.write_text(text, encoding="utf-8")
    freeze(draft)
    assert path.read_text(encoding="utf-8") == text.replace('"draft"', '"frozen"')


def test_freezing_commits_plan_and_projection_alone(draft: TinyProject) -> None:
    draft.change_plan(KEY, title="Another title")
    (draft.root / "staged.txt").write_text("staged\n")
    git(draft.root, "add", "staged.txt")
    (draft.docs / "index.md").write_text("# Changed, not staged\n")
    (draft.root / "untracked.txt").write_text("untracked\n")
    freeze(draft)
    changed = git(draft.root, "show", "--name-only", "--format=", "HEAD").split()
    assert changed == [PLAN]
    status = git(draft.root, "status", "--porcelain").split("\n")
    assert status == [" M site/index.md", "A  staged.txt", "?? untracked.txt"]


def test_a_version_that_was_never_committed_is_frozen_with_its_projection(
    draft: TinyProject,
) -> None:
    draft.write_plan("tiny@2", archives_plan("tiny", "2"))
    recording.freeze(draft.work(), "tiny@2", dry_run=False)
    changed = git(draft.root, "show", "--name-only", "--format=", "HEAD").split()
    assert changed == ["site/tiny/2/plan.json", "site/tiny/2/projection.csv"]
    assert git(draft.root, "status", "--porcelain") == ""


def test_freezing_may_be_the_first_commit_of_all(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    git_init(made.root)
    freeze(made)
    assert git(made.root, "ls-files").split() == [PLAN, PROJECTION]
    assert git(made.root, "rev-list", "--count", "HEAD") == "1"


@pytest.mark.usefixtures("tiny_distribution")
def test_a_plan_over_distributions_is_frozen_alone(tmp_path: Path) -> None:
    made = make_project(
        tmp_path / "p", versions={KEY: distributions_plan("tiny", "1")}, state="draft"
    )
    freeze(made)
    assert git(made.root, "show", "--name-only", "--format=", "HEAD").split() == [PLAN]


def test_a_dry_run_says_the_digest_and_changes_nothing(draft: TinyProject) -> None:
    before = everything(draft)
    digest, commit = freeze(draft, dry_run=True)
    assert commit is None
    assert everything(draft) == before
    assert freeze(draft)[0] == digest


def test_names_that_look_like_patterns_are_names(tmp_path: Path) -> None:
    config = "docs_dir: 'd[1]'\nsite_dir: _mkdocs\n"
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    (made.root / "mkdocs.yml").write_text(config)
    made.docs.rename(made.root / "d[1]")
    other = made.root / "d1" / "tiny" / "1" / "plan.json"
    other.parent.mkdir(parents=True)
    other.write_text("before\n")
    git_init(made.root)
    made.commit()
    other.write_text("changed, and none of ours\n")
    freeze(made)
    changed = git(made.root, "show", "--name-only", "--format=", "HEAD").split()
    assert changed == ["d[1]/tiny/1/plan.json"]
    assert git(made.root, "status", "--porcelain") == " M d1/tiny/1/plan.json"


# --- Freezing refused -----------------------------------------------------------------------------


def with_hook(made: TinyProject) -> None:
    hook = made.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not on a Sunday >&2\nexit 1\n")
    hook.chmod(0o755)


def test_a_hook_that_refuses_leaves_everything_as_it_was(draft: TinyProject) -> None:
    require(os.name == "posix", "a hook is a shell script")
    with_hook(draft)
    (draft.root / "staged.txt").write_text("staged\n")
    git(draft.root, "add", "staged.txt")
    message = unchanged(draft, freeze, InputError)
    assert f"git could not commit {PLAN}, {PROJECTION}: not on a Sunday" in message


def test_a_hook_that_refuses_leaves_new_files_untracked(draft: TinyProject) -> None:
    require(os.name == "posix", "a hook is a shell script")
    draft.write_plan("tiny@2", archives_plan("tiny", "2"))
    with_hook(draft)
    unchanged(
        draft, lambda made: recording.freeze(made.work(), "tiny@2", dry_run=False), InputError
    )


def test_git_without_an_identity_leaves_everything_as_it_was(draft: TinyProject) -> None:
    for name in ("user.name", "user.email"):
        git(draft.root, "config", "--unset", name)
    git(draft.root, "config", "user.useConfigOnly", "true")
    assert "Please tell me who you are" in unchanged(draft, freeze, InputError)


def test_a_merge_that_is_not_over_leaves_everything_as_it_was(draft: TinyProject) -> None:
    git(draft.root, "checkout", "--quiet", "-b", "other")
    (draft.root / "a.txt").write_text("one\n")
    draft.commit()
    git(draft.root, "checkout", "--quiet", "main")
    (draft.root / "b.txt").write_text("two\n")
    draft.commit()
    git(draft.root, "merge", "--quiet", "--no-commit", "--no-ff", "other")
    assert "during a merge" in unchanged(draft, freeze, InputError)


def test_a_plan_is_frozen_once(frozen: TinyProject) -> None:
    digest = sha256(frozen.file(KEY, "plan.json").read_bytes())
    message = unchanged(frozen, freeze, CheckFailed)
    assert f"plan.json: the plan is frozen already, sha256 {digest}" in message


def test_a_frozen_plan_that_was_set_back_to_draft_is_refused(frozen: TinyProject) -> None:
    frozen.change_plan(KEY, status="draft", title="Thought better of it")
    message = unchanged(frozen, freeze, CheckFailed)
    assert "the plan was frozen with sha256 " in message
    assert " -- plan.json` in its folder" in message
    assert "`pagecost new tiny@NEXT --like tiny@1`" in message


def test_a_plan_with_results_is_not_frozen_afterwards(draft: TinyProject) -> None:
    for name in ("results.json", "ranks.csv"):
        draft.file(KEY, name).write_text("already known\n")
    assert "a record, but the plan is a draft" in unchanged(draft, freeze, CheckFailed)
    with pytest.raises(CheckFailed, match="results exist already; a plan is frozen first"):
        freezing.freeze(draft.where(KEY))


def test_outside_git_nothing_is_frozen(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    assert "not inside a Git work tree" in unchanged(made, freeze, InputError)


def test_without_git_nothing_is_frozen(draft: TinyProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pagecost.git.shutil.which", lambda _: None)
    before = draft.state()
    with pytest.raises(InputError, match="not inside a Git work tree"):
        freeze(draft)
    assert draft.state() == before


@pytest.mark.parametrize("name", ["plan.json", "projection.csv"])
def test_what_git_ignores_is_not_frozen(tmp_path: Path, name: str) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=False)
    git_init(made.root)
    (made.root / ".gitignore").write_text(f"{name}\n")
    made.commit()
    assert f"{name}: ignored by Git, so it can't be frozen" in unchanged(made, freeze, InputError)


def test_a_file_that_git_holds_with_other_bytes_than_the_plan_pins_is_not_frozen(
    tmp_path: Path,
) -> None:
    made = TinyProject(tmp_path / "p")
    write(made.root, "mkdocs.yml", CONFIG)
    write(made.root, ".gitattributes", "* text=auto eol=lf\n")  # stores LF for CRLF
    folder = made.folder(KEY)
    run = run_of(folder, "runs/x.run", RUN.replace("\n", "\r\n"))
    made.write_plan(
        KEY, collection_json(trec_corpus(folder, QRELS), {"x": run}, kind="exploration")
    )
    git_init(made.root)
    made.commit()
    recording.write_pins(made.work(), KEY, dry_run=False)
    before = made.state()
    with pytest.raises(InputError, match=r"runs/x\.run: Git holds other bytes than the plan pins"):
        recording.freeze(made.work(), KEY, dry_run=False)
    assert made.state() == before
    write(made.root, ".gitattributes", "* text=auto eol=lf\n*.run -text\n")
    made.commit("As they are")
    assert recording.freeze(made.work(), KEY, dry_run=False)[1] is not None


def test_a_plan_without_pins_is_not_frozen(draft: TinyProject) -> None:
    draft.write_plan(KEY, archives_plan(pinned=False))
    assert "plan.json: $.corpus.pins: missing" in unchanged(draft, freeze, InputError)


def test_a_plan_that_pins_another_corpus_is_not_frozen(draft: TinyProject) -> None:
    made = archives_plan()
    made["corpus"]["pins"]["exclusions"]["generated"] = 7
    draft.write_plan(KEY, made)
    message = unchanged(draft, freeze, InputError)
    assert "tiny@1: $.corpus.pins.exclusions: found {" in message


def test_a_plan_whose_corpus_is_not_at_hand_is_not_frozen(draft: TinyProject, cache: Path) -> None:
    cached(cache, TREES[1]).unlink()
    message = unchanged(draft, freeze, CorpusMissing)
    assert "example/beta at bbbbbbbbbbbb is not in the cache. Get it with " in message
    assert "`pagecost fetch tiny@1`, or from ZIPs that you have" in message


@pytest.mark.parametrize("how", ["left out", "twice"])
def test_a_status_that_cannot_be_turned_is_refused(draft: TinyProject, how: str) -> None:
    path = draft.file(KEY, "plan.json")
    text = path.read_text(encoding="utf-8")
    line = '  "status": "draft",\n'
    assert line in text
    path.write_text(text.replace(line, "" if how == "left out" else line * 2), encoding="utf-8")
    expected = 'write "status": "draft" once' if how == "left out" else "stands twice"
    assert expected in unchanged(draft, freeze, InputError)


def test_other_line_ends_than_git_will_store_are_refused(draft: TinyProject) -> None:
    (draft.root / ".gitattributes").write_text("* text=auto eol=lf\n")
    path = draft.file(KEY, "plan.json")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "plan.json: lines end in CRLF, expected LF" in unchanged(draft, freeze, InputError)


def test_the_environment_of_a_hook_does_not_lead_to_another_repository(
    frozen: TinyProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    git_init(other)
    frozen.change_plan(KEY, title="Changed")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    with pytest.raises(CheckFailed, match="the plan was frozen with sha256"):
        build(frozen)


def test_a_plan_that_is_a_link_is_not_what_git_holds(frozen: TinyProject, tmp_path: Path) -> None:
    path = frozen.file(KEY, "plan.json")
    elsewhere = tmp_path / "elsewhere.json"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    repository = Repository.around(frozen.root)
    assert repository is not None
    assert repository.committed(path) == elsewhere.read_bytes()
    build(frozen)


# --- Scoring and recording ------------------------------------------------------------------------


def test_a_frozen_plan_is_scored_and_recorded(frozen: TinyProject) -> None:
    scored, said = score(frozen)
    assert said == ""
    assert not frozen.file(KEY, "results.json").exists()
    assert record(frozen) == ""
    assert frozen.file(KEY, "results.json").read_bytes() == scored.results_json
    assert frozen.file(KEY, "ranks.csv").read_bytes() == scored.ranks_csv
    assert frozen.file(KEY, "documents.txt").read_bytes() == scored.documents_txt
    assert frozen.version(KEY).state == "recorded"
    build(frozen)


def test_a_record_is_written_once(frozen: TinyProject) -> None:
    record(frozen)
    before = everything(frozen)
    assert record(frozen) == "tiny@1: recorded already, and the same to the byte\n"
    assert everything(frozen) == before


def test_a_dry_run_of_recording_changes_nothing(frozen: TinyProject) -> None:
    for _ in range(2):
        before = everything(frozen)
        record(frozen, dry_run=True)
        assert everything(frozen) == before
        record(frozen)


@pytest.mark.parametrize("kind", ["confirmatory", "replication"])
@pytest.mark.parametrize("call", [score, record])
def test_a_draft_is_never_scored(
    draft: TinyProject, call: Callable[[TinyProject], object], kind: str
) -> None:
    published = {"url": "https://example.invalid/x", "commit": "e" * 40, "sha256": "f" * 64}
    origin = {"name": "x", "url": "https://example.invalid", "plan": published}
    more: dict[str, Any] = {"origin": origin | {"results": published}}
    draft.change_plan(KEY, kind=kind, **(more if kind == "replication" else {}))
    expected = "plan.json: the plan is a draft; freeze it first: `pagecost freeze tiny@1`"
    assert expected in unchanged(draft, call, CheckFailed)


def test_an_exploration_may_be_scored_as_a_draft_but_not_recorded(draft: TinyProject) -> None:
    draft.change_plan(KEY, kind="exploration")
    scored, said = score(draft)
    assert json.loads(scored.results_json)["plan_sha256"] == draft.version(KEY).digest
    assert said == "note: tiny@1: a draft; this score is of a plan that may still change\n"
    assert "the plan is a draft; freeze it first" in unchanged(draft, record, CheckFailed)


def test_an_exploration_without_pins_says_how_to_get_them(draft: TinyProject) -> None:
    draft.write_plan(KEY, archives_plan(pinned=False, kind="exploration"))
    message = unchanged(draft, score, InputError)
    assert "tiny@1: $.corpus.pins is missing; `pagecost corpus tiny@1` prints it" in message


@pytest.mark.parametrize("call", [score, record, build, freeze])
def test_a_plan_that_changed_after_freezing_is_refused_by_everything(
    frozen: TinyProject, call: Callable[[TinyProject], object]
) -> None:
    before = sha256(frozen.file(KEY, "plan.json").read_bytes())
    frozen.change_plan(KEY, page_sizes=[1, 2])
    after = sha256(frozen.file(KEY, "plan.json").read_bytes())
    message = unchanged(frozen, call, CheckFailed)
    assert f"the plan was frozen with sha256 {before} and now has {after}" in message


@pytest.mark.parametrize("call", [score, record])
def test_a_plan_that_only_says_it_is_frozen_is_not_scored(
    draft: TinyProject, call: Callable[[TinyProject], object]
) -> None:
    draft.change_plan(KEY, status="frozen")
    message = unchanged(draft, call, CheckFailed)
    assert 'says it is frozen, but is not committed. Set its status back to "draft"' in message


def test_a_build_warns_of_a_plan_that_only_says_it_is_frozen(draft: TinyProject) -> None:
    draft.change_plan(KEY, status="frozen")
    out = io.StringIO()
    work = draft.work(out)
    pipeline.load_all(work, drafts=True)
    assert work.console.warnings == 1
    assert out.getvalue().startswith("warning: tiny@1: its plan says it is frozen, but it is not")


@pytest.mark.parametrize("git_is", ["not around the project", "not installed"])
def test_where_git_cannot_prove_it_a_note_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git_is: str
) -> None:
    if git_is == "not installed":
        made = make_project(tmp_path / "p", state="frozen")
        monkeypatch.setattr("pagecost.git.shutil.which", lambda _: None)
    else:
        made = make_project(tmp_path / "p", state="frozen", with_git=False)
    note = "note: tiny@1: outside Git, so nothing can prove that the plan was frozen first\n"
    assert score(made)[1] == note
    assert record(made) == note
    build(made)


@pytest.mark.parametrize("call", [score, record])
def test_without_its_corpus_nothing_is_scored(
    frozen: TinyProject, cache: Path, call: Callable[[TinyProject], object]
) -> None:
    cached(cache, TREES[0]).unlink()
    message = unchanged(frozen, call, CorpusMissing)
    assert "Get it with `pagecost fetch tiny@1`" in message


@pytest.mark.parametrize("call", [score, record])
def test_a_corpus_that_is_not_the_pinned_one_is_not_scored(
    frozen: TinyProject, cache: Path, call: Callable[[TinyProject], object]
) -> None:
    other = [*TREES[:1], _with_another_comment(1)]
    stock(cache, other)
    message = unchanged(frozen, call, InputError)
    assert "tiny@1: plan.json: $.corpus.pins.query_hash: found " in message


def _with_another_comment(at: int) -> Any:
    """A tree with one comment changed in place, so that all spans still hold."""
    from dataclasses import replace

    tree = TREES[at]
    source = tree.sources["fleet/again.go"]
    function = source.functions[0]
    changed = replace(function, doc=function.doc.replace("crew", "Mast"))
    files_ = {**tree.sources, "fleet/again.go": replace(source, functions=(changed,))}
    return replace(tree, sources=files_)


def test_a_record_that_scoring_does_not_give_is_never_written_over(
    tiny_project: TinyProject,
) -> None:
    forge(tiny_project, KEY)
    message = unchanged(tiny_project, record, CheckFailed)
    assert "ranks.csv: scoring gives another record, and a record never changes" in message


def test_results_that_scoring_does_not_give_are_never_written_over(
    tiny_project: TinyProject,
) -> None:
    path = tiny_project.file(KEY, "results.json")
    path.write_bytes(path.read_bytes() + b"\n")
    message = unchanged(tiny_project, record, CheckFailed)
    assert "results.json: scoring gives another record, and a record never changes" in message


def test_a_record_of_before_documents_were_listed_is_completed(tiny_project: TinyProject) -> None:
    whole = tiny_project.state()
    path = tiny_project.file(KEY, "documents.txt")
    path.unlink()
    before = tiny_project.state()
    assert recording.record(tiny_project.work(), KEY, dry_run=True) == [path]
    assert tiny_project.state() == before
    assert recording.record(tiny_project.work(), KEY, dry_run=False) == [path]
    assert tiny_project.state() == whole
    assert record(tiny_project) == "tiny@1: recorded already, and the same to the byte\n"


def test_a_list_of_other_documents_is_refused_and_never_written_over(
    tiny_project: TinyProject,
) -> None:
    path = tiny_project.file(KEY, "documents.txt")
    path.write_bytes(path.read_bytes()[:-1])
    for call in (record, build):
        message = unchanged(tiny_project, call, InputError)
        assert f"{path}: not the documents that the plan pins; `pagecost record tiny@1`" in message


def test_the_documents_are_listed_a_line_each_as_the_plan_pins_them(
    tiny_project: TinyProject,
) -> None:
    data = tiny_project.file(KEY, "documents.txt").read_bytes()
    version = tiny_project.version(KEY)
    assert version.plan.corpus.pins is not None
    assert sha256(data) == version.plan.corpus.pins.membership
    rows = tiny_project.file(KEY, "projection.csv").read_text(encoding="utf-8").splitlines()
    listed = data.decode("ascii").splitlines()
    assert len(listed) == version.plan.corpus.pins.documents
    assert set(listed) < {row.rpartition(",")[2] for row in rows}
    assert version.documents == frozenset(listed)


def full_disk_at(patch: pytest.MonkeyPatch, name: str) -> None:
    real = files.write

    def write(path: Path, data: bytes) -> None:
        if path.name == name:
            raise InputError(f"{path}: can't be written: No space left on device")
        real(path, data)

    patch.setattr(files, "write", write)


@pytest.mark.parametrize("name", ["documents.txt", "ranks.csv", "results.json"])
def test_a_record_that_cannot_be_written_leaves_no_half_of_it(
    frozen: TinyProject, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    full_disk_at(monkeypatch, name)
    assert "No space left on device" in unchanged(frozen, record, InputError)


@pytest.mark.parametrize("gone", ["ranks.csv", "results.json"])
def test_half_a_record_is_refused_until_it_is_completed(
    tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    whole = tiny_project.state()
    tiny_project.file(KEY, gone).unlink()
    message = unchanged(tiny_project, build, InputError)
    assert f"{gone}: missing, though " in message
    assert "is there: half a record" in message
    assert "`pagecost record tiny@1`" in message
    with monkeypatch.context() as patch:
        full_disk_at(patch, gone)
        unchanged(tiny_project, record, InputError)
    record(tiny_project)
    assert tiny_project.state() == whole


@pytest.mark.parametrize("gone", ["ranks.csv", "results.json"])
def test_half_of_another_record_is_never_written_over(tiny_project: TinyProject, gone: str) -> None:
    forge(tiny_project, KEY)
    tiny_project.file(KEY, gone).unlink()
    message = unchanged(tiny_project, record, CheckFailed)
    assert "scoring gives another record, and a record never changes" in message


def test_a_plan_whose_figures_are_known_is_not_confirmatory(tiny_project: TinyProject) -> None:
    made = tiny_project.plan(KEY) | {"version": "2", "status": "draft", "title": "Once more"}
    tiny_project.write_plan("tiny@2", made)
    done = tiny_project.run("freeze", "tiny@2")
    assert done.status == 1
    assert "'confirmatory', but tiny@1 has the figures of its baseline and primary" in done.err
    assert tiny_project.plan("tiny@2")["status"] == "draft"
    tiny_project.change_plan("tiny@2", kind="exploration")
    assert tiny_project.run("freeze", "tiny@2").status == 0


def test_another_primary_policy_on_the_same_corpus_may_be_confirmatory(
    tiny_project: TinyProject,
) -> None:
    made = tiny_project.plan(KEY) | {"version": "2", "status": "draft"}
    later = {
        "name": "later",
        "ranking": {"kind": "deferred", "first": "baseline", "second": "helper", "after": 2},
    }
    made |= {"policies": [*made["policies"], later], "primary_policy": "later"}
    tiny_project.write_plan("tiny@2", made)
    assert tiny_project.run("freeze", "tiny@2").status == 0
