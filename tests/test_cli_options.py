"""Options of the commands: defaults are those of the library, and each of them arrives where it should."""

import inspect
import typing
from importlib import import_module
from pathlib import Path

import pytest

from commands import run
from stakes import C45Classifier, CostMatrix, Guard
from stakes._cli import app as app_module
from stakes._cli import fit as fit_work
from stakes._cli.commands import (
    clarify,
    clarify_record,
    clarify_train,
    compare,
    evaluate,
    export,
    fit,
    report,
    reproduce,
)
from stakes._cli.endings import EXIT_CODES
from stakes.boosted import BoostedStakes
from stakes.cli import app
from stakes.compare.comparison import evaluate_learners
from stakes.evolve import GDTClassifier
from stakes.export.c import export_c
from stakes.export.sql import export_sql
from stakes.forensics import record as forensics_record
from stakes.forensics.training import Settings
from stakes.lab.peers import compare_with_peers
from stakes.lab.study import reproduce as reproduce_paper
from stakes.rules import RuleClassifier

COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])


def commands():
    """Every command with the module that declares it."""
    for group in (app_module.StakesGroup, clarify.ClarifyGroup):
        for name, module in group.modules.items():
            if name != "clarify":
                yield name, import_module(f"stakes._cli.commands.{module}")


def test_every_command_says_its_exit_codes_and_shows_examples_as_a_list():
    for name, one in commands():
        if name not in ("record", "run"):  # these end as the program does
            assert getattr(one, "EPILOG", EXIT_CODES).startswith("Exit codes: 0 "), name
    assert "•" in run("fit", "--help").stdout


