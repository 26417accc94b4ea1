"""Numbers and sentences. Both sides of a trade are always named, pages first, with equal weight."""

from __future__ import annotations

import msgspec

from pagecost.gates import GateResult
from pagecost.model import (
    ArchivesCorpus,
    Bm25,
    Deferred,
    Group,
    Interleave,
    Model,
    Plan,
    Policy,
    Ranking,
    Results,
)
from pagecost.policies import resolve, search_tiers

NARROW = "\u202f"
MINUS = "\u2212"


def number(value: int) -> str:
    """With thousands separators."""
    return f"{value:,}".replace("-", MINUS)


def count(value: int, noun: str, plural: str | None = None) -> str:
    """`1 query`, `2,948 queries`."""
    return f"{number(value)} {noun if value == 1 else plural or noun + 's'}"


_SPELLED = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip


def spelled(value: int, noun: str, plural: str | None = None) -> str:
    """`two policies`, `13 policies`: small counts as words, for running text."""
    said = _SPELLED[value] if 0 <= value < len(_SPELLED) else number(value)
    return f"{said} {noun if value == 1 else plural or noun + 's'}"


def capital(text: str) -> str:
    """The text with its first letter in upper case, as a sentence begins."""
    return text[:1].upper() + text[1:]


def decimal(value: float | None, digits: int) -> str:
    """A fixed number of decimals; a dash where there is no value."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", MINUS)


def figure(value: float) -> str:
    """A count without decimals, anything else with four at most."""
    whole = int(value)
    return number(whole) if value == whole else decimal(value, 4).rstrip("0")


class Change(msgspec.Struct, frozen=True):
    """From the baseline's count to a policy's."""

    base: int
    ours: int

    @property
    def percent(self) -> float | None:
        """Per cent of the baseline; None where that is zero, which has no percentage."""
        return 100 * (self.ours - self.base) / self.base if self.base else None

    @property
    def short(self) -> str:
        """For a table: −33.7 %, ≈0 % where it rounds to nothing, 0 where there is no change.

        +5 where the baseline is zero, which has no percentage.
        """
        if self.ours == self.base:
            return "0"
        sign = "+" if self.ours > self.base else MINUS
        percent = self.percent
        if percent is None:
            return f"{sign}{abs(self.ours - self.base):,}"
        shown = f"{abs(percent):,.1f}"
        return f"≈0{NARROW}%" if shown == "0.0" else f"{sign}{shown}{NARROW}%"

    @property
    def amount(self) -> str | None:
        """For a sentence: 33.7 % fewer, 5 more; None where it is as many, or rounds to it."""
        word = "more" if self.ours > self.base else "fewer"
        percent = self.percent
        if percent is None:
            return f"{self.ours - self.base:,} {word}" if self.ours else None
        shown = f"{abs(percent):,.1f}"
        return None if shown == "0.0" else f"{shown}{NARROW}% {word}"


def primary_change(plan: Plan, group: Group, size: int, metric: str) -> Change:
    """The primary policy's count against the baseline's, over a group at a page size.

    `metric` is `pages`, `emitted` or `searches`.
    """
    base = group.policy(plan.baseline).at(size)
    ours = group.policy(plan.primary_policy).at(size)
    return Change(getattr(base, metric), getattr(ours, metric))


class Piece(msgspec.Struct, frozen=True):
    """Part of a sentence, strong or not."""

    text: str
    strong: bool = False


Sentence = tuple[Piece, ...]
_ROLES = ("baseline", "helper")  # words that name a role, and so take an article


def plain(sentence: Sentence) -> str:
    """The sentence without emphasis."""
    return "".join(piece.text for piece in sentence)


def subject(policy: Policy) -> str:
    """A policy in a sentence: `the helper`; another label, or the bare name, as it stands."""
    takes_article = policy.label is not None and policy.label.split()[-1] in _ROLES
    return f"the {policy.label}" if takes_article else policy.shown


def headline(plan: Plan, results: Results) -> Sentence:
    """The one sentence about the primary policy against the baseline at the primary page size."""
    size = plan.primary_page_size
    primary = plan.policy(plan.primary_policy)
    start = f"At {count(size, 'candidate')} a page, {subject(primary)} needs "
    if plan.primary_policy == plan.baseline:
        ours = results.overall.policy(plan.baseline).at(size)
        return (
            Piece(start),
            Piece(count(ours.pages, "page"), strong=True),
            Piece(" and "),
            Piece(count(ours.searches, "search", "searches"), strong=True),
            Piece(" (proxy)."),
        )
    pages = primary_change(plan, results.overall, size, "pages").amount
    searches = primary_change(plan, results.overall, size, "searches").amount
    return (Piece(start), *_two_sides(pages, searches))


def _two_sides(pages: str | None, searches: str | None) -> Sentence:
    if pages is None and searches is None:
        return (Piece("as many pages and as many searches (proxy) as the baseline."),)
    return (
        Piece(pages or "as many", strong=pages is not None),
        Piece(" pages and "),
        Piece(searches or "as many", strong=searches is not None),
        Piece(" searches (proxy)."),
    )


def not_found(plan: Plan, results: Results) -> str | None:
    """How many queries were not found, on both sides; None where all were."""
    total = results.overall.queries
    sides = [
        (plan.policy(name), results.overall.policy(name).not_found)
        for name in dict.fromkeys((plan.primary_policy, plan.baseline))
    ]
    if not any(missing for _, missing in sides):
        return None
    said = ", ".join(f"{number(missing)} by {subject(policy)}" for policy, missing in sides)
    return (
        f"Not found within the depth delivered, of {count(total, 'query', 'queries')}: {said}. "
        "Such a query costs what was delivered for it."
    )


_RELATIONS = {"<=": "≤", ">=": "≥"}


def gate_said(gate: GateResult) -> str:
    """The numbers of a gate, or why there are none: `12,574, not ≤ 10,436.8`."""
    if gate.found is None or gate.bound is None:
        return gate.why or ""
    relation = _RELATIONS.get(gate.relation, gate.relation)
    separator = ", not" if gate.decision == "not held" else ""
    why = f" ({gate.why})" if gate.why else ""
    return f"{figure(gate.found)}{separator} {relation} {figure(gate.bound)}{why}"


def kind_said(plan: Plan) -> str:
    """What a plan's kind means for its figures, wherever they stand or will stand."""
    match plan.kind:
        case "confirmatory" if plan.is_draft:
            return "The plan is to be frozen before any figure is known; until then none is made."
        case "confirmatory":
            return (
                "The plan was frozen before any figure was known, by its author's word; pagecost "
                "scores no draft of this kind."
            )
        case "replication":
            return "It repeats a published record, whose figures were known beforehand."
        case _:
            return "It was looked at after related results were known. It confirms nothing."


