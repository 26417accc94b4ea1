"""The commands as people run them: real processes, their exit status, and what they say where."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from pagecost import __version__, cli, export
from tests.builders import (
    ALPHA,
    BETA,
    ROOT,
    TREES,
    Done,
    TinyProject,
    archives_plan,
    cached,
    environment,
    git,
    git_init,
    make_project,
    pagecost,
    require,
    sha256,
    zip_bytes,
    zip_of,
)

KEY = "tiny@1"
COMMANDS = sorted(cli.main.commands)
KEYED = (
    "corpus", "freeze", "record", "score", "fetch", "export", "verify", "check", "diff", "new",
)  # fmt: skip


@pytest.fixture
def draft(tmp_path: Path) -> TinyProject:
    return make_project(tmp_path / "project", state="draft")


@pytest.fixture
def frozen(tmp_path: Path) -> TinyProject:
    return make_project(tmp_path / "project", state="frozen")


def keyed(command: str, key: str) -> list[str]:
    more = {"export": ["--format", "costs-csv"], "diff": [key]}
    return [command, key, *more.get(command, [])]


def succeeded(done: Done) -> Done:
    assert done.status == 0, done.err
    return done


def refused(made: TinyProject, *arguments: str, status: int, expected: str) -> Done:
    """A command that ends with that status and message, having printed and changed nothing."""
    before = made.state()
    done = made.run(*arguments)
    assert done.status == status, (done.err, done.out)
    assert "error: " in done.err
    if arguments[0] == "verify":
        assert expected in done.out
    else:
        assert expected in done.err
        assert done.stdout == b""
    assert made.state() == before
    return done


# --- Help -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(tmp_path: Path, command: str) -> None:
    done = succeeded(pagecost(command, "--help", cwd=tmp_path))
    assert re.search(rf"Examples?: pagecost {command}", done.out)
    assert done.err == ""


def test_the_help_names_every_command_and_every_status(tmp_path: Path) -> None:
    done = succeeded(pagecost("--help", cwd=tmp_path))
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\S", done.out, re.MULTILINE)
    assert "Exit status: 0 fine; 1 a check was made and did not hold; 2 wrong input" in done.out
    assert "Example: pagecost build" in done.out
    assert succeeded(pagecost("-h", cwd=tmp_path)).out == done.out


def test_the_version_is_that_of_the_package(tmp_path: Path) -> None:
    assert succeeded(pagecost("--version", cwd=tmp_path)).out.strip().endswith(__version__)


@pytest.mark.parametrize(
    "arguments",
    [("invent",), ("score",), ("score", KEY, "--fast"), ("export", KEY, "--format", "xml"),
     ("export", KEY), ("score", KEY, "-q", "-v"), ("new",)],
    ids=" ".join,
)  # fmt: skip
def test_wrong_usage_has_status_2(tiny_project: TinyProject, arguments: tuple[str, ...]) -> None:
    done = tiny_project.run(*arguments)
    assert done.status == 2
    assert "Usage: " in done.err
    assert done.stdout == b""


# --- What is imported -----------------------------------------------------------------------------


def imported(*arguments: str, cwd: Path) -> set[str]:
    """The packages that a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pagecost", *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        check=True,
    )
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    names = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
    return {name.split(".")[0] for name in names} | set(names)


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    found = imported("--help", cwd=tmp_path)
    assert {"pagecost.cli", "click"} <= found
    heavy = {"altair", "vl_convert", "numpy", "jinja2", "yaml", "msgspec", "markdown_it"}
    assert not found & heavy


def test_scoring_loads_nothing_that_draws_or_renders(tiny_project: TinyProject) -> None:
    found = imported("score", KEY, cwd=tiny_project.root)
    assert {"pagecost.bm25", "numpy"} <= found
    heavy = {"altair", "vl_convert", "jinja2", "markdown_it", "pandas", "rank_bm25"}
    assert not found & heavy


@pytest.mark.parametrize("arguments", [("diff", KEY, KEY), ("check",)])
def test_comparing_and_checking_load_nothing_that_draws(
    tiny_project: TinyProject, arguments: tuple[str, ...]
) -> None:
    found = imported(*arguments, cwd=tiny_project.root)
    assert "pagecost.comparing" in found
    assert not found & {"altair", "vl_convert", "jinja2", "pandas", "rank_bm25"}


