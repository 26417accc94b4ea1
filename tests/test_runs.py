"""A run file is read as systems write it and ordered as trec_eval orders; repairs are counted."""

from __future__ import annotations

import gzip
import struct
import tempfile
from collections.abc import Callable
from itertools import combinations, groupby
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost import runlines
from pagecost.errors import InputError
from pagecost.model import RunPins
from pagecost.runs import RunFile, Ties, read
from tests.collection_builders import packed

SCORE: Ties = "score-then-docno"
RANK: Ties = "rank-column"


def run(folder: Path, text: str | bytes, ties: Ties = SCORE, queries: str = "q") -> RunFile:
    path = folder / "x.run"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read(path, ties, queries.split())


def wrong(folder: Path, text: str | bytes, ties: Ties = SCORE) -> str:
    """The message of the error, without the folder."""
    with pytest.raises(InputError) as error:
        run(folder, text, ties)
    return str(error.value).replace(str(folder / "x.run"), "x.run")


def test_documents_come_by_score_whatever_their_rank_column_says(tmp_path: Path) -> None:
    found = run(tmp_path, "q Q0 a 1 1.5 t\nq Q0 b 2 -3e1 t\nq Q0 c 3 .2E+2 t\nq Q0 d 4 0 t\n")
    assert found.documents("q") == ("c", "a", "d", "b")
    assert found.pins == RunPins(lines=4, topics=1, deepest=4, shallowest=4, rank_contradicts=1)


def test_equal_scores_are_ordered_by_document_id_descending_by_bytes(tmp_path: Path) -> None:
    ids = ["10", "9", "Z", "a", "aa", "é", "\U0001f600", "\uffee"]
    found = run(tmp_path, "".join(f"q Q0 {name} {n} 1.0 t\n" for n, name in enumerate(ids)))
    assert found.documents("q") == tuple(sorted(ids, key=str.encode, reverse=True))
    assert found.pins.tied == len(ids)
    assert found.pins.rank_contradicts == 0


def test_scores_that_differ_only_as_doubles_are_tied_as_in_trec_eval(tmp_path: Path) -> None:
    # pytrec_eval-terrier 0.5.11, built on trec_eval 9.0.8, puts z first in both.
    for higher, lower in (("1.0000000001", "1"), ("1e300", "1e200"), ("16777217", "16777216")):
        found = run(tmp_path, f"q Q0 a 1 {higher} t\nq Q0 z 2 {lower} t\n")
        assert found.documents("q") == ("z", "a")
        assert (found.pins.tied, found.pins.rank_contradicts) == (2, 0)
    found = run(tmp_path, "q Q0 a 1 1.0000001 t\nq Q0 z 2 1 t\n")
    assert found.documents("q") == ("a", "z")
    assert found.pins.tied == 0


def test_zero_and_minus_zero_are_the_same_score(tmp_path: Path) -> None:
    assert run(tmp_path, "q Q0 a 1 0 t\nq Q0 z 2 -0.0 t\n").documents("q") == ("z", "a")


def test_infinite_scores_stand_at_the_ends(tmp_path: Path) -> None:
    text = "q Q0 a 1 -inf t\nq Q0 b 2 7 t\nq Q0 c 3 Infinity t\nq Q0 d 4 +INF t\n"
    found = run(tmp_path, text)
    assert found.documents("q") == ("d", "c", "b", "a")
    assert found.pins.tied == 2


def test_the_rank_column_decides_where_a_plan_says_so(tmp_path: Path) -> None:
    text = "q Q0 a 2 9 t\nq Q0 b 10 8 t\nq Q0 c -1 1 t\nq Q0 d 2 9 t\nq Q0 e +2 10 t\n"
    found = run(tmp_path, text, RANK)
    assert found.documents("q") == ("c", "e", "d", "a", "b")
    assert found.pins.tied == 3
    assert found.pins.rank_contradicts == 1


@pytest.mark.parametrize(
    ("pairs", "contradicts"),
    [
        ("1:3 2:2 3:1", 0),
        ("1:3 2:3 3:3", 0),
        ("1:1 1:2 1:3", 0),
        ("1:3 1:2 2:2 2:1 3:1", 0),
        ("1:3 1:1 2:2", 1),
        ("1:3 2:1 2:3", 0),
        ("1:2 2:1 3:3", 1),
        ("1:3 3:1 x:2", 0),
        ("1:1 2:2 x:3", 0),
    ],
)
def test_a_rank_column_contradicts_where_a_better_rank_has_a_lower_score(
    tmp_path: Path, pairs: str, contradicts: int
) -> None:
    lines = [
        f"q Q0 d{n} {' '.join(pair.split(':'))} t\n" for n, pair in enumerate(pairs.split(" "))
    ]
    for text in ("".join(lines), "".join(reversed(lines))):
        assert run(tmp_path, text).pins.rank_contradicts == contradicts
        if "x" not in pairs:
            assert run(tmp_path, text, RANK).pins.rank_contradicts == contradicts


