"""What `stakes clarify label`, `train` and `explain` print, and what they hand to the library."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import stakes.forensics.training
import stakes.forensics.validation
from clarify_programs import profile_of
from commands import run, trimmed
from stakes._cli import clarify_train
from stakes.forensics.profile import Symptom, read_profile, write_profile
from stakes.forensics.training import Settings
from stakes.forensics.validation import Validation


def stakes_clarify(*args, typed="", code=0):
    return run("clarify", *args, typed=typed, code=code)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two runs of one input, one of them labelled, and three of others; one without input."""
    monkeypatch.chdir(tmp_path)
    Path("runs").mkdir()
    call = [("main", [("a", [])])]
    loud = {"symptom": Symptom(3, None, "[red]\x1b[31m no")}
    for name, label, given, more in (
        ("a1", "zoo", "one", {}),
        ("a2", None, "one", {}),
        ("b", None, "two", {"symptom": Symptom(-9)}),
        ("c", "[ape]", "three", {}),
        ("d", None, None, loud),
        ("e", None, None, loud),
    ):
        write_profile(profile_of(call, label=label, input=given, **more), f"runs/{name}.profile")
    return Path("runs")


def labels(folder):
    return {path.name[0] + path.name[1:-8]: read_profile(path).label for path in sorted(folder.iterdir())}


ASK = "   cause (number or new name, empty to skip, q to stop): "


def test_labelling_word_by_word(folder):
    result = stakes_clarify("label", folder, typed="bee\n4\n0\n3\n\n2\n")
    assert result.stdout == (
        "\na1.profile: exit status 1, 2 runs of this input\n   ValueError: it failed\n   labelled zoo\n"
        f"   1) [ape]\n   2) zoo\n{ASK}bee\n"
        f"\nb.profile: exit status -9\n   1) [ape]\n   2) zoo\n   3) bee\n{ASK}4\n{ASK}0\n{ASK}3\n"
        f"\nd.profile: exit status 3\n   [red]\\x1b[31m no\n   1) [ape]\n   2) zoo\n   3) bee\n{ASK}\n"
        f"\ne.profile: exit status 3\n   [red]\\x1b[31m no\n   1) [ape]\n   2) zoo\n   3) bee\n{ASK}2\n"
    )
    assert result.stderr == "   A number must be from 1 to 3.\n" * 2 + "Labelled 3 runs.\n"
    assert labels(folder) == {"a1": "zoo", "a2": "bee", "b": "bee", "c": "[ape]", "d": None, "e": "zoo"}


def test_labelling_again_and_ending(folder):
    result = stakes_clarify("label", folder, "--again", typed="new\nq\n")
    assert (
        result.stderr == "Labelled 2 runs.\n"
        and "b.profile" in result.stdout
        and "c.prof" not in result.stdout
    )
    assert labels(folder) == {"a1": "new", "a2": "new", "b": None, "c": "[ape]", "d": None, "e": None}
    result = stakes_clarify("label", folder, typed="")
    assert result.stdout.endswith(f"{ASK}\n") and result.stderr == "Labelled 0 runs.\n"
    for path in folder.iterdir():
        write_profile(read_profile(path).with_label(None), path)
    result = stakes_clarify("label", folder, typed="1\nx\n")
    assert result.stderr.startswith("   There are no causes yet: name one.\n")


DOCUMENT = {
    "format": "stakes-clarify",
    "version": 1,
    "program": "[app]",
    "interpreter": "cpython 3.12",
    "versions": {"app": "app==1", "b": "b==2"},
    "watch": {"functions": [["app.py", "[f]", 7]], "features": [["function", 0]]},
    "guard": {"functions": [["app.py", "[g]", 9]], "features": [["function", 0]], "counts": [1]},
    "tree": {
        "feature": [0, -1, -1],
        "threshold": [2, None, None],
        "first_child": [1, -1, -1],
        "class_weights": [[3, 4], [3, 0], [0, 4]],
    },
    "classes": ["[a]", "b"],
    "texts": {},
    "ranges": [[0, 5]],
    "endings": [[1, None], [2, "KeyError"]],
    "purity": 0.8,
    "expected_events": 3.25,
    "runs": [["run 1", "b", [0]]],
    "training": {
        "counted": ["functions"],
        "nanoseconds": 1234.5,
        "accuracy": 0.875,
        "front": [
            {"gamma": None, "nanoseconds": 12345.6, "accuracy": 1.0},
            {"gamma": 0.12345, "nanoseconds": 99.4, "accuracy": 0.75},
        ],
        "baseline": {"nanoseconds": 5000.0, "accuracy": 0.9375},
        "validation": {
            "accuracy": 0.9,
            "explained": 0.75,
            "wrong": 0.125,
            "unknown": 0.0625,
            "classes": ["one", "two"],
            "told": [[3, 0, 1], [2, 14, 0]],
            "pairs": [["[a]", "b", 0.25]],
            "twins": [["[a]", "b"]],
        },
    },
}


