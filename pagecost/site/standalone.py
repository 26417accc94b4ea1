"""A comparison as one HTML file that needs nothing beside it."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from pagecost.charts.draw import Drawer
from pagecost.diff.sides import Side
from pagecost.look import Look
from pagecost.report import diffpage


def compare(a: Side, b: Side, root: Path, cache: Path) -> bytes:
    """The compare page of two sides, its style inside; templates in `root` come first."""
    look = Look(root, Drawer(cache))
    css = look.text("site.css")
    digest = base64.b64encode(hashlib.sha256(css.encode("utf-8")).digest()).decode("ascii")
    page = diffpage.compare_page(a, b, Drawer(cache))
    made = look.render(
        "compare.html",
        site_name="pagecost",
        repo_url=None,
        canonical=None,
        guide=None,
        crumbs=[{"text": f"compare {' → '.join(page.names)}", "target": ""}],
        page=page,
        reports=(),
        plans=(),
        draft=page.is_draft,
        style={"text": Markup(css), "digest": digest},
        **diffpage.FUNCTIONS,
    )
    return made.encode("utf-8")
