"""Archives come into the cache whole and checked, or not at all."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from pagecost import fetch, sources
from pagecost.corpora.zips import ARCHIVE_BYTES
from pagecost.errors import InputError
from pagecost.model import Archive
from tests.builders import (
    ALPHA,
    BETA,
    TREES,
    TinyProject,
    Tree,
    archives_corpus,
    archives_plan,
    cached,
    distributions_plan,
    make_project,
    sha256,
    zip_bytes,
    zip_of,
)

KEY = "tiny@1"
Answer = Callable[[BaseHTTPRequestHandler], None]


# --- Answers of a server --------------------------------------------------------------------------


def whole(data: bytes) -> Answer:
    """The data, its length announced."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def without_length(data: bytes) -> Answer:
    """The data, then the end of the connection, as GitHub's archive server answers."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def broken_off(data: bytes, *, announced: bool) -> Answer:
    """Half of the data."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data[: len(data) // 2])

    return answer


def status(code: int) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def nothing(_handler: BaseHTTPRequestHandler) -> None:
    """No answer at all: the connection ends."""


class Server:
    """A server on the loopback interface. `answers` are given in turn, the last one for ever."""

    def __init__(self) -> None:
        self.answers: dict[str, list[Answer]] = {}
        self.asked: list[str] = []
        self.agents: set[str | None] = set()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append(self.path)
                server.agents.add(self.headers["User-Agent"])
                answers = server.answers.get(self.path) or [status(404)]
                (answers.pop(0) if len(answers) > 1 else answers[0])(self)

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.005,))
        self._thread.start()

    def serve(self, tree: Tree, *answers: Answer) -> None:
        self.answers[path_of(tree)] = list(answers) or [without_length(zip_of(tree))]

    def close(self) -> None:
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()


def path_of(tree: Tree) -> str:
    return f"/{tree.repository}/zip/{tree.revision}"


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    for tree in TREES:
        made.serve(tree)
    yield made
    made.close()


@pytest.fixture
def bare(tmp_path: Path, cache: Path) -> TinyProject:
    """A project whose archives are not in the cache."""
    made = make_project(tmp_path / "project", state="draft", with_git=False)
    for tree in TREES:
        cached(cache, tree).unlink()
    return made


def fetched(
    made: TinyProject, base: str = "http://127.0.0.1:9", folder: Path | None = None
) -> tuple[list[sources.Brought], str]:
    """What was brought, and what was said."""
    out = io.StringIO()
    return sources.bring(made.work(out), KEY, folder, base), out.getvalue()


def refusal(made: TinyProject, base: str = "http://127.0.0.1:9", folder: Path | None = None) -> str:
    with pytest.raises(InputError) as error:
        fetched(made, base, folder)
    return str(error.value)


def in_cache(cache: Path) -> dict[str, bytes]:
    folder = cache / "archives"
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


def all_in_cache(trees: Sequence[Tree] = TREES) -> dict[str, bytes]:
    return {cached(Path(), tree).name: zip_of(tree) for tree in trees}


def archive(tree: Tree = ALPHA) -> Archive:
    at = TREES.index(tree)
    return msgspec.convert(archives_corpus()["archives"][at], Archive)


# --- Downloads ------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [whole, without_length])
def test_missing_archives_are_downloaded_with_or_without_a_length(
    bare: TinyProject, server: Server, cache: Path, answer: Callable[[bytes], Answer]
) -> None:
    for tree in TREES:
        server.serve(tree, answer(zip_of(tree)))
    found, said = fetched(bare, server.base)
    assert server.asked == [path_of(tree) for tree in TREES]
    assert server.agents == {"pagecost"}
    assert in_cache(cache) == all_in_cache()
    assert [one.how for one in found] == [
        f"downloaded from {server.base}{path_of(tree)}" for tree in TREES
    ]
    assert [one.name for one in found] == [tree.repository for tree in TREES]
    assert [one.sha256 for one in found] == [archive(tree).sha256 for tree in TREES]
    assert said == ""


def test_a_mirrors_address_may_end_in_a_slash(
    bare: TinyProject, server: Server, cache: Path
) -> None:
    fetched(bare, f"{server.base}/")
    assert server.asked == [path_of(tree) for tree in TREES]


def test_only_what_is_missing_is_downloaded(bare: TinyProject, server: Server, cache: Path) -> None:
    cached(cache, ALPHA).write_bytes(zip_of(ALPHA))
    found, _ = fetched(bare, server.base)
    assert [one.name for one in found] == ["example/beta"]
    assert server.asked == [path_of(BETA)]


