"""How a version is cited: an entry for BibTeX, and a line of Markdown. The caveat is in both."""

from __future__ import annotations

import re

import msgspec

from pagecost.prose import escape
from pagecost.report import words
from pagecost.report.page import ReportPage

_MONTHS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
"""Words that every BibTeX style defines, in the language that it is in."""

_LATEX = {
    # No brace of a text may stay one: BibTeX counts those behind a backslash too.
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_", "$": r"\$",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    "\u2212": "$-$", "\u202f": r"\,", "\u00a0": "~", "≈": r"$\approx$", "→": r"$\rightarrow$",
    "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$", "–": "--", "—": "---", "…": r"\ldots{}",
    "‘": "`", "’": "'", "“": "``", "”": "''",
}  # fmt: skip
"""What LaTeX would take for something else, or lacks in many fonts. Letters stay as they are."""
_SPECIAL = re.compile(rf"[{re.escape(''.join(_LATEX))}]|-(?=-)")
_SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_IN_URL = re.compile(r"[{}\\^`|()]")


class Author(msgspec.Struct, frozen=True):
    """Who is named: a site, or the people that `site_author` names, joined by ` and `."""

    name: str
    is_site: bool


class Citation(msgspec.Struct, frozen=True):
    """What there is to copy. `address` is None where nobody knows the report's."""

    address: str | None
    markdown: str
    bibtex: str


def cite(page: ReportPage, author: Author, address: str | None, *, alone: bool) -> Citation:
    """The citation of a version, from its page. `alone`, it was made from files: by whom, and where
    it is kept, nobody said, so neither is named."""
    return Citation(
        address=None if alone else address,
        markdown=_markdown(page, None if alone else address, alone),
        bibtex=_bibtex(page, None if alone else author, None if alone else address, alone),
    )


def _standing(page: ReportPage) -> str:
    return words.standing(page.plan, page.scores.results if page.scores else None)


def _source(page: ReportPage, alone: bool) -> str:
    """Whose figures they are, exactly: kind, version, plan."""
    plan = page.plan
    made = ", made from files, nothing frozen" if alone else ""
    draft = "draft plan" if plan.is_draft and not alone else "plan"
    return (
        f"{words.capital(page.kind)}{made}: {plan.experiment}, version {plan.version}, "
        f"{draft} {page.digest[:12]} dated {plan.date}"
    )


def _markdown(page: ReportPage, address: str | None, alone: bool) -> str:
    said = escape(_standing(page))
    if address is not None:
        said = f"[{said}]({_IN_URL.sub(_percent, address)})"
    return f"{said} {escape(page.plan.caveat.strip())} ({escape(_source(page, alone))}.)"


def _bibtex(page: ReportPage, author: Author | None, address: str | None, alone: bool) -> str:
    plan = page.plan
    fields = {"title": f"{{{{{latex(page.title)}}}}}"}
    if author is None:
        fields["key"] = f"{{{latex(plan.key)}}}"  # what a style sorts by instead
    else:
        # A site's name is one name, whatever words or commas are in it.
        name = latex(author.name)
        fields["author"] = f"{{{{{name}}}}}" if author.is_site else f"{{{name}}}"
    fields["year"] = f"{{{plan.date[:4]}}}"
    fields["month"] = _MONTHS[int(plan.date[5:7]) - 1]
    if address is not None:
        # As it stands: \url takes every character for itself, but braces must match.
        fields["howpublished"] = rf"{{\url{{{_IN_URL.sub(_percent, address)}}}}}"
    fields["note"] = f"{{{latex(f'{_source(page, alone)}. {plan.caveat}')}}}"
    lines = (f"  {field} = {value},\n" for field, value in fields.items())
    return f"@misc{{{plan.experiment}:{plan.version},\n{''.join(lines)}}}\n"


def _percent(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def latex(text: str) -> str:
    """A text inside a field of BibTeX, to be printed as it stands. White space is one blank."""
    # Dashes stay dashes: two hyphens would become a longer one.
    found = _SPECIAL.sub(lambda match: _LATEX.get(match[0], "-{}"), text)
    return _SPACE.sub(" ", found).strip()
