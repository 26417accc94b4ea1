"""The guide on bringing one's own runs: its code runs, its plans parse, its commands are there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pagecost import jsonio
from pagecost import plan as plans
from pagecost.cli import main
from pagecost.policies import runs
from tests.builders import ROOT, Json, environment, plan_of
from tests.collection_builders import RUN, collection_json, definitions_json, library, run_of
from tests.site_builders import figures_folder

GUIDE = ROOT / "site" / "guide" / "bring.md"
TEXT = GUIDE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks of that language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)


def commands() -> Iterator[str]:
    """Every command line of ours: in a block, and in running text where it is code."""
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.strip()]
    lines += re.findall(r"(?<!`)`(pagecost [^`\n]+)`(?!`)", TEXT)
    yield from (line for line in lines if line.startswith("pagecost "))


def test_the_guide_has_code_of_every_sort() -> None:
    assert len(blocks("python")) >= 3
    assert len(blocks("json")) >= 2
    assert len(list(commands())) >= 8
    assert set(re.findall(r"^```(\w+)$", TEXT, flags=re.MULTILINE)) == {"sh", "json", "python"}


@pytest.mark.parametrize("code", blocks("python"), ids=lambda code: code.split("\n\n")[1][:40])
def test_the_python_of_the_guide_runs_as_it_stands(
    code: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for name in ("pandas", "polars"):
        if f"import {name}" in code:
            library(name)
    assert "assert " in code, "nothing of it is checked"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=environment(PAGECOST_CACHE=str(figures_folder(tmp_path_factory))),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "report" / "index.html").exists() == ("write_report" in code)


def test_the_policies_of_the_guide_stand_in_a_plan(tmp_path: Path) -> None:
    (block,) = (one for one in blocks("json") if '"ranking"' in one)
    policies: list[Json] = json.loads(f"[{block}]")
    mine = {"name": "mine", "ranking": run_of(tmp_path, "runs/mine.run", RUN)}
    made = plan_of(
        {"kind": "ir-datasets", "dataset": "cranfield"},
        "mine",
        "1",
        policies=[mine, *policies],
        baseline="mine",
        primary_policy=policies[-1]["name"],
        definitions=definitions_json(),
    )
    plan = plans.parse(jsonio.canonical(made), "plan.json")
    assert [one.name for one in plan.policies] == ["mine", "plus", "mixed", "later"]
    assert [run.file.path for run in runs(plan.policies)] == ["runs/mine.run"]


def test_the_corpora_of_the_guide_stand_in_a_plan() -> None:
    found = [json.loads(f"{{{one}}}") for one in blocks("json") if one.startswith('"corpus"')]
    assert [one["corpus"]["kind"] for one in found] == ["ir-datasets"]
    for one in found:
        made = collection_json(one["corpus"], {"bm25": {"kind": "bm25", "text": "raw"}})
        assert plans.parse(jsonio.canonical(made), "plan.json").corpus.pins is None


@pytest.mark.parametrize("line", dict.fromkeys(commands()))
def test_every_command_of_the_guide_is_there_with_its_options(line: str) -> None:
    _, name, *words = shlex.split(line)
    command = main.commands[name]
    known: dict[str, click.Option] = {
        spelling: option
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in (*option.opts, *option.secondary_opts)
    }
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    given = 0
    while words:
        word = words.pop(0)
        if not word.startswith("-"):
            given += 1
            continue
        assert word in known, f"{word}: no option of `pagecost {name}`"
        option = known[word]
        if not option.is_flag:
            assert words, f"{word}: no value"
            value = words.pop(0)
            if isinstance(option.type, click.Choice):
                assert value in option.type.choices
    assert given <= sum(max(one.nargs, 1) for one in arguments)


def test_every_option_that_the_guide_names_is_one_of_quick() -> None:
    quick = {spelling for option in main.commands["quick"].params for spelling in option.opts}
    table = TEXT.partition("| option |")[2].partition("\n\n")[0]
    named = re.findall(r"`(--[a-z-]+)", table)
    assert len(named) >= 5
    assert set(named) <= quick
