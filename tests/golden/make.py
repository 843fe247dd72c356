"""Write down what stakes answers, or compare with what was written: ``python tests/golden/make.py --check``.

The files were made at the commit that ``commit.txt`` names, with the libraries of ``constraints.txt``, which
``make golden`` installs for the comparison: every difference comes from our own code. A difference that is
meant is a line of ``CHANGES.md``: the key as it is printed here, in backquotes (``*`` is anything), and why.
Files under ``saved`` are never made again: what was saved once stays readable.

Linear algebra and NumPy choose their loops by the processor, and sums differ in the last digits then: the
loops of ordinary 64-bit processors (AVX2) are asked for, so that the answers are those of every machine.
"""

from __future__ import annotations

import argparse
import fnmatch
import gzip
import importlib.metadata
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]
TOLERANCE = 1e-9
LOOPS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "OPENBLAS_NUM_THREADS": "1",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}


def main() -> int:
    """Make the files, or compare with them; the exit status is 1 where something differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; may be repeated")
    options = parser.parse_args()
    os.environ |= LOOPS  # read when NumPy is imported, which nothing above does
    parts = options.only or list(PARTS)
    if options.check:
        return check(parts)
    for part in parts:
        write(part, PARTS[part]())
    (HERE / "commit.txt").write_text(git("rev-parse", "HEAD") + "\n")
    (HERE / "constraints.txt").write_text(constraints())
    return 0


def answers() -> dict[str, Any]:
    """What every estimator answers on the ten tables."""
    from golden.answers import answers

    return dict(answers())


def files() -> dict[str, Any]:
    """What the saved files answer."""
    from golden import files

    if not files.FOLDER.exists():
        files.write_files()
    return dict(files.file_answers())


def api() -> dict[str, Any]:
    """Public names, parameters, commands and options."""
    from golden.api import api

    return api()


def command_lines() -> dict[str, Any]:
    """What forty command lines print."""
    from golden.command_lines import command_lines

    return dict(command_lines())


def tests() -> dict[str, Any]:
    """Names of all tests, without their parameters."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    # NumPy warns of loops that a processor lacks anyway, and warnings are errors in the tests.
    environment = {name: value for name, value in os.environ.items() if name not in LOOPS}
    listed = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout
    return dict.fromkeys(
        sorted({line.partition("[")[0] for line in listed.splitlines() if "::" in line}), True
    )


PARTS = {
    "answers": answers,
    "files": files,
    "api": api,
    "command_lines": command_lines,
    "tests": tests,
}


def write(part: str, values: dict[str, Any]) -> None:
    """Write one part, compressed where it is long."""
    text = json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    if part == "api":
        (HERE / "api.json").write_text(text, encoding="utf-8")
    else:
        (HERE / f"{part}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{part}: {len(values)} written")


def read(part: str) -> dict[str, Any]:
    """Read what was written."""
    if part == "api":
        return json.loads((HERE / "api.json").read_text(encoding="utf-8"))
    return json.loads(gzip.decompress((HERE / f"{part}.json.gz").read_bytes()))


def check(parts: list[str]) -> int:
    """Compare and print every difference that no line of CHANGES.md excuses."""
    excused = re.findall(r"^- `([^`]+)`", (HERE / "CHANGES.md").read_text(encoding="utf-8"), re.MULTILINE)
    patterns = [re.compile(fnmatch.translate(pattern.replace("[", "[[]"))) for pattern in excused]
    unexpected = n_compared = 0
    for part in parts:
        old = read(part)
        keys = list(differences(old, PARTS[part](), part))
        left = [key for key in keys if not any(pattern.match(key) for pattern in patterns)]
        for key in left:
            print(f"differs: {key}")
        print(
            f"{part}: {len(left)} differences, {len(keys) - len(left)} more that CHANGES.md names", flush=True
        )
        unexpected += len(left)
        n_compared += len(old)
    print(f"{n_compared - unexpected} passed, {unexpected} failed: golden answers")
    return 1 if unexpected else 0


def differences(old: Any, new: Any, key: str) -> Any:
    """Give the keys under which two values differ; tests that are new do not count."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old if key == "tests" else old | new:
            yield from differences(old.get(name, ...), new.get(name, ...), f"{key} | {name}")
    elif isinstance(old, list) and old and all(type(value) is float for value in old):
        same = isinstance(new, list) and len(new) == len(old)
        if not same or not all(map(_close, old, new)):
            yield key
    elif old != new:
        yield key


def _close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def constraints() -> str:
    """List the versions of all libraries that are installed."""
    installed = {
        f"{distribution.metadata['Name'].lower()}=={distribution.version}"
        for distribution in importlib.metadata.distributions()
        if distribution.metadata["Name"].lower() != "stakes"
    }
    return "".join(f"{line}\n" for line in sorted(installed))


def git(*words: str) -> str:
    """Ask git."""
    return subprocess.run(
        ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
