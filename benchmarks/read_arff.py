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


def peak_mib():
    """Peak resident memory of this process alone; ru_maxrss would start from the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 2**10
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def child(reader, path):
    """Print wall and CPU seconds, peak memory, peak before reading (imports), and rows, in one line."""
    work = {"stakes": read_ours, "pandas": read_pandas}[reader](path)
    before = peak_mib()
    start, cpu = time.perf_counter(), time.process_time()
    n_rows = work()
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(seconds, cpu, peak_mib(), before, n_rows)


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
        print(f"{'reader':<28}{'rows':>10}{'seconds':>10}{'CPU s':>8}{'peak MiB':>10}{'imports MiB':>13}")
        for label, reader, file in (
            ("stakes.table.read_table", "stakes", path),
            ("pandas.read_csv (bare rows)", "pandas", bare),
        ):
            seconds, cpu, peak, before, n_rows = measure(reader, file)
            print(f"{label:<28}{int(n_rows):>10}{seconds:>10.2f}{cpu:>8.2f}{peak:>10.0f}{before:>13.0f}")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1:2] == ["--child"] else main(*sys.argv[1:])
