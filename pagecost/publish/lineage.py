"""What of a clone's prose comes after what was published: Git's history of each file says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pagecost import jsonio
from pagecost.git import Repository
from pagecost.project import WRITEUP
from pagecost.versions import Version


class Lineage:
    """The prose of one clone: write-ups, and other sources, images too, below docs_dir."""

    def __init__(self, repository: Repository, docs: Path, sources: list[str]) -> None:
        self._repository = repository
        self._docs = docs
        # As Git holds it, whatever line ends the work tree has.
        self.prose: Mapping[str, str] = {
            source: jsonio.sha256(repository.committed(docs / source) or b"") for source in sources
        }
        self._history = cache(self._digests)

    def _digests(self, path: Path) -> frozenset[str]:
        commits = self._repository.commits(path)
        found = (self._repository.committed(path, commit) for commit in commits)
        return frozenset(jsonio.sha256(data) for data in found if data is not None)

    def knows(self, version: Version, digest: str) -> bool:
        """Did the write-up of a version ever have that sha256 here?"""
        return digest in self._history(version.where.file(WRITEUP))

    def refusals(self, published: Mapping[str, str], kept: tuple[str, ...]) -> Iterator[str]:
        """A sentence for each source that was published in a state that this clone never had.

        `kept` are folders that are not published from here.
        """
        for source, digest in self.prose.items():
            before = published.get(source, digest)
            if source.startswith(kept) or before == digest:
                continue
            if before not in self._history(self._docs / source):
                yield (
                    f"{self._docs / source}: published in a state that is not in this clone's "
                    f"history. {self.way_out()}, or publish to a branch of its own with --branch"
                )

    def way_out(self) -> str:
        """How to bring what was published into this clone's history."""
        if self._repository.is_shallow():
            return "This clone is shallow: fetch its history first (`git fetch --unshallow`)"
        return (
            "Bring both together first (`git pull`); where history was rewritten, commit the "
            "published state once more before yours"
        )
