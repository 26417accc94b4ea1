"""Judgments are read as they are written: repairs are counted, anything else names its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.errors import InputError
from pagecost.qrels import Judgments, Layout, read, text_id
from tests.collection_builders import BOM, packed, write

HEADER = "query-id\tcorpus-id\tscore\n"


def judgments(folder: Path, content: str | bytes, layout: Layout = "trec") -> Judgments:
    return read(write(folder, "judged", content), layout)


def wrong(folder: Path, content: str | bytes, layout: Layout = "trec") -> str:
    """The message of the error, without the folder."""
    with pytest.raises(InputError) as error:
        judgments(folder, content, layout)
    return str(error.value).replace(str(folder / "judged"), "judged")


def repairs(found: Judgments) -> dict[str, int]:
    """Those that were made."""
    return {name: count for name, count in found.repairs.items() if count}


# --- Layouts --------------------------------------------------------------------------------------


def test_trec_divides_by_any_white_space_and_ignores_the_iteration(tmp_path: Path) -> None:
    found = judgments(tmp_path, "1 0 d-1 2\n1\tQ0\td-2\t0\n  2   x   d-1   +1  \n")
    assert found.grades == {"1": {"d-1": 2, "d-2": 0}, "2": {"d-1": 1}}
    assert repairs(found) == {}


def test_beir_divides_by_tabs_alone_and_names_its_columns(tmp_path: Path) -> None:
    found = judgments(tmp_path, HEADER + "q 1\td 1\t2\nq 1\td-2\t0\nq2\td 1\t1", "beir")
    assert found.grades == {"q 1": {"d 1": 2, "d-2": 0}, "q2": {"d 1": 1}}
    assert repairs(found) == {}


def test_beir_without_its_header_is_read_from_the_first_line(tmp_path: Path) -> None:
    assert judgments(tmp_path, "q\td\t1\n", "beir").grades == {"q": {"d": 1}}


@pytest.mark.parametrize(
    ("layout", "content"),
    [("trec", "q 0 é 1\nq 0 b 0\n"), ("beir", f"{HEADER}q\té\t1\nq\tb\t0\n")],
)
def test_gzip_is_read_whatever_the_file_is_called(
    tmp_path: Path, layout: Layout, content: str
) -> None:
    plain = judgments(tmp_path, content, layout)
    assert plain.grades == {"q": {"é": 1, "b": 0}}
    assert judgments(tmp_path, packed(content), layout) == plain
    assert judgments(tmp_path, packed(content[:5]) + packed(content[5:]), layout) == plain
    assert read(write(tmp_path, "plain.gz", content), layout) == plain


# --- Repairs --------------------------------------------------------------------------------------


def test_a_byte_order_mark_is_dropped_and_counted_in_either_layout(tmp_path: Path) -> None:
    found = judgments(tmp_path, BOM + b"q 0 d 1\n")
    assert (found.grades, repairs(found)) == ({"q": {"d": 1}}, {"byte_order_mark": 1})
    found = judgments(tmp_path, BOM + f"{HEADER}q\td\t1\n".encode(), "beir")
    assert (found.grades, repairs(found)) == ({"q": {"d": 1}}, {"byte_order_mark": 1})


def test_a_byte_order_mark_further_down_belongs_to_the_id(tmp_path: Path) -> None:
    found = judgments(tmp_path, b"q 0 d 1\n" + BOM + b"q 0 d 0\n")
    assert found.grades == {"q": {"d": 1}, "\ufeffq": {"d": 0}}
    assert repairs(found) == {}


def test_carriage_returns_are_dropped_and_counted_in_either_layout(tmp_path: Path) -> None:
    found = judgments(tmp_path, "q 0 d 1\r\nq 0 e 0\n")
    assert (found.grades, repairs(found)) == ({"q": {"d": 1, "e": 0}}, {"carriage_returns": 1})
    found = judgments(tmp_path, HEADER.replace("\n", "\r\n") + "q\td\t1\r\n", "beir")
    assert (found.grades, repairs(found)) == ({"q": {"d": 1}}, {"carriage_returns": 2})


def test_blank_lines_are_dropped_and_counted(tmp_path: Path) -> None:
    found = judgments(tmp_path, "\nq 0 d 1\n \t \n\r\nq 0 e 0\n\n")
    assert found.grades == {"q": {"d": 1, "e": 0}}
    assert repairs(found) == {"blank": 4, "carriage_returns": 1}
    assert repairs(judgments(tmp_path, f"{HEADER}\nq\td\t1\n", "beir")) == {"blank": 1}


@pytest.mark.parametrize("grade", ["0", "1", "-1"])
def test_the_same_judgment_again_is_dropped_and_counted(tmp_path: Path, grade: str) -> None:
    found = judgments(tmp_path, f"q 0 d {grade}\nq 1 e 1\nq 1 d {grade}\nq 0 d {grade}\n")
    assert found.grades == {"q": {"d": int(grade), "e": 1}}
    assert found.repairs["repeated"] == 2
    assert found.repairs["negative"] == (grade == "-1")


def test_negative_grades_are_kept_as_they_are_and_counted(tmp_path: Path) -> None:
    found = judgments(tmp_path, "q 0 d -1\nq 0 e -2\nq 0 f 0\nq 0 g -0\n")
    assert found.grades == {"q": {"d": -1, "e": -2, "f": 0, "g": 0}}
    assert repairs(found) == {"negative": 2}


# --- What can't be repaired -----------------------------------------------------------------------


def test_a_grade_that_contradicts_one_above_names_line_query_document_and_both(
    tmp_path: Path,
) -> None:
    expected = "judged: line 3: query 'q', document 'd': grade 2, but 1 in a line above"
    assert wrong(tmp_path, "q 0 d 1\n\nq 0 d 2\n") == expected
    assert wrong(tmp_path, f"{HEADER}q\td\t1\nq\td\t2\n", "beir") == expected
    assert judgments(tmp_path, "q 0 d 1\np 0 d 2\n").grades == {"q": {"d": 1}, "p": {"d": 2}}


@pytest.mark.parametrize(
    ("layout", "line", "fields", "expected"),
    [
        ("trec", "q 0 d", 3, "4: topic iteration document grade, divided by white space"),
        ("trec", "q 0 d 1 x", 5, "4: topic iteration document grade, divided by white space"),
        ("trec", "q", 1, "4: topic iteration document grade, divided by white space"),
        ("beir", "q\td", 2, "3: query, document, grade, divided by tabs"),
        ("beir", "q\t0\td\t1", 4, "3: query, document, grade, divided by tabs"),
        ("beir", "q d 1", 1, "3: query, document, grade, divided by tabs"),
    ],
)
def test_another_number_of_fields_names_the_line_and_what_was_expected(
    tmp_path: Path, layout: Layout, line: str, fields: int, expected: str
) -> None:
    above = "q 0 a 1\n" if layout == "trec" else HEADER
    number, _, names = expected.partition(": ")
    for content in (f"{above}{line}\n", f"{above}{line}", packed(f"{above}{line}\r\n")):
        found = wrong(tmp_path, content, layout)
        assert found == f"judged: line 2: expected {number} fields, found {fields}: {names}"


@pytest.mark.parametrize("grade", ["1.0", "x", "1e3", "++1", "-", "0x1", "٣", "1_0", "9" * 10])
def test_a_grade_that_is_no_whole_number_names_the_line(tmp_path: Path, grade: str) -> None:
    expected = f"judged: line 2: grade {grade!r}, expected a whole number"
    assert wrong(tmp_path, f"q 0 a 1\nq 0 b {grade}\n") == expected
    assert wrong(tmp_path, f"{HEADER}q\tb\t{grade}\n", "beir") == expected


def test_a_grade_of_spaces_is_none_in_beirs_layout(tmp_path: Path) -> None:
    for grade in ("", " 1", "1 "):
        assert "expected a whole number" in wrong(tmp_path, f"q\td\t{grade}\n", "beir")


def test_a_header_is_one_only_in_the_first_line(tmp_path: Path) -> None:
    assert "line 2: grade 'score'" in wrong(tmp_path, HEADER + HEADER, "beir")
    assert "line 2: grade 'score'" in wrong(tmp_path, f"q\td\t1\n{HEADER}", "beir")


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\x7f", "\x85", "\x9f", "\u2028", "\ufffe"])
def test_control_characters_in_an_id_name_the_line(tmp_path: Path, bad: str) -> None:
    for line in (f"q{bad}x 0 d 1", f"q 0 d{bad}x 1"):
        message = wrong(tmp_path, f"q 0 a 1\n{line}\n")
        assert message.startswith("judged: line 2: ")
        assert "none of them a control character" in message
        assert bad not in message


def test_beirs_ids_may_hold_spaces_but_not_be_made_of_them(tmp_path: Path) -> None:
    assert judgments(tmp_path, " q\td \t1\n", "beir").grades == {" q": {"d ": 1}}
    assert "line 1: ' ': expected an id" in wrong(tmp_path, " \td\t1\n", "beir")
    assert "line 1: '': expected an id" in wrong(tmp_path, "q\t\t1\n", "beir")


def test_an_id_that_is_not_utf_8_names_the_line(tmp_path: Path) -> None:
    for line in (b"q\xff 0 d 1\n", b"q 0 d\xc3 1\n", b"q 0 \xed\xa0\x80 1\n"):
        assert wrong(tmp_path, b"q 0 a 1\n" + line) == "judged: line 2: an id that is not UTF-8"


def test_an_id_has_at_most_500_characters(tmp_path: Path) -> None:
    assert judgments(tmp_path, f"q 0 {'é' * 500} 1\n").grades == {"q": {"é" * 500: 1}}
    assert "line 1: 'ddd" in (message := wrong(tmp_path, f"q 0 {'d' * 501} 1\n"))
    assert len(message) < 200


@pytest.mark.parametrize("content", [b"", b"\n \n", BOM, BOM + b"\r\n", packed(b"")])
@pytest.mark.parametrize("layout", ["trec", "beir"])
def test_a_file_without_a_judgment_is_refused(
    tmp_path: Path, content: bytes, layout: Layout
) -> None:
    assert wrong(tmp_path, content, layout) == "judged: no judgment"


def test_a_header_alone_is_no_judgment(tmp_path: Path) -> None:
    assert wrong(tmp_path, HEADER, "beir") == "judged: no judgment"


def test_gzip_that_is_cut_or_damaged_is_refused(tmp_path: Path) -> None:
    whole = packed("".join(f"q 0 d{n} 1\n" for n in range(1000)))
    flipped = bytearray(whole)
    flipped[-6] ^= 0xFF  # in the checksum
    for damaged in (whole[:-4], whole[: len(whole) // 2], whole[:5], flipped, whole + b"junk"):
        assert wrong(tmp_path, bytes(damaged)).startswith("judged: damaged gzip: ")


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match="can't be read: "):
            read(path, "trec")


def test_an_id_may_come_as_text(tmp_path: Path) -> None:
    assert text_id("a b", "here") == "a b"
    for bad in ("", " ", "a\x00", "\x9f"):
        with pytest.raises(InputError, match=r"^here: "):
            text_id(bad, "here")


# --- Any file -------------------------------------------------------------------------------------

ids = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=4)
rows = st.dictionaries(st.tuples(ids, ids), st.integers(-2, 4), min_size=1, max_size=12)


@given(rows, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_any_judgments_come_back_in_either_layout(
    tmp_path_factory: pytest.TempPathFactory,
    judged: dict[tuple[str, str], int],
    end: str,
    gzipped: bool,
    data: st.DataObject,
) -> None:
    folder = tmp_path_factory.getbasetemp()
    again = data.draw(st.lists(st.sampled_from(sorted(judged)), max_size=4))
    lines = [*judged, *again]
    expected: dict[str, dict[str, int]] = {}
    for (query, document), grade in judged.items():
        expected.setdefault(query, {})[document] = grade
    counted = Counter(
        repeated=len(again),
        negative=sum(grade < 0 for grade in judged.values()),
    )
    for layout, made in (
        ("trec", [f"{query} 0 {document} {judged[query, document]}" for query, document in lines]),
        ("beir", [f"{query}\t{document}\t{judged[query, document]}" for query, document in lines]),
    ):
        text = "".join(line + end for line in made).encode()
        name: Layout = "trec" if layout == "trec" else "beir"
        found = judgments(folder, packed(text) if gzipped else text, name)
        assert found.grades == expected
        returns = Counter(carriage_returns=len(lines) if end == "\r\n" else 0)
        assert repairs(found) == {name: n for name, n in (counted + returns).items() if n}


@pytest.mark.parametrize("packing", [bytes, packed])
def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, packing: Callable[[bytes], bytes]
) -> None:
    endless = b"q 0 d 1\n" + b" " * (3 << 20)
    assert wrong(tmp_path, packing(endless)) == ("judged: line 2: longer than 1,048,576 bytes")
