"""Files and whole folders are written whole, or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagecost import files
from pagecost.errors import InputError
from tests.builders import environment, require

MARKER = ".pagecost-site"
OLD = {"index.html": b"old", "a/b/c.html": b"old too", "gone.txt": b"was here"}
NEW = {"index.html": b"new", "a/b/c.html": b"new too", "d/e.svg": b"<svg/>"}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, without the marker."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    found.pop(MARKER, None)
    return found


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def write(target: Path, contents: dict[str, bytes] = NEW, *keep_out: Path) -> None:
    files.write_tree(target, contents, keep_out=keep_out)


def refusal(target: Path, *keep_out: Path) -> str:
    with pytest.raises(InputError) as error:
        write(target, NEW, *keep_out)
    return str(error.value)


def failing(nth: int, real: Callable[..., Any], code: int = errno.ENOSPC) -> Callable[..., Any]:
    """The real function, except that its n-th call fails as a full disk does."""
    calls = 0

    def call(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == nth:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    return call


def killed(code: str, *arguments: Path) -> None:
    """Runs that code in a process of its own, which ends itself by SIGKILL on the way."""
    require(os.name == "posix", "no SIGKILL on this system")
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr.decode()


def ended() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


# --- One file -------------------------------------------------------------------------------------


def test_a_file_is_written_with_the_folders_above_it(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.json"
    files.write(path, b"one")
    files.write(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(path.parent) == {"b.json"}


def test_a_file_is_as_readable_as_any_new_file(tmp_path: Path) -> None:
    require(os.name == "posix", "no modes on this system")
    (tmp_path / "plain").write_bytes(b"")
    files.write(tmp_path / "ours", b"")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "ours")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("where", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.open"])
def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tmp_path / "ranks.csv"
    path.write_bytes(b"before")
    owner: Any = os if where == "os.fsync" else Path
    name = where.rpartition(".")[2]
    monkeypatch.setattr(owner, name, failing(1, getattr(owner, name)))
    with pytest.raises(InputError, match=r"ranks\.csv: can't be written: No space left on device"):
        files.write(path, b"after")
    assert path.read_bytes() == b"before"
    assert names(tmp_path) == {"ranks.csv"}


def test_a_file_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"")
    with pytest.raises(InputError, match=r"cache/a/b: can't be written: Not a directory"):
        files.write(tmp_path / "cache" / "a" / "b", b"")
    with pytest.raises(InputError, match=r"cache/b: can't be written: File exists"):
        files.write(tmp_path / "cache" / "b", b"")


def test_a_process_killed_while_it_writes_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(b"before")
    killed(
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from pagecost import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.write(Path(sys.argv[1]), b'after')\n",
        path,
    )
    assert path.read_bytes() == b"before"


# --- The cache ------------------------------------------------------------------------------------


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAGECOST_CACHE", "here")
    assert files.cache_folder() == tmp_path / "here"


@pytest.mark.parametrize("unset", ["", None])
def test_the_cache_is_else_where_the_system_keeps_such_things(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unset: str | None
) -> None:
    monkeypatch.setenv("PAGECOST_CACHE", unset or "")
    if unset is None:
        monkeypatch.delenv("PAGECOST_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = files.cache_folder()
    assert found.is_absolute()
    assert "pagecost" in found.parts
    if sys.platform == "linux":
        assert found == tmp_path / "pagecost"


# --- A whole folder -------------------------------------------------------------------------------


def test_a_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    target = tmp_path / "x" / "y" / "_site"
    write(target)
    assert tree(target) == NEW
    assert names(target.parent) == {"_site"}


def test_a_folder_that_was_written_before_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    write(target)
    assert tree(target) == NEW
    assert not (target / "gone.txt").exists()
    assert names(tmp_path) == {"_site"}


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    target = tmp_path / "_site"
    target.mkdir()
    write(target)
    assert tree(target) == NEW


def test_a_relative_target_is_below_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("out"))
    assert tree(tmp_path / "out") == NEW


def test_a_folder_can_be_read_by_a_web_server(tmp_path: Path) -> None:
    require(os.name == "posix", "no modes on this system")
    (tmp_path / "plain").mkdir()
    write(tmp_path / "_site")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "_site")]
    assert modes[0] == modes[1]


def test_a_folder_with_files_of_somebody_else_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "_site"
    target.mkdir()
    (target / "thesis.txt").write_bytes(b"years")
    expected = "_site: holds files that pagecost did not write ("
    assert expected in refusal(target)
    assert tree(target) == {"thesis.txt": b"years"}
    assert names(tmp_path) == {"_site"}


def test_a_symbolic_link_is_refused_whatever_it_leads_to(tmp_path: Path) -> None:
    real = tmp_path / "real"
    write(real, OLD)
    for to in (real, tmp_path / "nowhere"):
        link = tmp_path / "link"
        link.symlink_to(to)
        assert "link: is no folder; choose another, or move it away" in refusal(link)
        assert link.is_symlink()
        link.unlink()
    assert tree(real) == OLD


def test_a_file_in_the_folders_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_site").write_bytes(b"a file")
    assert "_site: is no folder" in refusal(tmp_path / "_site")
    assert (tmp_path / "_site").read_bytes() == b"a file"
    assert "can't be written: Not a directory" in refusal(tmp_path / "_site" / "a" / "b")
    assert "_site" in refusal(tmp_path / "_site" / "a")


def test_a_folder_that_holds_the_sources_is_refused(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "site"
    docs.mkdir(parents=True)
    for target in (docs, docs.parent, tmp_path, docs / ".." / "site"):
        # Even one that pagecost itself has written.
        (target / MARKER).write_bytes(b"")
        assert f"holds {docs}, and would be replaced" in refusal(target, docs)
    write(docs.parent / "_site", NEW, docs, docs.parent)


def test_a_link_to_the_sources_is_no_way_around(tmp_path: Path) -> None:
    docs = tmp_path / "project" / "site"
    docs.mkdir(parents=True)
    (tmp_path / "alias").symlink_to(tmp_path / "project")
    (docs / MARKER).write_bytes(b"")
    assert "would be replaced" in refusal(tmp_path / "alias" / "site", docs)


# --- Failures on the way --------------------------------------------------------------------------


@pytest.mark.parametrize("nth", range(1, len(NEW) + 2))
def test_a_disk_that_fills_up_leaves_the_old_folder_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    monkeypatch.setattr(Path, "write_bytes", failing(nth, Path.write_bytes))
    assert "can't be written: No space left on device" in refusal(target)
    assert tree(target) == OLD
    assert names(tmp_path) == {"_site"}


def in_two_moves(patch: pytest.MonkeyPatch) -> None:
    """As on a system that can't let two folders change names in one step."""
    patch.setattr(files, "_exchange", lambda _one, _other: False)