def unit(plan: Plan) -> str:
    """What a part of the corpus that comes from one place is called."""
    return "repository" if isinstance(plan.corpus, ArchivesCorpus) else "package"


def standing(plan: Plan, results: Results | None) -> str:
    """Where a version stands, in one sentence: its headline, or why it has none."""
    if results is not None:
        return plain(headline(plan, results))
    return DRAFT if plan.is_draft else UNSCORED


UNSCORED = "Plan frozen, not scored. No number exists yet, and none is shown."
DRAFT = "Draft. The plan is not frozen and may still change; no number is shown."


# --- Policies in words ----------------------------------------------------------------------------

_TEXTS = {"raw": "the text as it stands", "identifiers": "the text with identifiers split"}


def policy_said(plan: Plan, policy: Policy) -> str:
    """How a policy orders documents, and how many searches its pages take."""
    return f"{_order_said(policy.ranking)}; {_searches_said(plan, policy)}."


def _order_said(part: str | Ranking) -> str:
    match part:
        case str():
            return part
        case Bm25(text=text, k1=k1, b=b):
            return f"BM25 (k1 {k1:g}, b {b:g}) over {_TEXTS[text]}"
        case Model(library=library, model=model, text=text):
            return f"{library}'s {model} with its defaults over {_TEXTS[text]}, under our tie rule"
        case Interleave(first=first, second=second):
            return f"interleaves {_order_said(first)} with {_order_said(second)}, in that order"
        case Deferred(first=first, second=second, after=after):
            return (
                f"the first {count(after, 'candidate')} of {_order_said(first)} unchanged, then "
                f"{_order_said(second)} without those"
            )


def _searches_said(plan: Plan, policy: Policy) -> str:
    tiers = search_tiers(resolve(plan.policies)[policy.name])
    said = []
    for bound, searches in tiers:
        amount = count(searches, "search", "searches")
        if bound:
            said.append(f"{amount} for a page that ends at or before candidate {number(bound)}")
        else:
            said.append(f"{amount} for any other" if said else f"{amount} a page")
    return ", ".join(said)