def defaults(function):
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not inspect.Parameter.empty
    }


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Six rows, costs and prices, in the folder where the commands run."""
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(
        "a,b,n,class\n1,x,1,bad\n2,x,2,bad\n3,y,1,bad\n6,x,1,good\n7,y,3,good\n8,y,1,good\n"
    )
    Path("costs.csv").write_text("actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n")
    Path("prices.csv").write_text("feature,price\na,2\nb,3\nn,1\n")
    return tmp_path


# ---- what options are called -------------------------------------------------------------------------------


def hinted(function):
    """What is said about each option of a command."""
    hints = typing.get_type_hints(function, include_extras=True)
    names = [name for name in inspect.signature(function).parameters if name != "ctx"]
    return {name: hints[name].__metadata__[0] for name in names}


def test_every_option_is_explained_and_every_command_names_the_exit_codes():
    names = []
    for name, one in commands():
        names.append(name)
        assert one.command.__doc__ and "For example:" in one.command.__doc__
        assert all(info.help for info in hinted(one.command).values()), name
        if name not in ("record", "run"):  # these exit as the program does
            assert not hasattr(one, "EPILOG")
    assert names == [
        *[
            "demo",
            "describe",
            "fit",
            "predict",
            "evaluate",
            "report",
            "compare",
            "reproduce",
            "show",
            "ask",
            "export",
        ],
        *["record", "run", "label", "train", "explain"],
    ]
    assert app.info.epilog == EXIT_CODES and "stopped by Ctrl-C" in EXIT_CODES
    assert app.info.context_settings == {"help_option_names": ["-h", "--help"]}
    assert (app.info.no_args_is_help, clarify.app.info.no_args_is_help) == (True, True)
    assert clarify.clarify.__doc__ == "Watch the few functions that matter, explain why a program failed."
    assert (app._add_completion, app.pretty_exceptions_enable) == (True, False)
    assert app.rich_markup_mode == "markdown"


def test_what_stands_for_a_value_and_what_is_shown_of_a_default():
    infos = hinted(fit.command) | hinted(compare.command) | {"MODEL": hinted(report.command)["model"]}
    assert {
        name: infos[name].metavar for name in ("data", "costs", "target", "weights", "feature_costs")
    } == {
        "data": "DATA",
        "costs": "FILE",
        "target": "COLUMN",
        "weights": "COLUMN",
        "feature_costs": "FILE",
    }
    assert infos["MODEL"].metavar == "MODEL" and infos["cluster"].metavar == "ADDRESS"
    assert infos["data"].show_default is False and infos["MODEL"].show_default is False
    assert hinted(clarify_record.command)["command"].show_default is False


def test_every_default():
    """What a command does without options is part of its interface."""
    shared = {"debug": False, "as_json": False, "costs": None, "target": None, "weights": None, "drop": None}
    shared |= {"accept_costs": False, "test": None, "currency": None}
    shared |= {"feature_costs": None, "tree": False, "noun": "case", "abstain_cost": None, "abstain": False}
    found = {name: defaults(one.command) for name, one in commands()}
    rest = {
        name: {key: value for key, value in options.items() if shared.get(key, ...) != value}
        for name, options in found.items()
    }
    nothing = {"output": None, "format": None}
    assert rest.pop("fit").keys() >= {"criterion", "folds"}  # below, next to the estimators
    assert rest == {
        "demo": {"folder": Path("stakes-demo")},
        "describe": {},
        "predict": {**nothing, "explain": False, "with_data": False},
        "evaluate": {
            "model": None,
            "learner": None,
            "folds": None,
            "repeats": None,
            "level": 0.95,
            "seed": 0,
            "report": None,
            "questions": None,
            "by": None,
        },
        "report": {"output": Path("report.html"), "title": None, "note": "", "by": None, "questions": None},
        "compare": {
            "learner": None,
            "folds": 10,
            "repeats": 1,
            "seed": 0,
            "n_jobs": -1,
            "cluster": None,
            "output": None,
        },
        "reproduce": {
            "protocol": None,
            "table": None,
            "figure": None,
            "datasets": None,
            "quick": False,
            "more": False,
            "allow_imports": False,
            "n_jobs": -1,
            "cluster": None,
            "python": None,
            "programs": None,
            "output": Path("stakes-lab"),
        },
        "show": {**nothing, "max_depth": None},
        "ask": {"budget": None, "known": None, "questions": None},
        "export": {"to": None, "output": None, "name": "tree", "table": None, "column": "prediction"},
        "record": {
            "runs": Path("runs"),
            "label": None,
            "input": None,
            "each": None,
            "trees": True,
            "lines": False,
            "symptom": None,
            "keep_message": False,
        },
        "run": {},
        "label": {"again": False},
        "train": {
            "output": Path("model.json"),
            "max_loss": 0.01,
            "texts": None,
            "trees": True,
            "lines": False,
            "merge": None,
            "purity": 0.9,
            "max_wrong": None,
            "guard": True,
            "program": None,
            "folds": 5,
            "plot": None,
            "seed": 0,
        },
        "explain": {},
    }


def test_defaults_are_those_of_the_library():
    trained = defaults(clarify_train.command)
    settings = Settings()
    assert settings == Settings(
        ("functions", "trees"),
        trained["max_loss"],
        trained["folds"],
        trained["purity"],
        trained["seed"],
        trained["guard"],
    )
    assert (trained["trees"], trained["lines"]) == (True, False)
    recorded, library = defaults(clarify_record.command), defaults(forensics_record)
    assert {name: recorded[name] for name in ("trees", "lines", "label", "input")} == {
        name: library[name] for name in ("trees", "lines", "label", "input")
    }
    compared, library = defaults(compare.command), defaults(compare_with_peers)
    for option, argument in (("folds", "n_folds"), ("repeats", "n_repeats"), ("seed", "seed")):
        assert compared[option] == library[argument] == defaults(evaluate_learners).get(argument, 0)
    evaluated, library = defaults(evaluate.command), defaults(evaluate_learners)
    assert (evaluated["level"], evaluated["seed"]) == (library["level"], library["random_state"])
    assert defaults(reproduce.command)["quick"] == defaults(reproduce_paper)["quick"]
    exported = defaults(export.command)
    assert exported["name"] == defaults(export_c)["name"]
    assert exported["column"] == defaults(export_sql)["output"]


# ---- fit ---------------------------------------------------------------------------------------------------


@pytest.fixture
def fitted_by(place, monkeypatch):
    """What `stakes fit` would fit, with its parameters; nothing is learnt."""
    handed = []
    monkeypatch.setattr(
        fit_work, "_learn", lambda model, problem, output, as_json, *more: handed.append((model, output))
    )

    def call(*options):
        run("fit", "d.csv", "-c", "costs.csv", *options)
        model, output = handed.pop()
        return model, output

    return call


def plain(model):
    """Parameters, with costs as arrays of numbers and prices as a dict."""
    params = model.get_params(deep=False)
    if params.get("cost_matrix") is not None:
        params["cost_matrix"] = params["cost_matrix"].values.tolist()
    if params.get("feature_costs") is not None:
        params["feature_costs"] = dict(params["feature_costs"].prices)
    return params


def test_without_options_the_estimators_have_their_own_defaults(fitted_by):
    model, output = fitted_by()
    assert output == Path("model.json")
    assert isinstance(model, Guard)
    assert plain(model) == {**plain(Guard(model.estimator)), "cv": 10, "random_state": 0}
    assert type(model.estimator) is C45Classifier
    assert plain(model.estimator) == plain(C45Classifier(cost_matrix=COSTS))
    model, _ = fitted_by("-l", "boosted")
    assert type(model) is BoostedStakes and plain(model) == plain(BoostedStakes(cost_matrix=COSTS))
    for name, kind in (("rules", RuleClassifier), ("gdt", GDTClassifier)):
        model, _ = fitted_by("-l", name)
        assert isinstance(model, Guard) and type(model.estimator) is kind
        assert plain(model.estimator) == plain(kind(cost_matrix=COSTS))


PRICES = {"a": 2.0, "b": 3.0, "n": 1.0}
# Options for the tree, and the parameters that they change, each to a value that no other has.
TREE_OPTIONS = [
    (
        "--cost-use none --decision min_cost --criterion gini --prune none --set confidence=0.1 "
        "--max-depth 0 --set max_leaf_nodes=1 --min-samples-leaf 5 --set min-gain=0.5 --set max_bins=9 "
        "--smoothing laplace --set smoothing_strength=3.0 --set cost_vector=max --set dialect=j48 "
        "--categorical n --categorical a --set unseen='error' --seed 7 --n-jobs 4 --set growth=best_first",
        {
            "cost_use": "none",
            "decision": "min_cost",
            "criterion": "gini",
            "prune": None,
            "confidence": 0.1,
            "dialect": "j48",
            "max_depth": 0,
            "max_leaf_nodes": 1,
            "min_samples_leaf": 5.0,
            "min_gain": 0.5,
            "max_bins": 9,
            "smoothing": "laplace",
            "smoothing_strength": 3.0,
            "cost_vector": "max",
            "categorical_features": ["n", "a"],
            "unseen": "error",
            "random_state": 7,
            "n_jobs": 4,
            "growth": "best_first",
        },
    ),
    ("-l c4.5", {"cost_use": "none"}),
    ("-l c4.5cs --cost-use priors", {"cost_use": "priors"}),
    ("--set group_values=true --set collapse=false", {"group_values": True, "collapse": False}),
    ("--set raise_subtrees=false --prune cost", {"raise_subtrees": False, "prune": "cost"}),
    (
        "--feature-costs prices.csv --criterion cs_gain --gamma 0 --max-upfront-cost 6 --max-path-cost 4",
        {
            "feature_costs": PRICES,
            "criterion": "cs_gain",
            "gamma": 0.0,
            "max_upfront_cost": 6.0,
            "max_path_cost": 4.0,
        },
    ),
]


def test_each_option_changes_its_parameter_and_no_other(fitted_by):
    expected = plain(C45Classifier(cost_matrix=COSTS))
    for options, changed in TREE_OPTIONS:
        model, _ = fitted_by("--no-guard", *options.split())
        assert plain(model) == expected | changed, options
    guard, output = fitted_by("--folds", 3, "--seed", 7, "-o", "other.json")
    assert (guard.cv, guard.random_state, output) == (3, 7, Path("other.json"))


def test_rules_and_evolution_are_handed_their_options(fitted_by):
    common = (
        "--categorical n --set unseen=error --n-jobs 2 --seed 7 --feature-costs prices.csv --abstain-cost 0.4"
    )
    shared = {
        "categorical_features": ["n"],
        "unseen": "error",
        "n_jobs": 2,
        "random_state": 7,
        "feature_costs": PRICES,
        "abstain_cost": 0.4,
    }
    options = "-l rules --t-good 0.3 --min-support 5 --max-length 2 --set cost_vector=max"
    model, _ = fitted_by("--no-guard", *options.split(), *common.split())
    changed = {"t_good": 0.3, "min_support": 5.0, "max_length": 2, "cost_vector": "max"}
    assert plain(model) == plain(RuleClassifier(cost_matrix=COSTS)) | shared | changed
    own = "--max-depth 3 --min-samples-leaf 4 --smoothing m --set smoothing_strength=1.5"
    guard, _ = fitted_by("-l", "gdt", *own.split(), "--folds", 4, *common.split())
    assert (guard.cv, guard.random_state) == (4, 7)
    changed = {"max_depth": 3, "min_samples_leaf": 4, "smoothing": "m", "smoothing_strength": 1.5}
    assert plain(guard.estimator) == plain(GDTClassifier(cost_matrix=COSTS)) | shared | changed
    prices, _ = fitted_by("-l", "boosted", "--feature-costs", "prices.csv")
    assert plain(prices)["feature_costs"] == PRICES
    model, _ = fitted_by("-l", "gdt", "--no-guard")
    assert type(model) is GDTClassifier


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("--criterion cs_gain", "--criterion cs_gain"),
        ("--gamma 1", "--gamma"),
        ("--max-upfront-cost 1", "--max-upfront-cost"),
        ("--max-path-cost 1", "--max-path-cost"),
    ],
)
def test_what_needs_prices_says_so(place, options, named):
    error = " ".join(run("fit", "d.csv", *options.split(), code=2).stderr.replace("│", " ").split())
    assert f"Invalid value for {named}: needs --feature-costs." in error


@pytest.mark.parametrize(
    ("options", "named", "learner", "known", "unknown"),
    [
        ("-l gdt --prune cost", "--prune", "gdt", "--min-samples-leaf", "--prune,"),
        ("-l boosted --max-depth 3", "--max-depth", "boosted", "--feature-costs", "--folds"),
        ("-l boosted --no-guard", "--no-guard", "boosted", "--seed", "--no-guard,"),
        ("-l rules --prune cost", "--prune", "rules", "--t-good", "--criterion"),
        ("-l rules --prune error", "--prune", "rules", "--abstain-cost", "--max-depth"),  # as by default
        ("--abstain-cost 1", "--abstain-cost", "c4.5cs", "--gamma", "--t-good"),
        ("-l c4.5 --cost-use weights", "--cost-use", "c4.5", "--decision", "--cost-use,"),
    ],
)
def test_an_option_that_does_not_apply_is_refused(place, options, named, learner, known, unknown):
    error = " ".join(run("fit", "d.csv", *options.split(), code=2).stderr.replace("│", " ").split())
    assert f"Invalid value for {named}: does not apply to --learner {learner}; these do: " in error
    listed = error.partition("these do: ")[2]
    assert known in listed and unknown not in listed and "--target" not in listed
    assert not Path("model.json").exists()


def test_folds_are_for_the_guard(place):
    error = run("fit", "d.csv", "--no-guard", "--folds", 3, code=2).stderr
    assert "--folds: does not apply to --no-guard" in " ".join(error.replace("│", " ").split())
