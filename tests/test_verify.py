"""Each check of a version: what held, what failed, and what nobody could check."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagecost import export, pipeline, verify
from pagecost.errors import InputError
from tests.builders import (
    ALPHA,
    BETA,
    TinyProject,
    archives_plan,
    cached,
    forge,
    git,
    git_init,
    make_project,
    sha256,
    zip_bytes,
)

KEY = "tiny@1"


def checks(made: TinyProject, *, strict: bool = False) -> list[verify.Check]:
    work = made.work()
    return list(pipeline.verify_all(work, work.project.select(KEY), strict=strict))


def outcomes(made: TinyProject, *, strict: bool = False) -> list[tuple[str, str]]:
    return [(one.check, one.outcome) for one in checks(made, strict=strict)]


def the(made: TinyProject, check: str, *, strict: bool = False) -> verify.Check:
    """The one check of that name."""
    (found,) = [one for one in checks(made, strict=strict) if one.check == check]
    return found


HELD = [
    ("plan", "ok"),
    ("corpus", "ok"),
    ("documents", "ok"),
    ("digests", "ok"),
    ("counts", "ok"),
    ("ranks", "ok"),
    ("history", "ok"),
]


# --- Files and replays ----------------------------------------------------------------------------


def test_a_version_with_nothing_wrong_passes_every_check(tiny_project: TinyProject) -> None:
    assert outcomes(tiny_project) == HELD
    assert outcomes(tiny_project, strict=True) == HELD


def test_each_check_says_what_was_compared_with_what(tiny_project: TinyProject) -> None:
    said = {one.check: one.said for one in checks(tiny_project)}
    version = tiny_project.version(KEY)
    pins = version.plan.corpus.pins
    assert pins is not None
    assert pins.membership is not None
    assert version.digest in said["plan"]
    assert "recorded" in said["plan"]
    assert pins.membership in said["corpus"]
    assert pins.query_hash in said["corpus"]
    assert "12 documents, 11 queries" in said["corpus"]
    assert said["documents"] == "documents.txt: lists the 12 documents that plan.json pins"
    assert sha256(tiny_project.file(KEY, "ranks.csv").read_bytes()) in said["digests"]
    assert "byte for byte" in said["counts"]
    assert "ranking the corpus again" in said["ranks"]
    assert all(one.version == KEY for one in checks(tiny_project))


def test_nothing_is_remembered_and_nothing_changed(tiny_project: TinyProject, cache: Path) -> None:
    before = tiny_project.state()
    listed = sorted(cache.rglob("*"))
    checks(tiny_project)
    assert tiny_project.state() == before
    assert sorted(cache.rglob("*")) == listed


@pytest.mark.parametrize("name", ["pages", "emitted", "searches", "win", "found", "documents"])
def test_one_digit_that_changed_in_the_results_is_found(
    tiny_project: TinyProject, name: str
) -> None:
    path = tiny_project.file(KEY, "results.json")
    text = path.read_text(encoding="utf-8")
    at = text.rindex(f'"{name}": ') + len(name) + 4
    digit = "7" if text[at] != "7" else "8"
    path.write_text(text[:at] + digit + text[at + 1 :], encoding="utf-8")
    line = text[:at].count("\n") + 1
    found = the(tiny_project, "counts")
    assert found.outcome == "failed"
    assert f"results.json: line {line}: " in found.said
    assert "but counting ranks.csv again gives" in found.said
    assert "the record does not replay" in found.said
    assert the(tiny_project, "ranks").outcome == "failed"


def test_results_that_only_look_different_are_found(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "results.json")
    path.write_bytes(path.read_bytes() + b" ")
    assert the(tiny_project, "counts").outcome == "failed"


def test_a_rank_that_changed_is_found_by_its_digest(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "ranks.csv")
    path.write_bytes(path.read_bytes().replace(b",6,2\n", b",5,2\n"))
    (found,) = checks(tiny_project)
    assert (found.check, found.outcome) == ("files", "failed")
    assert "ranks.csv: sha256 " in found.said


def test_a_forged_record_is_found_by_ranking_the_corpus_again(tiny_project: TinyProject) -> None:
    forge(tiny_project, KEY)
    assert the(tiny_project, "counts").outcome == "ok"
    found = the(tiny_project, "ranks")
    assert found.outcome == "failed"
    assert re.search(r"ranks\.csv: line 3: '.*,5,2', but ranking the corpus again", found.said)


def test_a_plan_that_is_wrong_ends_the_verification(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, baseline="none")
    (found,) = checks(tiny_project)
    assert (found.check, found.outcome) == ("files", "failed")
    assert "$.baseline: no policy is named 'none'" in found.said


def test_a_record_of_before_documents_were_listed_lacks_nothing(tiny_project: TinyProject) -> None:
    tiny_project.file(KEY, "documents.txt").unlink()
    held = [one for one in HELD if one[0] != "documents"]
    assert outcomes(tiny_project, strict=True) == held


@pytest.mark.parametrize("change", ["a document less", "another order", "no last line break"])
def test_a_list_of_other_documents_ends_the_verification(
    tiny_project: TinyProject, change: str
) -> None:
    path = tiny_project.file(KEY, "documents.txt")
    lines = path.read_bytes().splitlines(keepends=True)
    changed = {
        "a document less": b"".join(lines[1:]),
        "another order": b"".join(reversed(lines)),
        "no last line break": b"".join(lines)[:-1],
    }
    path.write_bytes(changed[change])
    (found,) = checks(tiny_project)
    assert (found.check, found.outcome) == ("files", "failed")
    assert f"{path}: not the documents that the plan pins" in found.said


def test_half_a_record_ends_the_verification(tiny_project: TinyProject) -> None:
    tiny_project.file(KEY, "ranks.csv").unlink()
    (found,) = checks(tiny_project)
    assert (found.check, found.outcome) == ("files", "failed")
    assert "half a record" in found.said


# --- The corpus -----------------------------------------------------------------------------------


def test_without_the_corpus_the_ranks_are_not_checked(
    tiny_project: TinyProject, cache: Path
) -> None:
    cached(cache, BETA).unlink()
    assert outcomes(tiny_project) == [
        ("plan", "ok"),
        ("corpus", "not checked"),
        ("documents", "ok"),
        ("digests", "ok"),
        ("counts", "ok"),
        ("ranks", "not checked"),
        ("history", "ok"),
    ]


def repack(cache: Path, **others: bytes) -> None:
    files = ALPHA.files() | others
    members = {f"{ALPHA.root}/{name}": data for name, data in files.items()}
    cached(cache, ALPHA).write_bytes(zip_bytes(members))


def test_an_archive_of_another_packing_is_not_proven_and_strictly_refused(
    tiny_project: TinyProject, cache: Path
) -> None:
    repack(cache, more=b"more")
    found = the(tiny_project, "archive")
    assert found.outcome == "not proven"
    assert "its content was checked instead" in found.said
    assert the(tiny_project, "ranks").outcome == "ok"
    strictly = the(tiny_project, "corpus", strict=True)
    assert strictly.outcome == "failed"
    assert "archives must match to the byte" in strictly.said


def test_a_corpus_that_is_not_the_pinned_one_fails(tiny_project: TinyProject, cache: Path) -> None:
    changed = ALPHA.files()["vault/vault.go"].replace(b"Replaces", b"replaced")
    repack(cache, **{"vault/vault.go": changed})
    found = the(tiny_project, "corpus")
    assert found.outcome == "failed"
    assert "$.corpus.pins.query_hash: found" in found.said
    assert the(tiny_project, "ranks").outcome == "failed"
    assert the(tiny_project, "counts").outcome == "ok"


def test_a_corpus_that_cannot_be_read_fails(tiny_project: TinyProject, cache: Path) -> None:
    cached(cache, ALPHA).write_bytes(b"garbage")
    found = the(tiny_project, "corpus")
    assert found.outcome == "failed"
    assert "not a whole ZIP file" in found.said
    assert the(tiny_project, "ranks").outcome == "not checked"


# --- Without a record -----------------------------------------------------------------------------


def test_a_draft_has_no_history_to_check(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="draft")
    assert outcomes(made) == [("plan", "ok"), ("corpus", "ok"), ("record", "ok")]
    assert the(made, "record").said == "none; the plan is draft, and no number is shown"


def test_a_draft_without_pins_has_no_corpus_to_check(tmp_path: Path) -> None:
    plans = {KEY: archives_plan(pinned=False)}
    made = make_project(tmp_path / "p", versions=plans, state="draft")
    assert the(made, "corpus").outcome == "not checked"


def test_a_frozen_plan_without_results_is_proven(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="frozen")
    assert the(made, "record").said == "none; the plan is frozen, and no number is shown"
    found = the(made, "history")
    assert found.outcome == "ok"
    assert found.said.endswith("no results yet")


# --- A replication --------------------------------------------------------------------------------


def replication(path: Path, published: bytes | None) -> TinyProject:
    """A replication of a record whose export has those bytes; None for ours."""

    def made(digest: str, folder: Path) -> TinyProject:
        file = {"url": "https://example.invalid/x", "commit": "e" * 40, "sha256": digest}
        origin = {"name": "x", "url": "https://example.invalid", "plan": file}
        origin |= {"results": file | {"export": "results-12"}}
        plans = {KEY: archives_plan(kind="replication", origin=origin)}
        return make_project(folder, versions=plans)

    if published is None:
        first = made("0" * 64, path / "first").version(KEY)
        assert first.record is not None
        published = export.results_12(first.plan, first.record.results)
    return made(sha256(published), path / "project")


def test_a_replication_equals_the_published_record(tmp_path: Path) -> None:
    found = the(replication(tmp_path, None), "origin")
    assert found.outcome == "ok"
    assert "exported as results-12 the record has sha256 " in found.said


def test_a_replication_that_differs_from_the_published_record_fails(tmp_path: Path) -> None:
    found = the(replication(tmp_path, b"{}\n"), "origin")
    assert found.outcome == "failed"
    assert sha256(b"{}\n") in found.said


# --- History --------------------------------------------------------------------------------------


def unwritten(path: Path) -> TinyProject:
    """A frozen plan and its record, in a repository that has neither."""
    made = make_project(path, with_git=False)
    git_init(path)
    git(path, "add", "mkdocs.yml")
    git(path, "commit", "--quiet", "-m", "Begin")
    return made


def commit(made: TinyProject, *names: str) -> str:
    git(made.root, "add", *(f"site/tiny/1/{name}" for name in names))
    git(made.root, "commit", "--quiet", "-m", " ".join(names))
    return git(made.root, "rev-parse", "HEAD")


PLAN = ("plan.json", "projection.csv")
RECORD = ("results.json", "ranks.csv")


def history(made: TinyProject) -> tuple[str, str]:
    found = the(made, "history")
    return found.outcome, found.said


def test_a_plan_committed_before_its_results_is_proven(tmp_path: Path) -> None:
    made = unwritten(tmp_path / "p")
    plan = commit(made, *PLAN)
    assert history(made) == (
        "ok",
        f"plan.json: committed in {plan[:12]}, before results.json, which is not committed yet",
    )
    record = commit(made, *RECORD)
    assert history(made) == (
        "ok",
        f"plan.json: committed in {plan[:12]}, before results.json in {record[:12]}, and both "
        "unchanged since",
    )


def test_a_plan_and_its_results_in_one_commit_prove_nothing(tmp_path: Path) -> None:
    made = unwritten(tmp_path / "p")
    together = commit(made, *PLAN, *RECORD)
    assert history(made) == (
        "not proven",
        f"plan.json and results.json came in one commit, {together[:12]}, as after a squash",
    )


def test_results_committed_before_their_plan_fail(tmp_path: Path) -> None:
    made = unwritten(tmp_path / "p")
    record = commit(made, *RECORD)
    plan = commit(made, *PLAN)
    assert history(made) == (
        "failed",
        f"results.json was committed in {record[:12]}, which does not come after the plan's "
        f"{plan[:12]}",
    )


def test_a_draft_committed_before_is_no_change_of_the_plan(tiny_project: TinyProject) -> None:
    assert (
        git(tiny_project.root, "rev-list", "--count", "HEAD", "--", "site/tiny/1/plan.json") == "2"
    )
    assert history(tiny_project)[0] == "ok"


def test_a_plan_that_was_changed_and_changed_back_fails(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "plan.json")
    before = path.read_bytes()
    frozen = git(tiny_project.root, "rev-parse", "HEAD~1")
    path.write_bytes(before.replace(b"An invented", b"Another"))
    changed = tiny_project.commit()
    path.write_bytes(before)
    tiny_project.commit()
    assert history(tiny_project) == (
        "failed",
        f"{path}: frozen in {frozen[:12]}, but changed in {changed[:12]}",
    )


def test_a_plan_that_was_taken_out_and_put_back_fails(tiny_project: TinyProject) -> None:
    before = tiny_project.file(KEY, "plan.json").read_bytes()
    git(tiny_project.root, "rm", "--quiet", "site/tiny/1/plan.json")
    git(tiny_project.root, "commit", "--quiet", "-m", "Forget it")
    tiny_project.file(KEY, "plan.json").write_bytes(before)
    tiny_project.commit()
    assert history(tiny_project)[0] == "failed"


@pytest.mark.parametrize("committed", [True, False])
def test_a_frozen_plan_that_changed_fails_whether_that_is_committed_or_not(
    tmp_path: Path, committed: bool
) -> None:
    made = make_project(tmp_path / "p", state="frozen")
    head = git(made.root, "rev-parse", "HEAD")
    made.change_plan(KEY, title="Changed")
    if committed:
        made.commit()
    assert history(made) == (
        "failed",
        f"{made.file(KEY, 'plan.json')}: not the plan that was frozen in {head[:12]}",
    )


def test_a_record_that_changed_since_it_was_committed_fails(tiny_project: TinyProject) -> None:
    first = git(tiny_project.root, "rev-parse", "HEAD")
    forge(tiny_project, KEY)
    outcome, said = history(tiny_project)
    assert outcome == "failed"
    assert said.endswith(f"a record does not change, but has since {first[:12]}")
    tiny_project.commit()
    assert history(tiny_project)[0] == "failed"


def test_a_record_that_was_taken_out_and_put_back_fails(tiny_project: TinyProject) -> None:
    kept = {name: tiny_project.file(KEY, name).read_bytes() for name in RECORD}
    for name in RECORD:
        tiny_project.file(KEY, name).unlink()
    tiny_project.commit()
    for name, data in kept.items():
        tiny_project.file(KEY, name).write_bytes(data)
    tiny_project.commit()
    assert history(tiny_project)[0] == "failed"


@pytest.mark.parametrize("committed", ["a draft", "nothing"])
def test_a_plan_that_only_says_it_is_frozen_is_not_proven(tmp_path: Path, committed: str) -> None:
    made = make_project(tmp_path / "p", state="draft", with_git=committed == "a draft")
    if committed == "nothing":
        git_init(made.root)
    made.change_plan(KEY, status="frozen")
    assert history(made)[0] == "not proven"


def test_a_shallow_clone_proves_nothing(tiny_project: TinyProject, tmp_path: Path) -> None:
    source = tiny_project.root.as_uri()
    clone = TinyProject(tmp_path / "clone")
    git(tmp_path, "clone", "--quiet", "--depth", "1", source, str(clone.root))
    assert history(clone) == ("not provable", "a shallow clone: history is cut off")
    git(clone.root, "fetch", "--quiet", "--unshallow")
    assert history(clone)[0] == "ok"


def test_outside_git_nothing_is_provable(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", with_git=False)
    assert history(made) == ("not provable", "outside Git: nothing says what came first")


def test_without_git_nothing_is_provable(
    tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pagecost.git.shutil.which", lambda _: None)
    assert history(tiny_project)[0] == "not provable"


def test_results_that_were_committed_and_are_gone_fail(tiny_project: TinyProject) -> None:
    for name in RECORD:
        tiny_project.file(KEY, name).unlink()
    outcome, said = history(tiny_project)
    assert outcome == "failed"
    assert said.endswith("results.json: was committed, and is gone")


# --- Branches that come together ------------------------------------------------------------------


def on_branches(made: TinyProject, **work: Callable[[], Any]) -> None:
    """Does each piece of work on a branch of its own from here, then merges them all into main."""
    start = git(made.root, "rev-parse", "HEAD")
    for name, do in work.items():
        git(made.root, "checkout", "--quiet", "-b", name, start)
        do()
    git(made.root, "checkout", "--quiet", "main")
    for name in work:
        git(made.root, "merge", "--quiet", "--no-ff", "-m", f"Merge {name}", name)


def aside(made: TinyProject) -> Callable[[], Any]:
    def do() -> None:
        (made.root / "aside.txt").write_text("aside\n")
        git(made.root, "add", "aside.txt")
        git(made.root, "commit", "--quiet", "-m", "Aside")

    return do


def both(made: TinyProject, *order: tuple[str, ...]) -> Callable[[], Any]:
    """Commits these files in this order, from what the version's folder held at first."""
    kept = {name: made.file(KEY, name).read_bytes() for name in (*PLAN, *RECORD)}

    def do() -> None:
        for names in order:
            made.folder(KEY).mkdir(parents=True, exist_ok=True)
            for name in names:
                made.file(KEY, name).write_bytes(kept[name])
            commit(made, *names)

    return do


