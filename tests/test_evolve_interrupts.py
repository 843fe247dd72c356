"""Ctrl-C while a tree is evolved: the first ends all of the work, the second what is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import commands
from stakes import GDTClassifier, Guard, MinExpectedCost
from stakes.compare import evaluate_learners
from stakes.evolve import alpha, seeds
from stakes.evolve.run import EvolutionInterrupted
from stakes.models import load_model, save_model
from stakes.reductions import CostBagging

QUICK = {"population_size": 16, "max_generations": 6, "alpha": 0.001}


def rows(n=200):
    rng = np.random.default_rng(1)
    X = rng.random((n, 4))
    return X, (X[:, 0] + 0.3 * rng.random(n) > 0.6).astype(int)


class Interrupts:
    """Is told of each generation, and stops the given fit at the given generation."""

    def __init__(self, fit, generation):
        self.fit, self.generation, self.fits = fit, generation, 0

    def __call__(self, generation):
        self.fits += generation.number == 0
        if (self.fits, generation.number) == (self.fit, self.generation):
            raise KeyboardInterrupt

    def __deepcopy__(self, memo):  # estimators are cloned
        return self


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Run a command whose evolution is interrupted; return its result and the number of fits begun."""

    def run(fit, generation, *args, code=130):
        stop = Interrupts(fit, generation)
        monkeypatch.setattr("stakes.evolve.run._tell", lambda callbacks, generation: stop(generation))
        return commands.run(*args, code=code), stop.fits

    X, y = rows(60)
    lines = [
        ",".join(map(str, [*row, label])) for row, label in zip(X.round(3).tolist(), y.tolist(), strict=True)
    ]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,d,class", *lines]) + "\n")
    monkeypatch.chdir(tmp_path)
    return run


@pytest.mark.parametrize("inside", [lambda tree: tree, MinExpectedCost])
def test_an_interrupted_tree_is_kept_unguarded_and_no_fold_is_begun(tmp_path, inside):
    X, y = rows()
    stop = Interrupts(1, 2)
    with pytest.warns(EvolutionInterrupted), pytest.warns(UserWarning, match="the model is not guarded"):
        model = Guard(inside(GDTClassifier(callback=stop, **QUICK)), cv=3).fit(X, y)
    assert stop.fits == 1
    assert (model.interrupted_, model.guarded_) == (True, False) and np.isnan(model.cv_cost_)
    save_model(model, tmp_path / "model.json")
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["info"]["interrupted"] and document["state"]["fitted"]["interrupted"]
    again = load_model(tmp_path / "model.json")
    assert again.interrupted_ and np.isnan(again.cv_cost_) and (again.predict(X) == model.predict(X)).all()
    assert again.to_dict() == document


def test_a_whole_fit_says_nothing_of_interrupts():
    X, y = rows()
    model = Guard(GDTClassifier(**QUICK), cv=2).fit(X, y)
    assert not model.interrupted_ and not model.estimator_.interrupted_
    assert "interrupted" not in json.dumps(model.to_dict())
    again = Guard.from_dict(model.to_dict())
    assert again.interrupted_ is False and again.cv_cost_ == model.cv_cost_


def test_an_interrupt_in_a_fold_ends_all_and_the_tree_is_there():
    X, y = rows()
    stop = Interrupts(3, 2)
    model = Guard(GDTClassifier(callback=stop, **QUICK), cv=5)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert stop.fits == 3
    assert model.interrupted_ and not model.guarded_ and not model.estimator_.interrupted_
    assert (model.predict(X) == model.estimator_.predict(X)).all()


@pytest.mark.parametrize(
    "many",
    [
        lambda tree, X, y: CostBagging(tree, n_estimators=3).fit(X, y),
        lambda tree, X, y: MinExpectedCost(tree, calibration="isotonic", cv=3).fit(X, y),
        lambda tree, X, y: evaluate_learners({"tree": tree}, X, y, n_folds=3),
    ],
)
def test_where_a_fit_is_one_of_many_an_interrupt_ends_all(many):
    stop = Interrupts(2, 1)
    with pytest.raises(KeyboardInterrupt):
        many(GDTClassifier(callback=stop, **QUICK), *rows())
    assert stop.fits == 2


def test_a_second_interrupt_ends_at_once(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(alpha, "_follow", interrupted)
    monkeypatch.setattr(seeds, "c45_tree", interrupted)
    with pytest.warns(EvolutionInterrupted), pytest.raises(KeyboardInterrupt):
        GDTClassifier(**QUICK | {"alpha": "auto"}).fit(*rows())


@pytest.mark.parametrize(("fit", "fits"), [(1, 1), (3, 3)])
def test_the_command_keeps_the_tree_and_says_that_it_is_not_guarded(command, fit, fits):
    result, begun = command(fit, 2, "fit", "rows.csv", "--learner", "gdt", "-o", "model.json")
    assert begun == fits
    assert "this model is not guarded" in result.stdout and "Written to model.json" in result.stdout
    assert ("interrupted after 2 generations" in result.stderr) == (fit == 1)
    model = load_model("model.json")
    assert model.interrupted_ and not model.guarded_
    commands.run("report", "model.json", "rows.csv", "-o", "page.html")
    assert "nothing guards it" in Path("page.html").read_text()


def test_other_commands_end_with_the_first_interrupt(command):
    result, begun = command(2, 1, "evaluate", "rows.csv", "--learner", "gdt", "--folds", 3)
    assert begun == 2 and result.stdout == "" and result.stderr == "Stopped.\n"
