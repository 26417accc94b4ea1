"""What the front page and an experiment's page say of each version."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import yaml
from markupsafe import Markup

from pagecost import prose
from pagecost.charts.theme import Style
from pagecost.errors import InputError
from pagecost.model import Plan
from pagecost.prose import Rewrite
from pagecost.report import words
from pagecost.report.page import styles_of
from pagecost.report.words import Change, Sentence, primary_change
from pagecost.versions import Version


class VersionRow(msgspec.Struct, frozen=True):
    """One version in a list: its kind stands wherever its figures stand."""

    plan: Plan
    state: str
    digest: str
    kind: str
    headline: Sentence | None
    status: str | None
    style: Style
    size: int
    queries: int | None
    pages: Change | None
    searches: Change | None
    dumbbell: tuple[float, float] | None
    not_found: str | None
    missing: Change | None

    @property
    def where(self) -> str:
        """Its folder, below the experiment's."""
        return self.plan.version


class Comparison(msgspec.Struct, frozen=True):
    """Two versions by name, where they are compared, and what comes of it."""

    names: tuple[str, str]
    target: str
    said: Sentence
    notes: tuple[str, ...]


class ExperimentPage(msgspec.Struct, frozen=True):
    """An experiment: its question, its versions newest first, and the one that `latest` goes to."""

    name: str
    title: str
    abstract: str
    body: Markup
    versions: tuple[VersionRow, ...]
    latest: VersionRow
    compared: tuple[Comparison, ...]


class About(msgspec.Struct, frozen=True):
    """What `experiment.json` says: what is published of an experiment beside its versions."""

    schema: int
    title: str
    abstract: str


class FrontMatter(msgspec.Struct, frozen=True):
    """What an experiment's `index.md` says of it before its text. Other keys are MkDocs'."""

    title: str | None = None
    abstract: str | None = None


def experiment_page(
    name: str,
    versions: Sequence[Version],
    text: str | None,
    where: object,
    rewrite: Rewrite,
    *,
    known: About | None = None,
    compared: Sequence[Comparison] = (),
) -> ExperimentPage:
    """The page of one experiment, from its versions in order and its `index.md`.

    `known` is what was published of it, for where there is no `index.md`.
    """
    rows = _rows(versions)
    latest = rows[versions.index(latest_of(versions))]
    matter: About | FrontMatter = _front_matter(text or "", where)
    if text is None and known is not None:
        matter = known
    return ExperimentPage(
        name=name,
        title=matter.title or name,
        abstract=matter.abstract or prose.plain(latest.plan.question),
        body=prose.render(text, rewrite, top=2, prefix="about-").html if text else Markup(),
        versions=tuple(reversed(rows)),
        latest=latest,
        compared=tuple(compared),
    )


def latest_of(versions: Sequence[Version]) -> Version:
    """The newest version that isn't an exploration; a scored one goes before one that isn't."""

    def merit(place: int) -> tuple[bool, bool, bool, int]:
        version = versions[place]
        confirming = version.plan.kind != "exploration"
        return (version.state != "draft", confirming, version.state == "recorded", place)

    return versions[max(range(len(versions)), key=merit)]


def _front_matter(text: str, where: object) -> FrontMatter:
    try:
        data = yaml.safe_load(prose.front_matter(text)) or {}
        return msgspec.convert(data, FrontMatter)
    except (yaml.YAMLError, msgspec.ValidationError, ValueError, RecursionError) as error:
        # Not YAMLError alone: `2026-02-30` fails as the date that it becomes.
        raise InputError(f"{where}: front matter: {' '.join(str(error).split())}") from None


def _rows(versions: Sequence[Version]) -> list[VersionRow]:
    pairs = [_changes(version) for version in versions]
    shares = [change.percent or 0.0 for pair in pairs if pair is not None for change in pair]
    reach = max((abs(share) for share in shares), default=0.0) or 1.0
    rows = []
    for version, pair in zip(versions, pairs, strict=True):
        plan, record = version.plan, version.record
        rows.append(
            VersionRow(
                plan=plan,
                state=version.state,
                digest=version.digest,
                kind=plan.kind,
                headline=words.headline(plan, record.results) if record else None,
                status=None if record else words.DRAFT if plan.is_draft else words.UNSCORED,
                style=styles_of(plan)[plan.primary_policy],
                size=plan.primary_page_size,
                queries=plan.corpus.pins.queries if plan.corpus.pins else None,
                pages=pair[0] if pair else None,
                searches=pair[1] if pair else None,
                dumbbell=_dumbbell(pair, reach),
                not_found=words.not_found(plan, record.results) if record else None,
                missing=words.missing(plan, record.results) if record else None,
            )
        )
    return rows


def _changes(version: Version) -> tuple[Change, Change] | None:
    if version.record is None or version.plan.primary_policy == version.plan.baseline:
        return None
    plan, overall = version.plan, version.record.results.overall
    size = plan.primary_page_size
    return (
        primary_change(plan, overall, size, "pages"),
        primary_change(plan, overall, size, "searches"),
    )


def _dumbbell(pair: tuple[Change, Change] | None, reach: float) -> tuple[float, float] | None:
    """Places of pages and searches on a scale of 0 to 130 with no change at 65."""
    if pair is None or pair[1].difference is None:
        return None
    first, second = (round(65 + 58 * (change.percent or 0.0) / reach, 1) for change in pair)
    return first, second
