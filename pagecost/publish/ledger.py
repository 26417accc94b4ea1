"""`versions.json`: every version that was published, by digest, and what may not happen to one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from pagecost import jsonio
from pagecost.model.base import Sha256, Slug, Strict
from pagecost.names import version_order
from pagecost.project import WRITEUP
from pagecost.versions import Version

LEDGER = "versions.json"

Fate = Literal["new", "record added", "write-up changed", "same", "behind"]
"""What publishing does to a version. `behind`: the branch has a later state; it is kept."""


class Entry(Strict, frozen=True, kw_only=True):
    """One published version, by the sha256 of its files."""

    experiment: Slug
    version: Slug
    kind: str
    date: str
    title: str
    plan_sha256: Sha256
    results_sha256: Sha256 | None = None
    ranks_sha256: Sha256 | None = None
    writeup_sha256: Sha256 | None = None

    @property
    def key(self) -> str:
        """How commands name it."""
        return f"{self.experiment}@{self.version}"


class Ledger(Strict, frozen=True, kw_only=True):
    """The format of `versions.json`.

    `prose` are the sha256 of the sources of everything else: Markdown, and images as they are.
    """

    schema: Literal[1]
    versions: list[Entry]
    prose: dict[str, Sha256] = msgspec.field(default_factory=dict)

    def by_key(self) -> dict[str, Entry]:
        """The entries by EXPERIMENT@VERSION."""
        return {entry.key: entry for entry in self.versions}


def from_json(data: bytes, where: object) -> Ledger:
    """The ledger in those bytes; InputError names the JSON path that is wrong."""
    return jsonio.decode(data, Ledger, where)


def to_json(ledger: Ledger) -> bytes:
    """The canonical bytes."""
    return jsonio.canonical(ledger)


def entry_of(version: Version) -> Entry:
    """A version as it is listed once it is published."""
    plan, record = version.plan, version.record
    return Entry(
        experiment=plan.experiment,
        version=plan.version,
        kind=plan.kind,
        date=plan.date,
        title=plan.title,
        plan_sha256=version.digest,
        results_sha256=jsonio.sha256(record.results_json) if record else None,
        ranks_sha256=jsonio.sha256(record.ranks_csv) if record else None,
        writeup_sha256=writeup_digest(version),
    )


def writeup_digest(version: Version) -> str | None:
    """The sha256 of a write-up; None where there is none."""
    if version.writeup is None:
        return None
    return jsonio.sha256(jsonio.read_bytes(version.where.file(WRITEUP)))


def updated(
    ledger: Ledger | None, published: Sequence[Version], prose: Mapping[str, str]
) -> Ledger:
    """The ledger once these versions and this prose are published too."""
    entries = ledger.by_key() if ledger else {}
    for version in published:
        entries[version.where.key] = entry_of(version)
    listed = sorted(
        entries.values(), key=lambda one: (one.experiment, version_order(one.version), one.version)
    )
    before = ledger.prose if ledger else {}
    return Ledger(schema=1, versions=listed, prose=dict(sorted({**before, **prose}.items())))


# --- What may not happen --------------------------------------------------------------------------


Knows = Callable[[Version, str], bool]
"""Did the write-up of a version ever have that sha256 in this clone's history?"""


def fate(version: Version, before: Entry | None, knows: Knows) -> Fate:
    """What publishing would do to a version that `refusals` has nothing against."""
    if before is None:
        return "new"
    if _is_behind(version, before, knows):
        return "behind"
    return next(_ahead(version, before, knows), "same")


def _ahead(version: Version, before: Entry, knows: Knows) -> Iterator[Fate]:
    if version.record is not None and before.results_sha256 is None:
        yield "record added"
    digest = writeup_digest(version)
    if digest != before.writeup_sha256 and _follows(version, before, knows):
        yield "write-up changed"


def _is_behind(version: Version, before: Entry, knows: Knows) -> bool:
    """Was more of it published from elsewhere: its record, or another write-up?"""
    if version.record is None and before.results_sha256 is not None:
        return True
    digest = writeup_digest(version)
    if digest == before.writeup_sha256 or before.writeup_sha256 is None:
        return False
    return not _follows(version, before, knows)


def _follows(version: Version, before: Entry, knows: Knows) -> bool:
    """Does our write-up come after the published one?"""
    return before.writeup_sha256 is None or knows(version, before.writeup_sha256)


def refusals(ledger: Ledger, own: Sequence[Version], knows: Knows) -> Iterator[str]:
    """A sentence for each own version that would alter or rename a published one."""
    known = ledger.by_key()
    lower = {key.lower(): key for key in known}
    experiments = {entry.experiment.lower(): entry.experiment for entry in ledger.versions}
    for version in own:
        key, plan = version.where.key, version.plan
        named = experiments.get(plan.experiment.lower(), plan.experiment)
        other = lower.get(key.lower(), key)
        if named != plan.experiment or other != key:
            taken = other if other != key else named
            yield (
                f"{key}: published as {taken!r}, which differs only by case. A published version "
                "keeps its address: rename it back here"
            )
        elif key in known:
            before = known[key]
            yield from _altered(version, before)
            if _is_behind(version, before, knows) and any(_ahead(version, before, knows)):
                yield (
                    f"{key}: more of it was published from elsewhere, and more of it is here: "
                    "bring both together first (`git pull`)"
                )


def _altered(version: Version, before: Entry) -> Iterator[str]:
    record, key = version.record, version.where.key
    found: Mapping[str, tuple[str | None, str | None]] = {
        "plan.json": (before.plan_sha256, version.digest),
        "results.json": (
            before.results_sha256,
            jsonio.sha256(record.results_json) if record else before.results_sha256,
        ),
        "ranks.csv": (
            before.ranks_sha256,
            jsonio.sha256(record.ranks_csv) if record else before.ranks_sha256,
        ),
    }
    for name, (published, ours) in found.items():
        if published is not None and ours != published:
            yield (
                f"{key}: {name} was published with sha256 {published} and now has {ours}. A "
                "published version does not change: restore the file from Git, and publish the "
                f"change as a version of its own (`pagecost new {version.plan.experiment}@NEXT "
                f"--like {key}`)"
            )
