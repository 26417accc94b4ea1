"""The GitHub Action: its scripts as real processes against a `gh` that is not GitHub, its YAML."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import (
    ROOT,
    Done,
    Json,
    TinyProject,
    archives_plan,
    environment,
    git,
    make_project,
    require,
)

ACTION = ROOT / "action.yml"
SCRIPTS = ROOT / ".github" / "scripts"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
NAMES = ["build.sh", "comment.sh", "gates.sh", "install.sh"]
BOT = "github-actions[bot]"
MARKER = "<!-- pagecost diff mkdocs.yml -->"

# --- A gh that is not GitHub ----------------------------------------------------------------------

GH = """\
import argparse, json, os, sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

parser = argparse.ArgumentParser()
parser.add_argument("command", choices=["api"])
parser.add_argument("path")
for option in ("--paginate", "--slurp"):
    parser.add_argument(option, action="store_true")
parser.add_argument("--method", default="GET")
for option in ("--input", "--jq", "-f"):
    parser.add_argument(option)
given = parser.parse_args()
place = Path(os.environ["FAKE_GH"])
state = json.loads(place.read_bytes())


def fail(status, said):
    print(json.dumps({"message": said, "status": str(status)}))
    sys.exit(f"gh: {said} (HTTP {status})")


if os.environ.get("GH_TOKEN") != "secret":
    sys.exit("gh: To use GitHub CLI in a GitHub Actions workflow, set GH_TOKEN.\\nExample: none")
if given.slurp and (given.jq or not given.paginate):
    sys.exit("the `--slurp` option goes with `--paginate` and without `--jq`")
url = urlsplit(given.path)
calls = f"{given.method} {url.path}"
if calls == "GET graphql":
    assert (given.f, given.jq) == ("query={viewer{login}}", ".data.viewer.login")
    print(state["me"])
elif calls == "GET repos/example/experiments/issues/7/comments":
    size = min(100, int(parse_qs(url.query).get("per_page", ["30"])[0]))
    comments = state["comments"]
    pages = [comments[i : i + size] for i in range(0, len(comments), size)] or [[]]
    assert given.slurp
    print(json.dumps(pages if given.paginate else pages[:1]))
elif state["forbidden"]:
    fail(403, "Resource not accessible by integration")
else:
    body = json.loads(Path(given.input).read_bytes())["body"]
    state["writes"].append(given.method)
    if len(body) > 65536:
        fail(422, "Validation Failed")
    if calls == "POST repos/example/experiments/issues/7/comments":
        made = {"id": 9_000_000_000 + len(state["comments"]), "user": {"login": state["me"]}}
        state["comments"].append(made | {"body": body})
    else:
        start, _, number = calls.rpartition("/")
        assert start == "PATCH repos/example/experiments/issues/comments"
        (made,) = [one for one in state["comments"] if str(one["id"]) == number]
        made["body"] = body
    print(json.dumps(made))
    place.write_text(json.dumps(state))
