"""How it looks: templates and assets, the project's own before those that come with pagecost."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import jinja2

from pagecost import jsonio
from pagecost.charts.draw import Drawer
from pagecost.errors import InputError
from pagecost.report import words


def templates_folder() -> Path:
    """The look that comes with pagecost: beside the package in a checkout, inside it in a wheel."""
    here = Path(__file__).resolve().parent
    for folder in (here.parent / "templates", here / "templates"):
        if (folder / "base.html").is_file() and (folder / "assets" / "site.css").is_file():
            return folder
    raise InputError(f"{here}: the templates are missing; install pagecost again")


class Look:
    """Templates by name, and assets by name, each published under a name with its hash."""

    def __init__(self, root: Path, drawer: Drawer) -> None:
        self._drawer = drawer
        own, ours = root / "templates", templates_folder()
        self._folders = [own] if own.is_dir() else []
        self._folders.append(ours)
        self._environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [
                    jinja2.FileSystemLoader([str(folder) for folder in self._folders]),
                    # Ours by a name of their own, so that a project's may extend them.
                    jinja2.PrefixLoader(
                        {"pagecost": jinja2.FileSystemLoader(str(templates_folder()))}
                    ),
                ]
            ),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self._environment.globals.update(
            number=words.number,
            signed=words.signed,
            count=words.count,
            decimal=words.decimal,
            gate_said=words.gate_said,
            spelled=words.spelled,
            found_first=words.FOUND_FIRST,
            capital=words.capital,
            share=words.share,
        )
        self._assets: dict[str, tuple[str, bytes]] = {}

    def render(self, template: str, **data: Any) -> str:
        """A page. InputError names the template and line that can't be rendered."""
        try:
            return self._environment.get_template(template).render(data)
        except jinja2.TemplateSyntaxError as error:
            place = f"{error.filename or template}: line {error.lineno}"
            raise InputError(f"{place}: {error.message}") from None
        except RecursionError:
            raise InputError(
                f"{template}: extends itself without end; ours is named pagecost/{template}"
            ) from None
        except Exception as error:  # a template is code, and may fail in any way
            raise InputError(f"{_line_of(error) or template}: {error}") from None

    def asset(self, name: str) -> str:
        """The published path of an asset, which carries its content's hash."""
        if name not in self._assets:
            data = self._drawer.vega_bundle() if name == "vega.js" else self._read(name)
            stem, dot, suffix = name.rpartition(".")
            self._assets[name] = (f"assets/{stem}.{jsonio.sha256(data)[:10]}{dot}{suffix}", data)
        return self._assets[name][0]

    def text(self, name: str) -> str:
        """An asset's own text, for a page that holds it."""
        return self._read(name).decode("utf-8")

    def _read(self, name: str) -> bytes:
        for folder in self._folders:
            if (path := folder / "assets" / name).is_file():
                return path.read_bytes()
        raise InputError(f"assets/{name}: in none of {', '.join(map(str, self._folders))}")

    @property
    def used(self) -> dict[str, bytes]:
        """The assets that some page refers to, by published path."""
        return dict(self._assets.values())


def _line_of(error: BaseException) -> str | None:
    """The template and line that an error comes from: the innermost frame of one."""
    place = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename.endswith((".html", ".svg", ".xml")):
            place = f"{frame.filename}: line {frame.lineno}"
    return place
