"""Text in pictures: what can be drawn, how wide it is, and how it is broken into lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

_UNDRAWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def drawable(value: Any) -> Any:
    """The same, in characters that every machine draws alike.

    One that XML can't hold would end the process that draws it. And a Liberation Sans that a
    system has is taken before the one that vl-convert carries: versions before 2 know no narrow
    no-break space, and what stands in for it has another width, which moves a whole figure.
    """
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value.replace("\u202f", "\u00a0"))
    if isinstance(value, dict):
        return {key: drawable(one) for key, one in value.items()}
    return [drawable(one) for one in value] if isinstance(value, list) else value


_THIN, _SLIM, _WIDE = frozenset("ijl.,:;'|! "), frozenset('ftrI()[]/\\-"·'), frozenset("mwMW%@")


def text_width(text: str, size: float) -> float:
    """About how wide a line of the theme's type is, rather too wide than too narrow."""
    return size * sum(map(_em, text))


@cache
def _em(character: str) -> float:
    if character in _THIN:
        return 0.29
    if character in _SLIM:
        return 0.37
    if character in _WIDE:
        return 0.92
    if character.isascii():
        return 0.7 if character.isupper() else 0.57
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.62


def wrap(text: str, size: float, width: float) -> list[str]:
    """The text in lines that fit; a word that fits no line is broken.

    Only spaces part words: a no-break space keeps a number with its unit.
    """
    lines: list[str] = []
    for word in _words(drawable(text), size, width):
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _words(text: str, size: float, width: float) -> Iterator[str]:
    for word in re.split("[ \t\r\n]+", text):
        rest = word
        while text_width(rest, size) > width:
            fits = (n for n in range(len(rest) - 1, 1, -1) if text_width(rest[:n], size) <= width)
            most = next(fits, 1)
            yield rest[:most]
            rest = rest[most:]
            if len(rest) == 1:
                break
        if rest:
            yield rest
