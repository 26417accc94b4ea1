"""What a draft must pin, as found in its raw data, written into it."""

from __future__ import annotations

from typing import Any

import msgspec

from pagecost.corpora import Source
from pagecost.corpora.distributions import pin
from pagecost.corpora.with_runs import WithRuns
from pagecost.model import Corpus, DistributionsCorpus, IrDatasetsCorpus, Plan, Run
from pagecost.policies import runs


def found(plan: Plan, source: Source, corpus: Corpus) -> dict[str, Any]:
    """What a plan must pin: its corpus's `pins`, its sources' hashes, and what its runs hold."""
    pins: dict[str, Any] = {}
    if isinstance(plan.corpus, DistributionsCorpus):
        pins["distributions"] = msgspec.to_builtins(pin(plan.corpus))
    if isinstance(plan.corpus, IrDatasetsCorpus):
        # Of the collection alone, without the runs that are held against it.
        inner = source.inner if isinstance(source, WithRuns) else source
        pins["sha256"] = inner.fingerprint()
    pins["pins"] = msgspec.to_builtins(corpus.counts)
    if several := runs(plan.policies):
        # The tie rule is part of what a run is: one file may be read under both.
        held = {(run.file.path, run.ties): corpus.runs[run].pins for run in several}
        pins["runs"] = [
            {"file": path, "ties": ties, "pins": msgspec.to_builtins(one)}
            for (path, ties), one in held.items()
        ]
    return pins


def written(draft: dict[str, Any], pins: dict[str, Any]) -> dict[str, Any]:
    """The draft with those pins in it."""
    corpus = draft["corpus"] | {key: value for key, value in pins.items() if key != "runs"}
    of_runs = {(run["file"], run["ties"]): run["pins"] for run in pins.get("runs", ())}
    return draft | {"corpus": corpus, "policies": _with_runs(draft["policies"], of_runs)}


def _with_runs(part: Any, of_runs: dict[tuple[str, str], Any]) -> Any:
    """The same with the pins of every run in it, wherever it is nested."""
    if isinstance(part, list):
        return [_with_runs(one, of_runs) for one in part]
    if not isinstance(part, dict):
        return part
    if part.get("kind") == "run":
        run = msgspec.convert(part, Run)  # a tie rule left out is the default
        return part | {"pins": of_runs[run.file.path, run.ties]}
    return {key: _with_runs(value, of_runs) for key, value in part.items()}
