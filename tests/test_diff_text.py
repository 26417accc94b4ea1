"""A comparison as text, Markdown and JSON: what is said, and that a plan's words stay words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pagecost.diff.engine import compare
from pagecost.diff.limits import LimitResult
from pagecost.diff.records import Diff
from pagecost.diff.sides import Side
from pagecost.diff.since import Arrival, Changed, Since
from pagecost.gates import GateResult
from pagecost.report import difftext
from tests.builders import POLICIES
from tests.diff_builders import (
    document_ids,
    query_ids,
    run_side,
    run_sides,
    side,
    sides,
)

TABLES = MarkdownIt("commonmark", {"html": True}).enable("table")
"""A reader that would take HTML for HTML, and knows tables as GitHub does."""


def two(**more: Any) -> Side:
    """Ranks of two queries."""
    return side({"baseline": [3, 4], "helper": [1, 9]}, **more)


def with_plan(made: Side, **fields: Any) -> Side:
    """The side with another plan, whether or not it could stand in a file."""
    plan = msgspec.structs.replace(made.plan, **fields)
    return msgspec.structs.replace(made, plan=plan, plan_sha256="0" * 64)


def formats(diff: Diff) -> tuple[bytes, bytes, bytes]:
    """A comparison in every format."""
    return (
        difftext.to_text(diff).encode(),
        difftext.to_markdown(diff).encode(),
        difftext.to_json(diff),
    )


def text(a: Side, b: Side) -> str:
    return difftext.to_text(compare(a, b))


def words_of(markdown: str) -> tuple[list[str], list[list[str]]]:
    """What a reader of the Markdown sees: its items, and its tables' rows, as plain text.

    AssertionError where anything in it would be more than words.
    """
    items: list[str] = []
    rows: list[list[str]] = []
    known = {"text", "softbreak"}
    kinds: list[str] = []
    for token in TABLES.parse(markdown):
        assert token.type != "html_block", token.content
        if token.type == "tr_open":
            rows.append([])
        if token.type.endswith("_open"):
            kinds.append(token.type.removesuffix("_open"))
        elif token.type.endswith("_close"):
            assert kinds.pop() == token.type.removesuffix("_close")
        if token.type == "inline":
            found = [child.type for child in token.children or ()]
            assert set(found) <= known, (token.content, found)
            said = "".join(child.content for child in token.children or ())
            if kinds[-1] in ("td", "th"):
                rows[-1].append(said)
            elif "list_item" in kinds:
                items.append(said)
    return items, rows


# --- Nothing differs ------------------------------------------------------------------------------


@pytest.mark.parametrize("markdown", [False, True])
def test_identical_versions_are_said_in_one_line(markdown: bool) -> None:
    diff = compare(two(given="a@1"), two(given="main:a/1"))
    made = difftext.to_markdown(diff) if markdown else difftext.to_text(diff)
    assert made == "No difference: a@1 and main:a/1 have one plan and one record.\n"


def test_identical_versions_are_whole_in_json() -> None:
    made = json.loads(difftext.to_json(compare(two(), two())))
    assert made["diff"]["identical"] is True
    assert len(made["diff"]["policies"]) == 2


def test_nothing_that_changed_since_is_said_in_one_line() -> None:
    found = Since("main", changed=[], new=[], gone=[])
    expected = "No difference: every version is as it was at main.\n"
    assert difftext.since(found, markdown=False) == expected
    assert difftext.since(found, markdown=True) == expected


# --- What is said ---------------------------------------------------------------------------------


def test_both_sides_are_named_with_what_they_are() -> None:
    made = text(two(given="main:site/tiny/1"), two(version="2", recorded=False))
    assert re.search("A: main:site/tiny/1: tiny 1, confirmatory, recorded, dated 2026-01-02", made)
    assert re.search("B: tiny@2: tiny 2, confirmatory, frozen, dated 2026-01-02", made)


def test_the_headline_names_pages_first_and_searches_as_a_proxy() -> None:
    made = text(two(), side({"baseline": [3, 4], "helper": [1, 5]}, version="2"))
    expected = (
        "At 2 candidates a page, version 2 needs 33.3 % fewer pages than version 1 and 33.3 % "
        "fewer searches (proxy).\n"
    )
    assert expected in made.replace("\u202f", " ")


def test_a_headline_without_a_change_says_so() -> None:
    made = text(two(), two(version="2"))
    assert "version 2 needs as many pages and as many searches (proxy) as version 1.\n" in made
    fewer = side({"baseline": [3, 4], "helper": [1, 9]}, version="2", page_sizes=[2, 5])
    assert "version 2 needs as many pages" in text(two(), fewer)


def test_sides_of_one_version_are_called_by_their_places() -> None:
    changed = two(caveat="Another caveat.")
    assert "B needs as many pages and as many searches (proxy) as A.\n" in text(two(), changed)


def test_where_documents_differ_every_change_is_said_to_be_theirs_too() -> None:
    note = "The documents are not the same, so every change is also one of the corpus"
    b = side(
        {"baseline": [1, 4], "helper": [1, 9]}, documents=document_ids(100, first=1), version="2"
    )
    made = text(two(), b).replace("\u202f", " ")
    said = "the baseline itself changes by −25.0 % in pages and by −25.0 % in searches (proxy)."
    assert f"{note}: {said}\n" in made
    assert note in text(two(listed=False), b)
    assert note not in text(two(), two(version="2"))
    assert note not in text(two(), two(listed=False, version="2"))
    assert note not in text(two(), two(documents=document_ids(100, 1), recorded=False))


def test_the_headline_says_over_which_queries_where_they_are_not_all() -> None:
    b = side({"baseline": [3, 4], "helper": [1, 5]}, ids=query_ids(2, first=1), version="2")
    assert "At 2 candidates a page, over the 1 query that both have, version 2 needs " in text(
        two(), b
    )


def test_without_common_queries_that_are_known_there_is_no_headline() -> None:
    b = two(ids=query_ids(2, first=1), with_ranks=False, version="2")
    made = text(two(), b)
    assert "candidates a page" not in made
    assert "All queries of each side, which are not the same" in made
    assert "B has no ranks, so its queries can't be matched" in made


def test_figures_over_all_queries_and_over_those_of_both_stand_apart() -> None:
    made = text(two(), two(ids=query_ids(2, first=1), version="2"))
    common = made.index("The queries that both have, alone (1)")
    assert made.index("All queries of each side, which are not the same") < common
    assert "queries: 1 the same, 1 dropped, 1 added" in made
    same = text(two(), two(version="2"))
    assert "All queries, the same on both sides (2)" in same
    assert "The queries that both have, alone" not in same


def test_what_a_side_does_not_list_is_said() -> None:
    b = two(documents=document_ids(100, first=1), listed=False, version="2")
    assert "documents: not the same set; a side does not list its ids" in text(two(), b)
    assert "documents: the same set" in text(two(listed=False), two(version="2"))


def test_reasons_stand_in_the_place_of_figures() -> None:
    made = text(two(), two(recorded=False, version="2"))
    assert "Figures: not comparable" in made
    assert "B has no record: no number of it exists" in made
    assert "Pages A" not in made


def test_page_sizes_of_one_side_are_said() -> None:
    made = text(two(page_sizes=[1, 2, 5]), two(page_sizes=[2, 5000], version="2"))
    assert "page sizes only in A: 1, 5" in made
    assert "page sizes only in B: 5,000" in made
    a, b = two(page_sizes=[1], primary_page_size=1), two(page_sizes=[2], version="2")
    assert "No page size is on both sides." in text(a, b)


def test_a_zero_has_a_difference_and_no_percentage() -> None:
    b = side({"baseline": [3, 4], "helper": [1, None]}, version="2")
    made = text(two(), b)
    assert "(2, not found 0 → 1)" in made
    assert "inf" not in made
    assert "nan" not in made


def test_movers_are_named_by_their_targets_and_ids() -> None:
    made = text(two(), side({"baseline": [3, 4], "helper": [1, None]}, version="2"))
    (line,) = [line for line in made.splitlines() if "target1 (" in line]
    assert line.split("  ", 2)[1] == "target1 (000000000000)"
    assert re.search(r"9 → not found +5 → 50$", line)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (LimitResult("pages", "held", 4.0, 3.0, None), "pages: held, 4 → 3"),
        (
            LimitResult("mrr by more than 0.1", "not held", 0.5, 0.25, None),
            "mrr by more than 0.1: not held, 0.5 → 0.25",
        ),
        (
            LimitResult("pages at 9", "not decided", None, None, "page size 9 is not on both"),
            "pages at 9: not decided: page size 9 is not on both",
        ),
        (
            LimitResult("not_found by more than 5 %", "not decided", 0.0, 1.0, "A is zero"),
            "not_found by more than 5 %: not decided, 0 → 1 (A is zero)",
        ),
    ],
)
def test_limits_stand_last_with_their_figures_even_where_nothing_differs(
    limit: LimitResult, said: str
) -> None:
    for diff in (compare(two(), two()), compare(two(), two(version="2"))):
        assert difftext.to_text(diff, [limit]).endswith(f"Limits\n------\n  {said}\n")
        items, _ = words_of(difftext.to_markdown(diff, [limit]))
        assert items[-1] == said
        (row,) = json.loads(difftext.to_json(diff, [limit]))["limits"]
        assert row == msgspec.to_builtins(limit)


def test_what_is_new_changed_and_gone_is_said() -> None:
    changed = compare(two(given="main:site/tiny/1"), two(caveat="Another caveat."))
    new = [
        Arrival(
            "tiny@2", "confirmatory", "At 2 candidates a page, …", "Mind it.",
            [],
            compare(two(), two(version="2")), [],
        ),
        Arrival(
            "other@1", "exploration", "Draft.", "No caveat.",
            [GateResult("Few", "pages <= 1", "not held", 5.0, "<=", 1.0, None)],
            None, [],
        ),
    ]  # fmt: skip
    found = Since("main", changed=[Changed(changed, [])], new=new, gone=["tiny@0"])
    made = difftext.since(found, markdown=False)
    places = [made.index(one) for one in ("New: tiny@2", "New: other@1\n", "caveat: ", "Gone\n")]
    assert places == sorted(places)
    assert made.endswith("  tiny@0\n")
    # What a figure says never stands without its kind, its caveat, and the gates it met.
    assert "At 2 candidates a page, … (confirmatory)\nCaveat: Mind it.\n" in made
    assert "  not held: Few: 5, not ≤ 1\n" in made
    assert "- tiny@0\n" in difftext.since(found, markdown=True)


def test_caveats_gates_and_baselines_go_with_the_figures() -> None:
    gate = {"name": "Few", "holds": "pages <= 1"}
    diff = compare(two(), two(version="2", gates=[gate]))
    for made in (difftext.to_text(diff), difftext.to_markdown(diff).replace("\\", "")):
        assert f"Caveat: {diff.a.caveat}" in made
        assert "version 2: not held: Few: " in made
        assert "Each against its own baseline: pages " in made
    other = compare(two(), two(version="2", caveat="Another."))
    assert f"Caveat of version 1: {other.a.caveat}\nCaveat of version 2: Another.\n" in (
        difftext.to_text(other)
    )


def test_an_answer_that_changed_is_said() -> None:
    a, b = two(), two(version="2")
    assert b.table is not None
    row = msgspec.structs.replace(b.table.rows[0], target_name="another", relevant=7)
    rows = (row, *b.table.rows[1:])
    b = msgspec.structs.replace(b, table=msgspec.structs.replace(b.table, rows=rows))
    diff = compare(a, b)
    assert diff.changed_targets == 1
    assert "1 query of those that both have has another target" in difftext.to_text(diff)
    assert compare(a, two(version="2")).changed_targets == 0


def test_baselines_are_held_against_each_other_whatever_they_are_called() -> None:
    # What A calls its baseline is B's other policy, and the other way round.
    helper = {**POLICIES[1], "name": "baseline"}
    helper["ranking"] = {**POLICIES[1]["ranking"], "first": "helper"}
    swapped = [helper, {**POLICIES[0], "name": "helper"}]
    names: dict[str, Any] = {"baseline": "helper", "primary_policy": "baseline"}
    b = side({"baseline": [1, 9], "helper": [3, 4]}, version="2", policies=swapped, **names)
    diff = compare(two(), b)
    assert diff.baseline is not None
    assert (diff.baseline.name_a, diff.baseline.name_b) == ("baseline", "helper")
    assert diff.baseline.same_order
    assert "Each against its own baseline: pages +50.0\u202f% → +50.0\u202f%" in (
        difftext.to_text(diff)
    )


# --- The same bytes -------------------------------------------------------------------------------


@settings(deadline=None)
@given(sides(), sides())
def test_the_same_sides_give_the_same_bytes(a: Side, b: Side) -> None:
    again = [msgspec.structs.replace(one) for one in (a, b)]
    assert formats(compare(a, b)) == formats(compare(*again))


@settings(deadline=None)
@given(sides(), sides())
def test_every_comparison_can_be_said_in_every_format(a: Side, b: Side) -> None:
    diff = compare(a, b)
    plain, markdown, data = (made.decode() for made in formats(diff))
    for made in (plain, markdown, data):
        assert made.endswith("\n")
        assert not made.endswith("\n\n")
        assert not made.startswith("\n")
    _, rows = words_of(markdown)
    assert {len(row) for row in rows} <= {3, 4, 10}
    found = json.loads(data)
    assert found["schema"] == 1
    assert found["diff"] == json.loads(msgspec.json.encode(diff))


# --- Words, never markup --------------------------------------------------------------------------

NASTY: Mapping[str, str] = {
    "a tag": "<img src=x onerror=alert(1)>",
    "a block": "text\n\n<script>alert(1)</script>\n\nmore",
    "a comment": "<!-- hidden -->",
    "a link": "[here](https://example.invalid)",
    "an image": "![x](https://example.invalid/x.png)",
    "an address": "<https://example.invalid>",
    "a reference": "[a]: https://example.invalid",
    "emphasis": "**bold** _it_ ~~gone~~ `code`",
    "columns": "a | b || c",
    "an escaped column": "a \\| b \\\\| c",
    "lines": "one\n# two\n- three\n    four\n\n| a |\n|---|\n| b |",
    "an entity": "&lt;b&gt; &amp; &#60;",
    "a backslash at the end": "end\\",
    "a fence": "```\nfenced\n```",
    "an underline": "one\n===\ntwo\n---",
}


def seen(said: str) -> str:
    """A text as it stands in a line."""
    return re.sub(r"\s*\n\s*", " ", said)


@pytest.mark.parametrize("case", NASTY)
def test_what_a_plan_says_is_words_in_markdown(case: str) -> None:
    said = NASTY[case]
    diff = compare(two(caveat="Before."), two(caveat=said, version="2", measured=[said]))
    items, _ = words_of(difftext.to_markdown(diff))
    assert f"caveat: Before. → {seen(said)}" in items
    assert f"measured: only in B: {seen(said)}" in items


@pytest.mark.parametrize("case", NASTY)
def test_what_ranks_say_is_words_in_a_table(case: str) -> None:
    a, b = two(), side({"baseline": [3, 4], "helper": [9, 9]}, version="2")
    named = []
    for made in (a, b):
        assert made.table is not None
        rows = tuple(
            msgspec.structs.replace(row, target_name=NASTY[case]) for row in made.table.rows
        )
        table = msgspec.structs.replace(made.table, rows=rows)
        named.append(msgspec.structs.replace(made, table=table))
    _, rows_ = words_of(difftext.to_markdown(compare(*named)))
    assert rows_[-1][0] == f"{seen(NASTY[case])} (000000000000)".strip()
    assert len(rows_[-1]) == 3


@pytest.mark.parametrize("case", NASTY)
def test_a_name_in_the_pins_is_words_in_markdown(case: str) -> None:
    a = two()
    assert a.plan.corpus.pins is not None
    pins = msgspec.structs.replace(a.plan.corpus.pins, exclusions={NASTY[case]: 3})
    b = with_plan(a, corpus=msgspec.structs.replace(a.plan.corpus, pins=pins))
    items, _ = words_of(difftext.to_markdown(compare(a, b)))
    assert f"corpus.pins.exclusions.{seen(NASTY[case])}: only in B: 3" in items


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=40))
def test_any_text_of_a_plan_is_words_in_markdown(said: str) -> None:
    said = f"a{said}z"  # white space at an end shows nowhere
    a = two(caveat="Before.")
    items, _ = words_of(difftext.to_markdown(compare(a, with_plan(a, caveat=said))))
    assert f"caveat: Before. → {said}" in items


def test_the_source_of_the_markdown_holds_no_tag_and_no_link() -> None:
    diff = compare(two(), two(caveat="<b>x</b> [y](z) | <!-- -->", version="2"))
    made = difftext.to_markdown(diff)
    assert r"\<b\>x\</b\> \[y\](z) \| \<\!-- --\>" in made


# --- What is not said well yet --------------------------------------------------------------------


def test_identical_plans_without_a_record_have_no_record() -> None:
    made = text(two(recorded=False), two(recorded=False))
    assert made.startswith("No difference: ")
    assert "one record" not in made


def test_a_value_of_several_lines_stands_in_one() -> None:
    made = text(two(), two(caveat="One.\n\nFigures\n-------\nTwo.", version="2"))
    assert made.count("\nFigures\n") == 1


@pytest.mark.parametrize("where", ["pins", "ranks"])
def test_a_terminal_gets_no_control_character(where: str) -> None:
    escape = "\x1b[31mred"
    a, b = two(), side({"baseline": [3, 4], "helper": [9, 9]}, version="2")
    table = b.table
    assert table is not None
    if where == "pins":
        assert b.plan.corpus.pins is not None
        pins = msgspec.structs.replace(b.plan.corpus.pins, exclusions={escape: 3})
        b = with_plan(b, corpus=msgspec.structs.replace(b.plan.corpus, pins=pins))
    else:
        rows = tuple(msgspec.structs.replace(row, target_name=escape) for row in table.rows)
        b = msgspec.structs.replace(b, table=msgspec.structs.replace(table, rows=rows))
    assert "\x1b" not in text(a, b)


# --- Searches that were not given -----------------------------------------------------------------


def of_runs(helper: list[int | None], searches: int | None, version: str, **more: Any) -> Side:
    """A side whose helper is a run with those searches; the baseline's are not given."""
    stated = {"baseline": None, "helper": searches}
    return run_side({"baseline": [30, 40], "helper": helper}, stated, version=version, **more)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (None, None, "its searches were not given, nor were those of version 1."),
        (2, None, "its searches were not given."),
        (None, 2, "its 4 searches (proxy) can’t be compared: those of version 1 were not given."),
    ],
)
def test_the_headline_says_whose_searches_were_not_given(
    ours: int | None, theirs: int | None, said: str
) -> None:
    a, b = of_runs([1, 9], ours, "1"), of_runs([1, 2], theirs, "2")
    found = text(a, b).replace("\n", " ")
    start = "At 2 candidates a page, version 2 needs 66.7\u202f% fewer pages than version 1; "
    assert f"{start}{said}" in found
    as_many = text(of_runs([1, 2], ours, "1"), b).replace("\n", " ")
    assert f"version 2 needs as many pages as version 1; {said}" in as_many


