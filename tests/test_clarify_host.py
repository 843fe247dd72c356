"""Parts that are loaded into a watched program, tried alone: line tables, versions, counters."""

from __future__ import annotations

import functools
import os
import sys

import pytest

from stakes.forensics.host import counters, inject, memory, versions


def test_lines_of_new_instructions_have_no_position_and_cover_eight_at_most():
    # An entry is a byte with the top bit: 15 for "no position" and the number of instructions less one.
    none = 128 | 15 << 3
    entry = bytes([128 | 3, 5])  # covers four, with one more byte
    assert inject._lines(entry, 4, 9) == entry + bytes([none | 7, none])
    assert inject._lines(entry * 2, 4, 8) == entry + bytes([none | 7]) + entry
    assert inject._lines(entry * 2, 0, 1) == bytes([none]) + entry * 2
    short = bytes([none | 3])  # covers four, with no more bytes
    assert inject._lines(short * 2, 4, 1) == short + bytes([none]) + short


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


def test_entries_of_exception_tables_that_lie_behind_are_moved():
    # numbers have six bits a byte, all but the last with a flag; the first byte of an entry is marked
    def numbers(*values):
        made = [[v >> 12 & 63 | 64, v >> 6 & 63 | 64, v & 63][2 - (v >= 64) - (v >= 4096) :] for v in values]
        return bytes([made[0][0] | 128, *made[0][1:], *(byte for one in made[1:] for byte in one)])

    table = numbers(3, 2, 100_000, 1) + numbers(4_999, 64, 70, 0) + numbers(4, 200, 5_000, 3)
    moved = numbers(3, 2, 100_009, 1) + numbers(5_008, 64, 79, 0) + numbers(4, 209, 5_009, 3)
    assert inject._moved(table, 7, 9) == moved


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="only the bytecode of Python 3.11 is changed")
@pytest.mark.parametrize("n_constants", [1, 254, 255, 256, 257, 600, (1 << 16) - 1, 1 << 16])
def test_functions_of_many_constants_tick(n_constants):
    values = [f"{i}.5" for i in range(n_constants - 1)]  # None is a constant, too
    space = {}
    exec(
        "def f():\n" + "\n".join(f" last = {value}" for value in values or ["None"]) + "\n return last", space
    )
    function, ticks = space["f"], []
    assert len(function.__code__.co_consts) == n_constants
    function.__code__ = inject.with_tick(function.__code__, functools.partial(ticks.append, "tick"))
    assert function() == (n_constants - 2 + 0.5 if values else None)
    assert len(ticks) == (n_constants < 1 << 16)


def test_files_are_as_large_where_they_must_be_filled_by_hand(tmp_path, monkeypatch):
    capacity = memory.recording(trees=True, lines=True)
    sizes = []
    for _ in range(2):
        memory.create(str(tmp_path), capacity)
        [path] = tmp_path.iterdir()
        sizes.append(path.stat().st_size)
        path.unlink()
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    assert sizes[0] == sizes[1] and sizes[0] % (1 << 20) != 0  # the last piece is shorter than the others
