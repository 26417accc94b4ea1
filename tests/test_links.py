"""No link, anchor or file that a page refers to is missing."""

from __future__ import annotations

import pytest

from pagecost import links


def problems(**pages: str) -> list[str]:
    """What is wrong with a site of those pages; `a_b` is `a/b.html`. It has a CSV file too."""
    contents = {f"{name.replace('_', '/')}.html": text.encode() for name, text in pages.items()}
    return list(links.problems({"data/costs.csv": b"", "data/my file.csv": b"", **contents}))


@pytest.mark.parametrize(
    "text",
    [
        "<a href='b/c.html'>",
        "<a href='b/c.html#there'>",
        "<a href='b/../b/c.html?x=1#there'>",
        "<a href='#own'><p id='own'>",
        "<a href=''>",
        "<a href='data/costs.csv#row=5'>",
        "<a href='data/my%20file.csv'>",
        "<img src='data/costs.csv'>",
        "<a href='https://example.invalid/nowhere#at-all'>",
        "<a href='//example.invalid/'>",
        "<a href='https://['>",
        "<a href='mailto:a@example.invalid'>",
        "<p id='ü'><a href='#%C3%BC'>",
        "<a href>",
        '<svg><g id="own" fill="none"><text x="1"><a href="#own"></a></text></g></svg>',
        '<svg><path d="M0,0" id="own" /></svg><a href="#own">',
    ],
)
def test_what_exists_may_be_referred_to(text: str) -> None:
    assert problems(a=text, b_c="<p id='there'>") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<a href='b/d.html'>", "a.html: 'b/d.html' leads to 'b/d.html', which is no file"),
        ("<a href='b'>", "a.html: 'b' leads to 'b', which is no file of the site"),
        ("<a href='b/'>", "a.html: 'b/' leads to 'b', which is no file of the site"),
        ("<a href='/b/c.html'>", "a.html: '/b/c.html' leads to '/b/c.html', which is no file"),
        ("<a href='../a.html'>", "a.html: '../a.html' leads to '../a.html', which is no file"),
        ("<a href='#x'>", "a.html: '#x': 'a.html' has no such anchor"),
        ("<a href='b/c.html#x'>", "a.html: 'b/c.html#x': 'b/c.html' has no such anchor"),
        ("<img src='x.png'>", "a.html: 'x.png' leads to 'x.png', which is no file"),
        ("<link href='x.css'>", "a.html: 'x.css' leads to"),
        ("<script src='x.js'></script>", "a.html: 'x.js' leads to"),
        ("<script data-target='x.html'></script>", "a.html: 'x.html' leads to"),
        ("<script data-vega='x.js'></script>", "a.html: 'x.js' leads to"),
        ("<script data-figures='x.js'></script>", "a.html: 'x.js' leads to"),
        ("<p id='x'><p id='x'>", "a.html: the anchor 'x' stands twice"),
        ('<svg><g id="x" /><text fill="a" id="x" /></svg>', "a.html: the anchor 'x' stands twice"),
        ('<svg><line x1="0" href="#x" /></svg>', "a.html: '#x': 'a.html' has no such anchor"),
    ],
)
def test_what_is_missing_is_named_with_its_page(text: str, said: str) -> None:
    (found,) = problems(a=text, b_c="<p id='there'>")
    assert found.startswith(said)


def test_a_link_is_resolved_from_the_page_that_has_it() -> None:
    assert problems(a="", b_c="<a href='../a.html'><a href='c.html'>") == []
    assert len(problems(a="", b_c="<a href='a.html'><a href='b/c.html'>")) == 2


def test_a_link_that_stands_often_is_reported_once() -> None:
    assert len(problems(a="<a href='x'><a href='x'><a href='y'>")) == 2


def test_every_problem_of_every_page_is_reported() -> None:
    found = problems(a="<a href='x'><p id='1'><p id='1'>", b_c="<a href='#y'>")
    assert [one.partition(":")[0] for one in found] == ["a.html", "a.html", "b/c.html"]
