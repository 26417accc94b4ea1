"""Publishing: fetch, merge, push, and again if somebody else was faster."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from pagecost import manifest
from pagecost.errors import CheckFailed, InputError
from pagecost.git import Repository
from pagecost.manifest import MARKER
from pagecost.publish import ledger
from pagecost.publish.branch import Branch
from pagecost.publish.holdings import Holdings, Known
from pagecost.publish.ledger import LEDGER, Fate
from pagecost.publish.merge import Merged, merge
from pagecost.site import check_links
from pagecost.versions import Version

_ATTEMPTS = 20

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
    render: Render,
    *,
    remote: str,
    branch: str,
    dry_run: bool,
) -> Outcome:
    """Brings `own` to the branch. CheckFailed where a published version would change."""
    where = Branch(repository, remote, branch)
    try:
        for attempt in range(1, _ATTEMPTS + 1):
            tip = where.fetch()
            change = _change(Holdings(where, tip, f"{branch} of {remote}"), own, render)
            commit = None
            if not dry_run and (change.write or change.remove):
                message = _message(repository, change.fates)
                commit = where.commit(tip, change.write, change.remove, message)
            if commit is None or where.push(commit):
                return Outcome(change.fates, sorted(change.write), change.remove, commit, attempt)
    finally:
        where.forget()
    raise InputError(f"{remote}: others were faster {_ATTEMPTS} times; try again")


def _change(held: Holdings, own: Sequence[Version], render: Render) -> _Change:
    if problems := list(ledger.refusals(held.ledger, own)):
        raise CheckFailed("\n".join(problems))
    entries = held.ledger.by_key()
    fates = {one.where.key: ledger.fate(one, entries.get(one.where.key)) for one in own}
    ours = [one for one in own if fates[one.where.key] != "behind"]
    keys = {one.where.key for one in ours}
    held.check(keys)
    with tempfile.TemporaryDirectory() as folder:
        others = [entry for entry in held.ledger.versions if entry.key not in keys]
        site = dict(render(ours, held.known(others, Path(folder))))
    site[LEDGER] = ledger.to_json(ledger.updated(held.ledger, ours))
    texts = held.texts(site.keys())
    folders = [f"{one.plan.experiment}/{one.plan.version}/" for one in ours]
    merged = merge(held.blobs.keys(), held.marked, site, folders, texts)
    _check_links(held, site, texts, merged)
    write = {**merged.write, MARKER: manifest.to_bytes(merged.manifest)}
    there = held.read_all(write.keys())
    return _Change(
        fates, {p: data for p, data in write.items() if there.get(p) != data}, merged.remove
    )


def _check_links(
    held: Holdings, site: Mapping[str, bytes], texts: Mapping[str, bytes], merged: Merged
) -> None:
    """Every page that is written leads to what will be there."""
    kept = {path: texts.get(path, b"") for path in held.blobs if path not in merged.remove}
    check_links({**kept, **site}, site)


def _message(repository: Repository, fates: Mapping[str, Fate]) -> str:
    changed = {key: fate for key, fate in fates.items() if fate not in ("same", "behind")}
    what = next(iter(changed)) if len(changed) == 1 else f"{len(changed)} versions"
    listed = "".join(f"{key}: {fate}\n" for key, fate in changed.items())
    head = repository.run("rev-parse", "--short=12", "HEAD").stdout.strip()
    subject = f"Publish {what if changed else 'pages'}"
    return f"{subject}\n\n{listed}From {head}, by pagecost.\n"
