"""What every page shares: its template, its place, and its links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pagecost.look import Look
from pagecost.project import Config
from pagecost.prose import relative

Crumbs = Sequence[tuple[str, str]]
"""(text, target) from the front page down."""


class Frame:
    """Renders pages by template; `guide` is the first page of the guide, if there is one."""

    def __init__(self, config: Config, look: Look, guide: str | None) -> None:
        self._config = config
        self._look = look
        self._guide = guide

    def page(self, template: str, path: str, crumbs: Crumbs, **data: Any) -> bytes:
        """The page at `path`, a path below the site's root."""
        made = self._look.render(
            template,
            site_name=self._config.site_name,
            repo_url=self._config.repo_url,
            canonical=self._canonical(path),
            guide=self._guide,
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

    def crumbs(self, experiment: str | None = None) -> list[tuple[str, str]]:
        """The front page, and below it an experiment's."""
        home = [(self._config.site_name, "index.html")]
        return home if experiment is None else [*home, (experiment, f"{experiment}/index.html")]
