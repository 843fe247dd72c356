"""Parts that are loaded into a watched program, tried alone: line tables, versions, counters."""

from __future__ import annotations

import os
import sys

from stakes.forensics.host import counters, inject, memory, versions


def test_lines_of_new_instructions_have_no_position_and_cover_eight_at_most():
    # An entry is a byte with the top bit: 15 for "no position" and the number of instructions less one.
    none = 128 | 15 << 3
    entry = bytes([128 | 3, 5])  # covers four, with one more byte
    assert inject._lines(entry, 4, 9) == entry + bytes([none | 7, none])
    assert inject._lines(entry * 2, 4, 8) == entry + bytes([none | 7]) + entry
    assert inject._lines(entry * 2, 0, 1) == bytes([none]) + entry * 2


def test_versions_are_those_of_the_first_folder_that_can_be_read(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, version in ((first, "1.0"), (second, "2.0")):
        (folder / f"my_app-{version}.dist-info").mkdir(parents=True)
    (second / "other-3.1-py3.11.egg-info").mkdir()
    (second / "no-version.txt").touch()
    found = versions._installed(map(str, (tmp_path / "absent", first, second)))
    assert found == {"my-app": "1.0", "other": "3.1"}


def test_counters_say_which_process_they_are_of():
    made = counters.read(memory.create(None, memory.recording(trees=False, lines=False), digest=7))
    assert (made.pid, made.python, made.digest) == (os.getpid(), sys.hexversion, 7)
    assert not made.full and not made.over_budget and made.functions == [] and made.exception is None
