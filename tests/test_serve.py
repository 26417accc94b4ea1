"""`pagecost serve` without a browser: what it answers to whom, what it watches, how it ends."""

from __future__ import annotations

import http.client
import itertools
import re
import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from pagecost import serve
from pagecost.cli import main
from pagecost.errors import InputError
from tests.builders import CONFIG, Serving, TinyProject, archives_plan, make_project, serving
from tests.site_builders import tree

LONG = 60.0  # seconds after which a test gives up on an event


@dataclass(frozen=True)
class Answer:
    """What a server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


def ask(
    address: str, target: str | None = None, *, method: str = "GET", host: str | None = "same"
) -> Answer:
    """Asks for exactly that target, with that Host header, or with none at all."""
    parts = urlsplit(address)
    assert parts.hostname == "127.0.0.1"
    connection = http.client.HTTPConnection(parts.netloc, timeout=LONG)
    connection.putrequest(method, target or parts.path, skip_host=True)
    if host is not None:
        connection.putheader("Host", parts.netloc if host == "same" else host)
    connection.endheaders()
    got = connection.getresponse()
    answer = Answer(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
    connection.close()
    return answer


@contextmanager
def connected(address: str, target: str, *, method: str = "GET") -> Iterator[socket.socket]:
    """A connection on which that was asked, and nothing is read yet."""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port or 0), LONG) as made:
        made.sendall(f"{method} {target} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode("ascii"))
        yield made


def token_of(answer: Answer) -> str:
    """The token of the build that a page is of."""
    found = re.search(r"/_pagecost/reload\.js\?token=([0-9a-f]*)", answer.text)
    assert found is not None, answer.text
    return found[1]


# --- The base path --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("site_url", "base"),
    [
        (None, "/"),
        ("https://example.invalid/", "/"),
        ("https://example.invalid", "/"),
        ("https://example.invalid/repo/", "/repo/"),
        ("https://example.invalid/a/b/?query#fragment", "/a/b/"),
        ("https://example.invalid/für/", "/f%C3%BCr/"),
        ("https://example.invalid/a%20b/", "/a%20b/"),
    ],
)
def test_the_base_path_is_that_of_the_sites_address(site_url: str | None, base: str) -> None:
    assert serve.base_path(site_url) == base


# --- A build, and the next ------------------------------------------------------------------------


def failing(error: Exception) -> serve.Build:
    def build() -> Mapping[str, bytes]:
        raise error

    return build


def test_every_build_has_a_token_of_its_own() -> None:
    preview = serve.Preview(lambda: {"index.html": b""})
    tokens = {preview.made.token}
    for _ in range(3):
        preview.rebuild()
        tokens.add(preview.made.token)
    assert len(tokens) == 4
    assert preview.made.contents == {"index.html": b""}


def test_what_is_wrong_is_kept_until_it_is_put_right() -> None:
    problems: list[Exception] = [InputError("plan.json: wrong")]

    def build() -> Mapping[str, bytes]:
        if problems:
            raise problems[0]
        return {"index.html": b"right"}

    preview = serve.Preview(build)
    preview.rebuild()
    assert (preview.made.contents, preview.made.error) == ({}, "plan.json: wrong")
    problems.clear()
    preview.rebuild()
    assert (preview.made.contents, preview.made.error) == ({"index.html": b"right"}, None)


def test_a_fault_of_ours_is_shown_and_does_not_end_the_preview(
    capsys: pytest.CaptureFixture[str],
) -> None:
    preview = serve.Preview(failing(RuntimeError("a fault")))
    preview.rebuild()
    assert preview.made.error == "RuntimeError: a fault"
    assert "Traceback" in capsys.readouterr().err


def test_waiting_ends_when_the_build_is_another() -> None:
    preview = serve.Preview(lambda: {})
    preview.rebuild()
    token = preview.made.token
    assert preview.wait("an older one", LONG)
    assert not preview.wait(token, 0)
    ended: list[bool] = []
    waiting = threading.Thread(target=lambda: ended.append(preview.wait(token, LONG)))
    waiting.start()
    preview.rebuild()
    waiting.join(LONG)
    assert ended == [True]


# --- Watching -------------------------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at the sources as often as it can."""
    monkeypatch.setattr(serve, "_POLL", 0.001)


