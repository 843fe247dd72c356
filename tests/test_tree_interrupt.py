"""Ctrl-C stops growing and pruning within moments; none of these fits is waited for."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

LONG = """
import numpy as np
from stakes import C45Classifier
rng = np.random.default_rng(0)
X = rng.random((5_000, 4_000))
y = rng.integers(0, 2, len(X))
print("ready", flush=True)
C45Classifier(criterion="gini", n_jobs={n_jobs}).fit(X, y)
print("done", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_fit(n_jobs):
    command = [sys.executable, "-c", LONG.format(n_jobs=n_jobs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert "done" not in out
    assert "KeyboardInterrupt" in error


# Pruning 5,000 rows takes 5 ms, and signals are looked for ten times a second: this one needs many rows.
PRUNING = """
import numpy as np
from stakes import _core
rng = np.random.default_rng(0)
X = rng.random((300_000, 8))
y = rng.integers(0, 2, len(X)).astype(np.int32)
table = _core.Table(list(X.T.copy()), [-1] * 8)
tree = _core.grow_tree(table, y, 2, None, _core.GrowOptions(criterion="gini"))
print("ready", flush=True)
tree.prune_by_errors(table, y, None, "c45", 0.25, 0.6925, True)
print("done", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_stops_pruning():
    with subprocess.Popen(
        [sys.executable, "-c", PRUNING], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert "done" not in out
    assert "KeyboardInterrupt" in error
