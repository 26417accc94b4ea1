"""A report's figures as files of their own, each with its words inside.

A figure that is copied somewhere else still says what it means and what it doesn't.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from pagecost import jsonio
from pagecost.charts import theme
from pagecost.charts.draw import Drawer
from pagecost.charts.sheet import Sheet, Tell, preview, sheet
from pagecost.charts.text import wrap
from pagecost.report import words
from pagecost.report.figure import Figure
from pagecost.report.figuredata import figure_script
from pagecost.report.page import ReportPage
from pagecost.report.scores import Scores
from pagecost.site.frame import Crumbs, Frame

PREVIEW = "og.png"
_PIXELS = 2.0  # of a figure's picture, to each of its drawing's
_TITLE, _NOTE, _WIDTH = 14, 12, 780


def files(page: ReportPage, base: str, frame: Frame, drawer: Drawer) -> Iterator[tuple[str, bytes]]:
    """Every figure of a scored report as SVG, PNG, Vega-Lite and script, and the preview.

    `base` is the report's folder, below the site's root, with a slash at its end.
    """
    scores = page.scores
    if scores is None:
        return
    for figure in scores.figures:
        source = _source(page, frame.address(f"{base}index.html#{figure.anchor}"))
        notes = _notes(page, figure)
        made = sheet(figure.svg, figure.title, notes, source)
        svg = _svg(frame, made, figure.title, " ".join((*notes, source)))
        stem = f"{base}{figure.anchor}"
        yield f"{stem}.svg", svg
        yield f"{stem}.png", drawer.png(svg.decode("utf-8"), _PIXELS)
        yield f"{stem}.vl.json", jsonio.canonical(_spec(figure, notes, source))
        yield f"{stem}.js", figure_script(figure)
    picture = _svg(frame, _preview(page, scores), page.title, page.description)
    yield f"{base}{PREVIEW}", drawer.png(picture.decode("utf-8"), 1.0)


def embeds(
    page: ReportPage, base: str, frame: Frame, crumbs: Crumbs
) -> Iterator[tuple[str, bytes]]:
    """A page a figure, to be shown inside other pages: its words, its limit and the caveat."""
    for figure in page.scores.figures if page.scores is not None else ():
        path = f"{base}embed/{figure.anchor}/index.html"
        yield (
            path,
            frame.page(
                "embed.html",
                path,
                [*crumbs, (f"figure {figure.number}", path)],
                report=page,
                figure=figure,
                home=f"{base}index.html",
                base=base,
                draft=page.state == "draft",
            ),
        )


def _notes(page: ReportPage, figure: Figure) -> list[str]:
    """What stands below a figure: how to read it, its limit, and the plan's caveat."""
    caption = figure.caption
    return [caption.reading, *figure.notes, caption.limit, " ".join(page.plan.caveat.split())]


def _source(page: ReportPage, address: str | None) -> str:
    plan = page.plan
    said = f"{plan.experiment} {plan.version}, plan {page.digest[:12]} dated {plan.date}"
    return said if address is None else f"{said}. {address}"


def _svg(frame: Frame, made: Sheet, title: str, description: str) -> bytes:
    drawing = Markup(made.drawing)
    return frame.text(
        "figure.svg", sheet=made, drawing=drawing, title=title, description=description
    )


def _spec(figure: Figure, notes: list[str], source: str) -> dict[str, Any]:
    """The figure's spec with its words in the title, so that it is drawn with them anywhere."""
    below = [line for note in (*notes, source) for line in wrap(note, _NOTE, _WIDTH)]
    return figure.spec | {
        "title": {
            "text": wrap(figure.title, _TITLE, _WIDTH),
            "subtitle": below,
            "fontSize": _TITLE,
            "subtitleFontSize": _NOTE,
            "offset": 20,
        },
        "description": " ".join((figure.title, figure.caption.alternative, *notes)),
        "background": theme.PAPER,
        "padding": 24,
        "usermeta": {"source": source},
    }


def _preview(page: ReportPage, scores: Scores) -> Sheet:
    plan = page.plan
    tells = [
        Tell(
            name=f"{one.name}: not time" if one.is_proxy else f"{one.name}, {one.kind}",
            value=_value(page, one.change),
            phrase=one.phrase if page.compares else "",
            bars=((one.base_bar, page.baseline.colour), (one.ours_bar, page.primary.colour))
            if page.compares and one.change.difference is not None
            else (),
        )
        for one in scores.trio
    ]
    caveat = " ".join((*scores.notes, *plan.caveat.split()))
    eyebrow = f"{plan.experiment} {plan.version} · {page.kind} · plan {page.digest[:12]}"
    return preview(eyebrow, words.plain(scores.headline), tells, caveat)


def _value(page: ReportPage, change: words.Change) -> str:
    ours = words.number(change.ours)
    return f"{words.number(change.base)} → {ours}" if page.compares else ours
