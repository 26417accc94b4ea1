"""Invented projects, corpora and plans, and how tests run things. No real text, no network.

`make_project` is the one to begin with: a project on disk with a Git repository of its own, whose
versions are drafts, frozen or recorded.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import importlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

import msgspec
import pytest

from pagecost import (
    context,
    files,
    freezing,
    jsonio,
    project,
    ranks,
    recording,
    results,
    versions,
)
from pagecost.console import Console
from pagecost.corpora.archives import ArchivesSource
from pagecost.corpora.distributions import DistributionsSource, pin
from pagecost.model import ArchivesCorpus, DistributionsCorpus
from pagecost.project import PLAN, PROJECTION, VersionFolder

ROOT = Path(__file__).resolve().parents[1]
Json = dict[str, Any]
State = Literal["draft", "frozen", "recorded"]


# --- What this machine has ------------------------------------------------------------------------


def require(condition: object, why: str) -> None:
    """Skips the test where something is not at hand; fails it under PAGECOST_REQUIRE_ALL=1."""
    if condition:
        return
    if os.environ.get("PAGECOST_REQUIRE_ALL") == "1":
        pytest.fail(why)
    pytest.skip(why)


def shared_data(*parts: str) -> Path:
    """A path in the shared test data, which must exist (see `require`)."""
    named = os.environ.get("PAGECOST_SHARED_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    path = folder.joinpath(*parts)
    require(path.exists(), f"{path} is not there; PAGECOST_SHARED_DATA names the shared data")
    return path


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- Git and processes ----------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    """What Git says in that folder, without the last line break. AssertionError if it fails."""
    require(shutil.which("git"), "git is not installed")
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"git {' '.join(arguments)}: {done.stderr}"
    return done.stdout.rstrip("\n")


def git_init(path: Path) -> None:
    """A repository with an identity, independent of the machine's configuration."""
    path.mkdir(parents=True, exist_ok=True)
    git(path, "init", "--quiet", "--initial-branch=main")
    for key, value in (
        ("user.name", "Tester"),
        ("user.email", "tester@example.invalid"),
        ("commit.gpgsign", "false"),
        ("core.autocrlf", "false"),
    ):
        git(path, "config", key, value)


def commit_all(path: Path, message: str) -> str:
    """Commits everything that is not ignored; the new commit's hash."""
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(path, "rev-parse", "HEAD")


def environment(**changes: str | None) -> dict[str, str]:
    """The environment of a process that runs this checkout's pagecost; None takes a name out."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    made: dict[str, str | None] = {
        **os.environ,
        "PYTHONPATH": path,
        "no_proxy": "*",
        **changes,
    }
    return {name: value for name, value in made.items() if value is not None}


@dataclass(frozen=True)
class Done:
    """A process that ended: its status, and what it wrote."""

    status: int
    stdout: bytes
    err: str

    @property
    def out(self) -> str:
        return self.stdout.decode("utf-8")


def pagecost(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
    """A real `pagecost` process. AssertionError where it ends with a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "pagecost", *arguments],
        cwd=cwd,
        env=dict(env) if env is not None else environment(),
        capture_output=True,
        check=False,
        timeout=120,
    )
    err = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in err, err
    assert "Exception ignored" not in err, err
    return Done(done.returncode, done.stdout, err)


_SERVE = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs with &
from pagecost.cli import main
sys.exit(main())
"""


@dataclass
class Serving:
    """A `pagecost serve` that is running: where, and what it says on stderr."""

    process: subprocess.Popen[str]
    address: str
    _err: Path

    @property
    def err(self) -> str:
        return self._err.read_text(encoding="utf-8")

    def interrupt(self) -> int:
        """Ctrl-C; the status that it ends with. AssertionError where there is a traceback."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=60)
        assert "Traceback" not in self.err, self.err
        return status


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Serving]:
    """A real `pagecost serve` of the project in that folder, on any free port unless named."""
    require(os.name == "posix", "no SIGINT for one process alone on this system")
    with tempfile.TemporaryDirectory() as logs, (Path(logs) / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", _SERVE, "serve", "--port", "0", *arguments],
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=err,
            encoding="utf-8",
        )
        made = Serving(process, "", Path(err.name))
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            assert said.startswith("Serving http://127.0.0.1:"), said + made.err
            made.address = said.split()[1]
            yield made
        finally:
            process.kill()
            process.communicate()


# --- Go-like sources ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """A function with its documentation comment, one line of it a span."""

    name: str
    doc: str
    code: str


