"""A record is scored again, byte for byte; a build repeats only what it has not seen hold."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from pagecost import jsonio, pipeline, plan, project, ranks, replay, versions
from pagecost.corpora import source_of
from pagecost.errors import CheckFailed, CorpusMissing, InputError
from tests.builders import (
    ALPHA,
    BETA,
    ROOT,
    TinyProject,
    archives_plan,
    cached,
    environment,
    forge,
    make_project,
    require,
    zip_bytes,
)

KEY = "tiny@1"
FROM_SOURCE = "replayed from source"
AGAIN = "replayed from source before, nothing changed since"
FROM_RANKS = "replayed from ranks; its corpus is not at hand"


def replayed(made: TinyProject) -> str:
    work = made.work()
    return pipeline.replayed(work, made.version(KEY))


def failure(made: TinyProject) -> str:
    with pytest.raises(CheckFailed) as error:
        replayed(made)
    return str(error.value)


def without_ranking(patch: pytest.MonkeyPatch) -> None:
    """From here on nothing can be ranked."""

    def refuse(*_: object) -> None:
        raise AssertionError("ranked again")

    patch.setattr(ranks, "rank_all", refuse)


# --- Scoring --------------------------------------------------------------------------------------


def test_scoring_gives_the_same_bytes_every_time(tiny_project: TinyProject) -> None:
    version = tiny_project.version(KEY)
    corpus = tiny_project.work().source(version).load()
    done: list[tuple[int, int]] = []
    first = replay.score(version.plan, version.digest, corpus, lambda *one: done.append(one))
    assert first == replay.score(version.plan, version.digest, corpus)
    assert done == [(place, 11) for place in range(1, 12)]
    assert version.record is not None
    assert first.ranks_csv == version.record.ranks_csv
    assert first.results_json == version.record.results_json


def test_a_score_names_its_plan_and_its_ranks(tiny_project: TinyProject) -> None:
    version = tiny_project.version(KEY)
    assert version.record is not None
    found = json.loads(version.record.results_json)
    assert found["plan_sha256"] == version.digest
    assert found["ranks_sha256"] == jsonio.sha256(version.record.ranks_csv)
    assert found["corpus"] == tiny_project.plan(KEY)["corpus"]["pins"]


def test_a_corpus_that_is_not_pinned_is_not_scored(tiny_project: TinyProject) -> None:
    version = tiny_project.version(KEY)
    corpus = tiny_project.work().source(version).load()
    other = archives_plan()
    other["corpus"]["pins"]["exclusions"]["code"] = 1
    pinned = plan.parse(json.dumps(other).encode(), "plan.json")
    with pytest.raises(InputError, match=r"tiny@1: plan\.json: \$\.corpus\.pins\.exclusions"):
        replay.score(pinned, "0" * 64, corpus)


def test_there_is_nothing_to_replay_without_a_record(tmp_path: Path) -> None:
    made = make_project(tmp_path / "p", state="frozen", with_git=False)
    with pytest.raises(CheckFailed, match="tiny@1: no record to replay"):
        replay.from_ranks(made.version(KEY))
    assert replayed(made) == "no record: frozen plan"


# --- Differences ----------------------------------------------------------------------------------


def test_the_first_line_that_differs_is_shown_on_both_sides(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "results.json")
    lines = path.read_text(encoding="utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if '"pages": ' in line)
    before = lines[at]
    lines[at] = before.replace('"pages": ', '"pages": 9')
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(CheckFailed) as error:
        replay.from_ranks(tiny_project.version(KEY))
    assert str(error.value) == (
        f"{path}: line {at + 1}: {lines[at]!r}, but counting ranks.csv again gives {before!r}: "
        "the record does not replay"
    )


def test_a_record_that_ends_too_late_is_found(tiny_project: TinyProject) -> None:
    path = tiny_project.file(KEY, "results.json")
    lines = path.read_bytes().count(b"\n")
    path.write_bytes(path.read_bytes() + b"\n")
    expected = f"line {lines + 2}: '', but counting ranks.csv again gives 'nothing'"
    with pytest.raises(CheckFailed, match=expected):
        replay.from_ranks(tiny_project.version(KEY))


def test_a_forged_record_holds_by_its_ranks_and_fails_by_its_corpus(
    tiny_project: TinyProject,
) -> None:
    forge(tiny_project, KEY)
    replay.from_ranks(tiny_project.version(KEY))
    message = failure(tiny_project)
    assert "ranks.csv: line 3: " in message
    assert "but ranking the corpus again gives" in message


# --- The records that are committed here ----------------------------------------------------------


def committed(key: str) -> versions.Version:
    return versions.load(project.load(ROOT / project.CONFIG).find(key))


@pytest.mark.parametrize(
    "key",
    [
        "cut-runs@1",
        "cut-runs@2",
        "page-cost@12",
        "page-cost@12.1",
        "python-packages@1",
        "python-packages@2",
    ],
)
def test_every_committed_record_follows_from_its_ranks(key: str) -> None:
    replay.from_ranks(committed(key))


@pytest.mark.parametrize("key", ["cut-runs@1", "python-packages@1", "python-packages@2"])
def test_committed_records_over_installed_packages_are_ranked_again(cache: Path, key: str) -> None:
    version = committed(key)
    source = source_of(version.plan, version.where.folder, cache)
    try:
        corpus = source.load()
    except CorpusMissing as error:
        require(False, str(error))
        raise
    replay.from_source(version, corpus)


# --- Memory ---------------------------------------------------------------------------------------


def test_a_replay_that_held_is_not_repeated(
    tiny_project: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert replayed(tiny_project) == FROM_SOURCE
    without_ranking(monkeypatch)
    assert replayed(tiny_project) == AGAIN


def test_a_replay_that_failed_is_repeated(tiny_project: TinyProject, cache: Path) -> None:
    forge(tiny_project, KEY)
    assert failure(tiny_project) == failure(tiny_project)
    assert not (cache / "replays").exists()


@pytest.mark.parametrize("what", ["the archives", "the plan", "the scoring code"])
def test_a_replay_is_repeated_where_anything_changed_that_it_depends_on(
    tiny_project: TinyProject,
    tmp_path: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
) -> None:
    made = tiny_project
    assert replayed(made) == FROM_SOURCE
    if what == "the archives":
        files = ALPHA.files() | {"more": b"more"}
        members = {f"{ALPHA.root}/{name}": data for name, data in files.items()}
        cached(cache, ALPHA).write_bytes(zip_bytes(members))
    elif what == "the plan":
        plans = {KEY: archives_plan(title="Another title")}
        made = make_project(tmp_path / "other", versions=plans, with_git=False)
    else:
        monkeypatch.setattr(replay, "scoring_code", lambda: "other code")
    assert replayed(made) == FROM_SOURCE
    assert replayed(made) == AGAIN


def test_a_record_that_was_forged_after_it_held_is_found(tiny_project: TinyProject) -> None:
    assert replayed(tiny_project) == FROM_SOURCE
    forge(tiny_project, KEY)
    failure(tiny_project)


def test_a_memory_is_of_exactly_these_bytes(tiny_project: TinyProject, tmp_path: Path) -> None:
    memory = replay.Memory(tmp_path / "memory")
    version = tiny_project.version(KEY)
    assert not memory.holds(version, "corpus")
    memory.remember(version, "corpus")
    assert memory.holds(version, "corpus")
    assert not memory.holds(version, "another")
    assert not memory.holds(version, "ranks")
    forge(tiny_project, KEY)
    assert not memory.holds(tiny_project.version(KEY), "corpus")


def test_without_its_corpus_a_record_is_replayed_from_its_ranks(
    tiny_project: TinyProject, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached(cache, BETA).unlink()
    out = io.StringIO()
    assert pipeline.replayed(tiny_project.work(out), tiny_project.version(KEY)) == FROM_RANKS
    assert "example/beta at bbbbbbbbbbbb is not in the cache" in out.getvalue()
    monkeypatch.setattr(replay, "from_ranks", None)
    assert replayed(tiny_project) == FROM_RANKS


def test_a_replay_from_ranks_does_not_stand_for_one_from_source(
    tiny_project: TinyProject, cache: Path
) -> None:
    data = cached(cache, BETA).read_bytes()
    cached(cache, BETA).unlink()
    assert replayed(tiny_project) == FROM_RANKS
    cached(cache, BETA).write_bytes(data)
    assert replayed(tiny_project) == FROM_SOURCE


def test_results_that_do_not_follow_from_the_ranks_fail_without_the_corpus(
    tiny_project: TinyProject, cache: Path
) -> None:
    path = tiny_project.file(KEY, "results.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"recall_at_1": 0', '"recall_at_1": 1', 1), encoding="utf-8")
    cached(cache, BETA).unlink()
    assert "the record does not replay" in failure(tiny_project)


def test_a_broken_archive_is_an_error_and_no_missing_corpus(
    tiny_project: TinyProject, cache: Path
) -> None:
    cached(cache, BETA).write_bytes(b"garbage")
    with pytest.raises(InputError, match="not a whole ZIP file"):
        replayed(tiny_project)


# --- What the memory depends on -------------------------------------------------------------------


def test_the_scoring_code_covers_every_module_that_scores() -> None:
    code = (
        "import sys\n"
        "import pagecost.replay, pagecost.corpora.archives, pagecost.corpora.distributions\n"
        "import pagecost.corpora.beir, pagecost.corpora.trec, pagecost.corpora.ir_datasets\n"
        "import pagecost.corpora.with_runs\n"
        "print(*sorted(n for n in sys.modules if n.startswith('pagecost')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    package = ROOT / "pagecost"
    covered = {path for pattern in replay._SCORING_CODE for path in package.glob(pattern)}
    loaded = set()
    for name in done.stdout.split():
        at = ROOT.joinpath(*name.split("."))
        loaded.add(at / "__init__.py" if at.is_dir() else at.with_suffix(".py"))
    # These read and refuse; none of them has a say in what a rank or a count is.
    others = {
        "__init__.py", "errors.py", "files.py", "gates.py", "manifest.py", "names.py",
        "plan.py", "project.py", "version.py",
    }  # fmt: skip
    assert {path.relative_to(package).as_posix() for path in loaded - covered} == others
    assert all(path.is_file() for path in covered)


def test_the_scoring_code_is_a_digest_of_bytes_and_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay.scoring_code.cache_clear()
    before = replay.scoring_code()
    assert len(before) == 64
    for name in ("text.py", "bm25.py", "model/plan.py", "corpora/zips.py"):
        path = tmp_path / "pagecost" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((ROOT / "pagecost" / name).read_bytes())
    monkeypatch.setattr(replay, "__file__", str(tmp_path / "pagecost" / "replay.py"))
    digests = {before}
    for change in (b"", b"# changed\n"):
        with (tmp_path / "pagecost" / "bm25.py").open("ab") as file:
            file.write(change)
        replay.scoring_code.cache_clear()
        digests.add(replay.scoring_code())
    monkeypatch.setattr(replay, "installed", lambda _: "0.0")
    replay.scoring_code.cache_clear()
    digests.add(replay.scoring_code())
    assert len(digests) == 4
    monkeypatch.undo()
    replay.scoring_code.cache_clear()
    assert replay.scoring_code() == before
