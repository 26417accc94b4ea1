"""The site as files: safe whatever its input says, whole, and the same as last time.

`PAGECOST_UPDATE_GOLD=1 pytest tests/test_site.py` writes the gold site anew.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from pagecost import jsonio, linkrules, project
from pagecost.errors import InputError
from pagecost.links import ANYWHERE, Crawl
from pagecost.prose import is_external
from pagecost.report.words import DRAFT, UNSCORED
from tests.builders import ROOT, Json
from tests.site_builders import (
    CONFIG,
    RANKS,
    STRATA,
    Page,
    add_version,
    committed_site,
    figures_folder,
    pages,
    plan_json,
    policy,
    render,
    tiny,
    tree,
    write,
)

GOLD = Path(__file__).parent / "gold" / "site"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
Contents = Mapping[str, bytes]

# --- A hostile project ----------------------------------------------------------------------------

TITLE = "1<2</script><img src=x onerror=alert(1)>"
LABEL = "\"'></text></svg></script><x-evil onclick='alert(2)'>&amp;"
REPOSITORY = "日本語"
OTHER_REPOSITORY = "a/<iframe src=//example.invalid>'\"&"
WRITEUP = """\
# <script>alert(3)</script>

<img src=x onerror=alert(4)> [run](javascript:alert(5)) [kept](https://example.invalid/kept)

![remote](https://example.invalid/tracker.png) ![scheme](//example.invalid/tracker.png)

<style>body { display: none }</style>

| <b onmouseover=alert(6)>head</b> | number |
|---|--:|
| <!-- --> | 1 |

```html"onclick="alert(7)
</code></pre><script>alert(8)</script>
```
"""


def hostile_plan(version: str, **changes: Any) -> Json:
    """A plan in which every text that a plan may choose tries to become markup."""
    policies = [policy("cost.p95", LABEL), policy("helper", f"{LABEL} h", searches=2)]
    made = plan_json(
        version,
        **{
            "repositories": (REPOSITORY, OTHER_REPOSITORY),
            "policies": policies,
            "baseline": "cost.p95",
            "title": TITLE,
            "question": f"Is {TITLE} [so](javascript:alert(9))?\u2028\u202e",
            "caveat": f"Caveat {TITLE} {LABEL}",
            "measured": [f"M {TITLE}"],
            "not_measured": [f"N {LABEL} ![x](https://example.invalid/x.png)"],
            "assumptions": ["A <script>alert(10)</script>"],
        }
        | changes,
    )
    corpus = made["corpus"]
    corpus["distributions"][0] |= {
        "version": TITLE,
        "licence_name": LABEL,
        "repository_url": "https://example.invalid/'onclick='alert(11)",
    }
    corpus["pins"]["exclusions"] = {LABEL: 1}
    return made


def hostile(root: Path) -> Path:
    published = {
        "url": "https://example.invalid/[/f",
        "commit": "c" * 40,
        "sha256": "d" * 64,
    }
    origin = {
        "name": TITLE,
        "url": "https://example.invalid/&quot;onclick=",
        "plan": published,
        "results": published,
        "note": f"Note {TITLE}",
    }
    write(
        root,
        {
            "mkdocs.yml": f"site_name: {json.dumps(TITLE)}\ndocs_dir: site\n"
            f"repo_url: https://example.invalid/'onclick='\nnav:\n  - {json.dumps(LABEL)}: g.md\n",
            "site/index.md": f"# {TITLE}\n\n{WRITEUP}",
            "site/g.md": f"# {TITLE} g\n\n#{WRITEUP}",
            "site/tiny/index.md": f"---\ntitle: {json.dumps(TITLE)}\n"
            f"abstract: {json.dumps(LABEL)}\n---\n\n{WRITEUP}",
        },
    )
    ranks = {"cost.p95": RANKS["baseline"], "helper": RANKS["helper"]}
    scored = hostile_plan("1", kind="replication", origin=origin)
    add_version(root, scored, ranks, WRITEUP)
    single = hostile_plan("2", policies=[policy("only", LABEL)], baseline="only",
                          primary_policy="only")  # fmt: skip
    add_version(root, single, {"only": RANKS["helper"]})
    add_version(root, hostile_plan("3"), None, WRITEUP)
    draft = hostile_plan("4", status="draft")
    add_version(root, draft)
    return root


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return figures_folder(tmp_path_factory)


@pytest.fixture(scope="module")
def tiny_site(tmp_path_factory: pytest.TempPathFactory, figures: Path) -> Contents:
    return render(tiny(tmp_path_factory.mktemp("tiny")), figures)


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory, figures: Path) -> Contents:
    return render(hostile(tmp_path_factory.mktemp("hostile")), figures)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Contents:
    return tree(committed_site(tmp_path_factory))


@pytest.fixture(scope="module", params=["tiny", "hostile", "committed"])
def site(request: pytest.FixtureRequest) -> Contents:
    """One site after the other: what holds of any site is asked of all three."""
    name = "committed" if request.param == "committed" else f"{request.param}_site"
    contents: Contents = request.getfixturevalue(name)
    return contents


def page(contents: Contents, path: str) -> Page:
    return Page(contents[path].decode("utf-8"))


def squeezed(text: str) -> str:
    return " ".join(text.split())


# --- What holds of every page of any site ---------------------------------------------------------


def test_every_page_has_the_one_content_security_policy_before_it_loads_anything(
    site: Contents,
) -> None:
    for path, made in pages(site):
        policies = made.all("meta", http_equiv="Content-Security-Policy")
        assert [one.get("content") for one in policies] == [POLICY], path
        loading = [e for e in made.elements if e.tag in ("script", "link", "img", "style")]
        assert made.elements.index(policies[0]) < made.elements.index(loading[0]), path


def test_no_page_has_inline_style_script_or_event_handler(site: Contents) -> None:
    for path, made in pages(site):
        for element in made.elements:
            assert element.tag not in ("style", "iframe", "object", "embed", "base"), path
            if element.tag == "form":  # of controls alone: there is nobody to send it to
                assert not {"action", "method"} & set(element.attributes), path
            assert not [name for name in element.attributes if name.startswith("on")], path
            assert not {"style", "srcdoc", "srcset"} & set(element.attributes), path
            if element.tag == "script":
                below = "/assets/" if path == ANYWHERE else ("assets/", "../")
                assert element.get("src").startswith(below), path
                assert not element.text.strip(), path


def test_every_link_is_relative_or_goes_to_another_host_on_purpose(site: Contents) -> None:
    for path, made in pages(site):
        for element in made.elements:
            for name in ("href", "src", "data-target", "data-vega", "data-source", "data-queries"):
                link = element.attributes.get(name)
                if link is None:
                    continue
                if is_external(link):
                    assert (element.tag, name) == ("a", "href"), (path, link)
                    assert link.startswith("https://"), (path, link)
                elif path == ANYWHERE:  # shown at any depth, so there is no other way
                    assert link.startswith(("/", "#")), link
                elif not link.startswith("#"):
                    assert not link.startswith("/") and link != "", (path, link)
                    assert not link.partition("#")[0].endswith("/"), (path, link)


def test_every_page_says_its_language_title_description_and_width(site: Contents) -> None:
    for path, made in pages(site):
        assert made.one("html").get("lang") == "en", path
        assert squeezed(made.all("title")[0].text), path
        assert squeezed(made.meta("description") or ""), path
        assert made.meta("viewport") == "width=device-width, initial-scale=1", path
        assert made.all("meta", charset="utf-8"), path


def test_every_page_has_one_main_heading_and_skips_no_level(site: Contents) -> None:
    for path, made in pages(site):
        levels = [int(e.tag[1]) for e in made.elements if re.fullmatch("h[1-6]", e.tag)]
        assert levels.count(1) == 1, path
        assert levels[0] == 1, path
        for before, after in itertools.pairwise(levels):
            assert after <= before + 1, (path, levels)


def test_whatever_an_element_refers_to_is_on_its_page(site: Contents) -> None:
    for path, made in pages(site):
        ids = Counter(e.attributes["id"] for e in made.elements if "id" in e.attributes)
        assert set(ids.values()) <= {1}, path
        for element in made.elements:
            for name in ("aria-labelledby", "aria-describedby", "aria-controls", "for"):
                for one in (element.attributes.get(name) or "").split():
                    assert one in ids, (path, name, one)
            if copied := element.attributes.get("data-copy"):
                assert copied.removeprefix("#") in ids, path


def test_every_drawing_has_a_text_alternative_or_is_hidden(site: Contents) -> None:
    for path, made in pages(site):
        for drawing in made.all("svg"):
            if drawing.attributes.get("aria-hidden") == "true":
                continue
            assert drawing.get("role") == "img", path
            named = drawing.get("aria-labelledby").split()
            said = {e.attributes.get("id"): e.text for e in made.elements}
            assert len(named) == 2, path
            assert all(squeezed(said[one]) for one in named), path


def test_a_control_that_needs_javascript_is_hidden_without_it(site: Contents) -> None:
    for path, made in pages(site):
        for tag in ("button", "input", "select", "form", "fieldset"):
            for one in made.all(tag):
                assert one.is_hidden, (path, one)


def test_every_csv_has_a_sidecar_with_its_columns_and_the_caveat(site: Contents) -> None:
    found = [path for path in site if path.endswith(".csv")]
    assert found
    for path in found:
        said = json.loads(site[f"{path}-metadata.json"])
        header = next(csv.reader(io.StringIO(site[path].decode("utf-8"))))
        assert [one["name"] for one in said["tableSchema"]["columns"]] == header, path
        assert said["url"] == path.rpartition("/")[2]
        plan = json.loads(site[path.rpartition("/")[0] + "/plan.json"])
        assert said["dc:description"] == plan["caveat"], path


def test_every_report_is_under_300_kb(site: Contents) -> None:
    for path, data in site.items():
        if path.endswith(".html"):
            assert len(data) < 300_000, path


def test_the_same_asset_is_published_once_under_its_own_hash(site: Contents) -> None:
    for path, data in site.items():
        if path.startswith("assets/"):
            assert path.split(".")[-2] == jsonio.sha256(data)[:10]


def test_no_file_says_where_it_was_built(
    site: Contents, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for path, data in site.items():
        for told in (ROOT, tmp_path_factory.getbasetemp()):
            assert str(told).encode() not in data, (path, told)


# --- The hostile project --------------------------------------------------------------------------


def test_nothing_in_a_hostile_project_becomes_an_element_or_attribute(
    tiny_site: Contents, hostile_site: Contents
) -> None:
    known = [element for _, made in pages(tiny_site) for element in made.elements]
    tags = {element.tag for element in known}
    attributes = {name for element in known for name in element.attributes}
    for path, made in pages(hostile_site):
        for element in made.elements:
            assert element.tag in tags, (path, element.tag)
            # The start of an ordered list and the language of code are Markdown's own.
            assert set(element.attributes) <= attributes, (path, element.attributes)
        assert not made.all("img"), path


def test_a_hostile_link_leads_only_where_it_was_declared_to(hostile_site: Contents) -> None:
    external = {
        link
        for _, made in pages(hostile_site)
        for element in made.elements
        if (link := element.attributes.get("href")) and is_external(link)
    }
    assert external == {
        "https://example.invalid/kept",
        "https://example.invalid/'onclick='/",
        "https://example.invalid/'onclick='alert(11)",
        "https://example.invalid/[/f",
        "https://example.invalid/&quot;onclick=",
    }


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("index.html", (TITLE, LABEL, "<script>alert(3)</script>", "[image: remote]")),
        ("g/index.html", (f"{TITLE} g", "[run](javascript:alert(5))", "[image: scheme]")),
        ("tiny/index.html", (TITLE, LABEL, f"Caveat {TITLE}", "<style>body { display")),
        ("tiny/1/index.html", (
            f"{LABEL} h needs", REPOSITORY, OTHER_REPOSITORY, f"Caveat {TITLE} {LABEL}",
            f"Is {TITLE} [so](javascript:alert(9))?", f"M {TITLE}",
            f"N {LABEL} [image: x]".replace("&amp;", "&"),  # an entity is Markdown
            "A <script>alert(10)</script>", "</code></pre><script>alert(8)</script>",
            "<b onmouseover=alert(6)>head</b>", f"Note {TITLE}", "<!-- -->",
        )),
        ("tiny/2/index.html", (f"{LABEL} needs",)),
        ("tiny/3/index.html", (TITLE, f"Caveat {TITLE}", "<img src=x onerror=alert(4)>")),
        ("tiny/4/index.html", (TITLE, f"Caveat {TITLE}")),
        ("tiny/latest/index.html", (TITLE,)),
    ],
)  # fmt: skip
def test_what_a_hostile_project_says_is_shown_as_it_was_written(
    path: str, texts: tuple[str, ...], hostile_site: Contents
) -> None:
    shown = page(hostile_site, path).text
    for text in texts:
        assert squeezed(text) in shown, text


def test_a_hostile_title_and_description_stay_inside_their_elements(
    hostile_site: Contents,
) -> None:
    assert TITLE in page(hostile_site, "index.html").all("title")[0].text
    assert TITLE in page(hostile_site, "tiny/2/index.html").all("title")[0].text
    said = page(hostile_site, "tiny/1/index.html").meta("description")
    assert said is not None
    assert squeezed(f"Caveat {TITLE} {LABEL}") in squeezed(said)


def test_figures_are_drawn_in_characters_that_every_liberation_sans_has(
    tiny_site: Contents,
) -> None:
    """A system's own is taken before vl-convert's, and others stand in for what it lacks.

    Versions 1 and 2 give all of ASCII and these the same width. Not so U+202F, U+250A and U+00B7.
    """
    scripts = [path for path in tiny_site if re.search(r"/fig-\w+\.js$", path)]
    assert scripts
    for path in scripts:
        drawn = figure_of(tiny_site[path].decode("utf-8"))
        beyond = {one for one in json.dumps(drawn, ensure_ascii=False) if not one.isascii()}
        assert beyond <= set("\u2212\u00a0\u2026\u2248"), path


def test_hostile_names_survive_in_the_figures_script(hostile_site: Contents) -> None:
    script = hostile_site["tiny/1/fig-cost.js"].decode("utf-8")
    assert not set("<>&\u2028\u2029") & set(script)
    shared = figure_of(script)["shared"]
    rows = [row for value in shared if isinstance(value, list) for row in value]
    assert {row["label"] for row in rows if "label" in row} == {LABEL, f"{LABEL} h"}


def figure_of(script: str) -> Any:
    """The data that a figure's script holds."""
    return json.loads(script.partition("] = ")[2].removesuffix(";\n"))


def test_hostile_names_survive_in_the_csv_files(hostile_site: Contents) -> None:
    costs = list(csv.DictReader(io.StringIO(hostile_site["tiny/1/costs.csv"].decode("utf-8"))))
    assert {row["policy"] for row in costs} == {"cost.p95", "helper"}
    assert {row["group"] for row in costs} == {"all", REPOSITORY, OTHER_REPOSITORY, *STRATA}
    ranks = list(csv.DictReader(io.StringIO(hostile_site["tiny/1/ranks.csv"].decode("utf-8"))))
    assert [row["cost.p95"] for row in ranks] == [str(rank) for rank in RANKS["baseline"]]


def test_a_hostile_summary_has_no_markup_of_its_own(hostile_site: Contents) -> None:
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    for version in "1234":
        text = hostile_site[f"tiny/{version}/summary.md"].decode("utf-8")
        shown = Page(f"<body>{reader.render(text)}</body>")
        assert {e.tag for e in shown.elements} <= {
            "body", "h2", "p", "strong", "em", "code", "ul", "li", "table", "thead", "tbody",
            "tr", "th", "td",
        }  # fmt: skip
        assert squeezed(f"Caveat {TITLE}") in shown.text


# --- Drafts, frozen plans, kinds ------------------------------------------------------------------


def test_a_draft_is_marked_on_its_page_and_asks_robots_to_stay_out(tiny_site: Contents) -> None:
    made = page(tiny_site, "tiny/3/index.html")
    assert made.meta("robots") == "noindex, nofollow"
    assert [e.text for e in made.all("span", class_="draft")] == ["draft"]
    assert made.all("title")[0].text == "tiny 3: draft plan"
    assert (made.meta("description") or "").startswith(DRAFT)
    assert squeezed(made.one("p", class_="status").text) == DRAFT
    assert DRAFT in tiny_site["tiny/3/summary.md"].decode("utf-8")
    assert json.loads(tiny_site["tiny/3/plan.json"])["status"] == "draft"


def test_only_a_draft_keeps_robots_out_of_a_report(tiny_site: Contents) -> None:
    for version in ("1", "1.1", "2"):
        assert page(tiny_site, f"tiny/{version}/index.html").meta("robots") is None


def test_a_draft_is_marked_where_it_is_listed(tiny_site: Contents) -> None:
    for path in ("index.html", "tiny/index.html"):
        made = page(tiny_site, path)
        (row,) = [row for row in made.all("tr") if "Draft." in row.text]
        assert row.text.strip().startswith("3")
        assert "draft" in row.text
        assert made.all("span", class_="draft")


def test_a_project_with_nothing_but_a_draft_says_so_everywhere(
    tmp_path: Path, figures: Path
) -> None:
    write(tmp_path, {"mkdocs.yml": CONFIG})
    (tmp_path / "site").mkdir()
    draft = plan_json(status="draft")
    add_version(tmp_path, draft)
    contents = render(tmp_path, figures)
    for path in ("index.html", "tiny/index.html", "tiny/1/index.html", "tiny/latest/index.html"):
        assert "draft" in page(contents, path).text.lower(), path
    assert page(contents, "tiny/latest/index.html").meta("robots") == "noindex"


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_version_without_a_record_has_no_file_table_or_figure_with_numbers(
    version: str, tiny_site: Contents
) -> None:
    own = {path.rpartition("/")[2] for path in tiny_site if path.startswith(f"tiny/{version}/")}
    assert own == {"index.html", "plan.json", "summary.md", "citation.bib"}
    made = page(tiny_site, f"tiny/{version}/index.html")
    for tag in ("table", "figure", "th", "td"):
        assert not made.all(tag)
    assert not made.all("dl", class_="trio")
    assert "%" not in made.text
    assert "%" not in (made.meta("description") or "")
    for path in ("index.html", "tiny/index.html"):
        (row,) = [row for row in page(tiny_site, path).all("tr") if row.text.startswith(version)]
        assert "%" not in row.text
    assert "|" not in tiny_site[f"tiny/{version}/summary.md"].decode("utf-8")


def test_a_frozen_plan_without_a_record_says_exactly_that(tiny_site: Contents) -> None:
    sentence = "Plan frozen, not scored. No number exists yet, and none is shown."
    assert sentence == UNSCORED
    made = page(tiny_site, "tiny/2/index.html")
    assert squeezed(made.one("p", class_="status").text) == sentence
    assert (made.meta("description") or "").startswith(sentence)
    assert f"**{sentence}**" in tiny_site["tiny/2/summary.md"].decode("utf-8")
    for path in ("index.html", "tiny/index.html"):
        assert sentence in page(tiny_site, path).text


def test_the_kind_stands_wherever_a_versions_figures_stand(tiny_site: Contents) -> None:
    for version, kind in (("1", "confirmatory"), ("1.1", "exploration")):
        made = page(tiny_site, f"tiny/{version}/index.html")
        assert [e.text for e in made.all("span", class_="badge")] == [kind]
        assert f"tiny {version} ({kind}): " in made.all("title")[0].text
        summary = tiny_site[f"tiny/{version}/summary.md"].decode("utf-8")
        assert summary.startswith(f"## tiny {version} ({kind})\n")
        for name in ("costs", "ranks"):
            said = json.loads(tiny_site[f"tiny/{version}/{name}.csv-metadata.json"])
            assert f"({kind})" in said["dc:title"]
        for path in ("index.html", "tiny/index.html"):
            (row,) = [
                row
                for row in page(tiny_site, path).all("tr")
                if re.match(rf"{re.escape(version)}(?![.\d])", row.text.strip())
            ]
            assert kind in row.text


def test_lists_lead_with_the_latest_its_kind_and_its_caveat(tiny_site: Contents) -> None:
    for path in ("index.html", "tiny/index.html"):
        made = page(tiny_site, path)
        (said,) = made.all("p", class_="say")
        assert "fewer pages and" in said.text
        (caveat,) = made.all("p", class_="caveat")
        assert squeezed(caveat.text).startswith("confirmatory Version 1. Invented queries")


def test_every_report_leads_to_the_latest_without_naming_it(tiny_site: Contents) -> None:
    # A name would be wrong as soon as a newer version is published beside this one.
    for version in ("1", "1.1", "2", "3"):
        made = page(tiny_site, f"tiny/{version}/index.html")
        (link,) = (one for one in made.all("a") if one.get("href") == "../latest/index.html")
        assert link.text == "Latest version"


def test_latest_leads_to_the_newest_version_that_is_no_exploration(tiny_site: Contents) -> None:
    made = page(tiny_site, "tiny/latest/index.html")
    script = next(e for e in made.all("script") if "data-target" in e.attributes)
    assert script.get("data-target") == "../1/index.html"
    (refresh,) = made.all("meta", http_equiv="refresh")
    assert refresh.get("content") == "0; url=../1/index.html"
    assert made.one("a").get("href") == "../1/index.html"
    assert made.meta("robots") == "noindex"


# --- Reports --------------------------------------------------------------------------------------


def test_a_report_has_its_parts_in_order_and_lists_them(tiny_site: Contents) -> None:
    made = page(tiny_site, "tiny/1/index.html")
    sections = [e.get("id") for e in made.all("section")]
    assert sections == [
        "measured", "cost", "curve", "wins", "ranks", "groups", "plane", "traded", "queries",
        "writeup", "provenance", "cite",
    ]  # fmt: skip
    toc = [e.get("href") for e in made.all("a") if e.get("href").startswith("#")]
    assert toc[1 : len(sections) + 1] == [f"#{anchor}" for anchor in sections]


def test_the_cost_table_holds_every_count_of_all_queries(tiny_site: Contents) -> None:
    costs = csv.DictReader(io.StringIO(tiny_site["tiny/1/costs.csv"].decode("utf-8")))
    expected = [
        (row["page_size"], row["policy"], row["pages"], row["emitted"], row["searches"])
        for row in costs
        if row["group_by"] == "all"
    ]
    made = page(tiny_site, "tiny/1/index.html")
    start = made.elements.index(made.one("table", id="t-cost"))
    end = next(i for i, e in enumerate(made.elements) if i > start and e.tag == "table")
    cells: list[list[str]] = []
    for element in made.elements[start:end]:
        if element.tag == "tr":
            cells.append([])
        elif "data-v" in element.attributes:
            cells[-1].append(element.get("data-v"))
    found = [(row[0], row[1], row[2], row[3], row[5]) for row in cells if len(row) == 7]
    # Sizes outside, policies inside; the CSV has it the other way round.
    assert sorted(found) == sorted(expected)
    assert [row[0] for row in found] == ["1", "1", "5", "5", "20", "20"]


def test_the_caveat_stands_before_any_chart_and_what_is_not_measured_too(
    tiny_site: Contents,
) -> None:
    source = tiny_site["tiny/1/index.html"].decode("utf-8")
    chart = source.index("<figure")
    assert source.index("Invented queries over invented functions.", source.index("<main")) < chart
    assert source.index("Not measured") < chart


def test_inputs_are_published_as_they_are(tmp_path: Path, figures: Path) -> None:
    contents = render(tiny(tmp_path), figures)
    for path in (tmp_path / "site" / "tiny" / "1").iterdir():
        if path.suffix != ".md":
            assert contents[f"tiny/1/{path.name}"] == path.read_bytes()
    assert not any(path.endswith("writeup.md") for path in contents)


def test_a_version_of_one_policy_has_no_comparison_and_no_switch(hostile_site: Contents) -> None:
    made = page(hostile_site, "tiny/2/index.html")
    assert not made.all("input", name="scale")
    assert not made.all("button", data_policy="only")
    assert "fewer" not in made.one("h1").text
    assert "baseline at the same page size" not in made.text


# --- Prose, images, overrides ---------------------------------------------------------------------


def test_links_in_prose_lead_to_pages_and_keep_their_fragment(tiny_site: Contents) -> None:
    guide = page(tiny_site, "guide/index.html")
    links = {e.text: e.get("href") for e in guide.all("a")}
    assert links["the report"] == "../tiny/1/index.html#cost"
    assert links["the newest"] == "../tiny/latest/index.html"
    assert links["more"] == "more/index.html#below"
    experiment = page(tiny_site, "tiny/index.html")
    assert {e.text: e.get("href") for e in experiment.all("a")}["the guide"] == (
        "../guide/index.html"
    )
    report = page(tiny_site, "tiny/1/index.html")
    assert {e.text: e.get("href") for e in report.all("a")}["the costs"] == "#cost"


def prose_site(root: Path, figures: Path, files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    """The site of those files below `site/` and of what else is there."""
    write(root, {"mkdocs.yml": CONFIG, **{f"site/{name}": text for name, text in files.items()}})
    return render(root, figures)


@pytest.mark.parametrize("name", ["my file", "日本語", "100% sure", "a+b", "what?"])
def test_a_page_may_have_any_name_that_a_file_has(name: str, tmp_path: Path, figures: Path) -> None:
    files = {"index.md": f"# A\n\n[b](<g/{name.replace('%', '%25').replace('?', '%3F')}.md>)\n"}
    contents = prose_site(tmp_path, figures, files | {f"g/{name}.md": "# B\n"})
    assert f"g/{name}/index.html" in contents


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("nowhere.md", "'nowhere.md' leads to 'nowhere.md', which is no file of the site"),
        ("g.md#nowhere", "'g/index.html#nowhere': 'g/index.html' has no such anchor"),
        ("/g/", "'/g/' leads to '/g', which is no file of the site"),
        ("../../g.md", "'../g.md' leads to '../g.md', which is no file of the site"),
        ("nowhere.png", "'nowhere.png' leads to 'nowhere.png', which is no file of the site"),
    ],
)
@pytest.mark.parametrize("cwd", [".", "/"])
def test_a_broken_link_in_prose_is_refused_from_wherever_it_is_built(
    link: str, said: str, cwd: str, tmp_path: Path, figures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / cwd)
    with pytest.raises(InputError) as error:
        prose_site(tmp_path, figures, {"index.md": f"# A\n\n[b]({link})\n", "g.md": "# G\n"})
    assert str(error.value) == f"index.html: {said}"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"g.md": "# A\n", "g/index.md": "# B\n"}, "g/index.html is another source's page already"),
        ({"tiny.md": "# A\n"}, "two sources would become tiny/index.html"),
        ({"tiny/latest.md": "# A\n"}, "two sources would become tiny/latest/index.html"),
    ],
)
def test_two_sources_of_one_page_are_refused(
    files: dict[str, str], said: str, tmp_path: Path, figures: Path
) -> None:
    add_version(tmp_path, plan_json())
    with pytest.raises(InputError, match=re.escape(said)):
        prose_site(tmp_path, figures, files)


