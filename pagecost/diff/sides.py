"""What is compared: a version of the project, a folder, a results.json, or REV:PATH from Git."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import msgspec

from pagecost import freezing, jsonio, ranks, results, versions
from pagecost import plan as plans
from pagecost.errors import CheckFailed, InputError
from pagecost.git import Repository
from pagecost.model import Plan, RankTable, Results
from pagecost.project import DOCUMENTS, PLAN, RANKS, RESULTS, Project, VersionFolder

_FILES = (PLAN, RESULTS, RANKS, DOCUMENTS)
"""What may be named in place of the folder that it lies in."""

Read = Callable[[str], bytes | None]
"""A file of a version's folder by its name; None if it isn't there."""


class Side(msgspec.Struct, frozen=True):
    """One side of a comparison, as `given` names it.

    `results` is None where there is no record, `table` where its ranks are not there, `documents`
    (their ids) where they are not listed.
    """

    given: str
    plan: Plan
    plan_sha256: str
    results: Results | None
    table: RankTable | None
    documents: frozenset[str] | None


def load(given: str, project: Callable[[], Project], here: Path) -> Side:
    """The side that `given` names, checked as far as its own files go.

    `project` is asked only for EXPERIMENT@VERSION. InputError says what is wrong with which file.
    """
    path = here / given
    said = os.fsencode(given).decode("utf-8", "backslashreplace")  # a path need not be text
    if path.is_dir():
        return in_folder(said, path)
    if path.exists():
        if path.name not in _FILES:
            raise InputError(f"{said}: expected a version's folder, or its {RESULTS}")
        return in_folder(said, path.parent)
    revision, colon, inside = given.partition(":")
    if colon and revision and inside:
        return _from_git(said, revision, inside, here)
    if "@" in given:
        return of_project(project().find(given))
    raise InputError(
        f"{said}: no such file or folder; expected EXPERIMENT@VERSION, a version's folder, its "
        "results.json, or REV:PATH"
    )


def of_project(where: VersionFolder) -> Side:
    """A version of the project, whose frozen plan must be the one that Git holds."""
    side = in_folder(where.key, where.folder)
    if side.plan.key != where.key:
        raise InputError(f"{where.file(PLAN)}: of {side.plan.key}, but its folder says {where.key}")
    try:
        freezing.refuse_changed(where, side.plan, side.plan_sha256)
    except CheckFailed as error:
        raise InputError(str(error)) from None  # it is no limit that did not hold
    return side


def of_version(version: versions.Version) -> Side:
    """A loaded version as a side."""
    record = version.record
    return Side(
        given=version.where.key,
        plan=version.plan,
        plan_sha256=version.digest,
        results=record.results if record else None,
        table=record.table if record else None,
        documents=version.documents,
    )


def at_revision(given: str, repository: Repository, revision: str, folder: str) -> Side | None:
    """A version's folder at a revision, its path below the work tree's top; None if not there."""
    if repository.show(revision, f"{folder}/{PLAN}") is None:
        return None
    return _side(given, lambda name: repository.show(revision, f"{folder}/{name}"))


def repository_with(revision: str, here: Path) -> Repository:
    """The work tree around `here`, which knows that revision; InputError where it doesn't."""
    repository = Repository.around(here)
    if repository is None:
        raise InputError(f"{revision}: {here} is not inside a Git work tree")
    if not repository.knows(revision):
        cut = " (this clone is shallow: its history is cut off)" if repository.is_shallow() else ""
        raise InputError(f"{revision}: Git knows no such revision here{cut}")
    return repository


def in_folder(given: str, folder: Path) -> Side:
    """The version in a folder on disk."""

    def read(name: str) -> bytes | None:
        path = folder / name
        if path.is_file():
            return jsonio.read_bytes(path)
        if path.is_symlink() or path.exists():
            raise InputError(f"{path}: is no file")
        return None

    return _side(given, read)


def _from_git(given: str, revision: str, inside: str, here: Path) -> Side:
    repository = repository_with(revision, here)
    place = PurePosixPath(inside)
    folder = place.parent if place.name in _FILES else place
    side = at_revision(given, repository, revision, str(folder))
    if side is None:
        raise InputError(f"{given}: no {PLAN} in {folder} at {revision}; paths begin at the top")
    return side


def _side(given: str, read: Read) -> Side:
    plan_json, results_json, ranks_csv = read(PLAN), read(RESULTS), read(RANKS)
    if plan_json is None:
        raise InputError(f"{given}: no {PLAN} there, which says what the figures mean")
    plan, digest = plans.parse(plan_json, f"{given}: {PLAN}"), jsonio.sha256(plan_json)
    found = table = None
    if results_json is not None:
        if plan.is_draft:
            raise InputError(f"{given}: {RESULTS}: a record, but the plan is a draft")
        found = results.from_json(results_json, f"{given}: {RESULTS}")
        if found.plan_sha256 != digest:
            raise InputError(f"{given}: {RESULTS} was scored from another plan than {PLAN}")
        if (wrong := _not_the_plans(plan, found)) is not None:
            raise InputError(f"{given}: {RESULTS} has {wrong} than {PLAN}")
        if ranks_csv is not None:
            table = _table(given, plan, found, ranks_csv)
    listed = read(DOCUMENTS)
    documents = None
    if listed is not None:
        versions.check_documents(listed, plan, f"{given}: {DOCUMENTS}")
        documents = frozenset(versions.ids_of(listed))
    return Side(given, plan, digest, found, table, documents)


def _not_the_plans(plan: Plan, found: Results) -> str | None:
    """What of these results is not what the plan says."""
    policies = [policy.name for policy in plan.policies]
    for same, what in (
        ((found.experiment, found.version) == (plan.experiment, plan.version), "another name"),
        (
            [one.name for one in found.policies] == policies
            and found.page_sizes == plan.page_sizes,
            "other policies or page sizes",
        ),
        (found.baseline == plan.baseline, "another baseline"),
        (found.corpus == plan.corpus.pins, "another corpus"),
    ):
        if not same:
            return what
    return None


def _table(given: str, plan: Plan, found: Results, ranks_csv: bytes) -> RankTable:
    """The ranks, which must be those that the results were counted from."""
    table = ranks.from_csv(ranks_csv, ranks.layout(plan), f"{given}: {RANKS}")
    try:
        again = results.score(plan, found.plan_sha256, table, ranks_csv)
    except InputError as error:
        raise InputError(f"{given}: {RANKS}: {error}") from None
    if again != found:
        raise InputError(f"{given}: counting {RANKS} again does not give {RESULTS}")
    return table
