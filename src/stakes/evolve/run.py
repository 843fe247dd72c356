"""Generations one after another: when to stop, whom to tell, and what to keep on disk."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stakes import _core
from stakes._base.interrupts import may_end_early
from stakes._base.progress import part, tell
from stakes.evolve.checkpoint import read_arrays, write_arrays
from stakes.evolve.history import Generation
from stakes.evolve.problem import Sketch

Callback = Callable[[Generation], Any]

log = logging.getLogger("stakes.evolve")

#: Fitness, cost and size of the best tree, means of fitness and size, diversity.
Report = tuple[float, float, int, float, float, float]

#: Seconds between two checkpoints.
_PAUSE = 5.0


class EvolutionInterrupted(UserWarning):
    """Ctrl-C ended the search; the best tree so far was kept."""


@dataclass
class Run:
    """A population on its way, with its history.

    Attributes
    ----------
    population : _core.Evolution
        Started or restored.
    max_generations, n_iter_no_change : int
        Stop after so many generations, or after so many without a better best tree.
    reports : list of tuple
        What the core reported about each generation, the first population included.
    proved : bool
        Whether no tree can be better than the best of the first population.
    best : list of (int, arrays)
        Each best tree with the generation that it appeared in.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    population: _core.Evolution
    max_generations: int
    n_iter_no_change: int
    proved: bool = False
    reports: list[Report] = field(default_factory=list)
    best: list[tuple[int, Any]] = field(default_factory=list)
    interrupted: bool = False

    @property
    def generation(self) -> int:
        """Number of generations made; 0 is the first population."""
        return len(self.reports) - 1

    @property
    def last(self) -> int:
        """Number of the last generation, unless a better tree is found before."""
        return min(self.max_generations, self.best[-1][0] + self.n_iter_no_change)

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to do."""
        return self.proved or self.generation >= self.last

    def note(self) -> Generation:
        """Take down the present generation."""
        report = self.population.report()
        # Higher fitness, then fewer nodes.
        rank = (report[0], -report[2])
        improved = not self.reports or rank > (self.reports[-1][0], -self.reports[-1][2])
        self.reports.append(report)
        if improved:
            self.best.append((self.generation, self.population.best()))
        return Generation(self.generation, *report, improved=improved)


def evolve(
    population: _core.Evolution,
    seeds: Iterable[Sketch],
    *,
    max_generations: int,
    n_iter_no_change: int,
    callbacks: Sequence[Callback] = (),
    checkpoint: Path | None = None,
    fingerprint: str = "",
    stoppable: bool = True,
) -> Run:
    """Evolve for so many generations, or until as many as `n_iter_no_change` were no better.

    Parameters
    ----------
    population : _core.Evolution
        Not yet started.
    seeds : iterable of Sketch
        Trees of the first population; dipolar ones fill it up. Not asked for where they are not needed.
    max_generations, n_iter_no_change : int
        Stop after so many generations, or after so many without a better best tree.
    callbacks : sequence of callable
        Called with each :class:`Generation`.
    checkpoint : Path, optional
        File that the run is kept in, and continued from where it exists.
    fingerprint : str
        What the file must say that it belongs to.
    stoppable : bool
        Whether Ctrl-C ends the run with what there is, where nothing larger must end with it, rather than
        raising KeyboardInterrupt.

    Returns
    -------
    Run
        Ctrl-C ends it early, with a warning; before the first population, with the best of the seeds so far
        or a leaf.
    """
    run = Run(population, max_generations, n_iter_no_change)
    grown: list[Sketch] = []
    try:
        run.proved = population.solve()
        if checkpoint is not None and checkpoint.exists():
            load_checkpoint(run, checkpoint, fingerprint)
        else:
            with part(0, 0):  # how many seeds there will be is not known
                for tree in () if run.proved else seeds:
                    grown.append(tree)
            population.start(grown)
            _tell(callbacks, run.note())
        saved = time.monotonic()
        while not run.finished:
            population.step()
            _tell(callbacks, run.note())
            tell(run.generation / run.last)
            if checkpoint is not None and time.monotonic() - saved >= _PAUSE:
                save_checkpoint(run, checkpoint, fingerprint)
                saved = time.monotonic()
    except KeyboardInterrupt:
        if not (stoppable and may_end_early()):
            raise
        if not run.reports:
            if checkpoint is not None and checkpoint.exists():
                raise  # more is on disk than could be returned
            _begin_with(run, grown)
        run.interrupted = True
        warnings.warn(
            f"interrupted after {run.generation} generations; the best tree so far is kept",
            EvolutionInterrupted,
            stacklevel=2,
        )
    if checkpoint is not None:
        save_checkpoint(run, checkpoint, fingerprint)
    return run


def _begin_with(run: Run, trees: list[Sketch]) -> None:
    """Take these trees and leaves for a population that was not started."""
    if not run.population.trees():
        leaf = [np.array(part, dtype=np.int32) for part in ([-1], [-1], [-1], [0], [0, 0], [])]
        size = run.population.size
        run.population.restore([*trees[:size], *[leaf] * (size - len(trees))], 0)
    run.note()


def _tell(callbacks: Sequence[Callback], generation: Generation) -> None:
    log.debug(
        "generation %d: cost %g, %d nodes", generation.number, generation.best_cost, generation.best_size
    )
    for callback in callbacks:
        callback(generation)


# ---- checkpoints -------------------------------------------------------------------------------------------


def save_checkpoint(run: Run, path: Path, fingerprint: str) -> None:
    """Write the population, the history and the trees that were the best."""
    trees = [*run.population.trees(), *(tree for _, tree in run.best)]
    parts = {f"part{i}": np.concatenate([tree[i] for tree in trees]) for i in range(len(trees[0]))}
    sizes = np.array([[len(array) for array in tree] for tree in trees], dtype=np.int64)
    generations = np.array([generation for generation, _ in run.best], dtype=np.int64)
    reports = np.array(run.reports, dtype=np.float64)
    write_arrays(path, fingerprint, {"reports": reports, "best": generations, "sizes": sizes, **parts})


def load_checkpoint(run: Run, path: Path, fingerprint: str) -> None:
    """Continue from a file; one of another run is a ValueError."""
    data = read_arrays(path, fingerprint)
    try:
        generations, sizes = data["best"].tolist(), data["sizes"]
        parts = [data[f"part{i}"] for i in range(sizes.shape[1])]
        ends = sizes.cumsum(axis=0)
        trees = [
            tuple(part[end - size : end] for part, end, size in zip(parts, *bounds, strict=True))
            for bounds in zip(ends, sizes, strict=True)
        ]
        n_alive = len(trees) - len(generations)
        reports: list[Report] = [
            (fitness, cost, int(size), *means) for fitness, cost, size, *means in data["reports"].tolist()
        ]
        run.population.restore([list(tree[:6]) for tree in trees[:n_alive]], len(reports) - 1)
    except Exception as error:  # the file comes from outside
        raise ValueError(f"checkpoint {os.fspath(path)!r} cannot be read: {error}") from error
    run.reports, run.best = reports, list(zip(generations, trees[n_alive:], strict=True))
