"""Ranks of every query, and `ranks.csv`: what is written can be read, and nothing else."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagecost.errors import InputError
from pagecost.model import (
    NOT_FOUND,
    Corpus,
    CorpusPins,
    Document,
    Interleave,
    Policy,
    Query,
    QueryRow,
    RankColumn,
    RankTable,
    RepositoryCount,
)
from pagecost.ranks import from_csv, rank_all, to_csv
from tests.oracle import IDENTIFIERS, RAW

HEADER = "query_id,repository,stratum,relevant,target_path,target_line,target_name,baseline,helper"
DEPTHS = (("baseline", 30), ("helper", 30))
FIRST = "aa,o/r,present,1,a.go,3,F,1,2"
SECOND = "bb,o/r,absent,2,b/c.go,14,T.M,30,"


def document(*lines: str) -> bytes:
    """Those lines under the header, each ended by LF."""
    return "".join(f"{line}\n" for line in (HEADER, *lines)).encode("utf-8")


def read(data: bytes) -> RankTable:
    return from_csv(data, DEPTHS, "ranks.csv")


def message_of(data: bytes) -> str:
    """Why those bytes are refused."""
    with pytest.raises(InputError) as error:
        read(data)
    return str(error.value)


def assert_equal(found: RankTable, expected: RankTable) -> None:
    assert found.rows == expected.rows
    assert [(one.policy, one.depth) for one in found.columns] == [
        (one.policy, one.depth) for one in expected.columns
    ]
    for one, other in zip(found.columns, expected.columns, strict=True):
        assert one.ranks.dtype == other.ranks.dtype == np.int64
        assert one.ranks.tolist() == other.ranks.tolist()


# --- Written and read -----------------------------------------------------------------------------


def row(query_id: str, name: str = "F", path: str = "a.go") -> QueryRow:
    return QueryRow(
        query_id=query_id,
        repository="o/r",
        stratum="present",
        relevant=1,
        target_path=path,
        target_line=3,
        target_name=name,
    )


def table_of(rows: tuple[QueryRow, ...], *ranks: list[int], depth: int = 30) -> RankTable:
    names = ("baseline", "helper", "third")
    columns = (
        RankColumn(name, np.array(column, dtype=np.int64), depth)
        for name, column in zip(names, ranks, strict=False)
    )
    return RankTable(rows=rows, columns=tuple(columns))


def round_trip(table: RankTable) -> None:
    data = to_csv(table)
    depths = [(column.policy, column.depth) for column in table.columns]
    assert_equal(from_csv(data, depths, "ranks.csv"), table)
    assert to_csv(from_csv(data, depths, "ranks.csv")) == data


def test_the_bytes_are_one_header_and_one_line_a_query() -> None:
    rows = (row("aa"), row("bb", name='T."M",é', path="b c.go"))
    data = to_csv(table_of(rows, [1, 30], [2, NOT_FOUND]))
    assert data.decode("utf-8") == (
        f'{HEADER}\naa,o/r,present,1,a.go,3,F,1,2\nbb,o/r,present,1,b c.go,3,"T.""M"",é",30,\n'
    )


def test_not_found_is_written_empty_and_read_back_as_not_found() -> None:
    table = table_of((row("aa"),), [NOT_FOUND], [7])
    assert to_csv(table).endswith(b",F,,7\n")
    round_trip(table)


def test_what_was_read_stands_in_its_fields() -> None:
    table = read(document(FIRST, SECOND))
    assert table.rows[1] == QueryRow(
        query_id="bb",
        repository="o/r",
        stratum="absent",
        relevant=2,
        target_path="b/c.go",
        target_line=14,
        target_name="T.M",
    )
    assert table.column("baseline").ranks.tolist() == [1, 30]
    assert table.column("helper").ranks.tolist() == [2, NOT_FOUND]
    with pytest.raises(KeyError):
        table.column("third")


# Carriage returns have their own test below.
nasty_names = st.text(st.sampled_from(",\"'\n \t;=aé中😀\x00\x1c\x85\u2028\ufeff#"), max_size=6)
names = st.one_of(nasty_names, st.text(max_size=8).map(lambda name: name.replace("\r", "")))


@st.composite
def tables(draw: st.DrawFn) -> RankTable:
    ids = sorted(draw(st.sets(names, min_size=1, max_size=6)))
    depth = draw(st.sampled_from((1, 30, 10**7)))
    rows = tuple(
        QueryRow(
            query_id=one,
            repository=draw(names),
            stratum=draw(names),
            relevant=draw(st.integers(1, 9)),
            target_path=draw(names),
            target_line=draw(st.integers(1, 10**17)),
            target_name=draw(names),
        )
        for one in ids
    )
    rank = st.one_of(st.just(NOT_FOUND), st.integers(1, depth))
    column = st.lists(rank, min_size=len(rows), max_size=len(rows))
    count = draw(st.integers(1, 3))
    return table_of(rows, *(draw(column) for _ in range(count)), depth=depth)


@settings(deadline=None, max_examples=200)
@given(tables())
@example(table_of((row("aa", name='a,"b"\nc'), row("bb", path="\n")), [1, 2]))
@example(table_of((row("", name=""),), [1]))
def test_a_table_is_read_back_as_it_was_written(table: RankTable) -> None:
    round_trip(table)


@pytest.mark.parametrize("name", ["a\rb", "\r", "a\r\nb", 'a\r,"b'])
def test_a_name_with_a_carriage_return_is_read_back_as_it_was_written(name: str) -> None:
    round_trip(table_of((row("aa", name=name), row("bb", path=name)), [1, 2], [3, 4]))


# --- Refused, with the line -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "header",
    [
        HEADER.replace("stratum", "strata"),
        HEADER.replace(",helper", ""),
        f"{HEADER},third",
        HEADER.replace("baseline,helper", "helper,baseline"),
        HEADER.upper(),
        FIRST,
        "",
    ],
)
def test_another_header_is_refused_with_the_one_expected(header: str) -> None:
    data = f"{header}\n{FIRST}\n".encode()
    message = message_of(data)
    assert message.startswith("ranks.csv: line 1: header ")
    assert repr(HEADER) in message


def test_an_empty_file_is_refused_for_its_header() -> None:
    assert message_of(b"").startswith("ranks.csv: line 1: header ''")


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("bb,o/r,absent,2,b/c.go,14,T.M,30", 8),
        ("bb,o/r,absent,2,b/c.go,14,T.M,30,,", 10),
        ("bb", 1),
        ("", 0),
    ],
)
def test_a_row_with_another_number_of_fields_is_refused(line: str, count: int) -> None:
    message = message_of(document(FIRST, line, "cc,o/r,absent,1,c.go,1,C,1,1"))
    assert message == f"ranks.csv: line 3: {count} fields, expected 9"


def test_a_repeated_query_is_refused() -> None:
    message = message_of(document(FIRST, FIRST))
    assert message.startswith("ranks.csv: line 3: query_id 'aa' is a repeat of the row above")


def test_a_query_out_of_order_is_refused() -> None:
    message = message_of(document(SECOND, FIRST))
    assert message.startswith("ranks.csv: line 3: query_id 'aa' is before the row above")
    assert "expected ascending ids" in message


@pytest.mark.parametrize(
    "rank",
    [
        "0",
        "-1",
        "1.0",
        "1.5",
        "1e1",
        "01",
        "007",
        "+1",
        " 1",
        "1 ",
        "x",
        "nan",
        "٣",
        "1٣",
        "1_0",
        "0x1",
    ],
)
def test_a_rank_that_is_not_a_plain_whole_number_is_refused(rank: str) -> None:
    message = message_of(document(FIRST, f"bb,o/r,absent,2,b/c.go,14,T.M,{rank},1"))
    assert message.startswith(f"ranks.csv: line 3: baseline: {rank!r}, expected a whole number")


@pytest.mark.parametrize("rank", [31, 1000, 999_999_999_999_999_999])
def test_a_rank_beyond_the_candidates_delivered_is_refused(rank: int) -> None:
    message = message_of(document(FIRST, f"bb,o/r,absent,2,b/c.go,14,T.M,1,{rank}"))
    assert message == (
        f"ranks.csv: line 3: helper: rank {rank}, expected 1 to 30, or empty for not found"
    )


def test_a_rank_too_long_for_any_corpus_is_refused_and_does_not_overflow() -> None:
    message = message_of(document(f"aa,o/r,absent,2,b/c.go,14,T.M,{'9' * 30},1"))
    assert message.startswith("ranks.csv: line 2: baseline: ")


def test_each_policy_has_its_own_depth() -> None:
    depths = (("baseline", 30), ("helper", 2))
    assert from_csv(document(FIRST), depths, "ranks.csv").column("helper").depth == 2
    with pytest.raises(InputError, match="line 2: helper: rank 3, expected 1 to 2"):
        from_csv(document(FIRST[:-1] + "3"), depths, "ranks.csv")


@pytest.mark.parametrize("value", ["0", "-1", "", "01", "1.0", "x"])
@pytest.mark.parametrize(("field", "place"), [("relevant", 3), ("target_line", 5)])
def test_a_count_that_is_not_at_least_one_is_refused(value: str, field: str, place: int) -> None:
    fields = FIRST.split(",")
    fields[place] = value
    message = message_of(document(",".join(fields)))
    assert message.startswith(f"ranks.csv: line 2: {field}: {value!r}, expected a whole number")


@pytest.mark.parametrize("place", [3, 5])
def test_a_count_too_long_for_an_integer_of_64_bits_is_refused(place: int) -> None:
    fields = FIRST.split(",")
    fields[place] = "9" * 18
    assert len(read(document(",".join(fields))).rows) == 1
    fields[place] = "9" * 19
    assert message_of(document(",".join(fields))).startswith("ranks.csv: line 2: ")


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    """A name may hold a line break; the line named is still the one to look at."""
    data = document('aa,o/r,present,1,a.go,3,"F\nG",1,2', "bb,o/r,absent,2,b/c.go,14,T.M,0,1")
    assert message_of(data).startswith("ranks.csv: line 4: baseline: '0'")


def test_an_open_quote_is_refused() -> None:
    message = message_of(document(FIRST, 'bb,o/r,absent,2,b/c.go,14,"T.M,30,'))
    assert message.startswith("ranks.csv: line 3: ")


def test_text_behind_a_closing_quote_is_refused() -> None:
    message = message_of(document(FIRST, 'bb,o/r,absent,2,b/c.go,14,"T"M,30,'))
    assert message.startswith("ranks.csv: line 3: ")


# --- Refused, byte by byte ------------------------------------------------------------------------


def test_no_row_is_refused() -> None:
    assert message_of(document()) == "ranks.csv: no query"


def test_crlf_is_refused_with_where_to_look() -> None:
    message = message_of(document(FIRST, SECOND).replace(b"\n", b"\r\n"))
    assert message == "ranks.csv: lines end in CRLF, expected LF (see .gitattributes)"


@pytest.mark.parametrize("line", [1, 2, 3])
def test_a_single_crlf_is_refused(line: int) -> None:
    lines = document(FIRST, SECOND).splitlines()
    lines[line - 1] += b"\r"
    message = message_of(b"\n".join(lines) + b"\n")
    assert "CRLF" in message or "line ends" in message


def test_lines_ended_by_a_carriage_return_are_refused() -> None:
    assert "line ends" in message_of(document(FIRST, SECOND).replace(b"\n", b"\r"))


def test_a_byte_order_mark_is_refused() -> None:
    message = message_of(b"\xef\xbb\xbf" + document(FIRST))
    assert message.startswith("ranks.csv: starts with a byte-order mark")


def test_bytes_that_are_not_utf8_are_refused_with_their_place() -> None:
    data = document(FIRST, SECOND)
    place = data.index(b"T.M")
    for wrong in (b"\xff", b"\xe9", b"\xc0\x80", b"\xed\xa0\x80"):
        message = message_of(data[:place] + wrong + data[place:])
        assert message == f"ranks.csv: byte {place} is not UTF-8"


def test_a_missing_final_line_break_is_refused() -> None:
    assert "line ends" in message_of(document(FIRST, SECOND)[:-1])


def test_a_further_final_line_break_is_refused() -> None:
    assert message_of(document(FIRST) + b"\n") == "ranks.csv: line 3: 0 fields, expected 9"


@pytest.mark.parametrize(
    "line",
    [
        FIRST.replace("aa", '"aa"'),
        FIRST.replace(",F,", ',"F",'),
        FIRST.replace(",1,2", ',1,"2"'),
        'aa,o/r,present,1,a.go,3,F,1,""',
    ],
)
def test_needless_quotes_are_refused(line: str) -> None:
    assert "quoting" in message_of(document(line))


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_bytes_changed_anywhere_are_refused_or_are_canonical_themselves(
    data: st.DataObject,
) -> None:
    """Two files never hold the same table, so a digest of the bytes is one of the ranks."""
    original = document(FIRST, SECOND)
    place = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[place : place + data.draw(st.integers(0, 1))] = data.draw(
        st.sampled_from((b"", b"0", b"1", b'"', b'""', b",", b"\n", b"\r", b" ", b"\xff", b"z"))
    )
    try:
        table = read(bytes(changed))
    except InputError as error:
        assert str(error).startswith("ranks.csv: ")
    else:
        assert to_csv(table) == bytes(changed)


# --- Ranking a corpus -----------------------------------------------------------------------------


def corpus() -> Corpus:
    texts = ("get name", "getName", "http", "name")
    documents = tuple(
        Document(
            id=f"{position:064d}",
            repository="o/r",
            path=f"{position}.go",
            name=f"F{position}",
            line=10 + position,
            text=text,
        )
        for position, text in enumerate(texts)
    )
    queries = (
        Query(id="aa", text="name", repository="o/r", stratum="present", relevant=(1,)),
        Query(id="bb", text="HTTP name", repository="o/r", stratum="absent", relevant=(2, 3)),
    )
    digest = hashlib.sha256(b"").hexdigest()
    return Corpus(
        documents=documents,
        queries=queries,
        counts=CorpusPins(
            documents=4,
            queries=2,
            membership=digest,
            query_hash=digest,
            repositories=[RepositoryCount(name="o/r", documents=4, queries=2)],
            strata={"present": 1, "absent": 1},
            exclusions={},
        ),
    )


POLICIES = (
    Policy(name="baseline", ranking=RAW),
    Policy(name="identifiers", ranking=IDENTIFIERS),
    Policy(name="helper", ranking=Interleave(first="baseline", second="identifiers")),
)


def test_every_query_is_ranked_under_every_policy_at_full_depth() -> None:
    table = rank_all(POLICIES, corpus())
    assert [(one.policy, one.depth) for one in table.columns] == [
        ("baseline", 4),
        ("identifiers", 4),
        ("helper", 4),
    ]
    # `name`: raw finds 3 and 0; split, 3 is shortest, then 0 and 1 tie in document order.
    assert table.column("baseline").ranks.tolist() == [3, 1]
    assert table.column("identifiers").ranks.tolist() == [3, 1]
    assert table.column("helper").ranks.tolist() == [3, 1]
    round_trip(table)


def test_a_row_names_the_first_relevant_document_in_corpus_order() -> None:
    assert rank_all(POLICIES, corpus()).rows[1] == QueryRow(
        query_id="bb",
        repository="o/r",
        stratum="absent",
        relevant=2,
        target_path="2.go",
        target_line=12,
        target_name="F2",
    )


def test_progress_is_told_after_every_query() -> None:
    told: list[tuple[int, int]] = []
    rank_all(POLICIES, corpus(), lambda *one: told.append(one))
    assert told == [(1, 2), (2, 2)]
