"""What a branch holds: what pagecost published there, read and checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from pagecost import jsonio, manifest, versions
from pagecost.errors import CheckFailed, InputError, PagecostError
from pagecost.manifest import MARKER, Manifest
from pagecost.project import DOCUMENTS, PLAN, PROJECTION, RANKS, RESULTS, VersionFolder
from pagecost.publish import ledger
from pagecost.publish.branch import Branch, Tip
from pagecost.publish.ledger import LEDGER, Entry, Ledger
from pagecost.publish.merge import TEXT
from pagecost.report.listing import About
from pagecost.site.lists import Known
from pagecost.versions import Version

_FILES = (PLAN, PROJECTION, RESULTS, RANKS, DOCUMENTS)
_BACK = "Put the branch back with Git, or publish from a clone that has this version"


class Holdings:
    """The branch at one commit, or one that isn't there yet. `name` is for messages."""

    def __init__(self, where: Branch, tip: Tip | None, name: str) -> None:
        self._where = where
        self._name = name
        self.blobs = tip.blobs if tip else {}
        self.paths = {*self.blobs, *(tip.submodules if tip else ())}
        self.ledger = self._ledger()
        data = self.read(MARKER)
        self.marked: Manifest = {}
        if data is not None:
            self.marked = manifest.from_bytes(data, f"{name}: {MARKER}")

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None if it isn't there."""
        return self.read_all([path]).get(path)

    def read_all(self, paths: Collection[str]) -> dict[str, bytes]:
        """The bytes of those of these files that are there."""
        there = [path for path in paths if path in self.blobs]
        read = self._where.read(self.blobs[path] for path in there) if there else {}
        return {path: read[self.blobs[path]] for path in there}

    def _ledger(self) -> Ledger:
        data = self.read(LEDGER)
        if data is None:
            return Ledger(schema=1, versions=[])
        try:
            return ledger.from_json(data, f"{self._name}: {LEDGER}")
        except InputError as error:
            raise InputError(
                f"{error}. If it is not pagecost's, publish to a branch of its own with --branch"
            ) from None

    def owned(self, wanted: Collection[str], healed: tuple[str, ...]) -> Manifest:
        """What is pagecost's: listed in the manifest, and still the bytes that it wrote.

        Files `wanted` in a folder of `healed` are, too: there they are put right.
        """
        there = self.read_all(list(self.marked))
        return {
            path: digest
            for path, digest in self.marked.items()
            if (path in there and jsonio.sha256(there[path]) == digest)
            or (path in wanted and path.startswith(healed))
        }

    def check(self, restored: Mapping[str, Entry]) -> None:
        """CheckFailed where somebody dropped or altered on the branch what was published there.

        `restored` are versions that are published again now, which puts them right.
        """
        if problems := list(self._problems(restored)):
            raise CheckFailed("\n".join(f"{self._name}: {problem}" for problem in problems))

    def _problems(self, restored: Mapping[str, Entry]) -> Iterator[str]:
        for entry in self.ledger.versions:
            if entry.key not in restored:
                yield from self._damage(entry)
        for key in self._dropped(restored):
            yield f"{key}: published, but dropped from {LEDGER}. {_BACK}"

    def _dropped(self, restored: Mapping[str, Entry]) -> list[str]:
        """Versions that pagecost wrote, that are not listed, and that `restored` are not alike."""
        listed, found = self.ledger.by_key(), []
        for path, digest in self.marked.items():
            experiment, _, rest = path.partition("/")
            version, _, name = rest.partition("/")
            key = f"{experiment}@{version}"
            if name in (PLAN, RESULTS, RANKS) and key not in listed:
                again = restored.get(key)
                if again is None or dict(_digests(again))[name] != digest:
                    found.append(key)
        return list(dict.fromkeys(found))

    def _damage(self, entry: Entry) -> Iterator[str]:
        for name, expected in _digests(entry):
            data = self.read(f"{entry.experiment}/{entry.version}/{name}")
            if expected is not None and data is None:
                yield f"{entry.key}: {name} was published, and is gone. {_BACK}"
            elif expected is not None and data is not None and jsonio.sha256(data) != expected:
                yield f"{entry.key}: {name} is not the one that was published. {_BACK}"

    def completed(self, version: Version) -> Version:
        """The version with the list of its documents, where only the branch has it yet."""
        pins = version.plan.corpus.pins
        data = self.read(f"{version.plan.experiment}/{version.plan.version}/{DOCUMENTS}")
        if version.documents_txt is not None or data is None or pins is None:
            return version
        if jsonio.sha256(data) != pins.membership:
            return version
        return msgspec.structs.replace(version, documents_txt=data)

    def known(
        self, entries: Sequence[Entry], folder: Path, replaced: tuple[str, ...] = ()
    ) -> Known:
        """These versions, put in a folder and loaded, and what else is listed.

        `replaced` are folders of the branch of which nothing stays as it is.
        """
        names = sorted({entry.experiment for entry in entries})
        return Known(
            others=[self._version(entry, folder) for entry in entries],
            about={name: about for name in names if (about := self._about(name)) is not None},
            compared=[path for path in self.marked if path in self.blobs and "/compare/" in path],
            pages=self.read_all(
                [p for p in self.marked if p.endswith(".html") and not p.startswith(replaced)]
            ),
        )

    def _version(self, entry: Entry, folder: Path) -> Version:
        below = f"{entry.experiment}/{entry.version}"
        where = VersionFolder(entry.experiment, entry.version, folder / below)
        where.folder.mkdir(parents=True)
        for path, data in self.read_all([f"{below}/{name}" for name in _FILES]).items():
            (folder / path).write_bytes(data)
        try:
            return versions.load(where)
        except PagecostError as error:
            said = str(error).replace(f"{folder}/", "")
            raise InputError(
                f"{self._name}: {said}. A newer pagecost may have published it"
            ) from None

    def _about(self, experiment: str) -> About | None:
        path = f"{experiment}/experiment.json"
        data = self.read(path)
        return None if data is None else jsonio.decode(data, About, f"{self._name}: {path}")

    def texts(self, also: Collection[str]) -> dict[str, bytes]:
        """Files that may name an asset or be linked to, and some others."""
        return self.read_all([p for p in self.blobs if p.endswith(TEXT) or p in also])


def _digests(entry: Entry) -> Iterator[tuple[str, str | None]]:
    """The files that don't change once they are published, and what they were."""
    yield PLAN, entry.plan_sha256
    yield RESULTS, entry.results_sha256
    yield RANKS, entry.ranks_sha256
