"""`questions.toml`: how people are asked for columns, and what is ordered together."""

import datetime

import numpy as np
import pytest

from asking import QUESTIONS, lines, run, visits
from commands import run as stakes
from stakes import C45Classifier, Guard
from stakes.models import save_model
from stakes.report import model_report
from stakes.table import Column, Schema
from stakes.tree import Acquisition, AskedColumn, read_questionnaire
from stakes.tree.ask.acquire import acquire
from stakes.tree.ask.answers import encode_answer

SCHEMA = Schema(
    (
        Column("age"),
        Column("pain", "nominal", ("none", "dull", 3)),
        Column("visit", dates=True),
        Column("together"),
    )
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("questions")
    tree, X, y = visits()
    save_model(tree, folder / "model.json")
    X.assign(y=y).to_csv(folder / "rows.csv", index=False)
    (folder / "q.toml").write_text(QUESTIONS)
    return folder


def read(tmp_path, text):
    path = tmp_path / "q.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_questionnaire(path, SCHEMA)


# ---- the file ----------------------------------------------------------------------------------------------


def test_all_that_a_file_may_say(tmp_path):
    asked = read(
        tmp_path,
        "\ufeff"  # a mark that some editors write
        '[age]\nask = " How old? "\nunit = "years"\nmin = 0\nmax = 120.5\n'
        '[pain]\nanswers = {none = "no pain", 3 = "very sharp"}\n'
        '[visit]\nmin = 2020-01-01\nmax = "31.12.2030"\n'
        '[[together]]\ncolumns = ["visit", "age"]\n',
    )
    age, pain, visit, plain = asked.schema.columns
    assert age == AskedColumn("age", ask="How old?", unit="years", low=0.0, high=120.5)
    assert age.allowed == "from 0 years to 120.5 years"
    assert pain.categories == ("none", "dull", 3) and plain == Column("together")
    assert asked.worded.columns[1].categories == ("no pain", "dull", "very sharp")
    assert visit.allowed == "from 2020-01-01 to 2030-12-31" and visit.dates
    assert asked.together == (("visit", "age"),)
    assert asked.row_in_words({"age": "3", "pain": "3"}) == {"age": "3", "pain": "very sharp"}
    assert asked.row_in_words({"pain": None}) == {"pain": None}


def test_a_column_may_be_called_together(tmp_path):
    asked = read(tmp_path, "[together]\nmax = 3")
    assert asked.schema.columns[3].allowed == "at most 3" and asked.together == ()
    assert read(tmp_path, "[together]\nmin = 3").schema.columns[3].allowed == "at least 3"
    assert read(tmp_path, '[together]\nunit = "g"').schema.columns[3].allowed == "in g"
    assert read(tmp_path, "").schema == SCHEMA


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"\xff", "cannot be read: 'utf-8' codec"),
        ("[age", "cannot be read: "),
        ("x = " + "[" * 5000, "cannot be read: its lists are nested too deeply"),
        (
            "[aeg]",
            "[aeg] must name a column of the model, got 'aeg'; did you mean 'age'? The columns are 'age',",
        ),
        ("age = 3", "[age] must be a table, such as ask ="),
        (
            '[age]\nunits = "g"',
            "[age] has an unknown key, 'units'; did you mean 'unit'? The keys are 'ask', 'unit'",
        ),
        ("[age]\nask = 3", "[age] ask must be a text, got 3"),
        ("[age]\nunit = 3", "[age] unit must be a text, got 3"),
        ('[age]\nmin = "0"', "[age] min must be a finite number, got '0'"),
        ("[age]\nmax = true", "[age] max must be a finite number, got True"),
        ("[age]\nmax = nan", "[age] max must be a finite number, got nan"),
        ("[age]\nmin = 2\nmax = 1", "[age] max must be at least min, 2, got 1"),
        (
            '[age]\nanswers = {a = "b"}',
            "[age] answers must be left out for a column of numbers, got {'a': 'b'}",
        ),
        ("[visit]\nmin = 3", "[visit] min must be a date such as 2020-01-31, got 3"),
        ('[visit]\nunit = "g"', "[visit] unit must be left out for a column of dates, got 'g'"),
        ("[pain]\nmin = 3", "[pain] min must be left out for a column of categories, got 3"),
        ('[pain]\nunit = "g"', "[pain] unit must be left out for a column of categories, got 'g'"),
        ("[pain]\nanswers = 3", "[pain] answers must be a table of words for categories"),
        (
            '[pain]\nanswers = {dul = "x"}',
            "[pain] answers must be for categories of the column, got 'dul'; did you mean 'dull'?",
        ),
        ("[pain]\nanswers = {dull = 3}", "[pain] answers 'dull' must be a text, got 3"),
        ('[pain]\nanswers = {dull = " "}', "[pain] answers 'dull' must be a text that is not empty, got ' '"),
        ('[pain]\nanswers = {dull = "none"}', "[pain] answers must differ from each other, got 'none' twice"),
        ("[[together]]\ncolumn = 3", '[[together]] must have columns = ["...", "..."] and no other key, got'),
        (
            '[[together]]\ncolumns = ["age"]',
            "[[together]] columns must be a list of two names or more, got ['age']",
        ),
        (
            '[[together]]\ncolumns = ["age", "x"]',
            "[[together]] columns must name a column of the model, got 'x';",
        ),
        (
            '[[together]]\ncolumns = ["age", "age"]',
            "[[together]] columns must name each column once, got 'age' twice",
        ),
        (
            '[[together]]\ncolumns = ["age", "pain"]\n[[together]]\ncolumns = ["visit", "age"]',
            "[[together]] columns must name each column once, got 'age' twice",
        ),
    ],
)
def test_mistakes_name_file_table_and_key(tmp_path, text, words):
    with pytest.raises(ValueError) as error:
        read(tmp_path, text)
    assert str(error.value).startswith(str(tmp_path / "q.toml")) and words in str(error.value)


