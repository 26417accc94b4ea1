"""The commands of a version's life: from a draft to its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pagecost.cli.base import DRY_RUN, KEY, make_console, options, shared


@click.command()
@KEY
@click.option("--like", metavar="EXPERIMENT@VERSION", help="Begin from that version's plan.")
@DRY_RUN
@options
def new(
    key: str, like: str | None, dry_run: bool, config: Path | None, quiet: bool, verbose: bool
) -> None:
    """Write a draft plan that builds, and PLAN.md, which explains each field.

    Where there is no project yet, it begins one in this folder.

    \b
    Examples: pagecost new my-search@1
              pagecost new page-cost@13 --like page-cost@12
    """
    from pagecost import starting

    console = make_console(quiet, verbose)
    for path in starting.new(key, like, config, dry_run=dry_run):
        console.say(f"{'would write' if dry_run else 'wrote'} {path}")


@click.command()
@KEY
@shared
def corpus(work: Any, key: str) -> None:
    """Read a version's corpus, rank nothing, and print what its plan must pin, as JSON.

    \b
    Example: pagecost corpus python-packages@1
    """
    from pagecost import jsonio, recording

    click.echo(jsonio.canonical(recording.corpus_pins(work, key)), nl=False)


@click.command()
@KEY
@DRY_RUN
@shared
def freeze(work: Any, key: str, dry_run: bool) -> None:
    """Check a draft plan against its corpus, then commit it (and its projection) alone.

    From then on a changed plan is refused.

    \b
    Example: pagecost freeze python-packages@1
    """
    from pagecost import recording

    digest, commit = recording.freeze(work, key, dry_run=dry_run)
    where = "would be committed" if commit is None else f"committed in {commit[:12]}"
    work.console.say(f"{key}: frozen, sha256 {digest}, {where}")


@click.command()
@KEY
@DRY_RUN
@shared
def record(work: Any, key: str, dry_run: bool) -> None:
    """Score a frozen plan and write results.json and ranks.csv, to be committed afterwards.

    \b
    Example: pagecost record python-packages@1
    """
    from pagecost import recording

    for path in recording.record(work, key, dry_run=dry_run):
        work.console.say(f"{'would write' if dry_run else 'wrote'} {path}")


@click.command()
@KEY
@shared
def score(work: Any, key: str) -> None:
    """Score a version from its corpus and print results.json, and nothing else, on stdout.

    A plan that isn't frozen is refused with status 1, unless it is an exploration.

    \b
    Example: pagecost score page-cost@12 | cmp - site/page-cost/12/results.json
    """
    from pagecost import recording

    click.echo(recording.score(work, key).results_json, nl=False)


@click.command()
@KEY
@click.option(
    "--from",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Take the ZIPs that are in this folder already.",
)
@click.option("--base-url", default=None, help="A mirror of GitHub's archive server.")
@shared
def fetch(work: Any, key: str, folder: Path | None, base_url: str | None) -> None:
    """Bring the pinned archives of a version into the cache, and check every byte that is used.

    \b
    Examples: pagecost fetch page-cost@12
              pagecost fetch page-cost@12 --from ~/zips
    """
    from pagecost import fetch as fetching
    from pagecost import sources

    fetched = sources.bring(work, key, folder, base_url or fetching.GITHUB)
    for one in fetched:
        work.console.say(f"{one.archive.repository}: {one.how}, sha256 {one.sha256}")
    said = "verified" if fetched else "in the cache already, and verified before"
    work.console.say(f"{key}: {said}")
