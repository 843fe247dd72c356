"""A pytest plugin: programs that a test starts count their lines under its name; times are written down."""

from __future__ import annotations

import base64
import json
import os

import pytest

CONFIG = "COVERAGE_PROCESS_CONFIG"  # coverage.py's own, made by its patch "subprocess"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tell the programs that this test will start which test it is."""
    if CONFIG in os.environ:
        config = json.loads(base64.b64decode(os.environ[CONFIG]))
        config["context"] = item.nodeid
        os.environ[CONFIG] = base64.b64encode(json.dumps(config).encode()).decode()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down how long a test took, in the process that all workers report to."""
    if report.when == "call" and not report.skipped and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(os.environ["STAKES_TEST_TIMES"], "a", encoding="utf-8") as file:
            print(json.dumps([report.nodeid, report.duration]), file=file)
