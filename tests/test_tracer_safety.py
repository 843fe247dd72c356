"""A traced program does what it does alone: the same output, exit status and exceptions, whatever happens."""

from __future__ import annotations

import ctypes
import os
import re
import resource
import subprocess
import sys
import time

import pytest

import tracing

pytestmark = pytest.mark.skipif(not tracing.LINUX, reason="limits and signals are Linux's here")

COMMON = """
import gc, os, signal, sys, threading
def leaf(n=0): return n
def work(n):
    for i in range(n): leaf(i)
    return n
work(10)
"""

PROGRAMS = {
    "ends well": "print(work(3))",
    "exits": "print('out'); sys.exit(3)",
    "exits with a message": "sys.exit('so long')",
    "raises": "work(None)",
    "chain of exceptions": """
try: work(None)
except TypeError as error: raise KeyError('gone') from error
""",
    "exception group": "raise ExceptionGroup('two', [ValueError(1), TypeError(2)])",
    "sees itself": """
import inspect, signal
print(sys.path, sys.argv, sorted(sys.modules))
print(sys.getprofile(), sys.gettrace(), threading.gettrace(), sys.getrecursionlimit())
print(threading.active_count())
print([signal.getsignal(n) for n in (signal.SIGBUS, signal.SIGSEGV, signal.SIGTERM, signal.SIGINT)])
print(os.open('/dev/null', os.O_RDONLY), sorted(os.listdir('/proc/self/fd')))
print(inspect.signature(leaf), leaf.__code__.co_varnames, sys.excepthook is sys.__excepthook__)
frame = sys._getframe()
print(frame.f_back, frame.f_lineno)
""",
    "recursion to the limit": """
def down(n):
    global reached
    reached = n
    down(n + 1)
for _ in range(3):
    try: down(0)
    except RecursionError as error: print(reached, error)
class Deep:
    def __repr__(self): return repr(self.inner)
thing = bottom = Deep()
for _ in range(20000):
    bottom.inner = Deep(); bottom = bottom.inner
bottom.inner = 1
try: repr(thing)
except RecursionError as error: print(error)
sys.setrecursionlimit(5000)
try: down(0)
except RecursionError as error: print(reached)
""",
    "uncaught recursion": "def down(): down()\ndown()",
    "threads that raise": """
def one(n): work(n)
threads = [threading.Thread(target=one, args=(None,), name=f'T{i}') for i in range(3)]
for thread in threads: thread.start(); thread.join()
threading.Thread(target=work, args=(10**4,), daemon=True).start()
""",
    "forks": """
import multiprocessing
if __name__ == '__main__':
    sys.stdout.flush()
    for status in (0, 5):
        pid = os.fork()
        if pid == 0:
            work(20); print('child', status, flush=True); os._exit(status)
        print(os.waitpid(pid, 0)[1], flush=True)
    for method in ('fork', 'spawn'):
        with multiprocessing.get_context(method).Pool(2) as pool: print(pool.map(abs, [-1, -2]))
""",
    "starts programs": """
import subprocess
child = 'import sys; print(sys.path[1:3]); sys.exit(4)'
print(subprocess.run([sys.executable, '-c', child], capture_output=True))
print(subprocess.run([sys.executable, '-I', '-c', 'print(1)'], env={}, capture_output=True))
""",
    "execs": "print('before', flush=True); os.execv(sys.executable, [sys.executable, '-c', 'print(5); 1/0'])",
    "drops privileges": """
if os.getuid() == 0:
    if os.fork() == 0:
        os.setgid(65534); os.setuid(65534)
        work(20)
        if os.fork() == 0: work(20); print('grandchild', flush=True); os._exit(0)
        os.wait(); os._exit(0)
    print(os.wait()[1])
""",
    "closes all files": "os.closerange(3, 256); work(50); print(os.dup(1))",
    "own profiler": """
seen = []
def profile(frame, event, argument): seen.append((event, frame.f_code.co_name))
sys.setprofile(profile); work(2); sys.setprofile(None)
work(2)
print(seen)
""",
    "own tracing": """
seen = []
def trace(frame, event, argument):
    seen.append((event, frame.f_code.co_name, frame.f_lineno)); return trace
sys.settrace(trace); work(2); sys.settrace(None)
print(seen)
""",
    "own tracing while watched functions are made": """
seen = []
def trace(frame, event, argument):
    # When a thread is waited for and its object goes is a matter of chance.
    if not frame.f_code.co_filename.endswith(('threading.py', '_weakrefset.py')):
        seen.append((event, frame.f_code.co_name, frame.f_lineno))
    return trace
text = open(__file__).read().split('work(10)')[0]
for turn_on, turn_off in ((sys.settrace, sys.settrace), (sys.setprofile, sys.setprofile)):
    turn_on(trace)
    exec(compile(text, __file__, 'exec'), {})
    threading.Thread(target=print).start()
    turn_off(None)
print(seen)
""",
    "own monitoring while watched functions are made": """
if sys.version_info >= (3, 12):
    text = open(__file__).read().split('work(10)')[0]
    m, seen, space = sys.monitoring, [], {}
    m.use_tool_id(m.PROFILER_ID, 'mine')
    m.register_callback(m.PROFILER_ID, m.events.PY_START, lambda code, offset: seen.append(code.co_name))
    m.set_events(m.PROFILER_ID, m.events.PY_START)
    exec(compile(text, __file__, 'exec'), space)
    space['work'](3)
    m.set_events(m.PROFILER_ID, 0)
    print(seen)
""",
    "own audit hook": """
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event))
exec(compile(open(__file__).read().split('work(10)')[0], __file__, 'exec'), {})
leaf.__code__ = work.__code__.replace(co_name='other')
thread = threading.Thread(target=leaf, args=(2,)); thread.start(); thread.join()
print(seen)
""",
    "own monitoring": """
if sys.version_info >= (3, 12):
    m = sys.monitoring
    for tool in (m.DEBUGGER_ID, m.COVERAGE_ID, m.PROFILER_ID, m.OPTIMIZER_ID):
        seen = []
        m.use_tool_id(tool, 'mine')
        m.register_callback(tool, m.events.PY_START, lambda code, offset: seen.append((code.co_name, offset)))
        m.register_callback(tool, m.events.LINE, lambda code, line: seen.append(line) or m.DISABLE)
        m.set_events(tool, m.events.PY_START | m.events.LINE)
        work(3); work(1)
        m.restart_events(); work(1)
        m.set_events(tool, 0); m.free_tool_id(tool)
        print(tool, seen)
""",
    "cProfile": """
import cProfile, pstats
profiler = cProfile.Profile()
profiler.runcall(work, 7)
for key, value in sorted(pstats.Stats(profiler).stats.items()): print(key[1:], value[:2])
""",
    "coverage": """
try: import coverage
except ImportError: print('no coverage')
else:
    cov = coverage.Coverage(data_file=None, include=[__file__]); cov.start()
    work(2); cov.stop()
    print(cov.analysis2(__file__)[1:4])
""",
    "asyncio": """
import asyncio
async def fine(n):
    await asyncio.sleep(0); return work(n)
async def bad(): await fine(1); raise ValueError('bad')
async def numbers():
    for i in range(3): yield i; await asyncio.sleep(0)
async def main():
    print(await asyncio.gather(fine(1), bad(), fine(2), return_exceptions=True))
    print([n async for n in numbers()])
    task = asyncio.create_task(asyncio.sleep(9)); await asyncio.sleep(0); task.cancel()
    try: await task
    except asyncio.CancelledError: print('cancelled')
    async with asyncio.timeout(5): await fine(3)
    await bad()
asyncio.run(main())
""",
    "signals": """
signal.signal(signal.SIGUSR1, lambda n, f: print('got', n, f.f_code.co_name))
signal.signal(signal.SIGBUS, lambda n, f: print('bus'))
for n in (signal.SIGUSR1, signal.SIGBUS): os.kill(os.getpid(), n)
work(5)
os.kill(os.getpid(), signal.SIGTERM)
""",
    "a bus error of its own": "os.kill(os.getpid(), signal.SIGBUS)",
    "a bus error seen by faulthandler": """
import faulthandler; faulthandler.enable(); os.kill(os.getpid(), signal.SIGBUS)
""",
    "killed": "print('last', flush=True); os.kill(os.getpid(), signal.SIGKILL)",
    "a segmentation fault": "import ctypes; print('last', flush=True); ctypes.string_at(0)",
    "code made and thrown away": """
for i in range(3000):
    space = {}
    exec(f'def f(): return {i}', space)
    assert space['f']() == i
gc.collect()
print(sum(1 for o in gc.get_objects() if getattr(o, '__name__', '') == 'f'))
""",
    "own sitecustomize": "import sitecustomize; print(sitecustomize.__file__, sitecustomize.MINE)",
    "names that are no text": "exec(compile('def g(): pass\\ng()', '\\udcff.py', 'exec')); print('fine')",
}


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(params=tracing.INTERPRETERS.values(), ids=tracing.INTERPRETERS)
def python(request):
    return request.param


