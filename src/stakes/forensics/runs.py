"""Many recorded runs at once: tables shared by all of them, and sparse counts with a row for each run."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from stakes._text.words import did_you_mean
from stakes.forensics.host.names import Ending, Function, Line
from stakes.forensics.profile import Profile, read_profile

#: Files of a folder that are read as profiles.
ENDINGS = (".profile", ".profile.gz")

# What has an entry, or a row, for each run.
_TUPLES = ("names", "labels", "inputs", "endings")
_COUNTS = ("starts", "calls", "reached")


@dataclass(frozen=True, eq=False)
class Runs:
    """Recorded runs of one program.

    A call tree that many runs had is kept once, so that hundreds of runs fit into memory and a projection is
    worked out once for all of them.

    Attributes
    ----------
    names, labels, inputs : tuples of str
        Name of each run, its cause, and the input that it had; runs of one input are repetitions.
    endings : tuple of Ending
        How each run ended.
    functions, trees, lines : tuples
        As in a profile, of all runs. Children come before parents.
    starts, calls, reached : sparse matrices with a row for each run
        Starts of the functions, calls with each tree, times that each line was reached.
    interpreter : str
    versions : dict
        Of packages and files that are the same in all runs.
    foreign : frozenset of str
        Files whose content differs between runs, such as templates: they are input, not program.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    inputs: tuple[str, ...]
    endings: tuple[Ending, ...]
    functions: tuple[Function, ...]
    trees: tuple[tuple[int, tuple[int, ...]], ...]
    lines: tuple[Line, ...]
    starts: Any
    calls: Any
    reached: Any
    interpreter: str
    versions: dict[str, str]
    foreign: frozenset[str]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def line_function(self) -> NDArray[np.intp]:
        """Number of the function that each line is in."""
        number = {function: place for place, function in enumerate(self.functions)}
        return np.array([number[line.function] for line in self.lines], dtype=np.intp)

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> Runs:
        """Return some of the runs."""
        chosen = np.asarray(rows, dtype=np.intp)
        kept: dict[str, Any] = {name: getattr(self, name)[chosen] for name in _COUNTS}
        kept |= {name: tuple(getattr(self, name)[row] for row in chosen) for name in _TUPLES}
        return replace(self, **kept)

    def relabel(self, merged: Sequence[str]) -> Runs:
        """Return the runs with causes made one: ``"a+b"`` takes the place of ``a`` and of ``b``."""
        known, place = set(self.labels), {}
        for group in merged:
            parts = group.split("+")
            unknown = [part for part in parts if part not in known]
            if unknown or len(parts) < 2:
                hint = did_you_mean(unknown[0] if unknown else "", sorted(known), "causes")
                raise ValueError(f"a merge must join causes of the runs as in a+b, got {group!r}{hint}")
            place.update(dict.fromkeys(parts, group))
        return replace(self, labels=tuple(place.get(label, label) for label in self.labels))

    def usable(self) -> NDArray[np.bool_]:
        """Functions that may be watched: the program's own, counted the same when an input is repeated."""
        own = np.array([function.path not in self.foreign for function in self.functions], dtype=bool)
        return own & stable(self.starts, self.inputs)

    def distinct(self) -> NDArray[np.intp]:
        """First run of each input and cause; the others say nothing new without unstable features."""
        seen: dict[tuple[str, str], int] = {}
        for row, key in enumerate(zip(self.inputs, self.labels, strict=True)):
            seen.setdefault(key, row)
        return np.array(list(seen.values()), dtype=np.intp)


def stable(counts: Any, inputs: Sequence[str]) -> NDArray[np.bool_]:
    """Columns that never differ between two runs of one input.

    Examples
    --------
    >>> stable(sparse.csr_matrix([[1, 5], [1, 6], [2, 5]]), ["a", "a", "b"]).tolist()
    [True, False]
    """
    first: dict[str, int] = {}
    places = [first.setdefault(name, row) for row, name in enumerate(inputs)]
    differences = (counts - counts[places]).tocsc()
    differences.eliminate_zeros()
    return np.diff(differences.indptr) == 0


def read_runs(
    folder: str | os.PathLike[str], advance: Callable[[int, int], None] = lambda done, total: None
) -> Runs:
    """Read all labelled profiles of a folder and the folders in it.

    Parameters
    ----------
    folder : path
    advance : callable
        Told the number of profiles read, and of all.

    Raises
    ------
    ValueError
        Where there are none, or where they were not recorded with one version of one program.
    """
    paths = profile_paths(folder)
    if not paths:
        raise ValueError(f"{os.fspath(folder)} holds no profiles, files that end in .profile or .profile.gz")
    unlabelled = 0

    def labelled() -> Iterator[tuple[str, Profile]]:
        nonlocal unlabelled
        for done, path in enumerate(paths, 1):
            profile = read_profile(path)
            advance(done, len(paths))
            if profile.label is None:
                unlabelled += 1
            else:
                yield path.name.removesuffix(".gz").removesuffix(".profile"), profile

    collecting = gc.isenabled()
    gc.disable()  # looking for cycles among millions of numbers would take a third of the time
    try:
        runs = gather(labelled())
    finally:
        if collecting:
            gc.enable()
    if unlabelled:
        warnings.warn(
            f"{unlabelled} runs have no label and are left out; label them with `stakes clarify label`",
            stacklevel=2,
        )
    return runs


