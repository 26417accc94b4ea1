"""Corpus kind `distributions`: functions and methods of installed Python distributions.

A distribution is the Python files that its RECORD lists inside the installation. They are parsed,
never imported. A document is a function without its docstring and those of what is nested in it;
the docstring's first paragraph is the query it answers. Its name is its qualified name without
`<locals>`: `Class.method`, `outer.inner`. Its id leaves the version out, so that an unchanged
function keeps its id over versions.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Iterator
from itertools import accumulate, dropwhile, takewhile

import msgspec

from pagecost.corpora.build import Row, build
from pagecost.corpora.installed import SourceFile, find_all
from pagecost.errors import InputError
from pagecost.jsonio import ids_hash, sha256
from pagecost.model import Corpus, Distribution, DistributionsCorpus, Document
from pagecost.text import collapsed, normalized

REASONS = ("tests", "undocumented", "trivial", "duplicate", "query")
"""Why a function is left out, in the order of checking."""

_TEST_PATH = re.compile(r"(^|/)((test|tests|testing)/|(test_[^/]*|[^/]*_test|conftest)\.py$)")

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
        for installed in find_all(self._corpus):
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
        for installed in find_all(self._corpus):
            installed.check_pin()
            for file in installed.files:
                for judged in self._judge(installed.distribution.name, file, seen):
                    if isinstance(judged, Row):
                        kept.append(judged)
                    else:
                        counts[judged] += 1
        return build(kept, counts, refuse_multiple=self._corpus.refuse_multiple)

    def _judge(self, repository: str, file: SourceFile, seen: set[str]) -> Iterator[Row | str]:
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
    found = find_all(corpus)
    for file in (file for installed in found for file in installed.files):
        file.verified()
    return [msgspec.structs.replace(one.distribution, sha256=one.sha256) for one in found]


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
