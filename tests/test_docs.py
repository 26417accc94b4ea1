"""The guide's generated pages are what the program says of itself.

`PAGECOST_UPDATE_GOLD=1 pytest tests/test_docs.py` writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pagecost import plannotes
from pagecost.cli import main

ROOT = Path(__file__).parent.parent
GUIDE = ROOT / "site" / "guide"


def commands() -> Iterator[tuple[str, click.Command]]:
    yield "pagecost", main
    for name, command in main.commands.items():
        yield f"pagecost {name}", command


def help_of(name: str, command: click.Command) -> str:
    program = click.Context(main, info_name="pagecost", terminal_width=80, **main.context_settings)
    if command is main:
        return main.get_help(program)
    own = click.Context(command, program, info_name=name.rsplit(maxsplit=1)[-1], terminal_width=80)
    return command.get_help(own)


def commands_page() -> str:
    parts = [
        "# Commands",
        "",
        "`python -m pagecost` is the same program. Results go to stdout, everything else to "
        "stderr.",
        "",
        "| exit status | means |",
        "|---|---|",
        "| 0 | fine |",
        "| 1 | a check was made and did not hold |",
        "| 2 | wrong input or use |",
        "",
        "`PAGECOST_CACHE` names the folder where archives, figures and the memory of replays are "
        "kept, in place of the system's own cache folder.",
    ]
    for name, command in commands():
        parts += ["", f"## {name}", "", "```text", help_of(name, command), "```"]
    return "\n".join(parts) + "\n"


def plans_page() -> str:
    return plannotes.notes().replace("This file is for you; it is not published.\n", "")


@pytest.mark.parametrize(
    ("name", "made"), [("commands.md", commands_page()), ("plans.md", plans_page())]
)
def test_a_generated_page_of_the_guide_is_up_to_date(name: str, made: str) -> None:
    path = GUIDE / name
    if os.environ.get("PAGECOST_UPDATE_GOLD") == "1":
        path.write_text(made, encoding="utf-8", newline="\n")
    # White space apart: how click wraps lines is its own affair.
    assert path.read_text(encoding="utf-8").split() == made.split()


@pytest.mark.parametrize(("name", "command"), list(commands()))
def test_every_command_explains_itself_with_an_example(name: str, command: click.Command) -> None:
    shown = help_of(name, command)
    assert "Example" in shown
    assert "pagecost" in shown.partition("Example")[2]


def test_the_readme_has_the_two_commands_that_ci_runs() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (
        'python3 -m venv .venv && . .venv/bin/activate && pip install -e ".[corpora]" '
        "&& pagecost build\n" in readme
    )
    assert (
        'python3 -m venv .venv && . .venv/bin/activate && pip install -e ".[corpora,dev]" '
        "&& pytest\n" in readme
    )