Change = Callable[[Path], object]
CHANGES: dict[str, Change] = {
    "a file changes": lambda top: (top / "a.md").write_text("other"),
    "a file changes as editors save it": lambda top: _replace(top / "a.md"),
    "a file appears": lambda top: (top / "below" / "new.md").write_text(""),
    "a file goes": lambda top: (top / "a.md").unlink(),
    "a file is renamed": lambda top: (top / "a.md").rename(top / "b.md"),
    "a folder goes": lambda top: shutil.rmtree(top / "below"),
    "the configuration changes": lambda top: (top.parent / "mkdocs.yml").write_text("other"),
    "a watched folder appears": lambda top: _write(top.parent / "templates" / "base.html"),
    "everything goes": shutil.rmtree,
}


def _replace(path: Path) -> None:
    _write(path.with_suffix(".tmp"))
    path.with_suffix(".tmp").replace(path)


def _write(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("replaced")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_a_watcher_notices_when(tmp_path: Path, change: Change) -> None:
    top = tmp_path / "docs"
    _write(tmp_path / "mkdocs.yml")
    _write(top / "a.md")
    _write(top / "below" / "c.md")
    noticed = threading.Event()
    paths = [tmp_path / "mkdocs.yml", top, tmp_path / "templates"]
    with serve.Watcher(lambda: paths, noticed.set):
        change(top)
        assert noticed.wait(LONG)


@pytest.mark.usefixtures("quick")
def test_a_watcher_notices_what_changed_before_it_was_started(tmp_path: Path) -> None:
    noticed = threading.Event()
    watcher = serve.Watcher(lambda: [tmp_path], noticed.set)
    _write(tmp_path / "a.md")
    with watcher:
        assert noticed.wait(LONG)


@pytest.mark.usefixtures("quick")
def test_a_watcher_goes_on_after_each_change(tmp_path: Path) -> None:
    noticed = threading.Event()
    with serve.Watcher(lambda: [tmp_path], noticed.set):
        for name in ("a", "b", "c"):
            noticed.clear()
            _write(tmp_path / name)
            assert noticed.wait(LONG)


@pytest.mark.usefixtures("quick")
def test_a_watcher_says_once_what_changed_once_and_nothing_unasked(tmp_path: Path) -> None:
    looks, enough = itertools.count(), threading.Event()
    calls: list[str] = []

    def paths() -> list[Path]:
        look = next(looks)
        if look == 20:
            _write(tmp_path / "a.md")
        elif look == 40:
            enough.set()
        return [tmp_path]

    with serve.Watcher(paths, lambda: calls.append("changed")):
        assert enough.wait(LONG)
    assert calls == ["changed"]


def test_a_folder_that_vanishes_while_it_is_looked_at_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "below" / "a.md")
    _write(tmp_path / "b.md")
    watcher = serve.Watcher(lambda: [tmp_path], lambda: None)
    real = Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> object:
        shutil.rmtree(tmp_path / "below", ignore_errors=True)
        return real(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)
    assert {Path(name).name for name, _, _ in watcher._look()} >= {"b.md"}


# --- What it answers ------------------------------------------------------------------------------

PAGE = b"<!doctype html><html><head><title>x</title></head><body></head></body></html>"
CONTENTS = {
    "index.html": PAGE,
    "tiny/1/index.html": PAGE,
    "tiny/1/results.json": b"{}\n",
    "tiny/1/ranks.csv": b"a,b\n",
    "tiny/1/summary.md": b"# x\n",
    "tiny/1/figures.js": b"</head>\n",
    "tiny/1/plot.png": b"\x89PNG",
    "assets/site.0123456789.css": b"body{}\n",
    "a b/\u00fc.svg": b"<svg/>",
    "fragment.html": b"<p>no head",
}


