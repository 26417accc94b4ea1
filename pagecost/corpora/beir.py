"""Corpus kind `beir`: documents, queries and judgments in the layout of the BEIR benchmark.

Thakur et al., "BEIR: A Heterogenous Benchmark for Zero-shot Evaluation of Information Retrieval
Models" (2021). `corpus.jsonl` and `queries.jsonl` hold an object a line, `qrels/SPLIT.tsv` a
judgment a line; each plain or gzip.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from pagecost import qrels
from pagecost.corpora.judged import build
from pagecost.errors import InputError
from pagecost.jsonio import ids_hash
from pagecost.model import BeirCorpus, Corpus, Definitions, PinnedFile
from pagecost.pinned import Shelf, digest, lines, opened
from pagecost.qrels import text_id

_LONGEST = 64 << 20
"""Bytes of a line of documents: whole books are shorter."""


class _Entry(msgspec.Struct):
    """A line of either file. What else stands there (`metadata`) is not used."""

    id: str = msgspec.field(name="_id")
    text: str
    title: str | None = None


class BeirSource:
    """A collection's three files on this machine."""

    def __init__(self, corpus: BeirCorpus, definitions: Definitions, shelf: Shelf) -> None:
        self._corpus = corpus
        self._definitions = definitions
        self._shelf = shelf

    def fingerprint(self) -> str:
        corpus = self._corpus
        files = (corpus.documents, corpus.queries, corpus.qrels)
        return ids_hash(f"{digest(self._shelf.find(file))} {file.path}" for file in files)

    def load(self) -> Corpus:
        corpus, shelf = self._corpus, self._shelf
        documents, queries, judged = (
            shelf.verified(file) for file in (corpus.documents, corpus.queries, corpus.qrels)
        )
        titled = corpus.document_text == "title and text"
        return build(
            qrels.read(judged, "beir"),
            self._definitions,
            corpus.relevance_level,
            documents=((one.id, _text(one, titled=titled)) for one in entries(documents)),
            texts={one.id: one.text for one in entries(queries)},
            where=judged,
        )


def _text(entry: _Entry, *, titled: bool) -> str:
    return f"{entry.title} {entry.text}" if titled and entry.title else entry.text


def entries(path: Path) -> Iterator[_Entry]:
    """Each line's object. InputError names the line that is no such object, or repeats an id."""
    decoder = msgspec.json.Decoder(_Entry)
    seen: set[str] = set()
    with opened(path) as file:
        for number, line in lines(file, path, _LONGEST):
            place = f"{path}: line {number}"
            if not line.strip():
                continue
            try:
                entry = decoder.decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(f"{place}: {error}") from None
            if text_id(entry.id, place) in seen:
                raise InputError(f"{place}: id {entry.id!r} stands in a line above")
            seen.add(entry.id)
            yield entry


def found_in(folder: Path, split: str | None) -> tuple[BeirCorpus, dict[str, Path]]:
    """The collection in that folder, its files pinned, and where they lie by the pinned paths.

    Without `split` it is `test`, or the only one there is. InputError names what is missing.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no folder")
    splits = sorted({one.name.partition(".tsv")[0] for one in folder.glob("qrels/*.tsv*")})
    if split is None:
        split = splits[0] if len(splits) == 1 else "test"
    if split not in splits:
        known = ", ".join(splits) or "none"
        raise InputError(f"{folder / 'qrels'}: no judgments for {split!r}; found: {known}")
    files = {}
    for name in ("corpus.jsonl", "queries.jsonl", f"qrels/{split}.tsv"):
        packed = [folder / f"{name}{suffix}" for suffix in ("", ".gz")]
        path = next((one for one in packed if one.is_file()), None)
        if path is None:
            raise InputError(f"{folder}: no {name}, plain or .gz")
        files[path.relative_to(folder).as_posix()] = path
    documents, queries, judged = (
        PinnedFile(path=name, sha256=digest(path)) for name, path in files.items()
    )
    name = folder.resolve().name
    corpus = BeirCorpus(name=name, documents=documents, queries=queries, qrels=judged)
    return corpus, files
