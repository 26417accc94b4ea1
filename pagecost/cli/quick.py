"""The command that makes one report from files alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagecost.cli.base import DRY_RUN, make_console, options

if TYPE_CHECKING:
    from pagecost.bringing import Brought
    from pagecost.console import Console

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
RUN = "[NAME=]RUN"
CHOICES = (
    click.option("--title", metavar="TEXT", help="What the report is called; else after its runs."),
    click.option("--date", metavar="YYYY-MM-DD", help="The plan's date; today's unless given."),
    click.option(
        "--ties",
        type=click.Choice(["score-then-docno", "rank-column"]),
        default="score-then-docno",
        show_default=True,
        help="How a run orders: as trec_eval 9 does, or by its rank column.",
    ),
    click.option(
        "--target",
        metavar="first|all|M",
        default="first",
        show_default=True,
        help="What is looked for: the first relevant document, all, or M of them.",
    ),
    click.option(
        "--relevance-level",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="The least grade that counts as relevant.",
    ),
    click.option(
        "--searches",
        metavar="NAME=N",
        multiple=True,
        help="Index searches behind a page of that run; may be given several times.",
    ),
    click.option(
        "--primary",
        metavar="NAME",
        help="The run that the headline is about; the second unless given.",
    ),
    click.option(
        "--page-size",
        "page_sizes",
        metavar="SIZE",
        type=click.IntRange(1, 10_000_000),
        multiple=True,
        help="Candidates a page; may be given several times, the primary one first. "
        "Without it 1, 5, 10, 20 and 50, and 20 is primary.",
    ),
)
"""What `quick`, and `new` from runs, can be told."""


def choices(function: Any) -> Any:
    """Adds CHOICES to a command."""
    for option in CHOICES:
        function = option(function)
    return function


@click.command()
@click.option(
    "--qrels", required=True, type=FILE, help="Judgments: topic, iteration, document, grade."
)
@click.option(
    "--run",
    "runs",
    metavar=RUN,
    required=True,
    multiple=True,
    help="A TREC run, plain or gzip; the first one is the baseline. May be given several times.",
)
@choices
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the report goes; report/ unless given.",
)
@click.option(
    "--save",
    metavar="site/NAME/VERSION",
    type=click.Path(path_type=Path, file_okay=False),
    help="Begin a version of a project with these files instead: a draft exploration.",
)
@DRY_RUN
@options
def quick(
    qrels: Path,
    runs: tuple[str, ...],
    output: Path | None,
    save: Path | None,
    dry_run: bool,
    config: Path | None,
    quiet: bool,
    verbose: bool,
    **chosen: Any,
) -> None:
    """Make one report from judgments and runs alone; no project is needed.

    Prints the headline, and writes a folder that opens from disk. Its sentences are generic and say
    so. Searches a page are shown only where they are given: none are invented.

    \b
    Examples: pagecost quick --qrels qrels.txt --run bm25.run --run mine.run
              pagecost quick --qrels qrels.txt --run a.run --run b.run --searches a=1 --searches b=2
              pagecost quick --qrels qrels.txt --run a.run --run b.run --save site/mine/1
    """
    if output is not None and save is not None:
        raise click.UsageError("--output and --save exclude each other")
    console = make_console(quiet, verbose)
    brought = brought_of(qrels, runs, **chosen)
    if save is None:
        _report(brought, output or Path("report"), console, dry_run=dry_run)
        return
    from pagecost import starting

    for path in starting.save(save, brought, config, dry_run=dry_run):
        console.say(f"{'would write' if dry_run else 'wrote'} {path}")
    key = starting.key_of(save)
    console.say(
        f"next: edit its plan.json, commit its files if you may, then `pagecost freeze {key}` and "
        f"`pagecost record {key}`"
    )


def _report(brought: Brought, output: Path, console: Console, *, dry_run: bool) -> None:
    from pagecost import bringing, files
    from pagecost.charts.draw import Drawer
    from pagecost.report import provenance, scores, words
    from pagecost.site import alone

    target = output.absolute()
    alone.prepare(target)
    with console.progress("reading", "lines of runs") as tick:
        version = bringing.scored(brought, "report@1", tick)
    assert version.record is not None
    for run in provenance.run_notes(version.plan):
        console.detail(f"{run.path}: {run.held}")
        if run.repairs:
            console.say(f"note: {run.path}: {'; '.join(run.repairs)}")
    click.echo(words.plain(words.headline(version.plan, version.record.results)))
    for note in scores.notes(version.plan, version.record.results):
        click.echo(note)
    if dry_run:
        console.say(f"would write {output / 'index.html'}")
        return
    with console.progress("drawing", "figures") as drawn:
        drawer = Drawer(files.cache_folder(), drawn)
        contents = alone.report(version, [command_of(brought)], drawer)
    files.write_tree(target, contents, keep_out=())
    console.say(f"wrote {output / 'index.html'}")


def brought_of(qrels: Path, runs: tuple[str, ...], **chosen: Any) -> Brought:
    """What a command line brings. UsageError or InputError where it doesn't agree with itself."""
    from pagecost import bringing
    from pagecost.errors import InputError

    named: dict[str, Path] = {}
    for given in runs:
        name, path = _run(given)
        if name.lower() in {one.lower() for one in named}:
            raise InputError(
                f"--run {given}: a second run called {name!r}; name them apart: NAME={path}"
            )
        named[name] = path
    sizes = chosen.pop("page_sizes")
    if sizes:
        chosen |= {"page_sizes": sizes, "primary_page_size": sizes[0]}
    searches: dict[str, int] = {}
    for name, number in map(_searches, chosen.pop("searches")):
        if searches.setdefault(name, number) != number:
            raise InputError(
                f"--searches {name}={number}: {name}={searches[name]} was given before it"
            )
    return bringing.Brought(qrels=qrels, runs=named, searches=searches, **chosen)


def _run(given: str) -> tuple[str, Path]:
    """Name and file. A file that is there under the whole text is meant by it."""
    from pagecost import bringing

    name, equals, rest = given.partition("=")
    path = Path(given)
    if equals and not path.is_file():
        path = Path(rest)
    else:
        name = bringing.name_of(path)
    if not path.is_file():
        raise click.BadParameter(f"{path}: no such file", param_hint="--run")
    return name, path


def _searches(given: str) -> tuple[str, int]:
    name, _, number = given.rpartition("=")
    if not name or not number.isascii() or not number.isdigit() or int(number) < 1:
        raise click.BadParameter(
            f"{given!r}: expected NAME=N, N from 1 on", param_hint="--searches"
        )
    return name, int(number)


def command_of(brought: Brought) -> str:
    """The command that makes the same report again, from where the files are."""
    import shlex

    words = ["pagecost", "quick", "--qrels", brought.qrels.name]
    for name, path in brought.runs.items():
        words += ["--run", f"{name}={path.name}"]
    sizes = list(brought.page_sizes)
    for size in sorted(sizes, key=lambda size: size != brought.primary_page_size):
        words += ["--page-size", str(size)] if brought.primary_page_size else []
    for name, number in brought.searches.items():
        words += ["--searches", f"{name}={number}"]
    defaults = type(brought)(qrels=brought.qrels, runs=brought.runs)
    for field in ("primary", "target", "relevance_level", "ties", "title", "date"):
        if (value := getattr(brought, field)) != getattr(defaults, field):
            words += [f"--{field.replace('_', '-')}", str(value)]
    return shlex.join(words)
