"""Numbers as they are set, and sentences that always name both sides."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pagecost.model import Plan
from pagecost.report import terms, words
from pagecost.report.words import Change
from tests.builders import Json
from tests.site_builders import counted, plan, policy

N = "\u202f"  # a narrow no-break space
M = "\u2212"  # a minus sign, wider than a hyphen


def said(base: tuple[int, int], ours: tuple[int, int], **changes: Any) -> str:
    """The headline for (pages, searches) of the baseline and of the helper."""
    made = plan(**changes)
    return words.plain(words.headline(made, counted(made, {"baseline": base, "helper": ours})))


# --- The headline ---------------------------------------------------------------------------------

START = "At 5 candidates a page, the helper needs "


@pytest.mark.parametrize(
    ("base", "ours", "expected"),
    [
        ((1000, 1000), (880, 969), f"12.0{N}% fewer pages and 3.1{N}% fewer searches (proxy)."),
        ((1000, 1000), (1040, 1602), f"4.0{N}% more pages and 60.2{N}% more searches (proxy)."),
        ((1000, 1000), (663, 1325), f"33.7{N}% fewer pages and 32.5{N}% more searches (proxy)."),
        ((1000, 1000), (1325, 663), f"32.5{N}% more pages and 33.7{N}% fewer searches (proxy)."),
        ((1000, 1000), (1000, 1080), f"as many pages and 8.0{N}% more searches (proxy)."),
        ((1000, 1000), (920, 1000), f"8.0{N}% fewer pages and as many searches (proxy)."),
        ((7, 9), (7, 9), "as many pages and as many searches (proxy) as the baseline."),
    ],
    ids=[
        "better on both", "worse on both", "mixed", "mixed the other way", "equal on pages",
        "equal on searches", "equal on both",
    ],
)  # fmt: skip
def test_the_headline_names_both_sides_pages_first(
    base: tuple[int, int], ours: tuple[int, int], expected: str
) -> None:
    assert said(base, ours) == START + expected


def test_a_change_that_rounds_to_zero_says_as_many_in_the_headline() -> None:
    assert said((10_000, 10_000), (10_004, 10_800)) == (
        f"{START}as many pages and 8.0{N}% more searches (proxy)."
    )
    assert said((10_000, 10_000), (9_996, 10_004)) == (
        f"{START}as many pages and as many searches (proxy) as the baseline."
    )


def test_the_smallest_change_that_is_said_rounds_to_a_tenth_of_a_per_cent() -> None:
    assert said((10_000, 10_000), (9_994, 10_006)) == (
        f"{START}0.1{N}% fewer pages and 0.1{N}% more searches (proxy)."
    )


def test_a_zero_baseline_has_no_percentage() -> None:
    assert said((0, 0), (5, 1_200)) == f"{START}5 more pages and 1,200 more searches (proxy)."


def test_both_zero_is_as_many() -> None:
    assert said((0, 0), (0, 0)) == (
        f"{START}as many pages and as many searches (proxy) as the baseline."
    )


def test_changes_are_strong_and_as_many_is_not() -> None:
    made = plan()
    sentence = words.headline(made, counted(made, {"baseline": (10, 10), "helper": (10, 20)}))
    assert [piece.text for piece in sentence if piece.strong] == [f"100.0{N}% more"]


def test_a_single_policy_is_stated_without_a_comparison() -> None:
    made = plan(policies=[policy("baseline", "baseline")], primary_policy="baseline")
    sentence = words.headline(made, counted(made, {"baseline": (12_345, 1)}))
    assert words.plain(sentence) == (
        "At 5 candidates a page, the baseline needs 12,345 pages and 1 search (proxy)."
    )
    assert [piece.text for piece in sentence if piece.strong] == ["12,345 pages", "1 search"]


def test_a_page_of_one_candidate_is_singular() -> None:
    assert said((4, 4), (2, 4), primary_page_size=1).startswith("At 1 candidate a page, ")


def test_a_large_page_size_has_thousands_separators() -> None:
    assert said((4, 4), (2, 4), page_sizes=[1500], primary_page_size=1500).startswith(
        "At 1,500 candidates a page, "
    )


def test_a_policy_without_a_label_is_called_by_its_bare_name() -> None:
    policies = [policy("baseline"), policy("helper")]
    assert said((4, 4), (2, 4), policies=policies).startswith(
        "At 5 candidates a page, helper needs "
    )


# --- Not found ------------------------------------------------------------------------------------


def missing(counts: dict[str, int], **changes: Any) -> str | None:
    made: Plan = plan(**changes)
    return words.not_found(
        made,
        counted(made, {one.name: (4, 4) for one in made.policies}, not_found=counts),
    )


def test_nothing_is_said_of_not_found_where_all_were_found() -> None:
    assert missing({}) is None


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"baseline": 3}, "0 by the helper, 3 by the baseline"),
        ({"helper": 2}, "2 by the helper, 0 by the baseline"),
        ({"baseline": 1, "helper": 2}, "2 by the helper, 1 by the baseline"),
    ],
)
def test_not_found_on_either_side_is_said_of_both(counts: dict[str, int], expected: str) -> None:
    assert missing(counts) == (
        f"Not found within the depth delivered, of 8 queries: {expected}. Such a query costs what "
        "was delivered for it, and one empty page where nothing was."
    )


def test_not_found_by_a_third_policy_is_not_said_beside_the_headline() -> None:
    policies: list[Json] = [policy("baseline"), policy("helper"), policy("third")]
    assert missing({"third": 4}, policies=policies) is None


def test_a_single_policy_says_its_not_found_once() -> None:
    found = missing({"baseline": 1}, policies=[policy("baseline", "baseline")],
                    primary_policy="baseline")  # fmt: skip
    assert found is not None
    assert "of 8 queries: 1 by the baseline. " in found


# --- Numbers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "ours", "short"),
    [
        (1000, 663, f"{M}33.7{N}%"),
        (1000, 1325, f"+32.5{N}%"),
        (1000, 1000, "0"),
        (0, 0, "0"),
        (0, 1200, "+1,200"),
        (10_000, 10_001, f"≈0{N}%"),
        (10_000, 9_999, f"≈0{N}%"),
        (1, 25, f"+2,400.0{N}%"),
        (5, 0, f"{M}100.0{N}%"),
    ],
)
def test_a_change_in_a_table_has_a_sign_and_a_narrow_space(
    base: int, ours: int, short: str
) -> None:
    assert Change(base, ours).short == short


def test_a_percentage_of_zero_is_none() -> None:
    assert Change(0, 4).percent is None
    assert Change(4, 0).percent == -100


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (999, "999"), (1000, "1,000"), (10_000_000_000, "10,000,000,000"), (-5, f"{M}5")],
)
def test_whole_numbers_have_thousands_separators_and_a_true_minus(value: int, shown: str) -> None:
    assert words.number(value) == shown


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (0.5, 3, "0.500"),
        (1234.56, 1, "1,234.6"),
        (-0.25, 2, f"{M}0.25"),
        (None, 3, "–"),
        (7, 0, "7"),
    ],
)
def test_decimals_are_fixed_and_a_missing_value_is_a_dash(
    value: float | None, digits: int, shown: str
) -> None:
    assert words.decimal(value, digits) == shown


def test_one_is_singular_and_any_other_count_is_plural() -> None:
    assert words.count(1, "query", "queries") == "1 query"
    assert words.count(0, "query", "queries") == "0 queries"
    assert words.count(2948, "row") == "2,948 rows"


def test_small_counts_are_words_and_large_ones_digits() -> None:
    assert words.spelled(1, "policy", "policies") == "one policy"
    assert words.spelled(12, "policy", "policies") == "twelve policies"
    assert words.spelled(13, "policy", "policies") == "13 policies"
    assert words.spelled(0, "page size") == "no page sizes"


def test_a_sentence_begins_in_upper_case_and_keeps_the_rest() -> None:
    assert words.capital("the BM25") == "The BM25"
    assert words.capital("") == ""


# --- Policies -------------------------------------------------------------------------------------


def test_a_policy_is_explained_with_what_a_page_of_it_takes() -> None:
    deferred = {
        "name": "late",
        "ranking": {"kind": "deferred", "first": "baseline", "second": "helper", "after": 20},
    }
    made = plan(policies=[policy("baseline"), policy("helper", searches=2), deferred])
    explained = [terms.policy_said(made, one) for one in made.policies]
    assert explained == [
        "BM25 (k1 1.2, b 0.75) over the text as it stands; 1 search a page.",
        "interleaves BM25 (k1 1.2, b 0.75) over the text as it stands with BM25 (k1 1.2, b 0.75) "
        "over the text with identifiers split, in that order; 2 searches a page.",
        "the first 20 candidates of baseline unchanged, then helper without those; 1 search for a "
        "page that ends at or before candidate 20, 2 searches for any other.",
    ]


def test_every_kind_of_version_has_a_sentence_of_its_own_that_holds_for_a_draft_too() -> None:
    said = {
        (kind, status): words.kind_said(msgspec.structs.replace(plan(status=status), kind=kind))
        for kind in ("confirmatory", "replication", "exploration")
        for status in ("draft", "frozen")
    }
    assert "confirms nothing" in said["exploration", "frozen"]
    assert "was frozen before" in said["confirmatory", "frozen"]
    assert "was frozen" not in said["confirmatory", "draft"]
    assert len(set(said.values())) == 4


def test_what_an_unscored_plan_says_is_fixed() -> None:
    assert words.UNSCORED == "Plan frozen, not scored. No number exists yet, and none is shown."
