"""JSON is read strictly, with the path of what is wrong, and written in one way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from pagecost.errors import InputError
from pagecost.jsonio import canonical, decode, ids_hash, read_bytes, sha256, text_of


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=1, le=9)]


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    inner: list[Inner]


def refusal(data: bytes) -> str:
    with pytest.raises(InputError) as error:
        decode(data, Outer, "x.json")
    return str(error.value)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "x.json: line 1, column 1: not JSON: Expecting value"),
        (b"[]", "x.json: $: Expected `object`, got `array`"),
        (b"{}", "x.json: $: Object missing required field `name`"),
        (b'{"name": 1, "inner": []}', "x.json: $.name: Expected `str`, got `int`, found 1"),
        (
            b'{"name": "a", "inner": [{"count": 1}, {"count": 12}]}',
            "x.json: $.inner[1].count: Expected `int` <= 9, found 12",
        ),
        (b'{"name": "a", "name": "b", "inner": []}', "x.json: the key 'name' stands twice"),
        (b'{"name": NaN, "inner": []}', "x.json: NaN is not a JSON number"),
        (b'{"name": -Infinity, "inner": []}', "x.json: -Infinity is not a JSON number"),
        (b"\xef\xbb\xbf{}", "x.json: starts with a byte-order mark"),
        (b'{"name": "\xff"}', "x.json: byte 10 is not UTF-8"),
        (b"[" * 100_000, "x.json: nested too deeply"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(data: bytes, expected: str) -> None:
    assert refusal(data).startswith(expected)


def test_a_long_value_is_shown_in_part() -> None:
    message = refusal(json.dumps({"name": "a", "inner": "x" * 500}).encode())
    assert message.endswith("…")
    assert len(message) < 200


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(),
        st.floats(allow_nan=False, allow_infinity=False),
    ),
    lambda below: st.one_of(st.lists(below), st.dictionaries(st.text(), below)),
    max_leaves=20,
)  # fmt: skip


@settings(deadline=None)
@given(json_values)
def test_the_canonical_bytes_are_read_back_and_written_alike(value: Any) -> None:
    try:
        data = canonical(value)
    except UnicodeEncodeError:
        return  # half a surrogate pair is no text
    assert data.decode("utf-8") == json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    assert json.loads(data) == value
    assert canonical(json.loads(data)) == data
    assert data.endswith(b"\n")
    assert b"\r" not in data


def test_what_is_no_number_is_never_written() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical({"mrr": float("nan")})


def test_ids_are_hashed_in_order_with_a_line_break_after_each() -> None:
    assert ids_hash(["a", "b"]) == sha256(b"a\nb\n")
    assert ids_hash(["b", "a"]) != ids_hash(["a", "b"])
    assert ids_hash(["ab"]) != ids_hash(["a", "b"])


def test_a_file_larger_than_its_bound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(InputError, match="larger than 4 bytes"):
        read_bytes(path, 4)


def test_a_file_that_is_missing_or_a_folder_is_named(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="can't be read"):
            read_bytes(path)


def test_text_is_utf_8_without_a_mark() -> None:
    assert text_of("é".encode(), "x") == "é"
    with pytest.raises(InputError, match="byte 1 is not UTF-8"):
        text_of(b"a\xe9", "x")