def test_versions_whose_figures_found_the_same_can_be_told_apart(
    tmp_path: Path, figures: Path
) -> None:
    (tmp_path / "site").mkdir()
    for version in ("1", "2"):
        add_version(tmp_path, plan_json(version), RANKS)
    contents = prose_site(tmp_path, figures, {})
    assert list(linkrules.warnings(Crawl(contents))) == []


@pytest.mark.parametrize("name", ["main", "theme", "versions-1", "about-x"])
def test_an_experiment_may_be_named_like_a_part_of_the_page(
    name: str, tmp_path: Path, figures: Path
) -> None:
    add_version(tmp_path, plan_json(experiment=name))
    contents = prose_site(tmp_path, figures, {"index.md": "# A\n\n## X\n"})
    assert f"{name}/index.html" in contents


def test_images_are_passed_on_and_everything_else_below_the_sources_is_not(
    tmp_path: Path, figures: Path
) -> None:
    contents = prose_site(
        tmp_path,
        figures,
        {
            "index.md": "# A\n\n![b](g/b.PNG)\n",
            "g/b.PNG": b"\x89PNG",
            "g/c.pdf": b"%PDF",
            "g/secret.txt": "x",
            "g/page.html": "<script>x</script>",
            ".hidden/d.png": b"",
            "_draft.md": "# D\n",
        },
    )
    assert contents["g/b.PNG"] == b"\x89PNG"
    assert {path for path in contents if path.startswith(("g/", "."))} == {
        "g/b.PNG", "g/c.pdf", ".nojekyll",
    }  # fmt: skip
    assert not any("draft" in path for path in contents)