# --- A whole life ---------------------------------------------------------------------------------


def test_the_life_of_a_version(tmp_path: Path, drawn: Path) -> None:
    made = make_project(tmp_path / "p", versions={KEY: archives_plan(pinned=False)}, state="draft")
    plan = made.file(KEY, "plan.json")

    done = succeeded(made.run("corpus", KEY))
    assert done.err == ""
    pins = json.loads(done.out)
    assert pins == {"pins": archives_plan()["corpus"]["pins"]}
    refused(made, "freeze", KEY, status=2, expected="$.corpus.pins: missing")
    made.write_plan(KEY, archives_plan())

    before = made.state()
    digest = sha256(plan.read_bytes().replace(b'"draft"', b'"frozen"'))
    done = succeeded(made.run("freeze", KEY, "--dry-run"))
    assert done.err == f"{KEY}: frozen, sha256 {digest}, would be committed\n"
    assert made.state() == before
    refused(made, "record", KEY, status=1, expected="the plan is a draft; freeze it first")

    done = succeeded(made.run("freeze", KEY))
    head = git(made.root, "rev-parse", "HEAD")
    assert done.err == f"{KEY}: frozen, sha256 {digest}, committed in {head[:12]}\n"
    assert sha256(plan.read_bytes()) == digest
    refused(made, "freeze", KEY, status=1, expected="the plan is frozen already")

    record = [made.file(KEY, name) for name in ("documents.txt", "ranks.csv", "results.json")]
    done = succeeded(made.run("record", KEY, "--dry-run"))
    assert done.err == "".join(f"would write {path}\n" for path in record)
    assert not any(path.exists() for path in record)
    done = succeeded(made.run("record", KEY))
    assert done.err == "".join(f"wrote {path}\n" for path in record)
    assert done.stdout == b""
    made.commit("Record")
    assert succeeded(made.run("record", KEY)).err.startswith(f"{KEY}: recorded already")

    done = succeeded(made.run("score", KEY))
    assert done.stdout == made.file(KEY, "results.json").read_bytes()
    assert done.err == ""
    done = succeeded(made.run("verify", "--strict"))
    assert [line.split()[0] for line in done.out.splitlines()] == ["ok"] * 7
    assert done.err == "7 checks, none failed\n"
    done = succeeded(made.run("build"))
    assert done.stdout == b""
    assert f"{KEY:<24} replayed from source\n" in done.err
    assert (made.root / "_site" / "tiny" / "1" / "index.html").is_file()
    done = succeeded(made.run("build", "--output", str(tmp_path / "again")))
    assert "replayed from source before, nothing changed since" in done.err
    assert site_of(tmp_path / "again") == site_of(made.root / "_site")


def site_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_project_can_be_begun_and_its_draft_read(tmp_path: Path) -> None:
    made = TinyProject(tmp_path / "new")
    made.root.mkdir()
    done = succeeded(made.run("new", "first@1", "--dry-run"))
    assert "would write " in done.err
    assert made.state() == {}
    done = succeeded(made.run("new", "first@1"))
    assert done.stdout == b""
    written = [line.removeprefix("wrote ") for line in done.err.splitlines()]
    assert sorted(written) == sorted(str(made.root / name) for name in made.state())
    assert json.loads(succeeded(made.run("corpus", "first@1")).out)["pins"]["documents"] > 100
    refused(made, "score", "first@1", status=1, expected="the plan is a draft")
    refused(made, "new", "first@1", status=2, expected="exists already")


def test_commands_work_from_a_folder_below_and_with_a_named_configuration(
    tiny_project: TinyProject, tmp_path: Path
) -> None:
    expected = tiny_project.file(KEY, "results.json").read_bytes()
    assert pagecost("score", KEY, cwd=tiny_project.folder(KEY)).stdout == expected
    config = str(tiny_project.root / "mkdocs.yml")
    assert pagecost("score", KEY, "--config", config, cwd=tmp_path).stdout == expected


# --- Output ---------------------------------------------------------------------------------------


def test_an_export_is_its_bytes_and_nothing_else(tiny_project: TinyProject) -> None:
    version = tiny_project.version(KEY)
    assert version.record is not None
    for name, make in export.FORMATS.items():
        done = succeeded(tiny_project.run("export", KEY, "--format", name))
        assert done.stdout == make(version.plan, version.record.results)
        assert done.err == ""


