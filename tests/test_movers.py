"""Where the change comes from: how many queries move, how far, and who carries it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.report.movers import Movers, movers
from pagecost.report.querydata import query_table
from tests.site_builders import plan, rank_table

N = "\u202f"
SIZE = 5
Rank = int | None


def moved(base: Sequence[Rank], ours: Sequence[Rank], documents: int = 200) -> Movers:
    """The helper against the baseline, at 5 candidates a page."""
    made = plan(queries=len(base), documents=documents)
    table = rank_table({"baseline": base, "helper": ours}, len(base), documents)
    return movers(made, query_table(made, table))


def test_queries_count_by_pages_and_by_rank_apart() -> None:
    # Saved 3 pages, saved none within a page, the same, added 2, saved 1.
    found = moved((16, 5, 7, 1, 10), (1, 2, 7, 11, 5))
    assert (found.fewer, found.saved) == (2, 4)
    assert (found.more, found.added) == (1, 2)
    assert (found.earlier, found.same, found.later) == (3, 1, 1)
    assert found.said == (
        "Pages change in 3 of 5 queries: 4 pages saved on 2, 2 added on 1, 2 fewer in all."
    )


def test_those_that_save_most_stand_first_with_their_ranks_and_counts() -> None:
    found = moved((16, 31, 7, 1, 10), (1, 2, 7, 11, 5))
    assert [one.ranks for one in found.saving] == [("31", "2"), ("16", "1"), ("10", "5")]
    assert [(one.pages.base, one.pages.ours) for one in found.saving] == [(7, 1), (4, 1), (2, 1)]
    (loser,) = found.losing
    assert loser.ranks == ("1", "11")
    assert loser.searches is not None
    assert (loser.searches.base, loser.searches.ours) == (1, 6)


def test_nothing_that_moves_is_said_to_be_nothing() -> None:
    found = moved((3, 9), (1, 10))
    assert found.said == "No query of 2 queries takes more or fewer pages."
    assert found.saving == found.losing == ()
    assert (found.earlier, found.later) == (1, 1)


def test_as_many_pages_in_all_is_not_called_fewer_or_more() -> None:
    found = moved((6, 1), (1, 6))
    assert found.said.endswith("1 page saved on 1, 1 added on 1, as many in all.")


def test_a_few_that_carry_most_of_it_are_named_with_their_share() -> None:
    found = moved((101,) * 10 + (6,) * 10, (1,) * 20)
    assert len(found.saving) == 10
    assert found.said.endswith(f"Ten queries carry 95.2{N}% of the pages saved.")
    assert "carr" not in moved((101,) * 10, (1,) * 10).said  # all of them: that says nothing


def test_what_was_not_found_is_later_than_any_rank() -> None:
    found = moved((3, None, None), (None, 3, None))
    assert (found.earlier, found.same, found.later) == (1, 1, 1)
    assert {one.ranks for one in (*found.saving, *found.losing)} <= {
        ("3", "not found"),
        ("not found", "3"),
    }


ranks_of = st.one_of(st.none(), st.integers(1, 200))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(ranks_of, ranks_of), min_size=4, max_size=60))
def test_counts_agree_with_the_ranks_they_are_of(pairs: list[tuple[Rank, Rank]]) -> None:
    found = moved([base for base, _ in pairs], [ours for _, ours in pairs])
    assert found.queries == found.earlier + found.same + found.later == len(pairs)
    assert sum(cell.queries for cell in found.cells) == len(pairs)
    pages = [tuple(-(-(rank or 200) // SIZE) for rank in pair) for pair in pairs]
    assert found.saved == sum(max(0, base - ours) for base, ours in pages)
    assert found.added == sum(max(0, ours - base) for base, ours in pages)
    assert found.fewer == sum(ours < base for base, ours in pages)
    assert found.more == sum(ours > base for base, ours in pages)
    for several, sign in ((found.saving, -1), (found.losing, 1)):
        changes = [sign * (one.pages.difference or 0) for one in several]
        assert changes == sorted(changes, reverse=True)
        assert len(several) <= 10
        assert all(change > 0 for change in changes)


@pytest.mark.parametrize("queries", [1, 9, 10, 11])
def test_at_most_ten_are_named_and_all_are_counted(queries: int) -> None:
    found = moved((6,) * max(queries, 4), (1,) * max(queries, 4))
    assert found.fewer == max(queries, 4)
    assert len(found.saving) == min(found.fewer, 10)
