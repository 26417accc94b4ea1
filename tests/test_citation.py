"""How a version is cited: nothing in it becomes markup of BibTeX, LaTeX or Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pagecost.report.citation import latex
from tests.site_builders import (
    CONFIG,
    RANKS,
    Page,
    add_version,
    figures_folder,
    plan_json,
    render,
    write,
)

CAVEAT = "Invented queries over invented functions. The proxy counts searches, not time."


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


def cited(
    root: Path, figures: Path, config: str = "", *, scored: bool = True, **changes: Any
) -> tuple[str, str]:
    """The BibTeX file and the Markdown line of a version whose plan says that."""
    write(root, {"mkdocs.yml": CONFIG + config})
    add_version(root, plan_json("1", **changes), RANKS if scored else None)
    made = render(root, figures)
    page = Page(made["tiny/1/index.html"].decode())
    shown = page.one("pre", id="cite-bib").text
    assert shown.strip() == made["tiny/1/citation.bib"].decode().strip()
    return made["tiny/1/citation.bib"].decode(), page.one("pre", id="cite-md").text


def fields(entry: str) -> dict[str, str]:
    """The fields of a BibTeX entry, which must be a whole one."""
    found = re.fullmatch(r"@misc\{([^,]+),\n((?:  \w+ = .*,\n)*)\}\n", entry)
    assert found is not None, entry
    lines = (line.strip().removesuffix(",").split(" = ", 1) for line in found[2].splitlines())
    return {line[0]: line[1] for line in lines}


def test_an_entry_says_what_whose_when_where_and_what_it_does_not_mean(
    tmp_path: Path, figures: Path
) -> None:
    config = "site_url: https://example.invalid/x_y/\n"
    bibtex, markdown = cited(tmp_path, figures, config, date="2026-03-04", kind="exploration")
    entry = fields(bibtex)
    assert entry["author"] == "{{Invented}}"
    assert (entry["year"], entry["month"]) == ("{2026}", "mar")
    assert entry["howpublished"] == r"{\url{https://example.invalid/x_y/tiny/1/}}"
    assert entry["title"] == (
        r"{{tiny 1 (exploration): 29.2\,\% fewer pages, 41.7\,\% more searches (proxy)}}"
    )
    assert "Exploration: tiny, version 1, plan" in entry["note"]
    assert CAVEAT in entry["note"]
    assert CAVEAT in markdown
    assert "](https://example.invalid/x_y/tiny/1/)" in markdown
    assert "Exploration: tiny, version 1" in markdown


def test_without_an_address_none_is_invented(tmp_path: Path, figures: Path) -> None:
    bibtex, markdown = cited(tmp_path, figures)
    assert "howpublished" not in fields(bibtex)
    assert "](" not in markdown


@pytest.mark.parametrize(
    ("status", "title", "said", "plan"),
    [
        ("draft", "{{tiny 1: draft plan}}", "draft", ", draft plan "),
        ("frozen", "{{tiny 1: plan frozen, not scored}}", "not scored", ", plan "),
    ],
)
def test_what_has_no_figures_is_cited_as_what_it_is(
    status: str, title: str, said: str, plan: str, tmp_path: Path, figures: Path
) -> None:
    bibtex, markdown = cited(tmp_path, figures, scored=False, status=status)
    assert fields(bibtex)["title"] == title
    assert said in markdown
    for text in (fields(bibtex)["note"], markdown):
        assert plan in text
        assert CAVEAT in text
    assert "%" not in bibtex + markdown
    assert "fewer" not in bibtex + markdown


def test_people_are_named_where_the_site_names_them(tmp_path: Path, figures: Path) -> None:
    config = "site_author: Ada Example and Bo Example\n"
    assert fields(cited(tmp_path, figures, config)[0])["author"] == "{Ada Example and Bo Example}"


def test_a_hostile_plan_stays_inside_its_fields(tmp_path: Path, figures: Path) -> None:
    caveat = "}} @misc{x, note={\\input{a}} [a](javascript:b) <b>*c*</b> `d` | % & # $ _ ^ ~"
    bibtex, markdown = cited(tmp_path, figures, caveat=caveat)
    note = fields(bibtex)["note"]
    assert note.count("{") == note.count("}")
    assert r"\textbackslash{}input\textbraceleft{}a\textbraceright{}" in note
    shown = Page(f"<body>{MarkdownIt('commonmark').render(markdown)}</body>")
    assert {one.tag for one in shown.elements} == {"body", "p"}
    assert caveat in shown.text


@settings(deadline=None)
@given(st.text(max_size=80))
def test_braces_always_match_and_no_character_of_latex_is_left_bare(text: str) -> None:
    made = latex(text)
    depth = 0
    for character in made:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    bare = re.sub(r"\\(?:[%&#_$,]|[a-z]+\{\}|ldots\{\})|\$[-\\a-z]+\$|-\{\}", "", made)
    assert not re.search(r"[\\{}%&#_$^<>|]", bare)
    assert "\n" not in made
    assert len(re.findall(r"\w", made)) >= len(re.findall(r"[^\W_]", text))
