"""Source archives are read with suspicion: what is not as it must be is refused by name."""

from __future__ import annotations

import random
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from pagecost.corpora.zips import ARCHIVE_BYTES, MEMBER_BYTES, SourceZip
from pagecost.errors import InputError
from tests.builders import ALPHA, zip_bytes, zip_of

GOOD = {"r/": b"", "r/LICENSE": b"terms", "r/a/b.go": b"package a\n" * 50}


def stored(folder: Path, data: bytes) -> Path:
    path = folder / "source.zip"
    path.write_bytes(data)
    return path


def opened(folder: Path, members: Mapping[str, bytes]) -> str:
    """Why a ZIP of those members is refused. The message names the archive."""
    return refusal(stored(folder, zip_bytes(members)))


def refusal(path: Path, member: str | None = None) -> str:
    """Why the archive, or one file in it, is refused."""
    with pytest.raises(InputError) as error, SourceZip(path) as source:
        assert member is not None, f"opened: {sorted(source.files)}"
        source.read(member)
    assert str(error.value).startswith(f"{path}: ")
    return str(error.value)


def raw_zip(
    name: str, body: bytes, *, size: int, crc: int = 0, method: int = 8, flags: int = 0
) -> bytes:
    """A ZIP of one member whose headers say what they are told to say."""
    raw = name.encode()
    shared = struct.pack(
        "<HHHHIIIHH", flags, method, 0, 0x21, crc, len(body), size, len(raw), 0
    )  # fmt: skip
    local = b"PK\3\4" + struct.pack("<H", 20) + shared + raw
    entry = b"PK\1\2" + struct.pack("<HH", 0x0314, 20) + shared
    entry += struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, 0) + raw
    start = len(local) + len(body)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), start, 0)
    return local + body + entry + end


def deflated_zeros(mebibytes: int) -> bytes:
    """A deflate stream of that many MiB of zeros: a thousandth of that in size."""
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = press.compress(bytes(1 << 20)) + press.flush(zlib.Z_FULL_FLUSH)
    return one * mebibytes + b"\3\0"