def emptied(made: TinyProject) -> None:
    for name in (*PLAN, *RECORD):
        made.file(KEY, name).unlink()


def test_a_version_that_came_by_a_merge_is_proven(tmp_path: Path) -> None:
    made = unwritten(tmp_path / "p")
    work = both(made, PLAN, RECORD)
    emptied(made)
    on_branches(made, ours=work, other=aside(made))
    assert history(made)[0] == "ok"


@pytest.mark.parametrize("recorded_on", [0, 1])
def test_one_plan_frozen_on_two_branches_is_proven(tmp_path: Path, recorded_on: int) -> None:
    made = unwritten(tmp_path / "p")
    orders = [both(made, PLAN), both(made, PLAN)]
    orders[recorded_on] = both(made, PLAN, RECORD)
    emptied(made)

    def second() -> None:  # a commit of its own before, or the two freezings would be one commit
        aside(made)()
        orders[1]()

    on_branches(made, first=orders[0], second=second)
    count = ("rev-list", "--count", "--no-merges", "--full-history", "HEAD")
    assert git(made.root, *count, "--", "site/tiny/1/plan.json") == "2"
    assert history(made)[0] == "ok"


def test_results_that_came_before_the_plan_on_one_of_two_branches_fail(tmp_path: Path) -> None:
    made = unwritten(tmp_path / "p")
    good, bad = both(made, PLAN, RECORD), both(made, RECORD, PLAN)
    emptied(made)
    on_branches(made, good=good, bad=bad)
    assert history(made)[0] == "failed"


