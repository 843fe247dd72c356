"""Try small wrong changes on the tests and count how many are noticed: ``python tools/mutate --help``.

A seeded sample of changes to the Python sources (``mutations.py``) and the listed changes to the core
(``core.toml``) are made one at a time in a copy of the tree. Each is tried on the tests that execute the
changed line, the quickest first, until one fails. Tests that noticed are run once more without a change: a
test that fails there as well does not count. What is judged is kept in ``build/mutate``, so that a run that
was stopped goes on where it was.

Libraries that do this (mutmut, cosmic-ray) try every change, of which there are 14,000 here, and know neither
the compiled core nor lines that are executed by the commands that a test starts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from mutations import Mutation, is_other_program, mutations
from page import current_commit, page
from place import BUILD, ROOT, Place
from which_tests import Coverage, package_of, sources

LISTED = Path(__file__).with_name("core.toml")
PAGE = ROOT / "benchmarks" / "results" / "mutation.md"
LEAST = 15  # changes per package, so that each has a share that says something


def main() -> int:
    """Judge the sample and write what came of it."""
    options = arguments()
    coverage = Coverage.measured(options.measure)
    results = BUILD / f"results-{options.seed}.jsonl"
    judged = {row["change"]: row for row in read_rows(results)}
    tasks = [*python_tasks(options), *core_tasks(options)]
    open_tasks = [task for task in tasks if task["change"] not in judged]
    print(f"{len(tasks)} changes, {len(tasks) - len(open_tasks)} of them judged before", flush=True)
    commit = current_commit()  # the places are copies of it
    places: Queue[Place] = Queue()
    for number in range(options.workers):
        places.put(Place(number))
    started, done = time.monotonic(), 0

    def judge(task: dict) -> dict:
        place = places.get()
        try:
            return task | place.judge(task, coverage)
        finally:
            places.put(place)

    with ThreadPoolExecutor(options.workers) as pool, results.open("a") as file:
        for row in pool.map(judge, open_tasks):
            print(json.dumps(row), file=file, flush=True)
            judged[row["change"]] = row
            done += 1
            minutes = (time.monotonic() - started) / 60
            print(f"{done}/{len(open_tasks)} {minutes:.1f} min  {row['end']:<13} {row['change']}", flush=True)
    rows = [judged[task["change"]] for task in tasks]
    place = places.get()
    place.confirm(rows, coverage)
    text = page(rows, options.seed, commit)
    print(text)
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    return 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default: 0)")
    parser.add_argument("--count", type=int, default=300, help="changes in Python (default: 300)")
    parser.add_argument("--package", action="append", help="sample from this package only; may be repeated")
    parser.add_argument("--no-core", action="store_true", help="leave out the changes to the core")
    parser.add_argument("--only-core", action="store_true", help="try the changes to the core alone")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="at once (default: all cores)")
    parser.add_argument(
        "--measure", action="store_true", help="find out anew which tests execute which lines"
    )
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    return parser.parse_args()


def read_rows(path: Path) -> list[dict]:
    """Read what was judged before; the last line may have been cut off."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def python_tasks(options: argparse.Namespace) -> list[dict]:
    """Draw the sample: the same number for each package, then in proportion to its size."""
    if options.only_core:
        return []
    candidates: dict[str, list[tuple[Path, Mutation]]] = defaultdict(list)
    for path in sources():
        if not options.package or package_of(path) in options.package:
            candidates[package_of(path)] += [(path, mutation) for mutation in mutations(path.read_bytes())]
    if not candidates:
        raise SystemExit(f"mutate: there is no package {options.package} in src/stakes")
    rng = random.Random(options.seed)
    least = min(LEAST, options.count // len(candidates))
    total, rest = sum(map(len, candidates.values())), options.count - least * len(candidates)
    tasks = []
    for package, changes in sorted(candidates.items()):
        rng.shuffle(changes)
        wanted = least + round(rest * len(changes) / total)
        real = (change for change in changes if is_other_program(change[0].read_bytes(), change[1]))
        tasks += [python_task(package, *change) for change, _ in zip(real, range(wanted), strict=False)]
    rng.shuffle(tasks)
    return tasks


def python_task(package: str, path: Path, mutation: Mutation) -> dict:
    """Describe a change by what it does to its line."""
    source = path.read_bytes()
    line_start = source.rfind(b"\n", 0, mutation.start) + 1
    old_end = source.find(b"\n", mutation.end)
    old = source[line_start:old_end].decode()
    changed = mutation.apply(source)
    new = changed[line_start : old_end + len(changed) - len(source)].decode()
    name = path.relative_to(ROOT).as_posix()
    return {
        "change": f"{name}:{mutation.line} {squeeze(old)} => {squeeze(new)}",
        "package": package,
        "kind": mutation.kind,
        "file": name,
        "lines": mutation.lines,
        "source": changed.decode(),
    }


def squeeze(text: str) -> str:
    """Bring code of several lines into one."""
    return " ".join(text.split())


def core_tasks(options: argparse.Namespace) -> list[dict]:
    """Read the listed changes to the core; each names a passage that stands once in its file."""
    if options.no_core or options.package:
        return []
    import tomllib

    tasks = []
    for entry in tomllib.loads(LISTED.read_text(encoding="utf-8"))["mutation"]:
        source = (ROOT / entry["file"]).read_text(encoding="utf-8")
        if source.count(entry["old"]) != 1:
            raise SystemExit(
                f"mutate: {entry['old']!r} stands {source.count(entry['old'])} times in {entry['file']}"
            )
        tasks.append(
            {
                "change": f"{entry['file']} {squeeze(entry['old'])} => {squeeze(entry['new'])}",
                "package": "core: " + entry["part"],
                "kind": "listed",
                "file": entry["file"],
                "tests": entry["tests"],
                "source": source.replace(entry["old"], entry["new"]),
            }
        )
    return tasks


if __name__ == "__main__":
    sys.exit(main())