def test_verify_prints_json_and_nothing_else(tiny_project: TinyProject, cache: Path) -> None:
    found = json.loads(succeeded(tiny_project.run("verify", "--json")).out)
    assert found["held"] is True
    assert [check["check"] for check in found["checks"]] == [
        "plan", "corpus", "documents", "digests", "counts", "ranks", "history",
    ]  # fmt: skip
    for check in found["checks"]:
        assert set(check) == {"version", "check", "outcome", "said"}
        assert (check["version"], check["outcome"]) == (KEY, "ok")
    cached(cache, ALPHA).unlink()
    assert json.loads(tiny_project.run("verify", "--json").out)["held"] is True
    done = tiny_project.run("verify", "--json", "--strict")
    assert done.status == 1
    assert json.loads(done.out)["held"] is False
    assert done.err == "error: 2 of 7 checks did not hold\n"


def test_a_line_a_check_says_its_outcome_and_its_version(tiny_project: TinyProject) -> None:
    done = succeeded(tiny_project.run("verify", "tiny"))
    for line in done.out.splitlines():
        assert re.match(r"ok {12}tiny@1  [a-z]+: \S", line)


@pytest.mark.parametrize(
    "command",
    ["build", "verify", "check", "fetch", "freeze", "record", "new", "score", "corpus", "export",
     "diff"],
)  # fmt: skip
def test_quiet_says_nothing_where_nothing_is_wrong(
    tmp_path: Path, request: pytest.FixtureRequest, command: str
) -> None:
    if command == "build":
        request.getfixturevalue("drawn")
    states: dict[str, Any] = {"freeze": "draft", "record": "frozen"}
    made = make_project(tmp_path / "p", state=states.get(command, "recorded"))
    key = "tiny@2" if command == "new" else KEY
    arguments = ["build"] if command == "build" else keyed(command, key)
    done = succeeded(made.run(*arguments, "-q"))
    assert done.err == ""
    assert bool(done.stdout) == (command in ("score", "corpus", "export", "diff"))


def test_quiet_still_says_what_is_wrong(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "results.json")
    path.write_bytes(path.read_bytes() + b"\n")
    done = tiny_project.run("verify", "-q")
    assert done.status == 1
    assert [line.split()[0] for line in done.out.splitlines()] == ["failed", "failed", "failed"]
    assert done.err == "error: 3 of 7 checks did not hold\n"
    tiny_project.file(KEY, "plan.json").unlink()
    assert tiny_project.run("score", KEY, "-q").err.startswith("error: ")


def into(target: int | IO[Any], made: TinyProject, *arguments: str, **env: str) -> Done:
    """A command whose stdout is that file."""
    done = subprocess.run(
        [sys.executable, "-m", "pagecost", *arguments],
        cwd=made.root,
        env=environment(**env),
        stdout=target,
        stderr=subprocess.PIPE,
        check=False,
    )
    return Done(done.returncode, b"", done.stderr.decode("utf-8"))


@pytest.mark.parametrize("command", ["score", "verify", "diff"])
def test_a_reader_that_has_enough_is_no_error_worth_a_word(
    tiny_project: TinyProject, command: str
) -> None:
    require(os.name == "posix", "pipes behave otherwise")
    reader, writer = os.pipe()
    os.close(reader)
    done = into(writer, tiny_project, *keyed(command, KEY))
    os.close(writer)
    assert (done.status, done.err) == (1, "")


@pytest.mark.parametrize("command", ["export", "verify", "diff"])
def test_a_full_disk_is_named_where_the_output_goes(
    tiny_project: TinyProject, command: str
) -> None:
    require(Path("/dev/full").exists(), "no /dev/full")
    with Path("/dev/full").open("wb") as full:
        done = into(full, tiny_project, *keyed(command, KEY))
    assert (done.status, done.err) == (2, f"error: output: {os.strerror(errno.ENOSPC)}\n")


def test_a_terminal_that_lacks_a_character_gets_an_escape(
    tiny_project: TinyProject, cache: Path
) -> None:
    members = {f"{ALPHA.root}/{name}": data for name, data in ALPHA.files().items()}
    cached(cache, ALPHA).write_bytes(zip_bytes(members | {f"{ALPHA.root}/more": b""}))
    env = environment(PYTHONIOENCODING="latin-1")
    done = succeeded(tiny_project.run("verify", env=env))
    assert r"\u2026" in done.out
    done = succeeded(tiny_project.run("verify", "--json", env=env))
    assert "…" in json.loads(done.out)["checks"][2]["said"]


