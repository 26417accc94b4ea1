"""A record in other formats: the counts are recounted here, query by query."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pagecost import export, recording
from pagecost.errors import InputError
from pagecost.model import Plan, Results
from tests.builders import State, TinyProject, make_project
from tests.oracle import page_by_page

KEY = "tiny@1"
DEPTH = 12
SEARCHES: dict[str, Callable[[int], int]] = {"baseline": lambda _: 1, "helper": lambda _: 2}


@pytest.fixture
def recorded(tiny_project: TinyProject) -> tuple[Plan, Results]:
    version = tiny_project.version(KEY)
    assert version.record is not None
    return version.plan, version.record.results


def rows_of(made: TinyProject) -> list[dict[str, str]]:
    text = made.file(KEY, "ranks.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def costs(rows: Sequence[dict[str, str]], policy: str, size: int) -> list[tuple[int, int, int]]:
    """Pages, candidates and searches of each query."""
    return [page_by_page(int(row[policy]), size, DEPTH, SEARCHES[policy]) for row in rows]


def outcomes(ours: Sequence[int], theirs: Sequence[int]) -> list[int]:
    pairs = list(zip(ours, theirs, strict=True))
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    return [wins, losses, len(pairs) - wins - losses]


# --- results-12 -----------------------------------------------------------------------------------


def test_the_published_schema_holds_the_counts_of_helper_and_baseline(
    tiny_project: TinyProject, recorded: tuple[Plan, Results]
) -> None:
    found = json.loads(export.results_12(*recorded))
    rows = rows_of(tiny_project)
    assert {key: found[key] for key in found if key != "Costs"} == {
        "Questions": 11,
        "Candidates": 12,
        "PrimaryPageSize": 2,
        "ProductionReady": False,
    }
    assert [cost["PageSize"] for cost in found["Costs"]] == [1, 2, 5]
    for cost in found["Costs"]:
        base = costs(rows, "baseline", cost["PageSize"])
        ours = costs(rows, "helper", cost["PageSize"])
        by_kind = list(zip(*base, strict=True)), list(zip(*ours, strict=True))
        pages, searches = (
            outcomes(by_kind[1][kind], by_kind[0][kind]) for kind in (0, 2)
        )  # fmt: skip
        assert list(cost.values()) == [
            cost["PageSize"], 11,
            sum(by_kind[0][0]), sum(by_kind[1][0]), sum(by_kind[0][1]), sum(by_kind[1][1]),
            *pages, sum(by_kind[0][2]), sum(by_kind[1][2]), *searches,
        ]  # fmt: skip


def test_the_published_schema_has_one_layout(recorded: tuple[Plan, Results]) -> None:
    data = export.results_12(*recorded)
    found = json.loads(data)
    assert data == (json.dumps(found, indent=2) + "\n").encode("ascii")
    assert list(found) == ["Questions", "Candidates", "PrimaryPageSize", "Costs", "ProductionReady"]
    assert list(found["Costs"][0]) == [
        "PageSize", "Questions", "BaselinePages", "HelperPages", "BaselineEmitted", "HelperEmitted",
        "PageWins", "PageLosses", "PageTies", "BaselineWorkProxy", "HelperWorkProxy",
        "WorkWins", "WorkLosses", "WorkTies",
    ]  # fmt: skip


@pytest.mark.parametrize("policy", ["baseline", "helper"])
def test_the_published_schema_has_no_word_for_what_was_not_found(
    recorded: tuple[Plan, Results], policy: str
) -> None:
    plan, results = recorded
    changed: Any = msgspec.to_builtins(results)
    for one in changed["groups"][0]["policies"]:
        if one["policy"] == policy:
            one |= {"found": 10, "not_found": 1}
    with pytest.raises(InputError, match="tiny@1: results-12 has no word for queries"):
        export.results_12(plan, msgspec.convert(changed, Results))


# --- costs-csv ------------------------------------------------------------------------------------


def test_every_count_of_every_group_is_a_row(
    tiny_project: TinyProject, recorded: tuple[Plan, Results]
) -> None:
    rows = rows_of(tiny_project)
    groups = [("all", "all", rows)]
    for by, names in (
        ("repository", ("example/alpha", "example/beta")),
        ("stratum", ("name-present", "name-absent")),
    ):
        groups += [(by, name, [row for row in rows if row[by] == name]) for name in names]
    expected = [[name for name, _, _ in export.COST_COLUMNS]]
    for by, name, own in groups:
        for policy in ("baseline", "helper"):
            for size in (1, 2, 5):
                ours, base = costs(own, policy, size), costs(own, "baseline", size)
                pages, emitted, searches = zip(*ours, strict=True)
                base_pages, _, base_searches = zip(*base, strict=True)
                counts = [
                    size, len(own), 0, sum(pages), sum(emitted), sum(searches),
                    *outcomes(pages, base_pages), *outcomes(searches, base_searches),
                ]  # fmt: skip
                expected.append([by, name, policy, *map(str, counts)])
    text = export.costs_csv(*recorded).decode("utf-8")
    assert list(csv.reader(io.StringIO(text, newline=""))) == expected
    assert "\r" not in text
    assert text.endswith("\n")


def test_every_column_is_described_and_tells_counts_from_the_proxy() -> None:
    names = [name for name, _, _ in export.COST_COLUMNS]
    assert len(set(names)) == len(names)
    for name, kind, said in export.COST_COLUMNS:
        assert kind in ("string", "integer")
        assert said.endswith(".")
        assert name.startswith("search") == ("roxy" in said)
    by_name = {name: said for name, _, said in export.COST_COLUMNS}
    assert "not time" in by_name["searches"]
    assert "Lower is better" in by_name["pages"]


# --- What can be exported -------------------------------------------------------------------------


def test_both_formats_are_known_by_name(tiny_project: TinyProject) -> None:
    version = tiny_project.version(KEY)
    assert version.record is not None
    assert set(export.FORMATS) == {"results-12", "costs-csv"}
    for name, make in export.FORMATS.items():
        found = recording.export_record(tiny_project.work(), KEY, name)
        assert found == make(version.plan, version.record.results)


def test_there_is_nothing_to_export_without_a_record(tmp_path: Path) -> None:
    states: tuple[State, ...] = ("draft", "frozen")
    for state in states:
        made = make_project(tmp_path / state, state=state, with_git=False)
        with pytest.raises(InputError, match=f"no record to export; the plan is {state}"):
            recording.export_record(made.work(), KEY, "costs-csv")


def test_the_recount_is_the_stated_arithmetic() -> None:
    for rank in range(1, DEPTH + 1):
        for size in (1, 2, 5):
            pages = math.ceil(rank / size)
            expected = (pages, min(DEPTH, pages * size), 2 * pages)
            assert page_by_page(rank, size, DEPTH, SEARCHES["helper"]) == expected
