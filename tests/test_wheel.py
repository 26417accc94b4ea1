"""The wheel works alone, and a checkout uses its own templates."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from pagecost import __version__
from pagecost.look import templates_folder
from tests.builders import ROOT, environment, pagecost, require
from tests.site_builders import tree


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", str(folder)]
    done = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, check=False)
    require(done.returncode == 0, f"pip can't build a wheel here: {done.stderr}")
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment that holds the wheel and, by path, its dependencies."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    venv.create(folder, with_pip=False)
    made = folder / ("Scripts" if os.name == "nt" else "bin")
    (python,) = made.glob("python.exe" if os.name == "nt" else "python")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", str(python)),
            *("install", "--no-deps", "--no-index", "--quiet", str(wheel)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    require(done.returncode == 0, f"pip can't install the wheel: {done.stderr}")
    packages = Path(
        subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    dependencies = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (packages / "dependencies.pth").write_text("\n".join(dependencies) + "\n", encoding="utf-8")
    return made


def run(scripts: Path, *arguments: str, cwd: Path) -> str:
    """What a script of that environment prints."""
    done = subprocess.run(
        [str(scripts / arguments[0]), *arguments[1:]],
        cwd=cwd,
        env=environment(PYTHONPATH=None),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_holds_the_package_and_its_templates_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pagecost").rglob("*.py")
        if "__pycache__" not in path.parts
    }
    templates = {
        f"pagecost/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "templates").rglob("*")
        if path.is_file()
    }
    assert {name for name in names if ".dist-info/" not in name} == package | templates
    assert "pagecost/templates/assets/site.css" in templates


def test_the_installed_package_is_the_wheels_own_and_brings_its_templates(
    scripts: Path, tmp_path: Path
) -> None:
    script = (
        "import json, pagecost, pagecost.look as look; "
        "print(json.dumps([pagecost.__file__, str(look.templates_folder())]))"
    )
    package, templates = map(Path, json.loads(run(scripts, "python", "-c", script, cwd=tmp_path)))
    assert package.resolve().is_relative_to(scripts.parent.resolve())
    assert templates == package.parent / "templates"
    assert run(scripts, "pagecost", "--version", cwd=tmp_path).strip().endswith(__version__)


def test_an_installed_pagecost_begins_a_project_and_builds_the_same_site_as_a_checkout(
    scripts: Path, tmp_path: Path
) -> None:
    root, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    run(scripts, "pagecost", "new", "demo@1", cwd=root)
    config = str(root / "mkdocs.yml")
    run(scripts, "pagecost", "build", "--config", config, cwd=elsewhere)
    site = tree(root / "_site")
    assert {"index.html", "demo/index.html", "demo/1/index.html", "demo/latest/index.html"} <= set(
        site
    )
    assert b"Draft." in site["demo/1/index.html"]
    done = pagecost("build", "--config", config, "--output", str(tmp_path / "other"), cwd=elsewhere)
    assert done.status == 0, done.err
    assert tree(tmp_path / "other") == site


def test_a_checkout_uses_the_templates_beside_its_package() -> None:
    assert templates_folder() == ROOT / "templates"