def test_what_comes_from_a_model_is_shown_escaped_or_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(DOCUMENT | {"program": "\x1b[31mapp", "versions": {"a": "b\n==1"}}))
    assert r"\x1b[31mapp on cpython 3.12 (b\n==1)" in stakes_clarify("explain", path).stdout
    for training in (5, {}, DOCUMENT["training"] | {"validation": {}}, {"nanoseconds": "x"}):
        path.write_text(json.dumps(DOCUMENT | {"training": training}))
        told = stakes_clarify("explain", path, code=1).stderr
        assert "what the model says of its training cannot be read" in told
    path.write_text(json.dumps(DOCUMENT | {"texts": 5}))
    assert f"{path}: the model's texts must be" in stakes_clarify("explain", path, code=1).stderr


SHOWN = """\
[app] on cpython 3.12 (app==1, b==2)
Explains runs that end with exit status 1 and no uncaught exception or exit status 2 and KeyError.
Functions watched: 2, 3.2 events per run on average:
   app.py:[f]:7  (0 to 5 times)
   app.py:[g]:9  (in every failure alike; else it is another failure)
"""
TRAINED = """\
That should add 1.23 µs to a run, and 2 ms to its start.
On unseen inputs: 75.0% explained correctly, 12.5% wrongly, 6.2% unknown; the tree alone is right in 90.0%.
Causes by row, what was told
by column
┏━━━━━━━┳━━━┳━━━━┳━━━━━━━━━┓
┃       ┃ 1 ┃  2 ┃ unknown ┃
┡━━━━━━━╇━━━╇━━━━╇━━━━━━━━━┩
│ 1 one │ 3 │  · │       1 │
│ 2 two │ 2 │ 14 │       · │
└───────┴───┴────┴─────────┘
Hard to tell apart: [a] and b, 25% of their runs.
   --merge [a]+b takes them as one; runs that are recorded with --lines tell more.
The same in everything counted: some runs of [a] and of b.
"""


def test_explain_word_by_word(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(DOCUMENT))
    result = stakes_clarify("explain", path)
    assert (trimmed(result.stdout), result.stderr) == (SHOWN + TRAINED, "")
    found = json.loads(stakes_clarify("explain", path, "--json").stdout)
    kept = [
        "program",
        "interpreter",
        "versions",
        "endings",
        "expected_events",
        "purity",
        "classes",
        "texts",
        "training",
    ]
    assert found == {
        **{key: DOCUMENT[key] for key in kept}, "features": ["app.py:[f]:7"], "guard": ["app.py:[g]:9"],
    }  # fmt: skip
    bare = {key: value for key, value in DOCUMENT.items() if key != "training"}
    bare |= {"versions": {}, "endings": []}
    path.write_text(json.dumps(bare))
    result = stakes_clarify("explain", path)
    assert result.stderr == "Note: this model does not say how it was trained.\n"
    first, *rest = SHOWN.splitlines()
    assert trimmed(result.stdout).splitlines() == [first.removesuffix(" (app==1, b==2)"), *rest[1:]]
    assert "training" not in json.loads(stakes_clarify("explain", path, "--json").stdout)


TRAINING = DOCUMENT["training"]

FRONT = """\
What watching costs, and what it is worth
┏━━━━━━━┳━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━┓
┃ gamma ┃ ns per run ┃ accuracy ┃                     ┃
┡━━━━━━━╇━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━┩
│  none │     12,346 │    1.000 │                     │
│ 0.123 │         99 │    0.750 │                     │
│       │      1,234 │    0.875 │ chosen, as deployed │
│  C4.5 │      5,000 │    0.938 │ ignores prices      │
└───────┴────────────┴──────────┴─────────────────────┘
"""