def test_a_document_that_comes_twice_stays_where_it_first_stands_in_order(tmp_path: Path) -> None:
    text = "q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 3 t\nq Q0 a 4 1 t\nq Q0 c 5 1 t\n"
    found = run(tmp_path, text)
    assert found.documents("q") == ("a", "b", "c")
    assert (found.pins.lines, found.pins.repeated, found.pins.tied) == (5, 2, 0)
    assert found.pins.deepest == found.pins.shallowest == 3
    found = run(tmp_path, text, RANK)
    assert found.documents("q") == ("a", "b", "c")
    assert found.pins.repeated == 2


def test_the_same_document_in_two_topics_is_no_repeat(tmp_path: Path) -> None:
    found = run(tmp_path, "q Q0 a 1 1 t\np Q0 a 1 1 t\n", queries="q p")
    assert (found.pins.repeated, found.pins.tied) == (0, 0)


def test_topics_without_a_query_are_left_out_and_counted(tmp_path: Path) -> None:
    found = run(tmp_path, "p Q0 a 1 2 t\nq Q0 b 1 2 t\nr Q0 c 1 2 t\nr Q0 c x 1 t\n")
    assert found.documents("q") == ("b",)
    assert found.documents("p") == ()
    assert found.pins == RunPins(
        lines=4,
        topics=1,
        deepest=1,
        shallowest=1,
        unjudged_topics=2,
        unjudged_lines=3,
        ranks_unreadable=1,
    )


def test_queries_without_a_line_are_missing(tmp_path: Path) -> None:
    found = run(tmp_path, "q Q0 a 1 2 t\nq Q0 b 2 1 t\n", queries="p q r")
    assert found.documents("p") == ()
    assert found.pins == RunPins(lines=2, topics=1, deepest=2, shallowest=0, missing_topics=2)


def test_a_query_that_is_asked_for_twice_counts_once(tmp_path: Path) -> None:
    found = run(tmp_path, "q Q0 a 1 2 t\n", queries="p q q p")
    assert found.pins == RunPins(lines=1, topics=1, deepest=1, shallowest=0, missing_topics=1)


def test_a_run_about_none_of_the_queries_delivers_nothing(tmp_path: Path) -> None:
    found = run(tmp_path, "p Q0 a 1 2 t\n")
    assert found.documents("q") == ()
    assert found.pins == RunPins(
        lines=1,
        topics=0,
        deepest=0,
        shallowest=0,
        missing_topics=1,
        unjudged_topics=1,
        unjudged_lines=1,
    )


def test_topics_are_told_apart_as_they_are_written(tmp_path: Path) -> None:
    found = run(tmp_path, "01 Q0 a 1 2 t\n1 Q0 b 1 2 t\n", queries="1")
    assert found.documents("1") == ("b",)


def test_topics_whose_lines_do_not_stand_together_are_counted(tmp_path: Path) -> None:
    text = "".join(f"{topic} Q0 d{n} {n} 1 t\n" for n, topic in enumerate("qqpqrrppss"))
    found = run(tmp_path, text)
    assert found.pins.scattered == 2
    assert found.documents("q") == ("d3", "d1", "d0")


def test_what_systems_write_otherwise_is_read_and_counted(tmp_path: Path) -> None:
    text = (
        b"\xef\xbb\xbfq\tQ0  a \t1 3 t\r\n"
        b"\r\n"
        b"  q Q0 b 1.0 2 t and more\n"
        b" \t \n"
        b"q Q0 c - 1 t\t\n"
        b"\n"
        b"q Q0 d 1_0 0 t"
    )
    found = run(tmp_path, text)
    assert found.documents("q") == ("a", "b", "c", "d")
    assert found.pins == RunPins(
        lines=4,
        topics=1,
        deepest=4,
        shallowest=4,
        ranks_unreadable=3,
        extra_fields=1,
        carriage_returns=2,
        blank=3,
        byte_order_mark=1,
    )


def test_a_byte_order_mark_is_dropped_only_where_the_file_starts(tmp_path: Path) -> None:
    with patch.object(runlines, "_CHUNK", 1):
        found = run(tmp_path, "\ufeffq Q0 a 1 1 t\n\ufeffq Q0 b 2 2 t\n")
    assert found.documents("q") == ("a",)
    assert (found.pins.byte_order_mark, found.pins.unjudged_topics) == (1, 1)