@contextmanager
def served(preview: serve.Preview, base: str) -> Iterator[str]:
    """The preview on loopback, in this process; its address."""
    made = serve.server(preview, base, 0)
    thread = threading.Thread(target=made.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{made.server_port}{base}"
    finally:
        made.shutdown()
        made.server_close()
        thread.join()


@pytest.fixture
def preview() -> serve.Preview:
    made = serve.Preview(lambda: CONTENTS)
    made.rebuild()
    return made


@pytest.fixture(params=["/", "/repo/", "/f%C3%BCr/alle/"])
def address(preview: serve.Preview, request: pytest.FixtureRequest) -> Iterator[str]:
    """Where it is, at the root and under two paths."""
    with served(preview, request.param) as made:
        yield made


@pytest.fixture
def rooted(preview: serve.Preview) -> Iterator[str]:
    """Where it is, under a path."""
    with served(preview, "/repo/") as made:
        yield made


def base(address: str) -> str:
    return urlsplit(address).path


def test_a_page_is_answered_with_the_script_that_waits(
    preview: serve.Preview, address: str
) -> None:
    script = (
        f'<script src="{base(address)}_pagecost/reload.js?token={preview.made.token}" defer>'
        "</script></head>"
    )
    for target in ("", "index.html", "tiny/1/", "tiny/1/index.html", "?query=1"):
        answer = ask(address, base(address) + target)
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.body == PAGE.replace(b"</head>", script.encode(), 1)


def test_a_folder_leads_to_its_index(address: str) -> None:
    answer = ask(address, f"{base(address)}tiny/1")
    assert (answer.status, answer.headers["location"]) == (302, f"{base(address)}tiny/1/")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("tiny/1/results.json", "application/json"),
        ("tiny/1/ranks.csv", "text/csv"),
        ("tiny/1/summary.md", "text/plain"),
        ("tiny/1/figures.js", "text/javascript"),
        ("tiny/1/plot.png", "image/png"),
        ("assets/site.0123456789.css", "text/css"),
        ("a b/\u00fc.svg", "image/svg+xml"),
    ],
)
def test_a_file_is_answered_as_it_is_and_with_its_type(rooted: str, path: str, kind: str) -> None:
    target = "/repo/" + path.replace(" ", "%20").replace("\u00fc", "%C3%BC")
    answer = ask(rooted, target)
    assert (answer.status, answer.body) == (200, CONTENTS[path])
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.headers["content-length"] == str(len(CONTENTS[path]))


def test_nothing_that_is_answered_is_kept_by_a_browser(rooted: str) -> None:
    for target in ("/repo/", "/repo/tiny/1/ranks.csv", "/repo/none", "/elsewhere"):
        assert ask(rooted, target).headers["cache-control"] == "no-store"


def test_no_page_elsewhere_may_include_what_is_answered(rooted: str) -> None:
    for target in ("/repo/", "/repo/tiny/1/figures.js", "/repo/_pagecost/reload.js"):
        assert ask(rooted, target).headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "target",
    [
        "none",
        "none/",
        "tiny/",
        "tiny/1/none.csv",
        "../pyproject.toml",
        "../../../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "tiny//1/",
        "%00",
        "%ff",
        "_pagecost/",
        "_pagecost/none.js",
    ],
)
def test_what_is_not_in_the_site_is_not_found(rooted: str, target: str) -> None:
    answer = ask(rooted, f"/repo/{target}")
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "no such file" in answer.text.lower()


@pytest.mark.parametrize("target", ["/", "/repo", "/repository/", "/favicon.ico", "/x?y"])
def test_what_is_outside_the_base_path_leads_to_it(rooted: str, target: str) -> None:
    answer = ask(rooted, target)
    assert (answer.status, answer.headers["location"]) == (302, "/repo/")


