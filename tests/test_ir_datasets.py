"""Invented collections in a cache of ir_datasets' own layout, read without a network."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import io
import json
import socket
import sys
import tarfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pagecost.corpora.ir_datasets import IrDatasetsSource
from pagecost.corpora.judged import build
from pagecost.errors import CorpusMissing, InputError, PagecostError
from pagecost.model import Corpus, Definitions, IrDatasetsCorpus
from pagecost.qrels import Judgments

DEFINITIONS = Definitions(
    target="first relevant document",
    ties="document order",
    pages="ceil(rank / page_size)",
    emitted="min(depth, pages * page_size)",
    searches="distinct index rankings behind each page, every page served statelessly",
)
DOCUMENTS = {"1": ("wings", "in air"), "2": ("heat", "over plates"), "10": ("a", "naïve stream")}
TEXTS = {one: f"{title} {text}" for one, (title, text) in DOCUMENTS.items()}
QUERIES = {"1": "how do wings lift ?", "2": "what heats a plate ?"}
QRELS = [("1", "1", 3), ("1", "10", -1), ("2", "2", 1)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The library's cache, empty, and the library as if it had not been imported before."""
    yield from _imported(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for _ in _imported(tmp_path_factory.mktemp("shared"), patch):
            yield


@pytest.fixture
def library(_shared: None) -> Iterator[Any]:
    """The library with an empty cache; what a test registers goes with it."""
    library = importlib.import_module("ir_datasets")
    # Imported once for many tests, since that takes longer than any of them.
    before = dict(library.registry._registered)
    yield library
    library.registry._registered = before


def _imported(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Path]:
    if importlib.util.find_spec("ir_datasets") is None:
        pytest.skip("ir_datasets is not installed")
    home = folder / "ir_datasets"
    patch.setenv("IR_DATASETS_HOME", str(home))
    patch.setenv("IR_DATASETS_TMP", str(folder / "temporary"))
    # It asks for its home once, when it is imported.
    for name in _modules():
        patch.delitem(sys.modules, name)
    yield home
    for name in _modules():
        del sys.modules[name]


@pytest.fixture(autouse=True)
def network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails the test that looks for a host or opens a connection, even if nobody notices."""
    tried: list[object] = []

    def refuse(*given: object, **_: object) -> None:
        tried.append(given)
        raise OSError("a test reached for the network")

    for owner, name in (
        (socket.socket, "connect"),
        (socket.socket, "connect_ex"),
        (socket, "getaddrinfo"),
    ):
        monkeypatch.setattr(owner, name, refuse)
    yield
    assert tried == []


def _modules() -> list[str]:
    return [name for name in sys.modules if name.split(".")[0] == "ir_datasets"]


def cranfield_files(
    qrels: Iterable[tuple[str, str, int]] = QRELS,
) -> dict[str, str]:
    """Contents by the names that the library's archive gives them."""
    docs = (
        f".I {one}\n.T\n{title}\n.A\n.B\n.W\n{text}\n" for one, (title, text) in DOCUMENTS.items()
    )
    return {
        "cran.all.1400": "".join(docs),
        "cran.qry": "".join(f".I 00{n}\n.W\n{text}\n" for n, text in enumerate(QUERIES.values())),
        "cranqrel": "".join(f"{query} {doc} {grade}\n" for query, doc, grade in qrels),
    }


CACHED = {"cran.all.1400": "docs.txt", "cran.qry": "queries.txt", "cranqrel": "qrels.txt"}


def put_cranfield(home: Path, files: Mapping[str, str] | None = None) -> None:
    folder = home / "cranfield"
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (files or cranfield_files()).items():
        (folder / CACHED[name]).write_text(content, encoding="utf-8")


def put_scifact(home: Path) -> None:
    lines = {
        "scifact/corpus.jsonl": [
            {"_id": one, "title": title, "text": text, "metadata": {}}
            for one, (title, text) in DOCUMENTS.items()
        ],
        "scifact/queries.jsonl": [
            {"_id": one, "text": text, "metadata": {}} for one, text in QUERIES.items()
        ],
    }
    table = [("query-id", "corpus-id", "score"), *QRELS]
    (home / "beir/scifact").mkdir(parents=True)
    with zipfile.ZipFile(home / "beir/scifact/source.zip", "w") as archive:
        for name, records in lines.items():
            archive.writestr(name, "".join(f"{json.dumps(record)}\n" for record in records))
        archive.writestr(
            "scifact/qrels/test.tsv", "".join(f"{q}\t{doc}\t{grade}\n" for q, doc, grade in table)
        )


def source(dataset: str = "cranfield", *, texts: bool = True, **fields: Any) -> IrDatasetsSource:
    return IrDatasetsSource(IrDatasetsCorpus(dataset=dataset, **fields), DEFINITIONS, texts=texts)


def built(
    documents: Mapping[str, str] | None,
    qrels: Iterable[tuple[str, str, int]] = QRELS,
    level: int = 1,
    **repairs: int,
) -> Corpus:
    """The corpus that those judgments give."""
    grades: dict[str, dict[str, int]] = {}
    for query, document, grade in qrels:
        grades.setdefault(query, {})[document] = grade
    return build(
        Judgments(grades, Counter(repairs)),
        DEFINITIONS,
        level,
        documents=None if documents is None else documents.items(),
        texts=None if documents is None else QUERIES,
        where="test",
    )


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


JUDGMENT_LINES = ["r\t1\t1\t3", "r\t1\t10\t-1", "r\t2\t2\t1"]


class Tiny(NamedTuple):
    """A record of a dataset of our own, with whatever field a part of it needs."""

    doc_id: Any = "1"
    query_id: Any = "1"
    relevance: Any = 1
    text: Any = "text"


class Bare(NamedTuple):
    """A record without any text."""

    doc_id: str = "1"


def register(name: str, **parts: Any) -> Any:
    """A dataset whose parts iterate over those records, or call that function; the library."""
    library = importlib.import_module("ir_datasets")
    bases = {
        "docs": library.formats.BaseDocs,
        "queries": library.formats.BaseQueries,
        "qrels": library.formats.BaseQrels,
    }

    def handler(part: str, given: Any) -> Any:
        records = given if callable(given) else lambda: iter(given)
        return type(part, (bases[part],), {f"{part}_iter": lambda self: records()})()

    handlers = [handler(part, given) for part, given in parts.items()]
    library.registry.register(name, library.Dataset(*handlers))
    return library


def whole(**parts: Any) -> Any:
    """`tiny`: one document, one query, one judgment, where nothing else is given."""
    return register("tiny", **{part: [Tiny()] for part in ("docs", "queries", "qrels")} | parts)


# What is read.


def test_a_collection_in_the_librarys_cache_is_that_of_its_judgments(home: Path) -> None:
    put_cranfield(home)
    assert source().load() == built(TEXTS, negative=1)


def test_its_texts_are_the_librarys_defaults(home: Path) -> None:
    put_cranfield(home)
    corpus = source().load()
    assert {one.id: one.text for one in corpus.documents} == TEXTS
    assert {one.id: one.text for one in corpus.queries} == QUERIES


def test_an_archive_in_the_cache_is_unpacked_by_the_library(home: Path) -> None:
    (home / "cranfield").mkdir(parents=True)
    with tarfile.open(home / "cranfield/cran.tar.gz", "w:gz") as archive:
        for name, content in cranfield_files().items():
            member = tarfile.TarInfo(name)
            member.size = len(content.encode())
            archive.addfile(member, io.BytesIO(content.encode()))
    assert source().load() == built(TEXTS, negative=1)


def test_a_part_of_beir_is_read_from_its_archive(home: Path) -> None:
    put_scifact(home)
    assert source("beir/scifact/test").load() == built(TEXTS, negative=1)


def test_the_plans_level_says_what_is_relevant(home: Path) -> None:
    put_cranfield(home)
    corpus = source(relevance_level=3).load()
    assert corpus == built(TEXTS, level=3, negative=1)
    assert [one.id for one in corpus.queries] == ["1"]


def test_a_judgment_that_stands_twice_is_counted(home: Path) -> None:
    put_cranfield(home, cranfield_files(qrels=[*QRELS, QRELS[1], QRELS[0], QRELS[0]]))
    assert source().load() == built(TEXTS, repeated=3, negative=1)


def test_a_judgment_of_an_unknown_document_is_counted(home: Path) -> None:
    qrels = [*QRELS, ("2", "nowhere", 2)]
    put_cranfield(home, cranfield_files(qrels=qrels))
    corpus = source().load()
    assert corpus == built(TEXTS, qrels, negative=1)
    assert corpus.counts.judgments is not None
    assert corpus.counts.judgments.missing_documents == 1


def test_a_record_without_a_default_text_gives_its_text(library: Any) -> None:
    whole(docs=[Tiny(text="plain")])
    assert source("tiny").load().documents[0].text == "plain"


def test_half_a_character_in_a_text_becomes_a_question_mark(library: Any) -> None:
    whole(docs=[Tiny(text="half \ud800")])
    assert source("tiny").load().documents[0].text == "half ?"


def test_a_grade_written_as_text_is_a_number(library: Any) -> None:
    whole(qrels=[Tiny(relevance="2")])
    assert source("tiny", relevance_level=2).load().queries[0].relevant == (0,)


def test_the_data_is_read_once(library: Any) -> None:
    reads: list[str] = []

    def once(part: str) -> Any:
        def records() -> Iterator[Tiny]:
            reads.append(part)
            yield Tiny()

        return records

    whole(**{part: once(part) for part in ("docs", "queries", "qrels")})
    one = source("tiny")
    assert one.fingerprint() == one.fingerprint()
    assert one.load() == one.load()
    assert sorted(reads) == ["docs", "qrels", "queries"]


# Runs alone.


def test_where_every_policy_is_a_run_only_judgments_are_needed(home: Path) -> None:
    put_cranfield(home, {"cranqrel": cranfield_files()["cranqrel"]})
    one = source(texts=False)
    assert one.load() == built(None, negative=1)
    assert one.fingerprint() == digest(JUDGMENT_LINES)


def test_where_every_policy_is_a_run_no_document_is_touched(library: Any) -> None:
    def touched() -> Iterator[Tiny]:
        raise AssertionError("read")

    whole(docs=touched, queries=touched)
    corpus = source("tiny", texts=False).load()
    assert not corpus.is_complete
    assert [one.id for one in corpus.documents] == ["1"]


def test_where_every_policy_is_a_run_a_dataset_needs_only_judgments(library: Any) -> None:
    register("tiny", qrels=[Tiny()])
    assert source("tiny", texts=False).load().counts.documents is None


# The fingerprint.


def test_the_fingerprint_covers_texts_and_judgments_in_order_of_ids(home: Path) -> None:
    put_cranfield(home)
    assert source().fingerprint() == digest(
        [f"d\t{one}\t{text_digest(TEXTS[one])}" for one in ("1", "10", "2")]
        + [f"q\t{one}\t{text_digest(QUERIES[one])}" for one in ("1", "2")]
        + JUDGMENT_LINES
    )


def test_the_order_in_which_the_library_gives_records_changes_nothing(library: Any) -> None:
    records = [Tiny(doc_id=f"{n}", query_id=f"{n}", text=f"t{n}") for n in range(12)]
    parts = ("docs", "queries", "qrels")
    register("up", **dict.fromkeys(parts, records))
    register("down", **dict.fromkeys(parts, records[::-1]))
    assert source("up").fingerprint() == source("down").fingerprint()
    assert source("up").load() == source("down").load()


@pytest.mark.parametrize(
    "changed",
    [
        {"docs": [Tiny(text="other")]},
        {"docs": [Tiny(), Tiny(doc_id="2")]},
        {"queries": [Tiny(text="other")]},
        {"queries": [Tiny(), Tiny(query_id="2")]},
        {"qrels": [Tiny(relevance=2)]},
        {"qrels": [Tiny(), Tiny()]},
    ],
    ids=["text", "document", "query text", "query", "grade", "repeat"],
)
def test_any_change_of_what_is_given_changes_the_fingerprint(
    changed: dict[str, list[Tiny]], library: Any
) -> None:
    whole()
    register("changed", **{part: [Tiny()] for part in ("docs", "queries", "qrels")} | changed)
    assert source("changed").fingerprint() != source("tiny").fingerprint()


def test_a_pinned_fingerprint_that_holds_loads(home: Path) -> None:
    put_cranfield(home)
    found = source().fingerprint()
    assert source(sha256=found).load() == source().load()


def test_another_fingerprint_than_the_pinned_one_is_refused_and_both_named(home: Path) -> None:
    put_cranfield(home)
    found, pinned = source().fingerprint(), "0" * 64
    assert source(sha256=pinned).fingerprint() == found
    with pytest.raises(InputError, match=f"cranfield.*{found}.*{pinned}") as raised:
        source(sha256=pinned).load()
    assert not isinstance(raised.value, CorpusMissing)


# What is not at hand.


@pytest.mark.parametrize(
    "dataset",
    [
        "cranfield",
        "vaswani",
        "beir/scifact/test",
        "trec-fair/2022/train",
        "disks45/nocr/trec-robust-2004",
        "argsme/2020-04-01/touche-2020-task-1",
    ],
)
@pytest.mark.parametrize("texts", [True, False])
def test_a_dataset_that_is_not_in_the_cache_is_missing_and_not_downloaded(
    dataset: str, texts: bool, library: Any
) -> None:
    one = source(dataset, texts=texts)
    first = "docs" if texts else "qrels"
    with pytest.raises(CorpusMissing, match=f"`ir_datasets export {dataset} {first} >"):
        one.fingerprint()
    with pytest.raises(CorpusMissing, match="not in the library's cache"):
        one.load()


@pytest.mark.parametrize("absent", sorted(CACHED))
def test_each_file_that_the_cache_lacks_makes_the_dataset_missing(absent: str, home: Path) -> None:
    files = cranfield_files()
    del files[absent]
    put_cranfield(home, files)
    with pytest.raises(CorpusMissing, match="likewise queries and qrels"):
        source().load()


@pytest.mark.parametrize("kind", ["LocalDownload", "ExpectedFile"])
def test_a_file_that_has_to_be_put_there_by_hand_is_missing_without_it(
    kind: str, library: Any, tmp_path: Path
) -> None:
    def docs() -> Iterator[Tiny]:
        kinds = {**vars(library.util), **vars(library.datasets.base)}
        with kinds[kind](tmp_path / "absent").stream():
            yield Tiny()

    whole(docs=docs)
    with pytest.raises(CorpusMissing, match="or says how to get it"):
        source("tiny").load()


@pytest.mark.parametrize("error", [PermissionError(13, "denied"), OSError("Invalid data stream")])
def test_a_file_that_can_not_be_read_is_not_a_missing_one(error: OSError, library: Any) -> None:
    def docs() -> Iterator[Tiny]:
        raise error

    whole(docs=docs)
    assert "tiny (ir_datasets): the library can't read it: " in refused("tiny")


def test_a_missing_dataset_leaves_no_file_in_the_cache(home: Path) -> None:
    with pytest.raises(CorpusMissing):
        source().load()
    assert [path for path in home.rglob("*") if path.is_file()] == []


def test_a_dataset_that_came_later_is_found(home: Path) -> None:
    one = source()
    with pytest.raises(CorpusMissing):
        one.load()
    put_cranfield(home)
    assert one.load() == built(TEXTS, negative=1)


def ways_out(library: Any) -> dict[str, Any]:
    """Each function by which the library reaches the network."""
    download = library.util.download
    return {
        "requests": library.lazy_libs.requests,
        "stream": download.RequestsDownload.stream,
        "drive": download.GoogleDriveDownload.stream,
        "bucket": download.GoogleCloudBucketStream.stream,
    }


def test_the_library_can_download_again_once_it_was_read(library: Any) -> None:
    before, local = ways_out(library), library.util.LocalDownload.stream
    during: list[dict[str, Any]] = []

    def docs() -> Iterator[Tiny]:
        during.append(ways_out(library))
        assert library.util.LocalDownload.stream == local
        yield Tiny()

    register("seen", docs=docs, queries=[Tiny()], qrels=[Tiny()])
    source("seen").load()
    with pytest.raises(CorpusMissing):
        source().load()
    assert ways_out(library) == before
    assert [name for name in before if during[0][name] == before[name]] == []


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("RequestsDownload", "https://example.org/x"),
        ("GoogleDriveDownload", "https://drive.google.com/x"),
        ("GoogleCloudBucketStream", "https://storage.googleapis.com/x"),
    ],
)
def test_a_download_whose_failure_the_library_passes_over_makes_the_dataset_missing(
    kind: str, address: str, library: Any
) -> None:
    def docs() -> Iterator[Tiny]:
        try:
            with getattr(library.util.download, kind)(address).stream() as stream:
                stream.read()
        except Exception:
            yield Tiny()

    whole(docs=docs)
    with pytest.raises(CorpusMissing, match="not in the library's cache"):
        source("tiny").load()


