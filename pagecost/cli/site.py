"""The commands that make a site: built, looked at, published."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path
from typing import Any

import click

from pagecost.cli.base import DRY_RUN, fail, make_console, options, shared


@click.command()
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Where the site goes."
)
@click.option(
    "--into",
    metavar="DIR/PREFIX",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write below one folder of a site that another tool built in DIR.",
)
@click.option("--no-drafts", is_flag=True, help="Leave drafts out: what may be published.")
@click.option("--strict", is_flag=True, help="Let warnings fail the build.")
@shared
def build(work: Any, output: Path | None, into: Path | None, no_drafts: bool, strict: bool) -> None:
    """Replay every record and render the site.

    A version with a record is replayed, from its corpus where that is at hand, else from its ranks,
    and compared byte for byte. One without is shown as the draft or frozen plan it is. Nothing is
    written but the site and the cache; a site that stood there before stays whole until then.

    With --into, the site around PREFIX stays as it is; site_url is then PREFIX's own address.

    \b
    Examples: pagecost build --output _site
              pagecost build --no-drafts --into public/experiments
    """
    from pagecost import pipeline

    if output is not None and into is not None:
        raise click.UsageError("--output and --into exclude each other")
    pipeline.build(work, output, into, drafts=not no_drafts)
    if strict and work.console.warnings:
        fail(f"error: {work.console.warnings} warnings, and --strict")


@click.command()
@click.option("--remote", default="origin", show_default=True, help="A remote's name, or address.")
@click.option("--branch", default="gh-pages", show_default=True, help="The branch of the pages.")
@DRY_RUN
@shared
def publish(work: Any, remote: str, branch: str, dry_run: bool) -> None:
    """Bring the site to a Pages branch, beside what others published there.

    Fetches the branch, lays this project's versions over it, renders the pages that list versions
    from all that is there, and pushes, with your own Git identity; again, if somebody else was
    faster. Drafts never go. What pagecost did not write stays as it is. A publication that would
    drop, rename or alter a published version is refused with status 1.

    \b
    Examples: pagecost publish --dry-run
              pagecost publish --remote upstream --branch pages
    """
    from pagecost import pipeline
    from pagecost.publish.branch import shown as without_password
    from pagecost.report import words

    shown = without_password(remote)
    done = pipeline.publish(work, remote, branch, dry_run=dry_run)
    for key, fate in done.fates.items():
        why = ": what is published is not in this clone's history, and stays"
        work.console.say(f"{key:<24} {fate}{why if fate == 'behind' else ''}")
    for paths, said in ((done.written, "write"), (done.removed, "remove")):
        for path in paths:
            work.console.detail(f"{said} {path}")
    counts = f"{words.count(len(done.written), 'file')} written, {len(done.removed)} removed"
    if not done.written and not done.removed:
        work.console.say(f"{branch} of {shown}: nothing to publish")
    elif done.commit is None:
        work.console.say(f"{branch} of {shown}: would be {counts}")
    else:
        work.console.say(f"{branch} of {shown}: {counts}, in {done.commit[:12]}")


@click.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@options
def serve(port: int, config: Path | None, quiet: bool, verbose: bool) -> None:
    """Preview the site on this machine, under the path of site_url; end it with Ctrl-C.

    Sources are watched: on save, the site is built anew in memory and the page reloads. What is
    wrong with a plan is shown in the page until it is put right. Nothing is written but the cache.
    With --port 0, any free port.

    \b
    Example: pagecost serve --port 8001
    """
    from pagecost import previewing

    console = make_console(quiet, verbose)
    with (
        contextlib.suppress(KeyboardInterrupt),  # during the first build too
        previewing.running(config, port, console) as address,
    ):
        click.echo(f"Serving {address} (Ctrl-C ends it)")
        threading.Event().wait()
