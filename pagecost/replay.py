"""Scoring again what was scored: from the corpus, or from the ranks alone. Byte for byte.

A replay that held may be remembered, under the digests of everything it depends on, so that an
unchanged build needn't repeat it. Only `build` uses that memory.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from functools import cache
from importlib.metadata import version as installed
from pathlib import Path

import msgspec

from pagecost import files, jsonio, ranks, results
from pagecost.corpora import check
from pagecost.errors import CheckFailed
from pagecost.model import Corpus, Plan
from pagecost.project import PLAN, RANKS, RESULTS
from pagecost.versions import Record, Version

Tick = Callable[[int, int], None]
"""Called with how many queries are ranked, and of how many."""


class Scored(msgspec.Struct, frozen=True):
    """What scoring a plan over its corpus gives: the bytes of the files of a record."""

    results_json: bytes
    ranks_csv: bytes
    documents_txt: bytes | None


def score(plan: Plan, digest: str, corpus: Corpus, tick: Tick | None = None) -> Scored:
    """Scores a plan over its corpus, from nothing but the two.

    InputError where the corpus is not the pinned one.
    """
    results.pinned(plan)
    check(corpus, plan, f"{plan.key}: {PLAN}")
    table = ranks.rank_all(plan, corpus, tick)
    ranks_csv = ranks.to_csv(table)
    ids = (document.id for document in corpus.documents)
    return Scored(
        results_json=results.to_json(results.score(plan, digest, table, ranks_csv)),
        ranks_csv=ranks_csv,
        documents_txt=jsonio.ids_bytes(ids) if corpus.is_complete else None,
    )


def from_source(version: Version, corpus: Corpus, tick: Tick | None = None) -> None:
    """CheckFailed unless ranking the corpus again gives the record's two files."""
    record = _record(version)
    again = score(version.plan, version.digest, corpus, tick)
    _compare(version, RANKS, record.ranks_csv, again.ranks_csv, "ranking the corpus again")
    _compare(version, RESULTS, record.results_json, again.results_json, "scoring it again")


def from_ranks(version: Version) -> None:
    """CheckFailed unless counting the ranks again gives `results.json`."""
    record = _record(version)
    again = results.score(version.plan, version.digest, record.table, record.ranks_csv)
    _compare(
        version, RESULTS, record.results_json, results.to_json(again), f"counting {RANKS} again"
    )


def _record(version: Version) -> Record:
    if version.record is None:
        raise CheckFailed(f"{version.where.key}: no record to replay")
    return version.record


def _compare(version: Version, name: str, kept: bytes, again: bytes, how: str) -> None:
    if kept == again:
        return
    ours, theirs = kept.split(b"\n"), again.split(b"\n")
    line = next(
        (i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )

    def shown(lines: list[bytes]) -> str:
        return lines[line].decode("utf-8", "replace")[:200] if line < len(lines) else "nothing"

    raise CheckFailed(
        f"{version.where.file(name)}: line {line + 1}: {shown(ours)!r}, but {how} gives "
        f"{shown(theirs)!r}: the record does not replay"
    )


# --- Memory ---------------------------------------------------------------------------------------

_SCORING_CODE = (
    "corpora/*.py", "model/*.py", "pinned.py", "qrels.py", "runs.py", "runlines.py", "text.py",
    "bm25.py", "ranking.py", "policies.py", "rankers.py", "cost.py",
    "ranks.py", "csvio.py", "results.py", "jsonio.py", "replay.py", "versions.py",
)  # fmt: skip


@cache
def scoring_code() -> str:
    """sha256 over the scoring code itself and the versions of what it runs on."""
    here = Path(__file__).parent
    sources = sorted(path for pattern in _SCORING_CODE for path in here.glob(pattern))
    lines = [
        f"{path.relative_to(here).as_posix()} {jsonio.sha256(path.read_bytes())}"
        for path in sources
    ]
    lines += [f"{name} {installed(name)}" for name in ("numpy", "msgspec", "rank-bm25")]
    lines.append(f"python {platform.python_version()}")
    return jsonio.sha256("\n".join(lines).encode("utf-8"))


class Memory:
    """Which replays held, by the digests of plan, corpus, record and scoring code."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "replays"

    def _path(self, version: Version, corpus: str) -> Path:
        record = _record(version)
        key = [version.digest, corpus, scoring_code()]
        key += [jsonio.sha256(record.results_json), jsonio.sha256(record.ranks_csv)]
        return self._folder / jsonio.sha256("\n".join(key).encode("ascii"))

    def holds(self, version: Version, corpus: str) -> bool:
        """Did exactly this replay hold before? `corpus` is a fingerprint, or `ranks`."""
        return self._path(version, corpus).is_file()

    def remember(self, version: Version, corpus: str) -> None:
        """Notes that it held."""
        files.write(self._path(version, corpus), f"{version.where.key}\n".encode())