@contextmanager
def little_memory() -> Iterator[None]:
    """Fails where more than three members' worth of memory was needed."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 3 * MEMBER_BYTES
    finally:
        tracemalloc.stop()


# --- What is read ---------------------------------------------------------------------------------


def test_files_are_found_below_the_one_root_folder(tmp_path: Path) -> None:
    with SourceZip(stored(tmp_path, zip_bytes(GOOD))) as source:
        assert source.root == "r"
        assert source.files == {"LICENSE", "a/b.go"}
        assert source.read("a/b.go") == GOOD["r/a/b.go"]
        assert source.read("LICENSE") == b"terms"


def test_folders_need_no_entries_of_their_own(tmp_path: Path) -> None:
    with SourceZip(stored(tmp_path, zip_bytes({"r/a/b": b"1", "r/a/c": b"2"}))) as source:
        assert source.files == {"a/b", "a/c"}


def test_names_that_differ_by_case_are_two_files(tmp_path: Path) -> None:
    with SourceZip(stored(tmp_path, zip_bytes({"r/a": b"1", "r/A": b"2"}))) as source:
        assert (source.read("a"), source.read("A")) == (b"1", b"2")


def test_a_stored_member_is_read_like_a_deflated_one(tmp_path: Path) -> None:
    data = b"as it stands"
    made = raw_zip("r/a", data, size=len(data), crc=zlib.crc32(data), method=0)
    with SourceZip(stored(tmp_path, made)) as source:
        assert source.read("a") == data


def test_a_member_may_be_as_large_as_the_bound(tmp_path: Path) -> None:
    with SourceZip(stored(tmp_path, zip_bytes({"r/a": bytes(MEMBER_BYTES)}))) as source:
        assert len(source.read("a")) == MEMBER_BYTES


def test_nothing_is_written_to_disk(tmp_path: Path) -> None:
    path = stored(tmp_path, zip_of(ALPHA))
    with SourceZip(path) as source:
        for name in source.files:
            source.read(name)
    assert list(tmp_path.iterdir()) == [path]


# --- Archives that are none -----------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0, 1, 30, 200, -1, -22, -60])
def test_a_zip_cut_short_is_refused(tmp_path: Path, kept: int) -> None:
    path = stored(tmp_path, zip_bytes(GOOD)[:kept])
    assert "not a whole ZIP file" in refusal(path)


@pytest.mark.parametrize("data", [b"garbage", b"PK\3\4 and no more", b"\0" * 5000, b"<html>"])
def test_bytes_that_are_no_zip_are_refused(tmp_path: Path, data: bytes) -> None:
    assert "not a whole ZIP file" in refusal(stored(tmp_path, data))


def test_a_file_that_is_not_there_or_a_folder_is_refused(tmp_path: Path) -> None:
    assert "can't be read: No such file" in refusal(tmp_path / "none.zip")
    assert "can't be read: Is a directory" in refusal(tmp_path)


def test_an_archive_above_the_bound_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        file.truncate(ARCHIVE_BYTES + 1)
    assert "larger than 52,428,800 bytes" in refusal(path)


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["../x", "r/../x", "r/a/../../x", "/etc/x", "//x", "r//x", "r/./x", "./r/x", "r/x//", "..",
     "r\\x", "..\\x", "C:\\x", "r/a\\..\\b"],
)  # fmt: skip
def test_a_name_that_is_no_plain_relative_path_is_refused(tmp_path: Path, name: str) -> None:
    message = opened(tmp_path, GOOD | {name: b"x"})
    assert f"member {name!r} is not a plain relative path" in message


def test_a_name_with_a_zero_byte_is_refused_rather_than_cut_there(tmp_path: Path) -> None:
    data = zip_bytes(GOOD | {"r/a.go#x": b"x"}).replace(b"a.go#x", b"a.go\0x")
    assert r"member 'r/a.go\x00x' is not a plain" in refusal(stored(tmp_path, data))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, "0 root folders (none), expected one"),
        ({"r/a": b"", "s/b": b""}, "2 root folders (r, s), expected one"),
        ({"r/a": b"", "s/": b""}, "2 root folders (r, s), expected one"),
        ({"R/a": b"", "r/b": b""}, "2 root folders (R, r), expected one"),
        ({"a": b""}, "member 'a' lies outside a root folder"),
        ({"r/a": b"", "r": b""}, "member 'r' lies outside a root folder"),
    ],
)
def test_there_must_be_one_root_folder(
    tmp_path: Path, members: dict[str, bytes], expected: str
) -> None:
    assert expected in opened(tmp_path, members)


@pytest.mark.parametrize("name", ["r/a/b.go", "r/"])
def test_a_path_that_stands_twice_is_refused(tmp_path: Path, name: str) -> None:
    twin = name.replace("r", "q")
    data = zip_bytes(GOOD | {twin: b""}).replace(twin.encode(), name.encode())
    assert f"member {name!r} stands twice" in refusal(stored(tmp_path, data))


# --- Members that are not what they say -----------------------------------------------------------


def test_a_file_that_is_missing_is_refused_by_its_whole_path(tmp_path: Path) -> None:
    path = stored(tmp_path, zip_bytes(GOOD))
    assert "r/a/c.go is missing" in refusal(path, "a/c.go")
    assert "r/a is missing" in refusal(path, "a")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, raw_zip("r/a", b"x" * 20, size=8, flags=1))
    assert "member 'r/a' is encrypted" in refusal(path)


def test_a_symbolic_link_counts_as_a_file_but_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "source.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("r/link")
        info.create_system = 3
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "../../etc/passwd")
    with SourceZip(path) as source:
        assert source.files == {"link"}
        source.check()
    assert "r/link is a symbolic link" in refusal(path, "link")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 93])
def test_a_member_that_is_not_stored_or_deflated_is_refused(tmp_path: Path, method: int) -> None:
    path = stored(tmp_path, raw_zip("r/a", b"x" * 20, size=8, method=method))
    expected = f"member 'r/a' is compressed by method {method}, expected stored or deflated"
    assert expected in refusal(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_whose_size_is_a_lie_is_refused_whatever_presses_it(
    tmp_path: Path, method: int
) -> None:
    path = tmp_path / "source.zip"
    size = 64 << 20
    with zipfile.ZipFile(path, "w", compression=method) as archive:
        archive.writestr("r/a", bytes(size))
    data = path.read_bytes()
    assert len(data) < 20_000
    assert data.count(struct.pack("<I", size)) == 2
    path.write_bytes(data.replace(struct.pack("<I", size), struct.pack("<I", 8)))
    with little_memory():
        assert "expected stored or deflated" in refusal(path)


def test_a_member_that_inflates_to_gigabytes_is_refused_before_it_does(tmp_path: Path) -> None:
    body = deflated_zeros(2048)
    path = stored(tmp_path, raw_zip("r/bomb", body, size=2 << 30))
    assert path.stat().st_size < 3 << 20
    with little_memory():
        expected = "member 'r/bomb' inflates to 2,147,483,648 bytes, expected at most 8,388,608"
        assert expected in refusal(path)


@pytest.mark.parametrize("said", [100, MEMBER_BYTES])
def test_a_member_that_inflates_to_gigabytes_but_says_it_does_not_is_cut_off(
    tmp_path: Path, said: int
) -> None:
    path = stored(tmp_path, raw_zip("r/bomb", deflated_zeros(2048), size=said))
    with little_memory():
        assert "r/bomb: Bad CRC-32" in refusal(path, "bomb")


def test_a_member_is_never_longer_than_it_says(tmp_path: Path) -> None:
    crc = zlib.crc32(bytes(100))
    path = stored(tmp_path, raw_zip("r/bomb", deflated_zeros(2048), size=100, crc=crc))
    with little_memory(), SourceZip(path) as source:
        assert source.read("bomb") == bytes(100)


def test_a_member_that_says_it_is_longer_than_it_is_is_refused(tmp_path: Path) -> None:
    data = b"short"
    body = zlib.compress(data, wbits=-15)
    path = stored(tmp_path, raw_zip("r/a", body, size=500, crc=zlib.crc32(data)))
    assert "r/a: 5 bytes, the directory says 500" in refusal(path, "a")


def test_a_member_with_another_checksum_is_refused(tmp_path: Path) -> None:
    data = zip_bytes(GOOD)
    crc = struct.pack("<I", zlib.crc32(b"terms"))
    assert data.count(crc) == 2
    path = stored(tmp_path, data.replace(crc, struct.pack("<I", 7)))
    assert "r/LICENSE: Bad CRC-32" in refusal(path, "LICENSE")
    with SourceZip(path) as source, pytest.raises(InputError, match="r/LICENSE: Bad CRC-32"):
        source.check()


def test_a_member_that_does_not_inflate_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, raw_zip("r/a", b"\xff" * 50, size=40))
    assert "r/a: Error -3 while decompressing" in refusal(path, "a")


# --- Any damage -----------------------------------------------------------------------------------


def test_no_damage_ends_in_anything_but_a_refusal_or_the_file_as_it_was(tmp_path: Path) -> None:
    whole = zip_of(ALPHA)
    contents = set(ALPHA.files().values()) | {b""}
    chance = random.Random(12)
    refused = 0
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 5))):
            # The directory stands at the end: damage it more often than the files.
            at = chance.randrange(len(data) - 1200, len(data)) if chance.random() < 0.7 else (
                chance.randrange(len(data))
            )  # fmt: skip
            data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        path = stored(tmp_path, bytes(data))
        try:
            with SourceZip(path) as source:
                for name in source.files:
                    assert source.read(name) in contents
        except InputError:
            refused += 1
    assert refused > 500
