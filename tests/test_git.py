"""What pagecost asks of Git about revisions: which there are, and what stood where at one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagecost.git import Repository
from tests.builders import commit_all, git, git_init

FILES = {
    "plain.txt": b"plain\n",
    "d[1]/a b.txt": b"\xff\x00\r\n",
    "deep/er/ü\n.txt": b"",
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two commits: FILES, then one of them changed and another file added."""
    top = tmp_path / "top"
    git_init(top)
    for name, data in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_bytes(data)
    commit_all(top, "One")
    git(top, "tag", "one")
    (top / "plain.txt").write_bytes(b"changed\n")
    (top / "d[1]" / "new.txt").write_bytes(b"new\n")
    commit_all(top, "Two")
    found = Repository.around(top / "deep")
    assert found is not None
    return found


def test_a_file_at_a_revision_is_its_bytes(repository: Repository) -> None:
    for name, data in FILES.items():
        assert repository.show("one", name) == data
    assert repository.show("HEAD", "plain.txt") == b"changed\n"
    (repository.top / "plain.txt").write_bytes(b"not committed\n")
    assert repository.show("HEAD", "plain.txt") == b"changed\n"


@pytest.mark.parametrize(
    ("revision", "path"),
    [
        ("one", "d[1]/new.txt"),
        ("HEAD", "none"),
        ("HEAD", "deep"),
        ("HEAD", ""),
        ("HEAD", "../top/plain.txt"),
        ("nowhere", "plain.txt"),
        ("--help", "plain.txt"),
        ("", "plain.txt~"),
    ],
)
def test_what_does_not_stand_there_is_nothing(
    repository: Repository, revision: str, path: str
) -> None:
    assert repository.show(revision, path) is None


def test_files_below_a_folder_are_named_from_it(repository: Repository) -> None:
    assert repository.names("one", ".") == sorted(FILES)
    assert repository.names("one", "d[1]") == ["a b.txt"]
    assert repository.names("HEAD", "d[1]") == ["a b.txt", "new.txt"]
    assert repository.names("HEAD", "deep") == ["er/ü\n.txt"]
    assert repository.names("HEAD", "none") == []
    assert repository.names("nowhere", ".") == []


def test_a_revision_is_any_name_of_a_commit(repository: Repository) -> None:
    head = git(repository.top, "rev-parse", "HEAD")
    for name in ("HEAD", "HEAD~1", "main", "one", head, head[:12], "main@{0}", "HEAD^0"):
        assert repository.knows(name)
    tree = git(repository.top, "rev-parse", "HEAD^{tree}")
    for name in ("HEAD~2", "nowhere", "0" * 40, tree, "HEAD:plain.txt", "", "--all", "-h"):
        assert not repository.knows(name)
