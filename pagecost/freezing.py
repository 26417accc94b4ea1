"""The life of a version: draft, frozen, recorded. What Git knows, and what it can prove."""

from __future__ import annotations

import re
from pathlib import Path

from pagecost import files, jsonio
from pagecost import plan as plans
from pagecost.errors import CheckFailed, InputError
from pagecost.git import Repository
from pagecost.history import first_frozen
from pagecost.model import ArchivesCorpus, Plan
from pagecost.pinned import files_of
from pagecost.project import PLAN, PROJECTION, RESULTS, VersionFolder

_STATUS = re.compile(rb'("status"\s*:\s*)"draft"')


def refuse_changed(version: VersionFolder, plan: Plan, digest: str) -> None:
    """CheckFailed where a plan of this version was ever frozen in Git and the file is another."""
    repository = Repository.around(version.folder)
    if repository is None:
        return
    frozen = first_frozen(repository, version.file(PLAN))
    if frozen is not None and frozen.sha256 != digest:
        raise CheckFailed(
            f"{version.file(PLAN)}: the plan was frozen with sha256 {frozen.sha256} and now has "
            f"{digest}. A frozen plan does not change: restore it (`git checkout {frozen.short} "
            f"-- {PLAN}` in its folder), or make a new version "
            f"(`pagecost new {plan.experiment}@NEXT --like {plan.key}`)"
        )


def frozen_in_git(version: VersionFolder, digest: str) -> bool | None:
    """Is exactly this plan committed? None where there is no Git to ask."""
    repository = Repository.around(version.folder)
    if repository is None:
        return None
    committed = repository.committed(version.file(PLAN))
    return committed is not None and jsonio.sha256(committed) == digest


def require_frozen(version: VersionFolder, plan: Plan, digest: str) -> str | None:
    """CheckFailed unless the plan is frozen. A note where there is no Git that could prove it."""
    freeze = f"freeze it first: `pagecost freeze {plan.key}`"
    if plan.is_draft:
        raise CheckFailed(f"{version.file(PLAN)}: the plan is a draft; {freeze}")
    refuse_changed(version, plan, digest)
    state = frozen_in_git(version, digest)
    if state is None:
        return f"{plan.key}: outside Git, so nothing can prove that the plan was frozen first"
    if not state:
        raise CheckFailed(
            f"{version.file(PLAN)}: says it is frozen, but is not committed. Set its status back "
            f'to "draft" and {freeze}'
        )
    return None


def may_score(version: VersionFolder, plan: Plan, digest: str) -> str | None:
    """CheckFailed where this plan must not be scored yet. A note as in `require_frozen`.

    Only an exploration may be scored as a draft: of anything else no number may exist before the
    plan is frozen.
    """
    if plan.kind == "exploration" and plan.is_draft:
        refuse_changed(version, plan, digest)
        return f"{plan.key}: a draft; this score is of a plan that may still change"
    return require_frozen(version, plan, digest)


def frozen_bytes(data: bytes, where: Path) -> bytes:
    """The plan's file with its status turned to frozen and every other byte kept."""
    if b"\r" in data:
        raise InputError(f"{where}: lines end in CRLF, expected LF; Git may store other bytes")
    found = _STATUS.findall(data)
    if len(found) != 1:
        raise InputError(f'{where}: write "status": "draft" once, so that freezing can turn it')
    return _STATUS.sub(rb'\1"frozen"', data)


def freeze(version: VersionFolder, *, dry_run: bool = False) -> tuple[str, str | None]:
    """Turns a complete draft into a frozen plan and commits it (and its projection) alone.

    Returns the frozen plan's digest and the commit (None on a dry run). The plan's file is put
    back as it was if the commit fails. InputError outside Git; CheckFailed if it is frozen already
    or has results.
    """
    path = version.file(PLAN)
    data = jsonio.read_bytes(path)
    plan = plans.parse(data, path)
    refuse_changed(version, plan, jsonio.sha256(data))
    if not plan.is_draft:
        raise CheckFailed(f"{path}: the plan is frozen already, sha256 {jsonio.sha256(data)}")
    if version.file(RESULTS).exists():
        raise CheckFailed(f"{version.file(RESULTS)}: results exist already; a plan is frozen first")
    frozen = frozen_bytes(data, path)
    plans.parse(frozen, path)
    repository = Repository.around(version.folder)
    if repository is None:
        raise InputError(f"{version.folder}: not inside a Git work tree, which is what freezes it")
    paths = [path]
    if isinstance(plan.corpus, ArchivesCorpus):
        paths.append(version.file(PROJECTION))
    for one in paths:
        if repository.is_ignored(one):
            raise InputError(f"{one}: ignored by Git, so it can't be frozen")
    for file in files_of(plan):
        one = version.file(file.path)
        committed = repository.committed(one)
        if committed is not None and jsonio.sha256(committed) != file.sha256:
            raise InputError(
                f"{one}: Git holds other bytes than the plan pins; commit it as it is, with "
                "`-text` in .gitattributes if its line ends were changed"
            )
    digest = jsonio.sha256(frozen)
    if dry_run:
        return digest, None
    files.write(path, frozen)
    try:
        commit = repository.commit_alone(
            paths, f"Freeze the plan of {plan.key}\n\nplan.json sha256 {digest}"
        )
    except BaseException:
        files.write(path, data)
        raise
    return digest, commit