def test_a_project_without_versions_or_prose_has_a_front_page(
    tmp_path: Path, figures: Path
) -> None:
    (tmp_path / "site").mkdir()
    contents = prose_site(tmp_path, figures, {})
    assert "No experiment yet." in page(contents, "index.html").text
    assert not any(path.startswith("assets/vega.") for path in contents)


def test_a_projects_own_template_and_asset_go_before_ours(tmp_path: Path, figures: Path) -> None:
    write(
        tmp_path,
        {
            "templates/page.html": "{% extends 'base.html' %}"
            "{% block title %}{{ title }}{% endblock %}"
            "{% block main %}<h1>Own</h1><b>{{ title }}</b>{% endblock %}",
            "templates/assets/site.css": "b { color: red }\n",
        },
    )
    contents = prose_site(tmp_path, figures, {"index.md": "# A\n", "g.md": "# <i>\n"})
    made = page(contents, "g/index.html")
    assert made.one("h1").text == "Own"
    assert "<i>" in [e.text for e in made.all("b")]
    assert not made.all("i")
    (css,) = [data for path, data in contents.items() if path.endswith(".css")]
    assert css == b"b { color: red }\n"


def test_a_projects_template_may_extend_ours_of_the_same_name(
    tmp_path: Path, figures: Path
) -> None:
    write(
        tmp_path,
        {
            "templates/page.html": "{% extends 'pagecost/page.html' %}"
            "{% block description %}Own{% endblock %}",
            "templates/base.html": "{% extends 'pagecost/base.html' %}"
            "{% block foot %}<p>Our team</p>{% endblock %}",
        },
    )
    made = page(
        prose_site(tmp_path, figures, {"index.md": "# A\n", "g.md": "# B\n"}), "g/index.html"
    )
    assert "Our team" in made.text
    assert made.one("h1").text == "B"
    assert {"name": "description", "content": "Own"} in [e.attributes for e in made.all("meta")]


