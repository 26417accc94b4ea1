"""Tokens and identifier normalization (METHOD of the published experiment 07).

A *word* is a maximal run of Unicode letters (categories L*) and decimal digits (Nd), its case
kept. Both vocabularies follow from the words alone: a *raw* token is a word in lower case, and
*identifier* tokens are a word's parts at changes of case, in lower case. So texts are split once,
and each distinct word is looked at once.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

TextKind = Literal["raw", "identifiers"]


def _is_word_character(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] == "L" or category == "Nd"


class _WordTable(dict[int, str]):
    """For `str.translate`: a character of a word stays, any other becomes a space."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = kept = character if _is_word_character(character) else " "
        return kept


_UNICODE = _WordTable()
# Byte translation is two to three times faster than a regular expression, and most source is ASCII.
_ASCII = bytes(code if code < 128 and _is_word_character(chr(code)) else 32 for code in range(256))


def words(text: str) -> list[str]:
    """The words of a text in order, case kept. Not `str.isalnum()`, which also takes No and Nl."""
    if text.isascii():
        return text.encode("ascii").translate(_ASCII).decode("ascii").split()
    return text.translate(_UNICODE).split()


def lower(text: str) -> str:
    """Lower case, character by character; one whose lower case is longer stays as it is.

    `str.lower()` differs twice: it lengthens U+0130, and looks around a final sigma.
    """
    if text.isascii():
        return text.lower()
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)


@lru_cache(maxsize=1 << 16)  # queries repeat their words
def identifier_parts(word: str) -> tuple[str, ...]:
    """A word's parts, lower case: `parseHTTPRequest2` is parse, http, request2.

    A part begins at an upper-case letter (Lu) that follows a lower-case letter (Ll) or a digit
    (Nd), or that follows an upper-case letter and stands before a lower-case one; neighbours are
    those of the original word.
    """
    if word.isascii() and word.islower():
        return (word,)
    kinds = [unicodedata.category(character) for character in word]
    cuts = [0]
    for i in range(1, len(word)):
        if kinds[i] == "Lu" and (
            kinds[i - 1] in ("Ll", "Nd")
            or (kinds[i - 1] == "Lu" and i + 1 < len(word) and kinds[i + 1] == "Ll")
        ):
            cuts.append(i)
    cuts.append(len(word))
    return tuple(lower(word[a:b]) for a, b in itertools.pairwise(cuts))


def raw_parts(word: str) -> tuple[str, ...]:
    """A word as raw text has it: one token, lower case."""
    return (lower(word),)


PARTS: dict[TextKind, Callable[[str], tuple[str, ...]]] = {
    "raw": raw_parts,
    "identifiers": identifier_parts,
}


def tokens(text: str, kind: TextKind = "raw") -> list[str]:
    """The tokens of a text in order."""
    parts = PARTS[kind]
    return [part for word in words(text) for part in parts(word)]


# The White_Space property. `str.split()` also takes U+001C to U+001F, which don't have it.
_SPACE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def collapsed(text: str) -> str:
    """Unicode white space collapsed to single spaces, trimmed."""
    return _SPACE.sub(" ", text).strip(" ")


def normalized(text: str) -> str:
    """Lower case, Unicode white space collapsed to single spaces, trimmed."""
    return collapsed(lower(text))