# --- What is not there any more -------------------------------------------------------------------


@pytest.mark.parametrize("committed", [False, True])
def test_a_frozen_plan_that_was_turned_back_into_a_draft_fails(
    tiny_project: TinyProject, committed: bool
) -> None:
    for name in ("results.json", "ranks.csv"):
        tiny_project.file(KEY, name).unlink()
    tiny_project.change_plan(KEY, status="draft")
    if committed:
        tiny_project.commit("Back to a draft")
    found = the(tiny_project, "history")
    assert found.outcome == "failed"
    assert "plan.json: a draft, though it was frozen in " in found.said


def test_a_draft_whose_record_was_committed_fails(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="draft")
    made.file(KEY, "ranks.csv").write_bytes(b"early\n")
    made.commit("Too early")
    made.file(KEY, "ranks.csv").unlink()
    assert "ranks.csv: of a draft, though committed in " in the(made, "history").said


def test_a_version_whose_plan_is_gone_fails(tiny_project: TinyProject) -> None:
    plan = tiny_project.file(KEY, "plan.json")
    plan.unlink()
    with pytest.raises(InputError, match=r"plan\.json: missing, though results\.json is there"):
        tiny_project.work()
    for name in ("results.json", "ranks.csv"):
        tiny_project.file(KEY, name).unlink()
    work = tiny_project.work()
    (found,) = list(pipeline.verify_all(work, work.project.versions, strict=False))
    assert (found.version, found.outcome) == (KEY, "failed")
    assert found.said == f"{plan}: committed, but missing"
