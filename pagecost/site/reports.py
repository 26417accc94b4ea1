"""The report of one version, and the files beside it."""

from __future__ import annotations

from collections.abc import Sequence

from pagecost import export, jsonio, prose
from pagecost.charts.draw import Drawer
from pagecost.project import DOCUMENTS, PROJECTION, Config
from pagecost.report import querydata, sidecar
from pagecost.report.citation import Author, cite
from pagecost.report.page import report_page
from pagecost.report.summary import summary
from pagecost.site import figurefiles
from pagecost.site.docs import Docs
from pagecost.site.frame import Frame
from pagecost.versions import Version


class Reports:
    """Turns versions into their folders of the site."""

    def __init__(self, config: Config, frame: Frame, docs: Docs, drawer: Drawer) -> None:
        self._config = config
        self._frame = frame
        self._docs = docs
        self._drawer = drawer
        author = config.site_author
        self._author = Author(author or config.site_name, is_site=author is None)

    def files(
        self,
        version: Version,
        commands: Sequence[str],
        before: tuple[str, str] | None = None,
        *,
        alone: bool = False,
    ) -> dict[str, bytes]:
        """Everything below the version's folder.

        `commands` are how a reader makes the page again; `before` is the version before it and the
        page that compares the two. `alone`, the report is all there is, and stands at the root.
        """
        plan, record = version.plan, version.record
        base = "" if alone else f"{plan.experiment}/{plan.version}/"
        rewrite = self._docs.rewriter(f"{base}plan.json", f"{base}index.html")
        page = report_page(version, self._drawer, rewrite, commands)
        contents = {f"{base}plan.json": version.plan_json}
        projection = version.where.file(PROJECTION)
        if projection.is_file():
            contents[f"{base}{PROJECTION}"] = jsonio.read_bytes(projection)
            contents[f"{base}{PROJECTION}-metadata.json"] = sidecar.projection(plan)
        if version.documents_txt is not None:
            contents[f"{base}{DOCUMENTS}"] = version.documents_txt
        contents[f"{base}summary.md"] = summary(page, self._config.site_url)
        address = None if alone else self._frame.address(f"{base}index.html")
        citation = cite(page, self._author, address, alone=alone)
        contents[f"{base}citation.bib"] = citation.bibtex.encode("utf-8")
        if record is not None and page.scores is not None:
            contents |= {
                f"{base}results.json": record.results_json,
                f"{base}ranks.csv": record.ranks_csv,
                f"{base}costs.csv": export.costs_csv(plan, record.results),
                f"{base}costs.csv-metadata.json": sidecar.costs(plan, record.results),
                f"{base}ranks.csv-metadata.json": sidecar.ranks(plan),
                f"{base}queries.js": querydata.script(querydata.query_table(plan, record.table)),
            }
        crumbs = (
            [("pagecost", "index.html")]
            if alone
            else [
                *self._frame.crumbs(plan.experiment),
                (f"version {plan.version}", f"{base}index.html"),
            ]
        )
        contents.update(figurefiles.files(page, base, self._frame, self._drawer))
        contents.update(figurefiles.embeds(page, base, self._frame, crumbs))
        note = plan.origin.note if plan.origin else None
        contents[f"{base}index.html"] = self._frame.page(
            "report.html",
            f"{base}index.html",
            crumbs,
            report=page,
            alone=alone,
            before=before,
            draft=page.state == "draft",
            has_projection=projection.is_file(),
            origin_note=prose.inline(note, rewrite) if note else None,
            citation=citation,
            og_type="article",
            preview_image=f"{base}{figurefiles.PREVIEW}" if page.scores is not None else None,
        )
        return contents
