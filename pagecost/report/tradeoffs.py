"""Two counts beside each other: where policies stand in the cost plane, and what was traded.

Nothing here adds pages to searches: what one is worth in the other was not measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pagecost.charts.plane import Spot
from pagecost.charts.theme import Style
from pagecost.model import Plan, Results
from pagecost.report import words
from pagecost.report.words import Change, primary_change


class Plane(msgspec.Struct, frozen=True):
    """The policies at one page size, in plan order; `beaten` names who beats whom on both sides.

    `unknown` are policies whose searches were not given, and which have no place.
    """

    size: int
    spots: tuple[Spot, ...]
    beaten: tuple[tuple[Style, tuple[Style, ...]], ...]
    unknown: tuple[Style, ...]

    @property
    def undominated(self) -> tuple[Style, ...]:
        """Policies that no other beats on both sides."""
        return tuple(spot.style for spot in self.spots if spot.undominated)


class Trade(msgspec.Struct, frozen=True):
    """The primary policy against the baseline at one page size, and the trade in words."""

    size: int
    is_primary: bool
    emitted: Change
    searches: Change
    said: str


def planes(plan: Plan, results: Results, styles: dict[str, Style]) -> tuple[Plane, ...]:
    """The cost plane at each page size; none where fewer than two policies have a place in it."""
    found = tuple(_plane(plan, results, styles, size) for size in plan.page_sizes)
    return found if all(len(plane.spots) > 1 for plane in found) else ()


def _plane(plan: Plan, results: Results, styles: dict[str, Style], size: int) -> Plane:
    costs = {result.policy: result.at(size) for result in results.overall.policies}
    known = {
        name: (cost.pages, cost.searches)
        for name, cost in costs.items()
        if cost.searches is not None
    }
    beaters = {
        name: [other for other, theirs in known.items() if _beats(theirs, own)]
        for name, own in known.items()
    }
    named = {plan.baseline, plan.primary_policy}
    return Plane(
        size=size,
        spots=tuple(
            Spot(styles[name], pages, searches, not beaters[name], name in named)
            for name, (pages, searches) in known.items()
        ),
        beaten=tuple(
            (styles[name], tuple(styles[one] for one in others))
            for name, others in beaters.items()
            if others
        ),
        unknown=tuple(styles[name] for name in costs if name not in known),
    )


def _beats(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Is it no dearer on either side, and cheaper on one?"""
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def trades(plan: Plan, results: Results) -> Iterator[Trade]:
    """By page size, candidates against searches: as plain quotients, at no rate."""
    for size in plan.page_sizes:
        emitted = primary_change(plan, results.overall, size, "emitted")
        searches = primary_change(plan, results.overall, size, "searches")
        yield Trade(
            size, size == plan.primary_page_size, emitted, searches, _said(emitted, searches)
        )


def _said(emitted: Change, searches: Change) -> str:
    """What was given for what; where both go the same way, nothing was traded."""
    candidates, work = emitted.difference, searches.difference
    if candidates is None or work is None:
        return "not known: searches were not given"
    if not candidates and not work:
        return "nothing changes"
    if candidates <= 0 and work <= 0:
        return "no more of either: nothing was traded"
    if candidates >= 0 and work >= 0:
        return "no fewer of either: nothing was gained"
    ratio = words.decimal(abs(candidates / work), 1)
    what = "saved for each search more" if candidates < 0 else "more for each search saved"
    return f"{ratio} candidates {what}"


def example(several: Sequence[Trade]) -> str:
    """The trade at the primary page size, as a sentence."""
    trade = next(one for one in several if one.is_primary)
    size = words.count(trade.size, "candidate")
    candidates, work = trade.emitted.difference, trade.searches.difference
    if candidates is None or work is None:
        return f"At {size} a page, what was traded is {trade.said}."
    if candidates * work >= 0:
        return (
            f"At {size} a page, {_amount(candidates, 'candidate')} and "
            f"{_amount(work, 'search', 'searches')} (proxy): {trade.said}."
        )
    return (
        f"At {size} a page, {_amount(candidates, 'candidate')} for "
        f"{_amount(work, 'search', 'searches')} (proxy): {trade.said}. "
        "Nobody has measured which is dearer."
    )


def _amount(difference: int, noun: str, plural: str | None = None) -> str:
    if not difference:
        return f"as many {plural or noun + 's'}"
    way = "fewer" if difference < 0 else "more"
    plural = plural or f"{noun}s"
    return words.count(abs(difference), f"{way} {noun}", f"{way} {plural}")
