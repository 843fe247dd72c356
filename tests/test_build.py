"""The build sees a change to any source of the core, whichever folder it lies in, and ships the types."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = sorted(path.name for path in (ROOT / "cpp").iterdir() if path.is_dir())
MAKE = shutil.which("make")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return a copy of what the build reads, with the mark that all of it is built."""
    shutil.copytree(ROOT / "cpp", tmp_path / "cpp")
    for name in ("Makefile", "pyproject.toml", "CMakeLists.txt", "tools/build_tracer.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in ("venv/bin/python", "venv/.installed"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def planned(folder: Path, target: str = "venv/.installed") -> str:
    """Return what make would do in a folder."""
    command = [str(MAKE), "--dry-run", "VENV=venv", target]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_sources_lie_in_folders():
    assert {"bindings", "common", "tree"} <= set(FOLDERS)
    assert not [path.name for path in (ROOT / "cpp").iterdir() if path.is_file()]


@pytest.mark.skipif(MAKE is None, reason="make is not installed")
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_change_in_any_folder_builds_the_core_again(installed, folder):
    assert "pip install" not in planned(installed)
    stamp = (installed / "venv" / ".installed").stat().st_mtime
    for source in sorted((installed / "cpp" / folder).iterdir()):
        before = source.stat().st_mtime
        os.utime(source, (stamp + 10, stamp + 10))
        assert "pip install" in planned(installed), source.name
        os.utime(source, (before, before))


@pytest.mark.skipif(MAKE is None, reason="make is not installed")
def test_the_demo_installs_what_users_need_and_nothing_where_all_is_there(installed):
    """In either order: the tests bring what the demo needs, and the demo not all that tests need."""
    (installed / "venv" / ".installed").unlink()
    assert '".[data,report]"' in planned(installed, "demo") and ".[dev]" not in planned(installed, "demo")
    (installed / "venv" / ".runs").touch()
    assert "pip install" not in planned(installed, "demo")
    assert '".[dev]"' in planned(installed, "test") and "touch venv/.runs venv/.installed" in planned(
        installed, "test"
    )


def test_who_installs_stakes_has_its_types():
    assert (files("stakes") / "py.typed").is_file()
    assert (files("stakes") / "_core.pyi").is_file()


def test_each_change_to_the_core_that_tests_must_notice_can_be_made():
    """Words of the core change: a list that names old ones would stop `make mutate`."""
    mutations = tomllib.loads((ROOT / "tools" / "mutate" / "core.toml").read_text(encoding="utf-8"))[
        "mutation"
    ]
    assert len(mutations) >= 40
    for mutation in mutations:
        source = (ROOT / mutation["file"]).read_text(encoding="utf-8")
        assert source.count(mutation["old"]) == 1, f"{mutation['file']}: {mutation['old']}"
