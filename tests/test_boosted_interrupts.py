"""Ctrl-C while BoostedStakes learns: the finished parts are blended, and all say that nothing guards them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest

import commands
from stakes import BoostedStakes, Guard, load_model
from stakes._base.interrupts import early_end
from stakes._base.progress import watched
from stakes.boosted import classifier, smooth, trees
from stakes.boosted import model as boosted_model
from stakes.table import read_table

TREES, LINEAR, KERNEL = boosted_model.PARTS
COSTS = [[0, 1, 2], [3, 0, 1], [9, 4, 0]]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(trees, "ROUNDS", (10, 20, 40))
    monkeypatch.setattr(smooth, "N_LANDMARKS", 20)


def rows(n=90):
    rng = np.random.default_rng(3)
    X = rng.random((n, 4))
    return X, np.digitize(X[:, 0] + 0.3 * X[:, 1] ** 2 + 0.2 * rng.random(n), [0.5, 0.9])


def moments():
    """What a whole fit tells of how far it is, one entry for each time that it tells."""
    heard = []
    with watched(lambda share, what: heard.append(what)):
        model = BoostedStakes(cost_matrix=COSTS).fit(*rows())
    return model, heard


def interrupted_at(moment, estimator=None, within=True):
    """Fit, and press Ctrl-C when the fit tells for so many times how far it is."""
    left = [moment]

    def watcher(share, what):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    with watched(watcher), early_end(within):
        return (estimator or BoostedStakes(cost_matrix=COSTS)).fit(*rows())


def check_kept(model, whole, X):
    """A model that was interrupted answers, says what it is made of, and is written and read as it is."""
    kept = model.blend_.kept
    assert (
        model.interrupted_ and not model.guarded_ and np.isnan(model.cv_cost_) and model.cv_interval_ is None
    )
    assert model.constant_ == whole.constant_ and model.constant_cost_ == whole.constant_cost_
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    n_kept = len(kept)
    assert kept[1:] == (LINEAR, KERNEL)[: n_kept - 1]
    assert (model.blend_.weights[n_kept:] == 0).all() and model.blend_.weights[:n_kept].any()
    if kept[0] == TREES:
        assert model.blend_.trees.to_dict() == whole.blend_.trees.to_dict()
    for number, name in ((1, "linear"), (2, "kernel")):
        same = getattr(model.blend_, name).to_dict() == getattr(whole.blend_, name).to_dict()
        assert same == (number < n_kept)
    document = model.to_dict()
    assert document["info"]["interrupted"] and document["state"]["blend"]["kept"] == list(kept)
    again = BoostedStakes.from_dict(json.loads(json.dumps(document)))
    assert again.interrupted_ and np.isnan(again.cv_cost_) and again.to_dict() == document
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(AttributeError, match="Ctrl-C ended the fit before; fit it again"):
        _ = again.feature_importances_


def test_at_every_moment_what_is_finished_is_kept():
    whole, heard = moments()
    kept = []
    named = {heard.index(what) for what in heard}  # where a part begins; the last one before it ends a part
    for moment in sorted({*named, *range(1, len(heard), 12), len(heard)} - {0}):
        try:
            with pytest.warns(
                UserWarning, match="interrupted; kept of 3 parts: .*; the model is not guarded"
            ):
                model = interrupted_at(moment)
        except KeyboardInterrupt:
            kept.append(())
            continue
        check_kept(model, whole, rows()[0])
        kept.append(model.blend_.kept)
    unfinished = [(f"{TREES} (unfinished: {rounds} rounds)",) for rounds in (10, 20)]
    assert list(dict.fromkeys(kept)) == [(), *unfinished, (TREES,), (TREES, LINEAR), (TREES, LINEAR, KERNEL)]


def test_the_first_rounds_are_those_of_a_fit_that_has_no_more(monkeypatch):
    with pytest.warns(UserWarning, match=r"boosted trees \(unfinished: 10 rounds\)"):
        model = interrupted_at(1 + 10 + 5)  # within the second stage: the first told after each of ten folds
    monkeypatch.setattr(trees, "ROUNDS", (10,))
    short = BoostedStakes(cost_matrix=COSTS).fit(*rows())
    assert model.blend_.trees.to_dict() == short.blend_.trees.to_dict()


@pytest.mark.parametrize("name", ["fit_blend", "column_savings"])
def test_an_interrupt_after_the_parts_keeps_all_of_them(monkeypatch, name):
    X, y = rows()
    whole = BoostedStakes(cost_matrix=COSTS).fit(X, y)
    module = boosted_model if name == "fit_blend" else classifier
    usual, calls = getattr(module, name), []

    def first_interrupted(*args):
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return usual(*args)

    monkeypatch.setattr(module, name, first_interrupted)
    with pytest.warns(UserWarning, match=f"kept of 3 parts: {TREES}, {LINEAR}, {KERNEL}"):
        model = BoostedStakes(cost_matrix=COSTS).fit(X, y)
    check_kept(model, whole, X)
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    calls.clear()
    with early_end(False), pytest.raises(KeyboardInterrupt):
        BoostedStakes().fit(X, y)


def test_a_second_interrupt_ends_at_once(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(boosted_model, "fit_blend", interrupted)
    model = BoostedStakes()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*rows())
    assert not model.interrupted_


def test_where_a_fit_is_one_of_many_an_interrupt_ends_all():
    _, heard = moments()
    with pytest.raises(KeyboardInterrupt):
        interrupted_at(len(heard) - 1, within=False)


def test_a_guard_around_it_judges_nothing():
    with (
        pytest.warns(UserWarning, match="interrupted; kept"),
        pytest.warns(UserWarning, match="interrupted before the cross-validation"),
    ):
        guard = interrupted_at(25, Guard(BoostedStakes(), cv=3))
    assert guard.interrupted_ and guard.estimator_.interrupted_


def test_a_whole_fit_says_nothing_of_interrupts():
    X, y = rows()
    model = BoostedStakes().fit(X, y)
    document = model.to_dict()
    assert not model.interrupted_ and "interrupted" not in document["info"]
    assert "kept" not in document["state"]["blend"]
    with pytest.warns(UserWarning, match="interrupted"):
        interrupted_at(25, model)
    assert model.interrupted_ and not model.fit(X, y).interrupted_


@pytest.mark.parametrize(
    "kept", [[], "trees", [1], [TREES] * 2, [TREES, LINEAR, KERNEL, TREES], {}, [LINEAR], [TREES + "\x1b"]]
)
def test_a_file_with_other_parts_is_refused(kept):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = interrupted_at(25).to_dict()
    document["state"]["blend"]["kept"] = kept
    with pytest.raises(ValueError, match="kept must be the first of these parts: boosted trees, "):
        BoostedStakes.from_dict(document)


@pytest.mark.parametrize("key, value", [("cv_cost", 0.5), ("guarded", True)])
def test_a_file_that_is_guarded_all_the_same_is_refused(key, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = interrupted_at(25).to_dict()
    document["state"][key] = value
    with pytest.raises(ValueError, match="nothing guards it"):
        BoostedStakes.from_dict(document)


# ---- the command -------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "rows.csv", *rows())


def written(path, X, y):
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join(map(str, [*row, label])) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join([",".join([*names, "class"]), *lines]) + "\n")
    return path


def command_interrupted(monkeypatch, part):
    """Press Ctrl-C when a part of the fit has been finished."""
    usual = getattr(boosted_model, part)

    def stop(*args):
        usual(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(boosted_model, part, stop)


def test_the_command_says_what_it_keeps(file, monkeypatch):
    command_interrupted(monkeypatch, "fit_kernel")
    result = commands.run("fit", file, "--learner", "boosted", "-o", "model.json", code=130)
    kept = f"kept of 3 parts: {TREES}, {LINEAR}; "
    said, noted = (" ".join(text.split()) for text in (result.stdout, result.stderr))
    assert f"Stopped by Ctrl-C, {kept}this model is not guarded, and the file says so." in said
    assert "Cost per row: not cross-validated, " in said and "Written to model.json" in said
    assert f"interrupted; {kept}the model is not guarded" in noted
    assert load_model("model.json").blend_.kept == (TREES, LINEAR)
    card = " ".join(commands.run("describe", "model.json").stdout.split())
    assert f"before the model was judged; kept of 3 parts: {TREES}, {LINEAR} Settings" in card
    facts = json.loads(
        commands.run("fit", file, "--learner", "boosted", "-o", "m.json", "--json", code=130).stdout
    )
    assert facts["kept"] == [TREES, LINEAR] and facts["kept_of"] == 3 and facts["interrupted"] is True
    assert facts["cross_validated_cost_per_row"] is None and facts["guarded"] is False


def test_the_command_says_that_it_could_keep_nothing(file, monkeypatch):
    command_interrupted(monkeypatch, "fit_trees")
    result = commands.run("fit", file, "--learner", "boosted", "-o", "model.json", code=130)
    assert result.stdout == ""
    assert result.stderr == "Stopped. Nothing could be kept, so no model is written.\n"
    assert not os.path.exists("model.json")


@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")
def test_a_signal_to_the_command(tmp_path):
    """It is sent when the command tells that the trees are done; what follows takes seconds."""
    rng = np.random.default_rng(0)
    X = rng.random((2_000, 20)).round(3)
    path = written(tmp_path / "rows.csv", X, (4 * X[:, 0] + X[:, 1] + rng.random(2_000)).astype(int))
    out = tmp_path / "model.json"
    line = ["fit", path, "--learner", "boosted", "--verbose", "-o", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "stakes.cli", *map(str, line)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = ""
    while not said.startswith(LINEAR):
        said = process.stderr.readline()
        assert said, "it ended before"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130, stderr
    kept = re.search(r"kept of 3 parts: ([^;]*); the model is not guarded", " ".join(stderr.split()))[1]
    assert kept in (TREES, f"{TREES}, {LINEAR}")
    assert "this model is not guarded" in " ".join(stdout.split())
    model = load_model(out)
    assert ", ".join(model.blend_.kept) == kept and len(set(model.predict(read_table(path)))) > 1
