"""`versions.json`: every version that was published, by digest, and what may not happen to one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from pagecost import jsonio
from pagecost.model.base import Sha256, Slug, Strict
from pagecost.names import version_order
from pagecost.versions import Version

LEDGER = "versions.json"

Fate = Literal["new", "record added", "write-up changed", "same", "behind"]
"""What publishing does to a version. `behind`: the branch has a later state; it is kept."""


class Entry(Strict, frozen=True, kw_only=True):
    """One published version. `writeups` are the sha256 of its write-ups, in order, newest last."""

    experiment: Slug
    version: Slug
    kind: str
    date: str
    title: str
    plan_sha256: Sha256
    results_sha256: Sha256 | None = None
    ranks_sha256: Sha256 | None = None
    writeups: list[Sha256] = msgspec.field(default_factory=list)

    @property
    def key(self) -> str:
        """How commands name it."""
        return f"{self.experiment}@{self.version}"


class Ledger(Strict, frozen=True, kw_only=True):
    """The format of `versions.json`."""

    schema: Literal[1]
    versions: list[Entry]

    def by_key(self) -> dict[str, Entry]:
        """The entries by EXPERIMENT@VERSION."""
        return {entry.key: entry for entry in self.versions}


def from_json(data: bytes, where: object) -> Ledger:
    """The ledger in those bytes; InputError names the JSON path that is wrong."""
    return jsonio.decode(data, Ledger, where)


def to_json(ledger: Ledger) -> bytes:
    """The canonical bytes."""
    return jsonio.canonical(ledger)


def entry_of(version: Version, before: Entry | None) -> Entry:
    """A version as it is listed once it is published."""
    plan, record = version.plan, version.record
    writeups = list(before.writeups) if before else []
    if (digest := writeup_digest(version)) is not None and digest not in writeups[-1:]:
        writeups.append(digest)
    return Entry(
        experiment=plan.experiment,
        version=plan.version,
        kind=plan.kind,
        date=plan.date,
        title=plan.title,
        plan_sha256=version.digest,
        results_sha256=jsonio.sha256(record.results_json) if record else None,
        ranks_sha256=jsonio.sha256(record.ranks_csv) if record else None,
        writeups=writeups,
    )


def writeup_digest(version: Version) -> str | None:
    """The sha256 of a write-up; None where there is none."""
    return None if version.writeup is None else jsonio.sha256(version.writeup.encode("utf-8"))


def updated(ledger: Ledger | None, published: Sequence[Version]) -> Ledger:
    """The ledger once these versions are published too."""
    entries = ledger.by_key() if ledger else {}
    for version in published:
        entries[version.where.key] = entry_of(version, entries.get(version.where.key))
    listed = sorted(
        entries.values(), key=lambda one: (one.experiment, version_order(one.version), one.version)
    )
    return Ledger(schema=1, versions=listed)


# --- What may not happen --------------------------------------------------------------------------


def fate(version: Version, before: Entry | None) -> Fate:
    """What publishing would do to a version that `refusals` has nothing against."""
    if before is None:
        return "new"
    ahead, behind = list(_ahead(version, before)), _is_behind(version, before)
    if behind:
        return "behind"
    return ahead[0] if ahead else "same"


def _ahead(version: Version, before: Entry) -> Iterator[Fate]:
    if version.record is not None and before.results_sha256 is None:
        yield "record added"
    digest = writeup_digest(version)
    if digest is not None and digest not in before.writeups:
        yield "write-up changed"


def _is_behind(version: Version, before: Entry) -> bool:
    """Was more of it published from elsewhere: its record, or a later write-up?"""
    if version.record is None and before.results_sha256 is not None:
        return True
    digest = writeup_digest(version)
    return bool(before.writeups) and (digest is None or digest in before.writeups[:-1])


def refusals(ledger: Ledger, own: Sequence[Version]) -> Iterator[str]:
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
            if _is_behind(version, before) and any(_ahead(version, before)):
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