# ---- answers -----------------------------------------------------------------------------------------------


def test_dates_are_answered_as_dates():
    day = Column("day", dates=True)
    for answer in (
        "1970-01-03",
        " 3.1.1970 ",
        datetime.date(1970, 1, 3),
        np.datetime64("1970-01-03", "ns"),
        2,
        2.0,
    ):
        assert encode_answer(day, answer) == 2.0
    assert encode_answer(day, "1970-01-03T12:00") == 2.5
    assert np.isnan(encode_answer(day, np.datetime64("NaT", "ns")))
    for answer in ("1970-02-30", "2", "soon", [2]):
        with pytest.raises(
            ValueError, match=r"must be a date such as 2020-01-31, or None where it is unknown, got"
        ):
            encode_answer(day, answer)


def test_answers_out_of_range_are_refused():
    age = AskedColumn("age", unit="years", low=0.0, high=120.0)
    assert [encode_answer(age, answer) for answer in (0, "120")] == [0, 120]
    assert np.isnan(encode_answer(age, None)) and np.isnan(encode_answer(age, "nan"))
    for answer in (-1, "120.5", "old"):
        with pytest.raises(ValueError, match="must be a number from 0 years to 120 years, or None"):
            encode_answer(age, answer)
    day = AskedColumn("day", dates=True, low=1.0)
    with pytest.raises(ValueError, match="must be a date such as 2020-01-31, at least 1970-01-02, or None"):
        encode_answer(day, "1970-01-01")


# ---- ordered together --------------------------------------------------------------------------------------


def test_what_is_ordered_together_is_asked_in_one_go():
    fitted = visits()[0].fitted_tree_
    late = {"visit": "2025-01-01", "sugar": 70, "fat": 3, "pain": "none"}
    alone = acquire(fitted, late.get)
    assert [asked.feature for asked in alone.asked] == ["visit", "sugar"] and alone.total == 12
    both = acquire(fitted, late.get, together=[("fat", "sugar")])
    assert [(asked.feature, asked.price) for asked in both.asked] == [("visit", 0), ("sugar", 12), ("fat", 3)]
    assert both.label == alone.label == "well" and both.total == 15
    # what cannot come to be needed any more is not ordered, nor what is known or the budget does not allow
    all_of_it = [("sugar", "pain", "fat")]
    assert len(acquire(fitted, late.get, together=all_of_it).asked) == 3
    assert len(acquire(fitted, late.get, {"fat": 3}, together=all_of_it).asked) == 2
    small = acquire(fitted, late.get, budget=14, together=all_of_it)
    assert [asked.feature for asked in small.asked] == ["visit", "sugar"] and not small.left_out
    early = acquire(fitted, {**late, "visit": "2020-01-01"}.get, together=all_of_it)
    assert [asked.feature for asked in early.asked] == ["visit", "pain"]


def test_an_order_is_taken_back_with_its_first_answer():
    talk = Acquisition(visits()[0].fitted_tree_, {"visit": "2025-01-01"}, together=[("fat", "sugar")])
    assert talk.next_question.ordered_with == ""
    talk.answer(70)
    fat = talk.next_question
    assert (fat.feature, fat.why, fat.share) == ("fat", "ordered together with sugar", 0.0)
    talk.back()
    talk.answer(100)
    assert talk.next_question.ordered_with == "sugar" and talk.next_question.why == "<= 0: well; > 0: ill"


def test_an_order_with_columns_below_an_unknown_value():
    """A value that is missing leads to several places; what any of them may need is ordered."""
    fitted = visits()[0].fitted_tree_
    asked = acquire(fitted, {"sugar": 100.0}.get, {"visit": None}, together=[("sugar", "pain", "fat")]).asked
    assert sorted(question.feature for question in asked) == ["fat", "pain", "sugar"]


# ---- the command -------------------------------------------------------------------------------------------


