"""What can be compared, read from disk: a version, a folder, one of its files; and what can't."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pagecost import jsonio, results
from pagecost.diff import sides
from pagecost.diff.engine import compare
from pagecost.diff.sides import Side
from pagecost.errors import InputError
from pagecost.project import Project
from tests.builders import State, TinyProject, archives_plan, forge, make_project, sha256

KEY = "tiny@1"
RECORD = ("results.json", "ranks.csv", "documents.txt")


def load(made: TinyProject, given: str = KEY) -> Side:
    return sides.load(given, made.load, made.root)


def refusal(made: TinyProject, given: str = KEY) -> str:
    """Why that side can't be read."""
    with pytest.raises(InputError) as error:
        load(made, given)
    return str(error.value)


def change(made: TinyProject, name: str, edit: Callable[[bytes], bytes]) -> None:
    """Replaces the bytes of one of the version's files."""
    path = made.file(KEY, name)
    data = path.read_bytes()
    assert edit(data) != data
    path.write_bytes(edit(data))


def in_results(made: TinyProject, **fields: object) -> None:
    """Replaces fields of the version's results."""
    change(made, "results.json", lambda data: jsonio.canonical(json.loads(data) | fields))


# --- What is there --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["site/tiny/1", "site/tiny/1/", "./site/tiny/../tiny/1", "site/tiny/1/plan.json",
     *(f"site/tiny/1/{name}" for name in RECORD)],
)  # fmt: skip
def test_a_version_its_folder_and_its_files_are_one_side(
    tiny_project: TinyProject, given: str
) -> None:
    version = tiny_project.version(KEY)
    assert version.record is not None
    found = load(tiny_project, given)
    assert found.given == given
    assert (found.plan, found.plan_sha256) == (version.plan, version.digest)
    assert found.results == version.record.results
    assert found.documents == version.documents
    named = msgspec.structs.replace(found, given=KEY, table=None)
    for one in (load(tiny_project), sides.of_version(version)):
        assert msgspec.structs.replace(one, table=None) == named
        assert compare(one, found).identical


def test_a_folder_needs_no_project_and_a_version_does(tiny_project: TinyProject) -> None:
    def none() -> Project:
        raise InputError("asked for a project")

    folder = str(tiny_project.folder(KEY))
    assert sides.load(folder, none, tiny_project.root).plan.key == KEY
    with pytest.raises(InputError, match="asked for a project"):
        sides.load(KEY, none, tiny_project.root)


@pytest.mark.parametrize("state", ["draft", "frozen"])
def test_a_version_without_a_record_is_a_side_without_figures(tmp_path: Path, state: State) -> None:
    found = load(make_project(tmp_path / "project", state=state, with_git=False))
    assert (found.results, found.table, found.documents) == (None, None, None)
    assert found.plan.is_draft == (state == "draft")


@pytest.mark.parametrize("gone", ["ranks.csv", "documents.txt"])
def test_a_record_without_ranks_or_documents_is_a_side_with_figures(
    tiny_project: TinyProject, gone: str
) -> None:
    whole = load(tiny_project)
    tiny_project.file(KEY, gone).unlink()
    found = load(tiny_project)
    assert found.results == whole.results
    assert (found.table is None) == (gone == "ranks.csv")
    assert (found.documents is None) == (gone == "documents.txt")
    diff = compare(whole, found)
    assert diff.identical
    assert diff.same_documents is True
    assert (diff.documents is None) == (gone == "documents.txt")


# --- What is not ----------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["none", "site/none", "site/tiny/1/none.json", "tiny"])
def test_what_is_not_there_is_refused_with_what_could_be_named(
    tiny_project: TinyProject, given: str
) -> None:
    assert refusal(tiny_project, given) == (
        f"{given}: no such file or folder; expected EXPERIMENT@VERSION, a version's folder, its "
        "results.json, or REV:PATH"
    )


def test_a_version_that_is_not_there_is_refused_with_those_that_are(
    tiny_project: TinyProject,
) -> None:
    assert "tiny@2: no such version below " in refusal(tiny_project, "tiny@2")


@pytest.mark.parametrize("given", ["site", "site/tiny", "."])
def test_a_folder_without_a_plan_is_no_side(tiny_project: TinyProject, given: str) -> None:
    expected = f"{given}: no plan.json there, which says what the figures mean"
    assert refusal(tiny_project, given) == expected


def test_results_alone_say_nothing_without_their_plan(tiny_project: TinyProject) -> None:
    tiny_project.file(KEY, "plan.json").rename(tiny_project.root / "plan.json")
    assert "no plan.json there" in refusal(tiny_project, "site/tiny/1/results.json")


def test_a_file_of_another_name_does_not_stand_for_its_folder(tiny_project: TinyProject) -> None:
    old = tiny_project.file(KEY, "results.old.json")
    old.write_bytes(b"{}\n")
    given = "site/tiny/1/results.old.json"
    assert refusal(tiny_project, given) == (
        f"{given}: expected a version's folder, or its results.json"
    )


# --- A record that is wrong -----------------------------------------------------------------------


