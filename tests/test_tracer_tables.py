"""The tables of counters by hand: how they are laid out, and how they are read whatever became of them."""

from __future__ import annotations

import mmap
import os
import sys

import pytest

from stakes.forensics.host import counters, memory

CAPACITY = {"names": 4097, "functions": 128, "sets": 3, "trees": 4, "lines": 5, "threads": 2}
PLACES = {name: place for place, name in enumerate(memory.TABLES)}


class File:
    """Tables in memory, with their entries as lists of words."""

    def __init__(self, **entries):
        self.data = memory.create(None, CAPACITY)
        self.slots = memoryview(self.data).cast("Q")
        self.words = memoryview(self.data).cast("I")
        for name, some in entries.items():
            self.fill(name, some)

    def header(self, name, what):
        """Number of the slot with the offset (0), capacity (1) or used entries (2) of a table."""
        return memory.FIRST_TABLE + 3 * PLACES[name] + what

    def fill(self, name, entries):
        offset = self.slots[self.header(name, 0)]
        if name == "names":
            self.data[offset : offset + len(entries)] = entries
        else:
            for number, entry in enumerate(entries):
                first = offset // 4 + number * memory.TABLES[name] // 4
                for place, word in enumerate(entry):
                    self.words[first + place] = word
        self.slots[self.header(name, 2)] = len(entries)

    def read(self):
        return counters.read(self.data)


#: "a.py", "f" and "g"; starts of 7 and 9.
FUNCTIONS = {"names": b"a.pyfg", "functions": [(0, 4, 4, 1, 3, 0, 7, 0), (0, 4, 5, 1, 6, 0, 9, 0)]}


# ---- layout ------------------------------------------------------------------------------------------------


def test_tables_lie_behind_each_other_on_pages_of_their_own():
    file = File()
    pages = {"names": 2, "functions": 1, "sets": 1, "trees": 1, "lines": 1, "threads": 16}
    first = 1
    for name, number in pages.items():
        header = [file.slots[file.header(name, what)] for what in range(3)]
        assert header == [4096 * first, CAPACITY[name], int(name == "sets")]
        first += number
    assert len(file.data) == 4096 * first
    assert bytes(file.data[:8]) == b"STAKESCT" and file.slots[1] == 1
    assert list(file.slots[2:6]) == [os.getpid(), sys.hexversion, 0, 0]


def test_room_for_what_is_recorded():
    """As pip needs it, several times over; what is not recorded takes next to none."""
    plain = {"names": 2097152, "functions": 32768, "sets": 2, "trees": 1, "lines": 1, "threads": 1}
    assert memory.recording(trees=False, lines=False) == plain
    trees = {"sets": 524288, "trees": 262144, "threads": 64}
    assert memory.recording(trees=True, lines=False) == plain | trees
    assert memory.recording(trees=False, lines=True) == plain | {"lines": 131072}


