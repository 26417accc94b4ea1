"""The stages in order: every version loaded, replayed, rendered, and put in place.

plan → corpus → ranking → cost → record → report → site
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from pagecost import files, freezing, history, replay, verify, versions
from pagecost.context import Context, corpus_command
from pagecost.errors import CorpusMissing
from pagecost.project import VersionFolder
from pagecost.versions import Version


def build(work: Context, output: Path | None) -> Path:
    """Loads and replays every version, renders the site, and puts it in place whole."""
    config = work.project.config
    target = output or config.output
    files.recover(target)
    loaded = [load_checked(work, where) for where in work.project.versions]
    how = {version.where.key: replayed(work, version) for version in loaded}
    # What draws and renders takes longest to load: other commands, and what is wrong, do without.
    from pagecost import site
    from pagecost.charts.draw import Drawer

    with work.console.progress("drawing", "figures") as tick:
        contents = site.render(
            msgspec.structs.replace(config, output=target),
            loaded,
            Drawer(work.cache, tick),
            lambda one: corpus_command(one.plan),
        )
    files.write_tree(target, contents, keep_out=(config.docs_dir, config.root, work.cache))
    for version in loaded:
        work.console.say(f"{version.where.key:<24} {how[version.where.key]}")
    if config.site_url is None:
        work.console.say("note: site_url is not set in mkdocs.yml, so pages have no canonical link")
    work.console.say(f"{site.summary_of(contents)} in {target}")
    return target


def load_checked(work: Context, where: VersionFolder) -> Version:
    """A version whose frozen plan is the one that Git holds. CheckFailed where it has changed."""
    version = versions.load(where)
    freezing.refuse_changed(where, version.plan, version.digest)
    if version.plan.is_draft:
        work.console.warn(f"{where.key}: a draft; it is in this site, which is not for publishing")
    elif freezing.frozen_in_git(where, version.digest) is False:
        work.console.warn(
            f"{where.key}: its plan says it is frozen, but it is not committed (`pagecost freeze`)"
        )
    return version


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
        found = source.load()
    except CorpusMissing as error:
        first, _, more = str(error).partition("\n")
        work.console.say(f"note: {version.where.key}: {first}")
        if more:
            work.console.detail(more)
        if not memory.holds(version, "ranks"):
            replay.from_ranks(version)
            memory.remember(version, "ranks")
        return "replayed from ranks; its corpus is not at hand"
    with work.console.progress(f"{version.where.key}: ranking", "queries") as tick:
        replay.from_source(version, found, tick)
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
