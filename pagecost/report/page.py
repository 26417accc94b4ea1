"""The report page: one record that a template can print without deciding anything."""

from __future__ import annotations

from importlib.metadata import version as installed

import msgspec
from markupsafe import Markup

from pagecost import __version__, gates, prose
from pagecost.charts import theme
from pagecost.charts.draw import Drawer
from pagecost.charts.theme import Style
from pagecost.gates import GateResult
from pagecost.model import ArchivesCorpus, Plan
from pagecost.prose import Rewrite
from pagecost.report import words
from pagecost.report.scores import Scores, scores_of
from pagecost.report.words import Sentence
from pagecost.versions import Version


class Source(msgspec.Struct, frozen=True):
    """One pinned source of the corpus, for the provenance."""

    name: str
    url: str | None
    pinned: str
    sha256: str | None
    licence: str | None


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
            ("groups", f"By {words.unit(self.plan)} and stratum", compared),
            ("writeup", "Write-up", self.writeup is not None),
            ("provenance", "Reproduce and provenance", True),
        )
        present = [(anchor, title) for anchor, title, there in parts if there]
        return tuple(Section(n, *part) for n, part in enumerate(present, start=1))

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
    def compares(self) -> bool:
        """Is there anything to hold against the baseline?"""
        return self.plan.primary_policy != self.plan.baseline


def styles_of(plan: Plan) -> dict[str, Style]:
    """How each policy of a plan is drawn."""
    names = [(policy.name, policy.shown) for policy in plan.policies]
    return theme.styles(names, plan.baseline, plan.primary_policy)


def report_page(version: Version, drawer: Drawer, rewrite: Rewrite, get_corpus: str) -> ReportPage:
    """The page of one version; `rewrite` turns links in its Markdown into published ones."""
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
        title=_title(plan, scores),
        description=_description(plan, scores),
        heading=scores.headline if scores else (words.Piece(plan.title),),
        kind=plan.kind,
        kind_said=words.kind_said(plan),
        question=prose.inline(plan.question, rewrite),
        measured=statements(plan.measured),
        not_measured=statements(plan.not_measured),
        assumptions=statements(plan.assumptions),
        policies=tuple(
            PolicyNote(styles[policy.name], words.policy_said(plan, policy))
            for policy in plan.policies
        ),
        sources=tuple(_sources(plan)),
        scores=scores,
        gates=tuple(gates.evaluate(plan, version.record.results if version.record else None)),
        writeup=writeup,
        tools=_tools(),
        commands=tuple(_commands(plan, scores, get_corpus)),
    )


def _title(plan: Plan, scores: Scores | None) -> str:
    if scores is None:
        state = "draft plan" if plan.is_draft else "plan frozen, not scored"
        return f"{plan.experiment} {plan.version}: {state}"
    if plan.primary_policy == plan.baseline:
        return f"{plan.experiment} {plan.version} ({plan.kind}): {plan.title}"
    pages, _, searches = (one.change.amount or "as many" for one in scores.trio)
    name = f"{plan.experiment} {plan.version} ({plan.kind})"
    return f"{name}: {pages} pages, {searches} searches (proxy)"


def _description(plan: Plan, scores: Scores | None) -> str:
    start = (
        words.plain(scores.headline) if scores else words.DRAFT if plan.is_draft else words.UNSCORED
    )
    return f"{start} {' '.join(plan.caveat.split())}"


def _commands(plan: Plan, scores: Scores | None, get_corpus: str) -> list[str]:
    """How a reader with a clone replays this page."""
    replay = [f"pagecost score {plan.key}"] if scores else []
    return [get_corpus, f"pagecost verify {plan.key}", *replay, "pagecost build"]


def _sources(plan: Plan) -> list[Source]:
    if isinstance(plan.corpus, ArchivesCorpus):
        return [
            Source(
                name=one.repository,
                url=f"https://github.com/{one.repository}/tree/{one.revision}",
                pinned=one.revision,
                sha256=one.sha256,
                licence=one.licence_name,
            )
            for one in plan.corpus.archives
        ]
    return [
        Source(one.name, one.repository_url, one.version, one.sha256, one.licence_name)
        for one in plan.corpus.distributions
    ]


def _tools() -> tuple[tuple[str, str], ...]:
    """What the figures are drawn with: pinned, since it affects their bytes."""
    return (
        ("pagecost", __version__),
        *((name, installed(name)) for name in ("altair", "vl-convert-python")),
    )
