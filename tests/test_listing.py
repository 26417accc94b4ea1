"""Which version is the latest, and what a list says of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagecost import project, versions
from pagecost.errors import InputError
from pagecost.report import words
from pagecost.report.listing import ExperimentPage, experiment_page, latest_of
from pagecost.versions import Version
from tests.builders import Json
from tests.site_builders import CONFIG, RANKS, Ranks, add_version, plan_json, policy, write

LATER_RANKS: Ranks = {"baseline": (4,) * 8, "helper": (4,) * 8}


def load(root: Path) -> list[Version]:
    write(root, {"mkdocs.yml": CONFIG})
    return [versions.load(where) for where in project.load(root / "mkdocs.yml").versions]


def of_kinds(root: Path, *said: str) -> list[Version]:
    """Versions 1, 2, … of those kinds; `frozen` and `draft` after a kind leave out the record."""
    for number, words_ in enumerate(said, start=1):
        kind, _, state = words_.partition(" ")
        origin: Json = {}
        if kind == "replication":
            published = {
                "url": "https://example.invalid/file",
                "commit": "c" * 40,
                "sha256": "d" * 64,
            }
            origin = {
                "origin": {
                    "name": "An invented record",
                    "url": "https://example.invalid/",
                    "plan": published,
                    "results": published,
                }
            }
        status = "draft" if state == "draft" else "frozen"
        plan = plan_json(str(number), kind=kind, status=status, **origin)
        add_version(root, plan, None if state else RANKS)
    return load(root)


def page(several: list[Version], text: str | None = None) -> ExperimentPage:
    return experiment_page("tiny", several, text, "tiny/index.md", lambda link: link)


# --- The latest -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "latest"),
    [
        (["confirmatory", "confirmatory"], "2"),
        (["confirmatory", "exploration"], "1"),
        (["replication", "exploration", "exploration"], "1"),
        (["exploration", "confirmatory", "exploration"], "2"),
        (["exploration", "replication", "confirmatory", "exploration"], "3"),
        (["exploration", "exploration"], "2"),
        (["confirmatory", "confirmatory frozen"], "1"),
        (["confirmatory frozen", "confirmatory draft"], "1"),
        (["exploration", "confirmatory draft"], "1"),
        (["exploration", "confirmatory frozen"], "2"),
        (["exploration frozen", "exploration draft"], "1"),
        (["confirmatory frozen", "exploration frozen"], "1"),
        (["confirmatory draft", "confirmatory draft"], "2"),
    ],
    ids=" | ".join,
)
def test_latest_is_the_newest_that_is_no_exploration_a_scored_one_first(
    said: list[str] | str, latest: str, tmp_path: Path
) -> None:
    several = of_kinds(tmp_path, *said)
    assert latest_of(several).plan.version == latest
    assert page(several).latest.plan.version == latest


def test_versions_are_in_the_order_of_their_numbers_and_listed_newest_first(
    tmp_path: Path,
) -> None:
    for number in ("9", "12", "12.1"):
        add_version(tmp_path, plan_json(number))
    assert [row.where for row in page(load(tmp_path)).versions] == ["12.1", "12", "9"]


# --- Rows -----------------------------------------------------------------------------------------


def test_a_row_with_figures_has_its_kind_and_both_sides(tmp_path: Path) -> None:
    (row,) = page(of_kinds(tmp_path, "exploration")).versions
    assert (row.kind, row.state, row.status) == ("exploration", "recorded", None)
    assert row.pages is not None
    assert row.searches is not None
    # Pages of five: 1 1 2 8 1 4 5 2 and 1 1 1 3 1 7 2 1, of which each takes two searches.
    assert (row.pages.base, row.pages.ours) == (24, 17)
    assert (row.searches.base, row.searches.ours) == (24, 34)
    assert row.headline is not None
    assert "pages and" in words.plain(row.headline)


@pytest.mark.parametrize(
    ("said", "status"),
    [("confirmatory frozen", words.UNSCORED), ("confirmatory draft", words.DRAFT)],
)
def test_a_row_without_a_record_has_a_status_and_no_figure(
    said: str, status: str, tmp_path: Path
) -> None:
    (row,) = page(of_kinds(tmp_path, said)).versions
    assert row.status == status
    assert (row.headline, row.pages, row.searches, row.dumbbell) == (None, None, None, None)


def test_a_row_of_one_policy_compares_nothing(tmp_path: Path) -> None:
    plan = plan_json(policies=[policy("only")], baseline="only", primary_policy="only")
    add_version(tmp_path, plan, {"only": RANKS["baseline"]})
    (row,) = page(load(tmp_path)).versions
    assert (row.pages, row.searches, row.dumbbell, row.status) == (None, None, None, None)
    assert row.headline is not None


def test_dumbbells_of_one_list_share_a_scale_with_no_change_in_the_middle(tmp_path: Path) -> None:
    add_version(tmp_path, plan_json("1"), RANKS)
    add_version(tmp_path, plan_json("2"), LATER_RANKS)
    later, first = page(load(tmp_path)).versions
    # Pages -29.2 %, searches +41.7 %; then pages unchanged, searches doubled, which sets the scale.
    assert first.dumbbell == pytest.approx((65 - 58 * 7 / 24, 65 + 58 * 10 / 24), abs=0.05)
    assert later.dumbbell == (65.0, 123.0)


def test_no_change_anywhere_stands_in_the_middle(tmp_path: Path) -> None:
    alike = [policy("baseline"), policy("helper")]
    add_version(tmp_path, plan_json(policies=alike), LATER_RANKS)
    (row,) = page(load(tmp_path)).versions
    assert row.dumbbell == (65.0, 65.0)


# --- What an experiment says of itself ------------------------------------------------------------


def test_title_and_abstract_come_from_front_matter_and_its_other_keys_are_left_alone(
    tmp_path: Path,
) -> None:
    text = "---\ntitle: T & <b>\nabstract: A\nhide: [toc]\n---\n\n# Body\n\nText.\n"
    made = page(of_kinds(tmp_path, "confirmatory"), text)
    assert (made.title, made.abstract) == ("T & <b>", "A")
    assert '<h2 id="about-body">Body</h2>' in made.body
    assert "title" not in made.body


def test_without_front_matter_the_question_of_the_latest_stands_for_the_abstract(
    tmp_path: Path,
) -> None:
    made = page(of_kinds(tmp_path, "confirmatory"))
    assert (made.title, made.abstract) == (
        "tiny",
        "Does the helper need fewer pages than the baseline?",
    )
    assert made.body == ""


@pytest.mark.parametrize(
    "front", ["title: [", "title: 3", "- a\n- b", "text", "abstract: {a: b}", "title: !!python/x y"]
)
def test_front_matter_that_is_wrong_is_refused_by_the_files_name(
    front: str, tmp_path: Path
) -> None:
    several = of_kinds(tmp_path, "confirmatory")
    with pytest.raises(InputError, match=r"tiny/index\.md: front matter: "):
        page(several, f"---\n{front}\n---\n")
