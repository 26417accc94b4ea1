"""Ranks of every query, and `ranks.csv`: what is written can be read, and nothing else."""

from __future__ import annotations

import hashlib
import json

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagecost import plan as plans
from pagecost.errors import InputError
from pagecost.model import (
    NOT_FOUND,
    SEARCHES_WITH_RUNS,
    TIES_WITH_RUNS,
    Corpus,
    CorpusPins,
    Deferred,
    Document,
    Interleave,
    JudgmentPins,
    PinnedFile,
    Plan,
    Policy,
    Query,
    QueryRow,
    RankColumn,
    RankTable,
    RepositoryCount,
    Run,
    RunPins,
)
from pagecost.policies import resolve
from pagecost.ranks import Layout, from_csv, layout, rank_all, to_csv
from tests.builders import archives_corpus, plan_of
from tests.oracle import (
    IDENTIFIERS,
    RAW,
    Leaf,
    bm25_scores,
    by_score,
    order_of,
    page_by_page,
    rank_of,
)

HEADER = "query_id,repository,stratum,relevant,target_path,target_line,target_name,baseline,helper"
LAYOUT = (Layout("baseline", 30), Layout("helper", 30))
FIRST = "aa,o/r,present,1,a.go,3,F,1,2"
SECOND = "bb,o/r,absent,2,b/c.go,14,T.M,30,"


def document(*lines: str) -> bytes:
    """Those lines under the header, each ended by LF."""
    return "".join(f"{line}\n" for line in (HEADER, *lines)).encode("utf-8")


def read(data: bytes) -> RankTable:
    return from_csv(data, LAYOUT, "ranks.csv")


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
    depths = [Layout(column.policy, column.deepest) for column in table.columns]
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
    assert message == f"ranks.csv: line 3: expected 9 fields, found {count}"


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
    depths = (Layout("baseline", 30), Layout("helper", 2))
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
    assert message_of(document(FIRST) + b"\n") == "ranks.csv: line 3: expected 9 fields, found 0"


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


def plan() -> Plan:
    """An invented draft with those policies and that corpus's pins."""
    policies = msgspec.to_builtins(POLICIES)
    made = plan_of(archives_corpus(), "tiny", "1", policies=policies)
    draft = plans.parse(json.dumps(made).encode(), "plan.json")
    pinned = msgspec.structs.replace(draft.corpus, pins=corpus().counts)
    return msgspec.structs.replace(draft, corpus=pinned)


