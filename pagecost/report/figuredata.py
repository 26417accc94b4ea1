"""What makes a figure interactive: its specs, as a script beside the page."""

from __future__ import annotations

from pagecost.charts import theme
from pagecost.report.embed import script_json
from pagecost.report.figure import Figure


def figure_script(figure: Figure) -> bytes:
    """A figure's data as a script beside the page, since no page in a folder can fetch."""
    name, data = script_json(figure.anchor), script_json(figure_data(figure))
    return f"((window.pagecost ??= {{}}).figures ??= {{}})[{name}] = {data};\n".encode()


def figure_data(figure: Figure) -> dict[str, object]:
    """A figure's interactive specs by key.

    What is alike in several specs, which is most of them, is written once and named by place.
    """
    shared: list[object] = []
    places: dict[str, int] = {}

    def place(value: object) -> int:
        text = script_json(value)
        if text not in places:
            places[text] = len(shared)
            shared.append(value)
        return places[text]

    specs = {
        name: {
            **spec,
            "config": place(spec["config"]),
            "datasets": {own: place(rows) for own, rows in spec["datasets"].items()},
        }
        for name, spec in figure.specs.items()
    }
    return {"colours": theme.VARIABLES, "shared": shared, "specs": specs}
