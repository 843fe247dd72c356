"""When a run stops, what it notes, whom it tells and when it writes, with populations that only pretend."""

from __future__ import annotations

import numpy as np
import pytest

from stakes.evolve import run as run_module
from stakes.evolve.checkpoint import read_arrays, write_arrays
from stakes.evolve.history import Generation
from stakes.evolve.run import EvolutionInterrupted, Run, evolve, load_checkpoint, save_checkpoint

LEAF = [np.array(part, dtype=np.int32) for part in ([-1], [-1], [-1], [0], [0, 0], [])]


class Scripted:
    """A population whose generations are given: (fitness, size) each."""

    size = 4

    def __init__(self, *generations, proved=False):
        self.generations = generations
        self.at = 0
        self.proved = proved
        self.started = None
        self.restored = None

    def solve(self):
        return self.proved

    def start(self, trees):
        self.started = list(trees)

    def restore(self, trees, generation):
        self.restored = trees, generation
        self.started = trees

    def step(self):
        self.at += 1

    def report(self):
        fitness, size = self.generations[min(self.at, len(self.generations) - 1)]
        return fitness, 1 - fitness, size, fitness / 2, size * 2.0, 0.25

    def best(self):
        return f"tree of {self.at}"

    def trees(self):
        return [] if self.started is None else self.started


def test_a_better_tree_is_fitter_or_as_fit_and_smaller():
    population = Scripted((0.5, 9), (0.5, 9), (0.5, 7), (0.5, 8), (0.4, 1), (0.6, 30), (0.6, 30))
    told: list[Generation] = []
    run = evolve(population, [], max_generations=6, n_iter_no_change=99, callbacks=[told.append])
    assert [g.number for g in told if g.improved] == [0, 2, 5]
    assert run.best == [(0, "tree of 0"), (2, "tree of 2"), (5, "tree of 5")]
    assert run.reports[2] == (0.5, 0.5, 7, 0.25, 14.0, 0.25) and run.generation == 6
    assert told[2] == Generation(2, 0.5, 0.5, 7, 0.25, 14.0, 0.25, True)
    assert not run.interrupted and not run.proved


@pytest.mark.parametrize(
    "max_generations, n_iter_no_change, proved, made",
    [(5, 9, False, 5), (9, 3, False, 4), (1, 1, False, 1), (0, 1, False, 0), (9, 9, True, 0)],
)
def test_a_run_ends_with_generations_patience_or_proof(max_generations, n_iter_no_change, proved, made):
    population = Scripted((0.5, 9), (0.6, 9), proved=proved)
    run = evolve(population, [LEAF], max_generations=max_generations, n_iter_no_change=n_iter_no_change)
    assert run.generation == population.at == made and run.finished
    assert population.started == ([] if proved else [LEAF])  # seeds are not asked for without need


def test_everyone_is_told_in_turn():
    heard = []
    evolve(
        Scripted((0.5, 1)),
        [],
        max_generations=1,
        n_iter_no_change=9,
        callbacks=[lambda g: heard.append(("a", g.number)), lambda g: heard.append(("b", g.number))],
    )
    assert heard == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


def test_a_checkpoint_is_written_every_five_seconds_and_at_the_end(monkeypatch, tmp_path):
    clock, written = iter(range(0, 1000, 2)), []
    monkeypatch.setattr(run_module.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(
        run_module, "save_checkpoint", lambda run, path, words: written.append((run.generation, path, words))
    )
    path = tmp_path / "run"
    evolve(Scripted((0.5, 1)), [], max_generations=7, n_iter_no_change=9, checkpoint=path, fingerprint="mine")
    # The clock is read once a generation and once more after each file: 0, 2, 4, 6 | 8, 10, 12, 14 | 16, 18
    assert written == [(3, path, "mine"), (6, path, "mine"), (7, path, "mine")]


def some_tree(n, extra):
    return (*(np.arange(n, dtype=np.int32) + i for i in range(6)), np.arange(n) * 0.5, np.array([extra]))


def test_a_checkpoint_holds_the_population_the_history_and_the_best_trees(tmp_path):
    path = tmp_path / "run.npz"
    population = Scripted((0.5, 3))
    population.started = [some_tree(3, 7), some_tree(1, 8), some_tree(5, 9)]
    run = Run(population, 9, 9)
    run.reports = [(0.1, 2.0, 3, 0.4, 5.0, 0.6), (0.2, 2.5, 5, 0.4, 5.5, 0.7)]
    run.best = [(0, some_tree(3, 7)), (1, some_tree(5, 9))]
    save_checkpoint(run, path, "mine")
    other = Run(Scripted((0.5, 3)), 9, 9)
    load_checkpoint(other, path, "mine")
    trees, generation = other.population.restored
    assert generation == 1 and other.generation == 1
    for found, wanted in zip(trees, population.started, strict=True):
        assert len(found) == 6 and all(np.array_equal(a, b) for a, b in zip(found, wanted))
    assert other.reports == run.reports and type(other.reports[0][2]) is int
    for (number, found), (when, wanted) in zip(other.best, run.best, strict=True):
        assert number == when and all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))


