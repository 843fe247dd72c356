"""Runs that are threaded, killed, resumed or interrupted end as they should."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from stakes import GDTClassifier, datasets
from stakes.evolve import alpha, seeds
from stakes.evolve.run import EvolutionInterrupted, evolve
from stakes.evolve.settings import LARGE_ROWS, Settings
from test_evolve_core import population, some_rows

QUICK = {"population_size": 16, "max_generations": 12, "n_iter_no_change": 50}


def rows(n=5000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nan_to_num(X[:, 0]) > 0).astype(int) + (np.nan_to_num(X[:, 1] * X[:, 2]) > 0.3)
    return X, y


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_the_tree(weighted):
    X, y = rows()
    weight = np.random.default_rng(1).random(len(y)) if weighted else None
    one, three = (GDTClassifier(n_jobs=n_jobs, **QUICK).fit(X, y, sample_weight=weight) for n_jobs in (1, 3))
    assert one.to_dict()["state"] == three.to_dict()["state"]
    assert one.n_nodes_ > 3 and one.n_generations_ == 12  # there was something to differ in
    for name in ("mean_fitness", "mean_size", "diversity"):
        np.testing.assert_array_equal(getattr(one.evolution_, name), getattr(three.evolution_, name))
    total = len(y) if weight is None else weight.sum()
    assert one.fitted_tree_.counts[0].sum() == pytest.approx(total)


def test_the_seed_decides_the_search():
    X, y = rows(500)
    courses = [
        GDTClassifier(random_state=seed, variant="paper", **QUICK).fit(X, y).evolution_.mean_fitness
        for seed in (1, 1, 2, None, None)
    ]
    assert courses[0].tolist() == courses[1].tolist()
    assert len({tuple(course.tolist()) for course in courses}) == 4  # without a seed each fit is another


class Stop(Exception):
    pass


def stop_after(number):
    def callback(generation):
        if generation.number == number:
            raise Stop

    return callback


@pytest.mark.parametrize("alpha", [0.001, "auto"])
def test_a_run_goes_on_from_its_checkpoint(tmp_path, monkeypatch, alpha):
    X, y = rows(400)
    monkeypatch.setattr("stakes.evolve.run._PAUSE", 0.0)
    whole = GDTClassifier(alpha=alpha, **QUICK).fit(X, y)
    file = tmp_path / "run.npz"
    with pytest.raises(Stop):
        GDTClassifier(alpha=alpha, checkpoint=file, callback=stop_after(7), **QUICK).fit(X, y)
    assert file.exists()
    told = []
    resumed = GDTClassifier(alpha=alpha, checkpoint=file, callback=told.append, n_jobs=2, **QUICK).fit(X, y)
    assert told[0].number == 7  # the generations before were not made again
    assert resumed.to_dict()["state"] == whole.to_dict()["state"]
    assert (resumed.evolution_.best_cost == whole.evolution_.best_cost).all()
    assert (resumed.evolution_.diversity == whole.evolution_.diversity).all()
    assert [n for n, _ in resumed.evolution_.best_trees] == [n for n, _ in whole.evolution_.best_trees]
    assert list(tmp_path.iterdir()) == []  # what is done needs no checkpoint


def test_a_checkpoint_of_another_run_is_refused(tmp_path, monkeypatch):
    X, y = rows(300)
    monkeypatch.setattr("stakes.evolve.run._PAUSE", 0.0)
    file = tmp_path / "run.npz"
    with pytest.raises(Stop):
        GDTClassifier(checkpoint=file, callback=stop_after(3), **QUICK).fit(X, y)
    for other in ({"alpha": 0.5}, {"random_state": 9}, {"max_depth": 3}):
        with pytest.raises(ValueError, match="belongs to a run with other data or parameters"):
            GDTClassifier(checkpoint=file, **(QUICK | other)).fit(X, y)
    with pytest.raises(ValueError, match="belongs to a run with other data or parameters"):
        GDTClassifier(checkpoint=file, **QUICK).fit(X[:-1], y[:-1])
    file.write_bytes(b"no checkpoint")
    with pytest.raises(ValueError, match="cannot be read"):
        GDTClassifier(checkpoint=file, **QUICK).fit(X, y)


LONG = """
import sys
import numpy as np
from stakes import GDTClassifier, datasets
import stakes.evolve.run
stakes.evolve.run._PAUSE = 0.0
german = datasets.load("german")
def callback(generation):
    print(generation.number, flush=True)
model = GDTClassifier(cost_matrix=german.cost_matrix, max_generations={n}, n_iter_no_change={n},
                      population_size=16, callback=callback, checkpoint={path!r}).fit(german.X, german.y)
