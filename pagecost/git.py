"""What pagecost asks of Git, and the commits that it makes: thin calls, no judgement."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pagecost.errors import InputError

_LITERAL = "--literal-pathspecs"  # a folder may be called `d[1]`: its name is no pattern


class Repository:
    """The Git work tree that holds a folder."""

    def __init__(self, top: Path) -> None:
        self.top = top

    @classmethod
    def around(cls, folder: Path) -> Repository | None:
        """The work tree that `folder` lies in; None where there is none, or no Git."""
        if shutil.which("git") is None:
            return None
        done = _git(folder, "rev-parse", "--show-toplevel")
        return cls(Path(done.stdout.rstrip("\n"))) if done.returncode == 0 else None

    def _path(self, path: Path) -> str:
        # Not the file itself: where it is a link, Git keeps the link.
        real = path.parent.resolve() / path.name
        return real.relative_to(self.top.resolve()).as_posix()

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None, data: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Git's own answer, whatever it is. `data` goes to its stdin."""
        return _git(self.top, *arguments, env=env, data=data)

    def committed(self, path: Path, revision: str = "HEAD") -> bytes | None:
        """The file's bytes at a revision; None if it does not stand there."""
        return self.show(revision, self._path(path))

    def is_clean(self, path: Path) -> bool:
        """Is the file committed as it stands, as Git compares line ends?"""
        named = self._path(path)
        if self.committed(path) is None:
            return False
        return self.run(_LITERAL, "diff", "--quiet", "HEAD", "--", named).returncode == 0

    def knows(self, revision: str) -> bool:
        """Is there such a revision here?"""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        return self.run(*asked).returncode == 0

    def show(self, revision: str, path: str) -> bytes | None:
        """A file at a revision, by its path below the work tree's top; None if it isn't there."""
        done = subprocess.run(
            ["git", "-C", str(self.top), "cat-file", "blob", f"{revision}:{path}"],
            capture_output=True,
            env=_environment(),
            check=False,
        )
        return done.stdout if done.returncode == 0 else None

    def names(self, revision: str, folder: str) -> list[str]:
        """Every file below a folder at a revision, in order, by its path below that folder."""
        tree = revision + ":" + ("" if folder == "." else folder)
        done = self.run("ls-tree", "-r", "-z", "--name-only", tree)
        return [name for name in done.stdout.split("\0") if name]

    def files(self, folder: Path) -> list[Path]:
        """Every file below a folder at HEAD, in order, as paths below that folder."""
        return [folder / name for name in self.names("HEAD", self._path(folder))]

    def tree(self, revision: str) -> dict[str, tuple[str, str]]:
        """Everything at a revision by path: `blob` or, for a submodule, `commit`; and its name."""
        listed = self.run("ls-tree", "-r", "-z", "--full-tree", revision).stdout.split("\0")
        entries = (one.partition("\t") for one in listed if one)
        return {path: (said.split()[1], said.split()[2]) for said, _, path in entries}

    def contents(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """The bytes of these blobs, read in one go."""
        wanted = list(dict.fromkeys(blobs))
        done = subprocess.run(
            ["git", "-C", str(self.top), "cat-file", "--batch"],
            input="".join(f"{blob}\n" for blob in wanted).encode("ascii"),
            capture_output=True,
            env=_environment(),
            check=True,
        )
        found: dict[str, bytes] = {}
        place = 0
        for blob in wanted:  # `<blob> blob <size>`, its bytes, a line break
            end = done.stdout.index(b"\n", place)
            size = int(done.stdout[place:end].split()[2])
            found[blob] = done.stdout[end + 1 : end + 1 + size]
            place = end + 1 + size + 1
        return found

    def is_shallow(self) -> bool:
        """Was history cut off when this was cloned?"""
        return self.run("rev-parse", "--is-shallow-repository").stdout.strip() == "true"

    def commits(self, path: Path) -> list[str]:
        """The commits that changed the file, oldest first."""
        done = self.run(
            _LITERAL,
            "log",
            "--full-history",
            "--topo-order",
            "--reverse",
            "--format=%H",
            "--",
            self._path(path),
        )
        return done.stdout.split() if done.returncode == 0 else []

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Does the one commit come before the other (or is it the same)?"""
        return self.run("merge-base", "--is-ancestor", older, newer).returncode == 0

    def is_ignored(self, path: Path) -> bool:
        """Would Git leave this file out?"""
        return self.run("check-ignore", "-q", "--", self._path(path)).returncode == 0

    def commit_alone(self, paths: Sequence[Path], message: str) -> str:
        """Commits these files and nothing else, whatever is staged. The new commit's hash.

        InputError with Git's own words if it can't (no identity, a hook that refuses).
        """
        names = [self._path(path) for path in paths]
        known = self.run(_LITERAL, "ls-files", "-z", "--", *names).stdout.split("\0")
        added = self.run(_LITERAL, "add", "--intent-to-add", "--", *names)
        if added.returncode == 0:
            done = self.run(_LITERAL, "commit", "--only", "--quiet", "-m", message, "--", *names)
            if done.returncode == 0:
                return self.run("rev-parse", "HEAD").stdout.strip()
            added = done
        if new := [name for name in names if name not in known]:
            self.run(
                _LITERAL, "rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--", *new
            )
        raise InputError(f"git could not commit {', '.join(names)}: {added.stderr.strip()}")


_REDIRECTING = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_PREFIX", "GIT_NAMESPACE",
)  # fmt: skip
"""What a hook's environment holds, and what would lead away from the folder that is asked about."""


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _REDIRECTING}
    # Plain messages, and no lock taken by a command that only asks.
    return kept | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def _git(
    folder: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    data: str | None = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        input=data,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",  # as Python has it in paths
        env=_environment() | dict(env or {}),
        check=False,
    )
