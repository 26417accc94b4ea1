"""Corpus kind `distributions`: functions and methods of installed Python distributions.

A distribution is the Python files that its RECORD lists inside the installation. They are parsed,
never imported. A document is a function without its docstring and those of what is nested in it;
the docstring's first paragraph is the query it answers. Its name is its qualified name without
`<locals>`: `Class.method`, `outer.inner`. Its id leaves the version out, so that an unchanged
function keeps its id over versions.
"""

from __future__ import annotations

import ast
import base64
import csv
import hashlib
import inspect
import io
import json
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from importlib import metadata
from itertools import accumulate, dropwhile, takewhile
from pathlib import Path, PureWindowsPath

import msgspec

from pagecost.corpora.build import Row, build
from pagecost.errors import CorpusMissing, InputError
from pagecost.jsonio import ids_hash, read_bytes, sha256
from pagecost.model import Corpus, Distribution, DistributionsCorpus, Document
from pagecost.text import collapsed, normalized

REASONS = ("tests", "undocumented", "trivial", "duplicate", "query")
"""Why a function is left out, in the order of checking."""

_TEST_PATH = re.compile(r"(^|/)((test|tests|testing)/|(test_[^/]*|[^/]*_test|conftest)\.py$)")
_RECORDED = re.compile(r"sha256=([A-Za-z0-9_-]{43})")

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_Documented = _FunctionNode | ast.ClassDef


class DistributionsSource:
    """Distributions as they are installed for the running Python."""

    def __init__(self, corpus: DistributionsCorpus) -> None:
        self._corpus = corpus

    def fingerprint(self) -> str:
        """sha256 over names, versions, and every file's path and bytes as they are now, unchecked.

        CorpusMissing if a pinned version is not installed, InputError if a file can't be read.
        """
        lines: list[str] = []
        for installed in _find_all(self._corpus):
            lines.append(installed.place)
            lines += (f"{sha256(file.read())} {file.path}" for file in installed.files)
        return ids_hash(lines)

    def load(self) -> Corpus:
        """The corpus, every file checked against RECORD, and RECORD against the plan.

        CorpusMissing if a pinned version is not installed. InputError names the file that is
        missing, changed, not in its declared encoding, or not this Python's syntax. Exclusions hold
        all REASONS in their order. `duplicate` compares with earlier functions that got as far as
        that check, in the plan's order of distributions, then by path, then down the file.
        """
        counts = dict.fromkeys(REASONS, 0)
        seen: set[str] = set()
        kept: list[Row] = []
        for installed in _find_all(self._corpus):
            installed.check_pin()
            for file in installed.files:
                for judged in self._judge(installed.distribution.name, file, seen):
                    if isinstance(judged, Row):
                        kept.append(judged)
                    else:
                        counts[judged] += 1
        return build(kept, counts, refuse_multiple=self._corpus.refuse_multiple)

    def _judge(self, repository: str, file: _File, seen: set[str]) -> Iterator[Row | str]:
        """Each function of the file: a document and its query, or the reason to leave it out."""
        lines, tree = _parse(file.verified(), file.place)
        for name, node in _functions(tree):
            doc = _docstring(node)
            if _TEST_PATH.search(file.path):
                yield "tests"
            elif doc is None or not (query := _first_paragraph(str(doc.value))):
                yield "undocumented"
            elif _statements(node) < self._corpus.trivial_statements:
                yield "trivial"
            else:
                code = _code(lines, node)
                key = sha256(f"{repository}\0{file.path}\0{name}\0{code}".encode())
                if key in seen:
                    yield "duplicate"
                elif normalized(query) in normalized(code):  # so is an empty query, in any code
                    yield "query"
                else:
                    document = Document(key, repository, file.path, name, node.lineno, code)
                    yield Row(document=document, query=query)
                seen.add(key)


