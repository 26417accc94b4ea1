"""An SVG for use inside a page: small, and coloured by the style sheet."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from pagecost.charts import theme

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


def inline(svg: str, css_class: str, name: str, title: str, description: str) -> str:
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
