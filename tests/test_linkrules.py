"""What a strict build fails of though no link is broken: unused files, pages alike, budgets."""

from __future__ import annotations

import pytest

from pagecost import linkrules
from pagecost.links import Crawl
from pagecost.site import budget


def page(title: str, body: str = "", *, description: str | None = None, lang: str = "en") -> bytes:
    said = title if description is None else description
    return (
        f"<html lang='{lang}'><head><title>{title}</title>"
        f"<meta name='description' content='{said}'></head><body>{body}</body></html>"
    ).encode()


def warned(**contents: bytes) -> list[str]:
    """The warnings of those files; `a_html` is `a.html`, and the front page leads to all pages."""
    files = {name.replace("_", "."): data for name, data in contents.items()}
    links = "".join(f"<a href='{name}'></a>" for name in files if name.endswith(".html"))
    return list(linkrules.warnings(Crawl({"index.html": page("Home", links), **files})))


def test_a_file_that_nothing_refers_to_is_named() -> None:
    assert warned(a_png=b"") == ["a.png: nothing on the site refers to it"]


@pytest.mark.parametrize(
    "body",
    [
        "<img src='a.png'>", "<a href='a.png'>a</a>", "<img srcset='a.png 2x'>",
        "<script data-source='a.png'></script>", "<div data-source='a.png'></div>",
    ],
)  # fmt: skip
def test_a_file_that_a_page_refers_to_is_used(body: str) -> None:
    assert warned(a_png=b"", b_html=page("B", body)) == []


def test_a_file_that_a_style_sheet_refers_to_is_used() -> None:
    style = b"p { background: url(a.png) } /* url(gone.png) */"
    assert warned(a_png=b"", b_css=style, c_html=page("C", "<link href='b.css'>")) == []


def test_a_page_that_only_refers_to_itself_is_not_reached() -> None:
    crawl = Crawl({"index.html": page("Home"), "a.html": page("A", "<a href='a.html'>a</a>")})
    assert list(linkrules.warnings(crawl)) == ["a.html: nothing on the site refers to it"]


def test_what_is_fetched_by_its_name_needs_no_link() -> None:
    files = dict.fromkeys(linkrules.FETCHED_BY_NAME, b"")
    named = {name.replace("*", "x"): data for name, data in files.items() if name != "index.html"}
    named = {name: page(name) if name.endswith(".html") else data for name, data in named.items()}
    assert list(linkrules.warnings(Crawl({"index.html": page("Home"), **named}))) == []


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (page("", description="D"), "a.html: has no title"),
        (page("A", description=" "), "a.html: has no description"),
        (page("A", lang=""), "a.html: has no lang"),
    ],
)
def test_a_page_that_does_not_say_what_it_is_is_named(made: bytes, said: str) -> None:
    assert warned(a_html=made) == [said]


def test_pages_that_can_not_be_told_apart_are_named() -> None:
    found = warned(a_html=page("A", description="D"), b_html=page("B", description=" D "))
    assert found == ["b.html: has the description of a.html: 'D'"]
    found = warned(a_html=page("A", description="D"), b_html=page("A", description="E"))
    assert found == ["b.html: has the title of a.html: 'A'"]


# --- Budgets --------------------------------------------------------------------------------------

FULL = {
    "a/index.html": b"x" * budget.PAGE,
    "assets/site.0.css": b"x" * (budget.STYLE - 5),
    "assets/own.0.css": b"x" * 5,
    "assets/site.0.js": b"x" * budget.SCRIPT,
    "assets/vega.0.js": b"x" * 900_000,
    "a/fig-cost.js": b"x" * 900_000,
}


def test_a_site_within_its_budgets_is_not_warned_of_and_says_what_is_spent() -> None:
    assert list(budget.warnings(FULL)) == []
    assert budget.summary(FULL) == (
        "budgets: largest page 300,000 of 300,000 bytes (a/index.html); style 30,000 of 30,000; "
        "scripts 40,000 of 40,000; Vega bundle 900,000, 1 of at most 1"
    )


@pytest.mark.parametrize(
    ("added", "said"),
    [
        ({"b.html": b"x" * 300_001}, "b.html: 300,001 bytes of HTML, of at most 300,000"),
        (
            {"assets/c.0.css": b"x"},
            "assets/c.0.css, assets/own.0.css, assets/site.0.css: 30,001 bytes of style sheets, "
            "of at most 30,000",
        ),
        (
            {"assets/c.0.js": b"x"},
            "assets/c.0.js, assets/site.0.js: 40,001 bytes of scripts, of at most 40,000",
        ),
        (
            {"assets/vega.1.js": b""},
            "assets/vega.0.js, assets/vega.1.js: more than one Vega bundle",
        ),
    ],
)
def test_a_budget_that_is_not_kept_is_named(added: dict[str, bytes], said: str) -> None:
    assert list(budget.warnings(FULL | added)) == [said]