def test_a_folder_whose_name_is_not_utf_8_is_a_folder(tmp_path: Path) -> None:
    require(sys.platform == "linux", "this system's names are Unicode")
    made = make_project(tmp_path / os.fsdecode(b"caf\xe9"))
    assert succeeded(made.run("verify", "--strict")).err == "7 checks, none failed\n"
    made.change_plan(KEY, title="Changed")
    found = json.loads(made.run("verify", "--json").out)
    assert found["checks"][0]["outcome"] == "failed"
    assert made.run("score", KEY).status == 1


# --- Wrong names ----------------------------------------------------------------------------------


@pytest.mark.parametrize("command", KEYED)
def test_a_version_that_is_a_path_is_refused_by_every_command(
    tiny_project: TinyProject, command: str
) -> None:
    before = tiny_project.state()
    done = tiny_project.run(*keyed(command, "tiny@../x"))
    assert done.status == 2
    assert done.err.startswith("error: 'tiny@../x': version '../x' is no name: ")
    assert done.stdout == b""
    assert tiny_project.state() == before


@pytest.mark.parametrize("command", ["score", "verify", "check", "diff"])
def test_a_version_that_is_not_there_is_refused_with_those_that_are(
    tiny_project: TinyProject, command: str
) -> None:
    done = tiny_project.run(*keyed(command, "tiny@2"))
    assert done.status == 2
    assert "tiny@2: no such version" in done.err
    assert "known: tiny@1" in done.err


def test_names_that_differ_only_by_case_are_refused(tiny_project: TinyProject) -> None:
    tiny_project.write_plan("Tiny@2", archives_plan("Tiny", "2"))
    require((tiny_project.docs / "Tiny" / "1").exists() is False, "this file system folds case")
    refused(tiny_project, "build", status=2, expected="'Tiny' and 'tiny' differ only by case")


def test_outside_a_project_the_message_says_how_to_begin_one(tmp_path: Path) -> None:
    done = pagecost("build", cwd=tmp_path)
    assert done.status == 2
    assert done.err.startswith("error: no mkdocs.yml in ")
    assert "`pagecost new EXPERIMENT@VERSION`" in done.err


# --- Wrong configurations -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("site_name: [", "mkdocs.yml: not YAML: "),
        ("docs_dir: site\nextra:\n  pagecost:\n    outptu: x\n", "extra.pagecost: unknown: outptu"),
        ('docs_dir: site\nsite_name: "\\ud800"\n', "site_name: '\\ud800' holds what is no"),
    ],
)
def test_a_wrong_configuration_is_refused(
    tiny_project: TinyProject, text: str, expected: str
) -> None:
    (tiny_project.root / "mkdocs.yml").write_text(text, encoding="utf-8")
    refused(tiny_project, "build", status=2, expected=expected)


def test_tags_of_mkdocs_and_its_plugins_are_no_obstacle(
    tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COSTS_DOCS", "site")
    (tiny_project.root / "mkdocs.yml").write_text(
        "docs_dir: !ENV [COSTS_DOCS, none]\nsite_url: !ENV COSTS_URL\n"
        "markdown_extensions:\n  - x:\n      y: !!python/name:no.such.module\n  - z: !other 1\n"
    )
    succeeded(tiny_project.run("verify"))


# --- Wrong plans ----------------------------------------------------------------------------------


def replaced(before: str, after: str) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        assert before.encode() in data
        return data.replace(before.encode(), after.encode(), 1)

    return change


def without_pins(data: bytes) -> bytes:
    plan = json.loads(data)
    del plan["corpus"]["pins"]
    return json.dumps(plan).encode()


PLANS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "an unknown field": (replaced('"title"', '"colour": 1, "title"'), "unknown field `colour`"),
    "no assumptions": (replaced('"assumptions"', '"presumptions"'), "unknown field `presumptions`"),
    "not a number": (replaced("1.2", "NaN"), "NaN is not a JSON number"),
    "a key twice": (replaced('"title"', '"question"'), "the key 'question' stands twice"),
    "a byte-order mark": (lambda data: b"\xef\xbb\xbf" + data, "starts with a byte-order mark"),
    "a byte that is not UTF-8": (lambda data: data + b"\xff", "is not UTF-8"),
    "100,000 brackets": (lambda _: b"[" * 100_000, "nested too deeply"),
    "a number of 5,000 digits": (
        replaced('"schema": 1', '"schema": ' + "1" * 5000), "a number is too long"
    ),
    "half a surrogate pair": (replaced("An inv", "\\ud800"), "that is no character"),
    "nothing": (lambda _: b"", "line 1, column 1: not JSON"),
    "frozen without pins": (without_pins, "$.corpus.pins: missing; a frozen plan pins its corpus"),
}  # fmt: skip


