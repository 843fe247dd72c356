"""A pytest plugin: run the tests listed in the file STAKES_CHOSEN_TESTS, in its order; note which fail."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest

MEMORY = 8 << 30  # bytes that a changed program may allocate
resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the chosen tests."""
    chosen = json.loads(Path(os.environ["STAKES_CHOSEN_TESTS"]).read_text(encoding="utf-8"))
    order = {test: place for place, test in enumerate(chosen)}
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write down the tests that fail."""
    if report.failed:
        with open(os.environ["STAKES_CHOSEN_TESTS"] + ".failed", "a", encoding="utf-8") as file:
            print(report.nodeid, file=file)
