# ruff: noqa: E501  tables are wide
"""What `stakes ask` prints, word by word, and the parts that it is made of."""

import pytest
import typer
from typer.testing import CliRunner

from asking import lines, make_models, run
from stakes import C45Classifier, Guard
from stakes._cli import ask
from stakes.cli import app
from stakes.models import save_model
from stakes.table import Column, Schema
from stakes.tree.ask.acquire import Question


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return make_models(tmp_path_factory.mktemp("ask"))


def test_the_whole_conversation(place):
    result = run(place / "model.json", "--budget", 5, typed="30\n<\nold\n70\n")
    assert result.stderr == (
        "   the answer for 'age' must be a finite number, or ? where it is unknown, got 'old'\n"
    )
    assert (
        [line.rstrip() for line in result.stdout.splitlines()]
        == """\
1. age   costs 0   (bill so far 0, 5 left)
   so far: ill 49%, well 51%
   decides: <= 50: pain is asked next; > 50: blood=high is asked next
   number, ? if unknown, < for back: 30
2. pain   costs 1   (bill so far 0, 5 left)
   so far: ill 12%, well 88%
   decides: 'dull' or 'none': well; 'sharp': ill
     1) dull
     2) none
     3) sharp
   choice, ? if unknown, < for back: <
1. age   costs 0   (bill so far 0, 5 left)
   so far: ill 49%, well 51%
   decides: <= 50: pain is asked next; > 50: blood=high is asked next
   number, ? if unknown, < for back: old
   number, ? if unknown, < for back: 70

Answer: ill, expected cost 0.19
ill   81%  ███████████████████  would cost 0.19
well  19%  █████                would cost 0.81
Why: age 70 > 50; blood=high missing: followed both branches, 0.19/0.81; [0.81: → ill]; [0.19: → well] → ill: 0.81 of
the training rows; predicting ill would cost 0.19, well 0.81

The bill
┏━━━━━━━┳━━━━━━━━┳━━━━━━━┓
┃ asked ┃ answer ┃ price ┃
┡━━━━━━━╇━━━━━━━━╇━━━━━━━┩
│ age   │ 70     │     0 │
├───────┼────────┼───────┤
│ total │ of 5   │     0 │
└───────┴────────┴───────┘
Not asked, too costly for the budget: blood=high (12.5).
""".splitlines()
    )


def test_the_colours_of_a_conversation(place):
    colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    args = ["ask", str(place / "model.json"), "--budget", "20"]
    result = CliRunner().invoke(app, args, input="30\nold\n?\n", env=colours)
    bold, green, yellow, dim = "\x1b[1m", "\x1b[1;32m", "\x1b[1;33m", "\x1b[1;2m"
    for start, colour, price in (("1. age", green, 0), ("2. pain", yellow, 1)):
        spent = "   (bill so far 0, 20 left)"
        assert f"{bold}{start}\x1b[0m{colour}   costs {price}\x1b[0m{dim}{spent}\x1b[0m\n" in result.stdout
    assert f"Answer: {green}well\x1b[0m, expected" in result.stdout and "\x1b[36m███ " in result.stdout
    assert result.stderr.startswith("\x1b[33m   the answer for 'pain' must be")
    rows = [line for line in result.stdout.splitlines() if "pain" in line and "unknown" in line]
    assert len(rows) == 1 and "total" not in rows[0]


def test_the_whole_script(place):
    typed = '30\n{"value": "dull", "feature": "pain"}\n'
    found = lines(run(place / "model.json", "--budget", 20, "--json", typed=typed))
    shares = [question.pop("probabilities") for question in found[:2]]
    assert shares[0] == pytest.approx({"ill": 0.49, "well": 0.51}) and set(shares[1]) == {"ill", "well"}
    asked = {"type": "question", "spent": 0.0, "left": 20.0, "share": 1.0}
    assert found == [
        asked
        | {
            "feature": "age",
            "kind": "numeric",
            "categories": [],
            "price": 0.0,
            "why": "<= 50: pain is asked next; > 50: blood=high is asked next",
        },
        asked
        | {
            "feature": "pain",
            "kind": "nominal",
            "categories": ["dull", "none", "sharp"],
            "price": 1.0,
            "why": "'dull' or 'none': well; 'sharp': ill",
        },
        {
            "type": "result",
            "label": "well",
            "expected_cost": 0.0,
            "expected_costs": {"ill": 1.0, "well": 0.0},
            "probabilities": {"ill": 0.0, "well": 1.0},
            "asked": [
                {"feature": "age", "answer": 30, "price": 0.0},
                {"feature": "pain", "answer": "dull", "price": 1.0},
            ],
            "total": 1.0,
            "left_out": [],
            "path": "age 30 <= 50; pain is 'dull' → well: 1.00 of the training rows; predicting ill would "
            "cost 1, well 0",
        },
    ]
    left_out = lines(run(place / "model.json", "--budget", 12.4, "--json", typed="70\n"))[-1]["left_out"]
    assert left_out == [{"feature": "blood=high", "price": 12.5}]


