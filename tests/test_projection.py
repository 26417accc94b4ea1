"""`projection.csv`: coordinates that are not as they must be are refused by line and field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pagecost.corpora.projection import HEADER, Coordinates, parse
from pagecost.errors import InputError
from tests.builders import (
    PROJECTION_HEADER,
    TREES,
    ProjectionRow,
    projection_bytes,
    projection_of,
    projection_rows,
)

A, B, C = "a" * 64, "b" * 64, "c" * 64


def row(candidate_id: str = A, code: tuple[int, int] = (20, 40), **changes: str) -> ProjectionRow:
    made = ProjectionRow("o/r", "d/f.go", "F", "0-5 6-19", code[0], code[1], candidate_id)
    return changed(made, changes)


def changed(row: ProjectionRow, changes: Mapping[str, str]) -> ProjectionRow:
    return replace(row, **changes)


def refusal(*rows: ProjectionRow | str) -> str:
    """Why that file is refused. The message names it."""
    lines = (one if isinstance(one, str) else one.line() for one in rows)
    with pytest.raises(InputError) as error:
        parse((PROJECTION_HEADER + "".join(lines)).encode("utf-8"), "here/projection.csv")
    message = str(error.value)
    assert message.startswith("here/projection.csv: ")
    return message


def test_a_row_is_read_as_it_stands() -> None:
    (found,) = parse(projection_bytes([row()]), "p.csv")
    assert found == Coordinates(
        place="p.csv: line 2",
        repository="o/r",
        path="d/f.go",
        name="F",
        doc_spans=((0, 5), (6, 19)),
        code=(20, 40),
        candidate_id=A,
    )


def test_every_invented_function_is_read() -> None:
    found = parse(projection_of(), "p.csv")
    assert [one.candidate_id for one in found] == [one.candidate_id for one in projection_rows()]
    assert len(found) == sum(len(tree.rows()) for tree in TREES)


def test_names_may_hold_what_names_hold() -> None:
    data = projection_bytes([row(name='"T[K, V].Méthode"')])
    assert parse(data, "p.csv")[0].name == "T[K, V].Méthode"


def test_code_may_touch_other_code_and_its_own_comment() -> None:
    parse(projection_bytes([row(A, (19, 40)), row(B, (40, 60), doc_spans="0-5")]), "p.csv")


def test_the_same_span_in_another_file_or_repository_is_no_overlap() -> None:
    rows = [row(A), row(B, path="d/g.go"), row(C, repository="o/s")]
    assert len(parse(projection_bytes(rows), "p.csv")) == 3


def test_pieces_of_a_comment_may_touch() -> None:
    assert parse(projection_bytes([row(doc_spans="0-5 5-9")]), "p.csv")[0].doc_spans == (
        (0, 5),
        (5, 9),
    )


WRONG: dict[str, tuple[dict[str, str], str]] = {
    "code that is reversed": (
        {"code_start": "40", "code_end": "20"},
        "line 2: span 40-20 is empty or reversed",
    ),
    "code that is empty": ({"code_end": "20"}, "line 2: span 20-20 is empty or reversed"),
    "a negative offset": ({"code_start": "-1"}, "span '-1' to '40', expected two byte offsets"),
    "an offset with a point": ({"code_end": "40.0"}, "span '20' to '40.0', expected two byte"),
    "an offset with a sign": ({"code_end": "+40"}, "span '20' to '+40', expected two byte"),
    "an offset with a zero before": ({"code_end": "040"}, "span '20' to '040', expected two byte"),
    "an offset with a blank": ({"code_end": " 40"}, "span '20' to ' 40', expected two byte"),
    "an offset in other digits": ({"code_end": "٤٠"}, "span '20' to '٤٠', expected two byte"),
    "an offset of 13 digits": ({"code_end": "4" * 13}, "expected two byte offsets"),
    "an offset with a line break": ({"code_end": '"40\n"'}, "expected two byte offsets"),
    "no offset": ({"code_start": ""}, "span '' to '40', expected two byte offsets"),
    "a comment that is reversed": ({"doc_spans": "5-0"}, "span 5-0 is empty or reversed"),
    "no comment": ({"doc_spans": ""}, "span '' to '', expected two byte offsets"),
    "half a span": ({"doc_spans": "0-5 6"}, "span '6' to '', expected two byte offsets"),
    "a span of three": ({"doc_spans": "0-5-9"}, "span '0' to '5-9', expected two byte offsets"),
    "two blanks": ({"doc_spans": "0-5  6-9"}, "span '' to '', expected two byte offsets"),
    "pieces that overlap": (
        {"doc_spans": "0-5 4-9"},
        "doc_spans '0-5 4-9' overlap or are out of order",
    ),
    "pieces out of order": (
        {"doc_spans": "6-9 0-5"},
        "doc_spans '6-9 0-5' overlap or are out of order",
    ),
    "a comment inside its code": (
        {"doc_spans": "25-30"},
        "line 2: doc span 25-30 overlaps its code 20-40",
    ),
    "a comment that runs into its code": ({"doc_spans": "0-21"}, "doc span 0-21 overlaps its code"),
    "a comment around its code": ({"doc_spans": "0-99"}, "doc span 0-99 overlaps its code 20-40"),
    "an id in capitals": ({"candidate_id": "A" * 64}, "expected 64 hex digits"),
    "an id too short": ({"candidate_id": "a" * 63}, "expected 64 hex digits"),
    "an id with a line break": ({"candidate_id": f'"{A}\n"'}, "expected 64 hex digits"),
    "a path upwards": ({"path": "../f.go"}, "path '../f.go' is not a plain relative path"),
    "an absolute path": ({"path": "/f.go"}, "path '/f.go' is not a plain relative path"),
    "a path with a dot": ({"path": "d/./f.go"}, "path 'd/./f.go' is not a plain relative path"),
    "a path with backslashes": ({"path": "d\\f.go"}, "is not a plain relative path"),
    "no path": ({"path": ""}, "path '' is not a plain relative path"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_field_is_refused_by_its_line(case: str) -> None:
    changes, expected = WRONG[case]
    assert expected in refusal(changed(row(), changes))


def test_the_line_is_that_of_the_wrong_row_among_others() -> None:
    assert "line 3: span 50-45" in refusal(row(A), row(B, (50, 45)), row(C, (60, 70)))


@pytest.mark.parametrize(
    "second", [(39, 60), (20, 40), (0, 21), (25, 30), (10, 90)], ids=lambda span: f"{span}"
)
def test_code_that_shares_a_byte_with_other_code_is_refused(second: tuple[int, int]) -> None:
    message = refusal(row(A, (20, 40)), row(B, second, doc_spans="95-99"))
    assert "overlaps that at here/projection.csv: line " in message
    assert message.endswith(", in d/f.go")


def test_overlaps_are_found_among_rows_that_are_not_neighbours() -> None:
    rows = [row(A, (20, 40)), row(B, (60, 70)), row(C, (30, 35), doc_spans="1-2")]
    assert "line 4: code 30-35 overlaps that at here/projection.csv: line 2" in refusal(*rows)


def test_ids_ascend_and_stand_once() -> None:
    expected = "line 3: candidate_id " + A + " is not above that of the row before"
    assert expected in refusal(row(B), row(A, (50, 60)))
    assert expected in refusal(row(A), row(A, (50, 60)))


FILES: dict[str, tuple[str, str]] = {
    "nothing": ("", "line 1: header '', expected 'repository,path,name,doc_spans,"),
    "a header alone": (PROJECTION_HEADER, "no row"),
    "another header": (
        PROJECTION_HEADER.replace("code_start", "start"),
        "line 1: header 'repository,path,name,doc_spans,start,code_end,candidate_id', expected",
    ),
    "a field too few": (
        PROJECTION_HEADER + "o/r,f.go,F,0-1,2,3\n",
        "line 2: expected 7 fields, found 6",
    ),
    "a field too many": (
        PROJECTION_HEADER + row().line()[:-1] + ",\n",
        "line 2: expected 7 fields, found 8",
    ),
    "an empty line": (
        PROJECTION_HEADER + "\n" + row().line(),
        "line 2: expected 7 fields, found 0",
    ),
    "a quote left open": (PROJECTION_HEADER + '"o/r' + row().line(), "line 2: unexpected end"),
    "CRLF": (
        (PROJECTION_HEADER + row().line()).replace("\n", "\r\n"),
        "lines end in CRLF, expected LF (see .gitattributes)",
    ),
    "CR": ((PROJECTION_HEADER + row().line()).replace("\n", "\r"), "a carriage return outside"),
    "a byte-order mark": ("\ufeff" + PROJECTION_HEADER + row().line(), "a byte-order mark"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_no_projection_is_refused(case: str) -> None:
    text, expected = FILES[case]
    with pytest.raises(InputError) as error:
        parse(text.encode("utf-8"), "here/projection.csv")
    assert str(error.value).startswith("here/projection.csv: ")
    assert expected in str(error.value)


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    data = projection_bytes([row(name="caf_")]).replace(b"caf_", b"caf\xe9")
    with pytest.raises(InputError, match=r"projection\.csv: byte 78 is not UTF-8"):
        parse(data, "projection.csv")


def test_the_header_is_that_of_the_published_method() -> None:
    assert ",".join(HEADER) + "\n" == PROJECTION_HEADER
