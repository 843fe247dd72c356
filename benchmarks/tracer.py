"""What recording and watching cost, and whether anything is lost when a program is killed.

    python benchmarks/tracer.py [--rounds 8] [--kills 100] [--folder FOLDER]

Programs run on every interpreter found (tools/build_tracer.py), in virtual environments of their own under FOLDER
(made there once; docutils and sqlparse come from PyPI). CPU time, fresh processes in turns, best of all rounds for
each way of running. Writes results/tracer.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.record import HOST_PATH, read_counts, traced
from stakes.forensics.run import run

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))
from build_tracer import build, interpreters  # noqa: E402

PACKAGES = ("docutils==0.21.2", "sqlparse==0.5.3")
WAYS = {"FC": "", "CTP": "trees"}
ASKED = {("FC", True): 1.10, ("CTP", True): 1.35, ("FC", False): 2.2}

WORKLOADS = {
    "docutils": '''
from docutils.core import publish_string
text = "\\n".join(f"""Title {i}
=========

Some *emphasis* and **strong** ``literal`` text with a `link <http://example.org/{i}>`_ and |sub{i}|.

.. |sub{i}| replace:: text {i}

- item one
- item two

  - nested, with a footnote [#f{i}]_

.. [#f{i}] The footnote.

.. note:: a note

+---+---+
| a | b |
+---+---+

::

   code {i}
""" for i in range(8))
def work(): publish_string(text, writer_name="html", settings_overrides={"report_level": 5})
''',
    "sqlparse": """
import sqlparse
text = ("select a{0}, b, (select max(c) from d where e = {0} and f in (1, 2, 3)) as m from t left join u on t.id = u.id "
        "where x = 'y' group by a having count(*) > {0} order by 1; insert into foo values (1, 'a', {0}); "
        "update bar set a = case when b > {0} then 1 else 2 end where c like '%x%';")
def work():
    for i in range(6): sqlparse.format(text.format(i), reindent=True, keyword_case="upper")
""",
    "calls only": """
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def work(): fib(21)
""",
}

TIMED = """
import time
work()
best = 9e9
for _ in range(12):
    start = time.process_time(); work(); best = min(best, time.process_time() - start)
print(best)
"""

WATCHED = """
import importlib.util, json, sys, time
def leaf():
    pass
def many(n):
    for _ in range(n): leaf()
folder, model = {folder!r}, json.loads({model!r})
def best(n=300_000):
    times = []
    for _ in range(7):
        start = time.process_time(); many(n); times.append(time.process_time() - start)
    return min(times) / n * 1e9
bare = best()
spec = importlib.util.spec_from_file_location("clarify", folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules["clarify"] = importlib.util.module_from_spec(spec)
from clarify.install import install
clarify = install(model, budget=10**12)
assert not clarify.refused, clarify.refused
watched = best()
counted = clarify.explain().counts[0]
assert counted == 7 * 300_000, counted
print(watched - bare)
"""

KILLED = """
import mmap, os, sys, threading, time
truth = memoryview(mmap.mmap(os.open(sys.argv[1], os.O_RDWR), 8)).cast("Q")
if sys.argv[2]:
    def end(): time.sleep(float(sys.argv[2])); os._exit(7)
    threading.Thread(target=end, daemon=True).start()
def leaf(): truth[0] += 1
def work():
    for _ in range(100): leaf()
print("ready", flush=True)
while True: work()
"""


def environment(folder, minor, python):
    """A virtual environment with the packages, made once."""
    home = folder / f"py{minor}"
    if not (home / "done").exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", *PACKAGES], check=True)
        (home / "done").touch()
    return home / "bin" / "python"


def plain_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def timed(python, script, count):
    """Seconds of the best repetition in a fresh process; count is None for the program alone."""
    with tempfile.TemporaryDirectory() as folder:
        env = plain_environment()
        if count is not None:
            env = traced(env, folder, trees=count == "trees", lines=count == "lines")
        done = subprocess.run(
            [python, "-W", "ignore", str(script)], env=env, capture_output=True, check=True, text=True
        )
        if count is not None:
            assert read_counts(Path(folder)), "it was not recorded"
    return float(done.stdout)


def overheads(pythons, rounds, folder, only=None):
    rows = []
    for minor, python in pythons.items():
        for name, text in WORKLOADS.items():
            if only not in (None, name):
                continue
            script = folder / f"work_{name.replace(' ', '_')}.py"
            script.write_text(text + TIMED)
            times = {way: [] for way in (None, *WAYS)}
            for _ in range(rounds):
                for way, found in times.items():
                    found.append(timed(python, script, None if way is None else WAYS[way]))
            alone = min(times[None])
            ratios = {way: min(times[way]) / alone for way in WAYS}
            # How far two halves of the rounds disagree says how much of a ratio is noise.
            noise = abs(min(times[None][::2]) / min(times[None][1::2]) - 1) if rounds > 1 else 0
            rows.append((minor, name, alone, ratios, noise))
            print(minor, name, {way: round(ratio, 3) for way, ratio in ratios.items()}, flush=True)
    return rows


def model(minor, features):
    watch = {"functions": [["watched.py", "leaf", 3]], "features": features}
    tree = {"feature": [-1], "threshold": [None], "first_child": [-1], "class_weights": [[1]]}
    return {
        "format": "stakes-clarify", "version": 1, "program": "", "interpreter": f"cpython {minor}", "versions": {},
        "watch": watch, "tree": tree, "classes": ["x"], "texts": {}, "ranges": [[0, 0]] * len(features), "purity": 0,
        "expected_events": 0, "runs": [],
    }  # fmt: skip


def per_event(pythons, folder):
    """Nanoseconds that watching adds to a call, by what is watched."""
    kinds = {
        "starts": [],
        "starts and call trees": [["tree", 1, [0, []]]],
        "starts and a line": [["line", 0, 4]],
    }
    rows = {}
    for minor, python in pythons.items():
        for kind, more in kinds.items():
            if more and minor == "3.11":
                continue
            script = folder / "watched.py"
            text = json.dumps(model(minor, [["function", 0], *more]))
            script.write_text(WATCHED.format(folder=str(HOST_PATH.parent), model=text))
            done = [
                subprocess.run([python, str(script)], capture_output=True, check=True, text=True)
                for _ in range(5)
            ]
            rows[minor, kind] = statistics.median(float(one.stdout) for one in done)
    return rows


def cpu_seconds(command, watching=None):
    """CPU time of a command, alone or with a model watching it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if watching is None:
        subprocess.run(command, env=plain_environment(), check=True)
    else:
        run(command, watching, env=plain_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def starting(pythons, rounds=60):
    """Milliseconds of CPU time that `stakes clarify run` adds to a Python that does nothing."""
    rows = {}
    for minor, python in pythons.items():
        watching = ClarifyModel.from_dict(model(minor, [["function", 0]]))
        command = [str(python), "-c", "pass"]
        pairs = [(cpu_seconds(command), cpu_seconds(command, watching)) for _ in range(rounds)]
        alone, watched = map(statistics.median, zip(*pairs, strict=True))
        rows[minor] = 1000 * (watched - alone)
    return rows


def killed(pythons, how_many, folder):
    """Runs ended at random moments; returns the ends and the starts that were lost, or counted too often."""
    rng, script = random.Random(1), folder / "killed.py"
    script.write_text(KILLED)
    ends = {"SIGKILL": signal.SIGKILL, "SIGSEGV": signal.SIGSEGV, "abort": signal.SIGABRT, "os._exit": None}
    counted, wrong = 0, []
    for number in range(how_many):
        name, number_of_signal = list(ends.items())[number % 4]
        minor = list(pythons)[number // 4 % len(pythons)]
        with tempfile.TemporaryDirectory() as home:
            truth = Path(home, "truth")
            truth.write_bytes(bytes(8))
            wait = rng.uniform(0.0, 0.2)
            command = [pythons[minor], str(script), str(truth), "" if number_of_signal else str(wait)]
            env = traced(plain_environment(), home, trees=True)
            with subprocess.Popen(command, env=env, stdout=subprocess.PIPE) as process:
                process.stdout.readline()
                if number_of_signal:
                    time.sleep(wait)
                    process.send_signal(number_of_signal)
                process.wait()
            expected = int.from_bytes(truth.read_bytes(), "little")
            (counts,) = read_counts(Path(home))
            place = next(i for i, (_, one, _) in enumerate(counts.functions) if one == "leaf")
            calls = sum(
                n for n, (function, _) in zip(counts.calls, counts.trees, strict=True) if function == place
            )
            counted += expected
            # The program may have been stopped between the start of a call and its own note of it, or between
            # the tracer's two notes of a call.
            if counts.starts[place] - expected not in (0, 1) or counts.starts[place] - calls not in (0, 1):
                wrong.append((minor, name, expected, counts.starts[place], calls))
    return counted, wrong


def tables(rows, events, starts, kills, lost, counted, rounds):
    lines = [
        "| Python | program | alone, s | " + " | ".join(WAYS) + " | noise |",
        "|---|---|---|" + "---|" * (len(WAYS) + 1),
    ]
    for minor, name, alone, ratios, noise in rows:
        shown = " | ".join(f"{ratios[way]:.2f}" for way in WAYS)
        lines.append(f"| {minor} | {name} | {alone:.3f} | {shown} | {noise:.1%} |")
    asked = []
    for (way, new), most in ASKED.items():
        real = [r[way] for minor, name, _, r, _ in rows if (minor != "3.11") == new and name != "calls only"]
        if real:
            where = "3.12 and later" if new else "3.11"
            asked.append(
                f"- {way} on {where}: at most {most} asked, worst {max(real):.2f}, median {statistics.median(real):.2f}."
            )
    kinds = list(dict.fromkeys(kind for _, kind in events))
    cost = ["| Python | " + " | ".join(kinds) + " | start of the program, ms |", "|---|---|---|---|---|"]
    for minor, milliseconds in starts.items():
        cells = [f"{events[minor, kind]:.0f}" if (minor, kind) in events else "-" for kind in kinds]
        cost.append(f"| {minor} | " + " | ".join(cells) + f" | {milliseconds:.1f} |")
    verdict = "nothing was lost" if not lost else f"{len(lost)} runs do not agree: {lost}"
    return f"""# What the tracer costs

## Recording
CPU time of a program under the compiled tracer, as a multiple of the program alone: FC counts starts, CTP records whole call
trees (from which CTP-D0 to D2 and every projection are worked out). {platform.machine()}, best of {rounds} fresh processes
in turns with 12 repetitions each; "noise" is how far two halves of the runs alone disagree.
The recording of imports and the start of the interpreter are not in these times.

{chr(10).join(lines)}

{chr(10).join(asked)}

"calls only" is fib(21), which does nothing but call: the worst case, with no figure asked for.

## Watching
Nanoseconds added to each call of a watched function, median of five processes; and CPU time that `stakes clarify run` adds to the
start of a program, the difference of two medians.

{chr(10).join(cost)}

## Killed programs
{kills} runs on {len(set(row[0] for row in rows))} interpreters, ended at random moments in turn by SIGKILL, SIGSEGV, abort and os._exit, while the
program counted its own calls in a shared file too: {counted:,} calls, {verdict}.
(The last call may have begun, and be counted, before the program or the tree has noted it.)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", help="Measure the recording of this program only, and write nothing.")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir(), "stakes-tracer"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = interpreters()
    for python in found.values():
        build(python)
    pythons = {minor: environment(options.folder, minor, python) for minor, python in found.items()}
    rows = overheads(pythons, options.rounds, options.folder, options.only)
    if options.only is not None:
        return
    events = per_event(pythons, options.folder)
    starts = starting(pythons)
    counted, lost = killed(pythons, options.kills, options.folder)
    text = tables(rows, events, starts, options.kills, lost, counted, options.rounds)
    (HERE / "results" / "tracer.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
