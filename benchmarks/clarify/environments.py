"""Virtual environments of the benchmark programs: pinned packages from PyPI, kept in a cache folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

#: Newest first: on 3.12 and later selected functions can be watched at no cost to the others.
INTERPRETERS = ("python3.13", "python3.12", "python3.11")


def find_python(wanted: str | None) -> str:
    """The interpreter asked for, or the newest supported one that answers."""
    for name in (wanted,) if wanted else (*INTERPRETERS, sys.executable):
        path = shutil.which(name)
        # A shim may be found and still refuse to run.
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    raise SystemExit(f"no usable interpreter: {wanted or ', '.join(INTERPRETERS)}")


def environment(cache: Path, name: str, packages: tuple[str, ...], python: str) -> str:
    """Make the environment of a program once; return its interpreter."""
    folder = cache / "environments" / name
    done = folder / "packages.txt"
    wanted = "\n".join((python, *packages))
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        install = [
            str(folder / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-deps",
        ]
        subprocess.run([*install, *packages], check=True)
        done.write_text(wanted)
    return str(folder / "bin" / "python")