@pytest.mark.parametrize("announced", [True, False])
def test_a_transfer_that_breaks_off_starts_again(
    bare: TinyProject, server: Server, cache: Path, announced: bool
) -> None:
    data = zip_of(ALPHA)
    server.serve(ALPHA, broken_off(data, announced=announced), nothing, without_length(data))
    fetched(bare, server.base)
    assert server.asked.count(path_of(ALPHA)) == 3
    assert in_cache(cache) == all_in_cache()


def test_a_server_that_is_busy_once_is_asked_again(
    bare: TinyProject, server: Server, cache: Path
) -> None:
    server.serve(ALPHA, status(503), without_length(zip_of(ALPHA)))
    fetched(bare, server.base)
    assert in_cache(cache) == all_in_cache()


@pytest.mark.parametrize(
    ("answer", "expected", "times"),
    [
        (status(404), "the server answered 404 Not Found", 1),
        (status(503), "the server answered 503 Service Unavailable", 3),
        (whole(b"<html>no ZIP</html>"), "not a whole ZIP file", 3),
        (without_length(b""), "not a whole ZIP file", 3),
        (broken_off(zip_of(ALPHA), announced=False), "not a whole ZIP file", 3),
        (broken_off(bytes(1000), announced=True), "500", 3),
        (nothing, "Remote end closed connection without response", 3),
    ],
)
def test_a_download_that_fails_every_time_leaves_nothing_behind(
    bare: TinyProject, server: Server, cache: Path, answer: Answer, expected: str, times: int
) -> None:
    server.serve(ALPHA, answer)
    message = refusal(bare, server.base)
    assert message.startswith(f"{server.base}{path_of(ALPHA)}: could not be downloaded: ")
    assert message.count(expected) == 1
    assert message.endswith("If you have the ZIPs already, name their folder with --from")
    assert server.asked == [path_of(ALPHA)] * times
    assert in_cache(cache) == {}


def test_what_was_downloaded_before_a_failure_is_kept(
    bare: TinyProject, server: Server, cache: Path
) -> None:
    server.serve(BETA, status(404), without_length(zip_of(BETA)))
    refusal(bare, server.base)
    assert in_cache(cache) == all_in_cache([ALPHA])
    fetched(bare, server.base)
    assert server.asked.count(path_of(ALPHA)) == 1
    assert in_cache(cache) == all_in_cache()


@pytest.mark.parametrize("answer", [whole, without_length])
def test_a_download_larger_than_the_bound_is_stopped_and_not_tried_again(
    bare: TinyProject, server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[bytes], Answer],
) -> None:  # fmt: skip
    monkeypatch.setattr(fetch, "ARCHIVE_BYTES", len(zip_of(ALPHA)) - 1)
    server.serve(ALPHA, answer(zip_of(ALPHA)))
    assert f"larger than {len(zip_of(ALPHA)) - 1:,} bytes" in refusal(bare, server.base)
    assert server.asked == [path_of(ALPHA)]
    assert in_cache(cache) == {}


def test_a_download_as_large_as_the_bound_is_taken(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "ARCHIVE_BYTES", len(zip_of(ALPHA)))
    seen: list[tuple[int, int | None]] = []
    server.serve(ALPHA, whole(zip_of(ALPHA)))
    found = fetch.download(archive(), cache, server.base, lambda *one: seen.append(one))
    assert found.waiting.read_bytes() == zip_of(ALPHA)
    assert seen[-1] == (len(zip_of(ALPHA)),) * 2


def test_progress_has_no_total_where_the_server_names_none(server: Server, cache: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    fetch.download(archive(), cache, server.base, lambda *one: seen.append(one))
    assert seen[-1] == (len(zip_of(ALPHA)), None)


@pytest.mark.parametrize(
    "base", ["nonsense", "http://[::1", "http://127.0.0.1:port", "", "http://"]
)
def test_an_address_that_is_none_is_refused(bare: TinyProject, cache: Path, base: str) -> None:
    assert "could not be downloaded" in refusal(bare, base)
    assert in_cache(cache) == {}


def test_a_server_that_is_not_there_is_refused_once_said(bare: TinyProject, server: Server) -> None:
    server.close()
    message = refusal(bare, server.base)
    assert message.count("Connection refused") == 1


# --- What was brought is checked ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("LICENSE", b"Other terms.\n", "LICENSE: sha256 "),
        ("vault/vault.go", b"package other\n", "lies outside its file of 14 bytes"),
        (
            "vault/vault.go",
            ALPHA.files()["vault/vault.go"].replace(b"Replaces", b"replaced"),
            "plan.json: $.corpus.pins.query_hash: found ",
        ),
    ],
)
def test_archives_whose_content_is_not_the_pinned_one_are_dropped(
    bare: TinyProject, server: Server, cache: Path, name: str, data: bytes, expected: str
) -> None:
    files = ALPHA.files() | {name: data}
    other = zip_bytes({f"{ALPHA.root}/{path}": one for path, one in files.items()})
    server.serve(ALPHA, whole(other))
    assert expected in refusal(bare, server.base)
    assert in_cache(cache) == {}
    server.serve(ALPHA, whole(zip_of(ALPHA)))
    fetched(bare, server.base)
    assert in_cache(cache) == all_in_cache()


