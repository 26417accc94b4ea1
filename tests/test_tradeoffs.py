"""What was traded for what, in plain division, and which policies no other beats on both sides."""

from __future__ import annotations

import pytest

from pagecost.report.page import styles_of
from pagecost.report.tradeoffs import Plane, example, planes, trades
from tests.builders import Json
from tests.site_builders import counted, plan, policy

Counts = tuple[int, int]
NOT_GIVEN = -1


def traded(base: Counts, ours: Counts) -> tuple[str, str]:
    """What is said of candidates and searches: in the table, and as a sentence."""
    made = plan()
    counts = {"baseline": (9, base[1]), "helper": (9, ours[1])}
    emitted = {"baseline": base[0], "helper": ours[0]}
    several = list(trades(made, counted(made, counts, emitted=emitted)))
    assert [one.size for one in several] == list(made.page_sizes)
    (primary,) = (one for one in several if one.is_primary)
    assert (primary.emitted.base, primary.emitted.ours) == (base[0], ours[0])
    return primary.said, example(several)


def test_candidates_and_searches_are_divided_and_nothing_more() -> None:
    said, sentence = traded((1_000, 100), (700, 140))
    assert said == "7.5 candidates saved for each search more"
    assert sentence == (
        "At 5 candidates a page, 300 fewer candidates for 40 more searches (proxy): 7.5 candidates "
        "saved for each search more. Nobody has measured which is dearer."
    )


def test_the_other_way_round_it_is_said_the_other_way_round() -> None:
    said, sentence = traded((700, 140), (1_000, 100))
    assert said == "7.5 candidates more for each search saved"
    assert "300 more candidates for 40 fewer searches (proxy)" in sentence
    assert "Nobody has measured which is dearer." in sentence


@pytest.mark.parametrize(
    ("base", "ours", "expected"),
    [
        ((700, 90), (700, 90), "nothing changes"),
        ((700, 90), (600, 90), "no more of either: nothing was traded"),
        ((700, 90), (700, 80), "no more of either: nothing was traded"),
        ((700, 90), (600, 80), "no more of either: nothing was traded"),
        ((700, 90), (800, 90), "no fewer of either: nothing was gained"),
        ((700, 90), (700, 99), "no fewer of either: nothing was gained"),
        ((700, 90), (800, 99), "no fewer of either: nothing was gained"),
        ((700, NOT_GIVEN), (600, 90), "not known: searches were not given"),
        ((700, 90), (600, NOT_GIVEN), "not known: searches were not given"),
    ],
)
def test_where_nothing_was_traded_no_quotient_stands(
    base: Counts, ours: Counts, expected: str
) -> None:
    said, sentence = traded(base, ours)
    assert said == expected
    assert expected in sentence
    assert "for each" not in sentence


def plane(counts: dict[str, Counts]) -> Plane:
    """The cost plane of policies with those pages and searches, the first one the baseline."""
    names = list(counts)
    given: list[Json] = [policy(name) for name in names]
    made = plan(policies=given, baseline=names[0], primary_policy=names[-1])
    found = planes(made, counted(made, counts), styles_of(made))
    assert [one.size for one in found] == list(made.page_sizes)
    return found[0]


def beaten(found: Plane) -> dict[str, list[str]]:
    return {own.name: [one.name for one in others] for own, others in found.beaten}


def test_a_policy_that_is_no_dearer_and_once_cheaper_beats_another() -> None:
    found = plane({"a": (100, 100), "b": (90, 100), "c": (80, 200), "d": (90, 90)})
    assert beaten(found) == {"a": ["b", "d"], "b": ["d"]}
    assert [one.name for one in found.undominated] == ["c", "d"]


def test_policies_that_cost_the_same_do_not_beat_each_other() -> None:
    found = plane({"a": (100, 100), "b": (100, 100)})
    assert found.beaten == ()
    assert [one.name for one in found.undominated] == ["a", "b"]


def test_a_policy_whose_searches_were_not_given_has_no_place_and_is_named() -> None:
    found = plane({"a": (100, 100), "b": (90, 120), "c": (1, NOT_GIVEN)})
    assert [spot.style.name for spot in found.spots] == ["a", "b"]
    assert [one.name for one in found.unknown] == ["c"]
    assert found.beaten == ()


def test_one_place_alone_is_no_plane() -> None:
    given = [policy("a"), policy("b")]
    made = plan(policies=given, baseline="a", primary_policy="b")
    found = counted(made, {"a": (100, 100), "b": (90, NOT_GIVEN)})
    assert planes(made, found, styles_of(made)) == ()