@pytest.fixture
def script(tmp_path):
    def make(text):
        path = tmp_path / "program.py"
        path.write_text(COMMON + text)
        return path

    return make


def own_sitecustomize(tmp_path, env):
    folder = tmp_path / "own"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text("MINE = 7\n")
    path = env.get("PYTHONPATH")
    return {**env, "PYTHONPATH": os.pathsep.join(filter(None, [path, str(folder)]))}


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_program_is_the_same_with_and_without(python, script, tmp_path, program):
    path, old = script(PROGRAMS[program]), tracing.version(python) < (3, 12)
    if old and program == "own audit hook":
        pytest.skip("3.11 audits that a thread is given a profiler, and that code is copied")
    alone = tracing.bare()
    if program == "own sitecustomize":
        alone = own_sitecustomize(tmp_path, alone)
    end = same(tracing.execute(python, path, alone))
    for mode in ("record", "watch"):
        if old and mode == "record" and "sys.setprofile" in PROGRAMS[program]:
            continue  # 3.11 reports the end of the call that sets a profiler, if there was one before
        folder = tmp_path / mode
        folder.mkdir()
        if mode == "watch":
            tracing.watching(folder, python)
        traced = tracing.environment(folder)
        if program == "own sitecustomize":
            traced = own_sitecustomize(tmp_path, traced)
        assert same(tracing.execute(python, path, traced)) == end, mode
        assert list(folder.glob("*.counts")), f"it was not traced at all: {mode}"


