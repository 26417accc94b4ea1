"""Corpus kind `ir-datasets`: a collection that the library ir_datasets has in its cache.

The library reads; nothing is downloaded, whatever its cache lacks. What it gives is pinned by one
sha256 over these lines, each ended by a line break, fields divided by a tab:

d  document  sha256 of its text    in ascending order of id
q  query     sha256 of its text    in ascending order of id
r  query     document  grade       in ascending order of query, document and grade; repeats too

Texts are those that the library calls default, in UTF-8. Where every policy is a run, only the
judgments are read, and the digest covers the lines `r` alone.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from pagecost.corpora.judged import build
from pagecost.errors import CorpusMissing, InputError, PagecostError
from pagecost.jsonio import sha256
from pagecost.model import Corpus, Definitions, IrDatasetsCorpus
from pagecost.qrels import Judgments, text_id
from pagecost.text import collapsed

_INSTALL = 'pip install "pagecost[ir-datasets]"'
_GRADE = re.compile(r"[+-]?[0-9]{1,9}")
_SHOWN = 200


class _Given(msgspec.Struct, frozen=True):
    """What the library gives, in order of ids; no documents and no texts where none were read."""

    documents: list[tuple[str, str]] | None
    texts: dict[str, str] | None
    judged: list[tuple[str, str, int]]


class IrDatasetsSource:
    """A dataset in the library's cache, read once; without `texts` only its judgments are."""

    def __init__(
        self, corpus: IrDatasetsCorpus, definitions: Definitions, *, texts: bool = True
    ) -> None:
        self._corpus = corpus
        self._definitions = definitions
        self._parts = ("docs", "queries", "qrels") if texts else ("qrels",)
        self._where = f"{corpus.dataset} (ir_datasets)"

    def fingerprint(self) -> str:
        """sha256 over documents, queries and judgments as the library gives them, unchecked.

        CorpusMissing if the library or its data is not at hand. InputError if it has no such
        dataset, or one that lacks a part or can't be read.
        """
        return self._digest

    def load(self) -> Corpus:
        """The corpus, checked against the plan's sha256. Errors as for `fingerprint`.

        InputError too where judgments contradict each other, or an id stands twice.
        """
        pinned = self._corpus.sha256
        if pinned is not None and pinned != self._digest:
            raise InputError(f"{self._where}: sha256 {self._digest}, the plan pins {pinned}")
        return build(
            _judgments(self._given.judged, self._where),
            self._definitions,
            self._corpus.relevance_level,
            documents=self._given.documents,
            texts=self._given.texts,
            where=self._where,
        )

    @cached_property
    def _digest(self) -> str:
        digest = hashlib.sha256()
        for line in _lines(self._given):
            digest.update(f"{line}\n".encode())
        return digest.hexdigest()

    @cached_property
    def _given(self) -> _Given:
        with _library(self._where, self._missing()) as library:
            dataset = _dataset(library, self._corpus.dataset, self._parts, self._where)
            # Judgments first: they are the smallest, and may be what is missing.
            judged = _judged(dataset, self._where)
            if "docs" not in self._parts:
                return _Given(documents=None, texts=None, judged=judged)
            return _Given(
                texts=_texts(dataset, self._where),
                documents=_documents(dataset, self._where),
                judged=judged,
            )

    def _missing(self) -> str:
        """How to get the data."""
        first, *others = self._parts
        command = f"`ir_datasets export {self._corpus.dataset} {first} > {os.devnull}`"
        likewise = f"; likewise {' and '.join(others)}" if others else ""
        return (
            f"{self._where}: not in the library's cache (IR_DATASETS_HOME, or ~/.ir_datasets), and "
            f"nothing is downloaded here: {command} downloads it, or says how to get it{likewise}"
        )


def _lines(given: _Given) -> Iterator[str]:
    for document, text in given.documents or ():
        yield f"d\t{document}\t{sha256(text.encode())}"
    for query, text in (given.texts or {}).items():
        yield f"q\t{query}\t{sha256(text.encode())}"
    for query, document, grade in given.judged:
        yield f"r\t{query}\t{document}\t{grade}"


def _dataset(library: Any, name: str, parts: tuple[str, ...], where: str) -> Any:
    """The library's dataset, which has those parts. `Any`, since the library ships no types."""
    try:
        dataset = library.load(name)
    except KeyError:
        raise InputError(
            f"{where}: the library has no dataset of that id; `ir_datasets list` names all"
        ) from None
    lacking = [part for part in parts if not dataset.has(part)]
    if lacking:
        raise InputError(
            f"{where}: it has no {', no '.join(lacking)}; expected {', '.join(parts)}. "
            "`ir_datasets list` names other datasets, parts of this one among them"
        )
    return dataset


def _documents(dataset: Any, where: str) -> list[tuple[str, str]]:
    return sorted(_record(doc, doc.doc_id, f"{where}: document") for doc in dataset.docs_iter())


def _texts(dataset: Any, where: str) -> dict[str, str]:
    pairs = sorted(
        _record(query, query.query_id, f"{where}: query") for query in dataset.queries_iter()
    )
    texts = dict(pairs)
    if len(texts) != len(pairs):
        twice = Counter(query for query, _ in pairs).most_common(1)[0][0]
        raise InputError(f"{where}: query id {twice!r} stands twice")
    return texts


