"""A host on this machine that serves a built site as GitHub Pages does.

Text goes out gzipped to whoever takes that, everything may be kept for ten minutes, a folder
without its slash is redirected, and what is not there gets the site's own `404.html`. Unlike
GitHub Pages it speaks HTTP/1.1 without TLS.
"""

from __future__ import annotations

import gzip
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_TEXT = ("text/", "application/json", "application/xml", "image/svg+xml")


class _Handler(SimpleHTTPRequestHandler):
    """Serves a folder below a path, and nothing above it."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *arguments: Any, below: str, directory: str) -> None:
        self._below = below
        super().__init__(*arguments, directory=directory)

    def do_GET(self) -> None:
        self._answer(body=True)

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def _answer(self, *, body: bool) -> None:
        path = urlsplit(self.path).path
        file = Path(self.directory) / "404.html"
        if path.startswith(self._below):
            file = Path(self.translate_path("/" + path.removeprefix(self._below)))
        if file.is_dir() and not path.endswith("/"):
            self._say(301, {"Location": path + "/"}, b"", body=body)
            return
        if file.is_dir():
            file /= "index.html"
        status = 200 if file.is_file() and file.name != "404.html" else 404
        if not file.is_file():
            file = Path(self.directory) / "404.html"
        data = file.read_bytes() if file.is_file() else b"Not found."
        kind = self.guess_type(file)
        head = {"Content-Type": f"{kind}; charset=utf-8" if kind.startswith("text/") else kind}
        head["Cache-Control"] = "max-age=600"
        if kind.startswith(_TEXT) and "gzip" in self.headers.get("Accept-Encoding", ""):
            data = _squeezed(data)
            head |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        self._say(status, head, data, body=body)

    def _say(self, status: int, head: Mapping[str, str], data: bytes, *, body: bool) -> None:
        self.send_response(status)
        for name, value in head.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if body:
            self.wfile.write(data)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@cache
def _squeezed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes on hangs up on what it no longer wants; that is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def hosted(site: Path, below: str = "/") -> Iterator[str]:
    """The address of that site while it is served, which ends in the path it is below."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, below=below, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}{below}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
