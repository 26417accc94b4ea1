"""Data inside a page: the one writer of embedded JSON, and the scripts that carry it."""

from __future__ import annotations

import json
from typing import Any

from pagecost.charts import theme
from pagecost.report.figures import CostFigure


def figures_script(cost_figure: CostFigure) -> bytes:
    """The interactive specs, as a script beside the page: a fetch would not work from a folder.

    Data sets that several specs share are written once, and named by place.
    """
    shared: list[object] = []
    specs = {}
    for name, spec in cost_figure.specs.items():
        places = {}
        for own, rows in spec["datasets"].items():
            if rows not in shared:
                shared.append(rows)
            places[own] = shared.index(rows)
        specs[name] = {**spec, "datasets": places}
    parts = {
        "colours": theme.VARIABLES,
        "datasets": shared,
        "figures": {cost_figure.figure.anchor: specs},
    }
    return f"window.pagecost = {script_json(parts)};\n".encode()


def script_json(value: Any) -> str:
    """JSON that is safe inside a script, wherever it stands. The one writer of embedded data."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
