"""Files that a plan pins: where they are looked for, and that their bytes are checked."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pagecost.errors import CorpusMissing, InputError
from pagecost.model import PinnedFile
from pagecost.pinned import Shelf, cached, digest, files_of, is_inside, opened
from tests.builders import Json, plan_of, sha256
from tests.collection_builders import (
    QRELS,
    RUN,
    beir_corpus,
    collection_plan,
    packed,
    pin,
    pinned_file,
    run_of,
    trec_corpus,
    write,
)

DATA = b"content\n"
FILE = PinnedFile(path="deep/x.run", sha256=sha256(DATA))


def in_cache(cache: Path, data: bytes, file: PinnedFile = FILE) -> Path:
    return write(cache, f"files/{file.sha256}", data)


# --- Where a file lies ----------------------------------------------------------------------------


def test_a_file_is_found_beside_the_plan_by_its_path(tmp_path: Path) -> None:
    path = write(tmp_path, "version/deep/x.run", DATA)
    shelf = Shelf(tmp_path / "version", tmp_path / "cache")
    assert shelf.find(FILE) == shelf.verified(FILE) == path


def test_a_file_is_found_in_the_cache_by_its_digest(tmp_path: Path) -> None:
    path = in_cache(tmp_path / "cache", DATA)
    shelf = Shelf(tmp_path / "version", tmp_path / "cache")
    assert shelf.find(FILE) == shelf.verified(FILE) == path == cached(tmp_path / "cache", FILE)


def test_the_file_beside_the_plan_goes_before_the_one_in_the_cache(tmp_path: Path) -> None:
    in_cache(tmp_path / "cache", DATA)
    path = write(tmp_path, "deep/x.run", DATA)
    assert Shelf(tmp_path, tmp_path / "cache").find(FILE) == path


def test_a_file_that_is_given_takes_the_place_of_the_one_beside_the_plan(tmp_path: Path) -> None:
    write(tmp_path, "deep/x.run", b"other")
    given = write(tmp_path, "elsewhere.gz", DATA)
    shelf = Shelf(tmp_path, tmp_path / "cache", {"deep/x.run": given})
    assert shelf.find(FILE) == shelf.verified(FILE) == given
    other = PinnedFile(path="x.run", sha256=FILE.sha256)
    with pytest.raises(CorpusMissing):
        shelf.find(other)


def test_a_file_that_is_given_but_is_not_there_leaves_the_cache(tmp_path: Path) -> None:
    write(tmp_path, "deep/x.run", DATA)
    shelf = Shelf(tmp_path, tmp_path / "cache", {"deep/x.run": tmp_path / "none"})
    with pytest.raises(CorpusMissing):
        shelf.find(FILE)
    path = in_cache(tmp_path / "cache", DATA)
    assert shelf.find(FILE) == path


def test_a_file_that_is_nowhere_is_named_by_the_plans_path(tmp_path: Path) -> None:
    (tmp_path / "deep" / "x.run").mkdir(parents=True)
    shelf = Shelf(tmp_path, tmp_path / "cache")
    expected = r"^deep/x\.run: not at hand, neither beside the plan nor in the cache$"
    for ask in (shelf.find, shelf.verified):
        with pytest.raises(CorpusMissing, match=expected):
            ask(FILE)


def test_wrong_bytes_are_refused_wherever_they_lie(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path, tmp_path / "cache")
    for folder, name in ((tmp_path / "cache" / "files", FILE.sha256), (tmp_path, FILE.path)):
        path = write(folder, name, b"other")
        assert shelf.find(FILE) == path
        with pytest.raises(InputError) as error:
            shelf.verified(FILE)
        assert not isinstance(error.value, CorpusMissing)
        expected = f"{path}: sha256 {sha256(b'other')}, the plan pins {FILE.sha256}"
        assert str(error.value) == expected


def test_the_digest_is_that_of_the_files_own_bytes_packed_or_not(tmp_path: Path) -> None:
    data = packed(DATA)
    assert digest(write(tmp_path, "x", data)) == sha256(data)
    assert digest(write(tmp_path, "empty", b"")) == sha256(b"")
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match="can't be read: "):
            digest(path)


# --- What a plan pins -----------------------------------------------------------------------------


def test_the_files_of_a_plan_are_its_collections_then_its_runs_each_once(tmp_path: Path) -> None:
    run = run_of(tmp_path, "b.run", RUN)
    again = {**run, "ties": "rank-column"}
    other = run_of(tmp_path, "a.run", RUN + "\n")
    topics = pin(tmp_path, "topics", "q1\n")
    policies: dict[str, Json] = {
        "run": run,
        "again": again,
        "mixed": {"kind": "interleave", "first": other, "second": "run"},
        "deferred": {"kind": "deferred", "first": "mixed", "second": "again", "after": 1},
    }
    trec = collection_plan(trec_corpus(tmp_path, QRELS), policies)
    assert [file.path for file in files_of(trec)] == ["qrels.txt", "b.run", "a.run"]
    trec = collection_plan(trec_corpus(tmp_path, QRELS, topics=topics), policies)
    assert [file.path for file in files_of(trec)] == ["qrels.txt", "topics", "b.run", "a.run"]
    beir = beir_corpus(tmp_path, {"a": "x"}, {"q": "x"}, "q\ta\t1\n")
    assert [file.path for file in files_of(collection_plan(beir, {"run": run}))] == [
        "corpus.jsonl",
        "queries.jsonl",
        "qrels/test.tsv",
        "b.run",
    ]
    assert files_of(trec)[0] == pinned_file(tmp_path, "qrels.txt")


def test_a_plan_over_source_archives_pins_no_file_of_this_kind(tmp_path: Path) -> None:
    made = plan_of({"kind": "distributions", "distributions": []}, "x", "1")
    made["corpus"]["distributions"] = [{"name": "knots", "version": "1"}]
    made["corpus"]["trivial_statements"] = 2
    policies = {policy["name"]: policy["ranking"] for policy in made["policies"]}
    assert files_of(collection_plan(made["corpus"], policies)) == []
    run = run_of(tmp_path, "x.run", RUN)
    (file,) = files_of(collection_plan(made["corpus"], policies | {"run": run}))
    assert file.path == "x.run"


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("x.run", True),
        ("runs/deep/x y.run.gz", True),
        ("./x.run", True),
        ("x..run", True),
        ("/x.run", False),
        ("//host/x.run", False),
        ("../x.run", False),
        ("runs/../../x.run", False),
        ("runs/..", False),
        ("runs\\x.run", False),
        ("C:x.run", False),
        ("x.run:stream", False),
        ("", False),
        (".", False),
    ],
)
def test_a_path_stays_below_its_folder_on_every_system(
    tmp_path: Path, path: str, inside: bool
) -> None:
    assert is_inside(path) == inside
    run = {"kind": "run", "file": {"path": path, "sha256": "0" * 64}}
    corpus = trec_corpus(tmp_path, QRELS)
    if inside:
        collection_plan(corpus, {"run": run})
    elif path:
        with pytest.raises(InputError, match="expected a path below the version's folder"):
            collection_plan(corpus, {"run": run})


@pytest.mark.parametrize("path", ["qrels.txt", "QRELS.TXT"])
def test_a_path_that_is_pinned_twice_is_refused(tmp_path: Path, path: str) -> None:
    run = {"kind": "run", "file": {"path": path, "sha256": "0" * 64}}
    with pytest.raises(InputError, match=r"a path stands 2 times \(ignoring case\): 'qrels.txt'"):
        collection_plan(trec_corpus(tmp_path, QRELS), {"run": run})


# --- Reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x", "x.gz"])
@pytest.mark.parametrize("data", [b"", b"a", b"\x1f", b"text\r\n\x00", b"\x1fx\x8b"])
def test_content_is_unpacked_where_it_is_gzip_and_never_by_its_name(
    tmp_path: Path, name: str, data: bytes
) -> None:
    for written in (data, gzip.compress(data), gzip.compress(data) + gzip.compress(b"")):
        with opened(write(tmp_path, name, written)) as file:
            assert file.read() == data


def test_content_is_unpacked_once(tmp_path: Path) -> None:
    with opened(write(tmp_path, "x", packed(packed(b"a")))) as file:
        assert file.read() == packed(b"a")


@pytest.mark.parametrize(
    "data",
    [
        b"\x1f\x8b",
        packed(DATA)[:-1],
        packed(DATA)[:-8],
        packed(DATA)[:12],
        packed(DATA)[:-8] + bytes(8),
        packed(DATA) + b"junk",
        packed(DATA)[:10] + b"\xff" * 20,
    ],
)
def test_gzip_that_is_cut_or_damaged_names_the_file(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, "x", data)
    with pytest.raises(InputError) as error, opened(path) as file:
        file.read()
    assert str(error.value).startswith(f"{path}: damaged gzip: ")


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError) as error, opened(path):
            pass
        assert str(error.value).startswith(f"{path}: can't be read: ")


def test_an_error_of_the_reader_stays_what_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "x", packed(DATA))
    with pytest.raises(InputError, match=r"^mine$"), opened(path):
        raise InputError("mine")
