"""Build the tracer for other interpreters, next to its sources: ``python tools/build_tracer.py PYTHON...``.

A wheel has the tracer for its own interpreter. Tests and benchmarks record programs on several; each
extension has its interpreter in its name, so that they lie side by side. Without arguments, the interpreters
that pyenv and PATH offer are used: one of each minor version from 3.11 on.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "stakes" / "forensics" / "host"
SOURCES = sorted((ROOT / "cpp" / "tracer").glob("*.c"))
ASK = """
import json, sys, sysconfig
print(json.dumps([sys.version_info[:2], sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX"),
                  sys.implementation.name, bool(sysconfig.get_config_var("Py_GIL_DISABLED"))]))
"""


def interpreters() -> dict[str, str]:
    """Return an interpreter for each minor version found, newest patch first."""
    candidates = glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python"))
    candidates += filter(None, (shutil.which(f"python3.{minor}") for minor in range(11, 20)))
    found: dict[str, str] = {}
    for python in [sys.executable, *sorted(candidates, reverse=True)]:
        answer = ask(python)
        if answer is not None:
            found.setdefault("{}.{}".format(*answer[0]), python)
    return dict(sorted(found.items()))


def ask(python: str) -> list | None:
    """Say what is needed to build for an interpreter; None where it is not one to build for."""
    asked = subprocess.run([python, "-Sc", ASK], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        return None
    answer = json.loads(asked.stdout)
    (major, minor), include, _, implementation, free_threaded = answer
    usable = (major, minor) >= (3, 11) and implementation == "cpython" and not free_threaded
    return answer if usable and Path(include, "Python.h").exists() else None


def build(python: str, target: Path = TARGET, flags: Sequence[str] = ()) -> Path:
    """Compile the extension for an interpreter unless it is there and newer than its sources."""
    answer = ask(python)
    if answer is None:
        raise ValueError(f"{python} is no CPython of 3.11 or later with its headers")
    extension = target / f"_tracer{answer[2]}"
    newest = max(path.stat().st_mtime for path in [*SOURCES, *(ROOT / "cpp" / "tracer").glob("*.h")])
    if not extension.exists() or extension.stat().st_mtime < newest:
        compiler = [
            os.environ.get("CC", "cc"),
            "-std=gnu11",
            "-O3",
            "-flto",
            "-fvisibility=hidden",
            "-g",
            "-fPIC",
            "-shared",
            "-pthread",
        ]
        warnings = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-missing-field-initializers"]
        include = ["-I", answer[1]]
        sources = list(map(str, SOURCES))
        subprocess.run([*compiler, *warnings, *flags, *include, *sources, "-o", str(extension)], check=True)
    return extension


if __name__ == "__main__":
    for one in sys.argv[1:] or interpreters().values():
        print(f"{one}: {build(one).name}")