@dataclass(frozen=True)
class Source:
    """A file: what stands above its functions, and them."""

    functions: tuple[Function, ...] = ()
    header: str = "package invented\n"

    def render(self) -> tuple[bytes, list[tuple[Function, list[tuple[int, int]], tuple[int, int]]]]:
        """Its bytes, and each function with the spans of its comment and of its code."""
        data = self.header.encode("utf-8")
        placed = []
        for function in self.functions:
            data += b"\n"
            spans = []
            for line in function.doc.split("\n"):
                raw = line.encode("utf-8")
                spans.append((len(data), len(data) + len(raw)))
                data += raw + b"\n"
            code = function.code.encode("utf-8")
            placed.append((function, spans, (len(data), len(data) + len(code))))
            data += code + b"\n"
        return data, placed


@dataclass(frozen=True)
class ProjectionRow:
    """A row of projection.csv, to be changed with `dataclasses.replace`."""

    repository: str
    path: str
    name: str
    doc_spans: str
    code_start: int | str
    code_end: int | str
    candidate_id: str

    def line(self) -> str:
        return (
            f"{self.repository},{self.path},{self.name},{self.doc_spans},"
            f"{self.code_start},{self.code_end},{self.candidate_id}\n"
        )


PROJECTION_HEADER = "repository,path,name,doc_spans,code_start,code_end,candidate_id\n"


def projection_bytes(rows: Sequence[ProjectionRow]) -> bytes:
    """The CSV file of those rows, in the order given."""
    return (PROJECTION_HEADER + "".join(row.line() for row in rows)).encode("utf-8")


@dataclass(frozen=True)
class Tree:
    """One invented repository: its functions by file, and its other files."""

    repository: str
    revision: str
    sources: Mapping[str, Source]
    others: Mapping[str, bytes] = field(default_factory=dict)
    licence: bytes = b"An invented licence, for tests alone.\n"

    @property
    def root(self) -> str:
        return f"{self.repository.split('/')[1]}-{self.revision}"

    def files(self) -> dict[str, bytes]:
        """Every file below the root folder."""
        made = {"LICENSE": self.licence, **self.others}
        return made | {path: source.render()[0] for path, source in self.sources.items()}

    def rows(self) -> list[ProjectionRow]:
        """Its functions as coordinates, in ascending candidate id."""
        made = []
        for path, source in self.sources.items():
            for function, spans, code in source.render()[1]:
                identity = f"{self.repository}\0{path}\0{function.code}".encode()
                made.append(
                    ProjectionRow(
                        repository=self.repository,
                        path=path,
                        name=function.name,
                        doc_spans=" ".join(f"{start}-{end}" for start, end in spans),
                        code_start=code[0],
                        code_end=code[1],
                        candidate_id=sha256(identity),
                    )
                )
        return sorted(made, key=lambda row: row.candidate_id)


