"""`stakes fit`: its help, files of options, `--set`, `--drop`, the weight of prices, progress and Ctrl-C."""

import json
import os
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest

from commands import read_terminal, run
from stakes import C45Classifier, TradeoffSearchCV, load_model
from stakes._cli import fit as work
from stakes._cli import progress, settings
from stakes._cli.commands import fit
from stakes._cli.fit_options import LEARNERS

SCREENS, SCREEN = 2, 50


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with data whose class follows a column, an id, costs and prices."""
    rng = np.random.default_rng(0)
    lines = ["id,a,b,colour,class"]
    for i in range(120):
        a, b, colour = rng.random(), rng.random(), "red" if rng.random() < 0.5 else "blue"
        lines.append(f"{i},{a:.3f},{b:.3f},{colour},{'bad' if a + 0.2 * rng.random() > 0.6 else 'good'}")
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "costs.csv").write_text("actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n")
    (tmp_path / "prices.csv").write_text("feature,price\nid,0.1\na,0.05\nb,0.4\ncolour,0.01\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def error_of(*words, code=2):
    """What stands in the box of an error, on one line."""
    return " ".join(run("fit", *words, code=code).stderr.replace("│", " ").split())


def quick(*words):
    """Options of a fit that takes no time."""
    return ("d.csv", "--no-guard", "-o", "model.json", *words)


# ---- help --------------------------------------------------------------------------------------------------


def test_help_is_two_screens_at_eighty_columns():
    env = os.environ | {"COLUMNS": "80"}
    command = [sys.executable, "-m", "stakes", "fit", "--help"]
    lines = subprocess.check_output(command, env=env, text=True, encoding="utf-8").splitlines()
    assert len(lines) <= SCREENS * SCREEN and max(map(len, lines)) <= 80
    headings = [line.split("─ ")[1].rstrip("─╮ ") for line in lines if line.startswith("╭─ ")]
    panels = ["Data", "Costs", "Learner", "Trees (c4.5 and c4.5cs; some also for gdt)", "Rules", "Output"]
    assert [heading for heading in headings if heading in panels] == panels
    assert not any("…" in line for line in lines)  # no name is cut


def test_the_first_of_the_choices_is_the_default():
    hints = get_type_hints(fit.command, include_extras=True)
    helps = {name: getattr(hint, "__metadata__", [None])[0] for name, hint in hints.items()}
    defaults = {name: parameter.default for name, parameter in signature(fit.command).parameters.items()}
    chosen = {name: info.help for name, info in helps.items() if info and "(default)" in (info.help or "")}
    assert len(chosen) == 6
    assert all(f" {defaults[name]} (default)" in text for name, text in chosen.items())


# ---- files of options --------------------------------------------------------------------------------------


def test_a_file_of_options_is_the_same_command(place):
    Path("settings").mkdir()
    words = ("-c", "costs.csv", "--drop", "id,b", "--max-depth", 2, "--set", "growth=best_first")
    run("fit", *quick(*words, "--set", "max_bins=9", "--save-config", "settings/fit.toml"))
    kept = tomllib.loads(Path("settings/fit.toml").read_text())
    assert kept == {
        "data": "../d.csv",
        "drop": ["id,b"],
        "costs": "../costs.csv",
        "guard": False,
        "max-depth": 2,
        "output": "../model.json",
        "set": {"growth": "best_first", "max_bins": 9},
    }
    first = Path("model.json").read_text()
    Path("model.json").unlink()
    os.chdir("settings")  # paths are those of the file's folder, wherever the command is called
    run("fit", "--config", "fit.toml", "--save-config", "again.toml")
    assert Path("../model.json").read_text() == first
    assert Path("again.toml").read_text() == Path("fit.toml").read_text()


def test_options_on_the_line_win(place):
    Path("fit.toml").write_text(
        'data = "d.csv"\nguard = false\nmax_depth = 3\ncategorical = "a"\n'
        "set = {max_bins = 9, min_gain = 0.1}\n"
    )
    run("fit", "--config", "fit.toml", "--max-depth", 1, "--set", "max_bins=7", "-o", "one.json")
    model = load_model("one.json")
    assert (model.max_depth, model.max_bins, model.min_gain) == (1, 7, 0.1)
    assert model.categorical_features == ["a"]
    run("fit", "--config", "fit.toml", "--guard", "--folds", 2, "-o", "two.json")
    assert type(load_model("two.json")).__name__ == "Guard"


def test_a_named_data_set_is_no_path(place):
    run("fit", "german", "--no-guard", "--max-depth", 1, "--save-config", "fit.toml")
    assert tomllib.loads(Path("fit.toml").read_text())["data"] == "german"
    run("fit", "--config", "fit.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max-deph = 3", "fit.toml has 'max-deph', which is no option; did you mean 'max-depth'"),
        ("folds = true", "folds must be a text or a number, got True"),
        ("guard = 'no'", "guard must be true or false, got 'no'"),
        ("drop = [['a']]", "drop must be a text or a number, or a list of them"),
        ("set = 3", "set must be a table of names and values, got 3"),
        ("max-depth = 2.5", "Invalid value for '--max-depth'"),
        ("learner = 'c45'", "did you mean 'c4.5'"),
        ("folds = ", "fit.toml is not TOML"),
        ("debug = true", "'debug', which is no option"),
    ],
)
def test_what_is_wrong_in_a_file_of_options_is_said(place, text, words):
    Path("fit.toml").write_text(text + "\n")
    assert words in error_of("d.csv", "--config", "fit.toml")
    assert "none.toml: No such file" in error_of("d.csv", "--config", "none.toml")


def test_a_file_of_options_holds_any_text(tmp_path):
    values = {"a": 'x"y\\z\n\t\x7fü', "b": [1, 2.5, True, float("inf")], "c": {"k": "v"}, "d": 1e-7}
    text = "\n".join(f"{name} = {settings._toml(value)}" for name, value in values.items())
    assert tomllib.loads(text) == values


# ---- --set -------------------------------------------------------------------------------------------------


def test_values_are_read_as_toml_json_or_text():
    pairs = ["a=3", "b=true", "c=[1, 2]", 'd={"x": null}', "e=text", 'f="3"', "g=", "h-i=1=2", "j=0.5"]
    assert settings.parsed_pairs(pairs) == {
        "a": 3,
        "b": True,
        "c": [1, 2],
        "d": {"x": None},
        "e": "text",
        "f": "3",
        "g": "",
        "h_i": "1=2",
        "j": 0.5,
    }


def test_every_parameter_can_be_set(place):
    run("fit", *quick("-l", "gdt", "--set", "population_size=8", "--set", "max_generations=2"))
    model = load_model("model.json")
    assert (model.population_size, model.max_generations) == (8, 2)
    run("fit", *quick("--set", "max_leaf_nodes=none", "--set", "unseen=error"))
    assert (load_model("model.json").max_leaf_nodes, load_model("model.json").unseen) == (None, "error")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--set", "max_bin=3"), "'max_bin' is not known; did you mean 'max_bins'? The parameters of C45"),
        (
            ("--set", "max_bins=999"),
            "'max_bins' parameter of C45Classifier must be an int in the range [2, 255]",
        ),
        (("--set", "max_bins"), "must be NAME=VALUE, got 'max_bins'"),
        (("--set", "criterion=gini"), "criterion has an option of its own, --criterion"),
        (("--set", "cost_matrix=3"), "'cost_matrix' is not known"),
        (("-l", "gdt", "--set", "callback=print"), "'callback' is not known"),
        (("-l", "boosted", "--set", "dialect=j48"), "'dialect' is not known"),
    ],
)
def test_what_cannot_be_set_is_said_before_data_is_read(place, words, message):
    assert message in error_of("no-such-file.csv", *words)


def test_learners_are_those_that_can_be_named():
    assert tuple(LEARNERS) == fit.FITTED


# ---- --drop ------------------------------------------------------------------------------------------------


def test_columns_that_are_left_out_are_not_needed_and_do_no_harm(place):
    run("fit", *quick("--drop", "id, b", "--drop", "colour", "-c", "costs.csv"))
    assert list(load_model("model.json").feature_names_in_) == ["a"]
    answers = run("predict", "model.json", "d.csv").stdout
    Path("a.csv").write_text(
        "\n".join(line.split(",")[1] for line in Path("d.csv").read_text().split()) + "\n"
    )
    assert run("predict", "model.json", "a.csv").stdout == answers
    facts = json.loads(run("describe", "d.csv", "--drop", "id,b", "--json").stdout)
    assert [column["name"] for column in facts["columns"]] == ["a", "colour"]


def test_columns_are_left_out_of_comparisons(place, monkeypatch):
    assert "6 rows" not in run("evaluate", "d.csv", "--drop", "id", "-l", "c4.5", "--folds", 2).stdout
    run("compare", "d.csv", "--drop", "id", "-l", "c4.5", "--folds", 2, "--n-jobs", 1)
    for command in ("evaluate", "compare", "describe", "fit"):
        words = run(command, "d.csv", "--drop", "ids", code=1).stderr
        assert "no column 'ids'; did you mean 'id'? The columns are 'id', 'a', 'b', 'colour'" in words
    assert "all columns are named" in run("describe", "d.csv", "--drop", "id,a,b,colour", code=1).stderr


def test_a_name_with_a_comma_stands_in_quotes(place):
    Path("e.csv").write_text('"a,b",c,class\n1,2,x\n3,4,y\n')
    facts = json.loads(run("describe", "e.csv", "--drop", '"a,b"', "--json").stdout)
    assert [column["name"] for column in facts["columns"]] == ["c"]


# ---- the weight of prices ----------------------------------------------------------------------------------


def test_the_weight_of_prices_is_chosen_unless_it_is_given(place):
    words = ("d.csv", "-c", "costs.csv", "--feature-costs", "prices.csv", "--criterion", "cs_gain")
    facts = json.loads(run("fit", *words, "--folds", 2, "--json").stdout)
    model = load_model("model.json")
    search = model.estimator_
    assert isinstance(search, TradeoffSearchCV) and not model.interrupted_
    best, others = search.best_point_, [*search.results_, search.baseline_]
    assert best.total_cost == min(point.total_cost for point in others)  # mistakes and tests by row
    assert facts["gamma"] == best.value and facts["gamma_cost_per_row"]["tests"] == best.test_cost
    said = " ".join(run("fit", *words, "--no-guard").stdout.split())
    assert f"Chosen by cross-validation: --gamma {best.value:.4g}, " in said
    assert "gain ratio without prices:" in said and "leaves and depth" in said
    for command in (("show",), ("export", "--to", "sql"), ("predict", "d.csv")):
        run(command[0], "model.json", *command[1:])
    run("fit", *words, "--gamma", 0.5, "--no-guard")
    assert type(load_model("model.json")) is C45Classifier and load_model("model.json").gamma == 0.5


# ---- progress ----------------------------------------------------------------------------------------------


def test_progress_is_on_stderr_and_only_where_it_is_asked_for(place):
    words = ("d.csv", "--drop", "id", "--folds", 3, "-o", "model.json")
    told = run("fit", *words, "--verbose")
    parts = [line.split(":")[0] for line in told.stderr.splitlines() if "%" in line]
    assert parts == ["learning", *(f"guard, fold {k} of 3" for k in (1, 2, 3))]
    assert "%" not in run("fit", *words).stderr
    assert "%" not in run("fit", *words, "--verbose", "--json").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are other terminals there")
def test_a_terminal_shows_a_bar(place):
    import pty

    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "stakes",
        "fit",
        *quick("--drop", "id", "-l", "boosted")[:1],
        "-l",
        "boosted",
    ]
    process = subprocess.Popen(
        command, stderr=theirs, stdout=subprocess.DEVNULL, env=os.environ | {"TERM": "xterm"}
    )
    os.close(theirs)
    assert "boosted trees: " in read_terminal(ours)  # at once: a full terminal would stop the command
    assert process.wait() == 0


def test_time_left_goes_by_the_time_gone(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    course = progress.Course(started=100.0)
    assert str(course) == "learning: 0%"
    now[0] = 110.0
    course.take(0.25, "guard")
    assert str(course) == "guard: 25%, about 30 s left"
    course.take(0.25, "")
    assert str(course) == "guard: 25%, about 30 s left"
    course.take(1.0, "")
    assert str(course) == "guard: 100%"


# ---- Ctrl-C ------------------------------------------------------------------------------------------------


@pytest.fixture
def stopped(monkeypatch):
    """Let Ctrl-C come as soon as a part of the fit is told of."""

    def stop(at):
        def watcher(share, what):
            if what == at:
                raise KeyboardInterrupt

        @contextmanager
        def watching(**_):
            yield watcher

        monkeypatch.setattr(work, "watching", watching)

    return stop


@pytest.mark.parametrize(
    "words",
    [(), ("-l", "rules"), ("--feature-costs", "prices.csv", "--criterion", "nunez")],
)
def test_a_model_that_is_there_when_a_fold_is_stopped_is_kept(place, stopped, words):
    stopped("guard, fold 1 of 2")
    result = run("fit", "d.csv", *words, "--folds", 2, code=130)
    assert "this model is not guarded" in result.stdout
    assert load_model("model.json").interrupted_


def test_what_has_not_learnt_anything_keeps_nothing(place, stopped):
    stopped("learning")
    assert run("fit", "d.csv", code=130).stderr.splitlines()[-1] == (
        "Stopped. Nothing could be kept, so no model is written."
    )
    assert not Path("model.json").exists()
