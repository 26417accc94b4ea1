"""pagecost: publish what a ranking policy costs until the first known answer, and what it doesn't.

The flow is plan → corpus → ranking → cost → record → report → site; `pagecost.pipeline` is its
table of contents. From Python, `pagecost.score` and `pagecost.write_report` are all there is to
know (`pagecost.api`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagecost.version import VERSION

if TYPE_CHECKING:
    from pagecost.api import score, write_report

__version__ = VERSION
__all__ = ["__version__", "score", "write_report"]


def __getattr__(name: str) -> Any:
    """Loads the two functions when they are asked for: `pagecost --help` does without."""
    if name in ("score", "write_report"):
        from pagecost import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
