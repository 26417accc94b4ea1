"""The commands of a version's life: from a draft to its record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from pagecost.cli.base import DRY_RUN, KEY, make_console, options, shared
from pagecost.cli.quick import FILE, RUN, brought_of, choices


@click.command()
@KEY
@click.option("--like", metavar="EXPERIMENT@VERSION", help="Begin from that version's plan.")
@click.option(
    "--from-beir",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Begin over a collection in BEIR's layout; its files are copied into the cache.",
)
@click.option("--split", metavar="NAME", help="Its judgments: qrels/NAME.tsv; test unless given.")
@click.option(
    "--from-runs",
    metavar=RUN,
    multiple=True,
    help="Begin over TREC runs, the first one the baseline; may be given several times.",
)
@click.option("--qrels", type=FILE, help="The judgments of those runs.")
@choices
@DRY_RUN
@options
def new(
    key: str,
    like: str | None,
    from_beir: Path | None,
    split: str | None,
    from_runs: tuple[str, ...],
    qrels: Path | None,
    dry_run: bool,
    config: Path | None,
    quiet: bool,
    verbose: bool,
    **chosen: Any,
) -> None:
    """Write a draft plan that builds, and PLAN.md, which explains each field.

    Where there is no project yet, it begins one in this folder. From a collection or from runs,
    everything that the plan must pin is pinned. The options from --page-size on are for runs.

    \b
    Examples: pagecost new my-search@1
              pagecost new page-cost@13 --like page-cost@12
              pagecost new scifact@1 --from-beir ~/beir/scifact
              pagecost new mine@1 --qrels qrels.txt --from-runs a.run --from-runs b.run
    """
    from pagecost import files, starting

    console = make_console(quiet, verbose)
    begins = [
        name
        for name, given in (
            ("--like", like),
            ("--from-beir", from_beir),
            ("--from-runs", from_runs),
        )
        if given
    ]
    if len(begins) > 1:
        raise click.UsageError(f"{' and '.join(begins)} exclude each other")
    if bool(from_runs) != (qrels is not None):
        raise click.UsageError("--from-runs and --qrels go together")
    if not from_runs and (given := _given(chosen)):
        raise click.UsageError(f"{given} goes with --from-runs")
    if split is not None and from_beir is None:
        raise click.UsageError("--split goes with --from-beir")
    if from_beir is not None:
        made = starting.from_beir(
            key, from_beir, split, config, files.cache_folder(), dry_run=dry_run
        )
    elif qrels is not None:
        brought = brought_of(qrels, from_runs, **chosen)
        with console.progress("reading", "lines of runs") as tick:
            made = starting.from_runs(key, brought, config, dry_run=dry_run, tick=tick)
    else:
        made = starting.new(key, like, config, dry_run=dry_run)
    for path in made:
        console.say(f"{'would write' if dry_run else 'wrote'} {path}")


def _given(names: Iterable[str]) -> str | None:
    """An option of those names that stands on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            return parameter.opts[0]
    return None


@click.command()
@KEY
@click.option("--write", is_flag=True, help="Write it into the draft instead of printing it.")
@DRY_RUN
@shared
def corpus(work: Any, key: str, write: bool, dry_run: bool) -> None:
    """Read a version's corpus, rank nothing, and print what its plan must pin, as JSON.

    \b
    Examples: pagecost corpus python-packages@1
              pagecost corpus my-search@1 --write
    """
    from pagecost import jsonio, recording

    if dry_run and not write:
        raise click.UsageError("--dry-run goes with --write; without it nothing is written")
    if not write:
        click.echo(jsonio.canonical(recording.corpus_pins(work, key)), nl=False)
        return
    path = recording.write_pins(work, key, dry_run=dry_run)
    if path is None:
        work.console.say(f"{key}: pins what was found already")
    else:
        work.console.say(f"{'would write' if dry_run else 'wrote'} {path}")


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
    help="Take the ZIPs, or the files that the plan pins, that are in this folder already.",
)
@click.option("--base-url", default=None, help="A mirror of GitHub's archive server.")
@shared
def fetch(work: Any, key: str, folder: Path | None, base_url: str | None) -> None:
    """Bring a version's raw data into the cache, and check every byte that is used.

    Pinned archives are downloaded, or taken from a folder. A collection's files and runs are only
    taken from a folder, by the paths that the plan pins or by their names.

    \b
    Examples: pagecost fetch page-cost@12
              pagecost fetch page-cost@12 --from ~/zips
    """
    from pagecost import fetch as fetching
    from pagecost import sources

    fetched = sources.bring(work, key, folder, base_url or fetching.GITHUB)
    for one in fetched:
        work.console.say(f"{one.name}: {one.how}, sha256 {one.sha256}")
    said = "verified" if fetched else "in the cache already, and verified before"
    work.console.say(f"{key}: {said}")
