"""Scoring from Python: judgments and runs as dicts, triples, data frames or files, to one report.

`pagecost.score` and `pagecost.write_report` are these. What is given is written as the TREC files
that it would be, and takes the same way as files do.
"""

from __future__ import annotations

import math
import operator
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

from pagecost import bringing, files
from pagecost.bringing import Brought
from pagecost.drafts import PAGE_SIZES
from pagecost.errors import InputError
from pagecost.runs import Ties
from pagecost.versions import Version

_QUERY = ("query_id", "qid", "query", "topic", "topic_id")
_DOCUMENT = ("doc_id", "docno", "docid", "document", "document_id")
_GRADE = ("relevance", "rel", "label", "grade")
_SCORE = ("score", "sim", "similarity")

Triples = Mapping[Any, Mapping[Any, Any]] | Iterable[Sequence[Any]] | Path | str | Any
"""{query: {document: value}}, (query, document, value) in any order, a frame, or a file's path."""


def score(
    qrels: Triples,
    runs: Mapping[str, Triples],
    page_sizes: Sequence[int] = PAGE_SIZES,
    *,
    primary_page_size: int | None = None,
    primary: str | None = None,
    searches: Mapping[str, int] | None = None,
    relevance_level: int = 1,
    target: str | int = "first",
    ties: Ties = "score-then-docno",
    collection: str | None = None,
    title: str | None = None,
    date: str | None = None,
) -> Version:
    """Scores runs against judgments: the version with its plan and its record.

    `runs` are by name, the first of them the baseline; `primary` names the one that the headline is
    about, the second where it is left out. Values are whole grades in `qrels` and finite scores in
    a run. `searches` are index searches behind a page, by run; without them none are shown.
    `target` is `first`, `all`, or how many relevant documents are looked for. `date` is written
    into the plan, YYYY-MM-DD, today's where it is left out. InputError says what is wrong.

    `record.results.overall.policy(NAME).at(SIZE)` is a run's cost over all queries:
    `pages` and `emitted` candidates, counted, `searches`, a proxy, and `unjudged` candidates;
    `policy(NAME).not_found` are the queries whose target is not among what was delivered.
    `record.table.column(NAME)` has `ranks` (1-based, 0 for not found) and `depth`, one a query.
    """
    if not isinstance(runs, Mapping):
        raise InputError("runs: expected {name: run}")
    if not isinstance(searches, Mapping | None):
        raise InputError("searches: expected {name of a run: a number}")
    sizes = _sizes(page_sizes)
    with _files(qrels, runs) as (judged, paths):
        brought = Brought(
            qrels=judged,
            runs=paths,
            page_sizes=sizes,
            primary_page_size=primary_page_size,
            primary=primary,
            searches=searches or {},
            relevance_level=relevance_level,
            target=target,
            ties=ties,
            collection=collection,
            title=title,
            date=date,
        )
        return bringing.scored(brought, "report@1")


def write_report(scored: Version, output: Path | str) -> Path:
    """Writes the report of what `score` gave into a folder; returns its page, `index.html`.

    Replaces a report that stood there, and refuses a folder that holds anything else (InputError).
    """
    from pagecost.charts.draw import Drawer
    from pagecost.site import alone

    target = Path(output).absolute()
    alone.prepare(target)
    commands = ("pagecost.write_report(pagecost.score(qrels, runs, …), output)",)
    contents = alone.report(scored, commands, Drawer(files.cache_folder()))
    files.write_tree(target, contents, keep_out=())
    return target / "index.html"


# --- As files -------------------------------------------------------------------------------------


@contextmanager
def _files(qrels: Triples, runs: Mapping[str, Triples]) -> Iterator[tuple[Path, dict[str, Path]]]:
    """What was given, as TREC files; those that are files already stay where they are."""
    with tempfile.TemporaryDirectory(prefix="pagecost-") as name:
        folder = Path(name)
        judged = _file(qrels, folder / "qrels.txt", "qrels", _judgment)
        paths = {
            run: _file(given, folder / f"{place}.run", f"run {run!r}", _result)
            for place, (run, given) in enumerate(runs.items())
        }
        try:
            yield judged, paths
        except InputError as error:
            # What was given has a name; the file that it was written to means nothing to anybody.
            said = str(error).replace(str(folder / "qrels.txt"), "qrels")
            for run, path in paths.items():
                if path.parent == folder:
                    said = said.replace(str(path), f"run {run!r}")
            raise type(error)(said) from None


