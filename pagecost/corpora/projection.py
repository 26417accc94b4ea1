"""`projection.csv`: functions as coordinates into files, without any of their text.

A row is a function: byte offsets, zero-based and half-open, of its code and of the pieces of its
documentation comment, and the candidate id that its bytes must hash to.
"""

from __future__ import annotations

import itertools
import re

import msgspec

from pagecost import csvio
from pagecost.errors import InputError

HEADER = ("repository", "path", "name", "doc_spans", "code_start", "code_end", "candidate_id")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,11}")
_ID = re.compile(r"[0-9a-f]{64}")

Span = tuple[int, int]


class Coordinates(msgspec.Struct, frozen=True, gc=False):
    """One row; `place` says where it stands, for messages."""

    place: str
    repository: str
    path: str
    name: str
    doc_spans: tuple[Span, ...]
    code: Span
    candidate_id: str


def parse(data: bytes, where: object) -> list[Coordinates]:
    """The rows, in ascending candidate id. InputError names the line and the field."""
    rows: list[Coordinates] = []
    for place, fields in csvio.read(data, HEADER, where):
        row = _row(fields, place)
        if rows and row.candidate_id <= rows[-1].candidate_id:
            raise InputError(
                f"{place}: candidate_id {row.candidate_id} is not above that of the row before, "
                "expected ascending ids, each once"
            )
        rows.append(row)
    if not rows:
        raise InputError(f"{where}: no row")
    _check_overlaps(rows)
    return rows


def _row(fields: list[str], place: str) -> Coordinates:
    repository, path, name, doc_spans, start, end, candidate_id = fields
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts) or "\\" in path:
        raise InputError(f"{place}: path {path!r} is not a plain relative path")
    if not _ID.fullmatch(candidate_id):
        raise InputError(f"{place}: candidate_id {candidate_id!r}, expected 64 hex digits")
    spans = tuple(_span(*piece.partition("-")[::2], place) for piece in doc_spans.split(" "))
    for (_, before), (after, _) in itertools.pairwise(spans):
        if after < before:
            raise InputError(f"{place}: doc_spans {doc_spans!r} overlap or are out of order")
    return Coordinates(place, repository, path, name, spans, _span(start, end, place), candidate_id)


def _span(start: str, end: str, place: str) -> Span:
    if not _NUMBER.fullmatch(start) or not _NUMBER.fullmatch(end):
        raise InputError(f"{place}: span {start!r} to {end!r}, expected two byte offsets")
    span = (int(start), int(end))
    if span[0] >= span[1]:
        raise InputError(f"{place}: span {start}-{end} is empty or reversed")
    return span


def _check_overlaps(rows: list[Coordinates]) -> None:
    """Two functions' code never shares a byte, and no comment lies inside its own code."""
    by_file: dict[tuple[str, str], list[Coordinates]] = {}
    for row in rows:
        by_file.setdefault((row.repository, row.path), []).append(row)
        for start, end in row.doc_spans:
            if start < row.code[1] and row.code[0] < end:
                raise InputError(
                    f"{row.place}: doc span {start}-{end} overlaps its code "
                    f"{row.code[0]}-{row.code[1]}"
                )
    for several in by_file.values():
        several.sort(key=lambda row: row.code)
        for row, after in itertools.pairwise(several):
            if after.code[0] < row.code[1]:
                raise InputError(
                    f"{after.place}: code {after.code[0]}-{after.code[1]} overlaps that at "
                    f"{row.place}, in {row.path}"
                )
