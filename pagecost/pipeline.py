"""The stages in order. Each function here is a command's table of contents.

plan → corpus → ranking → cost → record → report → site
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from pagecost import export, fetch, files, freezing, jsonio, replay, verify, versions
from pagecost.console import Console
from pagecost.corpora import Source, distributions, source_of
from pagecost.corpora.archives import ArchivesSource, archive_path
from pagecost.corpora.build import check_pins
from pagecost.errors import CheckFailed, CorpusMissing, InputError
from pagecost.model import ArchivesCorpus, Corpus, DistributionsCorpus, Plan
from pagecost.project import PLAN, RANKS, RESULTS, Project, VersionFolder
from pagecost.versions import Version


class Workplace(msgspec.Struct, frozen=True):
    """What every command works with: the project, the cache, and where to say things."""

    project: Project
    cache: Path
    console: Console

    def source(self, version: Version, *, strict: bool = False) -> Source:
        """The raw data of a version, as this machine has it."""
        return source_of(version.plan, version.where.folder, self.cache, strict=strict)


def corpus_of(work: Workplace, version: Version) -> Corpus:
    """Reads a version's corpus, ranking nothing. CorpusMissing says how to get it."""
    try:
        corpus = work.source(version).load()
    except CorpusMissing as error:
        raise _how_to_get(version, error) from None
    for note in corpus.notes:
        work.console.say(f"note: {note}")
    return corpus


def _how_to_get(version: Version, error: CorpusMissing) -> CorpusMissing:
    if not isinstance(version.plan.corpus, ArchivesCorpus):
        return error
    return CorpusMissing(
        f"{error}. Get it with `pagecost fetch {version.where.key}`, or from ZIPs that you have "
        f"with `pagecost fetch {version.where.key} --from DIR`"
    )


# --- score, record, freeze ------------------------------------------------------------------------