def test_a_way_to_download_that_a_dataset_brings_is_closed_too(library: Any) -> None:
    def docs() -> Iterator[Tiny]:
        with Own().stream():
            yield Tiny()

    whole(docs=docs)

    def download(_: object) -> Any:
        raise AssertionError("a download")

    Own = type("Own", (library.util.BaseDownload,), {"stream": download})  # noqa: N806
    with pytest.raises(CorpusMissing):
        source("tiny").load()


def test_without_the_library_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(CorpusMissing) as raised:
        source().fingerprint()
    assert str(raised.value) == (
        'ir_datasets is not installed: pip install "pagecost[ir-datasets]"'
    )


def test_what_the_library_itself_lacks_is_named(library: Any) -> None:
    def docs() -> Iterator[Tiny]:
        raise ImportError("This dataset requires beautifulsoup4")

    whole(docs=docs)
    with pytest.raises(CorpusMissing, match=r"tiny.*requires beautifulsoup4"):
        source("tiny").load()


def test_a_library_that_can_not_be_kept_from_downloading_is_refused(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole()
    monkeypatch.delattr(library.lazy_libs, "requests")
    with pytest.raises(InputError, match=r"ir_datasets 0\.\d.*pip install") as raised:
        source("tiny").load()
    assert not isinstance(raised.value, CorpusMissing)


# What is wrong.


def refused(dataset: str, *, texts: bool = True) -> str:
    """What an InputError says that is not about missing data."""
    with pytest.raises(PagecostError) as raised:
        source(dataset, texts=texts).load()
    assert type(raised.value) is InputError
    return str(raised.value)


def test_an_unknown_id_is_refused(library: Any) -> None:
    assert "cranfeld (ir_datasets): the library has no dataset of that id" in refused("cranfeld")


@pytest.mark.parametrize(
    ("parts", "lacking"),
    [
        (("queries", "qrels"), "no docs;"),
        (("docs", "qrels"), "no queries;"),
        (("docs", "queries"), "no qrels;"),
        (("docs",), "no queries, no qrels;"),
    ],
)
def test_a_dataset_that_lacks_a_part_is_refused_and_the_part_named(
    parts: tuple[str, ...], lacking: str, library: Any
) -> None:
    register("part", **{part: [Tiny()] for part in parts})
    assert f"part (ir_datasets): it has {lacking}" in refused("part")


def test_judgments_that_contradict_each_other_are_refused(home: Path) -> None:
    put_cranfield(home, cranfield_files(qrels=[*QRELS, ("1", "1", 2)]))
    assert "query '1', document '1': grade 3, but also 2" in refused("cranfield")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"docs": [Tiny(), Tiny()]}, "document id '1' stands twice"),
        ({"queries": [Tiny(), Tiny()]}, "query id '1' stands twice"),
        ({"queries": [Tiny(query_id="2")]}, "query '1' is judged, but has no text"),
        ({"qrels": []}, "no judgment"),
        ({"qrels": [Tiny(relevance=0)]}, "no query has the relevant documents"),
        ({"qrels": [Tiny(relevance=0.5)]}, "grade '0.5', expected a whole number"),
        ({"qrels": [Tiny(relevance=True)]}, "grade 'True', expected a whole number"),
        ({"docs": [Tiny(doc_id="a\tb")]}, "expected an id"),
        ({"qrels": [Tiny(doc_id="a\nb")]}, "expected an id"),
        ({"queries": [Tiny(query_id=" ")]}, "expected an id"),
        ({"docs": [Tiny(doc_id=7)]}, "id 7, expected text"),
        ({"docs": [Tiny(doc_id="\ud800")]}, "an id that is not UTF-8"),
        ({"docs": [Tiny(text=None)]}, "document '1': the library gives no text"),
        ({"docs": [Bare()]}, "document '1': the library gives no text"),
        ({"queries": [Tiny(text=b"x")]}, "query '1': the library gives no text"),
    ],
)
def test_data_that_no_corpus_can_hold_is_refused(
    parts: dict[str, Any], said: str, library: Any
) -> None:
    whole(**parts)
    message = refused("tiny")
    assert said in message
    assert message.startswith("tiny (ir_datasets): ")


def test_a_damaged_file_in_the_cache_is_refused_with_what_the_library_says(home: Path) -> None:
    put_cranfield(home, cranfield_files() | {"cranqrel": "1 2\n"})
    assert "RuntimeError: expected 3 columns, got 2" in refused("cranfield")


def test_a_damaged_archive_in_the_cache_is_not_a_missing_one(home: Path) -> None:
    (home / "cranfield").mkdir(parents=True)
    (home / "cranfield/cran.tar.gz").write_bytes(b"no archive")
    assert "the library can't read it" in refused("cranfield")


# What is heard of it.


def test_nothing_that_the_library_says_reaches_anybody(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    def docs() -> Iterator[Tiny]:
        print("printed")
        warnings.warn("warned", stacklevel=1)
        found.log.easy().warn("logged")
        yield from found.log.easy().pbar([Tiny()], desc="drawn")

    found = whole(docs=docs)
    put_scifact(home)
    source("tiny").load()
    source("beir/scifact/test").load()
    with pytest.raises(CorpusMissing):
        source().load()
    assert capfd.readouterr() == ("", "")
    print("heard")
    assert capfd.readouterr().out == "heard\n"
