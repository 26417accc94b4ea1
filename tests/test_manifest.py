"""`.pagecost-site`: which files pagecost wrote, as `sha256sum -c` reads it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost import files, manifest
from pagecost.errors import InputError
from pagecost.manifest import MARKER
from tests.builders import require, sha256

ODD = [
    "with space.html",
    "two  spaces.html",
    "-dash.html",
    "*star.html",
    "a\\b.html",
    "line\nbreak.html",
    "both\\n\n\\.html",
    "next\x85line\u2028.html",
    "für/élan.html",
    "'quoted\".html",
]
"""Names that a line could be misread for."""
PATHS = st.text(st.characters(exclude_characters="\0", exclude_categories=[]), min_size=1).filter(
    lambda path: os.fsdecode(os.fsencode(path)) == path if _encodable(path) else False
)
DIGESTS = st.binary(max_size=2).map(sha256)


def _encodable(path: str) -> bool:
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def test_a_manifest_has_the_sha256_of_every_file() -> None:
    assert manifest.of({"a.html": b"a", "b/c.html": b""}) == {
        "a.html": sha256(b"a"),
        "b/c.html": sha256(b""),
    }


def test_a_manifest_is_a_line_a_file_in_order_of_path() -> None:
    made = manifest.to_bytes({"b": "1" * 64, "a/c": "0" * 64, "a": "2" * 64})
    assert made == f"{'2' * 64}  a\n{'0' * 64}  a/c\n{'1' * 64}  b\n".encode()


def test_an_empty_manifest_is_an_empty_file() -> None:
    assert manifest.to_bytes({}) == b""
    assert manifest.from_bytes(b"", MARKER) == {}


@given(st.dictionaries(PATHS, DIGESTS, max_size=5))
def test_what_is_written_is_what_is_read(listed: dict[str, str]) -> None:
    assert manifest.from_bytes(manifest.to_bytes(listed), MARKER) == listed


@pytest.mark.parametrize("path", ODD)
def test_an_odd_name_is_read_as_it_was_written(path: str) -> None:
    listed = {path: "0" * 64, "after.html": "1" * 64}
    assert manifest.from_bytes(manifest.to_bytes(listed), MARKER) == listed


def test_a_name_that_is_no_utf_8_is_read_as_it_was_written() -> None:
    listed = {os.fsdecode(b"\xff\xfe.html"): "0" * 64}
    data = manifest.to_bytes(listed)
    assert b"  \xff\xfe.html\n" in data
    assert manifest.from_bytes(data, MARKER) == listed


def test_a_last_line_without_its_break_is_read() -> None:
    assert manifest.from_bytes(b"0" * 64 + b"  a", MARKER) == {"a": "0" * 64}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"index.html",
        b"0" * 63 + b"  index.html",
        b"0" * 65 + b"  index.html",
        b"A" * 64 + b"  index.html",
        b"0" * 64 + b" *index.html",
        b"0" * 64 + b"  ",
        b"\xff" * 70,
        b"<<<<<<< HEAD",
    ],
)
def test_a_line_that_is_none_is_refused_with_its_number(line: bytes) -> None:
    good = b"0" * 64 + b"  a\n"
    with pytest.raises(InputError) as error:
        manifest.from_bytes(good + line + b"\n" + good, "gh-pages: .pagecost-site")
    expected = "gh-pages: .pagecost-site: line 2: expected a sha256, two spaces and a path"
    assert str(error.value) == expected


# --- sha256sum ------------------------------------------------------------------------------------


def check(folder: Path) -> subprocess.CompletedProcess[bytes]:
    """What `sha256sum -c` says of a folder that pagecost wrote."""
    tool = shutil.which("sha256sum")
    require(tool, "no sha256sum on the path")
    return subprocess.run(
        [str(tool), "--check", "--strict", "--quiet", MARKER],
        cwd=folder,
        capture_output=True,
        check=False,
    )


def test_sha256sum_accepts_a_folder_and_notices_what_changed(tmp_path: Path) -> None:
    require(sys.platform == "linux", "not every system has such names")
    contents = {path: path.encode("utf-8") for path in ODD} | {os.fsdecode(b"\xff.html"): b"odd"}
    files.write_tree(tmp_path / "site", contents, keep_out=())
    done = check(tmp_path / "site")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    for path in contents:
        file = tmp_path / "site" / path
        before = file.read_bytes()
        file.write_bytes(b"changed")
        assert check(tmp_path / "site").returncode == 1, path
        file.write_bytes(before)
    (tmp_path / "site" / "-dash.html").unlink()
    assert b"-dash.html" in check(tmp_path / "site").stderr


def test_every_file_of_a_folder_is_listed_but_the_manifest_itself(tmp_path: Path) -> None:
    contents = {"index.html": b"one", "a/b.html": b"two", ".nojekyll": b""}
    files.write_tree(tmp_path / "site", contents, keep_out=())
    found = manifest.from_bytes((tmp_path / "site" / MARKER).read_bytes(), MARKER)
    assert found == {path: sha256(data) for path, data in contents.items()}
