"""Publishing: fetch, merge, push, and again if somebody else was faster."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from pagecost import manifest
from pagecost.errors import CheckFailed, InputError
from pagecost.git import Repository
from pagecost.manifest import MARKER
from pagecost.publish import ledger
from pagecost.publish.branch import Branch, shown
from pagecost.publish.holdings import Holdings
from pagecost.publish.ledger import LEDGER, Entry, Fate
from pagecost.publish.lineage import Lineage
from pagecost.publish.merge import Merged, merge
from pagecost.site import check_links
from pagecost.site.lists import Known
from pagecost.versions import Version

_ATTEMPTS = 20
_PATIENCE = 3
"""How often a push may come second to nobody: whoever was faster may still be writing."""

Render = Callable[[Sequence[Version], Known], Mapping[str, bytes]]
"""Every file of a site: these versions in full, the known ones listed."""


class Outcome(msgspec.Struct, frozen=True):
    """What a publication did, or would do.

    `commit` is None on a dry run and where nothing differs. `attempts` counts how often it took
    until nobody else was faster.
    """

    fates: dict[str, Fate]
    written: list[str]
    removed: list[str]
    commit: str | None
    attempts: int


class _Change(msgspec.Struct, frozen=True):
    """What one attempt would do to the branch."""

    fates: dict[str, Fate]
    write: dict[str, bytes]
    remove: list[str]


def publish(
    repository: Repository,
    own: Sequence[Version],
    lineage: Lineage,
    render: Render,
    *,
    remote: str,
    branch: str,
    dry_run: bool,
    site_url: str | None = None,
) -> Outcome:
    """Brings `own` to the branch. CheckFailed where a published version would change.

    `site_url` is the address that the branch has as a site, where that is known.
    """
    where = Branch(repository, remote, branch)
    name = f"{branch} of {shown(remote)}"
    lost: list[str] = []
    seen: list[str | None] = []
    try:
        while len(lost) < _ATTEMPTS and not _is_stuck(seen):
            tip = where.fetch()
            seen.append(tip.commit if tip else None)
            change = _change(Holdings(where, tip, name), own, lineage, render, site_url)
            commit = None
            if not dry_run and (change.write or change.remove):
                message = _message(repository, change.fates)
                commit = where.commit(tip, change.write, change.remove, message)
            said = None if commit is None else where.push(commit)
            if said is None:
                attempts = len(lost) + 1
                return Outcome(change.fates, sorted(change.write), change.remove, commit, attempts)
            lost.append(said)
    finally:
        where.forget()
    raise InputError(f"{name}: can't be pushed, tried {len(lost)} times: {lost[-1]}")


def _is_stuck(seen: Sequence[str | None]) -> bool:
    """Did the branch stay as it was though somebody was said to be faster, again and again?"""
    return len(seen) > _PATIENCE and len(set(seen[-_PATIENCE - 1 :])) == 1


def _change(
    held: Holdings,
    own: Sequence[Version],
    lineage: Lineage,
    render: Render,
    site_url: str | None,
) -> _Change:
    before, knows = held.ledger, lineage.knows
    entries = before.by_key()
    fates = {one.where.key: ledger.fate(one, entries.get(one.where.key), knows) for one in own}
    behind = tuple(_folder(one) for one in own if fates[one.where.key] == "behind")
    problems = [*ledger.refusals(before, own, knows), *lineage.refusals(before.prose, behind)]
    if problems:
        raise CheckFailed("\n".join(problems))
    ours = [held.completed(one) for one in own if fates[one.where.key] != "behind"]
    prose = {path: sha for path, sha in lineage.prose.items() if not path.startswith(behind)}
    after = ledger.updated(before, ours, prose)
    keys = {one.where.key for one in ours}
    held.check({entry.key: entry for entry in after.versions if entry.key in keys})
    others = [entry for entry in before.versions if entry.key not in keys]
    folders = tuple(_folder(one) for one in ours if fates[one.where.key] != "same")
    with tempfile.TemporaryDirectory() as folder:
        rendered = render(ours, held.known(others, Path(folder), folders))
    _refuse_inside(rendered, others)
    site = {**rendered, LEDGER: ledger.to_json(after)}
    texts = held.texts(site.keys())
    healed = tuple(map(_folder, ours))
    merged = merge(held.paths, held.owned(site.keys(), healed), site, folders, texts)
    _check_links(held, site, texts, merged, site_url)
    write = {**merged.write, MARKER: manifest.to_bytes(merged.manifest)}
    there = held.read_all(write.keys())
    return _Change(
        fates, {p: data for p, data in write.items() if there.get(p) != data}, merged.remove
    )


def _folder(version: Version) -> str:
    return f"{version.plan.experiment}/{version.plan.version}/"


def _refuse_inside(rendered: Collection[str], others: Sequence[Entry]) -> None:
    """InputError where a page of ours would lie in the folder of a version that is kept."""
    for path in rendered:
        for entry in others:
            if path.startswith(f"{entry.experiment}/{entry.version}/"):
                raise InputError(f"{path}: a page of this project, where {entry.key} is published")


def _check_links(
    held: Holdings,
    site: Mapping[str, bytes],
    texts: Mapping[str, bytes],
    merged: Merged,
    site_url: str | None,
) -> None:
    """Every file that is written leads to what will be there."""
    kept = {path: texts.get(path, b"") for path in held.blobs if path not in merged.remove}
    check_links({**kept, **site}, site, site_url)


def _message(repository: Repository, fates: Mapping[str, Fate]) -> str:
    changed = {key: fate for key, fate in fates.items() if fate not in ("same", "behind")}
    what = next(iter(changed)) if len(changed) == 1 else f"{len(changed)} versions"
    listed = "".join(f"{key}: {fate}\n" for key, fate in changed.items())
    head = repository.run("rev-parse", "--short=12", "HEAD").stdout.strip()
    subject = f"Publish {what if changed else 'pages'}"
    return f"{subject}\n\n{listed}From {head}, by pagecost.\n"