def zip_bytes(members: Mapping[str, bytes]) -> bytes:
    """A ZIP with exactly these members in this order, the same bytes every time."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return memory.getvalue()


def zip_of(tree: Tree) -> bytes:
    """The tree as a source archive: a root folder and all files below it."""
    below = {f"{tree.root}/{path}": data for path, data in tree.files().items()}
    return zip_bytes({f"{tree.root}/": b""} | below)


def _function(name: str, doc: str, *body: str, head: str = "") -> Function:
    lines = "".join(f"\t{line}\n" for line in body)
    return Function(name, doc, f"func {head or name + '()'} {{\n{lines}}}")


ALPHA = Tree(
    repository="example/alpha",
    revision="a" * 40,
    sources={
        "vault/vault.go": Source(
            (
                _function(
                    "openVault",
                    "// openVault reads the sealed ledger and checks its seal.",
                    "ledger := readSealedLedger(path)",
                    "return checkSeal(ledger)",
                    head="openVault(path string) *Ledger",
                ),
                _function(
                    "Vault.Close",
                    "// Close writes the ledger back, with a fresh seal,\n// and forgets the key.",
                    "sealLedger(v.ledger, freshSeal())",
                    "v.key = nil",
                    head="(v *Vault) Close()",
                ),
                _function(
                    "rotateKey",
                    "// Replaces the key of every sealed ledger by a fresh one.",
                    "for _, ledger := range allLedgers() {",
                    "\tledger.key = freshKey()",
                    "}",
                ),
            ),
            header="// Invented for tests.\n\npackage vault\n",
        ),
        "parse/parse.go": Source(
            (
                _function(
                    "parseLedgerEntry",
                    "// parse one entry of a ledger line",
                    'return strings.Split(line, ";")',
                    head="parseLedgerEntry(line string) []string",
                ),
                _function(
                    "countEntries",
                    "// how many entries does the ledger hold?",
                    "return len(parseLedgerEntry(whole))",
                    head="countEntries(whole string) int",
                ),
                _function(
                    "entryDate",
                    "// Gives the day on which an entry was made.",
                    "return parseDay(entry[0])",
                    head="entryDate(entry []string) Day",
                ),
            ),
            header="package parse\n",
        ),
        "made/table.go": Source(
            (_function("lookupTable", "// lookupTable finds a row.", "return rows[at]"),),
            header="// Code generated by an invented tool. DO NOT EDIT.\n\npackage made\n",
        ),
        "borrowed/sum.go": Source(
            (_function("sumRows", "// sumRows adds up all rows.", "return total"),),
            header="package borrowed\n",
        ),
        "other/terms.go": Source(
            (_function("foreign", "// foreign does something else.", "return 1"),),
            header="// Copyright of an invented author.\n\npackage other\n",
        ),
        "echo/echo.go": Source(
            (_function("echo", "// says its comment again", "// says its comment again"),),
            header="package echo\n",
        ),
    },
    others={"borrowed/NOTICE": b"Invented terms.\n", "README.md": b"# Alpha\n"},
)
BETA = Tree(
    repository="example/beta",
    revision="b" * 40,
    sources={
        "fleet/fleet.go": Source(
            (
                _function(
                    "launchFleet",
                    "// launchFleet sends every ship that is ready.",
                    "for _, ship := range readyShips() {",
                    "\tsendShip(ship)",
                    "}",
                ),
                _function(
                    "recallShip",
                    "// Brings one ship home, whether it is ready or not.",
                    "return bringHome(ship)",
                    head="recallShip(ship *Ship) error",
                ),
                _function(
                    "Ship.refuel",
                    "// fills up the fuel of a ship at the nearest harbour",
                    "harbour := nearestHarbour(s.at)",
                    "s.fuel = harbour.fillUpFuel()",
                    head="(s *Ship) refuel()",
                ),
                _function(
                    "shipReady",
                    "// shipReady says whether a ship has fuel and a crew.",
                    "return s.fuel > 0 && s.crew != nil",
                    head="shipReady(s *Ship) bool",
                ),
                _function(
                    "harbourCrew",
                    "// Who waits at the harbour for a ship?",
                    "return waitingCrew[harbour]",
                    head="harbourCrew(harbour Harbour) Crew",
                ),
            ),
            header="package fleet\n",
        ),
        "fleet/again.go": Source(
            (
                _function(
                    "shipReadyAgain",
                    "// shipReady says whether a ship has fuel and a crew.",
                    "return s.hasFuel() && s.hasCrew()",
                    head="shipReadyAgain(s *Ship) bool",
                ),
            ),
            header="package fleet\n",
        ),
    },
)
TREES = (ALPHA, BETA)
"""6 documents and queries of alpha, 6 documents and 5 queries of beta; 4 functions left out."""


# --- Plans ----------------------------------------------------------------------------------------

_BM25: Json = {"kind": "bm25", "text": "raw", "k1": 1.2, "b": 0.75}
POLICIES: list[Json] = [
    {"name": "baseline", "ranking": _BM25},
    {
        "name": "helper",
        "ranking": {
            "kind": "interleave",
            "first": "baseline",
            "second": {**_BM25, "text": "identifiers"},
        },
    },
]


def plan_of(corpus: Json, experiment: str, version: str, **changes: Any) -> Json:
    """A draft of a plan over that corpus; `changes` replace its fields."""
    made: Json = {
        "schema": 1,
        "status": "draft",
        "experiment": experiment,
        "version": version,
        "title": "An invented comparison",
        "question": "Does the helper need fewer pages than the *baseline*?",
        "kind": "confirmatory",
        "date": "2026-01-02",
        "corpus": corpus,
        "policies": POLICIES,
        "baseline": "baseline",
        "primary_policy": "helper",
        "page_sizes": [1, 2, 5],
        "primary_page_size": 2,
        "definitions": {
            "target": "first relevant document",
            "ties": "document order",
            "pages": "ceil(rank / page_size)",
            "emitted": "min(depth, pages * page_size)",
            "searches": "distinct index rankings behind each page, every page served statelessly",
        },
        "caveat": "Invented queries over invented functions. The proxy counts searches, not time.",
        "measured": ["**Exact rank** of the first known target."],
        "not_measured": ["**Time.** The proxy is none."],
        "assumptions": ["**Every index search costs the same.**"],
    }
    return copy.deepcopy(made | changes)


def archives_corpus(trees: Sequence[Tree] = TREES, **changes: Any) -> Json:
    """A corpus of those trees, without pins. The archives' hashes are those of `zip_of`."""
    made: Json = {
        "kind": "archives",
        "projection": {"path": "projection.csv", "sha256": sha256(projection_of(trees))},
        "archives": [
            {
                "repository": tree.repository,
                "revision": tree.revision,
                "sha256": sha256(zip_of(tree)),
                "licence": {"path": "LICENSE", "sha256": sha256(tree.licence)},
                "licence_name": "LicenseRef-Invented",
            }
            for tree in trees
        ],
    }
    return made | changes


