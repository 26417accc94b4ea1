"""Altair charts → specs and SVG, drawn once for each content and then remembered."""

from __future__ import annotations

import json
import re
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from pagecost import files
from pagecost.charts import theme
from pagecost.jsonio import sha256

ROW_CAP = 5_000
"""A figure shows aggregates: more rows of data than this are a mistake, and an error."""

_SCHEMA_URL = "https://vega.github.io/schema/vega-lite/v6.json"


def spec(chart: Any) -> dict[str, Any]:
    """The Vega-Lite spec of an Altair chart, in our theme. ValueError above ROW_CAP rows."""
    made: dict[str, Any] = chart.to_dict()
    rows = _count_rows(made)
    if rows > ROW_CAP:
        raise ValueError(f"a figure of {rows:,} rows of data; aggregate first, to {ROW_CAP:,}")
    made["config"] = theme.config()
    made["$schema"] = _SCHEMA_URL
    return made


def _count_rows(node: object) -> int:
    if isinstance(node, dict):
        own = len(values) if isinstance(values := node.get("values"), list) else 0
        return own + sum(_count_rows(below) for below in node.values())
    if isinstance(node, list):
        return sum(_count_rows(below) for below in node)
    return 0


class Drawer:
    """Draws with vl-convert; what was drawn is kept under the digest of spec and tools."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / "figures"
        self._tool = f"vl-convert-python {installed('vl-convert-python')}"

    def _remembered(self, key: str, suffix: str) -> tuple[Path, bytes | None]:
        digest = sha256("\n".join((self._tool, key)).encode("utf-8"))
        path = self._folder / f"{digest}{suffix}"
        try:
            return path, path.read_bytes() or None
        except OSError:
            return path, None

    def svg(self, spec: dict[str, Any]) -> str:
        """The figure as a standalone SVG file, with the theme's hexes."""
        path, data = self._remembered(json.dumps(spec, sort_keys=True), ".svg")
        if data is None:
            import vl_convert

            data = vl_convert.vegalite_to_svg(spec).encode("utf-8")
            files.write(path, data)
        return data.decode("utf-8")

    def vega_bundle(self) -> bytes:
        """The one script that makes figures interactive: Vega, Vega-Lite and vega-embed."""
        path, data = self._remembered("bundle", ".js")
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
    root = ElementTree.fromstring(re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg).replace("xlink:", ""))
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
    text = ElementTree.tostring(out, encoding="unicode")
    for colour, variable in theme.VARIABLES.items():
        text = text.replace(f'"{colour}"', f'"var(--{variable})"')
    return text


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