def test_gzip_is_unpacked_whatever_the_file_is_called(tmp_path: Path) -> None:
    text = b"q Q0 a 1 1 t\nq Q0 b 2 2 t\n"
    assert run(tmp_path, gzip.compress(text)) == run(tmp_path, text)


@pytest.mark.parametrize(
    "score", ["nan", "-NaN", "1_0", "1,5", "abc", "0x1", "1e", "--1", ".", "١"]
)
def test_a_score_that_is_no_number_is_refused_with_its_line(tmp_path: Path, score: str) -> None:
    text = f"q Q0 a 1 1 t\n\np Q0 b 2 {score} t\n"
    assert wrong(tmp_path, text) == f"x.run: line 3: score {score!r}, expected a number"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "q Q0 a 1 1 t\nq Q0 b 2 1\nq Q0 c 3 nan t\n",
            "x.run: line 2: expected at least 6 fields, found 5: topic Q0 document rank score tag",
        ),
        ("\n\np\n", "x.run: line 3: expected at least 6 fields, found 1"),
        ("", "x.run: no line holds a document"),
        ("\r\n \n\t", "x.run: no line holds a document"),
        (b"\xef\xbb\xbf", "x.run: no line holds a document"),
        (b"q Q0 a 1 1 t\nq Q0 \xff 2 1 t\n", "x.run: line 2: an id that is not UTF-8"),
        (b"q Q0 a 1 1 t\n\xff Q0 a 2 1 t\n", "x.run: line 2: an id that is not UTF-8"),
        (b"q Q0 a 1 1 t\nq Q0 a\x00b 2 1 t\n", "x.run: line 2: 'a\\x00b': expected an id"),
        (b"p\x1b[1m Q0 a 1 1 t\n", "x.run: line 1: 'p\\x1b[1m': expected an id"),
        (f"q Q0 {'é' * 501} 1 1 t\n", f"x.run: line 1: '{'é' * 40}': expected an id"),
        (f"q Q0 {'e' * 501} 1 1 t\n", f"x.run: line 1: '{'e' * 40}': expected an id"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, expected: str
) -> None:
    assert wrong(tmp_path, text).startswith(expected)
    assert wrong(tmp_path, text, RANK).startswith(expected)


@pytest.mark.parametrize("rank", ["x", "1.0", "1_0", "-", "1" * 19, "٣"])
def test_an_unreadable_rank_is_refused_only_where_it_decides(tmp_path: Path, rank: str) -> None:
    text = f"q Q0 a 1 1 t\np Q0 a {rank} 1 t\nq Q0 b {rank} 2 t\n"
    assert wrong(tmp_path, text, RANK) == (
        f"x.run: line 3: rank {rank!r}, expected a whole number of at most 18 digits"
    )
    found = run(tmp_path, text)
    assert found.documents("q") == ("b", "a")
    assert (found.pins.ranks_unreadable, found.pins.rank_contradicts) == (2, 0)


def test_the_longest_ids_and_ranks_are_read(tmp_path: Path) -> None:
    ids = ("é" * 500, "e" * 500, "\U0001f600" * 500)
    text = "".join(f"q Q0 {name} -{'9' * (18 - n)} 1 t\n" for n, name in enumerate(ids))
    assert run(tmp_path, text, RANK).documents("q") == ids


@pytest.mark.parametrize(
    ("cut", "instead"), [(-2000, b""), (-8, bytes(8)), (1000, bytes(4000)), (5, b"")]
)
def test_a_damaged_gzip_is_refused(tmp_path: Path, cut: int, instead: bytes) -> None:
    whole = gzip.compress(b"".join(b"q Q0 d%d 1 %d t\n" % (n, n * n) for n in range(5000)))
    assert wrong(tmp_path, whole[:cut] + instead).startswith("x.run: damaged gzip")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read(tmp_path / "none.run", SCORE, ["q"])


