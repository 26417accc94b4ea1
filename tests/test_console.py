"""What commands say: on stderr's stand-in here, by level, with progress for eyes alone."""

from __future__ import annotations

import io

import pytest

from pagecost.console import Console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as a list of one number that a test sets."""
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("quiet", "warning: careful\n"),
        ("normal", "said\nwarning: careful\n"),
        ("verbose", "said\nmore\nwarning: careful\n"),
    ],
)
def test_what_is_said_goes_by_level_and_warnings_always_are(level: str, expected: str) -> None:
    out = io.StringIO()
    console = Console(level, out)  # type: ignore[arg-type]  # one of the three
    console.say("said")
    console.detail("more")
    console.warn("careful")
    assert out.getvalue() == expected
    assert console.warnings == 1


def test_short_work_shows_no_progress(clock: list[float]) -> None:
    out = Terminal()
    with Console(out=out).progress("ranking", "queries") as progress:
        clock[0] += 0.9
        progress(5, 10)
    assert out.getvalue() == ""


def test_a_terminal_gets_a_bar_after_a_second_and_it_is_wiped(clock: list[float]) -> None:
    out = Terminal()
    with Console(out=out).progress("ranking", "queries") as progress:
        clock[0] += 1.1
        progress(5_000, 10_000)
    shown = out.getvalue()
    assert f"[{'#' * 14}{'.' * 14}] ranking: 5,000 of 10,000 queries" in shown
    assert shown.endswith("\r\x1b[K")


def test_elsewhere_plain_lines_come_now_and_then(clock: list[float]) -> None:
    out = io.StringIO()
    with Console(out=out).progress("etcd-io/etcd", "bytes") as progress:
        for done in range(1, 13):
            clock[0] += 1
            progress(done * 1_000)
    assert out.getvalue() == "etcd-io/etcd: 5,000 bytes\netcd-io/etcd: 10,000 bytes\n"


def test_quiet_shows_no_progress(clock: list[float]) -> None:
    out = Terminal()
    with Console("quiet", out).progress("ranking", "queries") as progress:
        clock[0] += 60
        progress(1, 2)
    assert out.getvalue() == ""
