"""The report page: one record that a template can print without deciding anything."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version as installed

import msgspec
from markupsafe import Markup

from pagecost import gates, prose
from pagecost.charts import theme
from pagecost.charts.draw import Drawer
from pagecost.charts.theme import Style
from pagecost.gates import GateResult
from pagecost.model import Plan
from pagecost.prose import Rewrite
from pagecost.report import provenance, terms, words
from pagecost.report.naming import description_of, results_of, title_of
from pagecost.report.provenance import RunNote, Source
from pagecost.report.scores import Scores, scores_of
from pagecost.report.words import Sentence
from pagecost.version import VERSION
from pagecost.versions import Version


class Section(msgspec.Struct, frozen=True):
    """A numbered part of the report, with its permanent anchor."""

    number: int
    anchor: str
    title: str


class PolicyNote(msgspec.Struct, frozen=True):
    """A policy, and in words how it orders documents and what a page of it takes."""

    style: Style
    said: str


class ReportPage(msgspec.Struct, frozen=True):
    """Everything on the report of one version."""

    plan: Plan
    state: str
    digest: str
    title: str
    description: str
    heading: Sentence
    kind: str
    kind_said: str
    question: Markup
    measured: tuple[Markup, ...]
    not_measured: tuple[Markup, ...]
    assumptions: tuple[Markup, ...]
    policies: tuple[PolicyNote, ...]
    sources: tuple[Source, ...]
    runs: tuple[RunNote, ...]
    scores: Scores | None
    gates: tuple[GateResult, ...]
    writeup: Markup | None
    tools: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]

    @property
    def primary(self) -> Style:
        """How the primary policy is drawn."""
        return self._style(self.plan.primary_policy)

    @property
    def baseline(self) -> Style:
        """How the baseline is drawn."""
        return self._style(self.plan.baseline)

    def _style(self, name: str) -> Style:
        return next(note.style for note in self.policies if note.style.name == name)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts that this report has, in order."""
        scored, compared = self.scores is not None, self.scores is not None and self.compares
        parts = (
            ("measured", "What is and isn’t measured", True),
            ("gates", "Gates", bool(self.gates)),
            ("cost", "Cost by page size", scored),
            ("curve", "Cost against page size", scored),
            ("wins", "Who wins, who loses", compared),
            ("ranks", "Where the change comes from", compared),
            ("groups", f"By {words.unit(self.plan)} and stratum", compared and self.has_groups),
            ("plane", "Policies in the cost plane", compared and self.has_plane),
            ("traded", "What was traded", compared),
            ("queries", "Queries", scored),
            ("writeup", "Write-up", self.writeup is not None),
            ("provenance", "Reproduce and provenance", True),
            ("cite", "Cite and link", True),
        )
        present = [(anchor, title) for anchor, title, there in parts if there]
        return tuple(Section(n, *part) for n, part in enumerate(present, start=1))

    def table(self, name: str) -> int:
        """The number of a table, counted over those that this report has."""
        compared = self.scores is not None and self.compares
        parts = (
            ("cost", True),
            ("quality", True),
            ("wins", compared),
            ("movers", self.has_movers),
            ("groups", compared and self.has_groups),
            ("traded", compared),
        )
        return [one for one, there in parts if there].index(name) + 1

    @property
    def has_movers(self) -> bool:
        """Does any query take more or fewer pages than under the baseline?"""
        movers = self.scores.movers if self.scores is not None else None
        return movers is not None and bool(movers.saving or movers.losing)

    def section(self, anchor: str) -> Section:
        """The section with that anchor."""
        return next(one for one in self.sections if one.anchor == anchor)

    @property
    def unit(self) -> str:
        """What a part of the corpus that comes from one place is called."""
        return words.unit(self.plan)

    @property
    def primary_said(self) -> str:
        """The primary policy, as a sentence calls it."""
        return words.subject(self.plan.policy(self.plan.primary_policy))

    @property
    def baseline_said(self) -> str:
        """The baseline, as a sentence calls it."""
        return words.subject(self.plan.policy(self.plan.baseline))

    @property
    def target_said(self) -> str:
        """What is looked for: the document whose rank is counted."""
        return terms.target_said(self.plan)

    @property
    def share_name(self) -> str:
        """What the share of queries whose target stands among the first k is called."""
        return terms.share_name(self.plan)

    @property
    def judged(self) -> str | None:
        """What a collection's judgments hold; None where there are none."""
        return provenance.judged(self.plan)

    @property
    def left_out(self) -> str | None:
        """What of the corpus does not count, by reason."""
        return provenance.left_out(self.plan)

    @property
    def has_groups(self) -> bool:
        """Are there groups of queries to show apart?"""
        return self.scores is not None and bool(self.scores.results.groups[1:])

    @property
    def has_plane(self) -> bool:
        """Are there two policies at least whose pages and searches are known?"""
        return self.scores is not None and bool(self.scores.planes)

    @property
    def compares(self) -> bool:
        """Is there anything to hold against the baseline?"""
        return self.plan.primary_policy != self.plan.baseline


def styles_of(plan: Plan) -> dict[str, Style]:
    """How each policy of a plan is drawn."""
    names = [(policy.name, policy.shown) for policy in plan.policies]
    return theme.styles(names, plan.baseline, plan.primary_policy)


def report_page(
    version: Version, drawer: Drawer, rewrite: Rewrite, commands: Sequence[str]
) -> ReportPage:
    """The page of one version; `rewrite` turns links in its Markdown into published ones.

    `commands` are how a reader makes the page again.
    """
    plan = version.plan
    styles = styles_of(plan)
    scores = None
    if version.record is not None:
        scores = scores_of(plan, version.record, styles, drawer)

    def statements(texts: list[str]) -> tuple[Markup, ...]:
        return tuple(prose.inline(text, rewrite) for text in texts)

    writeup = None
    if version.writeup is not None:
        writeup = prose.render(version.writeup, rewrite, top=3, prefix="writeup-").html
    return ReportPage(
        plan=plan,
        state=version.state,
        digest=version.digest,
        title=title_of(plan, results_of(version)),
        description=description_of(plan, results_of(version)),
        heading=scores.headline if scores else (words.Piece(plan.title),),
        kind=plan.kind,
        kind_said=words.kind_said(plan),
        question=prose.inline(plan.question, rewrite),
        measured=statements(plan.measured),
        not_measured=statements(plan.not_measured),
        assumptions=statements(plan.assumptions),
        policies=tuple(
            PolicyNote(styles[policy.name], terms.policy_said(plan, policy))
            for policy in plan.policies
        ),
        sources=tuple(provenance.sources(plan)),
        runs=tuple(provenance.run_notes(plan)),
        scores=scores,
        gates=tuple(gates.evaluate(plan, version.record.results if version.record else None)),
        writeup=writeup,
        tools=_tools(),
        commands=tuple(commands),
    )


def replay_commands(version: Version, get_corpus: str) -> list[str]:
    """How a reader with a clone replays a version."""
    key = version.plan.key
    replay = [f"pagecost score {key}"] if version.record else []
    return [get_corpus, f"pagecost verify {key}", *replay, "pagecost build"]


def _tools() -> tuple[tuple[str, str], ...]:
    """What the figures are drawn with: pinned, since it affects their bytes."""
    return (
        ("pagecost", VERSION),
        *((name, installed(name)) for name in ("altair", "vl-convert-python")),
    )
