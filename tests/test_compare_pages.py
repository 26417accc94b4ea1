"""The pages that compare two versions: which there are, what they say, and what they withhold."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from pagecost import project, site, versions
from pagecost.charts.draw import Drawer
from pagecost.site.lists import Known, compare_path, pairs_of
from pagecost.versions import Version
from tests.builders import ROOT, TinyProject, environment, pagecost
from tests.site_builders import (
    CONFIG,
    RANKS,
    Page,
    Ranks,
    add_version,
    committed_site,
    figures_folder,
    plan_json,
    write,
)

LATER: Ranks = {"baseline": RANKS["baseline"], "helper": (9,) * 8}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"mkdocs.yml": CONFIG})
    return tmp_path


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


def load(root: Path) -> list[Version]:
    return [versions.load(where) for where in project.load(root / "mkdocs.yml").versions]


def rendered(
    root: Path, figures: Path, *, others: Sequence[str] = (), kept: Sequence[str] = ()
) -> dict[str, bytes]:
    """The site; `others` are versions that stand on it already, `kept` pages that are to stay."""
    loaded = load(root)
    return site.pages(
        project.load(root / "mkdocs.yml").config,
        [one for one in loaded if one.plan.version not in others],
        Drawer(figures),
        lambda one: "pip install invented",
        Known([one for one in loaded if one.plan.version in others], compared=kept),
    )


def compared(contents: dict[str, bytes]) -> list[str]:
    """The pairs that have a page, as they stand in the address."""
    pages = (re.fullmatch(r"tiny/compare/(.+)/index\.html", path) for path in contents)
    return sorted(page[1] for page in pages if page)


def squeezed(text: str) -> str:
    return " ".join(text.split())


# --- Which pages there are ------------------------------------------------------------------------


def test_each_version_is_compared_with_the_one_before_and_with_the_newest(root: Path) -> None:
    for version in ("1", "2", "10", "9"):
        add_version(root, plan_json(version), RANKS)
    pairs = [(a.plan.version, b.plan.version) for a, b in pairs_of(load(root))]
    assert sorted(pairs) == [("1", "10"), ("1", "2"), ("2", "10"), ("2", "9"), ("9", "10")]


def test_a_draft_is_compared_with_the_one_before_and_is_never_the_newest(root: Path) -> None:
    for version in ("1", "2"):
        add_version(root, plan_json(version), RANKS)
    add_version(root, plan_json("3", status="draft"))
    pairs = [(a.plan.version, b.plan.version) for a, b in pairs_of(load(root))]
    assert pairs == [("1", "2"), ("2", "3")]


def test_one_version_is_compared_with_nothing(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    contents = rendered(root, figures)
    assert compared(contents) == []
    assert 'id="compare"' not in contents["tiny/index.html"].decode()


def test_a_page_that_is_to_stay_is_made_though_no_rule_asks_for_it(
    root: Path, figures: Path
) -> None:
    for version in ("1", "2", "3", "4"):
        add_version(root, plan_json(version), RANKS)
    path = "tiny/compare/1..3/index.html"
    assert path not in rendered(root, figures)
    kept = rendered(root, figures, kept=[path, "tiny/compare/0..1/index.html"])
    assert compared(kept) == ["1..2", "1..3", "1..4", "2..3", "2..4", "3..4"]
    assert 'href="compare/1..3/index.html"' in kept["tiny/index.html"].decode()


def test_what_stands_on_the_site_already_is_listed_and_compared_but_not_written(
    root: Path, figures: Path
) -> None:
    for version in ("1", "2"):
        add_version(root, plan_json(version), RANKS)
    contents = rendered(root, figures, others=["1"])
    assert not any(path.startswith("tiny/1/") for path in contents)
    assert "tiny/2/index.html" in contents
    assert compared(contents) == ["1..2"]
    assert 'href="1/index.html"' in contents["tiny/index.html"].decode()


def test_a_report_leads_to_its_comparison_with_the_version_before(
    root: Path, figures: Path
) -> None:
    for version in ("1", "2"):
        add_version(root, plan_json(version), RANKS)
    contents = rendered(root, figures)
    assert 'href="../compare/1..2/index.html"' in contents["tiny/2/index.html"].decode()
    assert "Compare with" not in contents["tiny/1/index.html"].decode()


def test_an_experiment_says_its_title_and_abstract_as_data(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    write(root, {"site/tiny/index.md": "---\ntitle: A <b>title\nabstract: Why?\n---\n"})
    made = rendered(root, figures)["tiny/experiment.json"].decode()
    assert made == '{\n  "schema": 1,\n  "title": "A <b>title",\n  "abstract": "Why?"\n}\n'


# --- What a page says -----------------------------------------------------------------------------


def compare(root: Path, figures: Path, name: str = "1..2") -> Page:
    return Page(rendered(root, figures)[f"tiny/compare/{name}/index.html"].decode())


def test_every_count_of_both_sides_stands_on_the_page(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    add_version(root, plan_json("2"), LATER)
    page = compare(root, figures)
    text = squeezed(page.text)
    for version in load(root):
        assert version.record is not None
        for result in version.record.results.overall.policies:
            for cost in result.costs:
                for count in (cost.pages, cost.emitted, cost.searches):
                    assert f"{count:,}" in text
    assert "version 2 needs" in squeezed(page.one("h1").text)


def test_what_has_no_record_is_compared_in_its_plan_alone(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    add_version(root, plan_json("2", caveat="Another caveat."))
    page = compare(root, figures)
    text = squeezed(page.text)
    assert page.one("h1").text == "Version 1 and version 2 can’t be compared in figures."
    assert "B has no record: no number of it exists" in text
    assert "Another caveat." in text
    assert "Cost, side by side" not in text
    assert not page.all("svg", role="img")


def test_a_page_with_a_draft_on_it_asks_robots_to_stay_out(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    add_version(root, plan_json("2", status="draft"))
    assert compare(root, figures).meta("robots") == "noindex, nofollow"


def test_a_policy_that_one_side_has_is_named_so(root: Path, figures: Path) -> None:
    add_version(root, plan_json("1"), RANKS)
    policies = [*plan_json("1")["policies"], {**plan_json("1")["policies"][0], "name": "more"}]
    add_version(root, plan_json("2", policies=policies), {**RANKS, "more": RANKS["baseline"]})
    assert "more: only in version 2" in squeezed(compare(root, figures).text)


# --- One file that needs nothing beside it --------------------------------------------------------


def test_the_standalone_page_needs_nothing_beside_it(tiny_project: TinyProject) -> None:
    output = tiny_project.root / "diff.html"
    tiny_project.write_plan("tiny@2", tiny_project.plan("tiny@1") | {"version": "2"})
    tiny_project.file("tiny@2", "projection.csv").write_bytes(
        tiny_project.file("tiny@1", "projection.csv").read_bytes()
    )
    done = tiny_project.run("diff", "tiny@1", "tiny@2", "--format", "html", "--output", str(output))
    assert done.status == 0, done.err
    page = Page(output.read_text("utf-8"))
    for tag in ("a", "link", "script", "img"):
        for element in page.all(tag):
            named = [element.attributes.get(key) for key in ("href", "src")]
            assert all(one is None or one.startswith("#") for one in named)
    policy = next(e for e in page.all("meta") if "http-equiv" in e.attributes).get("content")
    style = re.search(r"<style>(.*?)</style>", page.source, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy


# --- The committed versions -----------------------------------------------------------------------


def committed(factory: pytest.TempPathFactory, path: str) -> str:
    page = Page((committed_site(factory) / path / "index.html").read_text("utf-8"))
    return squeezed(page.text.replace("\u202f", " "))


def test_where_only_the_plan_differs_the_figures_are_those_of_both_records(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = committed(tmp_path_factory, "page-cost/compare/12..12.1")
    assert (
        "At 20 candidates a page, version 12.1 needs 2.6 % more pages than version 12 and "
        "20.8 % fewer searches (proxy)." in text
    )
    assert "against the baseline −33.7 % → −32.0 %" in text
    assert "against the baseline +32.5 % → +4.9 %" in text
    assert (
        "41 queries took fewer pages in version 12.1 than in version 12, 205 more, and 2,702 as "
        "many" in text
    )
    assert "the same 2,948" in text
    assert "The documents are not the same" not in text


def test_where_the_corpus_differs_dropped_and_added_queries_stand_apart(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = committed(tmp_path_factory, "python-packages/compare/1..2")
    assert "over the 1,711 queries that both have, version 2 needs 4.0 % fewer pages" in text
    assert "1,711 the same, 638 dropped, 390 added" in text
    assert "1,804 the same, 662 dropped, 399 added" in text
    # Pages fall because the corpus shrank, and the page says so.
    assert "the baseline itself changes by −4.1 % in pages" in text


def test_the_gates_stand_in_the_report_held_or_not(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    text = committed(tmp_path_factory, "python-packages/2")
    assert "13,420 ≤ 13,871held" in text
    assert "26,840, not ≤ 15,258.1not held" in text
    assert "0.3008 ≥ 0.3008held" in text
    done = pagecost("check", cwd=ROOT, env=environment())
    assert done.status == 1
    assert done.out.count("held") == 3


def test_a_comparison_has_one_address(root: Path) -> None:
    for version in ("1.9", "1.10"):
        add_version(root, plan_json(version), RANKS)
    (pair,) = pairs_of(load(root))
    assert compare_path(pair) == "tiny/compare/1.9..1.10/index.html"
