"""One report as a site of its own: everything that it needs, in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pagecost import files
from pagecost.charts.draw import Drawer
from pagecost.errors import InputError
from pagecost.look import Look
from pagecost.project import PLAN, Config
from pagecost.site import check_links
from pagecost.site.docs import Docs
from pagecost.site.frame import Frame
from pagecost.site.reports import Reports
from pagecost.versions import Version


def prepare(target: Path) -> None:
    """Before long work: InputError where the target holds anything but such a report."""
    files.prepare(target, keep_out=())
    if target.is_dir() and any(target.iterdir()) and not (target / PLAN).is_file():
        raise InputError(
            f"{target}: holds a whole site, which one report would replace; choose another folder"
        )


def report(version: Version, commands: Sequence[str], drawer: Drawer) -> dict[str, bytes]:
    """Every file of the report by its path; `index.html` is the page.

    `commands` are how a reader makes it again.
    """
    nowhere = version.where.folder
    config = Config(
        root=nowhere,
        site_name="pagecost",
        site_url=None,
        repo_url=None,
        docs_dir=nowhere,
        site_dir=nowhere,
        output=nowhere,
        nav=(),
    )
    look = Look(Path(nowhere), drawer)
    reports = Reports(config, Frame(config, look, None), Docs(config, ()), drawer)
    contents = reports.files(version, commands, alone=True)
    contents.update(look.used)
    check_links(contents, contents)
    return dict(sorted(contents.items()))
