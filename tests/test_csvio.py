"""CSV is written in one way, and read back as it was written."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.csvio import line, read
from pagecost.errors import InputError

field = st.text(st.characters(codec="utf-8"), max_size=12)


@settings(deadline=None)
@given(st.lists(st.tuples(field, field, field), max_size=6))
def test_rows_are_read_back_as_they_were_written(rows: list[tuple[str, str, str]]) -> None:
    data = "".join(line(row) for row in [("a", "b", "c"), *rows]).encode()
    found = [tuple(fields) for _, fields in read(data, ("a", "b", "c"), "x.csv")]
    assert found == rows


@settings(deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r")), min_size=2))
def test_a_line_is_what_the_standard_library_reads(fields: list[str]) -> None:
    assert next(csv.reader(io.StringIO(line(fields), newline=""), strict=True)) == fields


def test_only_what_must_be_quoted_is() -> None:
    assert line(["a b", 'say "x"', "1,2", "\r", 3, ""]) == 'a b,"say ""x""","1,2","\r",3,\n'


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "x.csv: line 1: header '', expected 'a,b'"),
        (b"a,c\n", "x.csv: line 1: header 'a,c', expected 'a,b'"),
        (b"a,b\n1\n", "x.csv: line 2: expected 2 fields, found 1"),
        (b"a,b\r\n1,2\r\n", "x.csv: lines end in CRLF, expected LF"),
        (b"a,b\r1,2\r", "x.csv: line ends: a carriage return outside quotes"),
        (b'a,b\n1,"2\n', "x.csv: line 2: unexpected end of data"),
        (b"\xff", "x.csv: byte 0 is not UTF-8"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(data: bytes, expected: str) -> None:
    with pytest.raises(InputError) as error:
        list(read(data, ("a", "b"), "x.csv"))
    assert str(error.value).startswith(expected)
