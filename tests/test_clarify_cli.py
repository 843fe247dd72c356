"""``stakes clarify label``, ``train`` and ``explain``."""

import json
import random

import pytest

from clarify_programs import run as one_run
from clarify_programs import scanned
from commands import run
from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.profile import observe, read_profile, write_profile

CAUSES = ("full", "locked", "missing", "slow")


@pytest.fixture
def folder(tmp_path):
    """Runs of four causes; the first input of each has no label yet."""
    for cause in CAUSES:
        for number in range(6):
            for repetition in range(2):
                profile = one_run(cause, number, random.Random(f"{cause} {number}"), repetition)
                name = f"{cause}-{number}-{repetition}.profile.gz"
                write_profile(profile.with_label(cause if number else None), tmp_path / "runs" / name)
    return tmp_path / "runs"


@pytest.fixture(autouse=True)
def runs_folder(tmp_path):
    (tmp_path / "runs").mkdir()


def stakes(*args, typed="", code=0):
    return run("clarify", *args, typed=typed, code=code)


def labels(folder):
    return {path.name: read_profile(path).label for path in sorted(folder.iterdir())}


def test_labelling_shows_the_symptom_and_labels_repetitions_too(folder):
    result = stakes("label", folder, typed="full\n9\n2\n\nnew cause\n")
    assert "full-0-0.profile.gz: exit status 1, 2 runs of this input" in result.stdout
    assert "ValueError: it failed" in result.stdout and "3) missing" in result.stdout
    assert "A number must be from 1 to 4." in result.stderr and "Labelled 6 runs." in result.stderr
    found = labels(folder)
    assert {found["full-0-0.profile.gz"], found["full-0-1.profile.gz"]} == {"full"}
    assert found["locked-0-1.profile.gz"] == "locked"
    assert found["missing-0-0.profile.gz"] is None
    assert found["slow-0-0.profile.gz"] == "new cause"
    assert found["slow-1-0.profile.gz"] == "slow"


def test_labelling_ends_with_q_or_the_input_and_leaves_the_rest(folder):
    for typed in ("q\n", ""):
        assert "Labelled 0 runs." in stakes("label", folder, typed=typed).stderr
    stakes("label", folder, "--again", typed="other\nq\n")
    assert labels(folder)["full-0-0.profile.gz"] == "other"


def test_labelling_nothing_is_an_error(tmp_path):
    assert "holds no recorded runs" in stakes("label", tmp_path, code=1).stderr
    assert "holds no profiles" in stakes("train", tmp_path, code=1).stderr


def test_training_writes_a_model_that_explains(folder, tmp_path):
    stakes("label", folder, typed="1\n2\n3\n4\n")
    texts = tmp_path / "causes.toml"
    texts.write_text('full = "The disk is full. Make room."\nnever = "Nobody has this."\n')
    model, plot = tmp_path / "model.json", tmp_path / "front.svg"
    result = stakes("train", folder, "-o", model, "--texts", texts, "--plot", plot, "--folds", 3)
    assert "chosen" in result.stdout and "C4.5" in result.stdout and "On unseen inputs" in result.stdout
    assert "no run has the cause never" in result.stderr
    assert plot.read_text().startswith("<?xml")
    loaded = ClarifyModel.read(model)
    profile = read_profile(folder / "full-3-0.profile.gz")
    assert str(loaded.explain(observe(profile, loaded.watch))).endswith("The disk is full. Make room.")
    shown = stakes("explain", model).stdout
    assert "events per run" in shown and "µs" in shown and "app.py on cpython 3.12" in shown
    assert "Explains runs that end with exit status 1 and ValueError." in shown
    data = json.loads(stakes("explain", model, "--json").stdout)
    assert data["features"] and data["training"]["validation"]["classes"] == list(CAUSES)


def test_the_guard_is_shown_and_can_be_left_out(tmp_path):
    for cause in ("deep", "flat"):
        for number in range(2, 9):
            write_profile(scanned(cause, number, marked=True), tmp_path / "runs" / f"{cause}{number}.profile")
    model, arguments = tmp_path / "model.json", ("train", tmp_path / "runs", "--no-trees", "--folds", 3)
    stakes(*arguments, "-o", model)
    shown = "app.py:stop:4  (in every failure alike; else it is another failure)"
    assert shown in stakes("explain", model).stdout
    assert json.loads(stakes("explain", model, "--json").stdout)["guard"] == ["app.py:stop:4"]
    stakes(*arguments, "-o", model, "--no-guard")
    assert "alike" not in stakes("explain", model).stdout


def test_merging_and_json(folder, tmp_path):
    stakes("label", folder, typed="1\n2\n3\n4\n")
    model = tmp_path / "model.json"
    result = stakes(
        "train", folder, "-o", model, "--merge", "full+slow", "--folds", 3, "--no-trees", "--json",
        "--max-wrong", 0.0,
    )  # fmt: skip
    assert 0 < ClarifyModel.read(model).document["purity"] <= 1
    training = json.loads(result.stdout)
    assert training["counted"] == ["functions"] and training["validation"]["wrong"] == 0.0
    assert training["validation"]["classes"] == ["full+slow", "locked", "missing"]
    assert "a merge must join causes" in stakes("train", folder, "--merge", "full", code=1).stderr


def test_lines_are_counted_where_they_were_recorded(folder, tmp_path):
    stakes("label", folder, typed="1\n2\n3\n4\n")
    model = tmp_path / "model.json"
    stakes("train", folder, "-o", model, "--lines", "--folds", 3)
    from dataclasses import replace

    for path in folder.iterdir():
        write_profile(replace(read_profile(path), lines=()), path)
    assert "--lines needs runs" in stakes("train", folder, "-o", model, "--lines", code=1).stderr


def test_files_that_are_something_else(folder, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"format": "stakes-model", "version": 1}')
    assert "stakes-clarify" in stakes("explain", wrong, code=1).stderr
    wrong.write_text('{"format": "stakes-clarify", "version": 1}')
    assert "the model lacks" in stakes("explain", wrong, code=1).stderr
    texts = tmp_path / "causes.toml"
    for text, said in (("full = 3", "text for the cause 'full'"), ("full =", "cannot be read")):
        texts.write_text(text)
        assert said in stakes("train", folder, "--texts", texts, code=1).stderr
