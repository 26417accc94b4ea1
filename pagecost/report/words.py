"""Numbers and sentences. Both sides of a trade are always named, pages first, with equal weight."""

from __future__ import annotations

import msgspec

from pagecost.gates import GateResult
from pagecost.model import DistributionsCorpus, Group, Plan, Policy, Results

NARROW = "\u202f"
MINUS = "\u2212"
NOT_GIVEN = "not given"


def number(value: int | None) -> str:
    """With thousands separators; a count that nobody gave is said to be that."""
    return NOT_GIVEN if value is None else f"{value:,}".replace("-", MINUS)


def signed(value: int | None) -> str:
    """With its sign; a difference of what nobody gave is said to be that."""
    return f"{'+' if value and value > 0 else ''}{number(value)}"


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


def share(part: int, whole: int) -> str:
    """A share in per cent; a dash where there is no whole."""
    return f"{100 * part / whole:.1f}{NARROW}%" if whole else "–"


def decimal(value: float | None, digits: int) -> str:
    """A fixed number of decimals; a dash where there is no value."""
    return "–" if value is None else f"{value:,.{digits}f}".replace("-", MINUS)


def figure(value: float) -> str:
    """A count without decimals, anything else with four at most."""
    whole = int(value)
    return number(whole) if value == whole else decimal(value, 4).rstrip("0")


class Change(msgspec.Struct, frozen=True):
    """From the baseline's count to a policy's. None is a count that nobody gave."""

    base: int | None
    ours: int | None

    @property
    def difference(self) -> int | None:
        """How many more; None where either was not given."""
        return None if self.base is None or self.ours is None else self.ours - self.base

    @property
    def percent(self) -> float | None:
        """Per cent of the baseline; None where that is zero, which has no percentage."""
        more = self.difference
        return None if more is None or not self.base else 100 * more / self.base

    @property
    def short(self) -> str:
        """For a table: −33.7 %, ≈0 % where it rounds to nothing, 0 where there is no change.

        +5 where the baseline is zero, which has no percentage; a dash where there is no change to
        speak of, since one of the two was not given.
        """
        more = self.difference
        if more is None:
            return "–"
        if not more:
            return "0"
        sign = "+" if more > 0 else MINUS
        percent = self.percent
        if percent is None:
            return f"{sign}{abs(more):,}"
        shown = f"{abs(percent):,.1f}"
        return f"≈0{NARROW}%" if shown == "0.0" else f"{sign}{shown}{NARROW}%"

    @property
    def amount(self) -> str | None:
        """For a sentence: 33.7 % fewer, 5 more; None where it is as many, or rounds to it.

        None too where one of the two was not given: ask `difference` first.
        """
        more = self.difference
        if more is None:
            return None
        word = "more" if more > 0 else "fewer"
        percent = self.percent
        if percent is None:
            return f"{more:,} {word}" if more else None
        shown = f"{abs(percent):,.1f}"
        return None if shown == "0.0" else f"{shown}{NARROW}% {word}"


def counted(change: Change) -> str:
    """A change before its noun, for a title: `33.7 % fewer`, `as many`, `unknown`."""
    if change.difference is None:
        return "unknown"
    return change.amount or "as many"


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
        pieces = (Piece(start), Piece(count(ours.pages, "page"), strong=True))
        if ours.searches is None:
            return (*pieces, Piece("; its searches were not given."), *_misses(plan, results))
        return (
            *pieces,
            Piece(" and "),
            Piece(count(ours.searches, "search", "searches"), strong=True),
            Piece(" (proxy)."),
            *_misses(plan, results),
        )
    pages = primary_change(plan, results.overall, size, "pages")
    searches = primary_change(plan, results.overall, size, "searches")
    said = two_sides(pages, searches, "the baseline")
    return (Piece(start), *said, *_misses(plan, results))


def _misses(plan: Plan, results: Results) -> Sentence:
    """What was not found, wherever totals are: who misses more may seem to cost less."""
    change = missing(plan, results)
    if change is None:
        return ()
    total = count(results.overall.queries, "target")
    amount = Piece(number(change.ours), strong=True)
    if plan.primary_policy == plan.baseline:
        return (Piece(" It misses "), amount, Piece(f" of {total}."))
    if change.difference == 0:
        return (Piece(" Each misses "), amount, Piece(f" of {total}."))
    base = Piece(number(change.base), strong=True)
    return (Piece(" It misses "), amount, Piece(f" of {total}, the baseline "), base, Piece("."))


def two_sides(pages: Change, searches: Change, other: str, whose: str = "its") -> Sentence:
    """Pages and searches against `other`, both named, whether or not both are known."""
    more_pages, more_searches = pages.amount, searches.amount
    if searches.difference is None:
        return (
            Piece(more_pages or "as many", strong=more_pages is not None),
            Piece(f" pages {'than' if more_pages else 'as'} {other}; "),
            Piece(_unknown(searches, other, whose)),
        )
    if more_pages is None and more_searches is None:
        return (Piece(f"as many pages and as many searches (proxy) as {other}."),)
    return (
        Piece(more_pages or "as many", strong=more_pages is not None),
        Piece(" pages and "),
        Piece(more_searches or "as many", strong=more_searches is not None),
        Piece(" searches (proxy)."),
    )


def _unknown(searches: Change, other: str, whose: str) -> str:
    """Whose searches nobody gave. No proxy is invented."""
    if searches.ours is None and searches.base is None:
        return f"{whose} searches were not given, nor were those of {other}."
    if searches.ours is None:
        return f"{whose} searches were not given."
    known = count(searches.ours, "search", "searches")
    return f"{whose} {known} (proxy) can’t be compared: those of {other} were not given."


def not_given(searches: Change, ours: str, base: str = "the baseline") -> str:
    """Whose searches nobody gave, where they can't be compared: neither's, or one's."""
    if searches.ours is None and searches.base is None:
        return f"searches were given neither for {ours} nor for {base}"
    return f"searches of {ours if searches.ours is None else base} were not given"


def missing(plan: Plan, results: Results) -> Change | None:
    """Queries not found, by the baseline and by the primary policy; None where all were found."""
    counts = (results.overall.policy(one).not_found for one in (plan.baseline, plan.primary_policy))
    change = Change(*counts)
    return change if change.base or change.ours else None


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
        f"Such a query {COST_OF_NONE}."
    )


COST_OF_NONE = "costs what was delivered for it, and one empty page where nothing was"
"""What a query costs that is not found."""

FOUND_FIRST = (
    "A target that is found counts as fewer than one that is not, whatever their pages and searches"
)
"""The rule of `cost.verdicts`, for wherever queries are counted by who takes fewer."""

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
    return "package" if isinstance(plan.corpus, DistributionsCorpus) else "repository"


def standing(plan: Plan, results: Results | None) -> str:
    """Where a version stands, in one sentence: its headline, or why it has none."""
    if results is not None:
        return plain(headline(plan, results))
    return DRAFT if plan.is_draft else UNSCORED


UNSCORED = "Plan frozen, not scored. No number exists yet, and none is shown."
DRAFT = "Draft. The plan is not frozen and may still change; no number is shown."
