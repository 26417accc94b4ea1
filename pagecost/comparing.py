"""Comparing versions, holding one against limits, and gates against records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from pagecost import freezing, gates, replay, versions
from pagecost.context import Context
from pagecost.diff import engine, limits, sides
from pagecost.diff.limits import LimitResult
from pagecost.diff.records import Diff
from pagecost.diff.sides import Side
from pagecost.diff.since import Arrival, Changed, Since
from pagecost.errors import CheckFailed, InputError, PagecostError
from pagecost.gates import Decision, GateResult
from pagecost.git import Repository
from pagecost.project import PLAN, Project
from pagecost.report import words
from pagecost.versions import Version


class Compared(msgspec.Struct, frozen=True):
    """Two sides, their comparison, and what became of its limits."""

    a: Side
    b: Side
    diff: Diff
    limits: list[LimitResult]


def compare(
    given_a: str,
    given_b: str,
    project: Callable[[], Project],
    here: Path,
    fail_on: Sequence[str] = (),
) -> Compared:
    """Two sides as a command names them. InputError says what is wrong with which."""
    wanted = [limits.parse(text) for text in fail_on]
    a, b = (sides.load(given, project, here) for given in (given_a, given_b))
    diff = engine.compare(a, b)
    return Compared(a, b, diff, [limits.check(one, diff) for one in wanted])


def since(project: Project, revision: str, fail_on: Sequence[str] = ()) -> Since:
    """Every version that differs from what it was at a revision, and every new one."""
    wanted = [limits.parse(text) for text in fail_on]
    docs = project.config.docs_dir
    repository = sides.repository_with(revision, docs)
    place = docs.resolve().relative_to(repository.top.resolve())
    changed: list[Changed] = []
    new: list[Arrival] = []
    before: dict[str, Side] = {}

    def held(diff: Diff | None) -> list[LimitResult]:
        return [limits.check(one, diff) for one in wanted] if diff else []

    for where in project.versions:
        now = sides.of_project(where)
        folder = (place / where.experiment / where.version).as_posix()
        then = _then(repository, revision, folder)
        if then is None or (then.results is None and now.results is not None):
            older = before.get(where.experiment)
            diff = engine.compare(older, now) if older else None
            plan = now.plan
            said = words.standing(plan, now.results)
            became = gates.evaluate(plan, now.results)
            new.append(Arrival(where.key, plan.kind, said, plan.caveat, became, diff, held(diff)))
        elif not (diff := engine.compare(then, now)).identical:
            changed.append(Changed(diff, held(diff)))
        before[where.experiment] = now
    known = {where.key for where in project.versions}
    plans = (name.split("/") for name in repository.names(revision, place.as_posix()))
    then_known = [f"{p[0]}@{p[1]}" for p in plans if len(p) == 3 and p[2] == PLAN]
    return Since(revision, changed, new, [key for key in then_known if key not in known])


def _then(repository: Repository, revision: str, folder: str) -> Side | None:
    """A version as it was; None where it was not there, or was a draft that did not load yet."""
    try:
        return sides.at_revision(f"{revision}:{folder}", repository, revision, folder)
    except InputError:
        return None


# --- Gates ----------------------------------------------------------------------------------------


class Checked(msgspec.Struct, frozen=True):
    """The gates of one version."""

    version: str
    gates: list[GateResult]


def check(work: Context, selection: str | None) -> Iterator[Checked]:
    """The gates of every version that has some, each held against its record.

    A draft's are looked at only where it is asked for: it has no number, and is never published.
    """
    for where in work.project.select(selection):
        version = versions.load(where)
        freezing.refuse_changed(where, version.plan, version.digest)
        if not version.plan.gates:
            continue
        if version.plan.is_draft and selection is None:
            work.console.say(f"note: {where.key}: a draft; its gates are not looked at")
            continue
        yield Checked(where.key, _evaluated(version))


def _evaluated(version: Version) -> list[GateResult]:
    record = version.record
    if record is not None:
        try:
            replay.from_ranks(version)
        except CheckFailed as error:
            undecided = gates.evaluate(version.plan, None)
            return [msgspec.structs.replace(one, why=str(error)) for one in undecided]
    return gates.evaluate(version.plan, record.results if record else None)


def status(decisions: Sequence[Decision]) -> int:
    """The exit status: 1 where one does not hold, else 2 where one can't be decided, else 0."""
    if "not held" in decisions:
        return CheckFailed.status
    return PagecostError.status if "not decided" in decisions else 0
