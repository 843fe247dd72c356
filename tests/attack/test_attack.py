"""Every class of attacks: nothing may crash, answer wrongly in silence, tear a file or speak in tracebacks.

``STAKES_ATTACK_CASES`` says how many of each class are tried, 200 where it is not set. A failure is repeated
by ``python -m attack CLASS NUMBER`` in the folder ``tests``.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

import pytest

from attack import CLASSES, run_class
from attack.outputs import at_line
from attack.signals import interrupt
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


def test_an_interrupt_within_a_finaliser_is_dropped_and_other_errors_there_are_not(monkeypatch):
    """Python drops both; where a garbage collection falls is chance, which no attack may depend on."""
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: reported.append(lost.exc_type))

    @dataclass
    class Finalised:
        error: type[BaseException]

        def __del__(self) -> None:
            raise self.error

    with at_line(-1, interrupt):
        Finalised(KeyboardInterrupt)
        Finalised(ZeroDivisionError)
    assert reported == [ZeroDivisionError]