def same(end):
    """An end without what differs from run to run: addresses, such as those of threads."""
    status, output, errors = end
    return status, output, re.sub(rb"0x[0-9a-f]+", b"0x", errors)


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


@pytest.mark.parametrize("trouble", ["no folder", "a file", "file size", "memory", "read-only"])
def test_trouble_with_the_file_or_memory_leaves_the_program_alone(python, script, tmp_path, trouble):
    path, folder = script("print(work(9)); work(None)"), tmp_path / "counts"
    options = {}
    if trouble == "a file":
        folder.touch()
    elif trouble == "file size":  # as on a full disk: allocating the blocks fails
        folder.mkdir()
        options["preexec_fn"] = limited(resource.RLIMIT_FSIZE, 1 << 20)
    elif trouble == "memory":
        folder.mkdir()
        options["preexec_fn"] = limited(resource.RLIMIT_AS, peak(python) + (6 << 20))
    elif trouble == "read-only":
        folder = type(folder)("/proc/self")
    alone = tracing.execute(python, path, tracing.bare(), **options)
    assert tracing.execute(python, path, tracing.environment(folder), **options) == alone
    assert alone[0] == 1 and b"TypeError" in alone[2]


def peak(python):
    """The most address space that a small program takes."""
    command = (
        "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmPeak')))"
    )
    return 1024 * int(subprocess.run([python, "-c", command], capture_output=True, check=True).stdout)