def test_long_answers_are_cut_in_what_is_said_of_them(place):
    for typed in ('{"v": "' + "x" * 80 + '"}\n', "x" * 80 + "\n"):
        error = run(place / "model.json", "--json", typed=typed, code=1).stderr
        assert error == error.split("got ")[0] + f"got {typed[:60]}.\n"


# ---- parts -------------------------------------------------------------------------------------------------


def question(*categories, kind="nominal"):
    return Question("colour", kind, categories, 0.0, 1.0, (), {}, 0.0, None)


def test_of_many_classes_the_six_likeliest_are_shown():
    few = {"a": 0.1, "b": 0.5, "c": 0.1, "d": 0.1, "e": 0.1, "f": 0.1}
    assert ask._likeliest(few) == list(few.items())
    many = {"a": 0.05, "b": 0.4, "c": 0.15, "d": 0.1, "e": 0.11, "f": 0.12, "g": 0.07}
    assert [label for label, _ in ask._likeliest(many)] == ["b", "c", "f", "e", "d", "g"]


def test_how_an_answer_is_read():
    colours = question("red", "blue", "Blue", "")
    assert ask._read(colours, "1") == "red" and ask._read(colours, "4") == ""
    assert ask._read(colours, "RED") == "red" and ask._read(colours, "Blue") == "Blue"
    assert ask._read(colours, "") == "" and ask._read(colours, "?") is None
    for text in ("BLUE", "0", "5"):  # two could be meant, or none
        with pytest.raises(ValueError, match="must be one of"):
            ask._read(colours, text)
    assert ask._read(question(kind="numeric"), "x") == "x" and ask._read(question(kind="numeric"), "") is None
    assert list(ask._choices(colours)) == ["  1) red", "  2) blue", "  3) Blue", "  4) (empty text)"]
    assert list(ask._choices(question("2", "x"))) == ["  - 2", "  - x"]
    assert list(ask._choices(question("3", "x"))) == ["  1) 3", "  2) x"]
    with pytest.raises(ValueError, match="must be one of"):
        ask._read(question("2", "x"), "1")
    assert ask._read(question("?", "x"), "?") == "?"


def test_what_is_known_already():
    columns = [Column("a"), Column("a=b"), Column("c", "nominal", ("?", "x")), Column("d", "nominal", ("y",))]
    known = ask._parse_known(["a=1", "a=b=2", "c=?", "d=?"], Schema(tuple(columns)))
    assert known == {"a": "1", "a=b": "2", "c": "?", "d": None}
    assert ask._parse_known(["a="], Schema(tuple(columns))) == {"a": None}
    for names, shown in ((20, "'c19'."), (41, "'c39' and 1 more.")):
        schema = Schema(tuple(Column(f"c{j}") for j in range(names)))
        with pytest.raises(typer.BadParameter) as error:
            ask._parse_known(["z=1"], schema)
        assert error.value.message.startswith(
            "must have the name of a column, but 'z' is none; the columns are 'c0', "
        )
        assert (
            error.value.message.rstrip(".").endswith(shown.rstrip(".")) and error.value.param_hint == "--set"
        )
    with pytest.raises(typer.BadParameter) as error:
        ask._parse_known(["z"], Schema(tuple(columns)))
    assert error.value.message == "must have NAME=VALUE; the columns are 'a', 'a=b', 'c', 'd'."


def test_new_categories_are_what_the_model_behind_a_guard_takes_them_for():
    assert ask._unseen(Guard(C45Classifier())) == "missing"
    inner, outer = C45Classifier(unseen="error"), Guard(C45Classifier())
    outer.estimator_ = inner
    assert ask._unseen(outer) == "error" and ask._unseen(inner) == "error"


def test_a_model_without_prices_says_so(place, tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"[n]": pd.Categorical(["<", "[x]"] * 10)})
    save_model(C45Classifier(unseen="error").fit(frame, ["[a]", "b"] * 10), tmp_path / "m.json")
    note = "Note: this model knows no prices, so that all is free; --feature-costs names a file of them.\n"
    result = run(tmp_path / "m.json", typed="<\n")  # which is a category here
    assert result.stderr == note and "Answer: [a]," in result.stdout and "1. [n]   costs 0" in result.stdout
    assert "bill so far 0)" in result.stdout and "Why: [n] is '<'" in result.stdout
    assert "     2) [x]\n" in result.stdout
    assert run(tmp_path / "m.json", "--json", typed='"[x]"\n').stderr == ""
    assert run(place / "guarded.json").stderr.count("Note:") == 1  # about the guard, not about prices
    error = run(tmp_path / "m.json", "--json", typed='"z"\n', code=1).stderr
    assert "'[n]' must be one of" in error and "the categories are '<', '[x]'" in error
    save_model(C45Classifier().fit(frame, ["[a]", "b"] * 10), tmp_path / "m.json")
    assert lines(run(tmp_path / "m.json", "--json", typed='"z"\n'))[-1]["label"] == "[a]"
    assert "must be one of" in run(tmp_path / "m.json", typed="z\n[x]\n").stderr  # a person may have mistyped


def test_json_keeps_letters_as_they_are(capsys):
    ask._write({"label": "größer"})
    assert capsys.readouterr().out == '{"label": "größer"}\n'