def test_another_packing_of_the_same_content_is_taken_with_a_note(
    bare: TinyProject, server: Server
) -> None:
    files = ALPHA.files() | {"more.txt": b"more"}
    other = zip_bytes({f"{ALPHA.root}/{name}": data for name, data in files.items()})
    server.serve(ALPHA, whole(other))
    found, said = fetched(bare, server.base)
    assert [one.name for one in found] == [tree.repository for tree in TREES]
    assert found[1].sha256 == archive(BETA).sha256
    assert found[0].sha256 == sha256(other)
    assert said.startswith("note: example/alpha: the archive is not GitHub's own (")


def test_what_was_verified_is_remembered_and_needs_no_network(
    bare: TinyProject, server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched(bare, server.base)
    server.close()
    monkeypatch.setattr("pagecost.corpora.archives.ArchivesSource.load", None)
    assert fetched(bare, server.base) == ([], "")


def test_what_is_in_the_cache_but_was_never_verified_is_verified(
    bare: TinyProject, cache: Path
) -> None:
    for tree in TREES:
        cached(cache, tree).write_bytes(zip_of(tree))
    found, _ = fetched(bare)
    assert found == []
    assert len(list((cache / "verified").iterdir())) == 1


def test_another_corpus_over_the_same_archives_is_verified_anew(
    bare: TinyProject, server: Server, cache: Path
) -> None:
    fetched(bare, server.base)
    bare.write_plan(KEY, archives_plan(pinned=False))
    fetched(bare, server.base)
    assert len(list((cache / "verified").iterdir())) == 2


def damaged(path: Path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "cut":
        del data[-30:]
    elif how == "replaced":
        data[:] = zip_of(BETA)
    elif how == "a bit flipped":
        # In the deflated bytes of a file that a row points into: the ZIP opens as before.
        data[data.index(b"vault/vault.go") + 60] ^= 1
    path.write_bytes(data)
    if how == "grown":
        with path.open("ab") as file:
            file.truncate(ARCHIVE_BYTES + 1)


@pytest.mark.parametrize("how", ["cut", "replaced", "a bit flipped", "grown"])
def test_a_cached_archive_that_went_bad_is_dropped_and_brought_anew(
    bare: TinyProject, server: Server, cache: Path, how: str
) -> None:
    fetched(bare, server.base)
    damaged(cached(cache, ALPHA), how)
    message = refusal(bare, server.base)
    assert "The cached archive of example/alpha is broken and was removed; fetch again" in message
    assert in_cache(cache) == all_in_cache([BETA])
    fetched(bare, server.base)
    assert in_cache(cache) == all_in_cache()


def test_a_cached_archive_of_other_content_is_said_where_to_remove(
    bare: TinyProject, cache: Path
) -> None:
    files = ALPHA.files() | {"vault/vault.go": b"package other\n"}
    other = zip_bytes({f"{ALPHA.root}/{path}": one for path, one in files.items()})
    cached(cache, ALPHA).write_bytes(other)
    cached(cache, BETA).write_bytes(zip_of(BETA))
    message = refusal(bare)
    assert "lies outside its file of 14 bytes\n" in message
    assert f"Where an archive in {cache / 'archives'} is what is wrong, remove it" in message


def test_a_corpus_that_is_installed_is_not_fetched(tmp_path: Path, tiny_distribution: Path) -> None:
    plans = {KEY: distributions_plan("tiny", "1")}
    made = make_project(tmp_path / "p", versions=plans, state="draft", with_git=False)
    message = refusal(made)
    assert message == 'tiny@1: its corpus is installed, not fetched: pip install "knots==1.0"'


# --- From a folder --------------------------------------------------------------------------------


def folder_of(path: Path, **members: bytes) -> Path:
    path.mkdir()
    for name, data in members.items():
        (path / name.replace("__", ".")).write_bytes(data)
    return path


def test_zips_in_a_folder_are_found_by_their_root_whatever_their_name(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = folder_of(
        tmp_path / "zips", download__ZIP=zip_of(BETA), copy__of__it__zip=zip_of(ALPHA)
    )
    found, _ = fetched(bare, folder=folder)
    assert in_cache(cache) == all_in_cache()
    assert [one.how for one in found] == [
        f"from {folder / 'copy.of.it.zip'}",
        f"from {folder / 'download.ZIP'}",
    ]


def test_zips_of_somebody_else_do_no_harm(bare: TinyProject, tmp_path: Path, cache: Path) -> None:
    fetched(bare, folder=folder_of(
        tmp_path / "zips",
        a__zip=zip_of(ALPHA), b__zip=zip_of(BETA), c__zip=b"no ZIP", d__txt=b"text",
        e__zip=zip_bytes({"x": b"", "y": b""}), f__zip=zip_bytes({"other/y": b""}),
    ))  # fmt: skip
    assert in_cache(cache) == all_in_cache()


def test_zips_that_are_missing_are_named_with_those_that_cannot_be_read(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    folder = folder_of(tmp_path / "zips", a__zip=zip_of(ALPHA), b__zip=zip_of(BETA)[:-9])
    message = refusal(bare, folder=folder)
    assert f"{folder}: no ZIP with the root folder {BETA.root}; found: {ALPHA.root}\n" in message
    assert f"{folder / 'b.zip'}: not a whole ZIP file" in message
    assert in_cache(cache) == {}


def test_a_folder_without_a_zip_or_none_at_all_is_refused(
    bare: TinyProject, tmp_path: Path
) -> None:
    message = refusal(bare, folder=folder_of(tmp_path / "zips"))
    assert f"no ZIP with the root folder {ALPHA.root}, {BETA.root}; found: none" in message
    assert refusal(bare, folder=tmp_path / "none") == f"{tmp_path / 'none'}: no folder"


def test_zips_from_a_folder_replace_what_the_cache_has(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    cached(cache, ALPHA).write_bytes(b"old")
    folder = folder_of(tmp_path / "zips", a__zip=zip_of(ALPHA), b__zip=zip_of(BETA))
    fetched(bare, folder=folder)
    assert in_cache(cache) == all_in_cache()


def test_the_caches_own_folder_may_be_named(bare: TinyProject, cache: Path) -> None:
    for tree in TREES:
        cached(cache, tree).write_bytes(zip_of(tree))
    fetched(bare, folder=cache / "archives")
    assert in_cache(cache) == all_in_cache()


def test_forks_at_one_revision_share_a_zip(tmp_path: Path, cache: Path) -> None:
    # Two repositories of one name: the root folder does not tell them apart, the content does.
    archives = [
        msgspec.structs.replace(archive(), repository=name)
        for name in ("example/alpha", "fork/alpha")
    ]
    folder = folder_of(tmp_path / "zips", a__zip=zip_of(ALPHA))
    for one in fetch.from_folder(archives, folder, cache):
        one.keep(cache)
    assert not fetch.missing(archives, cache)


def test_a_zip_from_a_folder_that_is_wrong_leaves_what_the_cache_has(
    bare: TinyProject, tmp_path: Path, cache: Path
) -> None:
    for tree in TREES:
        cached(cache, tree).write_bytes(zip_of(tree))
    files = ALPHA.files() | {"vault/vault.go": b"package other\n"}
    other = zip_bytes({f"{ALPHA.root}/{path}": one for path, one in files.items()})
    folder = folder_of(tmp_path / "zips", a__zip=other, b__zip=zip_of(BETA))
    assert "lies outside its file" in refusal(bare, folder=folder)
    assert in_cache(cache) == all_in_cache()


def test_what_is_missing_and_what_is_broken(cache: Path) -> None:
    both = [archive(ALPHA), archive(BETA)]
    assert fetch.missing(both, cache) == both
    path = cached(cache, ALPHA)
    path.parent.mkdir(parents=True)
    path.write_bytes(zip_of(ALPHA))
    assert fetch.missing(both, cache) == [both[1]]
    assert fetch.forget_broken(both[:1], cache) == []
    path.write_bytes(b"garbage")
    assert fetch.forget_broken(both[:1], cache) == both[:1]
    assert fetch.missing(both, cache) == both
