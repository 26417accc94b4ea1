"""The commands that ask: does it hold, what differs, what does it say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from pagecost.cli.base import KEY, fail, make_console, options, shared


@click.command()
@click.argument("selection", metavar="[EXPERIMENT[@VERSION]]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@click.option("--strict", is_flag=True, help="Let what is not proven or not checked fail too.")
@shared
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
        fail(f"error: {len(failed)} of {len(checks)} checks did not hold")
    said = f"{len(checks)} checks, none failed" if checks else "no version, so nothing to check"
    work.console.say(said)


@click.command()
@KEY
@click.option(
    "--format",
    "kind",
    required=True,
    type=click.Choice(["results-12", "costs-csv", "trec-run", "trec-qrels"]),
)
@click.option("--policy", metavar="NAME", help="Of a run; the primary policy unless given.")
@click.option(
    "--depth", type=click.IntRange(1), help="Of a run: documents a query; all unless given."
)
@click.option(
    "--short-ids", is_flag=True, help="Of runs and judgments: cut digests as short as they tell."
)
@shared
def export(
    work: Any, key: str, kind: str, policy: str | None, depth: int | None, short_ids: bool
) -> None:
    """Print a record, or the rankings behind it, in another format.

    results-12 is the published schema of experiment 12, costs-csv every count. trec-run and
    trec-qrels rank and read the corpus again: a policy's order as a TREC run, whose scores count
    down so that trec_eval keeps it, and the targets as judgments.

    \b
    Examples: pagecost export page-cost@12 --format costs-csv > costs.csv
              pagecost export page-cost@12 --format trec-run --depth 100 | gzip -9n > helper.run.gz
    """
    from pagecost import recording

    if kind != "trec-run" and (policy or depth):
        raise click.UsageError("--policy and --depth go with --format trec-run")
    if not kind.startswith("trec-") and short_ids:
        raise click.UsageError("--short-ids goes with --format trec-run or trec-qrels")
    if kind == "trec-run":
        made = recording.export_run(work, key, policy, depth, short=short_ids)
    elif kind == "trec-qrels":
        made = recording.export_qrels(work, key, short=short_ids)
    else:
        made = recording.export_record(work, key, kind)
    click.echo(made, nl=False)


@click.command()
@click.argument("selection", metavar="[EXPERIMENT[@VERSION]]", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the gates as JSON.")
@shared
def check(work: Any, selection: str | None, as_json: bool) -> None:
    """Hold the gates of every version against its record.

    A gate is a condition that a plan puts on its own figures, frozen with it. One line a gate, with
    the numbers. Exit status: 0 all held, 1 one did not, 2 one could not be decided.

    \b
    Examples: pagecost check
              pagecost check python-packages@2
    """
    from pagecost import comparing, jsonio
    from pagecost.report import words

    checked = list(comparing.check(work, selection))
    decisions = [gate.decision for one in checked for gate in one.gates]
    if as_json:
        click.echo(jsonio.canonical({"schema": 1, "versions": checked}), nl=False)
    else:
        for one in checked:
            for gate in one.gates:
                if gate.decision != "held" or not work.console.is_quiet:
                    said = f"{gate.name}: {words.gate_said(gate)}"
                    click.echo(f"{gate.decision:<11}  {one.version}  {said}")
    held = sum(decision == "held" for decision in decisions)
    work.console.say(f"{words.count(len(decisions), 'gate')}, {held} held")
    raise SystemExit(comparing.status(decisions))


@click.command()
@click.argument("sides", metavar="[A B]", nargs=-1)
@click.option("--since", metavar="REV", help="Every version, against what it was at REV in Git.")
@click.option(
    "--format",
    "kind",
    default="text",
    show_default=True,
    type=click.Choice(["text", "markdown", "json", "html"]),
)
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write there, not to stdout."
)
@click.option(
    "--fail-on",
    "fail_on",
    metavar="LIMIT",
    multiple=True,
    help="Fail where B is worse than A beyond this; may be given several times.",
)
@options
def diff(
    sides: tuple[str, ...],
    since: str | None,
    kind: str,
    output: Path | None,
    fail_on: tuple[str, ...],
    config: Path | None,
    quiet: bool,
    verbose: bool,
) -> None:
    """Compare two versions: plans, corpora, figures, and the queries that moved.

    A and B are EXPERIMENT@VERSION, a version's folder, its results.json, or REV:PATH, read from
    Git. With --since, every version is compared with what it was at REV, and a new one with the
    version before it.

    A LIMIT is `METRIC [of POLICY] [at PAGE-SIZE] [worse | changed] [by more than NUMBER[%]]`, over
    the queries that both sides have. Metrics: pages, emitted, searches, not_found, recall@1,
    recall@5, recall@10, mrr, mean_rank, median_rank, p95_rank. An improvement fails only a limit
    on `changed`. Exit status: 0 all held, 1 one did not, 2 one could not be decided.

    \b
    Examples: pagecost diff page-cost@12 page-cost@12.1
              pagecost diff main:site/page-cost/12 site/page-cost/12 --format markdown
              pagecost diff a@1 a@2 --fail-on pages --fail-on "searches by more than 5 %"
    """
    from pagecost import comparing, files, project
    from pagecost.cli import formats
    from pagecost.report import diffwords

    console = make_console(quiet, verbose)
    here = Path.cwd()

    def load() -> project.Project:
        return project.load(config or project.find_config(here))

    if since is None:
        if len(sides) != 2:
            raise click.UsageError("expected two sides, A and B, or --since REV")
        found = comparing.compare(*sides, load, here, fail_on)
        made = formats.one(found, kind)
        became = found.limits
    else:
        if sides or kind == "html":
            raise click.UsageError("--since goes with neither A and B nor html")
        several = comparing.since(load(), since, fail_on)
        made = formats.several(several, kind)
        became = several.limits
    if output is None:
        click.echo(made, nl=False)
    else:
        files.write_output(output.absolute(), made)
        console.say(f"wrote {output}")
        for limit in became:
            if limit.decision != "held":
                console.say(diffwords.limit(limit))
    raise SystemExit(comparing.status([limit.decision for limit in became]))
