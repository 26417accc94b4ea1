"""Lower case, tokens, identifier normalization, white space."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagecost.text import (
    TextKind,
    collapsed,
    identifier_parts,
    lower,
    normalized,
    tokens,
    words,
)
from tests import oracle

EVERY_CHARACTER = [chr(code) for code in range(sys.maxunicode + 1)]
ASCII = [chr(code) for code in range(128)]

nasty_text = st.text(st.sampled_from(oracle.NASTY), max_size=12)
any_text = st.one_of(nasty_text, st.text(max_size=30))
ascii_text = st.text(st.characters(max_codepoint=127), max_size=30)
kinds: st.SearchStrategy[TextKind] = st.sampled_from(("raw", "identifiers"))


# --- Lower case -----------------------------------------------------------------------------------


def test_a_character_whose_lower_case_is_longer_stays_as_it_is() -> None:
    assert len("İ".lower()) == 2
    assert lower("İSTANBUL") == "İstanbul"
    assert tokens("İSTANBUL") == ["İstanbul"]
    assert tokens("İSTANBUL", "identifiers") == ["İstanbul"]


def test_a_final_sigma_is_a_sigma_like_any_other() -> None:
    assert "ΟΔΟΣ".lower() == "οδος"
    assert lower("ΟΔΟΣ") == "οδοσ"
    assert lower("ς") == "ς"


def test_signs_that_are_letters_become_the_letters_they_stand_for() -> None:
    assert lower("\u212a") == "k"
    assert lower("\u212b") == "å"
    assert lower("\u2126") == "ω"
    assert tokens("5\u212a") == tokens("5K") == ["5k"]


def test_lower_casing_never_changes_what_splits_a_text_or_how_long_it_is() -> None:
    """So words may be split first and lower-cased afterwards."""
    lowered = [lower(character) for character in EVERY_CHARACTER]
    assert {len(low) for low in lowered} == {1}
    assert [oracle.is_letter_or_digit(low) for low in lowered] == [
        oracle.is_letter_or_digit(character) for character in EVERY_CHARACTER
    ]


def test_lower_casing_twice_is_lower_casing_once() -> None:
    """So identifier-normalized text has the tokens that stand in it."""
    once = lower("".join(EVERY_CHARACTER))
    assert lower(once) == once


@settings(deadline=None)
@given(any_text)
def test_lower_case_is_character_by_character(text: str) -> None:
    assert lower(text) == oracle.lower(text)


# --- Tokens ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["²", "½", "①", "Ⅷ", "ⅷ", "〇", "௰", "፩"])
def test_numbers_that_are_not_decimal_digits_split_although_isalnum_takes_them(
    number: str,
) -> None:
    assert number.isalnum()
    assert unicodedata.category(number) in ("No", "Nl")
    assert tokens(f"x{number}y") == ["x", "y"]
    assert tokens(f"x{number}y", "identifiers") == ["x", "y"]


@pytest.mark.parametrize("mark", ["\u0301", "\u0345", "\u093e", "\u20dd"])
def test_combining_marks_split(mark: str) -> None:
    assert tokens(f"e{mark}f") == ["e", "f"]
    assert tokens("é") == ["é"]


@pytest.mark.parametrize("digit", ["٣", "७", "５", "𝟘"])
def test_decimal_digits_of_any_script_are_kept(digit: str) -> None:
    assert tokens(f"a{digit}b") == [f"a{digit}b"]
    assert tokens(f"a{digit}B", "identifiers") == [f"a{digit}", "b"]


def test_underscores_split_although_regular_expressions_count_them_as_words() -> None:
    assert tokens("__init__ two_parts") == ["init", "two", "parts"]


def test_exactly_letters_and_decimal_digits_are_words() -> None:
    expected = [one for one in EVERY_CHARACTER if oracle.is_letter_or_digit(one)]
    assert words(" ".join(EVERY_CHARACTER)) == expected


@settings(deadline=None)
@given(any_text)
def test_tokens_are_the_runs_of_letters_and_digits_of_the_lower_cased_text(text: str) -> None:
    assert tokens(text) == oracle.tokens(text)


# --- Identifiers ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPRequest2", "parse http request2"),
        ("HTTPServer", "http server"),
        ("HTTPs", "htt ps"),
        ("x2Y", "x2 y"),
        ("ABC", "abc"),
        ("Abc", "abc"),
        ("aB", "a b"),
        ("A2b", "a2b"),
        ("snake_caseName", "snake case name"),
        ("v1.2.3-rcBeta", "v1 2 3 rc beta"),
        ("ÉcoleNormale", "école normale"),
        ("straßeBerlin", "straße berlin"),
        ("aİb", "a İb"),
        ("ABé", "a bé"),
        ("aǅb", "aǆb"),
        ("Aǅ", "aǆ"),
        ("ªB", "ªb"),
        ("AB中", "ab中"),
        ("e\u0301B", "e b"),
        ("A²b", "a b"),
        ("  ", ""),
        ("", ""),
    ],
)
def test_identifiers_part_where_their_case_changes(text: str, expected: str) -> None:
    assert oracle.identifier_normalized(text) == expected
    assert " ".join(tokens(text, "identifiers")) == expected


@settings(deadline=None, max_examples=400)
@given(any_text)
@example("A\u0301b")
@example("ABc")
def test_identifier_tokens_are_those_of_the_normalized_whole_text(text: str) -> None:
    reference = oracle.identifier_normalized(text)
    assert " ".join(tokens(text, "identifiers")) == reference
    assert tokens(text, "identifiers") == tokens(reference)


@settings(deadline=None)
@given(st.text(st.sampled_from("aBcDÉéİ9٣ǅª中"), min_size=1, max_size=12))
def test_the_parts_of_a_word_are_the_whole_word(word: str) -> None:
    parts = identifier_parts(word)
    assert all(parts)
    assert "".join(parts) == lower(word)


# --- White space ----------------------------------------------------------------------------------


def test_exactly_the_characters_with_the_white_space_property_collapse() -> None:
    def is_white_space(character: str) -> bool:
        separates = unicodedata.category(character) in ("Zs", "Zl", "Zp")
        return separates or character in "\t\n\v\f\r\x85"

    text = "".join(f"x{character}" for character in EVERY_CHARACTER) + "x"
    expected = "".join("x " if is_white_space(one) else f"x{one}" for one in EVERY_CHARACTER)
    assert sum(map(is_white_space, EVERY_CHARACTER)) == 25
    assert collapsed(text) == expected + "x"


@pytest.mark.parametrize("separator", ["\x1c", "\x1d", "\x1e", "\x1f"])
def test_information_separators_are_not_white_space_although_split_takes_them(
    separator: str,
) -> None:
    assert separator.isspace()
    assert collapsed(f"a {separator} b") == f"a {separator} b"
    assert collapsed(f"{separator}a{separator}") == f"{separator}a{separator}"


@pytest.mark.parametrize("space", ["\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\u1680"])
def test_other_white_space_collapses_and_is_trimmed(space: str) -> None:
    assert collapsed(f"{space}a{space} \t\n{space}b{space}") == "a b"


@pytest.mark.parametrize("invisible", ["\u200b", "\ufeff", "\u180e", "\u2060"])
def test_invisible_characters_that_are_not_white_space_stay(invisible: str) -> None:
    assert collapsed(f"{invisible}a {invisible}") == f"{invisible}a {invisible}"


def test_normalized_text_is_in_lower_case_with_single_spaces() -> None:
    assert normalized("\n// ΟΔΟΣ\t\xa0İ\u2028\x1cX ") == "// οδοσ İ \x1cx"
    assert normalized(" \u2028 ") == ""


@settings(deadline=None)
@given(any_text)
def test_normalizing_twice_is_normalizing_once(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)
    assert normalized(text) == collapsed(oracle.lower(text))


# --- The fast path --------------------------------------------------------------------------------


def test_each_ascii_character_is_read_alike_on_both_paths() -> None:
    for character in ASCII:
        assert words(f"a{character}b") == words(f"a{character}b\u2028")
        assert lower(character) == lower(f"{character}é")[0]


@settings(deadline=None)
@given(ascii_text, kinds)
def test_ascii_text_is_read_alike_on_both_paths(text: str, kind: TextKind) -> None:
    assert tokens(text, kind) == tokens(f"{text}\u2028", kind)
    assert tokens(text, kind) == oracle.tokens_as(text, kind)
    assert lower(text) == lower(f"{text}é")[:-1]