def test_a_site_built_inside_docs_dir_is_no_source_of_another(
    tmp_path: Path, figures: Path
) -> None:
    sources = {"index.md": "# A\n"}
    before = prose_site(tmp_path, figures, sources)
    write(
        tmp_path,
        {"site/out/.pagecost-site": "", "site/out/a.svg": "<svg/>", "site/out/b.md": "# B\n"},
    )
    assert prose_site(tmp_path, figures, sources) == before


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% extends 'page.html' %}", "page.html: extends itself without end"),
        ("<p>\n{{ 1 / 0 }}", "page.html: line 2: division by zero"),
        ("{% block", "page.html: line 1: "),
        ("{{ nothing.at.all }}", "'nothing' is undefined"),
        ("{% extends 'gone.html' %}", "page.html: "),
    ],
)
def test_a_template_that_cannot_be_rendered_is_named(
    template: str, said: str, tmp_path: Path, figures: Path
) -> None:
    write(tmp_path, {"templates/page.html": template})
    with pytest.raises(InputError, match=re.escape(said)):
        prose_site(tmp_path, figures, {"index.md": "# A\n", "g.md": "# B\n"})


# --- Addresses ------------------------------------------------------------------------------------


def test_canonical_links_are_there_only_where_the_sites_address_is_known(
    tmp_path: Path, figures: Path, tiny_site: Contents
) -> None:
    assert not any(made.all("link", rel="canonical") for _, made in pages(tiny_site))
    root = tiny(tmp_path)
    write(root, {"mkdocs.yml": CONFIG + "site_url: https://example.invalid/x\n"})
    contents = render(root, figures)
    for path, made in pages(contents):
        found = [one.get("href") for one in made.all("link", rel="canonical")]
        address = f"https://example.invalid/x/{path.removesuffix('index.html')}"
        assert found == ([] if path.endswith(("latest/index.html", ANYWHERE)) else [address]), path
    assert b"https://example.invalid/x/tiny/1/costs.csv" in contents["tiny/1/summary.md"]
    assert b"costs.csv" not in contents["tiny/2/summary.md"]


