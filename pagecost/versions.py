"""One version as it lies on disk: its plan, its record if it has one, its write-up."""

from __future__ import annotations

import msgspec

from pagecost import jsonio, ranks, results
from pagecost import plan as plans
from pagecost.errors import CheckFailed, InputError
from pagecost.model import ArchivesCorpus, Plan, RankTable, Results
from pagecost.project import DOCUMENTS, PLAN, RANKS, RESULTS, WRITEUP, VersionFolder

_WRITEUP_BYTES = 1 << 20


class Record(msgspec.Struct, frozen=True):
    """The two files that make a version's record, as bytes and as what they say."""

    results_json: bytes
    ranks_csv: bytes
    results: Results
    table: RankTable


class Version(msgspec.Struct, frozen=True):
    """A version, loaded and checked as far as its own files go. `digest` is its plan's.

    `documents_txt` lists the ids of its documents, one a line; records made before there was such
    a list have none.
    """

    where: VersionFolder
    plan: Plan
    plan_json: bytes
    digest: str
    record: Record | None
    documents_txt: bytes | None
    writeup: str | None

    @property
    def state(self) -> str:
        """`draft`, `frozen` (without a record), or `recorded`."""
        if self.record is not None:
            return "recorded"
        return "draft" if self.plan.is_draft else "frozen"

    @property
    def documents(self) -> frozenset[str] | None:
        """The ids of its documents; None where they are not listed."""
        return None if self.documents_txt is None else frozenset(ids_of(self.documents_txt))


def load(where: VersionFolder, *, half_record_is_none: bool = False) -> Version:
    """The version in that folder.

    InputError where a file is not what it must be, or there is half a record (unless that is to
    count as none); CheckFailed where the record is of another plan or its two files don't belong
    together.
    """
    path = where.file(PLAN)
    plan_json = jsonio.read_bytes(path)
    plan = plans.parse(plan_json, path)
    for field, name in (("experiment", where.experiment), ("version", where.version)):
        if (found := getattr(plan, field)) != name:
            raise InputError(f"{path}: $.{field}: {found!r}, but its folder says {name!r}")
    writeup = where.file(WRITEUP)
    text = None
    if writeup.exists():
        text = jsonio.text_of(jsonio.read_bytes(writeup, _WRITEUP_BYTES), writeup)
    _check_projection(where, plan)
    digest = jsonio.sha256(plan_json)
    return Version(
        where=where,
        plan=plan,
        plan_json=plan_json,
        digest=digest,
        record=_record(where, plan, digest, half_record_is_none),
        documents_txt=_documents(where, plan),
        writeup=text,
    )


def _check_projection(where: VersionFolder, plan: Plan) -> None:
    if not isinstance(plan.corpus, ArchivesCorpus):
        return
    path = where.file(plan.corpus.projection.path)
    if (found := jsonio.sha256(jsonio.read_bytes(path))) != plan.corpus.projection.sha256:
        raise InputError(f"{path}: sha256 {found}, the plan pins {plan.corpus.projection.sha256}")


def _record(where: VersionFolder, plan: Plan, digest: str, half_is_none: bool) -> Record | None:
    results_path, ranks_path = where.file(RESULTS), where.file(RANKS)
    present = [path for path in (results_path, ranks_path) if path.exists()]
    if present and plan.is_draft:
        raise CheckFailed(
            f"{present[0]}: a record, but the plan is a draft and may yet change; remove it, since "
            "a plan is frozen before there is one"
        )
    if not present or (len(present) == 1 and half_is_none):
        return None
    if len(present) == 1:
        missing = ranks_path if present[0] == results_path else results_path
        raise InputError(
            f"{missing}: missing, though {present[0].name} is there: half a record. Restore it, or "
            f"let `pagecost record {where.key}` complete it"
        )
    results_json = jsonio.read_bytes(results_path)
    record = results.from_json(results_json, results_path)
    if record.plan_sha256 != digest:
        raise CheckFailed(
            f"{where.file(PLAN)}: sha256 {digest}, but {results_path.name} was scored from a plan "
            f"with {record.plan_sha256}: a frozen plan has changed, or the record is another's"
        )
    ranks_csv = jsonio.read_bytes(ranks_path)
    table = ranks.from_csv(ranks_csv, ranks.layout(plan), ranks_path)
    try:
        results.check_queries(table, results.pinned(plan))
    except InputError as error:
        raise InputError(f"{ranks_path}: {error}") from None
    if (found := jsonio.sha256(ranks_csv)) != record.ranks_sha256:
        raise CheckFailed(
            f"{ranks_path}: sha256 {found}, but {results_path.name} says {record.ranks_sha256}"
        )
    return Record(results_json, ranks_csv, record, table)


def _documents(where: VersionFolder, plan: Plan) -> bytes | None:
    path = where.file(DOCUMENTS)
    if not path.exists():
        return None
    data = jsonio.read_bytes(path)
    check_documents(data, plan, path)
    return data


def check_documents(data: bytes, plan: Plan, where: object) -> None:
    """InputError unless these are the ids, one a line, that the plan's `membership` pins."""
    if plan.corpus.pins is None or jsonio.sha256(data) != plan.corpus.pins.membership:
        raise InputError(
            f"{where}: not the documents that the plan pins; `pagecost record {plan.key}` writes "
            "the file again once it is removed"
        )


def ids_of(data: bytes) -> list[str]:
    """The ids that a list of documents holds."""
    return data.decode("utf-8").split("\n")[:-1]
