"""What each field of a plan means, as Markdown, from the same source as its JSON Schema."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any

import msgspec

from pagecost.model import (
    Archive,
    ArchivesCorpus,
    BeirCorpus,
    Bm25,
    CorpusPins,
    Deferred,
    Definitions,
    Distribution,
    DistributionsCorpus,
    Gate,
    Interleave,
    IrDatasetsCorpus,
    JudgmentPins,
    Model,
    Plan,
    Policy,
    Run,
    RunPins,
    TrecCorpus,
)

_SHOWN: tuple[type[msgspec.Struct], ...] = (
    Plan, Definitions, Gate, Policy, Bm25, Interleave, Deferred, Model, Run, RunPins,
    DistributionsCorpus, Distribution, ArchivesCorpus, Archive,
    BeirCorpus, TrecCorpus, IrDatasetsCorpus, CorpusPins, JudgmentPins,
)  # fmt: skip


def notes() -> str:
    """What each field of a plan means, as Markdown, from the same source as the JSON Schema."""
    return "\n".join(_notes()) + "\n"


def _notes() -> Iterator[str]:
    yield "# The plan, field by field"
    yield ""
    yield "`plan.json` says everything that is decided before a number is known. Edit it, look at"
    yield "the draft with `pagecost build`, let `pagecost corpus EXPERIMENT@VERSION` print what it"
    yield "must pin, then freeze it with `pagecost freeze` and score it with `pagecost record`."
    yield "Unknown fields are refused. This file is for you; it is not published."
    for record in _SHOWN:
        tag = record.__struct_config__.tag
        yield ""
        kind = f'`"kind": "{tag}"`: ' if tag else ""
        yield f"## {record.__name__}"
        yield ""
        yield f"{kind}{(record.__doc__ or '').strip().splitlines()[0]}"
        yield ""
        hints = typing.get_type_hints(record, include_extras=True)
        for field in msgspec.structs.fields(record):
            optional = "" if field.required else ", optional"
            said = _description(hints[field.name])
            yield f"- `{field.encode_name}`{optional}{': ' + said if said else ''}"


def _description(hint: Any) -> str:
    """The description in the annotation's Meta, wherever it is nested."""
    for meta in getattr(hint, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta) and meta.description:
            return meta.description
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return next((said for one in typing.get_args(hint) if (said := _description(one))), "")
    return ""