def test_memory_of_a_process_is_its_own_after_a_fork(monkeypatch):
    monkeypatch.setattr(mmap, "mmap", lambda *arguments: arguments)
    monkeypatch.setattr(sys, "platform", "linux")
    assert memory._anonymous(4096) == (-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    monkeypatch.setattr(sys, "platform", "win32")
    assert memory._anonymous(4096) == (-1, 4096)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_file_has_what_its_memory_has(tmp_path, monkeypatch, compiled):
    if not compiled:
        monkeypatch.setattr(memory, "_tracer", None)
    elif memory._tracer is None:
        pytest.skip("no tracer is compiled here")
    closed, close = [], os.close
    monkeypatch.setattr(os, "close", lambda descriptor: closed.append(close(descriptor)))
    data = memory.create(str(tmp_path), CAPACITY, digest=5)
    assert len(closed) == 1 and isinstance(data, mmap.mmap) != compiled
    (path,) = tmp_path.iterdir()
    assert path.name.startswith(f"{os.getpid()}-") and path.suffix == ".counts"
    assert path.stat().st_mode & 0o777 == 0o600
    memoryview(data).cast("Q")[memory.FLAGS] = 1
    found = counters.read(path.read_bytes())
    assert found.digest == 5 and found.full and path.stat().st_size == len(data)


def test_a_file_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    with pytest.raises(OSError, match="no space left"):
        memory.create(str(tmp_path), CAPACITY)
    assert list(tmp_path.iterdir()) == []


# ---- reading -----------------------------------------------------------------------------------------------


def test_functions_trees_and_lines():
    file = File(
        **FUNCTIONS,
        sets=[(0, 0), (0, 0), (1, 1)],
        trees=[(1, 0, 4, 0), (0, 0, 5, 0), (1, 2, 6, 0), (0, 1, 2, 1)],
        lines=[(0, 4, 3, 0), (1, 7, 0, 0), (2, 7, 9, 0), (1, 8, 2, 0)],
    )
    found = file.read()
    assert found.functions == [("a.py", "f", 3), ("a.py", "g", 6)] and found.starts == [7, 9]
    assert found.trees == [(1, ()), (0, ()), (1, (0, 1)), (0, (0,))]
    assert found.calls == [4, 5, 6, 2 + (1 << 32)]
    assert found.lines == [(0, 4, 3), (1, 7, 0), (1, 8, 2)]  # there is no function 2
    assert (found.full, found.over_budget, found.exception) == (False, False, None)


def test_a_header_alone_is_enough_for_empty_tables():
    data = bytearray(memory.HEADER)
    data[:8] = memory.MAGIC
    slots = memoryview(data).cast("Q")
    slots[1] = 1
    for place in range(6):
        slots[memory.FIRST_TABLE + 3 * place] = memory.HEADER
    found = counters.read(data)
    assert (found.functions, found.trees, found.lines) == ([], [], [])
    with pytest.raises(ValueError, match="not a file of counters"):
        counters.read(data[:-1])
    slots[1] = 2
    with pytest.raises(ValueError, match="must have layout 1, got 2"):
        counters.read(data)
    data[0] += 1
    with pytest.raises(ValueError, match="not a file of counters"):
        counters.read(data)


def test_tables_that_do_not_fit_into_the_file():
    file = File(**FUNCTIONS)
    file.slots[file.header("functions", 1)] = 1  # more used than there is room for
    assert file.read().functions == [("a.py", "f", 3)]
    last = file.header("threads", 0)
    file.slots[last] = len(file.data) - 8
    assert file.read().starts == [7]
    file.slots[last] = len(file.data)
    assert file.read().starts == [7]
    for wrong in (file.slots[last] + 8, file.slots[last] - 4):
        file.slots[last] = wrong
        with pytest.raises(ValueError, match="cut short or damaged"):
            file.read()
    file.slots[last], file.slots[last + 2] = len(file.data) - memory.TABLES["threads"], 1
    assert file.read().trees == []
    file.slots[last] += 8
    with pytest.raises(ValueError, match="cut short or damaged"):
        file.read()


def test_flags_and_the_exception():
    file = File()
    for flags, full, over in ((1, True, False), (2, False, True), (3, True, True)):
        file.slots[memory.FLAGS] = flags
        assert (file.read().full, file.read().over_budget) == (full, over)
    first = 8 * (memory.EXCEPTION + 1)
    file.data[first : first + 300] = b"\xff" + b"x" * 299
    for length, name in ((2, "\ufffdx"), (248, "\ufffd" + "x" * 247), (300, "\ufffd" + "x" * 247)):
        file.slots[memory.EXCEPTION] = length
        assert file.read().exception == name


def test_sets_that_are_not_there_are_empty_and_circles_end():
    file = File(**FUNCTIONS, sets=[(0, 0), (1, 0), (2, 0)], trees=[(0, 0), (0, 1), (1, 2), (1, 3)])
    assert file.read().trees == [(0, ()), (0, (0,)), (1, (0,)), (1, ())]
    file.slots[file.header("sets", 2)] = 0
    assert file.read().trees == [(0, ()), (0, ()), (1, ()), (1, ())]


def test_trees_of_what_does_not_come_before_are_damaged():
    sets = [(0, 0), (0, 0), (0, 1)]
    assert len(File(**FUNCTIONS, sets=sets, trees=[(1, 0), (0, 1), (1, 2)]).read().trees) == 3
    for damaged in ([(2, 0)], [(0, 1)], [(1, 0), (1, 2)]):  # no such function, or a tree in itself
        with pytest.raises(ValueError, match="trees in the file of counters are damaged"):
            File(**FUNCTIONS, sets=sets, trees=damaged).read()


def test_calls_under_way_end_innermost_first():
    file = File(
        **FUNCTIONS,
        sets=[(0, 0), (0, 0)],
        trees=[(1, 0, 3)],
        # depth, then a function and the set so far of each call; there is no function 2
        threads=[(3, 0, 0, 1, 2, 0, 1, 0, 0, 1), (1, 0, 0, 0)],
    )
    found = file.read()
    # g in the first thread; f that had called tree 0 and now this g; f in the second thread
    assert found.trees == [(1, ()), (1, ()), (0, (0, 1)), (0, ())] and found.calls == [3, 1, 1, 1]


def test_a_depth_beyond_the_stack_is_that_of_the_stack():
    file = File(**FUNCTIONS, threads=[(5000, 0)])
    assert len(file.read().trees) == memory.DEEPEST
    file.slots[file.header("sets", 2)] = 0
    assert file.read().trees[1] == (0, (0,))
