"""Data inside a page: the one writer of embedded JSON."""

from __future__ import annotations

import json
from typing import Any


def script_json(value: Any) -> str:
    """JSON that is safe inside a script, wherever it stands. The one writer of embedded data."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
