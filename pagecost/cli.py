"""The command line: arguments, progress, exit status. The only place that catches PagecostError."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pagecost import __version__
from pagecost.errors import PagecostError

if TYPE_CHECKING:
    from pagecost.console import Console


class _Group(click.Group):
    """Commands in the order of a version's life, and one place where errors end."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, io.TextIOWrapper):  # as stderr does what it can't encode
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except PagecostError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(error.status)
        except BrokenPipeError:
            # Whoever read stdout has enough (`pagecost score … | head`).
            _drop_stdout()
            ctx.exit(1)
        except OSError as error:
            # Files are read and written with messages of their own: this is a full disk on stdout.
            click.echo(f"error: {error.filename or 'output'}: {error.strerror or error}", err=True)
            _drop_stdout()
            ctx.exit(2)


def _drop_stdout() -> None:
    """What could not be written is not tried again when Python ends."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """--config, --quiet and --verbose, which every command has; it gets a `work`."""

    @_options
    def wrapped(config: Path | None, quiet: bool, verbose: bool, **rest: Any) -> Any:
        from pagecost import files, project
        from pagecost.context import Context

        work = Context(
            project=project.load(config or project.find_config(Path.cwd())),
            cache=files.cache_folder(),
            console=_console(quiet, verbose),
        )
        return function(work, **rest)

    return update_wrapper(wrapped, function)


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("-v", "--verbose", is_flag=True, help="Say more."),
        click.option("-q", "--quiet", is_flag=True, help="Say only what is wrong."),
        click.option(
            "--config",
            type=click.Path(path_type=Path, dir_okay=False),
            help="The project's mkdocs.yml; found in this folder or above unless named.",
        ),
    ):
        function = option(function)
    return function


def _console(quiet: bool, verbose: bool) -> Console:
    from pagecost.console import Console

    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    return Console("quiet" if quiet else "verbose" if verbose else "normal")


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    raise SystemExit(1)


_KEY = click.argument("key", metavar="EXPERIMENT@VERSION")
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pagecost")
def main() -> None:
    """Publish what a ranking policy costs until the first known answer, and what that doesn't mean.

    A version is named EXPERIMENT@VERSION. Its life: `new` writes a draft plan, `freeze` commits it,
    `record` scores it, `build` renders the site, `verify` replays it.

    \b
    Exit status: 0 fine; 1 a check was made and did not hold; 2 wrong input or use.
    Example: pagecost build
    """


@main.command()
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Where the site goes."
)
@click.option("--strict", is_flag=True, help="Let warnings fail the build.")
@_shared
def build(work: Any, output: Path | None, strict: bool) -> None:
    """Replay every record and render the site.

    A version with a record is replayed, from its corpus where that is at hand, else from its ranks,
    and compared byte for byte. One without is shown as the draft or frozen plan it is. Nothing is
    written but the site and the cache; a site that stood there before stays whole until then.

    \b
    Example: pagecost build --output _site
    """
    from pagecost import pipeline

    pipeline.build(work, output)
    if strict and work.console.warnings:
        _fail(f"error: {work.console.warnings} warnings, and --strict")


@main.command()
@_KEY
@click.option("--like", metavar="EXPERIMENT@VERSION", help="Begin from that version's plan.")
@_DRY_RUN
@_options
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

    console = _console(quiet, verbose)
    for path in starting.new(key, like, config, dry_run=dry_run):
        console.say(f"{'would write' if dry_run else 'wrote'} {path}")


@main.command()
@_KEY
@_shared
def corpus(work: Any, key: str) -> None:
    """Read a version's corpus, rank nothing, and print what its plan must pin, as JSON.

    \b
    Example: pagecost corpus python-packages@1
    """
    from pagecost import jsonio, recording

    click.echo(jsonio.canonical(recording.corpus_pins(work, key)), nl=False)


@main.command()
@_KEY
@_DRY_RUN
@_shared
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


@main.command()
@_KEY
@_DRY_RUN
@_shared
def record(work: Any, key: str, dry_run: bool) -> None:
    """Score a frozen plan and write results.json and ranks.csv, to be committed afterwards.

    \b
    Example: pagecost record python-packages@1
    """
    from pagecost import recording

    for path in recording.record(work, key, dry_run=dry_run):
        work.console.say(f"{'would write' if dry_run else 'wrote'} {path}")


@main.command()
@_KEY
@_shared
def score(work: Any, key: str) -> None:
    """Score a version from its corpus and print results.json, and nothing else, on stdout.

    A plan that isn't frozen is refused with status 1, unless it is an exploration.

    \b
    Example: pagecost score page-cost@12 | cmp - site/page-cost/12/results.json
    """
    from pagecost import recording

    click.echo(recording.score(work, key).results_json, nl=False)


@main.command()
@_KEY
@click.option(
    "--from",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Take the ZIPs that are in this folder already.",
)
@click.option("--base-url", default=None, help="A mirror of GitHub's archive server.")
@_shared
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


@main.command()
@click.argument("selection", metavar="[EXPERIMENT[@VERSION]]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@click.option("--strict", is_flag=True, help="Let what is not proven or not checked fail too.")
@_shared
def verify(work: Any, selection: str | None, as_json: bool, strict: bool) -> None:
    """Check digests, membership, replays byte for byte, and that the plan was frozen first.

    One line a check, saying what was compared with what. Without a selection, all versions.

    \b
    Examples: pagecost verify
              pagecost verify page-cost@12 --strict
    """
    from pagecost import pipeline

    checks = []
    for check in pipeline.verify_all(work, work.project.select(selection), strict=strict):
        checks.append(check)
        if not as_json and not (work.console.is_quiet and check.outcome == "ok"):
            click.echo(f"{check.outcome:<12}  {check.version}  {check.check}: {check.said}")
    failed = [c for c in checks if c.outcome == "failed" or (strict and c.outcome != "ok")]
    if as_json:
        rows = [
            {"version": c.version, "check": c.check, "outcome": c.outcome, "said": c.said}
            for c in checks
        ]
        text = json.dumps({"held": not failed, "checks": rows}, indent=2, ensure_ascii=False)
        click.echo(text.encode("utf-8", "backslashreplace"))
    if failed:
        _fail(f"error: {len(failed)} of {len(checks)} checks did not hold")
    said = f"{len(checks)} checks, none failed" if checks else "no version, so nothing to check"
    work.console.say(said)


@main.command()
@_KEY
@click.option("--format", "kind", required=True, type=click.Choice(["results-12", "costs-csv"]))
@_shared
def export(work: Any, key: str, kind: str) -> None:
    """Print a record in another format: the published schema of experiment 12, or costs as CSV.

    \b
    Example: pagecost export page-cost@12 --format costs-csv > costs.csv
    """
    from pagecost import recording

    click.echo(recording.export_record(work, key, kind), nl=False)