print("kept", model.n_generations_, flush=True)
"""


def start(path, n):
    return subprocess.Popen(
        [sys.executable, "-c", LONG.format(path=path and os.fspath(path), n=n)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_a_killed_run_ends_as_if_it_had_not_been(tmp_path):
    n, path = 60, tmp_path / "run.npz"
    with start(path, n) as process:
        while int(process.stdout.readline()) < 20:
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert path.exists()
    german = datasets.load("german")
    params = {
        "cost_matrix": german.cost_matrix,
        "max_generations": n,
        "n_iter_no_change": n,
        "population_size": 16,
    }
    resumed = GDTClassifier(checkpoint=path, **params).fit(german.X, german.y)
    whole = GDTClassifier(**params).fit(german.X, german.y)
    assert resumed.to_dict()["state"] == whole.to_dict()["state"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
def test_ctrl_c_keeps_the_best_tree_so_far():
    with start(None, 10**6) as process:
        while int(process.stdout.readline()) < 5:
            pass
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert "kept" in out
    assert "EvolutionInterrupted" in error


def test_an_interrupted_fit_warns_and_predicts():
    X, y = rows(300)

    def callback(generation):
        if generation.number == 4:
            raise KeyboardInterrupt

    with pytest.warns(EvolutionInterrupted, match="after 4 generations"):
        model = GDTClassifier(callback=callback, **QUICK).fit(X, y)
    assert model.n_generations_ == 4
    assert len(model.predict(X)) == 300


def test_ctrl_c_keeps_the_checkpoint_to_go_on_from(tmp_path, monkeypatch):
    X, y = rows(300)

    def callback(generation):
        if generation.number == 4:
            raise KeyboardInterrupt

    file = tmp_path / "run.npz"
    with pytest.warns(EvolutionInterrupted):
        GDTClassifier(callback=callback, checkpoint=file, **QUICK).fit(X, y)
    resumed = GDTClassifier(checkpoint=file, **QUICK).fit(X, y)
    whole = GDTClassifier(**QUICK).fit(X, y)
    assert resumed.to_dict()["state"] == whole.to_dict()["state"]
    assert not file.exists()


@pytest.mark.parametrize("n_folds", [0, 2])
def test_ctrl_c_while_alpha_is_chosen_keeps_a_tree_and_the_folds_done(tmp_path, monkeypatch, n_folds):
    X, y = rows(300)
    file, done = tmp_path / "run.npz", []

    def follow(*args):
        if len(done) == n_folds:
            raise KeyboardInterrupt
        done.append(real(*args))
        return done[-1]

    real = alpha._follow
    params = QUICK | {"alpha": "auto", "checkpoint": file}
    with monkeypatch.context() as patched:
        patched.setattr(alpha, "_follow", follow)
        with pytest.warns(EvolutionInterrupted, match="while alpha was chosen"):
            model = GDTClassifier(**params).fit(X, y)
    assert model.alpha_path_.interrupted and len(model.alpha_path_.costs) == n_folds
    assert model.n_generations_ == 0 and len(model.predict(X)) == 300
    resumed = GDTClassifier(**params).fit(X, y)
    whole = GDTClassifier(**(params | {"checkpoint": None})).fit(X, y)
    assert resumed.to_dict()["state"] == whole.to_dict()["state"]


@pytest.mark.parametrize("n_grown", [0, 3])
def test_ctrl_c_while_seeds_grow_keeps_the_best_of_them(monkeypatch, n_grown):
    X, y = rows(300)
    grown = []

    def c45_tree(*args):
        if len(grown) == n_grown:
            raise KeyboardInterrupt
        grown.append(real(*args))
        return grown[-1]

    real = seeds.c45_tree
    monkeypatch.setattr(seeds, "c45_tree", c45_tree)
    with pytest.warns(EvolutionInterrupted, match="after 0 generations"):
        model = GDTClassifier(alpha=0.001, **QUICK).fit(X, y)
    assert model.n_generations_ == 0
    assert (model.get_n_leaves() > 1) == (n_grown > 0)
    assert len(model.predict(X)) == 300


def test_ctrl_c_while_the_population_starts_keeps_it():
    class Interrupted:
        def __init__(self, population):
            self.population = population

        def __getattr__(self, name):
            return getattr(self.population, name)

        def start(self, trees):
            self.population.start(trees)
            raise KeyboardInterrupt

    made = population(some_rows(), started=False)
    with pytest.warns(EvolutionInterrupted, match="after 0 generations"):
        run = evolve(Interrupted(made), [], max_generations=5, n_iter_no_change=5)
    assert run.reports == [made.report()]
    assert len(run.best) == 1


def test_a_large_table_changes_few_nodes_of_an_offspring():
    X, y = rows(LARGE_ROWS + 1)
    one, two = (
        GDTClassifier(n_jobs=n_jobs, debug=True, **(QUICK | {"max_generations": 3})).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert one.to_dict()["state"] == two.to_dict()["state"]
    memetic, published = (Settings.of(GDTClassifier(variant=name)) for name in ("memetic", "paper"))
    few, many = (memetic.options(n, 0.0, 1).max_mutations for n in (LARGE_ROWS + 1, LARGE_ROWS))
    paper = published.options(LARGE_ROWS + 1, 0.0, 1).max_mutations
    assert few < many == paper == float("inf")


def test_ctrl_c_while_a_checkpoint_is_read_leaves_it_alone(tmp_path, monkeypatch):
    def load(*_):
        raise KeyboardInterrupt

    X, y = rows(300)
    monkeypatch.setattr("stakes.evolve.run._PAUSE", 0.0)
    file = tmp_path / "run.npz"
    with pytest.raises(Stop):
        GDTClassifier(checkpoint=file, callback=stop_after(3), **QUICK).fit(X, y)
    before = file.read_bytes()
    monkeypatch.setattr("stakes.evolve.run.load_checkpoint", load)
    with pytest.raises(KeyboardInterrupt):
        GDTClassifier(checkpoint=file, **QUICK).fit(X, y)
    assert file.read_bytes() == before
