"""CSV in and out: one way to write a line, one strict way to read a file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from pagecost.errors import InputError
from pagecost.jsonio import text_of

_QUOTED = re.compile(r'"[^"]*"')
_NEEDS_QUOTES = re.compile(r'[,"\r\n]')


def line(fields: Iterable[object]) -> str:
    """One line, LF at its end. Quoted only where needed.

    Not `csv.writer`, which leaves a lone carriage return unquoted and then can't read it back.
    """
    return ",".join(map(_field, fields)) + "\n"


def _field(value: object) -> str:
    text = str(value)
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def read(data: bytes, header: Sequence[str], where: object) -> Iterator[tuple[str, list[str]]]:
    """The rows below the header, each with its place for messages.

    InputError where the header is another, a row has more or fewer fields, or lines don't end in
    LF. Every line break outside quotes is one LF, so rows are what they look like.
    """
    text = text_of(data, where)
    outside = _QUOTED.sub("", text)
    if "\r\n" in outside:
        raise InputError(f"{where}: lines end in CRLF, expected LF (see .gitattributes)")
    if "\r" in outside:
        raise InputError(f"{where}: line ends: a carriage return outside quotes, expected LF")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        found = next(reader, [])
        if found != list(header):
            raise InputError(
                f"{where}: line 1: header {','.join(found)!r}, expected {','.join(header)!r}"
            )
        for fields in reader:
            place = f"{where}: line {reader.line_num}"
            if len(fields) != len(header):
                raise InputError(f"{place}: expected {len(header)} fields, found {len(fields)}")
            yield place, fields
    except csv.Error as error:
        raise InputError(f"{where}: line {reader.line_num}: {error}") from None
