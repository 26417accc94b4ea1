"""What every command shares: where errors end, common options, the console."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pagecost.errors import PagecostError

if TYPE_CHECKING:
    from pagecost.console import Console


class Group(click.Group):
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


def shared(function: Callable[..., Any]) -> Callable[..., Any]:
    """--config, --quiet and --verbose, which every command has; it gets a `work`."""

    @options
    def wrapped(config: Path | None, quiet: bool, verbose: bool, **rest: Any) -> Any:
        from pagecost import files, project
        from pagecost.context import Context

        work = Context(
            project=project.load(config or project.find_config(Path.cwd())),
            cache=files.cache_folder(),
            console=make_console(quiet, verbose),
        )
        return function(work, **rest)

    return update_wrapper(wrapped, function)


def options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--config, --quiet and --verbose, as they come."""
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


def make_console(quiet: bool, verbose: bool) -> Console:
    """The console that --quiet and --verbose ask for."""
    from pagecost.console import Console

    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose exclude each other")
    return Console("quiet" if quiet else "verbose" if verbose else "normal")


def fail(message: str) -> NoReturn:
    """Says what did not hold, and ends with status 1."""
    click.echo(message, err=True)
    raise SystemExit(1)


KEY = click.argument("key", metavar="EXPERIMENT@VERSION")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Say what would be done; change nothing.")