@pytest.mark.parametrize("case", ["an unknown field", "not a number", "100,000 brackets"])
def test_a_wrong_plan_is_refused_by_name(tiny_project: TinyProject, case: str) -> None:
    change, expected = PLANS[case]
    path = tiny_project.file(KEY, "plan.json")
    path.write_bytes(change(path.read_bytes()))
    done = refused(tiny_project, "build", status=2, expected=expected)
    assert done.err.startswith(f"error: {path}: ")


def test_a_verification_goes_on_after_a_wrong_plan(tiny_project: TinyProject) -> None:
    plan = tiny_project.file(KEY, "plan.json").read_bytes()
    for number, (change, _) in enumerate(PLANS.values(), 2):
        path = tiny_project.file(f"tiny@{number}", "plan.json")
        path.parent.mkdir()
        path.write_bytes(change(plan))
    done = tiny_project.run("verify")
    assert done.status == 1
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines] == ["ok"] * 7 + ["failed"] * len(PLANS)
    for number, (_, expected) in enumerate(PLANS.values(), 2):
        line = lines[number + 5]
        assert f"  tiny@{number}  files: " in line
        assert expected in line


def test_a_folder_in_the_place_of_a_plan_is_refused(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "plan.json")
    path.unlink()
    path.mkdir()
    done = refused(tiny_project, "build", status=2, expected="Is a directory")
    assert str(path) in done.err


@pytest.mark.parametrize("command", ["build", "score", "record", "verify"])
def test_a_plan_that_changed_after_freezing_is_refused(frozen: TinyProject, command: str) -> None:
    frozen.change_plan(KEY, page_sizes=[1, 2])
    said = {"verify": "not the plan that was frozen in "}
    expected = said.get(command, "the plan was frozen with sha256 ")
    arguments = [command] if command in ("build", "verify") else [command, KEY]
    refused(frozen, *arguments, status=1, expected=expected)


@pytest.mark.parametrize("command", ["build", "verify"])
def test_a_record_of_another_plan_is_refused(tiny_project: TinyProject, command: str) -> None:
    tiny_project.change_plan(KEY, page_sizes=[1, 2])
    arguments = [command] if command in ("build", "verify") else [command, KEY]
    refused(tiny_project, *arguments, status=1, expected="results.json was scored from a plan with")


@pytest.mark.parametrize("command", ["score", "record"])
def test_a_confirmatory_draft_is_never_scored(draft: TinyProject, command: str) -> None:
    refused(draft, command, KEY, status=1, expected="the plan is a draft; freeze it first")


def test_an_exploration_is_scored_as_a_draft_but_not_recorded(draft: TinyProject) -> None:
    draft.change_plan(KEY, kind="exploration")
    done = succeeded(draft.run("score", KEY))
    assert done.err == "note: tiny@1: a draft; this score is of a plan that may still change\n"
    assert json.loads(done.out)["experiment"] == "tiny"
    refused(draft, "record", KEY, status=1, expected="the plan is a draft; freeze it first")


def test_outside_git_a_note_says_that_nothing_is_proven(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="frozen", with_git=False)
    note = "note: tiny@1: outside Git, so nothing can prove that the plan was frozen first\n"
    assert succeeded(made.run("score", KEY)).err == note
    assert succeeded(made.run("record", KEY)).err.startswith(note)
    done = succeeded(made.run("verify"))
    assert "not provable  tiny@1  history: outside Git: nothing says what came first" in done.out
    assert made.run("verify", "--strict").status == 1