def projection_rows(trees: Sequence[Tree] = TREES) -> list[ProjectionRow]:
    """All functions of those trees, in ascending candidate id."""
    rows = (row for tree in trees for row in tree.rows())
    return sorted(rows, key=lambda row: row.candidate_id)


def projection_of(trees: Sequence[Tree] = TREES) -> bytes:
    """The projection of all functions of those trees."""
    return projection_bytes(projection_rows(trees))


def stock(cache: Path, trees: Sequence[Tree] = TREES) -> None:
    """Puts the trees' archives into a cache, as `pagecost fetch` would."""
    for tree in trees:
        path = cached(cache, tree)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zip_of(tree))


def cached(cache: Path, tree: Tree) -> Path:
    """Where a cache keeps the tree's archive."""
    return cache / "archives" / f"{tree.repository.replace('/', '--')}@{tree.revision}.zip"


def archives_plan(
    experiment: str = "tiny",
    version: str = "1",
    *,
    trees: Sequence[Tree] = TREES,
    pinned: bool = True,
    **changes: Any,
) -> Json:
    """A draft over invented source archives, with the pins of its corpus."""
    corpus = archives_corpus(trees)
    if pinned:
        with tempfile.TemporaryDirectory() as folder:
            stock(Path(folder), trees)
            (Path(folder) / "projection.csv").write_bytes(projection_of(trees))
            kind = msgspec.convert(corpus, ArchivesCorpus)
            source = ArchivesSource(kind, Path(folder), Path(folder), strict=False)
            corpus["pins"] = msgspec.to_builtins(source.load().counts)
    return plan_of(corpus, experiment, version, **changes)


DISTRIBUTION = {
    "knots/__init__.py": "",
    "knots/tie.py": """\
def tieBowline(rope):
    \"\"\"Make a loop that neither slips nor jams.\"\"\"
    loop = rope.loop()
    return rope.pass_through(loop)


class Rope:
    def splice(self, other):
        \"\"\"Join two ropes for good.

        Neither is whole afterwards.
        \"\"\"
        strands = self.unlay() + other.unlay()
        return Rope(strands)

    def cutRope(self, at):
        \"\"\"cutRope gives the two ends of a cut.\"\"\"
        left = self.upto(at)
        return left, self.beyond(at)

    def length(self):
        return self._length


def trivial(rope):
    \"\"\"Has one statement only.\"\"\"
    return rope
""",
}
"""3 documents and queries; one function without a docstring and one trivial are left out."""


def install_distribution(
    site: Path,
    sources: Mapping[str, str] = DISTRIBUTION,
    *,
    name: str = "knots",
    version: str = "1.0",
) -> Path:
    """Writes an installed distribution into a folder that is to be on sys.path; its dist-info."""
    lines = []
    for path, text in sources.items():
        data = text.encode("utf-8")
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(lines), encoding="utf-8")
    importlib.invalidate_caches()
    return info


def distributions_plan(
    experiment: str = "ropes",
    version: str = "1",
    *,
    name: str = "knots",
    release: str = "1.0",
    pinned: bool = True,
    **changes: Any,
) -> Json:
    """A draft over an invented distribution; to be pinned, it must be installed."""
    corpus: Json = {
        "kind": "distributions",
        "distributions": [{"name": name, "version": release}],
        "trivial_statements": 2,
    }
    if pinned:
        kind = msgspec.convert(corpus, DistributionsCorpus)
        corpus["distributions"] = msgspec.to_builtins(pin(kind))
        corpus["pins"] = msgspec.to_builtins(DistributionsSource(kind).load().counts)
    return plan_of(corpus, experiment, version, **changes)


# --- Projects -------------------------------------------------------------------------------------

CONFIG = """\
site_name: Invented experiments
docs_dir: site
site_dir: _mkdocs
"""