def test_every_query_is_ranked_under_every_policy_at_full_depth() -> None:
    table = rank_all(plan(), corpus())
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
    assert rank_all(plan(), corpus()).rows[1] == QueryRow(
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
    rank_all(plan(), corpus(), lambda *one: told.append(one))
    assert told == [(1, 2), (2, 2)]


# --- Depths and unjudged candidates ---------------------------------------------------------------

DEEP = "query_id,repository,stratum,relevant,target_path,target_line,target_name"
DEEP_HEADER = (
    f"{DEEP},bm25,bm25:unjudged@2,bm25:unjudged@5,run,run:depth,run:unjudged@2,run:unjudged@5"
)
DEEP_LAYOUT = (Layout("bm25", 9, (2, 5)), Layout("run", None, (2, 5)))
# Rank 3 of 9: 4 candidates at 2 a page, 5 at 5. Rank 2 of 3: 2 and 3. Not found in 4: 4 and 4.
DEEP_FIRST = "q1,,,2,doc-1,,,3,4,5,2,3,2,3"
DEEP_SECOND = "q2,,,1,doc-2,,,1,0,0,,4,1,4"


def deep(*lines: str) -> bytes:
    """Those lines under the header of a collection with a run, each ended by LF."""
    return "".join(f"{line}\n" for line in (DEEP_HEADER, *lines)).encode()


def deep_message(*lines: str) -> str:
    with pytest.raises(InputError) as error:
        from_csv(deep(*lines), DEEP_LAYOUT, "ranks.csv")
    return str(error.value)


def test_depths_and_unjudged_candidates_are_read_where_they_stand() -> None:
    table = from_csv(deep(DEEP_FIRST, DEEP_SECOND), DEEP_LAYOUT, "ranks.csv")
    bm25, run = table.columns
    assert (bm25.policy, bm25.depth) == ("bm25", 9)
    assert bm25.ranks.tolist() == [3, 1]
    assert {size: one.tolist() for size, one in bm25.unjudged.items()} == {2: [4, 0], 5: [5, 0]}
    assert not isinstance(run.depth, int)
    assert run.depth.tolist() == [3, 4]
    assert run.deepest == 4
    assert run.ranks.tolist() == [2, NOT_FOUND]
    assert {size: one.tolist() for size, one in run.unjudged.items()} == {2: [2, 1], 5: [3, 4]}
    assert [row.target_line for row in table.rows] == [0, 0]
    assert to_csv(table) == deep(DEEP_FIRST, DEEP_SECOND)


def with_value(line: str, column: str, value: str) -> str:
    """The line with another value in that column."""
    fields = line.split(",")
    fields[DEEP_HEADER.split(",").index(column)] = value
    return ",".join(fields)


@pytest.mark.parametrize("value", ["", "-1", "x", "1.0", "03", "+3", " 3", "٣", "9" * 19])
@pytest.mark.parametrize("column", ["run:depth", "run:unjudged@5", "bm25:unjudged@2"])
def test_a_count_that_is_no_plain_whole_number_is_refused_by_its_column(
    column: str, value: str
) -> None:
    message = deep_message(DEEP_FIRST, with_value(DEEP_SECOND, column, value))
    assert message == (
        f"ranks.csv: line 3: {column}: {value!r}, expected a whole number of at least 0"
    )


def test_a_rank_beyond_what_was_delivered_for_its_own_query_is_refused() -> None:
    assert deep_message(DEEP_FIRST, with_value(DEEP_SECOND, "run", "5")) == (
        "ranks.csv: line 3: run: rank 5, expected 1 to 4, or empty for not found"
    )
    assert deep_message(with_value(DEEP_FIRST, "run:depth", "1"), DEEP_SECOND) == (
        "ranks.csv: line 2: run: rank 2, expected 1 to 1, or empty for not found"
    )


def test_nothing_delivered_leaves_only_not_found() -> None:
    nothing = "q3,,,1,doc-3,,,1,0,0,,0,0,0"
    table = from_csv(deep(DEEP_FIRST, nothing), DEEP_LAYOUT, "ranks.csv")
    assert table.column("run").of(np.array([1])).deepest == 0
    assert to_csv(table) == deep(DEEP_FIRST, nothing)
    message = deep_message(DEEP_FIRST, with_value(nothing, "run", "1"))
    assert message.startswith("ranks.csv: line 3: run: rank 1, expected 1 to 0")
    assert deep_message(DEEP_FIRST, with_value(nothing, "run:unjudged@5", "1")) == (
        "ranks.csv: line 3: run:unjudged@5: 1, but 0 candidates stand on its pages"
    )


@pytest.mark.parametrize(
    ("line", "column", "most"),
    [
        (DEEP_FIRST, "bm25:unjudged@2", 4),  # two pages of two
        (DEEP_FIRST, "bm25:unjudged@5", 5),
        (DEEP_FIRST, "run:unjudged@2", 2),
        (DEEP_FIRST, "run:unjudged@5", 3),  # the only page is not full
        (DEEP_SECOND, "bm25:unjudged@2", 2),
        (DEEP_SECOND, "run:unjudged@2", 4),  # not found: all that was delivered
        (DEEP_SECOND, "run:unjudged@5", 4),
    ],
)
def test_more_unjudged_than_candidates_on_the_pages_read_are_refused(
    line: str, column: str, most: int
) -> None:
    from_csv(deep(with_value(line, column, str(most))), DEEP_LAYOUT, "ranks.csv")
    assert deep_message(with_value(line, column, str(most + 1))) == (
        f"ranks.csv: line 2: {column}: {most + 1}, but {most} candidates stand on its pages"
    )


def test_only_the_documents_of_a_collection_have_no_line() -> None:
    fields = FIRST.split(",")
    fields[5] = ""
    message = message_of(document(",".join(fields)))
    assert message.startswith("ranks.csv: line 2: target_line: '', expected a whole number")
    assert deep_message(with_value(DEEP_FIRST, "target_line", "0")).startswith(
        "ranks.csv: line 2: target_line: '0', expected a whole number of at least 1"
    )


@pytest.mark.parametrize(
    "header",
    [
        DEEP_HEADER.replace(",run:depth", ""),
        DEEP_HEADER.replace("run,run:depth", "run:depth,run"),
        DEEP_HEADER.replace("unjudged@2", "unjudged@3"),
        DEEP_HEADER.replace(",bm25:unjudged@5", ""),
        DEEP_HEADER.replace("bm25,", "bm25,bm25:depth,"),
    ],
)
def test_other_columns_than_a_plan_asks_for_are_refused(header: str) -> None:
    with pytest.raises(InputError, match=r"^ranks\.csv: line 1: header "):
        from_csv(f"{header}\n{DEEP_FIRST}\n".encode(), DEEP_LAYOUT, "ranks.csv")


@st.composite
def deep_tables(draw: st.DrawFn) -> tuple[RankTable, list[Layout]]:
    """Any columns a plan could ask for, and values that can be: one depth, or one a query."""
    ids = sorted(draw(st.sets(names, min_size=1, max_size=5)))
    judged = draw(st.booleans())
    sizes = sorted(draw(st.sets(st.integers(1, 40), min_size=1, max_size=3))) if judged else []
    columns, layouts = [], []
    for name in ("a", "b.c", "d-e")[: draw(st.integers(1, 3))]:
        whole = draw(st.one_of(st.none(), st.integers(1, 60)))
        depths = [draw(st.integers(0, 60)) if whole is None else whole for _ in ids]
        ranks = [draw(st.integers(0, depth)) for depth in depths]
        unjudged = {
            size: [
                draw(st.integers(0, page_by_page(rank or None, size, depth, lambda _: 0)[1]))
                for rank, depth in zip(ranks, depths, strict=True)
            ]
            for size in sizes
        }
        columns.append(
            RankColumn(
                name,
                np.array(ranks, dtype=np.int64),
                np.array(depths, dtype=np.int64) if whole is None else whole,
                {size: np.array(one, dtype=np.int64) for size, one in unjudged.items()},
            )
        )
        layouts.append(Layout(name, whole, tuple(sizes)))
    lines = st.integers(0 if judged else 1, 99)
    rows = tuple(
        QueryRow(one, draw(names), draw(names), 1, draw(names), draw(lines), draw(names))
        for one in ids
    )
    return RankTable(rows=rows, columns=tuple(columns)), layouts


@settings(deadline=None, max_examples=200)
@given(deep_tables())
def test_a_table_with_depths_and_unjudged_counts_is_read_back_as_it_was_written(
    drawn: tuple[RankTable, list[Layout]],
) -> None:
    table, layouts = drawn
    data = to_csv(table)
    found = from_csv(data, layouts, "ranks.csv")
    assert found.rows == table.rows
    for one, other in zip(found.columns, table.columns, strict=True):
        assert one.policy == other.policy
        assert isinstance(one.depth, int) == isinstance(other.depth, int)
        assert np.array_equal(one.depth, other.depth)
        assert one.ranks.tolist() == other.ranks.tolist()
        assert list(one.unjudged) == list(other.unjudged)
        for size, counts in one.unjudged.items():
            assert counts.dtype == np.int64
            assert counts.tolist() == other.unjudged[size].tolist()
    assert to_csv(found) == data


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_deep_bytes_changed_anywhere_are_refused_or_are_canonical_themselves(
    data: st.DataObject,
) -> None:
    original = deep(DEEP_FIRST, DEEP_SECOND)
    place = data.draw(st.integers(0, len(original) - 1))
    changed = bytearray(original)
    changed[place : place + data.draw(st.integers(0, 1))] = data.draw(
        st.sampled_from((b"", b"0", b"1", b"9", b'"', b",", b"\n", b"-", b" ", b":", b"z"))
    )
    try:
        table = from_csv(bytes(changed), DEEP_LAYOUT, "ranks.csv")
    except InputError as error:
        assert str(error).startswith("ranks.csv: ")
    else:
        assert to_csv(table) == bytes(changed)


# --- Ranking with runs and judgments --------------------------------------------------------------


class _Delivered(msgspec.Struct, frozen=True):
    """A run as a corpus holds it."""

    pins: RunPins
    delivered: dict[str, list[str]]

    def documents(self, query_id: str) -> list[str]:
        return self.delivered.get(query_id, [])


RUN = Run(file=PinnedFile(path="a.run", sha256="a" * 64))
BOTH_RUNS = Interleave(first=RUN, second=RUN)


@st.composite
def judged_corpora(draw: st.DrawFn) -> tuple[Corpus, int, list[int]]:
    """A collection and a run over it, how many are wanted, and page sizes."""
    count = draw(st.integers(2, 9))
    wanted = draw(st.integers(1, 2))
    texts = draw(st.lists(st.sampled_from(("a", "a b", "b", "c")), min_size=count, max_size=count))
    places = st.integers(0, count - 1)
    queries, delivered = [], {}
    for number in range(draw(st.integers(1, 3))):
        judged = draw(st.sets(places, min_size=wanted))
        relevant = draw(st.sets(st.sampled_from(sorted(judged)), min_size=wanted))
        query = Query(
            id=f"q{number}",
            text=draw(st.sampled_from(("a", "b", "a c"))),
            repository="",
            stratum="",
            relevant=tuple(sorted(relevant)),
            judged=tuple(sorted(judged)),
        )
        queries.append(query)
        kept = draw(st.integers(0, count))
        order = list(draw(st.permutations(range(count))))[:kept]
        delivered[query.id] = [f"d{place}" for place in order]
    documents = tuple(
        Document(id=f"d{place}", repository="", path=f"d{place}", name="", line=0, text=text)
        for place, text in enumerate(texts)
    )
    pins = RunPins(lines=1, topics=0, deepest=0, shallowest=0)
    made = Corpus(
        documents=documents,
        queries=tuple(queries),
        counts=CorpusPins(
            documents=count,
            queries=len(queries),
            membership="0" * 64,
            query_hash="0" * 64,
            repositories=[],
            strata={},
            exclusions={},
            judgments=JudgmentPins(judgments=1, relevant=1),
        ),
        runs={RUN: _Delivered(pins, delivered)},
    )
    sizes = sorted(draw(st.sets(st.integers(1, 12), min_size=1, max_size=3)))
    return made, wanted, sizes


def beir_plan(corpus: Corpus, wanted: int, sizes: list[int]) -> Plan:
    """A draft over that collection: BM25, the run, and both, interleaved and deferred."""
    several = [
        Policy(name="bm25", ranking=RAW),
        Policy(name="run", ranking=RUN),
        Policy(name="twice", ranking=BOTH_RUNS),
        Policy(name="both", ranking=Interleave(first="run", second="bm25")),
        Policy(name="late", ranking=Deferred(first="bm25", second="run", after=2)),
    ]
    file = {"path": "x", "sha256": "0" * 64}
    collection = {
        "kind": "beir",
        "name": "Invented",
        **{what: file | {"path": what} for what in ("documents", "queries", "qrels")},
        "pins": msgspec.to_builtins(corpus.counts),
    }
    target = "first relevant document" if wanted == 1 else f"{wanted} relevant documents"
    made = plan_of(
        collection,
        "tiny",
        "1",
        policies=msgspec.to_builtins(several),
        baseline="bm25",
        primary_policy="run",
        page_sizes=sizes,
        primary_page_size=sizes[0],
        definitions=plan_of({}, "x", "1")["definitions"]
        | {"target": target, "ties": TIES_WITH_RUNS, "searches": SEARCHES_WITH_RUNS},
    )
    return plans.parse(json.dumps(made).encode(), "plan.json")


@settings(deadline=None, max_examples=150)
@given(judged_corpora())
def test_ranks_depths_and_unjudged_candidates_equal_reading_page_by_page(
    drawn: tuple[Corpus, int, list[int]],
) -> None:
    corpus, wanted, sizes = drawn
    made = beir_plan(corpus, wanted, sizes)
    table = rank_all(made, corpus)
    resolved = resolve(made.policies)
    texts = [document.text.split() for document in corpus.documents]
    for number, query in enumerate(corpus.queries):
        delivered = corpus.runs[RUN].documents(query.id)
        orders: dict[Leaf, list[int]] = {
            RAW: by_score(bm25_scores(texts, query.text.split())),
            RUN: [int(one.removeprefix("d")) for one in delivered],
        }
        for column in table.columns:
            order = order_of(resolved[column.policy], orders)
            rank = rank_of(order, query.relevant, wanted)
            assert column.ranks[number] == (NOT_FOUND if rank is None else rank)
            depth = column.depth if isinstance(column.depth, int) else column.depth[number]
            assert depth == len(order)
            for size in sizes:
                read = order[: page_by_page(rank, size, len(order), lambda _: 0)[1]]
                unjudged = [one for one in read if one not in (query.judged or ())]
                assert column.unjudged[size][number] == len(unjudged)
    assert [isinstance(one.depth, int) for one in table.columns] == [True, *[False] * 4]
    data = to_csv(table)
    assert to_csv(from_csv(data, layout(made), "ranks.csv")) == data


def test_a_collection_names_its_target_by_its_id_alone() -> None:
    documents = tuple(
        Document(id=one, repository="", path=one, name="", line=0, text="a") for one in ("x", "y")
    )
    query = Query(id="q", text="a", repository="", stratum="", relevant=(1,), judged=(1,))
    counts = CorpusPins(
        documents=2,
        queries=1,
        membership="0" * 64,
        query_hash="0" * 64,
        repositories=[],
        strata={},
        exclusions={},
        judgments=JudgmentPins(judgments=1, relevant=1),
    )
    pins = RunPins(lines=1, topics=0, deepest=0, shallowest=0)
    corpus = Corpus(documents, (query,), counts, runs={RUN: _Delivered(pins, {})})
    data = to_csv(rank_all(beir_plan(corpus, 1, [1, 5]), corpus)).decode()
    assert data.splitlines()[1].startswith("q,,,1,y,,,2,1,1,,0,0,0,")
