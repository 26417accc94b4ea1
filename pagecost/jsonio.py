"""JSON in and out: read strictly, with the path of what is wrong; written in one canonical way."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pagecost.errors import InputError

T = TypeVar("T")

_MAX_BYTES = 256 << 20
_BOM = b"\xef\xbb\xbf"


def sha256(data: bytes) -> str:
    """Hex digest of the bytes."""
    return hashlib.sha256(data).hexdigest()


def ids_hash(ids: Iterable[str]) -> str:
    """sha256 over the ids in order, each followed by a line break."""
    return sha256(ids_bytes(ids))


def ids_bytes(ids: Iterable[str]) -> bytes:
    """The ids in order, each followed by a line break."""
    return "".join(f"{one}\n" for one in ids).encode("utf-8")


def read_bytes(path: Path, most: int = _MAX_BYTES) -> bytes:
    """The file's bytes. InputError if it can't be read or is larger than `most` bytes."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from None
    if len(data) > most:
        raise InputError(f"{path}: larger than {most:,} bytes")
    return data


def text_of(data: bytes, where: object) -> str:
    """UTF-8 text without a byte-order mark; InputError names the byte that is wrong."""
    if data.startswith(_BOM):
        raise InputError(f"{where}: starts with a byte-order mark; save it as UTF-8 without one")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start} is not UTF-8") from None


def decode(data: bytes, kind: type[T], where: object) -> T:
    """A record from JSON. InputError names the file, the JSON path, and what was expected."""
    text = text_of(data, where)
    try:
        json.loads(text, object_pairs_hook=_no_repeats, parse_constant=_no_constant)
        return msgspec.json.decode(data, type=kind, strict=True)
    except _RepeatedKeyError as error:
        raise InputError(f"{where}: the key {error.args[0]!r} stands twice in one object") from None
    except _ConstantError as error:
        raise InputError(f"{where}: {error.args[0]} is not a JSON number") from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where}: line {error.lineno}, column {error.colno}: not JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError(f"{where}: nested too deeply") from None
    except msgspec.ValidationError as error:
        raise InputError(f"{where}: {_readable(str(error), json.loads(text))}") from None
    except msgspec.DecodeError as error:
        # json has read it, so only half a surrogate pair is left to object to.
        raise InputError(f"{where}: a \\u escape that is no character: {error}") from None
    except ValueError as error:
        # Python converts no number of thousands of digits, and none is wanted.
        raise InputError(f"{where}: a number is too long: {error}") from None


class _RepeatedKeyError(Exception):
    pass


class _ConstantError(Exception):
    pass


def _no_repeats(pairs: list[tuple[str, Any]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _RepeatedKeyError(key)
        seen.add(key)


def _no_constant(name: str) -> None:
    raise _ConstantError(name)


_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_SHOWN = 60


def _readable(message: str, document: object) -> str:
    """msgspec says `Expected … - at `$.path``; the path goes first, and what was found last."""
    text, _, path = message.partition(" - at ")
    path = path.strip("`") or "$"
    found: Any = document
    for key, index in _STEP.findall(path):
        try:
            found = found[key] if key else found[int(index)]
        except (LookupError, TypeError):
            return f"{path}: {text}"
    if isinstance(found, dict | list):
        return f"{path}: {text}"
    shown = json.dumps(found, ensure_ascii=False)
    return f"{path}: {text}, found {shown if len(shown) <= _SHOWN else shown[:_SHOWN] + '…'}"


def canonical(record: object) -> bytes:
    """The one way a record is written: fields in order, two spaces, UTF-8, LF, no NaN."""
    plain = msgspec.to_builtins(record)
    # As `json.dumps(plain, indent=2)` has it, which writes indented text at a tenth of the speed.
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    return msgspec.json.format(text.encode("utf-8"), indent=2) + b"\n"