def score(work: Workplace, key: str) -> replay.Scored:
    """Scores a version that may be scored, from its corpus alone."""
    version = versions.load(work.project.find(key), half_record_is_none=True)
    note = freezing.may_score(version.where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    return _score(work, version)


def record(work: Workplace, key: str, *, dry_run: bool) -> list[Path]:
    """Scores a frozen plan and writes its record; returns what was, or would be, written.

    CheckFailed where another record is there. Half a record is none, and is completed.
    """
    where = work.project.find(key)
    version = versions.load(where, half_record_is_none=True)
    note = freezing.require_frozen(where, version.plan, version.digest)
    if note:
        work.console.say(f"note: {note}")
    scored = _score(work, version)
    results_path, ranks_path = where.file(RESULTS), where.file(RANKS)
    if version.record is not None:
        kept = (version.record.results_json, version.record.ranks_csv)
        if kept != (scored.results_json, scored.ranks_csv):
            raise _another_record(results_path, key)
        work.console.say(f"{key}: recorded already, and the same to the byte")
        return []
    had = [path for path in (ranks_path, results_path) if path.exists()]
    for path, data in ((ranks_path, scored.ranks_csv), (results_path, scored.results_json)):
        if path in had and path.read_bytes() != data:
            raise _another_record(path, key)
    if not dry_run:
        # Ranks first: results.json names their digest, and is what makes the record complete.
        files.write(ranks_path, scored.ranks_csv)
        try:
            files.write(results_path, scored.results_json)
        except BaseException:
            if ranks_path not in had:
                ranks_path.unlink(missing_ok=True)
            raise
    return [ranks_path, results_path]


def _another_record(path: Path, key: str) -> CheckFailed:
    return CheckFailed(
        f"{path}: scoring gives another record, and a record never changes; see "
        f"`pagecost verify {key}`, or make a new version"
    )


def _score(work: Workplace, version: Version) -> replay.Scored:
    work.console.detail(f"{version.where.key}: reading the corpus")
    corpus = corpus_of(work, version)
    counts = corpus.counts
    work.console.detail(f"{counts.documents:,} documents, {counts.queries:,} queries")
    with work.console.progress("ranking", "queries") as tick:
        return replay.score(version.plan, version.digest, corpus, tick)


def freeze(work: Workplace, key: str, *, dry_run: bool) -> tuple[str, str | None]:
    """Checks a draft against its corpus, then freezes it: (digest, commit or None)."""
    version = versions.load(work.project.find(key))
    corpus = corpus_of(work, version)
    if version.plan.corpus.pins is not None:
        check_pins(corpus.counts, version.plan.corpus.pins, version.where.key)
    return freezing.freeze(version.where, dry_run=dry_run)


# --- fetch ----------------------------------------------------------------------------------------


def fetch_sources(
    work: Workplace, key: str, folder: Path | None, base: str = fetch.GITHUB
) -> list[fetch.Fetched]:
    """Brings a version's archives into the cache and checks them; those that are not needed stay.

    Returns what was brought. What was verified is remembered under the digests that were checked.
    """
    version = versions.load(work.project.find(key))
    corpus = version.plan.corpus
    if not isinstance(corpus, ArchivesCorpus):
        raise InputError(
            f"{key}: its corpus is installed, not fetched: {corpus_command(version.plan)}"
        )
    fetched: list[fetch.Fetched] = []
    try:
        if folder is not None:
            fetched += fetch.from_folder(corpus.archives, folder, work.cache)
        else:
            fetched += _download_missing(work, corpus, base)
        if not fetched and _was_verified(work, version):
            return []
        _check_fetched(work, version, corpus, fetched)
        for one in fetched:
            one.keep(work.cache)
    finally:
        for one in fetched:
            one.drop()
    files.write(_verified(work, version), f"{key}\n".encode())
    return fetched


def _download_missing(work: Workplace, corpus: ArchivesCorpus, base: str) -> list[fetch.Fetched]:
    """Downloads what the cache doesn't have. Where one fails, those before it are kept."""
    fetched: list[fetch.Fetched] = []
    try:
        for archive in fetch.missing(corpus.archives, work.cache):
            with work.console.progress(archive.repository, "bytes") as progress:
                fetched.append(fetch.download(archive, work.cache, base, progress))
    except BaseException:
        for one in fetched:
            one.keep(work.cache)
        raise
    return fetched


def _check_fetched(
    work: Workplace, version: Version, corpus: ArchivesCorpus, fetched: list[fetch.Fetched]
) -> None:
    """InputError unless the archives, those that wait too, hold what the plan pins."""
    waiting = {one.archive.repository: one.waiting for one in fetched}
    source = ArchivesSource(corpus, version.where.folder, work.cache, strict=False, waiting=waiting)
    try:
        found = source.load()
    except InputError as error:
        kept = [one for one in corpus.archives if one.repository not in waiting]
        broken = fetch.forget_broken(kept, work.cache)
        if not broken and not kept:
            raise
        if not broken:
            where = archive_path(work.cache, kept[0]).parent
            raise InputError(
                f"{error}\nWhere an archive in {where} is what is wrong, remove it and fetch again"
            ) from None
        names = ", ".join(one.repository for one in broken)
        raise InputError(
            f"{error}\nThe cached archive of {names} is broken and was removed; fetch again"
        ) from None
    if corpus.pins is not None:
        check_pins(found.counts, corpus.pins, version.where.file(PLAN))
    else:
        work.console.say("note: the plan pins no corpus yet, so queries were checked by nothing")
    for note in found.notes:
        work.console.say(f"note: {note}")


def corpus_command(plan: Plan) -> str:
    """How to install a corpus of distributions."""
    if isinstance(plan.corpus, ArchivesCorpus):
        return f"pagecost fetch {plan.key}"
    pinned = (f'"{one.name}=={one.version}"' for one in plan.corpus.distributions)
    return f"pip install {' '.join(pinned)}"


def _verified(work: Workplace, version: Version) -> Path:
    """Where it is noted that exactly these archives hold what this corpus pins."""
    corpus = jsonio.sha256(jsonio.canonical(version.plan.corpus))
    checked = (work.source(version).fingerprint(), corpus, replay.scoring_code())
    return work.cache / "verified" / jsonio.sha256("\n".join(checked).encode("ascii"))


def _was_verified(work: Workplace, version: Version) -> bool:
    try:
        return _verified(work, version).is_file()
    except InputError:  # an archive that can't be read
        return False


# --- verify ---------------------------------------------------------------------------------------


def verify_all(
    work: Workplace, selected: tuple[VersionFolder, ...], *, strict: bool
) -> Iterator[verify.Check]:
    """Every check of every version, as it is made."""
    source: Callable[[Version], Source] = lambda version: work.source(version, strict=strict)  # noqa: E731
    for where in selected:
        with work.console.progress(f"{where.key}: ranking", "queries") as tick:
            yield from verify.verify(where, source, tick)


# --- corpus, export -------------------------------------------------------------------------------


def corpus_pins(work: Workplace, key: str) -> object:
    """What a plan must pin, as found now: its `pins`, and its distributions' hashes."""
    version = versions.load(work.project.find(key))
    found: dict[str, object] = {}
    if isinstance(version.plan.corpus, DistributionsCorpus):
        found["distributions"] = distributions.pin(version.plan.corpus)
    found["pins"] = corpus_of(work, version).counts
    return found


def export_record(work: Workplace, key: str, kind: str) -> bytes:
    """A version's record in another format."""
    version = versions.load(work.project.find(key))
    if version.record is None:
        raise InputError(f"{key}: no record to export; the plan is {version.state}")
    replay.from_ranks(version)
    return export.FORMATS[kind](version.plan, version.record.results)


# --- build ----------------------------------------------------------------------------------------


def build(work: Workplace, output: Path | None) -> Path:
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


def load_checked(work: Workplace, where: VersionFolder) -> Version:
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


def replayed(work: Workplace, version: Version) -> str:
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
