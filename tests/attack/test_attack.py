"""Every class of attacks: nothing may crash, answer wrongly in silence, tear a file or speak in tracebacks.

``STAKES_ATTACK_CASES`` says how many of each class are tried, 200 where it is not set. A failure is repeated
by ``python -m attack CLASS NUMBER`` in the folder ``tests``.
"""

from __future__ import annotations

import os
import sys

import pytest

from attack import CLASSES, run_class
from stakes.boosted import trees as boosted_trees

CASES = int(os.environ.get("STAKES_ATTACK_CASES", "200"))
#: Attacks of one test; a test must not take long.
BLOCK = 10

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="attacks use pipes, forks and limits of Linux"
)


@pytest.mark.parametrize("start", range(0, CASES, BLOCK))
@pytest.mark.parametrize("name", CLASSES)
def test_attacks(name, start, record_property, monkeypatch):
    monkeypatch.setattr(boosted_trees, "ROUNDS", (8,))
    tally = run_class(name, range(start, min(start + BLOCK, CASES)))
    record_property("attacks", (name, tally.answered, tally.refused, len(tally.failures)))
    assert not tally.failures, "\n".join([str(tally), *tally.failures])
