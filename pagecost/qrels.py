"""Relevance judgments as they are written: TREC's qrels, and BEIR's table.

TREC:  topic  iteration  document  grade      (fields divided by white space)
BEIR:  query-id <tab> corpus-id <tab> score   (the first line names them)

Any line is a judgment, whatever its grade. What was not judged stands in no line.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec

from pagecost.errors import InputError
from pagecost.pinned import lines, opened

_GRADE = re.compile(rb"[+-]?[0-9]{1,9}")
_BOM = b"\xef\xbb\xbf"
_BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]
# A terminal, a CSV or a page would act on control characters.
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")
_MOST = 500

Layout = Literal["trec", "beir"]


class Judgments(msgspec.Struct, frozen=True):
    """Grades by query and document, and how often each kind of repair was made."""

    grades: dict[str, dict[str, int]]
    repairs: Counter[str]


def read(path: Path, layout: Layout) -> Judgments:
    """The judgments in that file, plain or gzip. InputError names the line that is wrong."""
    grades: dict[str, dict[str, int]] = {}
    repairs: Counter[str] = Counter()
    header = layout == "beir"  # where it is, it is the first line that holds anything
    with opened(path) as file:
        for number, raw in lines(file, path):
            place = f"{path}: line {number}"
            line = raw.removeprefix(_BOM) if number == 1 else raw
            repairs["byte_order_mark"] += len(line) < len(raw)
            repairs["carriage_returns"] += line.endswith(b"\r\n")
            fields = _fields(line, layout, place)
            if not fields:
                repairs["blank"] += 1
                continue
            if not (header and fields == _BEIR_HEADER):
                _keep(fields, grades, repairs, place)
            header = False
    if not grades:
        raise InputError(f"{path}: no judgment")
    return Judgments(grades, repairs)


def _fields(line: bytes, layout: Layout, place: str) -> list[bytes]:
    """Query, document, grade; nothing of a blank line."""
    if not line.strip():
        return []
    if layout == "trec":
        names, expected = "topic iteration document grade, divided by white space", 4
        fields = line.split()
    else:
        names, expected = "query, document, grade, divided by tabs", 3
        fields = line.rstrip(b"\r\n").split(b"\t")
    if len(fields) != expected:
        raise InputError(f"{place}: expected {expected} fields, found {len(fields)}: {names}")
    return [fields[0], *fields[-2:]]


def _keep(
    fields: list[bytes], grades: dict[str, dict[str, int]], repairs: Counter[str], place: str
) -> None:
    query, document = text_id(fields[0], place), text_id(fields[1], place)
    if not _GRADE.fullmatch(fields[2]):
        raise InputError(
            f"{place}: grade {fields[2].decode('utf-8', 'replace')[:40]!r}, expected a whole number"
        )
    grade = int(fields[2])
    known = grades.setdefault(query, {})
    before = known.get(document)
    if before is None:
        known[document] = grade
        repairs["negative"] += grade < 0
    elif before == grade:
        repairs["repeated"] += 1
    else:
        raise InputError(
            f"{place}: query {query!r}, document {document!r}: grade {grade}, but {before} in a "
            "line above"
        )


def text_id(value: bytes | str, place: object) -> str:
    """The id of a query or a document. InputError where a file of ids could not hold it."""
    try:
        text = value.decode("utf-8") if isinstance(value, bytes) else value
    except UnicodeDecodeError:
        raise InputError(f"{place}: an id that is not UTF-8") from None
    if not text.strip() or len(text) > _MOST or _UNFIT.search(text):
        raise InputError(
            f"{place}: {text[:40]!r}: expected an id of 1 to {_MOST} characters, none of them a "
            "control character"
        )
    return text
