"""Markdown on a page: nothing in it becomes an element that we did not mean."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagecost import prose
from tests.site_builders import Page


def keep(link: str) -> str:
    return link


def body(markdown: str, **options: object) -> Page:
    """The rendered text as a page."""
    made = prose.render(markdown, keep, **options)  # type: ignore[arg-type]
    return Page(f"<body>{made.html}</body>")


def tags(page: Page) -> set[str]:
    return {element.tag for element in page.elements} - {"body", "p"}


# --- What is refused ------------------------------------------------------------------------------

RAW = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick='alert(1)'>b</b> c",
    "<!-- comment -->",
    "<![CDATA[x]]>",
    "<?php x ?>",
    "</body></html>",
    "<style>*{display:none}</style>",
    "1<2 & 3>2",
)


@pytest.mark.parametrize("markdown", RAW)
def test_raw_html_is_shown_as_text(markdown: str) -> None:
    page = body(markdown)
    assert tags(page) == set()
    assert page.text == markdown
    inline = Page(f"<body>{prose.inline(markdown)}</body>")
    assert tags(inline) == set()
    assert inline.text == markdown


@pytest.mark.parametrize(
    "markdown",
    [
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](vbscript:x)",
        "[a](data:text/html;base64,eA==)",
        "[a](file:///etc/passwd)",
        "<javascript:alert(1)>",
        "[a][x]\n\n[x]: javascript:alert(1)",
        "![a](javascript:alert(1))",
    ],
)
def test_a_link_that_would_run_or_read_something_is_no_link(markdown: str) -> None:
    assert not {"a", "img"} & tags(body(markdown))


@pytest.mark.parametrize(
    "target",
    [
        "https://example.invalid/a.png",
        "http://example.invalid/a.png",
        "//example.invalid/a.png",
        "data:image/png;base64,AAAA",
    ],
)
def test_an_image_from_afar_is_shown_as_its_text(target: str) -> None:
    page = body(f"![a *b* `c`]({target})")
    assert tags(page) == set()
    assert page.text == "[image: a *b* `c`]"
    linked = body(f"[![seen]({target})](https://example.invalid/)")
    assert tags(linked) == {"a"}
    assert linked.text == "[image: seen]"


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("<>&\"'`*_[]()!#\\/ \n=:ajx|~-1."), max_size=60))
@example('[a](x"onclick="y)')
@example("![a](x 'onerror=y')")
@example('```"onclick=x\n```')
def test_no_text_makes_an_element_or_attribute_that_runs(markdown: str) -> None:
    allowed = {
        "body", "p", "a", "img", "em", "strong", "s", "code", "pre", "br", "hr", "ul", "ol", "li",
        "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "div", "table", "thead", "tbody", "tr",
        "th", "td",
    }  # fmt: skip
    known = {
        "href",
        "src",
        "alt",
        "title",
        "id",
        "class",
        "role",
        "tabindex",
        "aria-label",
        "start",
    }
    for element in body(markdown).elements:
        assert element.tag in allowed
        assert set(element.attributes) <= known


# --- What is rendered -----------------------------------------------------------------------------


def test_emphasis_code_lists_and_links_are_rendered() -> None:
    page = body("# A\n\n*b* **c** `d`\n\n- e\n\n[f](https://example.invalid/)\n\n```go\ng < h\n```")
    assert {"h1", "em", "strong", "code", "ul", "li", "a", "pre"} <= tags(page)
    assert page.one("pre").text == "g < h\n"
    assert page.one("pre").get("tabindex") == "0"


def test_a_wide_table_scrolls_in_a_region_that_the_keyboard_reaches() -> None:
    page = body("| a | b |\n|---|---|\n| 1 | 2 |")
    region = page.one("div", class_="tw")
    assert (region.get("role"), region.get("tabindex")) == ("region", "0")
    assert region.attributes.get("aria-label")


def test_each_region_of_a_table_has_a_name_of_its_own() -> None:
    table = "| a |\n|---|\n| 1 |\n\n"
    page = body(f'{table}{table}# *B* "c"\n\n{table}{table}# D\n\n{table}# D\n\n{table}')
    assert [one.get("aria-label") for one in page.all("div", class_="tw")] == [
        "Table",
        "Table, 2",
        'Table under “B "c"”',
        'Table under “B "c"”, 2',
        "Table under “D”",
        "Table under “D”, 2",
    ]


def test_a_tables_alignment_needs_no_inline_style() -> None:
    page = body("| a | b | c | d |\n|---|:--|:-:|--:|\n| 1 | 2 | 3 | 4 |")
    assert all("style" not in element.attributes for element in page.elements)
    right = [element.text for element in page.elements if element.attributes.get("class") == "r"]
    assert right == ["d", "4"]


def test_the_highest_headings_get_the_level_that_is_asked_for() -> None:
    page = body("## A\n\n### B\n\n## C", top=3)
    assert [(e.tag, e.text) for e in page.elements if e.tag[0] == "h"] == [
        ("h3", "A"), ("h4", "B"), ("h3", "C"),
    ]  # fmt: skip
    assert [e.tag for e in body("# A\n\n###### B", top=3).elements][1:] == ["h3", "h6"]


def test_headings_of_one_text_have_an_anchor_each() -> None:
    made = prose.render("# Über *das*\n\n# Über das\n\n# ???\n\n# ???", keep, prefix="writeup-")
    assert [one.anchor for one in made.headings] == [
        "writeup-über-das", "writeup-über-das-2", "writeup-section", "writeup-section-2",
    ]  # fmt: skip
    page = Page(f"<body>{made.html}</body>")
    assert [e.get("id") for e in page.elements if e.tag == "h1"] == [
        one.anchor for one in made.headings
    ]
    assert [one.text for one in made.headings] == ["Über das", "Über das", "???", "???"]


def test_links_and_images_of_the_site_are_rewritten_and_others_kept() -> None:
    def rewrite(link: str) -> str:
        return f"new/{link}"

    made = prose.render(
        "[a](x.md#y) ![b](c.png) [d](https://example.invalid/) [e](mailto:a@example.invalid)",
        rewrite,
    )
    page = Page(f"<body>{made.html}</body>")
    assert [e.get("href") for e in page.all("a")] == [
        "new/x.md#y", "https://example.invalid/", "mailto:a@example.invalid",
    ]  # fmt: skip
    assert page.one("img").get("src") == "new/c.png"


def test_inline_text_makes_no_blocks() -> None:
    made = prose.inline("# a\n\n- b\n\n> c")
    assert tags(Page(f"<body>{made}</body>")) == set()


# --- Plain text and front matter ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**Exact rank** of the\nfirst `target`.", "Exact rank of the first target."),
        ("[a](https://example.invalid/)", "a"),
        ("1 < 2 & <b>", "1 < 2 & <b>"),
        ("&lt;b&gt;", "<b>"),
        ("a ![b](https://example.invalid/x.png)", "a [image: b]"),
    ],
)
def test_inline_markdown_as_plain_text(markdown: str, plain: str) -> None:
    assert prose.plain(markdown) == plain


@settings(deadline=None)
@given(st.text(max_size=40))
@example("*a* _b_ `c` [d](e) ![f](g) <h> #i | j & k ~l~ \\m !n + 1.")
@example("&lt;")
@example("\\")
@example("a\r\n\r\n# b")
def test_escaped_text_in_a_line_reads_as_it_was_written(text: str) -> None:
    page = body(f"- a {prose.escape(text)}")
    assert tags(page) == {"ul", "li"}
    assert page.text.split() == ["a", *text.replace("\0", "\ufffd").split()]


def test_front_matter_is_taken_off_and_its_lines_are_kept() -> None:
    text = "---\ntitle: A\n---\n\n# B\n"
    assert prose.front_matter(text) == "title: A\n"
    assert prose.without_front_matter(text) == "\n# B\n"
    assert prose.without_front_matter("---\n---\nB") == "B"
    assert prose.front_matter("# B\n\n---\ntitle: A\n---\n") == ""


# --- Links ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "page", "link"),
    [
        ("index.html", "index.html", "index.html"),
        ("index.html", "tiny/1/index.html", "../../index.html"),
        ("tiny/1/index.html", "tiny/2/index.html", "../1/index.html"),
        ("tiny/1/costs.csv", "tiny/1/index.html", "costs.csv"),
        ("tiny/1/index.html#cost", "index.html", "tiny/1/index.html#cost"),
    ],
)
def test_a_link_is_relative_to_its_page(target: str, page: str, link: str) -> None:
    assert prose.relative(target, page) == link


@pytest.mark.parametrize(
    ("link", "external"),
    [
        ("https://example.invalid/", True),
        ("//example.invalid/", True),
        ("mailto:a@example.invalid", True),
        ("https://[", True),
        ("a/b.html#c", False),
        ("#c", False),
        ("../", False),
        ("", False),
    ],
)
def test_a_link_that_names_a_host_or_scheme_leaves_the_site(link: str, external: bool) -> None:
    assert prose.is_external(link) is external