def _judged(dataset: Any, where: str) -> list[tuple[str, str, int]]:
    place = f"{where}: judgment"
    return sorted(
        (_id(one.query_id, place), _id(one.doc_id, place), _grade(one.relevance, place))
        for one in dataset.qrels_iter()
    )


def _judgments(judged: list[tuple[str, str, int]], where: str) -> Judgments:
    """The judgments by query, with the counts of those that stand twice or are below 0."""
    grades: dict[str, dict[str, int]] = {}
    for query, document, grade in judged:
        before = grades.setdefault(query, {}).setdefault(document, grade)
        if before != grade:
            raise InputError(
                f"{where}: query {query!r}, document {document!r}: grade {grade}, but also {before}"
            )
    if not grades:
        raise InputError(f"{where}: no judgment")
    kept = [grade for known in grades.values() for grade in known.values()]
    repeated, negative = len(judged) - len(kept), sum(grade < 0 for grade in kept)
    return Judgments(grades, Counter(repeated=repeated, negative=negative))


def _record(record: Any, identity: object, place: str) -> tuple[str, str]:
    """Id and text of a document or a query."""
    name = _id(identity, place)
    # A few kinds of record have no default text; `text`, where there is one, is as good.
    default = getattr(record, "default_text", None)
    text = default() if default else getattr(record, "text", None)
    if not isinstance(text, str):
        raise InputError(f"{place} {name!r}: the library gives no text for it")
    # An escape in JSON can be a lone surrogate, which nothing can encode afterwards.
    return name, text.encode("utf-8", "replace").decode("utf-8")


def _id(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{place}: id {str(value)[:_SHOWN]}, expected text")
    return text_id(value.encode("utf-8", "surrogatepass"), place)


def _grade(value: object, place: str) -> int:
    # One dataset has its grades as text.
    if not _GRADE.fullmatch(str(value)):
        raise InputError(f"{place}: grade {str(value)[:_SHOWN]!r}, expected a whole number")
    return int(str(value))


@contextmanager
def _library(where: str, missing: str) -> Iterator[Any]:
    """The library, quiet and offline. Whatever goes wrong in it becomes an error of ours.

    CorpusMissing, which says `missing`, where it looks for a file that isn't there; CorpusMissing
    where it or a library that it needs is not installed; InputError for anything else.
    """
    with _quiet():
        library = _imported()
        with _offline(library) as refused:
            try:
                yield library
            except Exception as error:
                if refused or _is_absence(error):
                    raise CorpusMissing(missing) from None
                if isinstance(error, PagecostError):
                    raise
                problem = collapsed(str(error))[:_SHOWN]
                if isinstance(error, ImportError):
                    raise CorpusMissing(f"{where}: {problem}") from None
                raise InputError(
                    f"{where}: the library can't read it: {type(error).__name__}: {problem}"
                ) from None
            if refused:  # and passed over: then what was read is not the whole
                raise CorpusMissing(missing)


def _is_absence(error: Exception) -> bool:
    """Did the library look for a file that has to be put there by hand?"""
    return isinstance(error, FileNotFoundError) or (
        # What it raises for some of them has no kind of its own, and no errno.
        type(error) is OSError and "does not exist" in str(error)
    )


def _imported() -> Any:
    # By name, since `import` would need types, or an exception from them, installed or not.
    try:
        return importlib.import_module("ir_datasets")
    except ModuleNotFoundError as error:
        if error.name == "ir_datasets":
            raise CorpusMissing(f"ir_datasets is not installed: {_INSTALL}") from None
        raise CorpusMissing(f"ir_datasets lacks {error.name}: {_INSTALL}") from None
    except (ImportError, OSError) as error:
        # It makes folders in its cache as soon as it is imported.
        raise CorpusMissing(f"ir_datasets can't be imported: {error}") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing that the library logs, prints, warns of or draws as a bar reaches anybody."""
    with ExitStack() as stack:
        nowhere = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        stack.enter_context(redirect_stdout(nowhere))
        stack.enter_context(redirect_stderr(nowhere))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _offline(library: Any) -> Iterator[list[str]]:
    """No way to the network is left to the library; the list names each that it tried."""
    refused: list[str] = []

    def refusal(way: str) -> Any:
        def refuse(*_: object, **__: object) -> NoReturn:
            refused.append(way)
            raise ConnectionRefusedError("nothing is downloaded here")

        return refuse

    with ExitStack() as stack:
        for owner, name in _ways_out(library):
            stack.callback(setattr, owner, name, vars(owner)[name])
            setattr(owner, name, refusal(f"{owner.__name__}.{name}"))
        yield refused


def _ways_out(library: Any) -> list[tuple[Any, str]]:
    """Every function that downloads: `stream` of each remote file, and what they all do it with."""
    try:
        download, through = library.util.download, library.lazy_libs
        local, remote = download.LocalDownload, _below(download.BaseDownload)
        # Only to see that they are there: a version without them downloads in some other way.
        _ = through.requests, download.RequestsDownload.stream
    except AttributeError as error:
        raise InputError(
            f"ir_datasets {getattr(library, '__version__', '')}: not a version that can be kept "
            f"from downloading ({error}): {_INSTALL}"
        ) from None
    streams = [kind for kind in remote if "stream" in vars(kind) and not issubclass(kind, local)]
    return [(through, "requests"), *((kind, "stream") for kind in streams)]


def _below(kind: Any) -> Iterator[Any]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
