"""`pagecost fetch KEY --from DIR` brings the files that a plan pins: whole and checked, or none."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest

from pagecost import sources
from pagecost.errors import CorpusMissing, InputError
from pagecost.model import PinnedFile
from tests.builders import TinyProject, archives_plan, make_project, projection_rows, sha256
from tests.collection_builders import (
    QRELS,
    RUN,
    collection_json,
    definitions_json,
    run_of,
    trec_corpus,
    write,
)

KEY = "tiny@1"
PATHS = {"judged/qrels.txt": QRELS.encode(), "runs/x.run": RUN.encode()}
BYTES = {sha256(data): data for data in PATHS.values()}


@pytest.fixture
def bare(tmp_path: Path) -> TinyProject:
    """A project whose one version pins judgments and a run, none of them at hand."""
    scratch = tmp_path / "scratch"
    corpus = trec_corpus(scratch, QRELS, "judged/qrels.txt")
    plan = collection_json(corpus, {"run": run_of(scratch, "runs/x.run", RUN)}, key=KEY)
    shutil.rmtree(scratch)
    return make_project(tmp_path / "p", versions={KEY: plan}, state="draft", with_git=False)


def folder_of(path: Path, **changes: bytes) -> Path:
    """A folder with both files below their paths."""
    for name, data in PATHS.items():
        write(path, name, changes.get(Path(name).stem, data))
    return path


def brought(made: TinyProject, folder: Path | None) -> list[sources.Brought]:
    out = io.StringIO()
    found = sources.bring(made.work(out), KEY, folder)
    assert out.getvalue() == ""
    return found


def refusal(made: TinyProject, folder: Path | None) -> str:
    with pytest.raises(InputError) as error:
        brought(made, folder)
    return str(error.value)


def in_cache(cache: Path) -> dict[str, bytes]:
    """Every file that was brought, by name."""
    folder = cache / "files"
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


# --- What is brought ------------------------------------------------------------------------------


def test_files_are_brought_from_their_paths_below_the_folder(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = folder_of(tmp_path / "mine")
    assert brought(bare, folder) == [
        sources.Brought(name, f"from {folder / name}", sha256(data)) for name, data in PATHS.items()
    ]
    assert in_cache(cache) == BYTES


def test_files_are_brought_by_their_names_alone(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = tmp_path / "mine"
    for name, data in PATHS.items():
        write(folder, Path(name).name, data)
    found = brought(bare, folder)
    assert [one.name for one in found] == list(PATHS)
    assert [one.how for one in found] == [f"from {folder / Path(name).name}" for name in PATHS]
    assert in_cache(cache) == BYTES


def test_the_whole_path_goes_before_the_name(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = folder_of(tmp_path / "mine")
    write(folder, "x.run", b"another run")
    brought(bare, folder)
    assert in_cache(cache) == BYTES


def test_what_is_at_hand_is_not_brought_again(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = folder_of(tmp_path / "mine")
    write(bare.folder(KEY), "runs/x.run", RUN)
    assert [one.name for one in brought(bare, folder)] == ["judged/qrels.txt"]
    assert list(in_cache(cache)) == [sha256(QRELS.encode())]
    shutil.rmtree(folder)
    assert brought(bare, folder) == brought(bare, None) == []


def test_nothing_is_asked_for_where_all_lies_beside_the_plan(
    bare: TinyProject, cache: Path
) -> None:
    folder_of(bare.folder(KEY))
    assert brought(bare, None) == []
    assert in_cache(cache) == {}


def test_what_was_brought_is_what_the_version_is_scored_from(
    bare: TinyProject, tmp_path: Path
) -> None:
    brought(bare, folder_of(tmp_path / "mine"))
    corpus = bare.work().source(bare.version(KEY)).load()
    (delivered,) = corpus.runs.values()
    assert delivered.documents("q1") == ("a", "b")


# --- What is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", ["qrels", "x"])
def test_wrong_bytes_are_refused_and_not_kept(
    bare: TinyProject, tmp_path: Path, cache: Path, stem: str
) -> None:
    other = b"other\n"
    folder = folder_of(tmp_path / "mine", **{stem: other})
    (name,) = (name for name in PATHS if Path(name).stem == stem)
    expected = f"{folder / name}: sha256 {sha256(other)}, the plan pins {sha256(PATHS[name])}"
    assert refusal(bare, folder) == expected
    assert in_cache(cache).keys().isdisjoint({sha256(other), sha256(PATHS[name])})


def test_what_was_brought_before_a_refusal_is_whole_and_need_not_come_again(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    refusal(bare, folder_of(tmp_path / "mine", x=b"other\n"))
    assert in_cache(cache) == {sha256(QRELS.encode()): QRELS.encode()}
    assert [one.name for one in brought(bare, folder_of(tmp_path / "mine"))] == ["runs/x.run"]


def test_wrong_bytes_beside_the_plan_are_refused_whatever_the_folder_holds(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    path = write(bare.folder(KEY), "judged/qrels.txt", "other\n")
    for folder in (folder_of(tmp_path / "mine"), None):
        assert refusal(bare, folder).startswith(f"{path}: sha256 ")
    assert in_cache(cache) == {}


def test_a_file_that_the_folder_lacks_is_named_with_what_was_tried(
    bare: TinyProject, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    write(folder, "qrels.txt", QRELS)
    (folder / "x.run").mkdir()
    with pytest.raises(CorpusMissing) as error:
        brought(bare, folder)
    tried = f"{folder / 'runs' / 'x.run'}, {folder / 'x.run'}"
    assert str(error.value) == f"runs/x.run: not at hand; tried {tried}"


def test_without_a_folder_the_message_says_how_to_name_one(bare: TinyProject) -> None:
    with pytest.raises(CorpusMissing) as error:
        brought(bare, None)
    assert str(error.value) == (
        "judged/qrels.txt: not at hand, neither beside the plan nor in the cache. "
        "Bring it with `pagecost fetch tiny@1 --from DIR`"
    )


def test_a_copy_that_breaks_off_leaves_nothing_half_written(
    bare: TinyProject, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", half)
    message = refusal(bare, folder_of(tmp_path / "mine"))
    path = cache / "files" / sha256(QRELS.encode())
    assert message == f"{path}: can't be written: No space left on device"
    assert in_cache(cache) == {}


def test_a_copy_that_is_interrupted_leaves_nothing_half_written(
    bare: TinyProject, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half(source: Path, target: Path) -> None:
        target.write_bytes(source.read_bytes()[:5])
        raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfile", half)
    with pytest.raises(KeyboardInterrupt):
        brought(bare, folder_of(tmp_path / "mine"))
    assert in_cache(cache) == {}


def test_what_is_kept_replaces_a_broken_copy(tmp_path: Path, cache: Path) -> None:
    file = PinnedFile(path="x.run", sha256=sha256(RUN.encode()))
    write(cache, f"files/{file.sha256}", "half")
    sources.keep(cache, file, write(tmp_path, "x.run", RUN))
    assert in_cache(cache) == {file.sha256: RUN.encode()}


# --- With archives, and from the command line -----------------------------------------------------


def test_runs_over_source_archives_are_brought_beside_the_archives(
    tmp_path: Path, cache: Path
) -> None:
    documents = [row.candidate_id for row in projection_rows()]
    text = "".join(f"q Q0 {one} {n} {-n} t\n" for n, one in enumerate(documents))
    plan = archives_plan()
    run = run_of(tmp_path / "mine", "x.run", text)
    plan["policies"].append({"name": "run", "ranking": run})
    plan["definitions"] = definitions_json()
    made = make_project(tmp_path / "p", versions={KEY: plan}, state="draft", with_git=False)
    with pytest.raises(CorpusMissing, match=r"^x\.run: not at hand"):
        sources.bring(made.work(), KEY, None)
    sources.keep(cache, PinnedFile(**run["file"]), tmp_path / "mine" / "x.run")
    assert sources.bring(made.work(), KEY, None) == []
    assert len(list((cache / "verified").iterdir())) == 1


def test_the_command_says_what_was_brought_and_what_is_missing(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    done = bare.run("fetch", KEY)
    assert (done.status, done.out) == (2, "")
    assert "Bring it with `pagecost fetch tiny@1 --from DIR`" in done.err
    folder = folder_of(tmp_path / "mine")
    done = bare.run("fetch", KEY, "--from", str(folder))
    assert done.status == 0
    for name, data in PATHS.items():
        assert f"{name}: from {folder / name}, sha256 {sha256(data)}\n" in done.err
    assert done.err.endswith("tiny@1: verified\n")
    assert in_cache(cache) == BYTES
    done = bare.run("fetch", KEY)
    assert (done.status, done.err) == (0, "tiny@1: in the cache already, and verified before\n")