def test_without_git_on_the_path_nothing_is_provable(
    tiny_project: TinyProject, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    done = succeeded(tiny_project.run("verify", env=environment(PATH=str(tmp_path / "bin"))))
    assert "not provable  tiny@1  history: outside Git" in done.out


def test_warnings_fail_a_strict_build(tmp_path: Path, drawn: Path) -> None:
    made = make_project(tmp_path / "p", state="frozen", with_git=False)
    git_init(made.root)
    done = made.run("build", "--strict", "-q")
    assert done.status == 1
    assert "warning: tiny@1: its plan says it is frozen, but it is not committed" in done.err
    assert done.err.endswith("error: 1 warnings, and --strict\n")


def test_a_hook_that_refuses_the_freezing_leaves_the_draft(draft: TinyProject) -> None:
    require(os.name == "posix", "a hook is a shell script")
    hook = draft.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not on a Sunday >&2\nexit 1\n")
    hook.chmod(0o755)
    refused(draft, "freeze", KEY, status=2, expected="not on a Sunday")
    assert git(draft.root, "status", "--porcelain") == ""


# --- Wrong records --------------------------------------------------------------------------------


def rows(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(change(data.splitlines(keepends=True)))


def in_line(number: int, before: bytes, after: bytes) -> Callable[[bytes], bytes]:
    def change(lines: list[bytes]) -> list[bytes]:
        assert before in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(before, after)
        return lines

    return rows(change)


RANKS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a row too few": (rows(lambda lines: lines[:-1]), "ranks of 10 queries, expected 11"),
    "a row twice": (
        rows(lambda lines: [*lines[:3], *lines[2:]]), "line 4: query_id '44574bf95c44d8169360b5e3"
    ),
    "rows out of order": (
        rows(lambda lines: [lines[0], lines[2], lines[1], *lines[3:]]), "line 3: query_id '17a415d5"
    ),
    "a rank of 0": (in_line(3, b",6,2\n", b",0,2\n"), "line 3: baseline: '0', expected a whole"),
    "a rank of 6.0": (in_line(3, b",6,2\n", b",6.0,2\n"), "line 3: baseline: '6.0', expected"),
    "a rank of -1": (in_line(3, b",6,2\n", b",6,-1\n"), "line 3: helper: '-1', expected a whole"),
    "a rank beyond all documents": (in_line(3, b",6,2\n", b",13,2\n"), "line 3: baseline: rank 13"),
    "a field too few": (in_line(3, b",6,2\n", b",6\n"), "line 3: expected 9 fields, found 8"),
    "a field too many": (in_line(3, b",6,2\n", b",6,2,1\n"), "line 3: expected 9 fields, found 10"),
    "another policy": (in_line(1, b"helper", b"Helper"), "line 1: header "),
    "CRLF": (lambda data: data.replace(b"\n", b"\r\n"), "lines end in CRLF, expected LF"),
    "CR": (lambda data: data.replace(b"\n", b"\r"), "a carriage return outside quotes"),
    "no last line end": (lambda data: data[:-1], "line ends are not those that pagecost writes"),
    "quotes that aren't needed": (
        in_line(3, b",6,2\n", b',"6",2\n'), "quoting or line ends are not those"
    ),
    "a byte that is not UTF-8": (in_line(3, b",6,2\n", b",6,\xff\n"), "is not UTF-8"),
    "nothing": (lambda _: b"", "line 1: header ''"),
    "a header alone": (rows(lambda lines: lines[:1]), "no query"),
}  # fmt: skip


def damage(made: TinyProject, key: str, case: str) -> None:
    """Changes the ranks, and their digest in the results with them."""
    ranks, results = made.file(key, "ranks.csv"), made.file(key, "results.json")
    before = ranks.read_bytes()
    after = RANKS[case][0](before)
    assert after != before
    ranks.write_bytes(after)
    digests = sha256(before).encode(), sha256(after).encode()
    results.write_bytes(results.read_bytes().replace(*digests))


@pytest.mark.parametrize(
    "case", ["a row too few", "a row twice", "a rank of 0", "a rank of 6.0", "CRLF"]
)
def test_wrong_ranks_are_refused_by_line_even_if_their_digest_is_right(
    tiny_project: TinyProject, cache: Path, case: str
) -> None:
    damage(tiny_project, KEY, case)
    cached(cache, BETA).unlink()  # whatever ranking the corpus again would have said
    done = refused(tiny_project, "build", status=2, expected=RANKS[case][1])
    assert "ranks" in done.err


def test_a_verification_goes_on_after_wrong_ranks(tmp_path: Path) -> None:
    keys = {f"tiny@{number}": case for number, case in enumerate(RANKS, 1)}
    made = make_project(tmp_path / "p", versions=list(keys), with_git=False)
    for key, case in keys.items():
        damage(made, key, case)
    done = made.run("verify", "--json")
    assert done.status == 1
    failed = {
        (check["version"], check["said"])
        for check in json.loads(done.out)["checks"]
        if check["outcome"] == "failed" and check["check"] in ("files", "counts")
    }
    assert {key for key, _ in failed} == set(keys)
    for key, said in failed:
        assert RANKS[keys[key]][1] in said


def test_ranks_whose_digest_is_another_are_refused(tiny_project: TinyProject) -> None:
    ranks = tiny_project.file(KEY, "ranks.csv")
    ranks.write_bytes(in_line(3, b",6,2\n", b",5,2\n")(ranks.read_bytes()))
    for command in ("build", "verify"):
        refused(tiny_project, command, status=1, expected="ranks.csv: sha256 ")


@pytest.mark.parametrize("corpus", ["at hand", "missing"])
def test_one_digit_that_changed_in_the_results_is_refused(
    tiny_project: TinyProject, cache: Path, corpus: str
) -> None:
    path = tiny_project.file(KEY, "results.json")
    data = path.read_bytes()
    assert data.count(b'"median_rank": 1') > 0
    path.write_bytes(data.replace(b'"median_rank": 1', b'"median_rank": 2', 1))
    if corpus == "missing":
        cached(cache, BETA).unlink()
    for command in ("build", "verify"):
        refused(tiny_project, command, status=1, expected="the record does not replay")


@pytest.mark.parametrize("option", [("--output", "site"), ("--into", "."), ("--output", "..")])
def test_a_target_that_would_be_refused_is_refused_before_any_work(
    tiny_project: TinyProject, option: tuple[str, str]
) -> None:
    tiny_project.file(KEY, "ranks.csv").write_bytes(b"not looked at")
    refused = tiny_project.run("build", *option)
    assert refused.status == 2
    assert "would be replaced" in refused.err


def test_a_build_without_drafts_names_and_leaves_them_out(tiny_project: TinyProject) -> None:
    tiny_project.write_plan("tiny@2", archives_plan("tiny", "2"))
    built = succeeded(tiny_project.run("build", "--no-drafts", "--strict"))
    assert "note: tiny@2: a draft, and left out" in built.err
    assert not (tiny_project.root / "_site" / "tiny" / "2").exists()
    assert "tiny/2" not in (tiny_project.root / "_site" / "index.html").read_text("utf-8")
    refused = tiny_project.run("build", "--strict")
    assert refused.status == 1
    assert (tiny_project.root / "_site" / "tiny" / "2" / "index.html").is_file()


def test_a_frozen_plan_turned_back_into_a_draft_is_refused_without_drafts_too(
    tiny_project: TinyProject,
) -> None:
    for name in ("results.json", "ranks.csv", "documents.txt"):
        tiny_project.file(KEY, name).unlink()
    tiny_project.change_plan(KEY, status="draft")
    refused = tiny_project.run("build", "--no-drafts")
    assert refused.status == 1
    assert "the plan was frozen with sha256" in refused.err


def test_half_a_record_is_refused_until_it_is_completed(tiny_project: TinyProject) -> None:
    whole = tiny_project.state()
    tiny_project.file(KEY, "results.json").unlink()
    expected = "results.json: missing, though ranks.csv is there: half a record"
    refused(tiny_project, "build", status=2, expected=expected)
    refused(tiny_project, "verify", status=1, expected=expected)
    succeeded(tiny_project.run("record", KEY))
    assert tiny_project.state() == whole


# --- Building -------------------------------------------------------------------------------------


def test_a_build_that_fails_leaves_the_site_that_was_there(
    tiny_project: TinyProject, drawn: Path
) -> None:
    succeeded(tiny_project.run("build"))
    before = site_of(tiny_project.root / "_site")
    path = tiny_project.file(KEY, "ranks.csv")
    path.write_bytes(path.read_bytes() + b"x\n")
    refused(
        tiny_project, "build", status=2, expected="ranks.csv: line 13: expected 9 fields, found 1"
    )
    assert site_of(tiny_project.root / "_site") == before
    assert not list(tiny_project.root.glob("._site*"))


def test_a_site_never_replaces_what_somebody_else_wrote(
    tiny_project: TinyProject, tmp_path: Path, drawn: Path
) -> None:
    output = tmp_path / "public"
    output.mkdir()
    (output / "thesis.txt").write_text("years")
    expected = "holds files that pagecost did not write"
    refused(tiny_project, "build", "--output", str(output), status=2, expected=expected)
    assert site_of(output) == {"thesis.txt": b"years"}


def test_a_cache_that_is_a_file_is_refused(tiny_project: TinyProject, cache: Path) -> None:
    shutil.rmtree(cache)
    cache.write_text("not a folder")
    refused(tiny_project, "build", status=2, expected=f"{cache}/replays/")
    assert cache.read_text() == "not a folder"


# --- Fetching -------------------------------------------------------------------------------------


def test_archives_are_fetched_from_a_folder_once(
    tiny_project: TinyProject, tmp_path: Path, cache: Path
) -> None:
    zips = tmp_path / "zips"
    zips.mkdir()
    for number, tree in enumerate(TREES):
        cached(cache, tree).unlink()
        (zips / f"{number}.zip").write_bytes(zip_of(tree))
    offline = ("--base-url", "http://127.0.0.1:9")
    refused(tiny_project, "score", KEY, status=2, expected="`pagecost fetch tiny@1 --from DIR`")
    done = succeeded(tiny_project.run("fetch", KEY, "--from", str(zips)))
    assert f"example/alpha: from {zips / '0.zip'}, sha256 {sha256(zip_of(ALPHA))}\n" in done.err
    assert done.err.endswith(f"{KEY}: verified\n")
    assert done.stdout == b""
    done = succeeded(tiny_project.run("fetch", KEY, *offline))
    assert done.err == f"{KEY}: in the cache already, and verified before\n"
    cached(cache, BETA).write_bytes(zip_of(BETA)[:-1])
    refused(tiny_project, "fetch", KEY, *offline, status=2, expected="not a whole ZIP file")
    assert not cached(cache, BETA).exists()
    refused(tiny_project, "fetch", KEY, *offline, status=2, expected="could not be downloaded")
    refused(tiny_project, "fetch", KEY, "--base-url", "x", status=2, expected="unknown url type")
    (zips / "1.zip").unlink()
    expected = f"no ZIP with the root folder {BETA.root}"
    refused(tiny_project, "fetch", KEY, "--from", str(zips), status=2, expected=expected)


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({f"{ALPHA.root}/../x": b""}, "is not a plain relative path"),
        ({f"{ALPHA.root}/a": b"", "other/a": b""}, "2 root folders"),
        ({f"{ALPHA.root}/LICENSE": b"Other."}, "LICENSE: sha256 "),
        ({f"{ALPHA.root}/LICENSE": ALPHA.licence}, ".go is missing"),
    ],
)
def test_a_wrong_archive_is_refused_by_name(
    tiny_project: TinyProject, cache: Path, members: dict[str, bytes], expected: str
) -> None:
    cached(cache, ALPHA).write_bytes(zip_bytes(members))
    done = refused(tiny_project, "build", status=2, expected=expected)
    assert cached(cache, ALPHA).name in done.err


def test_a_wrong_projection_is_refused_by_line(draft: TinyProject) -> None:
    path = draft.file(KEY, "projection.csv")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    fields = lines[3].split(",")
    fields[4], fields[5] = fields[5], fields[4]
    text = "".join([*lines[:3], ",".join(fields), *lines[4:]])
    made = archives_plan()
    made["corpus"]["projection"]["sha256"] = sha256(text.encode())
    draft.write_plan(KEY, made, text.encode())
    done = refused(draft, "freeze", KEY, status=2, expected="projection.csv: line 4: span ")
    assert "is empty or reversed" in done.err


# --- Installed ------------------------------------------------------------------------------------


def test_the_package_is_run_from_this_checkout(tmp_path: Path) -> None:
    code = "import pagecost, sys; sys.stdout.write(pagecost.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True,
        check=True,
    )  # fmt: skip
    assert Path(os.fsdecode(done.stdout)) == ROOT / "pagecost" / "__init__.py"