@pytest.mark.skipif(not tracing.LINUX or os.getuid() != 0, reason="only root can make a small disk")
def test_a_full_disk(python, script, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)]
    if subprocess.call(command, stderr=subprocess.DEVNULL) != 0:
        pytest.skip("no disk can be mounted here")
    try:
        path = script("print(work(9)); work(None)")
        alone = tracing.execute(python, path, tracing.bare())
        assert tracing.execute(python, path, tracing.environment(disk)) == alone
        assert list(disk.iterdir()) == []  # nothing half-made is left
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("what", ["deleted", "truncated", "garbage"])
def test_the_file_is_lost_while_the_program_runs(python, script, tmp_path, what):
    path, folder = (
        script("print('ready', flush=True); input(); print(work(9)); work(None)"),
        tmp_path / "counts",
    )
    folder.mkdir()
    ends = []
    for env in (tracing.bare(), tracing.environment(folder)):
        process = subprocess.Popen(
            [python, str(path)], env=env, stdin=-1, stdout=-1, stderr=-1, cwd=tmp_path, text=True
        )
        assert process.stdout.readline() == "ready\n"
        for file in folder.glob("*.counts"):
            if what == "deleted":
                file.unlink()
            elif what == "truncated":
                os.truncate(file, 0)
            else:
                with file.open("r+b") as content:
                    content.write(b"\xee" * file.stat().st_size)
        output, errors = process.communicate("\n", timeout=60)
        ends.append((process.returncode, output, errors))
    assert ends[0] == ends[1] and ends[0][0] == 1


def test_an_occupied_number_is_not_taken(python, tmp_path):
    if tracing.version(python) < (3, 12):
        pytest.skip("sys.monitoring came with 3.12")
    path = tmp_path / "program.py"
    path.write_text(
        "import sys\nfrom sitecustomize import used\n"
        "print([sys.monitoring.get_tool(t) for t in range(6)], used)\n"
    )
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text(
        "import sys\nused = 'mine'\nfor t in (3, 4):\n"
        "    if sys.monitoring.get_tool(t) is None: sys.monitoring.use_tool_id(t, used)\n"
    )
    folder = tmp_path / "counts"
    folder.mkdir()
    env = tracing.environment(folder)
    # The program's own sitecustomize runs after the tracer has begun; to be first, it is put in front.
    env["PYTHONPATH"] = os.pathsep.join([str(own), env["PYTHONPATH"]])
    _, output, errors = tracing.execute(python, path, env)
    assert b"'mine', 'mine'" in output, errors


MEASURED = """
import ctypes
names = 'arena free fast maps mapped most kept used rest top'.split()
class Info(ctypes.Structure): _fields_ = [(name, ctypes.c_size_t) for name in names]
libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Info
def numbers(path):
    with open(path) as file: return dict(line.split(':') for line in file)
def measure():
    io, status, heap = numbers('/proc/self/io'), numbers('/proc/self/status'), libc.mallinfo2()
    switches = int(status['voluntary_ctxt_switches'])
    return sys.getallocatedblocks(), heap.used + heap.mapped, int(io['syscr']) + int(io['syscw']), switches
work(100); measure(); measure()
before = measure(); between = measure(); work(20000); after = measure()
print(*((c - b) - (b - a) for a, b, c in zip(before, between, after)))
"""


@pytest.mark.parametrize("mode", ["record", "watch"])
def test_an_event_allocates_nothing_does_no_io_and_does_not_wait(python, script, tmp_path, mode):
    if not hasattr(ctypes.CDLL(None), "mallinfo2"):
        pytest.skip("this C library does not say how much memory it has given out")
    path, folder = script(MEASURED), tmp_path / "counts"
    folder.mkdir()
    if mode == "watch":
        tracing.watching(folder, python)
    status, output, errors = tracing.execute(python, path, tracing.environment(folder))
    assert status == 0, errors
    blocks, heap, calls, switches = map(int, output.split())
    # Of 20,000 calls; what is left are objects of the measurement itself.
    assert abs(blocks) < 20 and abs(heap) < 4096 and calls == 0 and abs(switches) < 20
    assert list(folder.glob("*.counts")), "it was not traced at all"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no terminals like that")
def test_a_terminal_stays_the_programs_own(tmp_path):
    import pty

    python = next(iter(tracing.INTERPRETERS.values()))
    program = "import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty()); sys.exit(5)"
    command = [
        sys.executable,
        "-m",
        "stakes.cli",
        "clarify",
        "record",
        "-r",
        str(tmp_path),
        "--",
        python,
        "-c",
        program,
    ]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        written += chunk
    assert b"True True True" in written
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
    assert list(tmp_path.glob("*.profile.gz"))
