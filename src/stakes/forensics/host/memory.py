"""The counters of one process: a memory-mapped file that outlives the process, however that ends.

All numbers are little-endian. The first page is the header, 8 bytes a slot: magic, layout version, process
id, ``sys.hexversion``, digest of the model (0 while recording), flags, then offset, capacity and used
entries of each table in :data:`TABLES`; from slot 256 on the length of the name of the exception that nobody
caught, and the name. An entry is written completely before the table's ``used`` is
raised, and every count is an aligned slot of 8 bytes, so that a reader finds no half-written entry whenever
the process was killed.

========== ====================================================================== =====
table      entry                                                                  bytes
========== ====================================================================== =====
names      UTF-8 text                                                             1
functions  path offset, path length, name offset, name length, line, 0; starts    32
sets       a set with one tree less; the tree added. Set 0 is the empty set       8
trees      function; set of the trees below; calls                                16
lines      function; line; times reached                                          16
threads    depth; then function and set so far of each call not yet ended         32768
========== ====================================================================== =====
"""

from __future__ import annotations

import os
import sys
import time

from .backend import _tracer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import mmap

MAGIC, LAYOUT = b"STAKESCT", 1
HEADER = 4096
PID, PYTHON, DIGEST, FLAGS, FIRST_TABLE = 2, 3, 4, 5, 6
EXCEPTION, EXCEPTION_MOST = 256, 248
FULL, OVER_BUDGET = 1, 2
DEEPEST = 4095
TABLES = {"names": 1, "functions": 32, "sets": 8, "trees": 16, "lines": 16, "threads": 8 * (DEEPEST + 1)}

#: Watched events per second past which watching ends: at some 30 ns an event, 3 % of the time.
BUDGET = 1_000_000


def recording(trees: bool, lines: bool) -> dict[str, int]:
    """Return the entries of each table; pip needs 4,000 functions, 10,700 trees and 18,000 sets."""
    return {
        "names": 1 << 21,
        "functions": 1 << 15,
        "sets": 1 << 19 if trees else 2,
        "trees": 1 << 18 if trees else 1,
        "lines": 1 << 17 if lines else 1,
        "threads": 64 if trees else 1,
    }


def create(folder: str | None, capacity: dict[str, int], digest: int = 0) -> mmap.mmap | memoryview:
    """Return mapped, empty tables: in a new file of ``folder``, or in plain memory where it is None.

    The file's blocks are allocated here: with a full disk this is the OSError, not a later access of a
    counter.
    """
    size = HEADER + sum(_padded(name, entries) for name, entries in capacity.items())
    memory = _anonymous(size) if folder is None else _file(folder, size)
    slots = memoryview(memory).cast("Q")
    offset = HEADER
    for place, name in enumerate(TABLES):
        used = 1 if name == "sets" else 0
        slots[FIRST_TABLE + 3 * place : FIRST_TABLE + 3 * place + 3] = memoryview(
            b"".join(number.to_bytes(8, "little") for number in (offset, capacity[name], used))
        ).cast("Q")
        offset += _padded(name, capacity[name])
    slots[1], slots[PID], slots[PYTHON], slots[DIGEST] = LAYOUT, os.getpid(), sys.hexversion, digest
    memory[:8] = MAGIC  # last: a file without it was never finished
    return memory


def _padded(name: str, entries: int) -> int:
    return -(-TABLES[name] * entries // 4096) * 4096


def _anonymous(size: int) -> mmap.mmap:
    import mmap  # only where it is needed: loading it takes longer than the rest of this file

    if sys.platform == "win32":
        return mmap.mmap(-1, size)
    return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _file(folder: str, size: int) -> mmap.mmap | memoryview:
    # The time makes the name new after an exec, which keeps the process id.
    path = os.path.join(folder, f"{os.getpid()}-{time.time_ns()}.counts")
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, size)
        else:
            for start in range(0, size, 1 << 20):
                os.write(descriptor, bytes(min(1 << 20, size - start)))
        if _tracer is not None:
            return _tracer.map_file(descriptor, size)
        import mmap

        return mmap.mmap(descriptor, size)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)
