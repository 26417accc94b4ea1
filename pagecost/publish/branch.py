"""A branch in Git: fetched, read, committed and pushed, without touching anybody's work tree."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from pagecost.errors import InputError
from pagecost.git import Repository

_LOST = re.compile(
    r"\[rejected\]|cannot lock ref|failed to update ref|reference already exists"
    r"|incorrect old value|failed to lock",
)
"""What Git says of a push that came second."""


def shown(remote: str) -> str:
    """An address as it may be shown: without the name and password that it may hold."""
    return re.sub(r"(?<=://)[^/\s]*@", "", remote)


class Tip(NamedTuple):
    """A commit of the branch, the blob of every file in it by path, and where others' are bound."""

    commit: str
    blobs: Mapping[str, str]
    submodules: Collection[str] = ()


class Branch:
    """`name` of `remote`, as seen from a clone."""

    def __init__(self, repository: Repository, remote: str, name: str) -> None:
        """InputError where `name` is no branch's."""
        checked = repository.run("check-ref-format", "--branch", name)
        if checked.returncode != 0 or checked.stdout.strip() != name or name == "HEAD":
            raise InputError(f"--branch {name!r}: no name that Git allows for a branch")
        self._git = repository
        self._remote = remote
        self._shown = shown(remote)
        self._name = name
        self._own = f"refs/pagecost/publish-{os.getpid()}"

    def fetch(self) -> Tip | None:
        """What the remote has now; None if it has no such branch. InputError with Git's words."""
        ref = f"refs/heads/{self._name}"
        listed = self._git.run("ls-remote", "--heads", "--", self._remote, ref)
        if listed.returncode != 0:
            raise InputError(
                f"{self._shown}: can't be read: {shown(listed.stderr.strip())}\n"
                "Name a remote with --remote, or add one with `git remote add origin ADDRESS`"
            )
        if not listed.stdout.strip():
            return None
        done = self._git.run(
            "fetch", "--quiet", "--no-tags", "--refmap=", "--no-write-fetch-head",
            "--", self._remote, f"+{ref}:{self._own}",
        )  # fmt: skip
        if done.returncode != 0:
            raise InputError(f"{self._shown}: can't be fetched: {shown(done.stderr.strip())}")
        commit = self._git.run("rev-parse", self._own).stdout.strip()
        tree = self._git.tree(commit)
        blobs = {path: name for path, (kind, name) in tree.items() if kind == "blob"}
        return Tip(commit, blobs, tree.keys() - blobs.keys())

    def read(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """The bytes of these blobs."""
        return self._git.contents(blobs)

    def commit(
        self, base: Tip | None, write: Mapping[str, bytes], remove: Iterable[str], message: str
    ) -> str:
        """A commit on top of `base` with these files written and removed."""
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            tree = base.commit if base else "--empty"
            self._must("read-tree", tree, env=index)
            made = self._store(write, Path(folder) / "new")
            none = "0" * len(base.commit) if base else ""  # as long as this repository's names
            gone = (f"0 {none}\t{path}\0" for path in remove)
            lines = "".join((*gone, *(f"100644 {blob}\t{path}\0" for path, blob in made.items())))
            self._must("update-index", "-z", "--index-info", env=index, data=lines)
            new = self._must("write-tree", env=index)
        parents = ("-p", base.commit) if base else ()
        return self._must("commit-tree", new, *parents, "-F", "-", data=message)

    def _store(self, write: Mapping[str, bytes], folder: Path) -> dict[str, str]:
        """The blob of each file, stored; by numbered files, so that no path needs quoting."""
        folder.mkdir()
        names = []
        for number, data in enumerate(write.values()):
            (folder / str(number)).write_bytes(data)
            names.append(f"{folder / str(number)}\n")
        asked = ("hash-object", "-w", "--no-filters", "--stdin-paths")
        blobs = self._must(*asked, data="".join(names)).split()
        return dict(zip(write, blobs, strict=True))

    def push(self, commit: str) -> str | None:
        """Puts the branch there. None if it went well; Git's words if it came second.

        InputError, with Git's words, if it can't be pushed at all.
        """
        ref = f"refs/heads/{self._name}"
        done = self._git.run("push", "--porcelain", "--", self._remote, f"{commit}:{ref}")
        if done.returncode == 0:
            return None
        said = shown(" ".join(f"{done.stdout}\n{done.stderr}".split()))
        if any(line.startswith("!") and _LOST.search(line) for line in done.stdout.splitlines()):
            return said  # by what is said of the ref, not by stderr, where a hook may say anything
        raise InputError(f"{self._shown}: can't be pushed to: {said}")

    def forget(self) -> None:
        """Removes what fetching left in the clone."""
        self._git.run("update-ref", "-d", self._own)

    def _must(
        self, *arguments: str, env: Mapping[str, str] | None = None, data: str | None = None
    ) -> str:
        done = self._git.run(*arguments, env=env, data=data)
        if done.returncode != 0:
            raise InputError(f"git {arguments[0]}: {done.stderr.strip()}")
        return done.stdout.strip()
