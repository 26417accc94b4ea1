"""Altair charts → specs and SVG, drawn once for each content and then remembered."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pagecost import files
from pagecost.charts import theme
from pagecost.charts.parts import Drawing
from pagecost.jsonio import canonical, sha256

ROW_CAP = 5_000
"""A figure shows aggregates: more rows of data than this are a mistake, and an error."""

_SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v6.json"


def spec(drawing: Drawing) -> dict[str, Any]:
    """The Vega-Lite spec of a drawing, in our theme. ValueError above ROW_CAP rows of data."""
    rows = sum(map(len, drawing.datasets.values()))
    if rows > ROW_CAP:
        raise ValueError(f"a figure of {rows:,} rows of data; aggregate first, to {ROW_CAP:,}")
    made: dict[str, Any] = _drawable(drawing.chart.to_dict())
    return made | {
        "$schema": _SCHEMA_URL,
        "config": theme.config(),
        "datasets": _drawable(drawing.datasets),
    }


_UNDRAWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _drawable(value: Any) -> Any:
    """The same without characters that XML can't hold: one would end the process that draws it."""
    if isinstance(value, str):
        return _UNDRAWABLE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _drawable(one) for key, one in value.items()}
    return [_drawable(one) for one in value] if isinstance(value, list) else value


@cache
def _chart_code() -> str:
    """sha256 over what turns numbers into specs: the modules beside this one, and Altair."""
    here = Path(__file__).parent
    sources = sorted(here.glob("*.py"))
    digests = [sha256(path.read_bytes()) for path in sources]
    return sha256("\n".join((*digests, f"altair {installed('altair')}")).encode("ascii"))


class Drawer:
    """Makes specs and SVGs; what was made is kept under the digest of its content and its tools."""

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

    def vega_bundle(self) -> bytes:
        """The one script that makes figures interactive: Vega, Vega-Lite and vega-embed."""
        path, data = self._remembered(".js", self._tool, "bundle")
        if data is None:
            import vl_convert

            bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg]  # optional in fact
            data = bundle.encode("utf-8")
            files.write(path, data)
        return data


# --- Inlining -------------------------------------------------------------------------------------

_DROPPED = frozenset(
    ("role", "aria-roledescription", "aria-label", "aria-hidden", "class", "pointer-events",
     "font-family", "stroke-miterlimit", "version", "style")
)  # fmt: skip
_DEFAULTS = frozenset(
    (("opacity", "1"), ("stroke-width", "1"), ("font-weight", "normal"),
     ("stroke-dasharray", "1,0"), ("transform", "translate(0,0)"), ("text-anchor", "start"),
     ("fill-opacity", "1"))
)  # fmt: skip
_GEOMETRY = frozenset(("transform", "d", "x", "y", "x2", "y2", "width", "height", "viewBox"))
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def inline(svg: str, *, css_class: str, name: str, title: str, description: str) -> str:
    """An SVG for use inside a page: small, coloured by the style sheet, with a text alternative.

    Dropping per-mark ARIA (one image, one description), empty groups and decimals more than halves
    it. `name` makes its ids unique in the page.
    """
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = {_local(key): _variable(value) for key, value in element.attrib.items()}
    _shrink(root)
    root = ElementTree.fromstring(ElementTree.tostring(root))  # merged groups shrink once more
    _shrink(root)
    size = {key: root.attrib[key] for key in ("viewBox", "width", "height")}
    out = ElementTree.Element(
        "svg",
        {
            "class": css_class, **size, "fill": "none", "role": "img",
            "aria-labelledby": f"{name}-t {name}-d",
        },
    )  # fmt: skip
    ElementTree.SubElement(out, "title", {"id": f"{name}-t"}).text = title
    ElementTree.SubElement(out, "desc", {"id": f"{name}-d"}).text = description
    out.extend(list(root))
    return ElementTree.tostring(out, encoding="unicode")


def _local(name: str) -> str:
    """A name without its namespace: inside a page there are none."""
    return name.rpartition("}")[2]


def _variable(value: str) -> str:
    """An attribute's value; where it is a colour of the theme, the style sheet's variable."""
    return f"var(--{theme.VARIABLES[value]})" if value in theme.VARIABLES else value


def _shrink(element: ElementTree.Element) -> None:
    for key, value in list(element.attrib.items()):
        if key in _DROPPED or (key, value) in _DEFAULTS:
            del element.attrib[key]
        elif key in _GEOMETRY:
            element.attrib[key] = _DECIMAL.sub(_one_decimal, value)
    for child in list(element):
        _shrink(child)
        place = list(element).index(child)
        if _is_invisible(child):
            element.remove(child)
        elif child.tag == "g" and not child.attrib:
            element.remove(child)
            for offset, grandchild in enumerate(list(child)):
                element.insert(place + offset, grandchild)


def _one_decimal(match: re.Match[str]) -> str:
    shown = f"{float(match[0]):.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def _is_invisible(element: ElementTree.Element) -> bool:
    attributes = element.attrib
    if attributes.get("display") == "none" or attributes.get("opacity") == "0":
        return True
    match element.tag:
        case "path":
            drawn = attributes.get("d", "") not in ("", "M0,0h0v0h0Z")
            return not drawn or not {"fill", "stroke"} & set(attributes)
        case "g":
            return len(element) == 0
        case "text":
            return not (element.text or "").strip() and len(element) == 0
        case "rect":
            return attributes.get("fill") == "white"
    return False
