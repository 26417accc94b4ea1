"""The pages that list versions: the front page, an experiment's, `latest`, and comparisons."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from pagecost import jsonio
from pagecost.charts.draw import Drawer
from pagecost.diff import sides
from pagecost.project import Config
from pagecost.report import diffpage, listing
from pagecost.report.figuredata import figure_script
from pagecost.report.listing import About, Comparison, ExperimentPage
from pagecost.site.docs import Docs
from pagecost.site.frame import Frame
from pagecost.versions import Version

Pair = tuple[Version, Version]


class Known(msgspec.Struct, frozen=True):
    """What stands on the site already, beside the versions that are written now.

    `others` are versions that are listed and compared, and whose folders stay as they are; `about`
    says what their experiments are called; `compared` are pages that compare two versions and are
    to stay, whether or not they would be made today; `pages` are all pages that are to stay.
    """

    others: Sequence[Version] = ()
    about: Mapping[str, About] = msgspec.field(default_factory=dict)
    compared: Collection[str] = ()
    pages: Mapping[str, bytes] = msgspec.field(default_factory=dict)


class Lists:
    """Turns all versions, by experiment, into the pages that list them."""

    def __init__(
        self, config: Config, frame: Frame, docs: Docs, drawer: Drawer, known: Known
    ) -> None:
        self._config = config
        self._frame = frame
        self._docs = docs
        self._drawer = drawer
        self._known = known

    def front(self, experiments: Mapping[str, Sequence[Version]]) -> dict[str, bytes]:
        """The front page."""
        title, intro = self._docs.front()
        return {
            "index.html": self._frame.page(
                "index.html",
                "index.html",
                self._frame.crumbs(),
                title=title,
                description="Retrieval experiments in result pages, candidates and index "
                "searches, with what they don't measure.",
                intro=intro,
                experiments=[self._experiment(name, own, ()) for name, own in experiments.items()],
            )
        }

    def _experiment(
        self, name: str, versions: Sequence[Version], compared: Sequence[Comparison]
    ) -> ExperimentPage:
        source = f"{name}/index.md"
        return listing.experiment_page(
            name,
            versions,
            self._docs.text(source),
            self._config.docs_dir / source,
            self._docs.rewriter(source, f"{name}/index.html"),
            known=self._known.about.get(name),
            compared=compared,
        )

    def experiment(
        self, name: str, versions: Sequence[Version], pairs: Iterable[Pair]
    ) -> dict[str, bytes]:
        """An experiment's page, its title and abstract as data, `latest`, and comparisons."""
        contents: dict[str, bytes] = {}
        compared: list[Comparison] = []
        for pair in pairs:
            files, said = self._compare(pair)
            contents |= files
            compared.append(said)
        experiment = self._experiment(name, versions, compared)
        path, latest = f"{name}/index.html", f"{name}/latest/index.html"
        target = f"{name}/{experiment.latest.where}/index.html"
        about = About(schema=1, title=experiment.title, abstract=experiment.abstract)
        return contents | {
            path: self._frame.page(
                "experiment.html", path, self._frame.crumbs(name), experiment=experiment
            ),
            latest: self._frame.page(
                "latest.html", latest, (), experiment=experiment, target=target
            ),
            f"{name}/experiment.json": jsonio.canonical(about),
        }

    def _compare(self, pair: Pair) -> tuple[dict[str, bytes], Comparison]:
        path = compare_path(pair)
        a, b = (sides.of_version(version) for version in pair)
        page = diffpage.compare_page(a, b, self._drawer)
        name = pair[0].plan.experiment
        files = {}
        if page.figure is not None:
            script = posixpath.join(posixpath.dirname(path), f"{page.figure.anchor}.js")
            files[script] = figure_script(page.figure)
        files[path] = self._frame.page(
            "compare.html",
            path,
            [*self._frame.crumbs(name), (f"compare {' → '.join(page.names)}", path)],
            page=page,
            reports=[f"{name}/{one.plan.version}/index.html" for one in pair],
            plans=[f"{name}/{one.plan.version}/plan.json" for one in pair],
            draft=page.is_draft,
            **diffpage.FUNCTIONS,
        )
        return files, Comparison(page.names, path, page.heading, page.notes)


def compare_path(pair: Pair) -> str:
    """Where the page that compares two versions of an experiment stands."""
    a, b = (one.plan for one in pair)
    return f"{a.experiment}/compare/{a.version}..{b.version}/index.html"


def pairs_of(versions: Sequence[Version]) -> list[Pair]:
    """Each version with its predecessor and with the newest, in order.

    The newest is the last that has a record, as long as one has: with another there is little to
    compare.
    """
    public = [one for one in versions if not one.plan.is_draft] or list(versions)
    newest = next((one for one in reversed(public) if one.record is not None), public[-1])
    found: dict[str, Pair] = {}
    for place, version in enumerate(versions):
        others = [(versions[place - 1], version)] if place else []
        if place < versions.index(newest) and not version.plan.is_draft:
            others.append((version, newest))
        for pair in others:
            found[compare_path(pair)] = pair
    return list(found.values())