def test_a_conversation_in_other_words(place):
    typed = "2019-12-31\n2025-03-01\n1001\n100\n0\n"
    result = run(place / "model.json", "--questions", place / "q.toml", typed=typed)
    head, sugar = (
        result.stdout.splitlines()[0],
        "number from 0 mg/dl to 1000 mg/dl, ? if unknown, < for back: ",
    )
    assert head.startswith("1. When was the last visit? (visit)   costs 0")
    assert "   date such as 2020-01-31, from 2020-01-01 to 2030-12-31, ? if unknown" in result.stdout
    assert f"   {sugar}1001\n   {sugar}100\n" in result.stdout
    assert "decides: <= 80 mg/dl: well; > 80 mg/dl: fat is asked next" in result.stdout
    assert "sugar 100 mg/dl > 80 mg/dl" in " ".join(result.stdout.split())
    assert "│ 100 mg/dl  │" in result.stdout
    assert result.stderr == (
        "   the answer for 'visit' must be a date such as 2020-01-31, from 2020-01-01 to 2030-12-31, or ? "
        "where it is unknown, got '2019-12-31'\n"
        "   the answer for 'sugar' must be a number from 0 mg/dl to 1000 mg/dl, or ? where it is unknown, "
        "got '1001'\n"
    )
    pain = run(
        place / "model.json", "--questions", place / "q.toml", typed="2024-01-01\nno pain at all\n"
    ).stdout
    assert "2) no pain at all" in pain and "pain is 'no pain at all'" in pain
    known = ("--set", "pain=none", "--set", "visit=2024-01-01")
    assert (
        "pain is 'no pain at all'"
        in run(place / "model.json", "--questions", place / "q.toml", *known).stdout
    )
    known = ("--set", "sugar=1001")
    refused = run(place / "model.json", "--questions", place / "q.toml", *known, code=1)
    assert "must be a number from 0 mg/dl" in refused.stderr


def test_dates_are_asked_for_without_a_file(place):
    result = run(place / "model.json", typed="30.2.2024\n2024-01-01\n?\n")
    assert "   date such as 2020-01-31, ? if unknown" in result.stdout and "got '30.2.2024'" in result.stderr
    assert "visit 2024-01-01 <= 2024-06-30" in result.stdout


def test_scripts_see_the_categories_of_the_model(place):
    questions = ("--questions", place / "q.toml", "--json")
    found = lines(run(place / "model.json", *questions, typed='"2024-01-01"\n"none"\n'))
    assert found[1]["categories"] == ["dull", "none", "sharp"] and found[-1]["label"] == "well"
    plain = lines(run(place / "model.json", "--json", typed='"2024-01-01"\n"none"\n'))
    assert plain == found
    found = lines(run(place / "model.json", *questions, typed='"2025-01-01"\n70\n3\n'))
    assert [line.get("feature") for line in found] == ["visit", "sugar", "fat", None]
    assert (
        "must be a number from 0 mg/dl"
        in run(place / "model.json", *questions, typed='"2025-01-01"\n-1\n', code=1).stderr
    )


def test_mistakes_on_the_command_line(place, tmp_path):
    assert "No such file" in run(place / "model.json", "--questions", tmp_path / "q.toml", code=1).stderr
    (tmp_path / "q.toml").write_text("[suger]")
    wrong = run(place / "model.json", "--questions", tmp_path / "q.toml", code=1).stderr
    assert "[suger] must name a column" in wrong and "did you mean 'sugar'?" in wrong


# ---- the form ----------------------------------------------------------------------------------------------


def test_a_report_takes_the_file_for_its_form(place, tmp_path):
    page = tmp_path / "page.html"
    data = (place / "model.json", place / "rows.csv", "-t", "y", "-o", page)
    stakes("report", *data, "--questions", place / "q.toml")
    assert "When was the last visit?" in page.read_text() and "no pain at all" in page.read_text()
    stakes("report", *data)
    assert "When was the last visit?" not in page.read_text()


def test_the_report_of_evaluate_takes_it_as_well(place, tmp_path):
    page = tmp_path / "page.html"
    data = (place / "rows.csv", "-t", "y", "--model", place / "model.json", "--report", page)
    stakes("evaluate", *data, "--questions", place / "q.toml")
    assert "When was the last visit?" in page.read_text() and "no pain at all" in page.read_text()
    stakes("evaluate", *data)
    assert "When was the last visit?" not in page.read_text()


def test_only_a_tree_has_a_form(place):
    from sklearn.dummy import DummyClassifier

    model = DummyClassifier().fit([[1.0], [2.0]], ["a", "b"])
    with pytest.raises(ValueError, match="must be None for a model that is no tree, got q"):
        model_report(model, [[1.0], [2.0]], ["a", "b"], questions="q.toml")
    guard = Guard(C45Classifier())
    _, X, y = visits()
    guard.fit(X, y)
    assert "no pain at all" in model_report(guard, X, y, questions=place / "q.toml")
