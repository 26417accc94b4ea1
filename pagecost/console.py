"""What commands say while they work: on stderr, so that stdout is the result's alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

_PATIENCE = 1.0
_LINE_EVERY = 5.0
_BAR = 28


class Console:
    """Quiet, normal or verbose. Warnings are counted however quiet it is."""

    def __init__(
        self, level: Literal["quiet", "normal", "verbose"] = "normal", out: TextIO | None = None
    ) -> None:
        self._level = level
        self._out = out or sys.stderr
        self.warnings = 0

    @property
    def is_quiet(self) -> bool:
        """Did the user ask for what is wrong and nothing else?"""
        return self._level == "quiet"

    def say(self, text: str) -> None:
        """For everyone who did not ask for quiet."""
        if not self.is_quiet:
            print(text, file=self._out, flush=True)

    def detail(self, text: str) -> None:
        """For those who asked for more."""
        if self._level == "verbose":
            print(text, file=self._out, flush=True)

    def warn(self, text: str) -> None:
        """Something that a strict run fails on. Never silenced."""
        self.warnings += 1
        print(f"warning: {text}", file=self._out, flush=True)

    @contextmanager
    def progress(self, what: str, unit: str) -> Iterator[_Progress]:
        """A bar after a second on a terminal; elsewhere a plain line every few seconds."""
        progress = _Progress(what, unit, None if self.is_quiet else self._out)
        try:
            yield progress
        finally:
            progress.close()


class _Progress:
    def __init__(self, what: str, unit: str, out: TextIO | None) -> None:
        self._what, self._unit, self._out = what, unit, out
        self._terminal = out is not None and out.isatty()
        # The clock is for the eye alone: nothing that is written depends on it.
        self._next = time.monotonic() + (_PATIENCE if self._terminal else _LINE_EVERY)
        self._drawn = False

    def __call__(self, done: int, total: int | None = None) -> None:
        """Reports how much is done, and of how much where that is known."""
        if self._out is None:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.1 if self._terminal else _LINE_EVERY)
        self._draw(done, total)

    def _draw(self, done: int, total: int | None) -> None:
        assert self._out is not None
        text = f"{self._what}: {done:,} {self._unit}"
        if total:
            text = f"{self._what}: {done:,} of {total:,} {self._unit}"
            if self._terminal:
                filled = _BAR * min(done, total) // total
                text = f"[{'#' * filled}{'.' * (_BAR - filled)}] {text}"
        if self._terminal:
            self._out.write(f"\r\x1b[K{text}")
            self._drawn = True
        else:
            self._out.write(f"{text}\n")
        self._out.flush()

    def close(self) -> None:
        if self._drawn and self._out is not None:
            self._out.write("\r\x1b[K")
            self._out.flush()
