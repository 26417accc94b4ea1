"""The stages in order: every version loaded, replayed, rendered, and put in place.

plan → corpus → ranking → cost → record → report → site
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pagecost import files, freezing, history, replay, verify, versions
from pagecost.context import Context, corpus_command
from pagecost.errors import CheckFailed, CorpusMissing, InputError
from pagecost.git import Repository
from pagecost.project import DOCUMENTS, RANKS, RESULTS, WRITEUP, VersionFolder
from pagecost.versions import Version

if TYPE_CHECKING:
    from pagecost.publish.run import Outcome
    from pagecost.site.lists import Known


def build(
    work: Context, output: Path | None, into: Path | None = None, *, drafts: bool = True
) -> Path:
    """Loads and replays every version, renders the site, and puts it in place whole.

    `into` is one folder of a site that another tool built, and is all of it that is touched.
    Without `drafts` it is what may be published.
    """
    config = work.project.config
    target = into or output or config.output
    if into is not None and not (around := into.absolute().parent).is_dir():
        raise InputError(f"{around}: no such folder; build the site around it first")
    keep_out = (config.docs_dir, config.root, work.cache)
    files.prepare(target, keep_out=keep_out)
    loaded = load_all(work, drafts=drafts)
    how = {version.where.key: replayed(work, version) for version in loaded}
    contents = rendered(work, loaded, target, work.console.warn)
    from pagecost import site
    from pagecost.site import budget, host

    if into is not None:  # a host looks for them at its root, which is not ours
        contents = {path: data for path, data in contents.items() if path not in host.AT_ROOT}
    files.write_tree(target, contents, keep_out=keep_out)
    for key, said in how.items():
        work.console.say(f"{key:<24} {said}")
    _say_what_needs_an_address(work)
    work.console.say(budget.summary(contents))
    work.console.say(f"{site.summary_of(contents)} in {target}")
    return target


def _say_what_needs_an_address(work: Context) -> None:
    if work.project.config.site_url is None:
        work.console.say(
            "note: site_url is not set in mkdocs.yml, so there is no feed, no sitemap, no "
            "canonical link and no address in previews and citations, and 404.html takes the site "
            "to be at the root of its host"
        )


def rendered(
    work: Context,
    loaded: Sequence[Version],
    output: Path,
    warn: Callable[[str], object] = lambda said: None,
) -> dict[str, bytes]:
    """Every file of the site. `output` is where it goes, so that it isn't taken for a source.

    `warn` gets a sentence for whatever is doubtful about it.
    """
    # What draws and renders takes longest to load: other commands, and what is wrong, do without.
    from pagecost import site
    from pagecost.charts.draw import Drawer

    config = msgspec.structs.replace(work.project.config, output=output)
    with work.console.progress("drawing", "figures") as tick:
        drawer = Drawer(work.cache, tick)
        return site.render(config, loaded, drawer, lambda one: corpus_command(one.plan), warn)


def publish(work: Context, remote: str, branch: str, *, dry_run: bool) -> Outcome:
    """Loads and replays every version, and brings those that aren't drafts to a Pages branch."""
    repository = Repository.around(work.project.config.root)
    if repository is None:
        raise InputError(f"{work.project.config.root}: not inside a Git work tree")
    public = load_all(work, drafts=False)
    for version in public:
        may_publish(work, repository, version)
        how = replayed(work, version)
        work.console.detail(f"{version.where.key:<24} {how}")
    from pagecost import site
    from pagecost.charts.draw import Drawer
    from pagecost.publish import run
    from pagecost.publish.lineage import Lineage

    config = work.project.config
    _say_what_needs_an_address(work)
    sources = site.sources(config, public)
    lineage = Lineage(repository, config.docs_dir, sources)
    for source in sources:
        _require_committed(repository, config.docs_dir / source)

    def render(ours: Sequence[Version], known: Known) -> Mapping[str, bytes]:
        with work.console.progress("drawing", "figures") as tick:
            drawer = Drawer(work.cache, tick)
            return site.pages(config, ours, drawer, lambda one: corpus_command(one.plan), known)

    return run.publish(
        repository,
        public,
        lineage,
        render,
        remote=remote,
        branch=branch,
        dry_run=dry_run,
        site_url=config.site_url,
    )


def may_publish(work: Context, repository: Repository, version: Version) -> None:
    """CheckFailed where what would be published is not what Git holds, or Git disproves it."""
    if freezing.frozen_in_git(version.where, version.digest) is not True:
        raise CheckFailed(
            f"{version.where.key}: its plan is not committed; `pagecost freeze` does that"
        )
    for name in (RESULTS, RANKS, DOCUMENTS, WRITEUP):
        if (path := version.where.file(name)).exists():
            _require_committed(repository, path)
    outcome, said = history.proof(version.where, version.digest)
    if outcome == "failed":
        raise CheckFailed(said)
    if outcome != "ok":
        work.console.say(f"note: {version.where.key}: {said}")


def _require_committed(repository: Repository, path: Path) -> None:
    if not repository.is_clean(path):
        raise CheckFailed(f"{path}: not committed; commit what is published first")


def load_all(work: Context, *, drafts: bool) -> list[Version]:
    """Every version of the project, drafts only if they are asked for.

    CheckFailed where a plan was frozen in Git and is another now.
    """
    found = []
    for where in work.project.versions:
        version = versions.load(where)
        freezing.refuse_changed(where, version.plan, version.digest)
        if version.plan.is_draft and not drafts:
            work.console.say(f"note: {where.key}: a draft, and left out")
            continue
        if version.plan.is_draft:
            work.console.warn(
                f"{where.key}: a draft; it is in this site, which is not for publishing"
            )
        elif freezing.frozen_in_git(where, version.digest) is False:
            work.console.warn(
                f"{where.key}: its plan says it is frozen, but it is not committed "
                "(`pagecost freeze`)"
            )
        found.append(version)
    return found


def replayed(work: Context, version: Version) -> str:
    """Replays a record, from its corpus if that is at hand, else from its ranks; says how it went.

    CheckFailed where it does not hold. What held before for the same bytes is not repeated.
    """
    if version.record is None:
        return f"no record: {version.state} plan"
    memory = replay.Memory(work.cache)
    source = work.source(version)
    try:
        corpus = source.fingerprint()
        if memory.holds(version, corpus):
            return "replayed from source before, nothing changed since"
        with work.console.progress(f"{version.where.key}: reading", "lines of runs") as tick:
            found = work.source(version, tick=tick).load()
    except CorpusMissing as error:
        first, _, more = str(error).partition("\n")
        work.console.say(f"note: {version.where.key}: {first}")
        if more:
            work.console.detail(more)
        if not memory.holds(version, "ranks"):
            replay.from_ranks(version)
            memory.remember(version, "ranks")
        return "replayed from ranks; its corpus is not at hand"
    with work.console.progress(f"{version.where.key}: ranking", "queries") as ranked:
        replay.from_source(version, found, ranked)
    memory.remember(version, corpus)
    return "replayed from source"


def verify_all(
    work: Context, selected: tuple[VersionFolder, ...], *, strict: bool
) -> Iterator[verify.Check]:
    """Every check of every version, as it is made."""
    if selected == work.project.versions:
        for path in history.missing_plans(work.project.config.docs_dir):
            key = f"{path.parent.parent.name}@{path.parent.name}"
            yield verify.Check(key, "files", "failed", f"{path}: committed, but missing")
    for where in selected:
        with work.console.progress(f"{where.key}: ranking", "queries") as tick:
            yield from verify.verify(where, lambda one: work.source(one, strict=strict), tick)
