"""What `stakes predict` holds in memory: block by block, and all rows at once, by the number of rows.

    python benchmarks/predict_memory.py [--rows 1000000]

Peak of the process's memory (resident set) and seconds of its processor, five numeric columns. Writes
results/predict_memory.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from stakes import C45Classifier
from stakes.models import save_model

COLUMNS = [f"x{j}" for j in range(5)]
FORMATS = ("csv", "csv.gz", "parquet")
AT_ONCE = (
    "from stakes.table._readers import blocks, pieces;"
    "pieces.PIECE = 1 << 28; blocks.MOST_ROWS = blocks.MOST_CELLS = 1 << 26;"
)
MAIN = "from stakes.cli import main; main()"


def write(folder, n_rows):
    """Write the same rows in all formats."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(n_rows, 5)).round(4), columns=COLUMNS)
    for suffix in FORMATS:
        path = folder / f"{n_rows}.{suffix}"
        if suffix == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False)


def measured(folder, n_rows, suffix, at_once):
    """Peak MB and seconds of one command, which answers in the format that it reads."""
    answers = folder / f"answers.{'parquet' if suffix == 'parquet' else 'csv'}"
    program = (AT_ONCE if at_once else "") + MAIN
    command = [sys.executable, "-c", program, "predict", folder / "model.json", folder / f"{n_rows}.{suffix}"]
    process = subprocess.Popen([*map(str, command), "-o", str(answers)], stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0, command
    return used.ru_maxrss / 1024, used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    lines = [
        "| format | rows | MB in blocks | MB at once | s in blocks | s at once |",
        "|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as name:
        folder, rng = Path(name), np.random.default_rng(1)
        X = pd.DataFrame(rng.normal(size=(5000, 5)), columns=COLUMNS)
        save_model(
            C45Classifier(max_depth=6).fit(X, np.where(X.sum(axis=1) > 0, "good", "bad")),
            folder / "model.json",
        )
        for n_rows in (options.rows // 10, options.rows):
            write(folder, n_rows)
            for suffix in FORMATS:
                blocks, at_once = (measured(folder, n_rows, suffix, whole) for whole in (False, True))
                figures = (f"{blocks[0]:.0f}", f"{at_once[0]:.0f}", f"{blocks[1]:.1f}", f"{at_once[1]:.1f}")
                lines.append(f"| {suffix} | {n_rows:,} | {' | '.join(figures)} |")
    head = (
        "Peak memory of `stakes predict MODEL ROWS -o ANSWERS` and its processor time, block by block and with all\n"
        f"rows in one block; five numeric columns, Python {platform.python_version()}. Made by\n"
        "`benchmarks/predict_memory.py`.\n\n"
    )
    text = head + "\n".join(lines) + "\n"
    print(text)
    if options.rows == 1_000_000:
        (Path(__file__).parent / "results" / "predict_memory.md").write_text(text)


if __name__ == "__main__":
    main()