def profile_paths(folder: str | os.PathLike[str]) -> list[Path]:
    """Files of a folder and the folders in it that should be profiles, in order."""
    return sorted(path for path in Path(folder).rglob("*") if path.name.endswith(ENDINGS) and path.is_file())


def gather(profiles: Iterable[tuple[str, Profile]]) -> Runs:
    """Put labelled profiles together, each with its name.

    Examples
    --------
    >>> main, read = Function("app.py", "main", 1), Function("app.py", "read", 5)
    >>> one = Profile((main, read), (1, 2), ((1, ()), (0, (0,))), (2, 1), label="no file")
    >>> two = Profile((main,), (1,), ((0, ()),), (1,), label="no rights")
    >>> runs = gather([("first", one), ("second", two)])
    >>> runs.starts.toarray().tolist(), len(runs.trees)
    ([[1, 2], [1, 0]], 3)
    """
    shared = _Shared()
    for name, profile in profiles:
        if profile.label is None:
            raise ValueError(f"the run {name} has no label")
        if not profile.complete:
            warnings.warn(f"the run {name} is left out: not all that happened could be counted", stacklevel=2)
            continue
        shared.add(name, profile, profile.label)
    return shared.runs()


class _Shared:
    """Tables that grow run by run."""

    def __init__(self) -> None:
        self.functions: dict[Function, int] = {}
        self.trees: dict[tuple[int, tuple[int, ...]], int] = {}
        self.lines: dict[tuple[int, int], int] = {}
        self.rows: tuple[list[_Row], ...] = ([], [], [])
        self.known: list[tuple[str, str, str, Ending]] = []
        self.interpreters: set[str] = set()
        self.versions: dict[str, set[str]] = {}

    def add(self, name: str, profile: Profile, label: str) -> None:
        place = [self.functions.setdefault(function, len(self.functions)) for function in profile.functions]
        starts = _sums(zip(place, profile.counts, strict=True))
        node: list[int] = []
        for function, children in profile.trees:
            key = (place[function], tuple(sorted({node[child] for child in children})))
            node.append(self.trees.setdefault(key, len(self.trees)))
        calls = _sums(zip(node, profile.tree_counts, strict=True))
        reached = _sums(
            (self.lines.setdefault((place[function], line), len(self.lines)), count)
            for function, line, count in profile.lines
        )
        for rows, row in zip(self.rows, (starts, calls, reached), strict=True):
            rows.append(row)
        identity = profile.input if profile.input is not None else f"only {name}"
        ending = Ending(profile.symptom.exit_status, profile.symptom.exception)
        self.known.append((name, label, identity, ending))
        self.interpreters.add(profile.interpreter)
        for key_, version in profile.versions.items():
            self.versions.setdefault(key_, set()).add(version)

    def runs(self) -> Runs:
        if not self.known:
            raise ValueError("there are no labelled runs to learn from")
        if len(self.interpreters) > 1:
            known = " and ".join(sorted(self.interpreters))
            raise ValueError(f"all runs must be of one interpreter, got {known}: their functions differ")
        foreign = _foreign(self.versions)
        functions = tuple(self.functions)
        of_runs: dict[str, Any] = dict(zip(_TUPLES, zip(*self.known, strict=True), strict=True))
        lengths = len(functions), len(self.trees), len(self.lines)
        for name, rows, length in zip(_COUNTS, self.rows, lengths, strict=True):
            of_runs[name] = _matrix(rows, length)
        versions = {name: next(iter(known)) for name, known in self.versions.items() if name not in foreign}
        return Runs(
            **of_runs,
            functions=functions,
            trees=tuple(self.trees),
            lines=tuple(Line(functions[place], line) for place, line in self.lines),
            interpreter=next(iter(self.interpreters)),
            versions=versions,
            foreign=foreign,
        )


def _foreign(versions: dict[str, set[str]]) -> frozenset[str]:
    """Files that differ between runs; packages must not."""
    several = {name: versions_of for name, versions_of in versions.items() if len(versions_of) > 1}
    for name, versions_of in several.items():
        if not all(version.startswith("sha256:") for version in versions_of):
            raise ValueError(
                f"all runs must be of one version of {name}, got {' and '.join(sorted(versions_of))}"
            )
    return frozenset(several)


#: Columns and counts of one run, as arrays: hundreds of runs with tens of thousands of lines have to fit.
_Row = tuple[NDArray[np.int64], NDArray[np.int64]]


def _sums(pairs: Iterable[tuple[int, int]]) -> _Row:
    sums: dict[int, int] = {}
    for place, count in pairs:
        if count:
            sums[place] = sums.get(place, 0) + count
    return np.array(list(sums), dtype=np.int64), np.array(list(sums.values()), dtype=np.int64)


def _matrix(rows: list[_Row], n_columns: int) -> Any:
    columns, counts = (np.concatenate(parts) for parts in zip(*rows, strict=True))
    start = np.cumsum([0, *(len(columns) for columns, _ in rows)])
    return sparse.csr_matrix((counts, columns, start), shape=(len(rows), n_columns))
