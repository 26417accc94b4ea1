"""Altair charts → specs, SVG and PNG, drawn once for each content and then remembered."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from pagecost import files
from pagecost.charts import theme
from pagecost.charts.inline import inline
from pagecost.charts.parts import Drawing
from pagecost.charts.text import drawable
from pagecost.jsonio import canonical, sha256

ROW_CAP = 5_000
"""A figure shows aggregates: more rows of data than this are a mistake, and an error."""

_SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v6.json"


def spec(drawing: Drawing) -> dict[str, Any]:
    """The Vega-Lite spec of a drawing, in our theme. ValueError above ROW_CAP rows of data."""
    rows = sum(map(len, drawing.datasets.values()))
    if rows > ROW_CAP:
        raise ValueError(f"a figure of {rows:,} rows of data; aggregate first, to {ROW_CAP:,}")
    made: dict[str, Any] = drawable(drawing.chart.to_dict(validate=False))
    return made | {
        "$schema": _SCHEMA_URL,
        "config": theme.config(),
        "datasets": drawable(drawing.datasets),
    }


@cache
def _chart_code() -> str:
    """sha256 over what turns numbers into specs: the modules beside this one, and Altair."""
    here = Path(__file__).parent
    sources = sorted(here.glob("*.py"))
    digests = [sha256(path.read_bytes()) for path in sources]
    return sha256("\n".join((*digests, f"altair {installed('altair')}")).encode("ascii"))


class Drawer:
    """Makes specs and drawings, and keeps each under the digest of its content and its tools."""

    def __init__(self, cache: Path, tick: Callable[[int], None] | None = None) -> None:
        """`tick` is called with how many drawings were asked for so far."""
        self._tick = tick
        self._asked = 0
        self._folder = cache / "figures"
        self._tool = f"vl-convert-python {installed('vl-convert-python')}"

    def _remembered(self, suffix: str, *key: str) -> tuple[Path, bytes | None]:
        path = self._folder / (sha256("\n".join(key).encode("utf-8")) + suffix)
        self._asked += 1
        if self._tick is not None:
            self._tick(self._asked)
        try:
            return path, path.read_bytes() or None
        except OSError:
            return path, None

    def specs(self, inputs: object, make: Callable[[], dict[str, Drawing]]) -> dict[str, Any]:
        """The specs of one figure, by name. `inputs` is everything that `make` depends on."""
        key = canonical(inputs).decode("utf-8")
        path, data = self._remembered(".json", _chart_code(), key)
        if data is None:
            from altair.utils.schemapi import debug_mode

            with debug_mode(False):  # it would check every part of a chart again in every whole
                data = canonical({name: spec(drawing) for name, drawing in make().items()})
            files.write(path, data)
        specs: dict[str, Any] = json.loads(data)
        return specs

    def svg(self, spec: dict[str, Any]) -> str:
        """The figure as a standalone SVG file, with the theme's hexes."""
        path, data = self._remembered(".svg", self._tool, json.dumps(spec))
        if data is None:
            import vl_convert

            data = vl_convert.vegalite_to_svg(spec).encode("utf-8")
            files.write(path, data)
        return data.decode("utf-8")

    def inlined(self, svg: str, *words: str) -> str:
        """The figure for use inside a page; `words` are what `inline` wants beside the drawing."""
        path, data = self._remembered(".inline.svg", _chart_code(), *words, svg)
        if data is None:
            data = inline(svg, *words).encode("utf-8")
            files.write(path, data)
        return data.decode("utf-8")

    def png(self, svg: str, scale: float) -> bytes:
        """An SVG as pixels, `scale` of them to one of its units."""
        path, data = self._remembered(".png", self._tool, str(scale), svg)
        if data is None:
            import vl_convert

            data = bytes(vl_convert.svg_to_png(svg, scale=scale))
            files.write(path, data)
        return data

    def vega_bundle(self) -> bytes:
        """The one script that makes figures interactive: Vega, Vega-Lite and vega-embed."""
        path, data = self._remembered(".js", self._tool, "bundle")
        if data is None:
            import vl_convert

            bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # optional in fact
            data = bundle.encode("utf-8")
            files.write(path, data)
        return data
