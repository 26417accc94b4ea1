"""`pagecost diff` as people run it: real processes, real Git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pagecost.project import CONFIG
from tests.builders import (
    Done,
    Json,
    TinyProject,
    archives_plan,
    environment,
    git,
    pagecost,
    require,
)

A, B = "tiny@1", "tiny@2"
DRAFT_A, FREEZE_A, RECORD_A, DRAFT_B, FREEZE_B, RECORD_B = (f"HEAD~{n}" for n in range(5, -1, -1))
"""The commits of `pair`, oldest first."""


def succeeded(done: Done) -> Done:
    assert done.status == 0, done.err
    assert done.err == ""
    return done


def refusal(made: TinyProject, *arguments: str, cwd: Path | None = None) -> str:
    """What is said of wrong input, having printed and changed nothing."""
    before = made.state()
    done = pagecost(*arguments, cwd=cwd or made.root)
    assert (done.status, done.stdout) == (2, b"")
    assert made.state() == before
    return done.err


def diffed(made: TinyProject, *arguments: str, cwd: Path | None = None) -> Json:
    """A comparison as JSON."""
    done = succeeded(pagecost("diff", *arguments, "--format", "json", cwd=cwd or made.root))
    found: Json = json.loads(done.out)
    assert found["schema"] == 1
    return found


def are_one(made: TinyProject, one: str, other: str, cwd: Path | None = None) -> bool:
    """Are the two the same version, as far as `pagecost diff` says?"""
    said = f"No difference: {one} and {other} have one plan and one record.\n"
    return succeeded(pagecost("diff", one, other, cwd=cwd or made.root)).out == said


# --- What is compared -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["site/tiny/2", "site/tiny/2/results.json", "HEAD:site/tiny/2", "main:site/tiny/2/",
     "HEAD~0:site/tiny/2/results.json", "main:site/tiny/2/plan.json",
     "HEAD:site/tiny/2/documents.txt"],
)  # fmt: skip
def test_a_version_is_the_same_however_it_is_named(pair: TinyProject, given: str) -> None:
    assert are_one(pair, given, B)


def test_two_versions_differ_in_plan_corpus_and_figures(pair: TinyProject) -> None:
    before = pair.state()
    out = succeeded(pair.run("diff", A, B)).out
    for said in (
        "tiny 1 → tiny 2\n",
        "documents: 11 the same, 1 dropped, 0 added\n",
        "queries: the same 11\n",
        "primary_policy: helper → late\n",
        "→ Another caveat.\n",
        "page sizes only in A: 5\n",
        "page sizes only in B: 10\n",
        "countEntries (44574bf95c44)",
    ):
        assert said in out
    assert pair.state() == before


def test_sides_are_named_from_any_folder_and_revisions_from_the_top(pair: TinyProject) -> None:
    below = pair.docs / "tiny"
    for given in ("2/results.json", "HEAD:site/tiny/2", "../../site/tiny/2"):
        assert are_one(pair, given, B, cwd=below)
    found = refusal(pair, "diff", "HEAD:2", B, cwd=below)
    assert found == "error: HEAD:2: no plan.json in 2 at HEAD; paths begin at the top\n"


def test_folders_need_neither_a_project_nor_git(pair: TinyProject, tmp_path: Path) -> None:
    for key in (A, B):
        shutil.copytree(pair.folder(key), tmp_path / "plain" / key)
    made = TinyProject(tmp_path / "plain")
    # A folder of that name goes before a version, which would need a project.
    found = diffed(made, A, f"{B}/results.json")["diff"]
    assert (found["a"]["version"], found["b"]["version"]) == ("1", "2")
    assert refusal(made, "diff", A, "tiny@3").startswith(f"error: no {CONFIG} in ")


def test_a_configuration_may_be_named(pair: TinyProject, tmp_path: Path) -> None:
    config = str(pair.root / CONFIG)
    assert diffed(pair, A, B, "--config", config, cwd=tmp_path) == diffed(pair, A, B)


def test_a_version_is_compared_with_what_it_was(pair: TinyProject) -> None:
    found = diffed(pair, f"{DRAFT_A}:site/tiny/1", A)["diff"]
    assert (found["a"]["state"], found["b"]["state"]) == ("draft", "recorded")
    assert (found["identical"], found["plan"]) == (False, [])
    assert found["not_comparable"] == ["A has no record: no number of it exists"]
    found = diffed(pair, f"{FREEZE_A}:site/tiny/1", A)["diff"]
    assert found["a"]["state"] == "frozen"
    assert are_one(pair, f"{RECORD_A}:site/tiny/1", A)


def test_a_record_of_before_documents_were_listed_is_compared(pair: TinyProject) -> None:
    git(pair.root, "rm", "--quiet", "site/tiny/1/documents.txt")
    pair.commit()
    assert are_one(pair, "HEAD:site/tiny/1", "HEAD~1:site/tiny/1")
    found = diffed(pair, "HEAD:site/tiny/1", B)["diff"]
    assert found["documents"] is None
    assert found["same_documents"] is False
    assert found["queries"] == {"same": 11, "only_in_a": 0, "only_in_b": 0}


# --- What can't be compared -----------------------------------------------------------------------


def test_a_revision_that_does_not_exist_is_refused(pair: TinyProject) -> None:
    for given in ("nowhere:site/tiny/1", f"{'0' * 40}:site/tiny/1"):
        found = refusal(pair, "diff", given, B)
        revision = given.partition(":")[0]
        assert found == f"error: {revision}: Git knows no such revision here\n"


def test_what_looks_like_an_option_is_none_to_git(pair: TinyProject) -> None:
    for revision in ("--help", "--output=stolen"):
        found = refusal(pair, "diff", "--", f"{revision}:site/tiny/1", B)
        assert found == f"error: {revision}: Git knows no such revision here\n"
    found = refusal(pair, "diff", "--since=--output=stolen")
    assert found == "error: --output=stolen: Git knows no such revision here\n"


def test_a_tree_is_no_revision(pair: TinyProject) -> None:
    tree = git(pair.root, "rev-parse", "HEAD^{tree}")
    expected = f"error: {tree}: Git knows no such revision here\n"
    assert refusal(pair, "diff", f"{tree}:site/tiny/1", B) == expected


def test_a_version_that_was_not_there_yet_is_refused(pair: TinyProject) -> None:
    found = refusal(pair, "diff", f"{RECORD_A}:site/tiny/2", B)
    expected = f"{RECORD_A}:site/tiny/2: no plan.json in site/tiny/2 at {RECORD_A}"
    assert found == f"error: {expected}; paths begin at the top\n"


def test_a_shallow_clone_says_that_its_history_is_cut_off(
    pair: TinyProject, tmp_path: Path
) -> None:
    url = pair.root.as_uri()
    git(tmp_path, "clone", "--quiet", "--depth", "1", url, "shallow")
    made = TinyProject(tmp_path / "shallow")
    assert are_one(made, "HEAD:site/tiny/1", A)
    for arguments in (("HEAD~1:site/tiny/1", A), ("--since", "HEAD~1")):
        found = refusal(made, "diff", *arguments)
        assert found == (
            "error: HEAD~1: Git knows no such revision here (this clone is shallow: its history "
            "is cut off)\n"
        )


def test_outside_git_no_revision_is_known(pair: TinyProject) -> None:
    shutil.rmtree(pair.root / ".git")
    found = refusal(pair, "diff", "main:site/tiny/1", A)
    assert found == f"error: main: {pair.root} is not inside a Git work tree\n"
    found = refusal(pair, "diff", "--since", "main")
    assert found == f"error: main: {pair.docs} is not inside a Git work tree\n"
    assert are_one(pair, "site/tiny/1", A)


def test_without_git_on_the_path_no_revision_is_known(pair: TinyProject, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    env = environment(PATH=str(tmp_path / "bin"))
    done = pair.run("diff", "main:site/tiny/1", A, env=env)
    assert done.status == 2
    assert "is not inside a Git work tree" in done.err
    assert pair.run("diff", A, B, env=env).status == 0


def test_a_record_that_was_cut_short_is_refused_by_its_side_and_file(pair: TinyProject) -> None:
    path = pair.file(A, "ranks.csv")
    path.write_bytes(path.read_bytes()[:-40])
    assert refusal(pair, "diff", A, B).startswith(f"error: {A}: ranks.csv: line 12: ")
    pair.commit()
    given = "HEAD:site/tiny/1"
    assert refusal(pair, "diff", B, given).startswith(f"error: {given}: ranks.csv: line 12: ")


@pytest.mark.parametrize(
    "arguments",
    [(), (A,), (A, B, A), ("--since", "HEAD", A, B),
     ("--since", "HEAD", "--format", "html"), (A, B, "--format", "xml"), (A, B, "-q", "-v"),
     (A, B, "--output", "site")],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_has_status_2(pair: TinyProject, arguments: tuple[str, ...]) -> None:
    assert "Usage: " in refusal(pair, "diff", *arguments)


# --- Output ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "markdown", "json"])
def test_the_same_sides_give_the_same_bytes_in_any_process(pair: TinyProject, kind: str) -> None:
    arguments = ("diff", A, B, "--format", kind, "--fail-on", "searches")
    made = {
        succeeded(pair.run(*arguments, env=environment(PYTHONHASHSEED=seed, LC_ALL="C"))).stdout
        for seed in ("1", "2")
    }
    made.add(succeeded(pagecost(*arguments, cwd=pair.folder(B))).stdout)
    assert len(made) == 1


def test_json_holds_what_was_compared(pair: TinyProject) -> None:
    found = diffed(pair, A, B, "--fail-on", "searches")
    assert list(found) == ["schema", "diff", "limits"]
    diff = found["diff"]
    assert diff["a"]["plan_sha256"] == pair.version(A).digest
    assert diff["headline"]["everything"]["sizes"][1]["searches"] == {
        "a": 24, "b": 15, "change": -9, "percent": -37.5,
    }  # fmt: skip
    assert found["limits"] == [
        {"limit": "searches", "decision": "held", "a": 24.0, "b": 15.0, "why": None}
    ]


def test_a_file_gets_what_stdout_would_have_got(pair: TinyProject, tmp_path: Path) -> None:
    arguments = ("diff", A, B, "--format", "markdown", "--fail-on", "pages")
    expected = pair.run(*arguments)
    assert expected.status == 1
    path = tmp_path / "new" / "diff.md"
    done = pair.run(*arguments, "--output", str(path))
    assert (done.status, done.stdout, done.err) == (
        1,
        b"",
        f"wrote {path}\npages: not held, 12 → 13\n",
    )
    assert path.read_bytes() == expected.stdout
    path.unlink()
    done = pair.run(*arguments, "--output", str(path), "-q")
    assert (done.status, done.stdout, done.err) == (1, b"", "")
    assert path.read_bytes() == expected.stdout


def test_an_output_that_cannot_be_written_is_named(pair: TinyProject) -> None:
    path = pair.root / CONFIG / "diff.txt"
    found = refusal(pair, "diff", A, B, "--output", str(path))
    assert found.startswith(f"error: {path}: can't be written: ")


# --- Since a revision -----------------------------------------------------------------------------


def since(made: TinyProject, revision: str, cwd: Path | None = None) -> Json:
    """What became of the versions."""
    found: Json = diffed(made, "--since", revision, cwd=cwd)["since"]
    assert found.pop("revision") == revision
    return found


NOTHING: Json = {"changed": [], "new": [], "gone": []}


def test_nothing_is_said_of_versions_that_are_as_they_were(pair: TinyProject) -> None:
    pair.docs.joinpath("index.md").write_text("# Changed\n", encoding="utf-8")
    pair.file(A, "writeup.md").write_text("Changed.\n", encoding="utf-8")
    assert since(pair, "HEAD") == NOTHING
    done = succeeded(pair.run("diff", "--since", "HEAD"))
    assert done.out == "No difference: every version is as it was at HEAD.\n"


def test_a_new_version_is_compared_with_the_one_before_it(pair: TinyProject) -> None:
    found = since(pair, RECORD_A)
    (new,) = found["new"]
    assert new["version"] == B
    assert new["headline"].startswith("At 2 candidates a page, late needs ")
    assert (new["diff"]["a"]["given"], new["diff"]["b"]["given"]) == (A, B)
    assert new["diff"] == diffed(pair, A, B)["diff"]
    assert found | {"new": []} == NOTHING


@pytest.mark.parametrize("revision", [DRAFT_B, FREEZE_B])
def test_a_version_that_got_its_record_is_new(pair: TinyProject, revision: str) -> None:
    (new,) = since(pair, revision)["new"]
    assert (new["version"], new["diff"]["a"]["given"]) == (B, A)
    assert since(pair, RECORD_B) == NOTHING


def test_the_first_version_of_all_has_nothing_before_it(pair: TinyProject) -> None:
    new = since(pair, DRAFT_A)["new"]
    assert [one["version"] for one in new] == [A, B]
    assert new[0]["diff"] is None
    assert new[1]["diff"]["a"]["given"] == A


def test_the_version_before_is_of_the_same_experiment_in_their_order(pair: TinyProject) -> None:
    for key in ("tiny@10", "tiny@9", "aside@1"):
        pair.write_plan(key, archives_plan(*key.split("@")))
    new = since(pair, "HEAD")["new"]
    assert [(one["version"], (one["diff"] or {"a": {}})["a"].get("given")) for one in new] == [
        ("aside@1", None),
        ("tiny@9", B),
        ("tiny@10", "tiny@9"),
    ]
    assert {one["headline"].split(".")[0] for one in new} == {"Draft"}


def test_a_version_that_is_gone_is_named(pair: TinyProject) -> None:
    shutil.rmtree(pair.folder(B))
    assert since(pair, "HEAD") == NOTHING | {"gone": [B]}
    assert since(pair, RECORD_A) == NOTHING


def test_a_version_that_moved_is_gone_and_new(pair: TinyProject) -> None:
    (pair.docs / "other").mkdir()
    pair.folder(B).rename(pair.docs / "other" / "1")
    pair.write_plan("other@1", archives_plan("other", "1"))
    for name in ("results.json", "ranks.csv", "documents.txt"):
        pair.file("other@1", name).unlink()
    found = since(pair, "HEAD")
    assert found["gone"] == [B]
    assert [one["version"] for one in found["new"]] == ["other@1"]


def test_a_draft_that_changed_is_compared_with_what_it_was(pair: TinyProject) -> None:
    pair.write_plan("tiny@3", archives_plan("tiny", "3"))
    pair.commit()
    pair.change_plan("tiny@3", caveat="Another caveat.")
    found = since(pair, "HEAD")
    (changed,) = (one["diff"] for one in found["changed"])
    assert found | {"changed": []} == NOTHING
    assert (changed["a"]["given"], changed["b"]["given"]) == ("HEAD:site/tiny/3", "tiny@3")
    assert [one["path"] for one in changed["plan"]] == ["caveat"]


def test_what_is_new_changed_and_gone_is_said_in_text_and_in_markdown(pair: TinyProject) -> None:
    pair.write_plan("tiny@3", archives_plan("tiny", "3"))
    pair.commit()
    pair.change_plan("tiny@3", caveat="Another caveat.")
    pair.write_plan("other@1", archives_plan("other", "1"))
    shutil.rmtree(pair.folder(B))
    plain = succeeded(pair.run("diff", "--since", "HEAD")).out
    assert plain.startswith("New: other@1\n============\nDraft. ")
    assert "  A: HEAD:site/tiny/3: tiny 3, confirmatory, draft, " in plain
    assert "  caveat: Invented " in plain
    assert plain.endswith("\nGone\n====\n  tiny@2\n")
    markdown = succeeded(pair.run("diff", "--since", "HEAD", "--format", "markdown")).out
    assert markdown.startswith("## New: other@1\n\nDraft. ")
    assert markdown.endswith("\n## Gone\n\n- tiny@2\n")


def test_a_record_that_is_gone_is_a_change(pair: TinyProject) -> None:
    for name in ("results.json", "ranks.csv", "documents.txt"):
        pair.file(A, name).unlink()
    (changed,) = (one["diff"] for one in since(pair, "HEAD")["changed"])
    assert changed["not_comparable"] == ["B has no record: no number of it exists"]


def test_a_project_may_lie_anywhere_in_its_repository(pair: TinyProject) -> None:
    shutil.rmtree(pair.root / ".git")
    top = pair.root.parent / "top"
    inner = TinyProject(top / "deep" / "project")
    inner.root.parent.mkdir(parents=True)
    pair.root.rename(inner.root)
    git(top, "init", "--quiet", "--initial-branch=main")
    for name in ("user.name", "user.email"):
        git(top, "config", name, "tester@example.invalid")
    inner.commit()
    git(top, "add", "--all")
    assert since(inner, "HEAD") == NOTHING
    assert are_one(inner, "HEAD:deep/project/site/tiny/1", A)
    shutil.rmtree(inner.folder(B))
    assert since(inner, "HEAD", cwd=inner.docs) == NOTHING | {"gone": [B]}


def test_versions_at_the_top_of_a_repository_are_found(pair: TinyProject) -> None:
    shutil.rmtree(pair.root / ".git")
    git(pair.docs, "init", "--quiet", "--initial-branch=main")
    for name in ("user.name", "user.email"):
        git(pair.docs, "config", name, "tester@example.invalid")
    git(pair.docs, "add", "--all")
    git(pair.docs, "commit", "--quiet", "-m", "All")
    assert since(pair, "HEAD") == NOTHING
    assert are_one(pair, "HEAD:tiny/1", A, cwd=pair.docs)
    shutil.rmtree(pair.folder(B))
    assert since(pair, "HEAD") == NOTHING | {"gone": [B]}


def test_a_version_that_is_a_link_out_of_the_repository_is_compared(
    pair: TinyProject, tmp_path: Path
) -> None:
    pair.folder(B).rename(tmp_path / "elsewhere")
    pair.folder(B).symlink_to(tmp_path / "elsewhere")
    assert since(pair, "HEAD") == NOTHING
    assert [one["version"] for one in since(pair, RECORD_A)["new"]] == [B]


def test_a_branch_that_knows_nothing_of_the_project_makes_everything_new(
    pair: TinyProject,
) -> None:
    git(pair.root, "checkout", "--quiet", "--orphan", "empty")
    git(pair.root, "commit", "--quiet", "--allow-empty", "-m", "Empty", "--only")
    git(pair.root, "checkout", "--quiet", "--force", "main")
    assert [one["version"] for one in since(pair, "empty")["new"]] == [A, B]


# --- Names that are not UTF-8 ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["text", "markdown", "json"])
def test_a_folder_whose_name_is_not_utf_8_is_a_side(pair: TinyProject, kind: str) -> None:
    require(os.name == "posix", "this system's names are Unicode")
    odd = os.fsdecode(b"caf\xe9")
    shutil.copytree(pair.folder(A), pair.root / odd)
    done: Any = pair.run("diff", odd, A, "--format", kind)
    assert done.status == 0


def test_limits_hold_each_version_that_is_new_or_differs(pair: TinyProject) -> None:
    # Since the commit before the record of B, which is held against A, the version before it.
    held = pair.run("diff", "--since", "HEAD~1", "--fail-on", "not_found changed")
    assert (held.status, b"not_found changed: held" in held.stdout) == (0, True)
    moved = pair.run("diff", "--since", "HEAD~1", "--fail-on", "searches changed")
    assert (moved.status, b"searches changed: not held" in moved.stdout) == (1, True)
    unknown = pair.run("diff", "--since", "HEAD~1", "--fail-on", "pages of nobody")
    assert unknown.status == 2
    assert b"no policy is named 'nobody' on either side" in unknown.stdout
    assert pair.run("diff", "--since", "HEAD", "--fail-on", "pages").status == 0


def test_a_draft_that_did_not_load_then_is_new_now(pair: TinyProject) -> None:
    path = pair.file("tiny@3", "plan.json")
    path.parent.mkdir()
    path.write_bytes(b"{")
    pair.commit()
    pair.write_plan("tiny@3", archives_plan("tiny", "3"))
    assert [one["version"] for one in since(pair, "HEAD")["new"]] == ["tiny@3"]


def test_a_version_of_the_project_is_the_plan_that_git_holds(pair: TinyProject) -> None:
    for name in ("results.json", "ranks.csv", "documents.txt"):
        pair.file(B, name).unlink()
    pair.change_plan(B, title="Another title")
    done = pair.run("diff", A, B)
    assert (done.status, done.stdout) == (2, b"")
    assert "the plan was frozen with sha256" in done.err


def test_output_goes_through_a_link_and_into_a_pipe(pair: TinyProject) -> None:
    require(os.name == "posix", "links and named pipes")
    kept, link = pair.root / "kept.txt", pair.root / "link.txt"
    kept.write_text("before")
    link.symlink_to(kept)
    assert pair.run("diff", A, A, "--output", str(link)).status == 0
    assert link.is_symlink()
    assert kept.read_text().startswith("No difference")
    pipe = pair.root / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    assert pair.run("diff", A, A, "--output", str(pipe)).status == 0
    assert reader.communicate()[0].startswith(b"No difference")
    assert pipe.is_fifo()
