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
    """The prose of one clone: write-ups, and other Markdown sources by path below docs_dir."""

    def __init__(self, repository: Repository, docs: Path, sources: list[str]) -> None:
        self._repository = repository
        self._docs = docs
        self.prose: Mapping[str, str] = {
            source: jsonio.sha256((docs / source).read_bytes()) for source in sources
        }
        self._history = cache(self._digests)

    def _digests(self, path: Path) -> frozenset[str]:
        commits = self._repository.commits(path)
        found = (self._repository.committed(path, commit) for commit in commits)
        return frozenset(jsonio.sha256(data) for data in found if data is not None)

    def knows(self, version: Version, digest: str) -> bool:
        """Did the write-up of a version ever have that sha256 here?"""
        return digest in self._history(version.where.file(WRITEUP))

    def refusals(self, published: Mapping[str, str]) -> Iterator[str]:
        """A sentence for each source of which a text was published that this clone never had."""
        for source, digest in self.prose.items():
            before = published.get(source, digest)
            if before != digest and before not in self._history(self._docs / source):
                yield (
                    f"{self._docs / source}: another text of it was published, which is not in "
                    "this clone's history. Bring both together first (`git pull`), or publish to a "
                    "branch of its own with --branch"
                )