def test_the_schemas_are_published(tiny_site: Contents) -> None:
    plan = json.loads(tiny_site["schema/plan-1.json"])
    assert plan["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "Plan" in plan["$defs"]
    assert "Results" in json.loads(tiny_site["schema/results-1.json"])["$defs"]


# --- The committed site ---------------------------------------------------------------------------


def test_titles_and_descriptions_of_the_committed_site_are_all_different(
    committed: Contents,
) -> None:
    titles = Counter(made.all("title")[0].text for _, made in pages(committed))
    descriptions = Counter(made.meta("description") for _, made in pages(committed))
    assert [one for one, number in titles.items() if number > 1] == []
    assert [one for one, number in descriptions.items() if number > 1] == []


def test_the_committed_site_leaves_only_by_links_that_its_sources_declare(
    committed: Contents,
) -> None:
    docs = project.load_config(ROOT / "mkdocs.yml").docs_dir
    sources = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (ROOT / "mkdocs.yml", *docs.rglob("*.md"), *docs.rglob("plan.json"))
    )
    for path, made in pages(committed):
        for element in made.all("a"):
            link = element.get("href")
            if is_external(link) and link not in sources and link.rstrip("/") not in sources:
                pinned = r"https://github\.com/([^/]+/[^/]+)/(?:tree|blob)/([0-9a-f]{40})(?:/.+)?"
                found = re.fullmatch(pinned, link)
                assert found is not None, (path, link)
                repository, revision = found.groups()
                assert f'"{repository}"' in sources, (path, link)
                assert f'"{revision}"' in sources, (path, link)


