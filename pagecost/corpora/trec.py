"""Corpus kind `trec`: relevance judgments alone. What is ranked comes from runs."""

from __future__ import annotations

import re
from pathlib import Path

from pagecost import qrels
from pagecost.corpora.judged import build
from pagecost.errors import InputError
from pagecost.jsonio import ids_hash
from pagecost.model import Corpus, Definitions, TrecCorpus
from pagecost.pinned import Shelf, digest, opened

_TOP = re.compile(rb"<top>", re.IGNORECASE)
_NUMBER = re.compile(rb"<num>\s*(?:Number\s*:?)?([^<\n]*)", re.IGNORECASE)
_MOST = 64 << 20


class TrecSource:
    """Judgments, and topics where a plan names them, as files on this machine."""

    def __init__(self, corpus: TrecCorpus, definitions: Definitions, shelf: Shelf) -> None:
        self._corpus = corpus
        self._definitions = definitions
        self._shelf = shelf

    def fingerprint(self) -> str:
        files = [self._corpus.qrels, *([self._corpus.topics] if self._corpus.topics else [])]
        return ids_hash(f"{digest(self._shelf.find(file))} {file.path}" for file in files)

    def load(self) -> Corpus:
        path = self._shelf.verified(self._corpus.qrels)
        asked = None
        if self._corpus.topics is not None:
            asked = topics(self._shelf.verified(self._corpus.topics))
        return build(
            qrels.read(path, "trec"),
            self._definitions,
            self._corpus.relevance_level,
            asked=asked,
            where=path,
        )


def topics(path: Path) -> frozenset[str]:
    """The ids of the topics in a file: TREC's own layout (`<num> Number: 303`), or one a line.

    In the second a line begins with the id, white space after it. InputError where an id stands
    twice, or there is none.
    """
    with opened(path) as file:
        data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise InputError(f"{path}: larger than {_MOST:,} bytes")
    data = data.removeprefix(b"\xef\xbb\xbf")
    _, *tops = _TOP.split(data)
    if tops:
        numbers = (_NUMBER.search(top) for top in tops)
        found = [b"" if number is None else number[1].strip() for number in numbers]
    else:
        found = [line.split(None, 1)[0] for line in data.splitlines() if line.strip()]
    ids = [qrels.text_id(one, f"{path}: topic {place}") for place, one in enumerate(found, start=1)]
    if not ids:
        raise InputError(f"{path}: no topic")
    if len(set(ids)) != len(ids):
        twice = next(one for place, one in enumerate(ids) if one in ids[:place])
        raise InputError(f"{path}: topic {twice!r} stands twice")
    return frozenset(ids)