def test_where_searches_were_not_given_no_number_of_them_stands_in_any_format() -> None:
    diff = compare(of_runs([1, 9], None, "1"), of_runs([1, 2], None, "2"))
    said, markdown, data = (one.decode() for one in formats(diff))
    for one in (said, markdown):
        assert "not given" in one
        assert "None" not in one
    policy = next(one for one in json.loads(data)["diff"]["policies"] if one["name_a"] == "helper")
    for figures in (policy["everything"], policy["matched"]):
        for row in figures["sizes"]:
            assert row["searches"] == {"a": None, "b": None, "change": None, "percent": None}
            assert isinstance(row["pages"]["a"], int)
    assert policy["transitions"]["searches"] is None
    assert isinstance(policy["transitions"]["pages"], list)


@pytest.mark.parametrize(("ours", "theirs"), [(None, 2), (2, None), (None, None), (2, 2)])
def test_searches_known_on_one_side_alone_move_no_query(
    ours: int | None, theirs: int | None
) -> None:
    a, b = (
        run_side(
            {"baseline": [9, 9], "helper": [1, rank]},
            {"baseline": 2, "helper": stated},
            version=version,
        )
        for version, rank, stated in (("1", 3, ours), ("2", 30, theirs))
    )
    diff = compare(a, b)
    assert diff.headline is not None
    assert diff.headline.transitions is not None
    assert (diff.headline.transitions.searches is not None) == bool(ours and theirs)
    said = "Against the baseline on searches (proxy): not given on both sides."
    assert (said in difftext.to_text(diff)) != bool(ours and theirs)


def test_a_mover_of_a_collection_is_named_by_the_id_of_its_target() -> None:
    found = text(of_runs([1, 90], 1, "1"), of_runs([1, 2], 1, "2"))
    assert f"doc-1 ({query_ids(2)[1][:12]})" in found


@settings(deadline=None, max_examples=80)
@given(st.sampled_from((None, 2)).flatmap(lambda one: st.tuples(run_sides(one), run_sides(one))))
def test_every_comparison_of_runs_can_be_said_in_every_format(pair: tuple[Side, Side]) -> None:
    a, b = pair
    diff = compare(a, b)
    said, markdown, data = (one.decode() for one in formats(diff))
    words_of(markdown)
    for one in (said, markdown):
        assert "None" not in one
    json.loads(data)
    same = compare(a, a)
    assert same.identical
    formats(same)
