"""What changed between two plans, field by field."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pagecost.diff.plans import FieldChange, plan_changes
from tests.builders import POLICIES, Json, archives_plan
from tests.diff_builders import LATE, THREE, parsed


def changes(a: Json, b: Json) -> list[FieldChange]:
    """What changed between two plans, as JSON."""
    return plan_changes(parsed(a)[0], parsed(b)[0])


def plan(**more: Any) -> Json:
    return archives_plan(pinned=False, **more)


def test_a_plan_that_says_the_same_has_no_change_whatever_it_is_called() -> None:
    assert changes(plan(), plan()) == []
    other = archives_plan("other", "2", pinned=False)
    assert changes(plan(), other) == []
    pinned = archives_plan()
    assert changes(pinned, pinned | {"status": "frozen"}) == []


FIELDS: dict[str, tuple[Any, Any]] = {
    "title": ("An invented comparison", "Another title"),
    "question": ("Does the helper need fewer pages than the *baseline*?", "Does it?"),
    "date": ("2026-01-02", "2026-01-03"),
    "caveat": (
        "Invented queries over invented functions. The proxy counts searches, not time.",
        "Another caveat.",
    ),
    "kind": ("confirmatory", "exploration"),
    "baseline": ("baseline", "helper"),
    "primary_policy": ("helper", "baseline"),
    "primary_page_size": (2, 5),
    "page_sizes": ([1, 2, 5], [1, 2, 10]),
    "publish_queries": (False, True),
}


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_changed_is_named_with_both_values(field: str) -> None:
    before, after = FIELDS[field]
    assert plan()[field] == before if field in plan() else before is False
    expected = [FieldChange(field, "changed", a=before, b=after)]
    assert changes(plan(), plan(**{field: after})) == expected


def test_fields_that_changed_stand_in_the_order_of_the_plan() -> None:
    after = {field: after for field, (_, after) in FIELDS.items()} | {"primary_page_size": 10}
    found = changes(plan(), plan(**after))
    assert [one.path for one in found] == [
        "title", "question", "kind", "date", "baseline", "primary_policy", "page_sizes",
        "primary_page_size", "caveat", "publish_queries",
    ]  # fmt: skip


def test_what_only_one_side_has_is_named_so() -> None:
    published = {"url": "https://example.invalid/x", "commit": "e" * 40, "sha256": "f" * 64}
    origin: Json = {"name": "x", "url": "https://example.invalid", "plan": published}
    origin |= {"results": published | {"export": "results-12"}, "note": "A note."}
    leaves = {"name": "x", "url": "https://example.invalid"}
    leaves |= {f"plan.{name}": value for name, value in published.items()}
    leaves |= {f"results.{name}": value for name, value in origin["results"].items()}
    leaves |= {"note": "A note."}
    assert changes(plan(), plan(origin=origin)) == [
        FieldChange(f"origin.{name}", "only in B", b=value) for name, value in leaves.items()
    ]
    assert changes(plan(origin=origin), plan()) == [
        FieldChange(f"origin.{name}", "only in A", a=value) for name, value in leaves.items()
    ]


@pytest.mark.parametrize("field", ["measured", "not_measured", "assumptions"])
def test_sentences_are_compared_one_by_one(field: str) -> None:
    before, after = ["One.", "Two.", "Three."], ["One.", "Other.", "Three."]
    assert changes(plan(**{field: before}), plan(**{field: after})) == [
        FieldChange(field, "only in A", a="Two."),
        FieldChange(field, "only in B", b="Other."),
    ]


@pytest.mark.parametrize("before", [["One.", "Two."], ["One.", "Gone.", "Two."]])
def test_sentences_in_another_order_are_a_change(before: list[str]) -> None:
    after = ["Two.", "One."]
    found = changes(plan(measured=before), plan(measured=after))
    assert found[-1] == FieldChange("measured (order)", "changed", a=before, b=after)
    assert found[:-1] == [FieldChange("measured", "only in A", a="Gone.")] * (len(before) - 2)


@pytest.mark.parametrize("times", [2, 3])
def test_a_sentence_that_stands_more_often_is_a_change(times: int) -> None:
    found = changes(plan(measured=["One."]), plan(measured=["One."] * times))
    assert found == [FieldChange("measured", "only in B", b="One.")] * (times - 1)
    found = changes(plan(measured=["One."] * times), plan(measured=["Two."]))
    assert found == [FieldChange("measured", "only in A", a="One.")] * times + [
        FieldChange("measured", "only in B", b="Two.")
    ]


def test_policies_are_compared_by_name_and_field_by_field() -> None:
    after = copy.deepcopy(THREE)
    after[0]["ranking"]["k1"] = 1.5
    after[1]["label"] = "Help"
    after[2]["ranking"]["after"] = 4
    assert changes(plan(policies=THREE), plan(policies=after)) == [
        FieldChange("policies.baseline.ranking.k1", "changed", a=1.2, b=1.5),
        FieldChange("policies.helper.label", "only in B", b="Help"),
        FieldChange("policies.late.ranking.after", "changed", a=3, b=4),
    ]


def test_a_policy_of_one_side_is_named_whole() -> None:
    (found,) = changes(plan(policies=POLICIES), plan(policies=THREE))
    assert (found.path, found.change, found.a) == ("policies.late", "only in B", None)
    assert found.b == LATE
    (found,) = changes(plan(policies=THREE), plan(policies=POLICIES))
    assert (found.path, found.change, found.b) == ("policies.late", "only in A", None)


def test_policies_in_another_order_are_a_change() -> None:
    found = changes(plan(policies=THREE), plan(policies=[THREE[1], THREE[0]]))
    assert [(one.path, one.change) for one in found] == [
        ("policies.late", "only in A"),
        ("policies (order)", "changed"),
    ]
    assert found[1].a == ["baseline", "helper", "late"]
    assert found[1].b == ["helper", "baseline"]


def test_a_ranking_of_another_kind_is_named_where_it_differs() -> None:
    other = [POLICIES[0], POLICIES[1] | {"ranking": LATE["ranking"] | {"second": "baseline"}}]
    found = changes(plan(policies=POLICIES), plan(policies=other))
    path = "policies.helper.ranking"
    assert [(one.path, one.change) for one in found] == [
        (f"{path}.kind", "changed"),
        (f"{path}.second", "changed"),
        (f"{path}.after", "only in B"),
    ]


def test_archives_are_compared_by_repository() -> None:
    made = plan()
    other = copy.deepcopy(made)
    other["corpus"]["archives"][1]["revision"] = "c" * 40
    del other["corpus"]["archives"][0]
    found = changes(made, other)
    assert [(one.path, one.change) for one in found] == [
        ("corpus.archives.example/alpha", "only in A"),
        ("corpus.archives.example/beta.revision", "changed"),
    ]


def test_gates_are_compared_by_name() -> None:
    one, two = ({"name": name, "holds": "mrr > 0"} for name in ("One", "Two"))
    found = changes(plan(gates=[one]), plan(gates=[one | {"holds": "mrr > 0.5"}, two]))
    assert found == [
        FieldChange("gates.One.holds", "changed", a="mrr > 0", b="mrr > 0.5"),
        FieldChange("gates.Two", "only in B", b=two),
    ]
    assert changes(plan(), plan(gates=[two])) == [FieldChange("gates.Two", "only in B", b=two)]


def test_pins_are_compared_where_both_have_them() -> None:
    made = archives_plan()
    other = copy.deepcopy(made)
    other["corpus"]["pins"]["membership"] = "0" * 64
    other["corpus"]["pins"]["exclusions"]["a new reason"] = 3
    assert changes(made, other) == [
        FieldChange(
            "corpus.pins.membership",
            "changed",
            a=made["corpus"]["pins"]["membership"],
            b="0" * 64,
        ),
        FieldChange("corpus.pins.exclusions.a new reason", "only in B", b=3),
    ]
    found = changes(archives_plan(pinned=False), made)
    known = {one.path: one.b for one in found}
    pins = made["corpus"]["pins"]
    assert known.pop("corpus.pins.repositories") == pins["repositories"]
    leaves = {f"exclusions.{name}": count for name, count in pins["exclusions"].items()}
    leaves |= {f"strata.{name}": count for name, count in pins["strata"].items()}
    leaves |= {name: pins[name] for name in ("documents", "queries", "membership", "query_hash")}
    assert known == {f"corpus.pins.{name}": value for name, value in leaves.items()}
    assert {one.change for one in found} == {"only in B"}