def test_every_committed_report_names_both_sides_in_title_heading_and_description(
    committed: Contents,
) -> None:
    reports = [path for path in committed if path.endswith("/results.json")]
    assert len(reports) >= 3
    for path in reports:
        made = page(committed, path.replace("results.json", "index.html"))
        title, heading = made.all("title")[0].text, made.one("h1").text
        for said in (title, heading, made.meta("description") or ""):
            assert re.search(r"(fewer|more|as many) pages", said), said
            assert re.search(r"(fewer|more|as many) searches \(proxy\)", said), said


def test_our_own_style_sheet_and_script_are_small() -> None:
    assets = ROOT / "templates" / "assets"
    assert (assets / "site.css").stat().st_size < 30_000
    assert sum(path.stat().st_size for path in assets.glob("*.js")) < 40_000
    assert b"@import" not in (assets / "site.css").read_bytes()
    assert b"url(" not in (assets / "site.css").read_bytes()


# --- Gold -----------------------------------------------------------------------------------------

_UNCHANGED = ("plan.json", "results.json", "ranks.csv", ".nojekyll")
"""Published as they are, so no gold is needed."""
_DRAWN = re.compile(
    r".*\.png|.*/fig-(?!wins)\w+\.(svg|vl\.json)|.*/fig-(?!cost)\w+\.js|.*/embed/fig-(?!wins).*"
)
"""Other figures as files: large, and what they hold has tests of its own."""