@pytest.mark.parametrize(
    "target", ["//evil.example/tiny/1", "/\\evil.example/", "//[", "*", "http://evil.example"]
)
def test_no_target_leads_to_another_host(preview: serve.Preview, target: str) -> None:
    with served(preview, "/") as address:
        answer = ask(address, target)
    location = answer.headers.get("location", "/")
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
    assert answer.status in (200, 302, 400, 404)


def test_a_target_that_is_no_address_is_refused(rooted: str) -> None:
    answer = ask(rooted, "http://[/")
    assert (answer.status, answer.text) == (400, "Not an address.\n")


@pytest.mark.parametrize("target", ["", "tiny/1", "none", "tiny/1/ranks.csv"])
def test_a_head_is_answered_like_a_get_without_the_body(rooted: str, target: str) -> None:
    get, head = (ask(rooted, f"/repo/{target}", method=one) for one in ("GET", "HEAD"))
    assert head.status == get.status
    without = ("date",)
    assert {k: v for k, v in head.headers.items() if k not in without} == {
        k: v for k, v in get.headers.items() if k not in without
    }


def test_a_head_ends_with_its_headers(rooted: str) -> None:
    with connected(rooted, "/repo/", method="HEAD") as page:
        said = page.makefile("rb").read()
    assert said.startswith(b"HTTP/1.0 200 ")
    assert said.endswith(b"\r\n\r\n")
    assert said.count(b"\r\n\r\n") == 1


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_but_asking_is_possible(rooted: str, method: str) -> None:
    assert ask(rooted, method=method).status == 501


# --- Who may ask ----------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8000", "localhost", "LocalHost:1"])
def test_it_answers_under_the_names_of_this_machine(rooted: str, host: str) -> None:
    assert ask(rooted, host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example:8000",
        "evil.example:127.0.0.1",
        "127.0.0.1:80:80",
        "127.0.0.1@evil.example",
        "0.0.0.0",
        "",
        None,
    ],
)
@pytest.mark.parametrize("target", ["/repo/", "/repo/_pagecost/wait.js?token=old", "/"])
def test_it_answers_nobody_who_came_by_another_name(
    rooted: str, host: str | None, target: str
) -> None:
    answer = ask(rooted, target, host=host)
    assert (answer.status, answer.text) == (403, "Only as 127.0.0.1 or localhost.\n")


def test_it_listens_on_loopback_alone(preview: serve.Preview) -> None:
    made = serve.server(preview, "/", 0)
    made.server_close()
    assert made.server_address[0] == "127.0.0.1"


# --- Waiting for the next build -------------------------------------------------------------------


def test_who_waits_is_told_when_there_is_another_build(preview: serve.Preview, rooted: str) -> None:
    target = f"/repo/_pagecost/wait.js?token={preview.made.token}"
    answers: list[Answer] = []
    asking = [
        threading.Thread(target=lambda: answers.append(ask(rooted, target))) for _ in range(3)
    ]
    for one in asking:
        one.start()
    preview.rebuild()
    for one in asking:
        one.join(LONG)
    assert [one.text for one in answers] == ["location.reload();\n"] * 3
    assert answers[0].headers["content-type"] == "text/javascript; charset=utf-8"


