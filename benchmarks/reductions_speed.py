"""Time and memory of 30 rounds of GBSE on KDD-99: the training part of Abe et al., and the whole file's 4.9 million rows.

    STAKES_DATA=folder python benchmarks/reductions_speed.py [--skip-large]

Each measurement has a process of its own, whose peak memory is read at its end. The large shape is the 10 % file repeated up to
4,898,431 rows, once in memory and once as a Parquet file that is read once per round. Writes results/reductions_speed.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from stakes import GBSE, AverageCost, DataSpaceExpansion, datasets
from stakes.costs import abe_costs
from stakes.table import Table

TRAIN, WHOLE = 131_807, 4_898_431
FEW = 5  # rounds of the large shape, whose memory does not grow with them
METHODS = {"GBSE": GBSE, "DSE": DataSpaceExpansion, "AvgCost": AverageCost}


def peak():
    """Most memory that this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def training_rows(n_rows):
    """Rows drawn without replacement, or the file repeated where it is too small."""
    table, _ = datasets.load_table("kdd-99")
    if n_rows <= len(table):
        rows = np.sort(np.random.default_rng(0).permutation(len(table))[:n_rows])
        return table.take(rows)
    columns = []
    while table.columns:  # column by column, so that the small ones go as the large ones come
        columns.append(np.resize(table.columns.pop(0), n_rows))
    return Table(table.schema, columns, y=np.resize(table.y, n_rows), classes=table.classes)


def fit(method, X, y, n_jobs, counts, n_rounds):
    """Seconds of the rounds and what they were."""
    costs = abe_costs(*counts, 0)
    wall, cpu = time.perf_counter(), time.process_time()
    model = METHODS[method](cost_matrix=costs, n_jobs=n_jobs, n_estimators=n_rounds).fit(X, y)
    return {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "rows": sum(model.sample_counts_),
        "peak": peak(),
    }


def in_memory(method, n_rows, n_jobs, n_rounds=30):
    table = training_rows(n_rows)
    y = table.labels()
    before = peak()
    found = fit(method, table, y, n_jobs, np.unique(y, return_counts=True), n_rounds)
    data = sum(column.nbytes for column in table.columns) / 2**20
    return found | {"before": before, "data": data}


def from_file(method, path):
    classes, counts = json.loads(Path(path).with_suffix(".json").read_text())
    before = peak()
    return fit(method, path, "category", None, (classes, counts), FEW) | {"before": before, "data": 0.0}


def write_file(path):
    """The large shape as Parquet, a piece at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, _ = datasets.load_table("kdd-99")
    labels = table.labels()
    writer, written = None, 0
    while written < WHOLE:
        n_rows = min(len(table), WHOLE - written)
        piece = table.take(slice(0, n_rows)).to_frame().assign(category=labels[:n_rows])
        arrow = pa.Table.from_pandas(piece, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, arrow.schema)
        writer.write_table(arrow, row_group_size=65_536)
        written += n_rows
    writer.close()
    whole = np.resize(labels, WHOLE)
    classes, counts = np.unique(whole, return_counts=True)
    Path(path).with_suffix(".json").write_text(json.dumps([classes.tolist(), counts.tolist()]))


def apart(*call):
    """Result of a call of this file in a process of its own."""
    out = subprocess.run(
        [sys.executable, __file__, "--call", json.dumps(call)], check=True, capture_output=True
    )
    return json.loads(out.stdout.splitlines()[-1])


def line(what, found, asked):
    return (
        f"| {what} | {found['seconds']:.1f} | {found['cpu']:.1f} | {found['rows']} | {found['data']:.0f} "
        f"| {found['before']:.0f} | {found['peak']:.0f} | {asked} |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--skip-large", action="store_true")
    parser.add_argument("--call", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.call:
        name, *arguments = json.loads(options.call)
        print(json.dumps(globals()[name](*arguments)))
        return
    lines = [
        "| what | seconds | processor seconds | rows sampled | columns, MiB | peak before the fit, MiB | peak, MiB | asked |",
        "|---|---|---|---|---|---|---|---|",
    ]
    runs = [apart("in_memory", "GBSE", TRAIN, None) for _ in range(3)]
    runs.sort(key=lambda found: found["seconds"])
    spread = f"under 10 s, 1024 MiB (three runs: {runs[0]['seconds']:.1f} to {runs[-1]['seconds']:.1f} s)"
    lines.append(line(f"GBSE, {TRAIN} rows", runs[1], spread))
    for method in ("DSE", "AvgCost"):
        for n_jobs in (1, 2):
            found = apart("in_memory", method, TRAIN, n_jobs)
            lines.append(line(f"{method}, {TRAIN} rows, {n_jobs} threads", found, "-"))
    if not options.skip_large:
        lines.append(
            line(
                f"GBSE, {WHOLE} rows, {FEW} rounds",
                apart("in_memory", "GBSE", WHOLE, None, FEW),
                "under 5120 MiB",
            )
        )
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "rows.parquet"))
            apart("write_file", path)
            lines.append(
                line(
                    f"GBSE, {WHOLE} rows of a Parquet file, {FEW} rounds",
                    apart("from_file", "GBSE", path),
                    "-",
                )
            )
    text = f"""# Speed and memory of the reductions

KDD-99 in five categories, 41 columns, 30 rounds over C4.5 unless said otherwise, costs as in `abe2004`; Python {platform.python_version()},
{platform.machine()}. "Peak before the fit" has the interpreter, the libraries and the reading of the file in it. A run from a
Parquet file keeps one share per row and class, and the samples, but no features. The machine had {os.cpu_count()} cores and a load of
{os.getloadavg()[0]:.0f} at the end: where that is more than its cores, seconds say more about the others than processor seconds do.

{chr(10).join(lines)}
"""
    (Path(__file__).parent / "results" / "reductions_speed.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
