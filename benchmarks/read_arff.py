"""Seconds and peak memory of reading a large ARFF file, next to pandas.read_csv of the same rows.

Usage: python benchmarks/read_arff.py [NAME]    (NAME.arff.gz in the folder that STAKES_DATA names)
Each reader runs in a process of its own, so that the peaks do not mix; the best of three runs counts.
"""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 3


def read_ours(path):
    from stakes.table import read_table

    return lambda: read_table(path).n_samples


def read_pandas(path):
    import pandas as pd

    return lambda: len(pd.read_csv(path, header=None, na_values="?"))


def child(reader, path):
    """Print seconds, peak RSS and peak RSS before reading (imports), in one line."""
    work = {"stakes": read_ours, "pandas": read_pandas}[reader](path)
    # ru_maxrss is in KiB on Linux and in bytes on macOS.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    start = time.perf_counter()
    n_rows = work()
    seconds = time.perf_counter() - start
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, before, n_rows)


def measure(reader, path):
    runs = []
    for _ in range(RUNS):
        command = [sys.executable, __file__, "--child", reader, str(path)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        runs.append([float(word) for word in output.split()])
    return min(runs)


def main(name="kddcup99-10pct-5c"):
    folder = os.environ.get("STAKES_DATA")
    if not folder:
        sys.exit("STAKES_DATA must name a folder with the data sets.")
    path = Path(folder, f"{name}.arff.gz")
    with tempfile.TemporaryDirectory() as temporary:
        bare = Path(temporary, "rows.csv.gz")
        _, _, rows = gzip.decompress(path.read_bytes()).partition(b"@data\n")
        bare.write_bytes(gzip.compress(rows))
        print(f"{name}, best of {RUNS}")
        print(f"{'reader':<28}{'rows':>10}{'seconds':>10}{'peak MiB':>10}{'imports MiB':>13}")
        for label, reader, file in (
            ("stakes.table.read_table", "stakes", path),
            ("pandas.read_csv (bare rows)", "pandas", bare),
        ):
            seconds, peak, before, n_rows = measure(reader, file)
            print(f"{label:<28}{int(n_rows):>10}{seconds:>10.2f}{peak:>10.0f}{before:>13.0f}")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1:2] == ["--child"] else main(*sys.argv[1:])
