"""A preview on this machine alone: rebuilt on save, reloaded in the page, errors shown there.

The site is kept in memory. Its Content-Security-Policy lets a page load scripts from its own host
and ask nothing else, so a page waits for the next build by loading a script that ends when there
is one.
"""

from __future__ import annotations

import contextlib
import html
import mimetypes
import os
import re
import secrets
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, quote, unquote, urlsplit

from pagecost.errors import InputError, PagecostError

HOST = "127.0.0.1"
_OWN = "_pagecost/"
_POLL = 0.3  # seconds between looks at the sources
_PATIENCE = 20.0  # seconds that a page's question is held open
_TEXT = {".md": "text/plain", ".csv": "text/csv", ".json": "application/json", ".bib": "text/plain"}

Build = Callable[[], Mapping[str, bytes]]
"""Makes every file of the site; PagecostError says what is wrong."""

_RELOAD = """\
window.pagecostWait = () => {
  const script = document.createElement("script");
  script.src = "%s";
  script.onload = () => script.remove();
  script.onerror = () => setTimeout(window.pagecostWait, 1000);
  document.head.append(script);
};
addEventListener("load", () => window.pagecostWait());
"""
_BROKEN = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not built</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"></head>
<body><h1>Not built</h1><p>The site is as it was when this is put right.</p>
<pre id="error">%s</pre></body></html>
"""


class Made(NamedTuple):
    """A build, or why there is none, and a token of its own."""

    contents: Mapping[str, bytes]
    error: str | None
    token: str


class Preview:
    """The last build. It is read once a request, so that a page and its token belong together."""

    def __init__(self, build: Build) -> None:
        self._build = build
        self._changed = threading.Condition()
        self.made = Made({}, None, "")

    def rebuild(self) -> None:
        """Builds anew; what is wrong is kept, to be shown."""
        contents: Mapping[str, bytes] = {}
        error = None
        try:
            contents = self._build()
        except PagecostError as problem:
            error = str(problem)
        except Exception as problem:  # a fault of ours: the preview outlives it
            traceback.print_exc()
            error = f"{type(problem).__name__}: {problem}"
        with self._changed:
            self.made = Made(contents, error, secrets.token_hex(8))
            self._changed.notify_all()

    def wait(self, token: str, seconds: float) -> bool:
        """Waits until the build is another than that one; False if it still isn't."""
        with self._changed:
            return self._changed.wait_for(lambda: self.made.token != token, seconds)


class Watcher:
    """Calls `changed` whenever a file below one of the paths appears, changes or goes."""

    def __init__(self, paths: Callable[[], list[Path]], changed: Callable[[], None]) -> None:
        self._paths = paths
        self._changed = changed
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._seen = self._look()  # now: what changes during the first build is to be noticed

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> frozenset[tuple[str, int, int]]:
        return frozenset(self._files())

    def _files(self) -> Iterator[tuple[str, int, int]]:
        for top in self._paths():
            for path in _below(top):
                try:
                    found = path.stat()
                except OSError:
                    continue  # it went while we looked
                yield str(path), found.st_mtime_ns, found.st_size

    def _run(self) -> None:
        while not self._ended.wait(_POLL):
            now = self._look()
            if now != self._seen:
                self._seen = now
                self._changed()


def _below(top: Path) -> Iterator[Path]:
    """A file, or every file below a folder; what vanishes meanwhile is passed over."""
    yield top
    for folder, _, names in os.walk(top):
        yield from (Path(folder) / name for name in names)


def base_path(site_url: str | None) -> str:
    """The path that the site will have, with a slash at both ends."""
    return quote(unquote(urlsplit(site_url or "/").path)) or "/"


def server(preview: Preview, base: str, port: int) -> ThreadingHTTPServer:
    """A server on loopback that is not running yet. InputError where the port is taken."""
    try:
        made = ThreadingHTTPServer((HOST, port), _handler(preview, base))
    except OSError as error:
        said = error.strerror or error
        raise InputError(f"port {port}: {said}; choose another with --port") from None
    made.daemon_threads = True
    return made


def _handler(preview: Preview, base: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = (self.headers.get("Host") or "").lower()
            if re.sub(r":[0-9]*$", "", host) not in (HOST, "localhost"):
                # A page elsewhere could give its own name to this address, and read drafts.
                self._send(403, "text/plain", b"Only as 127.0.0.1 or localhost.\n")
                return
            try:
                parts = urlsplit(self.path)
            except ValueError:
                self._send(400, "text/plain", b"Not an address.\n")
                return
            made = preview.made
            if not parts.path.startswith(base):
                self._redirect(base)
                return
            path = unquote(parts.path.removeprefix(base))
            if path.startswith(_OWN):
                self._own(path.removeprefix(_OWN), parse_qs(parts.query).get("token", [""])[0])
            elif made.error is not None:
                page = _BROKEN % html.escape(made.error)
                self._send(500, "text/html", _reloading(page.encode("utf-8"), base, made.token))
            else:
                self._file(path, made)

        def do_HEAD(self) -> None:
            self.do_GET()

        def _file(self, path: str, made: Made) -> None:
            contents = made.contents
            if path in contents:
                data = contents[path]
                if path.endswith(".html"):
                    data = _reloading(data, base, made.token)
                self._send(200, _type(path), data)
            elif (not path or path.endswith("/")) and f"{path}index.html" in contents:
                self._file(f"{path}index.html", made)
            elif f"{path}/index.html" in contents:
                self._redirect(f"{base}{quote(path)}/")
            else:
                self._send(404, "text/plain", f"{path}: no such file in the site\n".encode())

        def _own(self, name: str, token: str) -> None:
            if name == "reload.js":
                waiting = f"{base}{_OWN}wait.js?token={quote(token)}"
                self._send(200, "text/javascript", (_RELOAD % waiting).encode("ascii"))
            elif name == "wait.js":
                changed = preview.wait(token, _PATIENCE)
                said = b"location.reload();\n" if changed else b"window.pagecostWait();\n"
                self._send(200, "text/javascript", said)
            else:
                self._send(404, "text/plain", b"No such file.\n")

        def _redirect(self, target: str) -> None:
            self._send(302, "text/plain", b"", {"Location": target})

        def _send(
            self, status: int, kind: str, data: bytes, more: Mapping[str, str] | None = None
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "no-store")
            # No page elsewhere may include a script of ours, which could hold a draft.
            self.send_header("Cross-Origin-Resource-Policy", "same-origin")
            for name, value in (more or {}).items():
                self.send_header(name, value)
            with contextlib.suppress(ConnectionError):  # whoever asked has gone on
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """What a browser asks for is nobody's news."""

    return Handler


def _reloading(page: bytes, base: str, token: str) -> bytes:
    """The page with the script that waits for the next build."""
    script = f'<script src="{base}{_OWN}reload.js?token={token}" defer></script>'
    return page.replace(b"</head>", script.encode("ascii") + b"</head>", 1)


def _type(path: str) -> str:
    suffix = Path(path).suffix
    return _TEXT.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