def test_files_of_something_else_are_refused_and_left(tmp_path):
    path = tmp_path / "run.npz"
    write_arrays(path, "theirs", {"best": np.arange(3)})
    assert read_arrays(path, "theirs")["best"].tolist() == [0, 1, 2]
    assert [file.name for file in tmp_path.iterdir()] == ["run.npz"]  # no half-written file is left over
    words = (
        f"checkpoint {str(path)!r} belongs to a run with other data or parameters; remove it or name another"
    )
    with pytest.raises(ValueError) as refused:
        read_arrays(path, "mine")
    assert str(refused.value) == f"{words} file"
    with pytest.raises(ValueError) as refused:
        load_checkpoint(Run(Scripted((0.5, 1)), 9, 9), path, "theirs")
    assert str(refused.value).startswith(f"checkpoint {str(path)!r} cannot be read: ")
    assert isinstance(refused.value.__cause__, KeyError)
    write_arrays(path, "theirs", {"best": np.arange(3)})
    path.write_bytes(path.read_bytes() + b"more")
    with pytest.raises(ValueError, match="cannot be read: it is damaged"):
        read_arrays(path, "theirs")
    np.savez(path, fingerprint=np.array({"a": 1}, dtype=object))  # nothing is unpickled
    with pytest.raises(ValueError, match="cannot be read"):
        read_arrays(path, "mine")


@pytest.mark.parametrize("place", [0, 17, 18, 49, 50, 200, -1])
def test_a_damaged_file_is_refused(tmp_path, place):
    path = tmp_path / "run"
    write_arrays(path, "mine", {"best": np.arange(3)})
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match="cannot be read"):
        read_arrays(path, "mine")


def test_archives_of_earlier_versions_are_read(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, fingerprint=np.array("mine"), best=np.arange(3))
    assert read_arrays(path, "mine")["best"].tolist() == [0, 1, 2]


def interrupting(at):
    def callback(generation):
        if generation.number == at:
            raise KeyboardInterrupt

    return callback


def test_ctrl_c_ends_a_run_that_may_be_stopped():
    with pytest.warns(EvolutionInterrupted) as warned:
        run = evolve(
            Scripted((0.5, 1)), [], max_generations=9, n_iter_no_change=9, callbacks=[interrupting(2)]
        )
    assert str(warned[0].message) == "interrupted after 2 generations; the best tree so far is kept"
    assert warned[0].filename == __file__  # where the run was asked for
    assert run.interrupted and run.generation == 2
    with pytest.raises(KeyboardInterrupt):
        evolve(
            Scripted((0.5, 1)),
            [],
            max_generations=9,
            n_iter_no_change=9,
            callbacks=[interrupting(2)],
            stoppable=False,
        )


@pytest.mark.parametrize("n_grown", [0, 2, 6])
def test_ctrl_c_while_seeds_grow_fills_up_with_leaves(n_grown):
    seeds = [[*LEAF[:5], np.array([i], dtype=np.int32)] for i in range(n_grown)]

    def growing():
        yield from seeds
        raise KeyboardInterrupt

    population = Scripted((0.5, 1))
    with pytest.warns(EvolutionInterrupted, match="after 0 generations"):
        run = evolve(population, growing(), max_generations=9, n_iter_no_change=9)
    trees, generation = population.restored
    assert generation == 0 and len(trees) == population.size and run.generation == 0
    assert [tree[5].tolist() for tree in trees] == ([[i] for i in range(n_grown)] + [[]] * 4)[:4]
    assert [part.tolist() for part in trees[-1]][:5] == [[-1], [-1], [-1], [0], [0, 0]]
    assert all(part.dtype == np.int32 for part in trees[-1])


def test_ctrl_c_is_kept_on_disk_unless_more_is_there(tmp_path, monkeypatch):
    path, saved = tmp_path / "run", []
    monkeypatch.setattr(run_module, "save_checkpoint", lambda *_: saved.append(1))

    def growing():
        raise KeyboardInterrupt
        yield

    with pytest.warns(EvolutionInterrupted):
        evolve(Scripted((0.5, 1)), growing(), max_generations=9, n_iter_no_change=9, checkpoint=path)
    assert saved == [1]

    def load(*_):
        raise KeyboardInterrupt

    path.write_bytes(b"more than nothing")
    monkeypatch.setattr(run_module, "load_checkpoint", load)
    with pytest.raises(KeyboardInterrupt):
        evolve(Scripted((0.5, 1)), [], max_generations=9, n_iter_no_change=9, checkpoint=path)
    assert saved == [1]