def pin(corpus: DistributionsCorpus) -> list[Distribution]:
    """The plan's distributions in its order, each with the `sha256` of what is installed.

    A `sha256` that the plan already has is replaced, not checked; every file is checked against
    RECORD. Errors as for `load`, except that nothing is parsed.
    """
    found = _find_all(corpus)
    for file in (file for installed in found for file in installed.files):
        file.verified()
    return [msgspec.structs.replace(one.distribution, sha256=one.sha256) for one in found]


class _File(msgspec.Struct, frozen=True):
    """A Python file; `recorded` is its sha256 as RECORD has it: base64, urlsafe, unpadded."""

    place: str
    path: str
    recorded: str
    location: str

    def read(self) -> bytes:
        try:
            return read_bytes(Path(self.location))
        except InputError as error:
            raise InputError(f"{self.place}: {error}; install it anew") from None

    def verified(self) -> bytes:
        data = self.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if digest != self.recorded:
            raise InputError(
                f"{self.place}: changed since it was installed: sha256={digest}, RECORD says "
                f"sha256={self.recorded}; install it anew"
            )
        return data


class _Installed(msgspec.Struct, frozen=True):
    """A distribution of the plan, and its Python files in path order."""

    distribution: Distribution
    place: str
    files: tuple[_File, ...]

    @property
    def sha256(self) -> str:
        return ids_hash(f"{file.path},sha256={file.recorded}" for file in self.files)

    def check_pin(self) -> None:
        if self.distribution.sha256 not in (None, self.sha256):
            raise InputError(
                f"{self.place}: the Python files in RECORD hash to {self.sha256}, the plan pins "
                f"{self.distribution.sha256}; install the file that the plan's author had"
            )


def _find_all(corpus: DistributionsCorpus) -> list[_Installed]:
    found: list[tuple[Distribution, metadata.Distribution]] = []
    problems: list[str] = []
    for pinned in corpus.distributions:
        one = _find(pinned.name)
        if one is not None and one.version == pinned.version:
            found.append((pinned, one))
        else:
            state = "not installed" if one is None else f"{one.version} is installed"
            problems.append(f"{pinned.name}: {state}, the plan pins {pinned.version}\n")
    if problems:
        wanted = " ".join(f'"{one.name}=={one.version}"' for one in corpus.distributions)
        raise CorpusMissing(
            f"{''.join(problems)}To get what the plan pins: pip install {wanted}\nThe project may "
            'list them as an extra, as pagecost\'s own does: pip install -e ".[corpora]"'
        )
    return [_list_files(pinned, one) for pinned, one in found]


def _find(name: str) -> metadata.Distribution | None:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None
    # An uninstall that was broken off leaves a folder without METADATA: it has no version.
    return found if found.read_text("METADATA") or found.read_text("PKG-INFO") else None


def _list_files(pinned: Distribution, found: metadata.Distribution) -> _Installed:
    # Not `found.files`, which leaves out missing files in some versions of Python.
    place = f"{pinned.name}=={pinned.version}"
    files: dict[str, _File] = {}
    for given, recorded in _record(found, place):
        path = given.replace("\\", "/")
        outside = ".." in path.split("/") or PureWindowsPath(path).anchor  # drive or leading slash
        if outside or not path.endswith(".py"):
            continue
        if (hashed := _RECORDED.fullmatch(recorded)) is None:
            raise InputError(
                f"{place}: {path}: the hash in RECORD is {recorded!r}, expected sha256=… in "
                "urlsafe base64 without padding; install it anew"
            )
        files[path] = _File(f"{place}: {path}", path, hashed[1], str(found.locate_file(path)))
    # Some build backends give an editable install a .py of its own, so RECORD alone doesn't tell.
    if not files or _is_editable(found):
        raise InputError(
            f"{place}: RECORD doesn't list its Python files. An editable install's never does: "
            "install it without -e"
        )
    return _Installed(pinned, place, tuple(files[path] for path in sorted(files)))


