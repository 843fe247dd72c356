"""What evolution hands on: rows that count, costs, files; and codes, seeds and penalties at their limits."""

from __future__ import annotations

import os
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from unittest.mock import MagicMock

import numpy as np
import pytest

from stakes import GDTClassifier
from stakes.evolve import alpha, gdt, plots, seeds
from stakes.evolve import run as run_module
from stakes.evolve.alpha import STEPS, AlphaPath, alpha_path, noise_alpha
from stakes.evolve.checkpoint import write_arrays
from stakes.evolve.coding import code_table, thresholds
from stakes.evolve.history import EvolutionHistory, Generation
from stakes.evolve.problem import sketch_of
from stakes.evolve.run import Run, evolve
from stakes.evolve.settings import Settings, odds
from test_evolve_course import Scripted
from test_evolve_parts import CODES, ROW_COSTS, ints, some_problem, some_table, two_tests


class Enough(Exception):
    """Ends a fit when what it hands on is known."""


@pytest.fixture
def handed(monkeypatch):
    """Make a function of the fit note its arguments and end the fit there."""

    def noting(name, fit):
        given = []

        def function(*args):
            given.extend(args)
            raise Enough

        monkeypatch.setattr(gdt, name, function)
        with pytest.raises(Enough):
            fit()
        return given

    return noting


X, Y = np.arange(5.0)[:, None], ["a", "a", "b", "b", "b"]


def test_rows_without_weight_are_no_rows(handed):
    model, weight = GDTClassifier(), np.array([0.5, 0.0, 2.0, 0.0, 1.0])
    rows, _ = handed("problem_of", lambda: model.fit(X, Y, weight, costs=ROW_COSTS))
    assert rows.table.columns[0].tolist() == [0.0, 2.0, 4.0] and rows.codes.tolist() == [0, 1, 1]
    assert rows.weight.tolist() == [0.5, 2.0, 1.0] and rows.costs.tolist() == ROW_COSTS[[0, 2, 4]].tolist()
    assert rows.classes.tolist() == ["a", "b"]
    # what a class costs is the mean of the rows that count
    assert rows.cost_values.tolist() == [[0, 1], [(2 * 6 + 1 * 1) / 3, 0]]
    rest = handed("problem_of", lambda: model.fit(X, Y, weight))
    assert rest[0].table.n_samples == 3 and rest[0].costs is None
    whole = handed("problem_of", lambda: model.fit(X, Y, np.full(5, 0.5)))
    assert whole[0].table.n_samples == 5 and whole[0].weight.tolist() == [0.5] * 5


def test_the_choice_of_alpha_is_kept_beside_the_run(handed, tmp_path):
    model = GDTClassifier(alpha="auto")
    assert handed("alpha_path", lambda: model.fit(X, Y))[3:] == [None, ""]
    model.checkpoint = tmp_path / "run"
    path, words = handed("alpha_path", lambda: model.fit(X, Y))[3:]
    assert path == tmp_path / "run.alpha" and "'alpha': 0.0" in words and "n_threads" not in words
    model.set_params(n_jobs=2, debug=True)
    assert handed("alpha_path", lambda: model.fit(X, Y))[4] == words


def test_a_model_has_the_costs_that_were_given():
    small = {"population_size": 2, "max_generations": 0, "alpha": 0.0, "max_depth": 1}
    assert GDTClassifier(**small).fit(X, Y).fitted_tree_.costs is None
    assert GDTClassifier(**small).fit(X, Y, costs=ROW_COSTS).fitted_tree_.costs is not None
    given = GDTClassifier(**small, cost_matrix=[[0, 3], [7, 0]]).fit(X, Y)
    assert given.fitted_tree_.costs.tolist() == [[0, 3], [7, 0]]


def test_values_do_not_change():
    """Those that hold arrays are equal to themselves alone."""
    whole, coded = some_problem(), code_table(some_table(), CODES, 9, boundary=True)
    path = AlphaPath(np.arange(7.0), np.zeros((0, 7)), np.zeros((0, 7)))
    history = EvolutionHistory(*[np.zeros(2)] * 6, best_trees=[])
    generation = Generation(0, 0.5, 0.5, 1, 0.5, 1.0, 1.0, True)
    assert len(history) == 2 and path.best == 2.0 and whole.shift == 0.0 and coded.missing().all()
    for value in (whole, coded, path, history, generation):
        with pytest.raises(FrozenInstanceError):
            setattr(value, next(iter(vars(value))), None)
    for value in (whole, coded, path, history):
        assert value == value and value != replace(value) and isinstance(hash(value), int)
    assert generation == replace(generation) and hash(generation) == hash(replace(generation))
    assert "best_trees" not in repr(history)


# ---- codes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, classes, cuts",
    [
        ([1, 2, 2, 3], [0, 0, 0, 1], [2.5]),
        ([1, 1, 2], [0, 1, 1], [1.5]),
        ([1, 1, 2], [0, 1, 0], [1.5]),
        ([1, 2, 2], [1, 0, 1], [1.5]),
        ([1, 2, 2], [0, 0, 1], [1.5]),
        ([1, 1, 2, 2], [0, 1, 0, 1], [1.5]),
        ([1, 1, 2, 2], [1, 1, 1, 1], []),
    ],
)
def test_values_of_one_and_the_same_class_need_no_threshold(values, classes, cuts):
    found = thresholds(np.array(values, dtype=float), ints(*classes), 9)
    assert found.tolist() == cuts


def test_equal_values_have_no_threshold_between_them():
    assert thresholds(np.array([2.0, 1, 2, 3, 3]), ints(0, 0, 0, 0, 0), 9, boundary=False).tolist() == [
        1.5,
        2.5,
    ]