@pytest.mark.parametrize("nth", [1, 2])
def test_a_folder_that_cannot_be_moved_into_place_leaves_the_old_one_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nth: int
) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    in_two_moves(monkeypatch)
    monkeypatch.setattr(Path, "replace", failing(nth, Path.replace, errno.EACCES))
    assert "can't be written: Permission denied" in refusal(target)
    assert tree(target) == OLD
    assert names(tmp_path) == {"_site"}


def test_a_folder_is_replaced_in_two_moves_where_it_must_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_two_moves(monkeypatch)
    write(tmp_path / "_site", OLD)
    write(tmp_path / "_site")
    assert tree(tmp_path / "_site") == NEW
    assert names(tmp_path) == {"_site"}


def test_a_folder_is_replaced_in_one_step_where_it_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    write(one, OLD)
    write(other)
    require(files._exchange(one, other), "this system exchanges no folders")
    assert (tree(one), tree(other)) == (NEW, OLD)
    monkeypatch.setattr(Path, "replace", failing(1, Path.replace))  # no move of the other kind
    write(other)
    assert tree(other) == NEW
    assert names(tmp_path) == {"one", "other"}


def test_two_folders_of_which_one_is_missing_are_not_exchanged(tmp_path: Path) -> None:
    write(tmp_path / "one", OLD)
    assert not files._exchange(tmp_path / "one", tmp_path / "none")
    assert tree(tmp_path / "one") == OLD


def test_a_folder_that_cannot_be_begun_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.mkdtemp", failing(1, None, errno.EROFS))  # type: ignore[arg-type]
    assert "_site: can't be written: Read-only file system" in refusal(tmp_path / "_site")


KILL = """\
import os, signal, sys
from pathlib import Path
from pagecost import files
target, method, nth = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if method == "replace":
    files._exchange = lambda one, other: False
files._exchange = lambda one, other: False  # as on a system that can't
real = getattr(Path, method)
calls = 0
def call(*arguments):
    global calls
    calls += 1
    if calls == nth:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments)
setattr(Path, method, call)
contents = {"index.html": b"new", "a/b/c.html": b"new too", "d/e.svg": b"<svg/>"}
files.write_tree(target, contents, keep_out=())
"""