def test_who_waits_in_vain_is_told_to_ask_again(
    preview: serve.Preview, rooted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_PATIENCE", 0)
    answer = ask(rooted, f"/repo/_pagecost/wait.js?token={preview.made.token}")
    assert answer.text == "window.pagecostWait();\n"


def test_a_server_ends_though_a_page_still_waits(
    preview: serve.Preview, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_PATIENCE", 10 * LONG)
    made = serve.server(preview, "/", 0)
    address = f"http://127.0.0.1:{made.server_port}/"
    running = threading.Thread(target=made.serve_forever, args=(0.01,))
    running.start()
    with connected(address, f"/_pagecost/wait.js?token={preview.made.token}"):
        assert ask(address).status == 200  # so the other question has been taken up
        made.shutdown()
        closing = threading.Thread(target=made.server_close)
        closing.start()
        closing.join(LONG)
        ended = not closing.is_alive()
        preview.rebuild()
        closing.join()
        running.join()
    assert ended


def test_the_script_waits_with_the_token_of_its_page(rooted: str) -> None:
    text = ask(rooted, "/repo/_pagecost/reload.js?token=0123abcd").text
    assert '"/repo/_pagecost/wait.js?token=0123abcd"' in text


def test_a_token_that_is_none_stays_inside_its_string(rooted: str) -> None:
    text = ask(rooted, "/repo/_pagecost/reload.js?token=%22;alert(1)//%0a").text
    (line,) = (line for line in text.splitlines() if "wait.js" in line)
    assert re.fullmatch(r' *script\.src = "/repo/_pagecost/wait\.js\?token=[^"\\]*";', line)
    assert "alert(1)" not in text


def test_an_error_is_a_page_that_shows_it_as_text_and_waits() -> None:
    broken = serve.Preview(failing(InputError("plan.json: <script>alert(1)</script> & more")))
    broken.rebuild()
    with served(broken, "/repo/") as address:
        answer = ask(address, "/repo/tiny/1/")
        assert ask(address, "/").status == 302
        assert "wait.js" in ask(address, "/repo/_pagecost/reload.js").text
    assert answer.status == 500
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "plan.json: &lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in answer.text
    assert token_of(answer) == broken.made.token


# --- The command ----------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> TinyProject:
    """`tiny@1`, frozen; its site is to be below /repo/."""
    config = CONFIG + "site_url: https://example.invalid/repo/\n"
    return make_project(tmp_path / "project", state="frozen", config=config)


def wait_for_next(running: Serving, token: str) -> Answer:
    """The front page, once it is of another build than that one."""
    for _ in range(3):
        target = f"{base(running.address)}_pagecost/wait.js?token={token}"
        if ask(running.address, target).text == "location.reload();\n":
            return ask(running.address)
    pytest.fail(f"never built anew: {running.err}")


def test_the_command_serves_builds_anew_and_ends_with_control_c(project: TinyProject) -> None:
    before = project.state()
    with serving(project.root) as running:
        assert base(running.address) == "/repo/"
        front = ask(running.address)
        assert front.status == 200
        assert "https://example.invalid/repo/" in front.text
        assert ask(running.address, "/").headers["location"] == "/repo/"
        assert (
            ask(running.address, "/repo/tiny/1/plan.json").body == before["site/tiny/1/plan.json"]
        )
        (project.docs / "index.md").write_text("# Front\n\nOther words.\n")
        later = wait_for_next(running, token_of(front))
        assert "Other words." in later.text
        assert token_of(later) != token_of(front)
        assert running.interrupt() == 0
        assert re.search(r"[0-9]+ pages, [0-9]+ files, ", running.err)
    (project.docs / "index.md").write_bytes(before["site/index.md"])
    assert project.state() == before, "it writes nothing but the cache"


def test_drafts_are_in_a_preview(project: TinyProject) -> None:
    project.write_plan("tiny@2", archives_plan("tiny", "2"))
    with serving(project.root) as running:
        assert ask(running.address, "/repo/tiny/2/").status == 200
        assert "warning: tiny@2: a draft" in running.err


def test_without_an_address_the_site_is_at_the_root(tmp_path: Path) -> None:
    made = make_project(tmp_path / "project", state="frozen")
    with serving(made.root, "--quiet") as running:
        assert base(running.address) == "/"
        assert ask(running.address, "/tiny/1/").status == 200
        assert running.err == ""


def test_a_plan_that_is_broken_from_the_start_is_shown_and_can_be_mended(
    project: TinyProject,
) -> None:
    path = project.file("tiny@1", "plan.json")
    right = path.read_bytes()
    path.write_bytes(right.replace(b'"page_sizes"', b'"page_sises"'))
    with serving(project.root) as running:
        broken = ask(running.address)
        assert broken.status == 500
        assert "page_sises" in broken.text
        assert "error: " in running.err
        path.write_bytes(right)
        assert wait_for_next(running, token_of(broken)).status == 200
        assert running.interrupt() == 0


def test_a_configuration_that_changes_is_read_anew_and_can_break_and_be_mended(
    project: TinyProject,
) -> None:
    path = project.root / "mkdocs.yml"
    right = path.read_text()
    with serving(project.root) as running:
        front = ask(running.address)
        path.write_text(right.replace("Invented experiments", "Another name"))
        renamed = wait_for_next(running, token_of(front))
        assert "Another name" in renamed.text
        path.write_text("site_name: [\n")
        broken = wait_for_next(running, token_of(renamed))
        assert broken.status == 500
        assert "mkdocs.yml: not YAML" in broken.text
        path.write_text(right)
        assert wait_for_next(running, token_of(broken)).status == 200


@pytest.mark.parametrize("text", ["site_name: [\n", "docs_dir: nowhere\n", "site_url: repo\n"])
def test_a_configuration_that_is_broken_from_the_start_is_an_error(
    project: TinyProject, text: str
) -> None:
    (project.root / "mkdocs.yml").write_text(text)
    done = project.run("serve", "--port", "0")
    assert (done.status, done.out) == (2, "")
    assert "error: " in done.err
    assert "mkdocs.yml" in done.err


def test_without_a_configuration_there_is_nothing_to_serve(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = TinyProject(tmp_path / "empty").run("serve", "--port", "0")
    assert done.status == 2
    assert "error: no mkdocs.yml in " in done.err


def test_a_port_that_is_taken_is_an_error_that_names_the_way_out(project: TinyProject) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = project.run("serve", "--port", str(port))
    assert (done.status, done.out) == (2, "")
    assert done.err == (f"error: port {port}: Address already in use; choose another with --port\n")


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_that_is_none_is_refused(project: TinyProject, port: str) -> None:
    done = project.run("serve", "--port", port)
    assert done.status == 2
    assert "--port" in done.err


def test_control_c_is_possible_while_a_page_waits(project: TinyProject) -> None:
    with serving(project.root) as running:
        token = token_of(ask(running.address))
        with connected(running.address, f"/repo/_pagecost/wait.js?token={token}"):
            assert ask(running.address).status == 200
            assert running.interrupt() == 0


def test_a_page_that_was_closed_while_it_waited_is_nobodys_news(project: TinyProject) -> None:
    with serving(project.root) as running:
        token = token_of(ask(running.address))
        for _ in range(5):
            with connected(running.address, f"/repo/_pagecost/wait.js?token={token}") as page:
                page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        (project.docs / "index.md").write_text("# Other words\n")
        assert wait_for_next(running, token).status == 200
        assert running.interrupt() == 0
        assert "Exception" not in running.err


def test_what_is_served_is_what_is_built(project: TinyProject) -> None:
    assert project.run("build").status == 0
    built = tree(project.root / "_site")
    del built[".pagecost-site"]
    with serving(project.root) as running:
        for path, data in built.items():
            answer = ask(running.address, f"/repo/{path}")
            assert answer.status == 200
            script = b""
            if path.endswith(".html"):
                source = f"/repo/_pagecost/reload.js?token={token_of(answer)}"
                script = f'<script src="{source}" defer></script>'.encode()
                assert answer.body.count(script) == 1
            assert answer.body.replace(script, b"") == data


def test_control_c_during_the_first_build_ends_it_as_well(
    project: TinyProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(project.root)
    monkeypatch.setattr("pagecost.pipeline.load_all", interrupted)
    done = CliRunner().invoke(main, ["serve", "--port", "0"])
    assert (done.exit_code, done.stdout) == (0, "")
