"""A comparison as plain text for a terminal, as Markdown for a pull request, and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pagecost import jsonio
from pagecost.diff.limits import LimitResult
from pagecost.diff.records import (
    OUTCOMES,
    Count,
    Diff,
    Figures,
    PolicyDiff,
    Transitions,
)
from pagecost.diff.since import Since
from pagecost.prose import escape
from pagecost.report import diffwords, words
from pagecost.report.words import decimal, number, plain

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with what a terminal would act on spelled out: names come from anywhere."""
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


class _Text:
    """How a terminal shows headings, lines and tables."""

    def heading(self, level: int, text: str) -> list[str]:
        return ["", printable(text), ("=" if level == 1 else "-") * len(printable(text))]

    def line(self, text: str) -> str:
        return printable(text)

    def item(self, text: str) -> str:
        return f"  {printable(text)}"

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        everything = [[printable(cell) for cell in row] for row in (head, *rows)]
        widths = [max(len(row[i]) for row in everything) for i in range(len(head))]

        def line(row: Sequence[str]) -> str:
            cells = [
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            return f"  {'  '.join(cells)}".rstrip()

        return [line(row) for row in everything]


class _Markdown(_Text):
    """How a pull request shows them. What a plan says is text there, never markup."""

    def heading(self, level: int, text: str) -> list[str]:
        return ["", f"{'#' * (level + 1)} {escape(text)}", ""]

    def line(self, text: str) -> str:
        return f"{escape(text)}\n"

    def item(self, text: str) -> str:
        return f"- {escape(text)}"

    def table(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        def line(row: Sequence[str]) -> str:
            return f"| {' | '.join(escape(cell) for cell in row)} |"

        return ["", line(head), "|---|" + "---:|" * (len(head) - 1), *map(line, rows), ""]


def to_text(diff: Diff, limits: Sequence[LimitResult] = ()) -> str:
    """For a terminal."""
    return _joined(diff, limits, _Text())


def to_markdown(diff: Diff, limits: Sequence[LimitResult] = ()) -> str:
    """For a pull request."""
    return _joined(diff, limits, _Markdown())


def to_json(diff: Diff, limits: Sequence[LimitResult] = ()) -> bytes:
    """For programs: every figure, in the order of the other formats."""
    return jsonio.canonical({"schema": 1, "diff": diff, "limits": list(limits)})


def since(found: Since, *, markdown: bool) -> str:
    """What became of every version since a revision."""
    out = _Markdown() if markdown else _Text()
    return "\n".join(_since(found, out)).strip("\n") + "\n"


def _since(found: Since, out: _Text) -> Iterator[str]:
    if not (found.changed or found.new or found.gone):
        yield out.line(f"No difference: every version is as it was at {found.revision}.")
        return
    for one in found.new:
        yield from out.heading(1, f"New: {one.version}")
        yield out.line(f"{one.headline} ({one.kind})")
        yield out.line(f"Caveat: {' '.join(one.caveat.split())}")
        if one.diff is not None:  # which names the gates of both
            yield from _show(one.diff, one.limits, out)
        else:
            yield from (out.item(diffwords.gate(gate)) for gate in one.gates)
    for changed in found.changed:
        yield from _show(changed.diff, changed.limits, out)
    if found.gone:
        yield from out.heading(1, "Gone")
        yield from (out.item(version) for version in found.gone)


def _joined(diff: Diff, limits: Sequence[LimitResult], out: _Text) -> str:
    return "\n".join(_show(diff, limits, out)).strip("\n") + "\n"


def _show(diff: Diff, limits: Sequence[LimitResult], out: _Text) -> Iterator[str]:
    if diff.identical:
        yield out.line(diffwords.identical(diff))
    else:
        yield from _differences(diff, out)
    if limits:
        yield from out.heading(2, "Limits")
        yield from (out.item(diffwords.limit(one)) for one in limits)
        if (note := diffwords.corpus_note(diff)) is not None:
            yield out.line(note)


def _differences(diff: Diff, out: _Text) -> Iterator[str]:
    yield from out.heading(1, " → ".join(f"{s.experiment} {s.version}" for s in (diff.a, diff.b)))
    yield from (out.item(f"{n}: {diffwords.side(s)}") for n, s in (("A", diff.a), ("B", diff.b)))
    if (headline := diffwords.headline(diff)) is not None:
        yield ""
        yield out.line(plain(headline))
    if (against := diffwords.against(diff)) is not None:
        yield out.line(against)
    yield from (out.line(note) for note in diffwords.notes(diff))
    yield from (out.line(one) for one in diffwords.caveats(diff))
    if found := diffwords.gates(diff):
        yield from out.heading(2, "Gates")
        yield from (out.item(one) for one in found)
    yield from out.heading(2, "Corpus")
    yield out.item(f"documents: {diffwords.overlap(diff.documents, diff.same_documents)}")
    yield out.item(f"queries: {diffwords.overlap(diff.queries, diff.same_queries)}")
    yield from _plan(diff, out)
    if diff.not_comparable:
        yield from out.heading(2, "Figures: not comparable")
        yield from (out.item(reason) for reason in diff.not_comparable)
        return
    yield from out.heading(2, "Figures")
    yield out.line(diffwords.LOWER)
    for side, sizes in (("A", diff.page_sizes_only_in_a), ("B", diff.page_sizes_only_in_b)):
        if sizes:
            yield out.item(f"page sizes only in {side}: {', '.join(map(number, sizes))}")
    head = diff.headline
    if head is not None and head.name_a != head.name_b:
        yield from _policy(diff, head, f"Primary policies: {head.name}", out)
    for policy in diff.policies:
        yield from _policy(diff, policy, policy.name, out)


def _plan(diff: Diff, out: _Text) -> Iterator[str]:
    yield from out.heading(2, "Plan")
    if not diff.plan:
        yield out.line("The same in every field.")
    for one in diff.plan:
        if one.change == "changed":
            said = f"{diffwords.value(one.a)} → {diffwords.value(one.b)}"
        else:
            said = f"{one.change}: {diffwords.value(one.a if one.change == 'only in A' else one.b)}"
        yield out.item(f"{one.path}: {said}")


def _policy(diff: Diff, policy: PolicyDiff, title: str, out: _Text) -> Iterator[str]:
    yield from out.heading(3, title)
    if policy.everything is None:
        yield out.line(f"{words.capital(diffwords.only_in(diff, policy))}.")
        return
    if not policy.same_order:
        yield out.line("The two order documents differently.")
    if diff.has_same_queries:
        yield from _figures("All queries, the same on both sides", policy.everything, out)
    else:
        title = "All queries of each side, which are not the same, so that a change is also theirs"
        yield from _figures(title, policy.everything, out)
        if policy.matched is not None:
            yield from _figures("The queries that both have, alone", policy.matched, out)
        else:
            yield out.line(f"No figures over the queries that both have: {diff.not_matched}.")
    if policy.transitions is not None:
        yield from _transitions(diff, policy.transitions, out)


def _figures(title: str, figures: Figures, out: _Text) -> Iterator[str]:
    said = f"{diffwords.arrow(figures.queries)}{diffwords.not_found(figures.not_found)}"
    yield out.line(f"{title} ({said}):")
    if figures.sizes:
        yield from out.table(
            ["Page size", "Pages A", "B", "Change", "Candidates A", "B", "Change",
             "Searches (proxy) A", "B", "Change"],
            [
                [number(row.page_size), *_cells(row.pages), *_cells(row.emitted),
                 *_cells(row.searches)]
                for row in figures.sizes
            ],
        )  # fmt: skip
    else:
        yield out.line("No page size is on both sides.")
    if qualities := diffwords.qualities(figures.quality_a, figures.quality_b):
        yield from out.table(["Ranks, where they differ", "A", "B"], qualities)
    else:
        yield out.line(f"Recall, MRR and ranks: the same, MRR {decimal(figures.quality_a.mrr, 4)}.")


def _cells(count: Count) -> list[str]:
    return [number(count.a), number(count.b), diffwords.change(count).short]


def _transitions(diff: Diff, found: Transitions, out: _Text) -> Iterator[str]:
    yield out.line(diffwords.moves(found, *diffwords.spoken(diff)))
    if not (found.movers or diffwords.moved(found.pages) or diffwords.moved(found.searches)):
        return
    for metric, table in (("pages", found.pages), ("searches (proxy)", found.searches)):
        if table is None:
            yield out.line(f"Against the baseline on {metric}: not given on both sides.")
            continue
        yield out.line(
            f"Against the baseline on {metric}: {number(diffwords.moved(table))} changed outcome."
        )
        if diffwords.moved(table):
            rows = [
                [f"{name} in A", *map(number, row)]
                for name, row in zip(OUTCOMES, table, strict=True)
            ]
            yield from out.table(["Queries", *(f"{name} in B" for name in OUTCOMES)], rows)
    if found.movers:
        yield out.line("Whose pages changed most:")
        rows = [
            [
                f"{mover.target_name or mover.target_path} ({mover.query_id[:12]})",
                f"{diffwords.rank(mover.rank_a)} → {diffwords.rank(mover.rank_b)}",
                f"{number(mover.pages_a)} → {number(mover.pages_b)}",
            ]
            for mover in found.movers
        ]
        yield from out.table(["Query, by its target", "Rank", "Pages"], rows)