def test_thresholds_at_the_limit_of_their_number():
    values = np.repeat([0.0, 1, 2, 3], [97, 1, 1, 1])
    every = thresholds(values, np.zeros(100, np.int32), 3, boundary=False)
    assert every.tolist() == [0.5, 1.5, 2.5]  # as many as are allowed are all kept
    assert thresholds(values, np.zeros(100, np.int32), 2, boundary=False).tolist() == [0.5]
    late = np.append(np.arange(1.0, 51.0), np.full(50, 51.0))  # half of the rows lie above the last
    assert thresholds(late, np.zeros(100, np.int32), 3, boundary=False).tolist() == [25.5, 50.5]


def test_the_middle_of_neighbours_is_not_rounded_up():
    low = np.nextafter(1.0, 2.0)
    high = np.nextafter(low, 2.0)
    assert low / 2 + high / 2 == high
    assert thresholds(np.array([low, high]), ints(0, 1), 9).tolist() == [low]


# ---- costs, seeds, penalties -------------------------------------------------------------------------------


def test_costs_that_are_all_positive_are_not_shifted():
    dear = some_problem(cost_matrix=[[2, 3], [4, 2]])
    assert dear.shift == 0.0 and dear.largest_cost() == pytest.approx((2 * 3 + 3 * 4) / 5)


def test_cuts_are_of_the_kind_that_the_core_takes():
    whole = some_problem()
    tree = whole.fitted(two_tests()).tree
    assert [part.dtype for part in sketch_of(tree, whole.coded)] == [np.int32] * 6


def test_rows_that_were_drawn_count_by_their_weight():
    whole = some_problem(np.array([1.0, 2, 3, 4, 5]))
    tree = seeds.c45_tree(whole, np.array([2, 1, 0, 1, 1]), "none", None)
    assert tree.class_weights[0].tolist() == [2 * 1 + 2, 4 + 5]


@pytest.mark.parametrize("n_rows", [20_000, 20_001])
def test_seeds_are_learnt_from_no_more_than_20000_rows(n_rows, monkeypatch):
    given = []
    monkeypatch.setattr(seeds, "c45_tree", lambda rows, *_: given.append(rows))
    monkeypatch.setattr(seeds, "sketch_of", lambda *_: None)

    class Whole:
        coded = None
        take = staticmethod(lambda sample: sample)

        def __len__(self):
            return n_rows

    whole, one = Whole(), Settings.of(GDTClassifier(population_size=2, seeds=0.5))
    assert list(seeds.seed_trees(whole, one, 0)) == []
    (rows,) = given
    assert len(rows) == 20_000
    assert rows is whole if n_rows == 20_000 else len(np.unique(rows)) == 20_000


def test_the_noise_of_a_single_row_is_not_known():
    alone = np.array([0])
    assert noise_alpha(some_problem().take(alone), 0) == 5e-5


def test_penalties_are_steps_per_row_even_where_no_fold_was_done(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(alpha, "seed_trees", stopped)
    path = alpha_path(some_problem(), Settings.of(GDTClassifier()), 0)
    assert path.alphas.tolist() == [step / 5 for step in STEPS] and path.interrupted
    assert path.costs.shape == path.sizes.shape == (0, len(STEPS))


def test_odds_are_floats():
    assert repr(odds([1, 2], 2, "leaf_odds")) == "[1.0, 2.0]"


def test_nothing_is_proved_before_a_run():
    run = Run(Scripted((0.5, 1)), 9, 9)
    run.note()
    assert not run.proved and not run.interrupted and not run.finished


# ---- files and pictures ------------------------------------------------------------------------------------


def test_five_seconds_are_enough_for_a_checkpoint(monkeypatch, tmp_path):
    clock, written = iter(range(0, 1000, 5)), []
    monkeypatch.setattr(run_module.time, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(run_module, "save_checkpoint", lambda run, *_: written.append(run.generation))
    evolve(Scripted((0.5, 1)), [], max_generations=2, n_iter_no_change=9, checkpoint=tmp_path / "run")
    assert written == [1, 2, 2]


def test_a_file_is_written_where_it_will_stand(monkeypatch, tmp_path):
    moved, replace_file = [], os.replace
    monkeypatch.setattr(os, "replace", lambda *paths: moved.append(paths) or replace_file(*paths))
    write_arrays(tmp_path / "run", "mine", {})
    ((temporary, path),) = moved
    assert Path(temporary).parent == tmp_path and Path(path) == tmp_path / "run"


@pytest.mark.parametrize("n_classes, n_columns", [(2, 2), (6, 6), (9, 6)])
def test_classes_are_named_below_the_strip(n_classes, n_columns):
    pytest.importorskip("matplotlib").use("Agg")
    figure = MagicMock()
    plots._name_classes(figure, np.arange(n_classes))
    named = figure.legend.call_args.kwargs
    marks = named.pop("handles")
    assert named == {"loc": "outside lower center", "ncols": n_columns, "fontsize": "small"}
    assert [mark.get_label() for mark in marks] == [str(label) for label in range(n_classes)]
    assert {(mark.get_marker(), mark.get_linestyle()) for mark in marks} == {("s", "None")}


def test_penalties_are_drawn_in_their_own_order():
    ax = MagicMock()
    ax.plot.return_value = ax.twinx.return_value.plot.return_value = (None,)
    plots.plot_alpha(["0.1", "0.01"], [1, 2], [1, 9], ax=ax)  # as read from a text
    assert [part.tolist() for part in ax.plot.call_args.args[:2]] == [[0.01, 0.1], [2, 1]]
    assert ax.twinx.return_value.plot.call_args.args[1].tolist() == [9, 1]
