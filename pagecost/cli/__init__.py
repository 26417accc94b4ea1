"""The command line: arguments, progress, exit status. The only place that catches PagecostError."""

from __future__ import annotations

import click

from pagecost.cli import asking, life, quick, site
from pagecost.cli.base import Group
from pagecost.version import VERSION


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="pagecost")
def main() -> None:
    """Publish what a ranking policy costs until the first known answer, and what that doesn't mean.

    A version is named EXPERIMENT@VERSION. Its life: `new` writes a draft plan, `freeze` commits it,
    `record` scores it, `build` renders the site, `verify` replays it.

    \b
    Exit status: 0 fine; 1 a check was made and did not hold; 2 wrong input or use.
    Example: pagecost build
    """


for _command in (
    quick.quick,
    site.build,
    life.new,
    life.corpus,
    life.freeze,
    life.record,
    life.score,
    life.fetch,
    asking.verify,
    asking.check,
    asking.diff,
    asking.export,
    site.serve,
    site.publish,
):
    main.add_command(_command)