"""


@dataclass
class Runner:
    """What GitHub gives the steps of a run: a folder, files to write to, and a `gh`."""

    folder: Path
    cwd: Path

    @property
    def _state(self) -> Path:
        return self.folder / "gh.json"

    @property
    def state(self) -> Json:
        made: Json = json.loads(self._state.read_bytes())
        return made

    def change(self, **changes: Any) -> None:
        self._state.write_text(json.dumps(self.state | changes), encoding="utf-8")

    @property
    def comments(self) -> list[str]:
        """The bodies of all comments, the oldest first."""
        return [one["body"] for one in self.state["comments"]]

    def said_before(self, *comments: tuple[str | None, str]) -> None:
        """Comments that are there already: who, and what. None is an account that is gone."""
        made = [
            {"id": number, "user": {"login": who} if who else None, "body": body}
            for number, (who, body) in enumerate(comments, 1)
        ]
        self.change(comments=made)

    def program(self, name: str, code: str) -> None:
        """Puts a Python program first on the steps' PATH."""
        place = self.folder / "bin" / name
        place.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        place.chmod(0o755)

    def step(self, script: str, **variables: str) -> Done:
        """One step, as the action runs it."""
        path = (str(self.folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"])
        given = {
            "CONFIG": "mkdocs.yml",
            "PATH": os.pathsep.join(path),
            "FAKE_GH": str(self._state),
            "GH_TOKEN": "secret",
            "GITHUB_OUTPUT": str(self.folder / "output"),
            "GITHUB_REPOSITORY": "example/experiments",
            "GITHUB_RUN_ID": "42",
            "GITHUB_SERVER_URL": "https://github.invalid",
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }
        done = subprocess.run(
            ["bash", str(SCRIPTS / script)],
            cwd=self.cwd,
            env=environment(**given | variables),
            capture_output=True,
            check=False,
            timeout=120,
        )
        err = done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in err, err
        return Done(done.returncode, done.stdout, err)

    def comment(self, base: str, **variables: str) -> Done:
        return self.step("comment.sh", BASE=base, PULL_REQUEST="7", **variables)

    def _written(self, name: str) -> str:
        place = self.folder / name
        return place.read_text(encoding="utf-8") if place.exists() else ""

    @property
    def output(self) -> str:
        return self._written("output")

    @property
    def summary(self) -> str:
        return self._written("summary")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A run in `tmp_path/project`, on a pull request without comments."""
    require(shutil.which("bash"), "bash is not installed")
    require((Path(sys.executable).parent / "pagecost").exists(), "pagecost is not installed")
    folder = tmp_path / "runner"
    (folder / "bin").mkdir(parents=True)
    made = Runner(folder, tmp_path / "project")
    made.program("gh", GH)
    (folder / "gh.json").write_text(
        json.dumps({"me": BOT, "comments": [], "forbidden": False, "writes": []}), encoding="utf-8"
    )
    return made


def draft_of(made: TinyProject) -> str:
    """The commit at which nothing was frozen yet."""
    return git(made.root, "rev-list", "--max-parents=0", "HEAD")


# --- comment.sh -----------------------------------------------------------------------------------


def test_a_first_run_comments_and_a_second_updates_it(
    runner: Runner, tiny_project: TinyProject
) -> None:
    draft = draft_of(tiny_project)
    done = runner.comment(draft)
    assert (done.status, done.err, done.out) == (0, "", "")
    (first,) = runner.comments
    said = tiny_project.run("diff", "--since", draft, "--format", "markdown").out
    assert "New: tiny@1" in said
    assert first == f"{MARKER}\n\n{said}"
    assert runner.summary == said

    head = git(tiny_project.root, "rev-parse", "HEAD")
    assert runner.comment(head).status == 0
    (second,) = runner.comments
    assert second.startswith(f"{MARKER}\n\nNo difference: every version is as it was at {head}")
    assert runner.state["writes"] == ["POST", "PATCH"]


def test_a_comment_of_somebody_else_is_not_touched(
    runner: Runner, tiny_project: TinyProject
) -> None:
    others = [
        ("somebody", f"What is `{MARKER}`?"),
        ("somebody", f"{MARKER}\n\nA copy of it."),
        (BOT, f"Another action quotes:\n{MARKER}"),
        (BOT, "<!-- pagecost diff other/mkdocs.yml -->\n\nOf another project."),
        (None, MARKER),
    ]
    runner.said_before(*others)
    for _ in range(2):
        assert runner.comment(draft_of(tiny_project)).status == 0
    assert runner.comments[:5] == [body for _, body in others]
    assert len(runner.comments) == 6
    assert runner.state["writes"] == ["POST", "PATCH"]


def test_the_comment_is_found_among_all_pages(runner: Runner, tiny_project: TinyProject) -> None:
    chat = [("somebody", f"Remark {number}") for number in range(150)]
    runner.said_before(*chat, (BOT, f"{MARKER}\r\n\r\nOld."), *chat)
    assert runner.comment(draft_of(tiny_project)).status == 0
    assert "New: tiny@1" in runner.comments[150]
    assert runner.state["writes"] == ["PATCH"]


def test_two_projects_in_a_repository_have_a_comment_each(
    runner: Runner, tiny_project: TinyProject
) -> None:
    draft = draft_of(tiny_project)
    runner.cwd = tiny_project.root.parent
    for config in ("project/mkdocs.yml", "./project/mkdocs.yml"):
        assert runner.comment(draft, CONFIG=config).status == 0
    assert [body.splitlines()[0] for body in runner.comments] == [
        "<!-- pagecost diff project/mkdocs.yml -->",
        "<!-- pagecost diff ./project/mkdocs.yml -->",
    ]


def test_a_path_cannot_end_the_marker_early(
    runner: Runner, tiny_project: TinyProject, tmp_path: Path
) -> None:
    draft = draft_of(tiny_project)
    tiny_project.root.rename(tmp_path / "a --> b")
    runner.cwd = tmp_path
    assert runner.comment(draft, CONFIG="a --> b/mkdocs.yml").status == 0
    assert runner.comments[0].splitlines()[0] == "<!-- pagecost diff a_--__b/mkdocs.yml -->"


def test_a_token_that_may_not_write_leaves_the_diff_in_the_summary(
    runner: Runner, tiny_project: TinyProject
) -> None:
    runner.change(forbidden=True)
    done = runner.comment(draft_of(tiny_project))
    assert (done.status, done.err) == (0, "")
    assert runner.comments == []
    assert "New: tiny@1" in runner.summary
    assert done.out == (
        "::notice title=pagecost diff::Not commented; the diff is in the step summary. "
        "gh: Resource not accessible by integration (HTTP 403) \n"
    )


def test_no_token_at_all_is_no_failure_either(runner: Runner, tiny_project: TinyProject) -> None:
    done = runner.comment(draft_of(tiny_project), GH_TOKEN="")
    assert (done.status, runner.comments) == (0, [])
    assert done.out.startswith("::notice title=pagecost diff::Not commented;")
    assert done.out.count("\n") == 1


@pytest.mark.parametrize("line", ["| 1 | 2 |\n", "| é | 𝄞 |\n", "𝄞"])
def test_a_diff_over_the_limit_is_cut_and_says_so(
    runner: Runner, tiny_project: TinyProject, line: str
) -> None:
    whole = line * 20_000
    (runner.folder / "whole").write_text(whole, encoding="utf-8")
    copy = "import shutil, sys; shutil.copyfileobj(open({!r}, 'rb'), sys.stdout.buffer)\n"
    runner.program("pagecost", copy.format(str(runner.folder / "whole")))
    assert runner.comment(draft_of(tiny_project)).status == 0
    assert runner.summary == whole
    (body,) = runner.comments
    marker, _, said, _, *kept = body.split("\n")
    run = "https://github.invalid/example/experiments/actions/runs/42"
    assert marker == MARKER
    assert said == (
        f"The diff is too long for a comment and is cut; [the run]({run}) shows all of it."
    )
    rest = "\n".join(kept)
    assert whole.startswith(rest)
    assert rest.endswith(line)
    assert 59_900 < len(rest.encode()) < len(body.encode()) < 65_536


def test_a_module_that_a_pull_request_brings_along_is_not_run(
    runner: Runner, tiny_project: TinyProject
) -> None:
    for name in ("json.py", "pathlib.py"):
        (tiny_project.root / name).write_text("raise SystemExit('run')\n", encoding="utf-8")
    done = runner.comment(draft_of(tiny_project))
    assert (done.status, done.out, len(runner.comments)) == (0, "", 1)


def test_a_diff_that_fails_fails_the_step(runner: Runner, tiny_project: TinyProject) -> None:
    tiny_project.file("tiny@1", "plan.json").write_text("{", encoding="utf-8")
    done = runner.comment(draft_of(tiny_project))
    assert done.status == 2
    assert "plan.json" in done.err
    assert runner.comments == []


@pytest.fixture
def shallow(runner: Runner, tiny_project: TinyProject, tmp_path: Path) -> Path:
    """A checkout of the newest commit alone, in which the steps run."""
    runner.cwd = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", tiny_project.root.as_uri(), str(runner.cwd))
    return runner.cwd


def test_a_base_that_a_shallow_checkout_lacks_is_fetched_alone(
    runner: Runner, tiny_project: TinyProject, shallow: Path
) -> None:
    base = git(tiny_project.root, "rev-parse", "HEAD~1")
    assert runner.comment(base).status == 0
    assert "New: tiny@1" in runner.comments[0]
    assert git(shallow, "rev-list", "--count", "HEAD", base) == "2"


def test_a_branch_is_fetched_without_cutting_a_whole_history(
    runner: Runner, tiny_project: TinyProject, tmp_path: Path
) -> None:
    git(tiny_project.root, "branch", "before", "HEAD~1")
    runner.cwd = tmp_path / "whole"
    git(tmp_path, "clone", "--quiet", tiny_project.root.as_uri(), str(runner.cwd))
    assert runner.comment("before").status == 0
    assert "New: tiny@1" in runner.comments[0]
    assert git(runner.cwd, "rev-parse", "--is-shallow-repository") == "false"


def test_a_base_that_nobody_has_fails_the_step(
    runner: Runner, shallow: Path, tiny_project: TinyProject
) -> None:
    assert runner.comment("f" * 40).status != 0
    assert runner.comments == []


# --- gates.sh, build.sh, install.sh ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("holds", "state", "status", "said"),
    [
        ("mrr > 0", "recorded", 0, "held"),
        ("mrr <= 0", "recorded", 1, "not held"),
        ("mrr > 0", "frozen", 2, "not decided"),
    ],
)
def test_gates_end_as_they_are_decided_and_say_so(
    runner: Runner, holds: str, state: Any, status: int, said: str
) -> None:
    plan = archives_plan(gates=[{"name": "It is found", "holds": holds}])
    make_project(runner.cwd, versions={"tiny@1": plan}, state=state)
    done = runner.step("gates.sh")
    assert done.status == status
    assert runner.output == f"gates={said}\n"
    assert re.search(rf"^{said} +tiny@1  It is found: ", done.out, re.MULTILINE)
    indented = "".join(f"    {line}\n" for line in done.out.splitlines())
    assert runner.summary == f"## Gates: {said}\n\n{indented}"


def test_gates_of_a_project_that_is_not_there_are_not_decided(
    runner: Runner, tmp_path: Path
) -> None:
    runner.cwd = tmp_path
    assert runner.step("gates.sh").status == 2
    assert runner.output == "gates=not decided\n"
    assert "mkdocs.yml" in runner.summary


def test_the_site_is_built_where_it_is_asked_for(
    runner: Runner, tiny_project: TinyProject, drawn: Path
) -> None:
    done = runner.step("build.sh", OUTPUT="public site")
    assert done.status == 0, done.err
    assert (tiny_project.root / "public site" / "tiny" / "1" / "index.html").exists()
    assert runner.output == "site=public site\n"


def test_a_site_that_cannot_be_built_fails_the_step(
    runner: Runner, tiny_project: TinyProject
) -> None:
    tiny_project.file("tiny@1", "ranks.csv").unlink()
    assert runner.step("build.sh", OUTPUT="_site").status != 0
    assert runner.output == ""


@pytest.mark.parametrize(
    ("asked", "installed"),
    [
        ("", ["path of/the action"]),
        (".[corpora]", [".[corpora]"]),
        ("pagecost ropes==1.0\n-r *.txt\n", ["pagecost", "ropes==1.0", "-r", "*.txt"]),
        ("$(touch it) `touch it`", ["$(touch", "it)", "`touch", "it`"]),
    ],
)
def test_what_is_asked_for_is_installed(
    runner: Runner, tmp_path: Path, asked: str, installed: list[str]
) -> None:
    runner.cwd = tmp_path
    runner.program("python", "import json, sys\nprint(json.dumps(sys.argv[1:]))\n")
    done = runner.step("install.sh", INSTALL=asked, GITHUB_ACTION_PATH="path of/the action")
    expected = ["-I", "-m", "pip", "install", "--disable-pip-version-check", *installed]
    assert (done.status, json.loads(done.out)) == (0, expected)
    assert not (tmp_path / "it").exists()


# --- What is written ------------------------------------------------------------------------------


def parsed(path: Path) -> Json:
    made: Json = yaml.safe_load(path.read_text(encoding="utf-8"))
    return made


def steps_of(path: Path) -> list[Json]:
    """All steps of a workflow, or of the action."""
    made = parsed(path)
    jobs = made["jobs"].values() if "jobs" in made else [made["runs"]]
    return [step for job in jobs for step in job["steps"]]


def runs_of(path: Path) -> Iterator[str]:
    yield from (step["run"] for step in steps_of(path) if "run" in step)


FILES = pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)


def test_there_are_two_workflows() -> None:
    assert [path.name for path in WORKFLOWS] == ["pages.yml", "pull-request.yml"]


@FILES
def test_an_action_of_a_third_party_is_pinned_to_a_commit(path: Path) -> None:
    used = [step["uses"] for step in steps_of(path) if "uses" in step]
    assert used
    for one in used:
        assert one == "./" or re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", one)
    text = path.read_text(encoding="utf-8")
    pins = re.findall(r"uses: (\S+@.*)", text)
    assert len([one for one in used if "@" in one]) <= len(pins)
    for pin in pins:
        assert re.fullmatch(r"\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+|OWNER/pagecost@COMMIT", pin)


def test_an_action_has_one_pin_wherever_it_is_used() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ACTION, *WORKFLOWS)]
    pins = {pin for text in texts for pin in re.findall(r"(actions/[\w-]+)(@.*)", text)}
    assert len(pins) == len({name for name, _ in pins}) == 4


@FILES
def test_nothing_is_pasted_into_a_shell(path: Path) -> None:
    assert not [run for run in runs_of(path) if "${{" in run]


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        (
            "pages.yml",
            {
                "build": {"contents": "read"},
                "deploy": {"pages": "write", "id-token": "write"},
            },
        ),
        ("pull-request.yml", {"build": {"contents": "read", "pull-requests": "write"}}),
    ],
)
def test_a_job_may_do_what_it_does_and_nothing_else(
    name: str, jobs: dict[str, dict[str, str]]
) -> None:
    made = parsed(ROOT / ".github" / "workflows" / name)
    assert made["permissions"] == {}
    assert {job: made["jobs"][job]["permissions"] for job in made["jobs"]} == jobs


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_checkout_has_the_whole_history_and_keeps_no_token(path: Path) -> None:
    checkouts = [s for s in steps_of(path) if s.get("uses", "").startswith("actions/checkout@")]
    assert [step["with"] for step in checkouts] == [
        {"fetch-depth": 0, "persist-credentials": False}
    ]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_gives_the_action_inputs_that_it_has(path: Path) -> None:
    (own,) = [step for step in steps_of(path) if step.get("uses") == "./"]
    assert own["with"].keys() <= parsed(ACTION)["inputs"].keys()
    assert all(isinstance(value, str) for value in own["with"].values())


def test_a_deployment_is_never_cancelled_halfway() -> None:
    made = parsed(ROOT / ".github" / "workflows" / "pages.yml")
    assert made["concurrency"] == {"group": "pages", "cancel-in-progress": False}
    assert made["jobs"]["deploy"]["environment"]["name"] == "github-pages"
    assert made["jobs"]["deploy"]["needs"] == "build"


def test_the_action_only_runs_its_own_scripts() -> None:
    run = re.compile(r'bash "\$GITHUB_ACTION_PATH/\.github/scripts/([a-z]+\.sh)"')
    matches = [run.fullmatch(one) for one in runs_of(ACTION)]
    assert [match and match[1] for match in matches] == [
        "install.sh",
        "build.sh",
        "comment.sh",
        "gates.sh",
    ]
    assert sorted(path.name for path in SCRIPTS.iterdir()) == NAMES


def test_the_gates_come_after_everything_that_is_to_stay() -> None:
    names = [step["name"] for step in steps_of(ACTION)]
    assert names[-3:] == ["Comment what differs", "Upload the site", "Hold the gates"]


def test_a_script_is_given_what_it_reads() -> None:
    for step in steps_of(ACTION):
        if "run" not in step:
            continue
        text = (SCRIPTS / step["run"].split("/")[-1].strip('"')).read_text(encoding="utf-8")
        code = "\n".join(line for line in text.split("\n") if not line.startswith("#"))
        reads = {name for name in re.findall(r"\$\{?([A-Z_]+)", code) if name[:7] != "GITHUB_"}
        assert reads == step["env"].keys() - {"GH_TOKEN"}, step["name"]
        header = text.split("set -euo pipefail")[0]
        assert [name for name in step["env"] if name not in header] == []


def test_every_input_is_used_and_described() -> None:
    made = parsed(ACTION)
    used = set(re.findall(r"inputs\.([a-z-]+)", ACTION.read_text(encoding="utf-8")))
    assert used == made["inputs"].keys()
    assert {name: one["default"] for name, one in made["inputs"].items()} == {
        "python-version": "3.x",
        "config": "mkdocs.yml",
        "output": "_site",
        "comment": "true",
        "gates": "true",
        "upload": "true",
        "install": "",
        "token": "${{ github.token }}",
        "base": "",
    }
    assert made["outputs"].keys() == {"site", "gates"}
    assert all(one["description"] for one in [*made["inputs"].values(), *made["outputs"].values()])


@pytest.mark.parametrize("name", NAMES)
def test_a_script_is_whole_and_stops_at_the_first_failure(name: str) -> None:
    require(shutil.which("bash"), "bash is not installed")
    path = SCRIPTS / name
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[0] == "#!/usr/bin/env bash"
    assert next(line for line in lines if not line.startswith("#")) == "set -euo pipefail"
    assert any(line.startswith("# Reads: ") for line in lines)
    done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
