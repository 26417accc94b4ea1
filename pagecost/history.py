"""What Git's history proves: that a plan was frozen before its record, and that both stayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import msgspec

from pagecost import jsonio
from pagecost.git import Repository
from pagecost.project import PLAN, RANKS, RESULTS, VersionFolder

Outcome = Literal["ok", "failed", "not proven", "not provable"]
Proof = tuple[Outcome, str]
_VERSION_DEPTH = 3  # experiment/version/plan.json


class PlanCommit(msgspec.Struct, frozen=True):
    """A commit that changed a plan, and what the plan was then."""

    commit: str
    sha256: str
    frozen: bool

    @property
    def gone(self) -> bool:
        """Was the plan taken out then?"""
        return self.sha256 == jsonio.sha256(b"")

    @property
    def short(self) -> str:
        """The commit, as people write it."""
        return self.commit[:12]


def plan_commits(repository: Repository, path: Path) -> list[PlanCommit]:
    """The commits of a plan, oldest first. What doesn't parse was no frozen plan."""
    found = []
    for commit in repository.commits(path):
        data = repository.committed(path, commit) or b""  # empty where it was taken out
        found.append(PlanCommit(commit, jsonio.sha256(data), _says_frozen(data)))
    return found


def first_frozen(repository: Repository, path: Path) -> PlanCommit | None:
    """The commit that froze the plan: from then on its bytes are fixed."""
    return next((one for one in plan_commits(repository, path) if one.frozen), None)


def _says_frozen(data: bytes) -> bool:
    try:
        plan = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(plan, dict) and plan.get("status") == "frozen"


def proof(where: VersionFolder, digest: str) -> Proof:
    """Was the plan with that digest committed before its record, and is neither changed since?"""
    repository = Repository.around(where.folder)
    if repository is None:
        return "not provable", "outside Git: nothing says what came first"
    if repository.is_shallow():
        return "not provable", "a shallow clone: history is cut off"
    path = where.file(PLAN)
    commits = plan_commits(repository, path)
    frozen = [one for one in commits if one.frozen]
    if not frozen:
        return "not proven", f"{path}: says it is frozen, but is not committed so"
    if frozen[0].sha256 != digest:
        return "failed", f"{path}: not the plan that was frozen in {frozen[0].short}"
    for one in commits:
        after = any(repository.is_ancestor(other.commit, one.commit) for other in frozen)
        if one.sha256 != digest and (one.frozen or after):
            done = "taken out" if one.gone else "changed"
            return "failed", f"{path}: frozen in {frozen[0].short}, but {done} in {one.short}"
    return _record_proof(repository, where, frozen)


def draft_proof(where: VersionFolder) -> Proof | None:
    """What is wrong with a draft, as far as Git knows; None where nothing is.

    A draft was never frozen before, and never had a record.
    """
    repository = Repository.around(where.folder)
    if repository is None:
        return None
    frozen = first_frozen(repository, where.file(PLAN))
    if frozen is not None:
        return "failed", f"{where.file(PLAN)}: a draft, though it was frozen in {frozen.short}"
    for name in (RESULTS, RANKS):
        if commits := repository.commits(where.file(name)):
            return (
                "failed",
                f"{where.file(name)}: of a draft, though committed in {commits[0][:12]}",
            )
    return None


def missing_plans(docs: Path) -> list[Path]:
    """Plans of versions below `docs` that HEAD has and the work tree lacks."""
    repository = Repository.around(docs)
    if repository is None:
        return []
    listed = (path for path in repository.files(docs) if path.name == PLAN)
    found = (path for path in listed if len(path.relative_to(docs).parts) == _VERSION_DEPTH)
    return [path for path in found if not path.exists()]


def _record_proof(repository: Repository, where: VersionFolder, frozen: list[PlanCommit]) -> Proof:
    start = f"{PLAN}: committed in {frozen[0].short}"
    if not where.file(RESULTS).exists():
        if repository.commits(where.file(RESULTS)):
            return "failed", f"{where.file(RESULTS)}: was committed, and is gone"
        return "ok", f"{start}, no results yet"
    first: list[str] = []
    for name in (RESULTS, RANKS):
        path = where.file(name)
        commits = repository.commits(path)
        known = {repository.committed(path, commit) for commit in commits}
        if len(known) > 1 or (known and path.read_bytes() not in known):
            return "failed", f"{path}: a record does not change, but has since {commits[0][:12]}"
        first += commits[:1]
        # Branches may have come together: each commit of the record needs a freezing before it.
        for commit in commits:
            if not _follows(repository, frozen, commit):
                return _unproven(path, commit, frozen)
    if not first:
        return "ok", f"{start}, before {RESULTS}, which is not committed yet"
    return "ok", f"{start}, before {RESULTS} in {first[0][:12]}, and both unchanged since"


def _follows(repository: Repository, frozen: list[PlanCommit], commit: str) -> bool:
    return any(
        one.commit != commit and repository.is_ancestor(one.commit, commit) for one in frozen
    )


def _unproven(path: Path, commit: str, frozen: list[PlanCommit]) -> Proof:
    if commit in (one.commit for one in frozen):
        return (
            "not proven",
            f"{PLAN} and {path.name} came in one commit, {commit[:12]}, as after a squash",
        )
    return (
        "failed",
        f"{path.name} was committed in {commit[:12]}, which does not come after the plan's "
        f"{frozen[0].short}",
    )
