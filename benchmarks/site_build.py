"""How long a site of 20 versions and 100 figures takes: cold, and again with nothing changed.

    python -m benchmarks.site_build

Versions are of invented ranks and so replay in no time; what is timed is the whole process, from
drawing to files. The budget: 60 s cold, 4 s unchanged.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.builders import environment
from tests.site_builders import CONFIG, add_version, plan_json, write

VERSIONS, QUERIES = 20, 8


def project(root: Path) -> None:
    """Twenty versions of one experiment, each with ranks of its own and five figures."""
    rng = np.random.default_rng(20261204)
    write(root, {"mkdocs.yml": CONFIG, "site/index.md": "# Invented\n"})
    for number in range(1, VERSIONS + 1):
        ranks = {
            name: tuple(rng.integers(1, 60, QUERIES).tolist()) for name in ("baseline", "helper")
        }
        add_version(root, plan_json(str(number)), ranks)


def seconds(root: Path, cache: Path) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "pagecost", "build", "--quiet"],
        cwd=root,
        env=environment(PAGECOST_CACHE=str(cache)),
        check=True,
    )
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder, "project"), Path(folder, "cache")
        project(root)
        print(f"cold {seconds(root, cache):.1f} s", flush=True)
        found = list((root / "_site").rglob("fig-*.svg"))
        print(f"{len(found)} figures, {len(list((root / '_site').rglob('*.html')))} pages")
        print("unchanged " + ", ".join(f"{seconds(root, cache):.2f} s" for _ in range(3)))


if __name__ == "__main__":
    main()