def _record(found: metadata.Distribution, place: str) -> list[tuple[str, str]]:
    """Path and hash of each row of RECORD; the hash is empty where there is none."""
    try:
        text = found.read_text("RECORD") or ""
        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        return [(row[0], row[1] if len(row) > 1 else "") for row in rows if row]
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{place}: RECORD can't be read: {error}; install it anew") from None


def _is_editable(found: metadata.Distribution) -> bool:
    try:
        url = json.loads(found.read_text("direct_url.json") or "{}")
        return bool(url["dir_info"]["editable"])
    except (ValueError, LookupError, TypeError):
        return False


def _parse(data: bytes, place: str) -> tuple[list[bytes], ast.Module]:
    """The file's lines in UTF-8, whatever its encoding, as ast counts lines and columns."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
        with warnings.catch_warnings():
            # An unknown escape in somebody's string is a warning, and not ours to report.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, LookupError, ValueError, RecursionError, MemoryError) as error:
        problem = f"not Python {sys.version.split()[0]}: {type(error).__name__}: {error}"
        raise InputError(f"{place}: {problem}") from None
    # Bytes, since str.splitlines() also splits at form feeds and U+2028, among others.
    return text.encode("utf-8").splitlines(keepends=True), tree


def _functions(tree: ast.Module) -> Iterator[tuple[str, _FunctionNode]]:
    """Qualified name and node of each function, down the file."""
    # A stack, since a long `elif` chain is as deep as it is long.
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        prefix, node = stack.pop()
        if isinstance(node, _FunctionNode):
            yield prefix + node.name, node
        if isinstance(node, _Documented):
            prefix += f"{node.name}."
        stack += [(prefix, child) for child in reversed(_blocks(node))]


def _code(lines: list[bytes], node: _FunctionNode) -> str:
    """The whole lines, decorators included, without docstrings and the last line break.

    Docstrings of nested functions and classes go too: each is some function's query, and a
    document that held it word for word would be found by it.
    """
    first = node.lineno - 1
    if node.decorator_list:
        first = node.decorator_list[0].lineno - 1
        # That is its expression's line; where it stands in parentheses, `@` can be lines above.
        while not lines[first].lstrip().startswith(b"@"):
            first -= 1
    own = lines[first : node.end_lineno]
    starts = [0, *accumulate(len(line) for line in own)]
    code = b"".join(own)
    docs = [_docstring(below) for below in ast.walk(node) if isinstance(below, _Documented)]
    spans = sorted(
        (
            starts[doc.lineno - 1 - first] + doc.col_offset,
            starts[(doc.end_lineno or doc.lineno) - 1 - first] + (doc.end_col_offset or 0),
        )
        for doc in docs
        if doc is not None
    )
    for start, end in reversed(spans):
        code = code[:start] + code[end:]
    return code.rstrip(b"\r\n").decode("utf-8")


def _blocks(node: ast.AST) -> list[ast.AST]:
    """The children that are statements or hold some; expressions never do."""
    kinds = (ast.stmt, ast.excepthandler, ast.match_case)
    return [child for child in ast.iter_child_nodes(node) if isinstance(child, kinds)]


def _statements(node: _FunctionNode) -> int:
    """Every statement below a documented function, at any depth, except its docstring."""
    return sum(isinstance(below, ast.stmt) for below in ast.walk(node)) - 2


def _docstring(node: _Documented) -> ast.Constant | None:
    match node.body[0]:
        case ast.Expr(value=ast.Constant(value=str()) as doc):
            return doc
    return None


def _first_paragraph(doc: str) -> str:
    """Up to the first blank line; empty if all are blank."""
    # An escape can put a lone surrogate into a docstring, which nothing can encode afterwards.
    text = doc.encode("utf-8", "replace").decode("utf-8")
    lines = dropwhile(lambda line: not collapsed(line), inspect.cleandoc(text).split("\n"))
    return "\n".join(takewhile(collapsed, lines))
