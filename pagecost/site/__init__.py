"""Page records and templates → the files of the site, all of them, before any is written.

frame    what every page shares
docs     what people write below docs_dir
reports  the report of a version, and the files beside it
lists    the pages that list versions, and those that compare two
host     what a host, a feed reader and a crawler ask for by name
budget   how large what a reader loads may be
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from pagecost import jsonio, linkrules, links, plan
from pagecost.charts.draw import Drawer
from pagecost.errors import InputError
from pagecost.look import Look
from pagecost.model import Results
from pagecost.names import version_order
from pagecost.project import Config
from pagecost.report import words
from pagecost.report.page import replay_commands
from pagecost.site import budget, host
from pagecost.site.docs import Docs
from pagecost.site.frame import Frame
from pagecost.site.lists import Known, Lists, Pair, compare_path, pairs_of
from pagecost.site.reports import Reports
from pagecost.versions import Version


def render(
    config: Config,
    versions: Sequence[Version],
    drawer: Drawer,
    get_corpus: Callable[[Version], str],
    warn: Callable[[str], object] = lambda said: None,
) -> dict[str, bytes]:
    """Every file of the site by its path. InputError where a link or an anchor is broken.

    `warn` gets a sentence for whatever is doubtful about it.
    """
    contents = pages(config, versions, drawer, get_corpus)
    crawl = links.Crawl(contents, config.site_url)
    _refuse(crawl.problems())
    for said in (*linkrules.warnings(crawl), *budget.warnings(contents)):
        warn(said)
    return contents


def pages(
    config: Config,
    versions: Sequence[Version],
    drawer: Drawer,
    get_corpus: Callable[[Version], str],
    known: Known | None = None,
) -> dict[str, bytes]:
    """Every file of the site by its path, links not yet checked."""
    known = known or Known()
    experiments = _by_experiment(versions, known.others)
    own = {f"{one.plan.experiment}/{one.plan.version}" for one in versions}
    look, docs = Look(config.root, drawer), Docs(config, own)
    everything = [*versions, *known.others]
    feed = host.feed_of(config, everything)
    frame = Frame(config, look, next(iter(docs.guide()), ("", None))[1], feed)
    reports = Reports(config, frame, docs, drawer)
    lists = Lists(config, frame, docs, drawer, known)
    contents: dict[str, bytes] = lists.front(experiments)
    for name, several in experiments.items():
        before = {pair[1].where.key: pair for pair in itertools.pairwise(several)}
        for version in several:
            if f"{name}/{version.plan.version}" in own:
                pair = before.get(version.where.key)
                found = (pair[0].plan.version, compare_path(pair)) if pair else None
                commands = replay_commands(version, get_corpus(version))
                contents.update(reports.files(version, commands, found))
        if any(f"{name}/{one.plan.version}" in own for one in several):  # else nothing changed
            contents.update(lists.experiment(name, several, _pairs(several, known.compared)))
    written = docs.files(frame)
    if taken := sorted(written.keys() & contents.keys()):
        raise InputError(f"{config.docs_dir}: two sources would become {', '.join(taken)}")
    contents |= written
    contents["schema/plan-1.json"] = jsonio.canonical(plan.schema())
    contents["schema/results-1.json"] = jsonio.canonical(msgspec.json.schema(Results))
    contents |= host.files(config, frame, everything, contents, known.pages)
    contents.update(look.used)
    return dict(sorted(contents.items()))


def sources(config: Config, versions: Sequence[Version]) -> list[str]:
    """What a site of these versions is made of beside them: Markdown sources, and images."""
    return Docs(config, {f"{one.plan.experiment}/{one.plan.version}" for one in versions}).sources()


def check_links(
    contents: Mapping[str, bytes], checked: Collection[str], site_url: str | None = None
) -> None:
    """InputError where one of the files `checked` leads to what is not among the contents."""
    _refuse(links.problems(contents, checked, site_url))


def _refuse(problems: Iterable[str]) -> None:
    if broken := list(problems):
        raise InputError("\n".join(broken))


def _by_experiment(
    versions: Sequence[Version], others: Sequence[Version]
) -> dict[str, list[Version]]:
    """All of them in order, by experiment."""
    found: dict[str, list[Version]] = {}
    for version in (*versions, *others):
        found.setdefault(version.plan.experiment, []).append(version)
    return {
        name: sorted(found[name], key=lambda one: (version_order(one.plan.version), one.where.key))
        for name in sorted(found)
    }


def _pairs(versions: Sequence[Version], kept: Collection[str]) -> list[Pair]:
    """The comparisons of an experiment: those of today, and those that are to stay."""
    today = {compare_path(pair): pair for pair in pairs_of(versions)}
    for place, later in enumerate(versions):
        for earlier in versions[:place]:
            if (path := compare_path((earlier, later))) in kept:
                today.setdefault(path, (earlier, later))
    places = {version.where.key: place for place, version in enumerate(versions)}
    return sorted(today.values(), key=lambda pair: [places[one.where.key] for one in pair])


def summary_of(contents: Mapping[str, bytes]) -> str:
    """How many pages and bytes a site has, in words."""
    number = sum(path.endswith(".html") for path in contents)
    size = sum(map(len, contents.values()))
    return f"{words.count(number, 'page')}, {words.count(len(contents), 'file')}, {size:,} bytes"
