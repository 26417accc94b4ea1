"""Page records and templates → the files of the site, all of them, before any is written."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from markupsafe import Markup

from pagecost import export, jsonio, links, plan, prose
from pagecost.charts.draw import Drawer
from pagecost.errors import InputError
from pagecost.files import MARKER
from pagecost.look import Look
from pagecost.model import Results
from pagecost.project import PROJECTION, Config
from pagecost.prose import Rewrite, relative
from pagecost.report import listing, sidecar, words
from pagecost.report.embed import figures_script
from pagecost.report.page import ReportPage, report_page
from pagecost.report.summary import summary
from pagecost.versions import Version

_PASSED_ON = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".pdf")
_FRONT = "index.md"


def render(
    config: Config,
    versions: Sequence[Version],
    drawer: Drawer,
    get_corpus: Callable[[Version], str],
) -> dict[str, bytes]:
    """Every file of the site by its path. InputError where a link or an anchor is broken."""
    site = _Site(config, versions, drawer)
    contents: dict[str, bytes] = {}
    for version in versions:
        contents.update(site.version_files(version, get_corpus(version)))
    for name, several in site.experiments.items():
        contents.update(site.experiment_files(name, several))
    for own in (site.prose_files(), site.passed_on()):
        if taken := sorted(own.keys() & contents.keys()):
            raise InputError(f"{config.docs_dir}: two sources would become {', '.join(taken)}")
        contents.update(own)
    contents["schema/plan-1.json"] = jsonio.canonical(plan.schema())
    contents["schema/results-1.json"] = jsonio.canonical(msgspec.json.schema(Results))
    contents[".nojekyll"] = b""
    contents.update(site.used_assets())
    if broken := list(links.problems(contents)):
        raise InputError("\n".join(broken))
    return dict(sorted(contents.items()))


class _Site:
    def __init__(self, config: Config, versions: Sequence[Version], drawer: Drawer) -> None:
        self._config = config
        self._drawer = drawer
        self.experiments: dict[str, list[Version]] = {}
        for version in versions:
            self.experiments.setdefault(version.plan.experiment, []).append(version)
        self._look = Look(config.root, drawer)
        self._markers = list(config.docs_dir.rglob(MARKER))
        self._pages = self._markdown_pages()

    # --- Pieces -----------------------------------------------------------------------------------

    def _page(
        self, template: str, path: str, crumbs: Sequence[tuple[str, str]], **data: Any
    ) -> bytes:
        made = self._look.render(
            template,
            site_name=self._config.site_name,
            repo_url=self._config.repo_url,
            canonical=self._canonical(path),
            guide=next(iter(self._guide()), ("", None))[1],
            crumbs=[{"text": text, "target": target} for text, target in crumbs],
            path=path,
            url=lambda target: relative(target, path),
            asset=lambda name: relative(self._look.asset(name), path),
            **data,
        )
        return made.encode("utf-8")

    def _canonical(self, path: str) -> str | None:
        if self._config.site_url is None:
            return None
        return self._config.site_url + path.removesuffix("index.html")

    def _rewriter(self, source: str, page: str) -> Rewrite:
        """Turns a link in a Markdown source into a link from the page that shows it."""

        def rewrite(link: str) -> str:
            path, mark, fragment = link.partition("#")
            if not path or path.startswith("/"):
                return link
            path = unquote(path)
            target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
            if target.endswith(".md"):
                target = self._pages.get(target, target)
            elif path.endswith("/"):
                target = posixpath.join(target, "index.html")
            return relative(target, page) + mark + fragment

        return rewrite

    def used_assets(self) -> dict[str, bytes]:
        """The assets that some page refers to."""
        return self._look.used

    # --- Reports ----------------------------------------------------------------------------------

    def version_files(self, version: Version, get_corpus: str) -> dict[str, bytes]:
        """The report of one version and the files beside it."""
        key = version.plan
        base = f"{key.experiment}/{key.version}/"
        rewrite = self._rewriter(f"{base}plan.json", f"{base}index.html")
        page = report_page(version, self._drawer, rewrite, get_corpus)
        projection = version.where.file(PROJECTION)
        contents = {f"{base}plan.json": version.plan_json}
        if projection.is_file():
            contents[f"{base}{PROJECTION}"] = jsonio.read_bytes(projection)
            contents[f"{base}{PROJECTION}-metadata.json"] = sidecar.projection(key)
        contents[f"{base}summary.md"] = summary(page, self._config.site_url)
        if version.record is not None and page.scores is not None:
            results = version.record.results
            contents |= {
                f"{base}results.json": version.record.results_json,
                f"{base}ranks.csv": version.record.ranks_csv,
                f"{base}costs.csv": export.costs_csv(key, results),
                f"{base}costs.csv-metadata.json": sidecar.costs(key),
                f"{base}ranks.csv-metadata.json": sidecar.ranks(key, results),
                f"{base}figures.js": figures_script(page.scores.cost_figure),
            }
        contents[f"{base}index.html"] = self._report(page, rewrite, projection.is_file())
        return contents

    def _report(self, page: ReportPage, rewrite: Rewrite, has_projection: bool) -> bytes:
        plan = page.plan
        path = f"{plan.experiment}/{plan.version}/index.html"
        newest = listing.latest_of(self.experiments[plan.experiment]).plan.version
        note = plan.origin.note if plan.origin else None
        return self._page(
            "report.html",
            path,
            [*self._crumbs(plan.experiment), (f"version {plan.version}", path)],
            report=page,
            newest=newest,
            draft=page.state == "draft",
            has_projection=has_projection,
            origin_note=prose.inline(note, rewrite) if note else None,
        )

    def _crumbs(self, experiment: str) -> list[tuple[str, str]]:
        return [
            (self._config.site_name, "index.html"),
            (experiment, f"{experiment}/index.html"),
        ]

    # --- Lists ------------------------------------------------------------------------------------

    def _experiment(self, name: str, versions: Sequence[Version]) -> listing.ExperimentPage:
        source = f"{name}/index.md"
        path = self._config.docs_dir / source
        text = jsonio.text_of(jsonio.read_bytes(path), path) if path.is_file() else None
        rewrite = self._rewriter(source, f"{name}/index.html")
        return listing.experiment_page(name, versions, text, path, rewrite)

    def experiment_files(self, name: str, versions: Sequence[Version]) -> dict[str, bytes]:
        """The page of one experiment, and `latest`."""
        experiment = self._experiment(name, versions)
        path = f"{name}/index.html"
        latest = f"{name}/latest/index.html"
        target = f"{name}/{experiment.latest.where}/index.html"
        return {
            path: self._page("experiment.html", path, self._crumbs(name), experiment=experiment),
            latest: self._page("latest.html", latest, (), experiment=experiment, target=target),
        }

    # --- Prose ------------------------------------------------------------------------------------

    def _markdown_pages(self) -> dict[str, str]:
        """Markdown sources below docs_dir → pages; `guide/method.md` is `guide/method/`."""
        docs = self._config.docs_dir
        pages: dict[str, str] = {}
        for path in sorted(docs.rglob("*.md")):
            source = path.relative_to(docs).as_posix()
            parts = source.split("/")
            in_version = len(parts) > 2 and parts[0] in self.experiments
            if in_version or any(part.startswith((".", "_")) for part in parts):
                continue
            if self._is_built(path):
                continue
            stem = source.removesuffix(".md")
            is_index = posixpath.basename(stem) == "index"
            page = f"{stem}.html" if is_index else f"{stem}/index.html"
            if page in pages.values():
                raise InputError(f"{path}: {page} is another source's page already")
            pages[source] = page
        return pages

    def _is_built(self, path: Path) -> bool:
        """Does it lie in a site that pagecost wrote, this one or another?"""
        folders = (self._config.output, *(marker.parent for marker in self._markers))
        return any(path.resolve().is_relative_to(folder.resolve()) for folder in folders)

    def _guide(self) -> list[tuple[str, str]]:
        """(title, page) of the prose pages in the order of the navigation, others after."""
        listed = {
            self._pages[source]: title
            for title, source in self._config.nav
            if source in self._pages and source != _FRONT
        }
        for source, page in self._pages.items():
            name, _, rest = source.partition("/")
            if source != _FRONT and not (name in self.experiments and rest == _FRONT):
                listed.setdefault(page, posixpath.basename(source).removesuffix(".md").title())
        return [(title, page) for page, title in listed.items()]

    def prose_files(self) -> dict[str, bytes]:
        """The front page and the guide."""
        contents = {"index.html": self._front_page()}
        for source, path in self._pages.items():
            name, _, rest = source.partition("/")
            if source == _FRONT or (name in self.experiments and rest == _FRONT):
                continue
            title, body = self._prose(source, path)
            contents[path] = self._page(
                "page.html",
                path,
                [(self._config.site_name, "index.html"), (title, path)],
                title=title,
                description=f"{title}: {self._config.site_name} guide.",
                body=body.html,
                guide_pages=[{"text": text, "target": page} for text, page in self._guide()],
            )
        return contents

    def _prose(self, source: str, path: str) -> tuple[str, prose.Rendered]:
        file = self._config.docs_dir / source
        text = jsonio.text_of(jsonio.read_bytes(file), file)
        rendered = prose.render(text, self._rewriter(source, path))
        title = next((one.text for one in rendered.headings if one.level == 1), source)
        return title, rendered

    def _front_page(self) -> bytes:
        title, intro = self._config.site_name, prose.Rendered(Markup(), ())
        file = self._config.docs_dir / _FRONT
        if file.is_file():
            text = jsonio.text_of(jsonio.read_bytes(file), file)
            heading, _, rest = prose.without_front_matter(text).lstrip().partition("\n")
            if heading.startswith("# "):
                title, text = heading.removeprefix("# ").strip(), rest
            intro = prose.render(text, self._rewriter(_FRONT, "index.html"), top=2, prefix="about-")
        return self._page(
            "index.html",
            "index.html",
            [(self._config.site_name, "index.html")],
            title=title,
            description="Retrieval experiments in result pages, candidates and index searches, "
            "with what they don't measure.",
            intro=intro.html,
            experiments=[self._experiment(name, own) for name, own in self.experiments.items()],
        )

    def passed_on(self) -> dict[str, bytes]:
        """Images and PDFs below docs_dir, as they are."""
        return dict(self._images())

    def _images(self) -> Iterator[tuple[str, bytes]]:
        docs = self._config.docs_dir
        for path in sorted(docs.rglob("*")):
            name = path.relative_to(docs).as_posix()
            if (
                path.is_file()
                and path.suffix.lower() in _PASSED_ON
                and not any(part.startswith(".") for part in name.split("/"))
                and not self._is_built(path)
            ):
                if not path.resolve().is_relative_to(docs.resolve()):
                    raise InputError(f"{path}: leads out of {docs}, and would be published")
                yield name, path.read_bytes()


def summary_of(contents: Mapping[str, bytes]) -> str:
    """How many pages and bytes a site has, in words."""
    pages = sum(path.endswith(".html") for path in contents)
    size = sum(map(len, contents.values()))
    return f"{words.count(pages, 'page')}, {words.count(len(contents), 'file')}, {size:,} bytes"
