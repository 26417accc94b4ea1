"""What every page shares: its template, its place, and its links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from pagecost.links import ANYWHERE
from pagecost.look import Look
from pagecost.project import Config
from pagecost.prose import relative

Crumbs = Sequence[tuple[str, str]]
"""(text, target) from the front page down."""


class Frame:
    """Renders pages by template; `guide` is the first page of the guide, if there is one.

    `feed` is the path of the site's feed, if it has one.
    """

    def __init__(
        self, config: Config, look: Look, guide: str | None, feed: str | None = None
    ) -> None:
        self._config = config
        self._look = look
        self._guide = guide
        self._feed = feed

    def page(self, template: str, path: str, crumbs: Crumbs, **data: Any) -> bytes:
        """The page at `path`, a path below the site's root."""

        def url(target: str) -> str:
            if path == ANYWHERE:  # whatever the address is under which a host shows it
                return base_path(self._config.site_url) + _below(target)
            return relative(target, path)

        return self.text(
            template,
            repo_url=self._config.repo_url,
            canonical=None if path == ANYWHERE else self.address(path),
            guide=self._guide,
            feed=self._feed,
            crumbs=[{"text": text, "target": target} for text, target in crumbs],
            path=path,
            url=url,
            asset=lambda name: url(self._look.asset(name)),
            **data,
        )

    def text(self, template: str, **data: Any) -> bytes:
        """A file that need not be a page."""
        made = self._look.render(
            template, site_name=self._config.site_name, address=self.address, **data
        )
        return made.encode("utf-8")

    def address(self, path: str) -> str | None:
        """The whole address of a file of the site; None where the site's own is not known."""
        site_url = self._config.site_url
        return None if site_url is None else site_url + _below(path)

    def crumbs(self, experiment: str | None = None) -> list[tuple[str, str]]:
        """The front page, and below it an experiment's."""
        home = [(self._config.site_name, "index.html")]
        return home if experiment is None else [*home, (experiment, f"{experiment}/index.html")]


def base_path(site_url: str | None) -> str:
    """The path that a site's address has on its host, with a slash at both ends."""
    return quote(unquote(urlsplit(site_url or "/").path)) or "/"


def _below(path: str) -> str:
    """A path below the site's root as it stands in an address: a folder's page is the folder."""
    name, mark, fragment = path.partition("#")
    is_index = name == "index.html" or name.endswith("/index.html")
    return quote(name.removesuffix("index.html") if is_index else name, safe="/+") + mark + fragment