@dataclass(frozen=True)
class TinyProject:
    """A project on disk. A key is EXPERIMENT@VERSION."""

    root: Path

    @property
    def docs(self) -> Path:
        return self.root / "site"

    def folder(self, key: str) -> Path:
        """The version's folder, which need not exist."""
        return self.docs.joinpath(*key.split("@"))

    def file(self, key: str, name: str) -> Path:
        """One of the version's files, which need not exist."""
        return self.folder(key) / name

    def plan(self, key: str) -> Json:
        """The version's plan as JSON."""
        made: Json = json.loads(self.file(key, PLAN).read_bytes())
        return made

    def write_plan(self, key: str, plan: Json, projection: bytes | None = None) -> None:
        """Writes that plan and that projection: of TREES, where it needs one and has none yet."""
        self.folder(key).mkdir(parents=True, exist_ok=True)
        self.file(key, PLAN).write_bytes(jsonio.canonical(plan))
        path = self.file(key, PROJECTION)
        if projection is not None:
            path.write_bytes(projection)
        elif plan["corpus"]["kind"] == "archives" and not path.exists():
            path.write_bytes(projection_of())

    def change_plan(self, key: str, **changes: Any) -> None:
        """Replaces fields of the version's plan."""
        self.write_plan(key, self.plan(key) | changes)

    def commit(self, message: str = "Work") -> str:
        """Commits everything; the new commit's hash."""
        return commit_all(self.root, message)

    def has_git(self) -> bool:
        return (self.root / ".git").exists()

    def load(self) -> project.Project:
        """The project as pagecost sees it."""
        return project.load(self.root / project.CONFIG)

    def where(self, key: str) -> VersionFolder:
        """The version's folder as pagecost sees it."""
        return self.load().find(key)

    def version(self, key: str) -> versions.Version:
        """The version as pagecost loads it."""
        return versions.load(self.where(key))

    def work(self, out: TextIO | None = None) -> context.Context:
        """What commands work with, in this process; what they say goes to `out`."""
        console = Console("normal", out or io.StringIO())
        return context.Context(self.load(), files.cache_folder(), console)

    def freeze(self, key: str) -> None:
        """Freezes a draft; without Git, by writing it."""
        if self.has_git():
            freezing.freeze(self.where(key))
        else:
            path = self.file(key, PLAN)
            path.write_bytes(freezing.frozen_bytes(path.read_bytes(), path))

    def record(self, key: str) -> None:
        """Scores a frozen plan and writes its record, without committing it."""
        recording.record(self.work(), key, dry_run=False)

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """A real `pagecost` process in the project's folder."""
        return pagecost(*arguments, cwd=self.root, env=env)

    def state(self) -> dict[str, bytes]:
        """Every file outside .git by path: what a command that changes nothing leaves alike."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.root).parts
        }


def make_project(
    path: Path,
    *,
    versions: Sequence[str] | Mapping[str, Json] = ("tiny@1",),
    state: State = "recorded",
    with_git: bool = True,
    config: str = CONFIG,
) -> TinyProject:
    """A project whose versions are all in that state, everything committed, archives in the cache.

    Keys alone get `archives_plan`. With Git, drafts, each freezing and the records are commits of
    their own, in this order.
    """
    made = TinyProject(path)
    path.mkdir(parents=True, exist_ok=True)
    (path / project.CONFIG).write_text(config, encoding="utf-8")
    (path / ".gitignore").write_text("/_site/\n/_mkdocs/\n", encoding="utf-8")
    made.docs.mkdir()
    (made.docs / "index.md").write_text("# Invented experiments\n\nFor tests.\n", encoding="utf-8")
    plans = versions if isinstance(versions, Mapping) else dict.fromkeys(versions)
    for key, plan in plans.items():
        made.write_plan(key, plan or archives_plan(*key.split("@")))
    stock(files.cache_folder())
    if with_git:
        git_init(path)
        made.commit("Draft")
    if state != "draft":
        for key in plans:
            made.freeze(key)
    if state == "recorded":
        for key in plans:
            made.record(key)
        if with_git:
            made.commit("Record")
    return made


def forge(made: TinyProject, key: str) -> None:
    """Replaces the record of an `archives_plan` by one of another rank, consistent in itself."""
    version = made.version(key)
    assert version.record is not None
    ranks_csv = version.record.ranks_csv.replace(b",6,2\n", b",5,2\n")
    assert ranks_csv != version.record.ranks_csv
    table = ranks.from_csv(ranks_csv, ranks.layout(version.plan), "ranks.csv")
    scored = results.score(version.plan, version.digest, table, ranks_csv)
    made.file(key, "ranks.csv").write_bytes(ranks_csv)
    made.file(key, "results.json").write_bytes(results.to_json(scored))
