"""Files written whole or not at all, and the cache."""

from __future__ import annotations

import contextlib
import ctypes
import glob
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pagecost import manifest
from pagecost.errors import InputError
from pagecost.manifest import MARKER


def cache_folder() -> Path:
    """The user's cache: PAGECOST_CACHE, or where the system keeps such things."""
    if named := os.environ.get("PAGECOST_CACHE"):
        return Path(named).absolute()
    import platformdirs

    return Path(platformdirs.user_cache_dir("pagecost", appauthor=False))


def write(path: Path, data: bytes) -> None:
    """Replaces the file's content in one step. Its mode follows the umask, as any new file's."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def copy(path: Path, source: Path) -> None:
    """Writes what another file holds, whole or not at all. InputError if it can't be done."""
    waiting = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, waiting)
        waiting.replace(path)
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            waiting.unlink(missing_ok=True)


def write_output(path: Path, data: bytes) -> None:
    """Writes where a user said: through a link, or into a device or pipe, which stays one."""
    target = path.resolve()
    if target.is_file() or not target.exists():
        write(target, data)
        return
    try:
        target.write_bytes(data)
    except OSError as error:
        raise InputError(f"{path}: can't be written: {error.strerror or error}") from None


def write_tree(target: Path, contents: Mapping[str, bytes], *, keep_out: tuple[Path, ...]) -> None:
    """Replaces a whole folder by these files, or leaves it as it was.

    Everything is written beside the target first. InputError where the target holds something that
    pagecost did not write, or lies around one of `keep_out`.
    """
    target = target.absolute()
    made: Path | None = None
    try:
        _check_target(target, keep_out)
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        prefix = f".{target.name}.new-{os.getpid()}-"
        made = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        _fill(made, {**contents, MARKER: manifest.to_bytes(manifest.of(contents))})
        _swap(made, target)
    except OSError as error:
        place = error.filename or target
        raise InputError(f"{place}: can't be written: {error.strerror or error}") from None
    finally:
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)


def _check_target(target: Path, keep_out: tuple[Path, ...]) -> None:
    resolved = target.resolve()
    for kept in keep_out:
        if kept.resolve().is_relative_to(resolved):
            raise InputError(
                f"{target}: holds {kept}, and would be replaced; choose another folder"
            )
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise InputError(f"{target}: is no folder; choose another, or move it away")
    if (foreign := _foreign(target)) is not None:
        raise InputError(
            f"{target}: holds files that pagecost did not write ({foreign}); choose another "
            "folder, or move them away"
        )


def _foreign(target: Path) -> str | None:
    """A file in the folder that the build before did not list; None if there is none."""
    marker = target / MARKER
    listed: manifest.Manifest = {}
    if marker.is_file():
        with contextlib.suppress(InputError):
            listed = manifest.from_bytes(marker.read_bytes(), marker)
        if not listed:
            return None  # by a build of before there were lists: all of it is taken for pagecost's
    for folder, below, names in os.walk(target):
        links = [name for name in below if Path(folder, name).is_symlink()]
        for name in sorted(names + links):
            path = Path(folder, name).relative_to(target).as_posix()
            if path not in listed and path != MARKER:
                return path
    return None


def prepare(target: Path, *, keep_out: tuple[Path, ...]) -> None:
    """Before long work: puts back a site that a killed build had moved away, and removes what it
    left beside it. InputError where `write_tree` would refuse the target."""
    target = target.absolute()
    try:
        _sweep(target)
        _check_target(target, keep_out)
    except OSError as error:
        raise InputError(f"{target}: {error.strerror or error}") from None


def _sweep(target: Path) -> None:
    name = glob.escape(target.name)
    for old in target.parent.glob(f".{name}.old-*"):
        if not old.name.rpartition("-")[2].isdecimal() or not (old / MARKER).is_file():
            continue  # somebody else's
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
        elif not _is_running(old.name.rpartition("-")[2]):
            old.replace(target)
    for new in target.parent.glob(f".{name}.new-*-*"):
        if not new.name.split("-")[-2].isdecimal():
            continue
        if not _is_running(new.name.split("-")[-2]):
            shutil.rmtree(new, ignore_errors=True)


def _is_running(process: str) -> bool:
    if os.name != "posix" or not process.isdecimal():
        return True  # can't be asked safely: leave it alone
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    # mkdtemp makes it private; a site is to be read by a web server.
    umask = os.umask(0)
    os.umask(umask)
    folder.chmod(0o777 & ~umask)
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _swap(made: Path, target: Path) -> None:
    if not target.exists():
        made.replace(target)
        return
    if _exchange(made, target):
        return  # what is now under the other name goes with it
    old = target.with_name(f".{target.name}.old-{os.getpid()}")
    target.replace(old)
    try:
        made.replace(target)
    except BaseException:
        old.replace(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Two folders change names in one step, where the system can: no moment is without a site."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)