def test_progress_is_told_about_every_hundred_thousand_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    path.write_bytes(b"".join(b"q Q0 d%d 1 1 t\n" % n for n in range(250_000)))
    told: list[int] = []
    pins = read(path, SCORE, ["q"], told.append).pins
    assert [lines // 100_000 for lines in told] == [1, 2]
    assert (pins.lines, pins.tied) == (250_000, 250_000)


class Line(NamedTuple):
    topic: str
    document: str
    rank: str
    score: str

    @property
    def single(self) -> float:
        return float(struct.unpack("f", struct.pack("f", float(self.score)))[0])

    def key(self, ties: Ties) -> tuple[float, ...]:
        """What orders lines before their ids do, ascending."""
        return (-self.single,) if ties == SCORE else (int(self.rank), -self.single)


def ordered(lines: list[Line], ties: Ties) -> list[Line]:
    """By the keys as they are stated, each document once."""
    by_id = sorted(lines, key=lambda line: line.document.encode(), reverse=True)
    kept: dict[str, Line] = {}
    for line in sorted(by_id, key=lambda line: line.key(ties)):
        kept.setdefault(line.document, line)
    return list(kept.values())


def contradicts(lines: list[Line]) -> bool:
    if not all(line.rank.isdigit() for line in lines):
        return False
    signs = ((int(a.rank) - int(b.rank), a.single - b.single) for a, b in combinations(lines, 2))
    return any(rank * score > 0 for rank, score in signs)


def oracle(lines: list[Line], ties: Ties, queries: list[str]) -> tuple[list[list[str]], RunPins]:
    """Line by line and pair by pair, from the rules alone."""
    of = {query: [line for line in lines if line.topic == query] for query in queries}
    kept = {query: ordered(of[query], ties) for query in queries}
    depths = [len(documents) for documents in kept.values()]
    stretches = [topic for topic, _ in groupby(line.topic for line in lines)]
    unjudged = [line for line in lines if line.topic not in queries]
    pins = RunPins(
        lines=len(lines),
        topics=sum(depth > 0 for depth in depths),
        deepest=max(depths),
        shallowest=min(depths),
        missing_topics=sum(depth == 0 for depth in depths),
        unjudged_topics=len({line.topic for line in unjudged}),
        unjudged_lines=len(unjudged),
        repeated=len(lines) - len(unjudged) - sum(depths),
        tied=sum(
            any(line is not other and line.key(ties)[0] == other.key(ties)[0] for other in topic)
            for topic in kept.values()
            for line in topic
        ),
        rank_contradicts=sum(map(contradicts, of.values())),
        ranks_unreadable=sum(not line.rank.isdigit() for line in lines),
        scattered=sum(stretches.count(topic) > 1 for topic in set(stretches)),
    )
    return [[line.document for line in kept[query]] for query in queries], pins


topics = st.sampled_from(["q", "p", "r", "é"])
documents = st.sampled_from(["a", "aa", "b", "B", "é", "9", "10"])
readable = st.sampled_from(["1", "2", "3", "10"])
scores = st.sampled_from(["1", "1.0", "1.00000001", "1.0000002", "-1e9", "-1e-60", "0", "inf"])


@settings(deadline=None, max_examples=300)
@given(st.data(), st.sampled_from([SCORE, RANK]), st.integers(1, 200))
def test_any_run_is_read_as_the_rules_say_whatever_the_chunks(
    data: st.DataObject, ties: Ties, chunk: int
) -> None:
    ranks = readable if ties == RANK else readable | st.just("x")
    lines = data.draw(
        st.lists(st.builds(Line, topics, documents, ranks, scores), min_size=1, max_size=40)
    )
    queries = ["p", "q", "none"] if data.draw(st.booleans()) else ["é", "p"]
    delivered, pins = oracle(lines, ties, queries)
    text = "".join(f"{topic} Q0 {name} {rank} {score} t\n" for topic, name, rank, score in lines)
    with tempfile.TemporaryDirectory() as folder, patch.object(runlines, "_CHUNK", chunk):
        found = run(Path(folder), text, ties, " ".join(queries))
    assert [list(found.documents(query)) for query in queries] == delivered
    assert found.pins == pins


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(1, 30), st.sampled_from(["q Q0 a 1 1", "q Q0 a 1 nan t"]))
def test_an_error_names_its_line_whatever_the_chunks(chunk: int, number: int, bad: str) -> None:
    lines = [f"q Q0 d{n} 1 1 t" if n % 3 else "" for n in range(1, 31)]
    lines[number - 1] = bad
    with tempfile.TemporaryDirectory() as folder, patch.object(runlines, "_CHUNK", chunk):
        assert wrong(Path(folder), "\r\n".join(lines)).startswith(f"x.run: line {number}: ")


@pytest.mark.parametrize("packing", [bytes, packed])
def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, packing: Callable[[bytes], bytes]
) -> None:
    endless = b"q Q0 d 1 1 t\n" + b" " * (3 << 20)
    assert wrong(tmp_path, packing(endless)) == ("x.run: line 2: longer than 1,048,576 bytes")