@pytest.mark.parametrize("nth", [1, 2, 4])
def test_a_process_killed_while_it_writes_leaves_the_old_folder_whole(
    tmp_path: Path, nth: int
) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    killed(KILL, target, Path("write_bytes"), Path(str(nth)))
    assert tree(target) == OLD
    left = names(tmp_path) - {"_site"}
    assert len(left) == 1
    assert left.pop().startswith("._site.new-")
    write(target)
    assert tree(target) == NEW
    assert names(tmp_path) == {"_site"}


def test_a_process_killed_between_the_two_moves_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    killed(KILL, target, Path("replace"), Path("2"))
    assert not target.exists()
    # The next build puts the old folder back first, though that build may fail as well.
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", failing(1, Path.write_bytes))
        refusal(target)
    assert tree(target) == OLD
    write(target)
    assert tree(target) == NEW
    assert names(tmp_path) == {"_site"}


def test_what_a_killed_process_had_moved_away_is_put_back(tmp_path: Path) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    killed(KILL, target, Path("replace"), Path("2"))
    files.prepare(target, keep_out=())
    assert tree(target) == OLD
    assert names(tmp_path) == {"_site"}
    files.prepare(target, keep_out=())
    files.prepare(tmp_path / "none" / "_site", keep_out=())
    assert tree(target) == OLD


# --- Leftovers ------------------------------------------------------------------------------------


def test_leftovers_of_a_dead_process_are_swept(tmp_path: Path) -> None:
    target, dead = tmp_path / "_site", ended()
    write(target, OLD)
    for left in (f"._site.new-{dead}-abc", f"._site.old-{dead}"):
        (tmp_path / left / "a").mkdir(parents=True)
        (tmp_path / left / MARKER).write_bytes(b"")
    write(target)
    assert names(tmp_path) == {"_site"}


@pytest.mark.parametrize("name", ["._site.old-backup", "._site.old-1", "._site.new-mine-1"])
def test_what_somebody_else_calls_so_is_left_alone(tmp_path: Path, name: str) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    (tmp_path / name).mkdir()
    write(target)
    assert names(tmp_path) == {"_site", name}


@pytest.mark.parametrize("process", [str(os.getppid()), "9" * 30, "x"])
def test_what_a_living_process_is_writing_is_left_alone(tmp_path: Path, process: str) -> None:
    target = tmp_path / "_site"
    (tmp_path / f"._site.new-{process}-abc").mkdir()
    write(target)
    assert tree(target) == NEW
    assert names(tmp_path) == {"_site", f"._site.new-{process}-abc"}


def test_what_a_living_process_has_moved_away_is_left_to_it(tmp_path: Path) -> None:
    target, old = tmp_path / "_site", tmp_path / f"._site.old-{os.getppid()}"
    write(old, OLD)
    write(target)
    assert tree(target) == NEW
    assert tree(old) == OLD


def test_leftovers_of_another_folder_are_none_of_ours(tmp_path: Path) -> None:
    dead = ended()
    others = {f".{name}.old-{dead}" for name in ("_site", "other", "_site2")}
    for other in others:
        (tmp_path / other).mkdir()
    for target in ("*", "_site[2]", "?site"):
        write(tmp_path / target)
        assert tree(tmp_path / target) == NEW
    assert others <= names(tmp_path)
    (tmp_path / f"._site[2].new-{dead}-x").mkdir()
    write(tmp_path / "_site[2]")
    assert names(tmp_path) == others | {"*", "_site[2]", "?site"}


def test_messages_name_the_file_that_could_not_be_written(tmp_path: Path) -> None:
    contents = {"a": b"a file", "a/b": b"below it"}
    with pytest.raises(InputError, match=re.escape("/a: can't be written: File exists")):
        files.write_tree(tmp_path / "_site", contents, keep_out=())
    assert names(tmp_path) == set()


@pytest.mark.parametrize("name", ["theirs.txt", "a/theirs.txt", "new/theirs.txt", ".theirs"])
def test_a_file_that_somebody_put_into_a_built_site_is_a_reason_to_stop(
    tmp_path: Path, name: str
) -> None:
    target = tmp_path / "_site"
    write(target, OLD)
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    (target / name).write_bytes(b"mine")
    before = tree(target)
    assert f"did not write ({name})" in refusal(target)
    assert tree(target) == before
    (target / name).unlink()
    write(target)
    assert tree(target) == NEW


def test_a_folder_that_somebody_linked_into_a_built_site_is_a_reason_to_stop(
    tmp_path: Path,
) -> None:
    target, elsewhere = tmp_path / "_site", tmp_path / "elsewhere"
    write(target, OLD)
    elsewhere.mkdir()
    (target / "link").symlink_to(elsewhere)
    assert "did not write (link)" in refusal(target)
    assert (target / "link").is_symlink()
