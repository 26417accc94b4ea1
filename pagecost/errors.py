"""What can go wrong, in few kinds. Nothing here knows of the command line.

Every message says where, what was found, what was expected, and what to do.
"""

from __future__ import annotations


class PagecostError(Exception):
    """Anything a user can put right. `status` is the exit status of a command that ends with it."""

    status = 2


class InputError(PagecostError):
    """Wrong input or use: a file, a field or an argument is not what it must be."""


class CorpusMissing(InputError):
    """A version's raw data is not at hand. The message says how to get it.

    `build` goes on from `ranks.csv` when this happens; every other command stops.
    """


class FileMissing(CorpusMissing):
    """A file that a plan pins by its digest is not at hand."""


class CheckFailed(PagecostError):
    """A check was made and did not hold: a replay that differs, a frozen plan that changed."""

    status = 1
