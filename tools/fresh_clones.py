"""Run ``make test`` in fresh clones of the last commit, each with another seed.

Run it as ``python tools/fresh_clones.py 10``. A test that fails by chance, or that needs something of this
working tree, shows itself here. Runs go on after one that failed; the log of each is kept in ``build/clones``
and its seed is in the name.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / "build" / "clones"


def main() -> int:
    """Run the tests as often as asked for; the exit status is 1 where a run failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("count", type=int, nargs="?", default=10, help="how many runs (default: 10)")
    count = parser.parse_args().count
    LOGS.mkdir(parents=True, exist_ok=True)
    passed = sum(map(run, random.SystemRandom().sample(range(1, 2**32), count)))
    print(f"{passed} passed, {count - passed} failed: runs of make test, each in its own clone")
    return 0 if passed == count else 1


def run(seed: int) -> bool:
    """Clone, run the tests and take the clone away; tell whether all passed."""
    started, log = time.monotonic(), LOGS / f"seed-{seed}.log"
    # Where stakes is started by a git hook, git's own variables would name this repository.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    folder = Path(tempfile.mkdtemp(prefix="stakes-clone-"))
    try:
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], env=environment, check=True)
        with log.open("w", encoding="utf-8") as file:
            status = subprocess.run(
                ["make", "test"],
                cwd=folder,
                env=environment | {"STAKES_TEST_SEED": str(seed)},
                stdout=file,
                stderr=subprocess.STDOUT,
                check=False,
            ).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counts = re.findall(r"\d+ (?:passed|failed).* in .*", log.read_text(encoding="utf-8"))
    minutes = (time.monotonic() - started) / 60
    print(
        f"seed {seed}: {minutes:.1f} min, {counts[-1].strip(' =') if counts else 'no test ran'}", flush=True
    )
    return status == 0


if __name__ == "__main__":
    sys.exit(main())