@pytest.fixture
def trained(folder, monkeypatch):
    """What `stakes clarify train` hands to the library; nothing is learnt."""
    handed = {}
    answers = ((0, 0, 1.0), (0, 1, 0.5))
    zeros = Validation(("[ape]", "zoo"), np.eye(2, dtype=int), np.zeros((2, 3), int), answers=answers)

    def train(runs, settings, **more):
        handed.update(labels=set(runs.labels), settings=settings, **more)
        return SimpleNamespace(search="search")

    def validate(runs, settings, *, folds, advance):
        advance(1, 2)
        handed.update(validated=settings, folds=folds)
        return zeros.at(settings.purity)

    def report(trained, validation, settings):
        handed.update(reported=settings, wrong=validation.wrong)
        return DOCUMENT | {"training": TRAINING, "purity": settings.purity}

    monkeypatch.setattr(stakes.forensics.training, "train", train)
    monkeypatch.setattr(stakes.forensics.validation, "validate", validate)
    monkeypatch.setattr(stakes.forensics.validation, "report", report)
    return handed


LEFT_OUT = "Note: 4 runs have no label and are left out; label them with `stakes clarify label`.\n"


def test_train_by_default(trained):
    result = stakes_clarify("train", "runs")
    assert trained == {
        "labels": {"zoo", "[ape]"}, "settings": Settings(), "texts": {}, "program": None,
        "validated": Settings(), "folds": 5, "reported": Settings(), "wrong": 0.0,
    }  # fmt: skip
    assert trimmed(result.stdout) == FRONT + SHOWN + TRAINED
    assert result.stderr == LEFT_OUT + "Wrote model.json.\n"
    assert json.loads(Path("model.json").read_text())["program"] == "[app]"


def test_train_with_everything(trained, monkeypatch):
    Path("causes.toml").write_text('zoo = "Z."\nnever = "N."\nother = "O."\n')
    for path in Path("runs").iterdir():  # lines have to be there
        profile = read_profile(path)
        write_profile(profile_of([("main", [])], lines=[("main", 3, 1)], label=profile.label), path)
    drawn = []
    monkeypatch.setattr(clarify_train, "_draw", lambda search, path: drawn.append((search, path)))
    options = (
        "-o m.json --max-loss 0.25 --texts causes.toml --no-trees --lines --merge zoo+[ape] --purity 0.5 "
        "--max-wrong 0 --no-guard --program app --folds 3 --plot p.svg --seed 7 --json"
    )
    result = stakes_clarify("train", "runs", *options.split())
    wanted = Settings(("functions", "lines"), 0.25, 3, 0.5, 7, False)
    assert trained["settings"] == trained["validated"] == wanted and trained["folds"] == 3
    assert trained["reported"] == Settings(("functions", "lines"), 0.25, 3, 1.0, 7, False)
    assert trained["wrong"] == 0.0 and trained["program"] == "app"
    assert trained["labels"] == {"zoo+[ape]"}
    assert trained["texts"] == {"zoo": "Z.", "never": "N.", "other": "O."}
    assert drawn == [("search", Path("p.svg"))]
    assert json.loads(result.stdout) == json.loads(json.dumps(TRAINING))
    assert result.stderr == LEFT_OUT + (
        "Note: no run has the cause never, other, for which there is a text.\n"
    )
    assert json.loads(Path("m.json").read_text())["purity"] == 1.0


def test_what_is_chosen_stands_out_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    point = {"nanoseconds": 1234.0, "accuracy": 0.5}
    clarify_train._show_front({"front": [point | {"gamma": 1.0}], **point, "baseline": point})
    lines = capsys.readouterr().out.splitlines()
    assert ["\x1b[1m" in line for line in lines if "chosen, as deployed" in line] == [True]
    assert ["\x1b[2m" in line for line in lines if "ignores prices" in line] == [True]


def test_the_trade_off_is_drawn(tmp_path, capsys):
    saved = {}
    axes = SimpleNamespace(
        set_xscale=lambda scale: saved.update(scale=scale),
        set_xlabel=lambda label: saved.update(label=label),
        figure=SimpleNamespace(savefig=lambda file, format: saved.update(format=format)),
    )
    clarify_train._draw(SimpleNamespace(plot=lambda: axes), tmp_path / "p.svg")
    label = "nanoseconds that watching adds to a run"
    assert saved == {"scale": "symlog", "label": label, "format": "svg"}
    assert capsys.readouterr().err == f"Wrote {tmp_path / 'p.svg'}.\n"
