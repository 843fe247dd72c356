"""How fast rules are found: next to CN2 of Orange, and on large tables.

    STAKES_DATA=folder STAKES_ORANGE=/venv/bin/python python benchmarks/rules_speed.py [--work folder]

CN2 takes minutes, so its answer is kept in the work folder and not computed again. Writes results/rules_speed.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from rules_data import as_problem, load
from stakes import MDLDiscretizer, RuleClassifier, _core

HERE = Path(__file__).parent
#: Comparable settings: a rule covers at least 1 % of the rows and has at most five conditions.
N_ROWS, SUPPORT, LENGTH = 5000, 50, 5


def timed(task, repeats=3):
    """Least seconds on the clock and on the processors, and what the task gave."""
    clock, cpu = [], []
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        result = task()
        clock.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
    return min(clock), min(cpu), result


def cn2_seconds(X, y, work):
    target = work / "speed.answers.json"
    orange = os.environ.get("STAKES_ORANGE")
    if not target.exists() and orange:
        everything = (np.arange(N_ROWS), np.arange(10))
        problem = as_problem(X, y, [everything], min_covered_examples=SUPPORT, max_rule_length=LENGTH)
        (work / "speed.json").write_text(json.dumps(problem))
        command = [orange, str(HERE / "rules_cn2.py"), str(work / "speed.json"), str(target)]
        subprocess.run(command, check=True)
    return json.loads(target.read_text())[0] if target.exists() else None


def against_cn2(work):
    X, y, _ = load("waveform")
    X, y = X.iloc[:N_ROWS], y[:N_ROWS]
    lines = [
        "## waveform, 5,000 rows",
        "",
        "| | processor s | rules | times as fast as CN2 |",
        "|---|---|---|---|",
    ]
    cn2 = cn2_seconds(X, y, work)
    if cn2 is None:
        lines.append("| CN2 of Orange | not run: STAKES_ORANGE does not name a Python with Orange3 | | |")
    else:
        lines.append(
            f"| CN2 of Orange, at least {SUPPORT} rows, at most {LENGTH} conditions, once | {cn2['seconds']:.1f} | {cn2['rules']} | 1 |"
        )
    tasks = {
        "one cut-off, 0.5": lambda: RuleClassifier(t_good=0.5, min_support=SUPPORT, max_length=LENGTH).fit(
            X, y
        ),
        "one cut-off, 0.1": lambda: RuleClassifier(t_good=0.1, min_support=SUPPORT, max_length=LENGTH).fit(
            X, y
        ),
        "cut-off chosen by 5 folds": lambda: RuleClassifier(
            abstain_cost=1.0, min_support=SUPPORT, max_length=LENGTH
        ).fit(X, y),
    }
    for title, task in tasks.items():
        _, cpu, model = timed(task)
        ratio = "" if cn2 is None else f"{cn2['seconds'] / cpu:.0f}"
        lines.append(f"| ours, {title} | {cpu:.3f} | {len(model.rules_)} | {ratio} |")
    return [*lines, ""]


def discretiser():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 20))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0).astype(int)
    lines = ["## MDLDiscretizer, 1,000,000 x 20", "", "| | clock s | processor s |", "|---|---|---|"]
    for threads in (1, 2):
        clock, cpu, _ = timed(lambda n=threads: MDLDiscretizer(n_jobs=n).fit(X, y), 2)
        lines.append(
            f"| fit, {threads} thread{'s' if threads > 1 else ''} (asked: under 3 s on 2) | {clock:.2f} | {cpu:.2f} |"
        )
    return [*lines, ""]


def large_search():
    rng = np.random.default_rng(0)
    n = 100_000
    lines = [
        "## 100,000 rows x 30 nominal columns to length 4",
        "",
        "| values per column | candidates | threads | clock s | processor s | rules |",
        "|---|---|---|---|---|---|",
    ]
    for n_values in (2, 3, 4):
        columns = [rng.integers(0, n_values, n).astype(np.int32) for _ in range(30)]
        y = ((columns[0] == 1) & (columns[1] == 1)) | (
            (columns[3] == 0) & (columns[4] == 1) & (columns[5] == 1)
        )
        y = (y ^ (rng.random(n) < 0.1)).astype(np.int32)
        table = _core.Table(columns, [n_values] * 30)
        for threads in (1, 2):
            clock, cpu, (found, cuts, n_candidates, _) = timed(
                lambda t=table, c=y, w=threads: _core.search_rules(
                    t, c, 2, None,
                    _core.RuleOptions(
                        t_good=[0.1], min_support=[0.002 * n] * 2, max_length=4, max_candidates=10**9,
                        max_bytes=2**30, n_threads=w,
                    ),
                    class_costs=np.ones(2),
                ),
                1,
            )  # fmt: skip
            assert not cuts
            lines.append(
                f"| {n_values} | {n_candidates:,} | {threads} | {clock:.1f} | {cpu:.1f} | {len(found[0][3])} |"
            )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        *lines,
        "",
        f"Asked: under 30 s on 2 cores. Most memory of the whole benchmark: {memory:.0f} MiB.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir(), "stakes-rules"))
    work = parser.parse_args().work
    work.mkdir(exist_ok=True, parents=True)
    lines = [
        "# Speed of the rule learner",
        "",
        f"`benchmarks/rules_speed.py`, {os.cpu_count()} cores, Python {platform.python_version()}; least of three runs (two of the "
        "discretiser, one of the large searches). Other programs ran on the machine, so processor seconds say more than the clock.",
        "",
        *against_cn2(work),
        *discretiser(),
        *large_search(),
    ]
    (HERE / "results" / "rules_speed.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