@pytest.mark.parametrize("name", RECORD)
def test_a_file_of_a_record_that_was_cut_short_is_refused_wherever_it_was_cut(
    tiny_project: TinyProject, name: str
) -> None:
    path = tiny_project.file(KEY, name)
    whole = path.read_bytes()
    end = len(whole) - (2 if name == "results.json" else 1)  # its last line break says nothing
    lines = [at for at in range(end) if whole[at : at + 1] == b"\n"][:40]
    for at in {0, 1, end, end // 2, end // 3, *lines, *(line + 1 for line in lines)}:
        path.write_bytes(whole[:at])
        assert refusal(tiny_project).startswith(f"{KEY}: {name}")


@pytest.mark.parametrize("number", [0, 2, "1", None])
def test_results_of_another_schema_are_refused_by_its_number(
    tiny_project: TinyProject, number: object
) -> None:
    in_results(tiny_project, schema=number)
    found = refusal(tiny_project)
    assert found.startswith(f"{KEY}: results.json: $.schema: ")
    assert found.endswith(f"found {json.dumps(number)}")


def test_a_field_that_is_not_known_is_refused(tiny_project: TinyProject) -> None:
    in_results(tiny_project, more=1)
    assert refusal(tiny_project) == (
        f"{KEY}: results.json: $: Object contains unknown field `more`"
    )


def test_no_number_of_a_draft_is_compared(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, status="draft", kind="exploration")
    digest = tiny_project.file(KEY, "plan.json").read_bytes()
    in_results(tiny_project, plan_sha256=sha256(digest))
    expected = f"{KEY}: results.json: a record, but the plan is a draft"
    assert refusal(tiny_project) == expected


def test_results_of_another_plan_are_refused(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, title="Another title")
    expected = f"{KEY}: results.json was scored from another plan than plan.json"
    assert refusal(tiny_project) == expected


def test_a_plan_that_is_wrong_is_refused_by_its_path(tiny_project: TinyProject) -> None:
    tiny_project.change_plan(KEY, baseline="none")
    assert refusal(tiny_project).startswith(f"{KEY}: plan.json: $.baseline: no policy is named")


def test_ranks_that_do_not_give_the_results_are_refused(tiny_project: TinyProject) -> None:
    whole = tiny_project.file(KEY, "results.json").read_bytes()
    forge(tiny_project, KEY)
    load(tiny_project)  # consistent in itself
    tiny_project.file(KEY, "results.json").write_bytes(whole)
    expected = f"{KEY}: counting ranks.csv again does not give results.json"
    assert refusal(tiny_project) == expected


def test_results_that_the_ranks_do_not_give_are_refused(tiny_project: TinyProject) -> None:
    change(tiny_project, "results.json", lambda data: data.replace(b'"win": ', b'"win": 1', 1))
    expected = f"{KEY}: counting ranks.csv again does not give results.json"
    assert refusal(tiny_project) == expected


def test_ranks_of_other_queries_are_refused(tiny_project: TinyProject) -> None:
    def first_id(data: bytes) -> bytes:
        head, _, rest = data.partition(b"\n")
        return head + b"\n" + b"0" * 64 + rest[64:]

    change(tiny_project, "ranks.csv", first_id)
    assert refusal(tiny_project).startswith(f"{KEY}: ranks.csv: the query ids hash to ")


@pytest.mark.parametrize("with_ranks", [True, False])
def test_results_of_other_policies_or_page_sizes_than_the_plans_are_refused(
    tiny_project: TinyProject, with_ranks: bool
) -> None:
    version = tiny_project.version(KEY)
    assert version.record is not None
    record = version.record
    if not with_ranks:
        tiny_project.file(KEY, "ranks.csv").unlink()
    expected = f"{KEY}: results.json has other policies or page sizes than plan.json"
    for plan in (
        msgspec.structs.replace(version.plan, page_sizes=[1, 2, 3]),
        msgspec.structs.replace(version.plan, page_sizes=[1, 2]),
    ):
        scored = results.score(plan, version.digest, record.table, record.ranks_csv)
        tiny_project.file(KEY, "results.json").write_bytes(results.to_json(scored))
        assert refusal(tiny_project) == expected
    renamed = record.results_json.replace(b'"helper"', b'"other"')
    tiny_project.file(KEY, "results.json").write_bytes(renamed)
    assert refusal(tiny_project) == expected


def test_documents_that_the_plan_does_not_pin_are_refused(tiny_project: TinyProject) -> None:
    change(tiny_project, "documents.txt", lambda data: data[65:])
    assert refusal(tiny_project).startswith(
        f"{KEY}: documents.txt: not the documents that the plan pins"
    )


def test_documents_without_a_pin_are_refused(tiny_project: TinyProject) -> None:
    tiny_project.write_plan("tiny@2", archives_plan("tiny", "2", pinned=False))
    tiny_project.file("tiny@2", "documents.txt").write_bytes(b"")
    assert "not the documents that the plan pins" in refusal(tiny_project, "tiny@2")


@pytest.mark.parametrize("name", ["plan.json", *RECORD])
def test_any_bytes_in_a_file_are_refused_and_nothing_worse(
    tiny_project: TinyProject, name: str
) -> None:
    for data in (
        b"",
        b"\0",
        b"\xff\n",
        b"[" * 100_000,
        b'{"schema": 1}',
        b"\xef\xbb\xbf{}",
        b"null",
    ):
        tiny_project.file(KEY, name).write_bytes(data)
        assert name in refusal(tiny_project)