def _sizes(page_sizes: Any) -> list[int]:
    try:
        sizes = [operator.index(size) for size in page_sizes]
    except TypeError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise InputError(f"page_sizes: {page_sizes!r}, expected whole numbers from 1 on")
    return sizes


def _file(given: Triples, path: Path, what: str, line: Any) -> Path:
    if isinstance(given, str | Path):
        return Path(given)
    column = _GRADE if line is _judgment else _SCORE
    lines = [line(*triple, what) for triple in _triples(given, column, what)]
    if not lines:
        raise InputError(f"{what}: empty")
    path.write_text("".join(lines), encoding="utf-8")
    return path


def _judgment(query: str, document: str, value: Any, what: str) -> str:
    try:
        grade = int(value)
    except (TypeError, ValueError, OverflowError):
        grade = None
    if grade is None or grade != value:
        raise InputError(
            f"{what}: query {query!r}, document {document!r}: grade {value!r}, expected a whole "
            "number"
        )
    return f"{query} 0 {document} {grade}\n"


def _result(query: str, document: str, value: Any, what: str) -> str:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise InputError(
            f"{what}: query {query!r}, document {document!r}: score {value!r}, expected a finite "
            "number"
        )
    return f"{query} Q0 {document} 0 {found!r} run\n"


def _triples(given: Any, column: Sequence[str], what: str) -> Iterator[tuple[str, str, Any]]:
    """(query, document, value), ids as text."""
    if isinstance(given, Mapping):
        for query, documents in given.items():
            if not isinstance(documents, Mapping):
                raise InputError(f"{what}: query {query!r}: expected {{document: value}}")
            for document, value in documents.items():
                yield _id(query, what), _id(document, what), value
        _refuse_alike(given, what)
        for query, documents in given.items():
            _refuse_alike(documents, f"{what}: query {query!r}")
        return
    if hasattr(type(given), "collect") and not hasattr(type(given), "__len__"):
        raise InputError(f"{what}: a frame without rows yet; collect() it first")
    rows = _frame(given, column, what) if hasattr(given, "columns") else given
    if not isinstance(rows, Iterable):
        raise InputError(
            f"{what}: {rows!r}, expected {{query: {{document: value}}}}, (query, document, value) "
            "in any order, a data frame, or a path"
        )
    for row in rows:
        try:
            query, document, value = row
        except (TypeError, ValueError):
            raise InputError(f"{what}: {row!r}, expected (query, document, value)") from None
        yield _id(query, what), _id(document, what), value


def _frame(frame: Any, column: Sequence[str], what: str) -> Iterator[tuple[Any, Any, Any]]:
    """The rows of a pandas or polars frame, by the names that its columns usually have."""
    names = list(frame.columns)
    chosen = []
    for wanted in (_QUERY, _DOCUMENT, column):
        found = [name for name in wanted if name in names]
        if len(found) != 1 or names.count(found[0]) != 1:
            raise InputError(
                f"{what}: columns {', '.join(map(str, names))}; expected one, and one alone, of "
                f"{', '.join(wanted)}"
            )
        chosen.append(frame[found[0]].to_list())
    return zip(*chosen, strict=True)


def _id(value: Any, what: str) -> str:
    """An id as text: text, or a whole number. A TREC file can't hold white space in one."""
    if isinstance(value, bool) or not isinstance(value, str | Integral):
        raise InputError(f"{what}: id {value!r}, expected text or a whole number")
    text = str(value)
    if not text or text.split() != [text]:
        raise InputError(f"{what}: id {text!r}, expected text without white space")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{what}: id {text!r}, which is not Unicode text") from None
    return text


def _refuse_alike(ids: Mapping[Any, Any], what: str) -> None:
    """InputError where two keys, 1 and "1", are one id as text."""
    if len({str(one) for one in ids}) != len(ids):
        twice = next(one for one, n in Counter(map(str, ids)).items() if n > 1)
        raise InputError(f"{what}: id {twice!r} stands twice, as a number and as text")