def golden(contents: Contents) -> dict[str, bytes]:
    """What the gold holds: pages and files, without hashes of assets, and two specs of a figure."""
    made = {}
    for path, data in contents.items():
        name = path.rpartition("/")[2]
        if path.startswith(("assets/", "schema/")) or name in _UNCHANGED or _DRAWN.match(path):
            continue
        kept = _two_specs(data) if name == "fig-cost.js" else data
        made[path] = re.sub(rb"(assets/\w+)\.[0-9a-f]{10}\.", rb"\1.HASH.", kept)
    return made


def _two_specs(script: bytes) -> bytes:
    data = figure_of(script.decode("utf-8"))
    specs = data["specs"]
    kept = {key: specs[key] for key in ("pages-relative-wide", "emitted-absolute-narrow")}
    lines = [json.dumps(one, ensure_ascii=False) for one in (*data["shared"], kept)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def test_the_tiny_site_is_the_gold_one(tmp_path: Path, figures: Path) -> None:
    made = golden(render(tiny(tmp_path, explored=False), figures))
    if os.environ.get("PAGECOST_UPDATE_GOLD") == "1":
        shutil.rmtree(GOLD, ignore_errors=True)
        write(GOLD, made)
    gold = tree(GOLD)
    assert sorted(made) == sorted(gold)
    for path, data in gold.items():
        assert made[path].decode("utf-8").split("\n") == data.decode("utf-8").split("\n"), path
    assert sum(map(len, gold.values())) < 300_000
