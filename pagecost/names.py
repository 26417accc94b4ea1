"""Names of experiments and versions: which are allowed, and how versions sort."""

from __future__ import annotations

import re

from pagecost.errors import InputError

_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_RESERVED_EXPERIMENTS = frozenset(
    ("assets", "guide", "schema", "index.html", "404.html", "feed.xml", "sitemap.xml", "robots.txt")
)
"""What the site's root holds beside experiments, now or later."""
_RESERVED_VERSIONS = frozenset(("latest", "compare", "embed"))


def split_key(key: str) -> tuple[str, str]:
    """EXPERIMENT@VERSION as its two names, which are safe as folder names and in URLs."""
    experiment, at, version = key.partition("@")
    if not at:
        raise InputError(f"{key!r}: expected EXPERIMENT@VERSION, for example page-cost@12")
    for what, name, reserved in (
        ("experiment", experiment, _RESERVED_EXPERIMENTS),
        ("version", version, _RESERVED_VERSIONS),
    ):
        if problem := _name_problem(name, reserved):
            raise InputError(f"{key!r}: {what} {name!r} {problem}")
    return experiment, version


def _name_problem(name: str, reserved: frozenset[str]) -> str | None:
    if not _SLUG.fullmatch(name) or name.endswith(".") or ".." in name:
        return (
            "is no name: up to 64 letters, digits and . _ + -, beginning with a letter or digit "
            "and not ending in a dot, without two dots in a row"
        )
    if name.lower() in reserved:
        return f"is reserved ({', '.join(sorted(reserved))})"
    return None


_BEFORE_RELEASE = {
    "dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3,
}  # fmt: skip
_PRE, _END, _WORD, _NUMBER = range(4)


def version_order(name: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts versions as people expect: 1.9, 1.10rc1, 1.10, 1.10.1, v2, 2026-11-30, dev.

    Numbers go by value, `v` before one is no matter, a longer version comes after the one it
    begins with, but a pre-release before its release. Names without a number in front come last.
    """
    pieces = re.findall(r"[0-9]+|[^0-9._+-]+", re.sub(r"^v(?=[0-9])", "", name.lower()))
    key = [(_END, 0, "")] if pieces[0].isdecimal() else [(_NUMBER + 1, 0, "")]
    for place, piece in enumerate(pieces):
        numbered = place + 1 < len(pieces) and pieces[place + 1].isdecimal()
        if piece.isdecimal():
            key.append((_NUMBER, int(piece), ""))
        elif place and piece in _BEFORE_RELEASE and (numbered or len(piece) > 1):
            key.append((_PRE, _BEFORE_RELEASE[piece], ""))
        else:  # 12b is no beta of 12, but what came after 12a
            key.append((_WORD, 0, piece))
    return (*key, (_END, 0, ""))
