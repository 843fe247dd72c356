"""The place that every recorded failure passed: a run that does not pass it has failed otherwise.

A model is asked about any failure of its program, also about those that nobody recorded. Where they end in
the same way, as in programs that print a message and exit, the counts that tell causes apart may well lie
inside what was recorded. So what the recorded failures have in common is watched as well.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from stakes.forensics.candidates import extremes, trees_with
from stakes.forensics.host.names import Feature
from stakes.forensics.host.watch import Watch
from stakes.forensics.runs import Runs


def failing_point(runs: Runs, usable: NDArray[np.bool_]) -> tuple[int, int | None] | None:
    """Return the function at which all runs failed, and the function that called it.

    It was called exactly once in every run, by functions that were called more often in some runs than in
    others: what belongs to the start or end of a program is called as often as its callers are. Of several
    the one that began last is taken. None where there is none; no caller where there were several.

    Examples
    --------
    >>> from stakes.forensics import Function, Profile
    >>> from stakes.forensics.runs import gather
    >>> functions = tuple(Function("app.py", name, 1) for name in ("main", "setup", "scan", "fail"))
    >>> trees = ((1, ()), (2, ()), (3, ()), (2, (2,)), (0, (0, 1, 3)))
    >>> runs = gather((f"run {scans}", Profile(functions, (1, 1, scans + 1, 1), trees, (1, scans, 1, 1, 1),
    ...                                        label="any")) for scans in (3, 5))
    >>> [functions[number].name for number in failing_point(runs, runs.usable())]
    ['fail', 'scan']
    """
    least, most = extremes(runs.starts)
    varies = usable & (least != most)
    varies &= [not function.path.startswith("<frozen importlib") for function in runs.functions]
    callers: dict[int, set[int]] = {}
    for function, children in runs.trees:
        for child in children:
            callers.setdefault(runs.trees[child][0], set()).add(function)
    for function in reversed(np.flatnonzero(usable & (least == 1) & (most == 1)).tolist()):
        points = callers.get(function, set())
        if points and all(varies[caller] for caller in points):
            return function, next(iter(points)) if len(points) == 1 else None
    return None


def guard_of(runs: Runs, usable: NDArray[np.bool_], main: Watch, kinds: Collection[str]) -> Watch:
    """Return what to watch to see that a run failed where all of these did; it may be nothing.

    The function is counted, and where the model has to watch more than starts anyway, also that it was called
    where it was called in these runs: by its line, or by its caller's tree.
    """
    point = failing_point(runs, usable)
    if point is None:
        return Watch((), ())
    called, caller = point
    functions, features = [runs.functions[called]], [Feature(runs.functions[called])]
    where: list[Feature] = []
    if caller is not None and "lines" in kinds and (main.needs_lines or main.needs_trees):
        least, most = extremes(runs.reached)
        once = (least == 1) & (most == 1) & (runs.line_function == caller)
        where = [Feature(runs.lines[line]) for line in np.flatnonzero(once)[-1:]]
    elif caller is not None and main.needs_trees:
        where = trees_with(runs, caller, called)
    if caller is not None and where:
        functions.append(runs.functions[caller])
    return Watch(tuple(functions), tuple(features + where))
