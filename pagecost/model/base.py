"""What the records of a plan are made of: names, texts, digests, and a strict base."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

# `(?!\n)$`: Python's `$` alone also matches before a final line break; this reads the same in
# Python and in the ECMAScript dialect that JSON Schema uses.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}(?!\n)$")]
Slug = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}(?!\n)$")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}(?!\n)$")]
Revision = Annotated[str, Meta(pattern=r"^[0-9a-f]{40}(?!\n)$")]
Repository = Annotated[str, Meta(pattern=r"^[^\s/]+/[^\s/]+(?!\n)$", max_length=200)]
HttpsUrl = Annotated[str, Meta(pattern=r"^https://[^\s<>\"]+(?!\n)$", max_length=2000)]
# No control characters: a terminal or a page would act on them. Text may have tabs and lines.
LINE = r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]+(?!\n)$"
TEXT = r"^(?=[\s\S]*\S)[^\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]+$"
Line = Annotated[str, Meta(pattern=LINE, max_length=300)]
Text = Annotated[str, Meta(pattern=TEXT, max_length=8000)]
Count = Annotated[int, Meta(ge=0)]
PageSize = Annotated[int, Meta(ge=1, le=10_000_000)]


class Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A record that refuses unknown fields, so that a typing error cannot hide."""


class PinnedFile(Strict, frozen=True, kw_only=True):
    """A file and the sha256 of its bytes."""

    path: Line
    sha256: Sha256
