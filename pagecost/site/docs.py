"""What people write below docs_dir: the front page's text, the guide, experiments, images."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from pathlib import Path
from urllib.parse import unquote

from markupsafe import Markup

from pagecost import jsonio, prose
from pagecost.errors import InputError
from pagecost.manifest import MARKER
from pagecost.project import PLAN, Config
from pagecost.prose import Rewrite, relative
from pagecost.site.frame import Frame

_PASSED_ON = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".pdf")
_FRONT = "index.md"


class Docs:
    """The Markdown sources of a site, the page that each becomes, and links between them."""

    def __init__(self, config: Config, shown: Collection[str]) -> None:
        """`shown` are the folders, EXPERIMENT/VERSION, of the versions that the site shows.

        What lies in the folder of another is a draft's, and no page: neither prose nor image.
        """
        self._config = config
        self._shown = shown
        docs = config.docs_dir
        self._versions = {
            path.parent.relative_to(docs).as_posix() for path in docs.glob(f"*/*/{PLAN}")
        }
        self._experiments = {one.partition("/")[0] for one in (*shown, *self._versions)}
        self._markers = list(config.docs_dir.rglob(MARKER))
        self._pages = self._markdown_pages()

    def rewriter(self, source: str, page: str) -> Rewrite:
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

    def text(self, source: str) -> str | None:
        """A Markdown source; None if there is none."""
        path = self._config.docs_dir / source
        return jsonio.text_of(jsonio.read_bytes(path), path) if path.is_file() else None

    def guide(self) -> list[tuple[str, str]]:
        """(title, page) of the prose pages in the order of the navigation, others after."""
        listed = {
            self._pages[source]: title
            for title, source in self._config.nav
            if source in self._pages and source != _FRONT
        }
        for source, page in self._pages.items():
            if self._is_prose(source):
                listed.setdefault(page, posixpath.basename(source).removesuffix(".md").title())
        return [(title, page) for page, title in listed.items()]

    def front(self) -> tuple[str, Markup]:
        """The front page's title and text."""
        title, text = self._config.site_name, self.text(_FRONT)
        if text is None:
            return title, Markup()
        heading, _, rest = prose.without_front_matter(text).lstrip().partition("\n")
        if heading.startswith("# "):
            title, text = heading.removeprefix("# ").strip(), rest
        rewrite = self.rewriter(_FRONT, "index.html")
        return title, prose.render(text, rewrite, top=2, prefix="about-").html

    def files(self, frame: Frame) -> dict[str, bytes]:
        """The pages of the guide, and images and PDFs as they are."""
        contents: dict[str, bytes] = dict(self._images())
        guide = [{"text": text, "target": page} for text, page in self.guide()]
        for source, path in self._pages.items():
            if not self._is_prose(source):
                continue
            rendered = prose.render(self.text(source) or "", self.rewriter(source, path))
            title = next((one.text for one in rendered.headings if one.level == 1), source)
            contents[path] = frame.page(
                "page.html",
                path,
                [*frame.crumbs(), (title, path)],
                title=title,
                description=f"{title}: {self._config.site_name} guide.",
                body=rendered.html,
                guide_pages=guide,
            )
        return contents

    def _is_prose(self, source: str) -> bool:
        """Is it a page of its own, not the text of the front page or of an experiment?"""
        name, _, rest = source.partition("/")
        return source != _FRONT and not (name in self._experiments and rest == _FRONT)

    def _markdown_pages(self) -> dict[str, str]:
        """Markdown sources below docs_dir → pages; `guide/method.md` is `guide/method/`."""
        docs = self._config.docs_dir
        pages: dict[str, str] = {}
        for path in sorted(docs.rglob("*.md")):
            source = path.relative_to(docs).as_posix()
            parts = source.split("/")
            in_version = len(parts) > 2 and parts[0] in self._experiments
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

    def _is_hidden(self, name: str) -> bool:
        """Does it belong to a version that the site does not show?"""
        folder = "/".join(name.split("/")[:2])
        return folder in self._versions and folder not in self._shown

    def sources(self) -> list[str]:
        """Every source that becomes a page, or part of one, or is passed on as it is."""
        shown = {one.partition("/")[0] for one in self._shown}
        of_experiments = (f"{name}/{_FRONT}" for name in sorted(shown))
        own = (source for source in self._pages if self._is_prose(source) or source == _FRONT)
        prose = [*own, *(one for one in of_experiments if (self._config.docs_dir / one).is_file())]
        return [*prose, *(name for name, _ in self._images())]

    def _is_built(self, path: Path) -> bool:
        """Does it lie in a site that pagecost wrote, this one or another?"""
        folders = (self._config.output, *(marker.parent for marker in self._markers))
        return any(path.resolve().is_relative_to(folder.resolve()) for folder in folders)

    def _images(self) -> Iterator[tuple[str, bytes]]:
        docs = self._config.docs_dir
        for path in sorted(docs.rglob("*")):
            name = path.relative_to(docs).as_posix()
            if (
                path.is_file()
                and path.suffix.lower() in _PASSED_ON
                and not any(part.startswith(".") for part in name.split("/"))
                and not self._is_hidden(name)
                and not self._is_built(path)
            ):
                if not path.resolve().is_relative_to(docs.resolve()):
                    raise InputError(f"{path}: leads out of {docs}, and would be published")
                yield name, path.read_bytes()
