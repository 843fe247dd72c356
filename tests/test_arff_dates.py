"""Dates in ARFF files, against Python's strptime and by hand."""

import datetime
import random
import warnings

import numpy as np
import pytest

from commands import run
from stakes import read_table
from stakes.table import TableFileError
from stakes.table._dates import object_days
from stakes.table._readers.arff_dates import DEFAULT, LETTERS, DatePattern

#: Pieces of patterns, and what strptime calls them.
PIECES = {
    "yyyy": "%Y", "MM": "%m", "M": "%m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "a": "%p",
}  # fmt: skip
BETWEEN = ["-", "/", ".", " ", ":", ", ", "'T'", "' at '", "''", "'o''clock '", "_", "年"]


def written(tmp_path, attribute, *values, name="rows.arff"):
    path = tmp_path / name
    lines = ["@relation r", f"@attribute when {attribute}", "@attribute class {a,b}", "@data", *values]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def days(tmp_path, attribute, *values):
    table = read_table(written(tmp_path, attribute, *(f"{value},a" for value in values)))
    column = table.schema.columns[0]
    assert column.dates and not column.is_nominal
    return table.columns[0].tolist()


def literal(text):
    """What a piece between letters stands for."""
    return text.replace("''", "\0").replace("'", "").replace("\0", "'")


def drawn(seed):
    """A pattern, the same for strptime, and a text that may fit it."""
    rng = random.Random(seed)
    letters = {letter: piece for letter in "yMdHhmsa" for piece in PIECES if piece[0] == letter}
    for letter in letters:
        letters[letter] = rng.choice([piece for piece in PIECES if piece[0] == letter])
    chosen = rng.sample(list(letters), rng.randint(1, 7))
    if ("h" in chosen) != ("a" in chosen) or {"H", "h"} <= set(chosen):
        chosen = [letter for letter in chosen if letter not in "ha"]
    chosen = chosen or ["y"]
    pattern = python = text = ""
    moment = datetime.datetime(1900, 1, 1) + datetime.timedelta(seconds=rng.randrange(250 * 31_557_600))
    for number, letter in enumerate(chosen):
        between = rng.choice(BETWEEN) if number else ""
        piece = letters[letter]
        shown = moment.strftime(PIECES[piece])
        if len(piece) == 1 and rng.random() < 0.7:
            shown = shown.lstrip("0") or "0"
        pattern += between + piece
        python += literal(between) + PIECES[piece]
        text += literal(between) + shown
    if rng.random() < 0.4:  # damaged
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "3", "9", "x", "-"]) + text[at + 1 :]
    return pattern, python, text


@pytest.mark.parametrize("block", range(8))
def test_random_dates_against_strptime(block):
    fitting = 0
    for seed in range(block * 500, block * 500 + 500):
        pattern, python, text = drawn(seed)
        found = DatePattern.read(pattern).days(text)
        if "y" not in pattern.replace("'", ""):
            python, text = f"%Y|{python}", f"1970|{text}"
        try:
            moment = datetime.datetime.strptime(text, python)
        except ValueError:
            assert found is None, (pattern, text)
            continue
        fitting += 1
        assert found == object_days(moment), (pattern, text)
    assert fitting > 200


def test_digits_that_follow_each_other():
    assert DatePattern.read("yyyyMMdd").days("19700203") == 33.0
    assert DatePattern.read("yyyyMMddHHmmssSSS").days("19700101120000500") == 0.5 + 0.5 / 86_400
    assert DatePattern.read("yyyyMd").days("1970112") == 11.0  # one digit a month, the rest the day
    assert DatePattern.read("yyyyMMdd").days("1970023") is not None
    assert DatePattern.read("yyyyMMdd").days("197002031") is None


def test_milliseconds_are_counted_as_java_counts_them():
    pattern = DatePattern.read("s.S")
    assert pattern.days("1.5") == 1_005_000 / 86_400_000_000
    assert pattern.days("1.500") == 1.5 / 86_400
    assert pattern.days("1.5000") is None


@pytest.mark.parametrize(
    ("text", "hour"),
    [("12 AM", 0), ("1 am", 1), ("11 AM", 11), ("12 PM", 12), ("1 pm", 13), ("0 AM", None), ("13 PM", None)],
)
def test_hours_of_half_a_day(text, hour):
    assert DatePattern.read("h a").days(text) == (None if hour is None else hour / 24)


def test_hours_without_a_half():
    assert DatePattern.read("h").days("12") == 0.0
    assert DatePattern.read("H a").days("15 AM") == 15 / 24  # the hour of the day says all


@pytest.mark.parametrize(
    "text", ["1970-02-30", "1970-13-01", "1970-00-01", "1970-1-1x", "", "70-1-1", "１970-01-01"]
)
def test_what_is_no_date(text):
    assert DatePattern.read("yyyy-M-d").days(text) is None


@pytest.mark.parametrize("text", ["24:00", "10:60", "-1:00"])
def test_what_is_no_time(text):
    assert DatePattern.read("H:m").days(text) is None


def test_months_in_words():
    pattern = DatePattern.read("d MMM yyyy")
    assert pattern.days("2 Jan 1970") == pattern.days("2 january 1970") == pattern.days("2 JAN 1970") == 1.0
    assert pattern.days("2 Janu 1970") is None and pattern.days("2 01 1970") is None


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("yyyy-MM-dd z", "the letter 'z' is not read, but 'y', 'M', 'd', 'H', "),
        ("EEE, d MMM yyyy", "the letter 'E' is not read"),
        ("YYYY", "the letter 'Y' is not read"),
        ("kk:mm", "the letter 'k' is not read"),
        ("dd.MM.yy", "a year of two digits does not say its century; 'yyyy' is needed"),
        ("dd.dd", "the letter 'd' stands in two places"),
        ("HHH", "the letter 'H' stands there 3 times, and 2 are read"),
        ("yyyy 'at", "a quote is opened but not closed"),
        ("--", "no letter of a date or time is in it"),
        ("'yyyy'", "no letter of a date or time is in it"),
    ],
)
def test_patterns_that_are_refused(tmp_path, pattern, words):
    with pytest.raises(TableFileError) as caught:
        read_table(written(tmp_path, f'date "{pattern}"', "?,a"))
    assert words in caught.value.message and repr(pattern) in caught.value.message
    assert caught.value.line == 2 and "'when'" in caught.value.message and caught.value.message[-1] == "."


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("date", "1970-01-02T06:00:00"),
        ("DATE", "1970-01-02T06:00:00"),
        (f'date "{DEFAULT}"', "'1970-01-02T06:00:00'"),
        ('date "yyyy-MM-dd HH:mm:ss"', '"1970-01-02 06:00:00"'),
        ("date 'yyyy-MM-dd HH:mm'", "1970-01-02 06:00"),
        (r"date 'yyyy-MM-dd\'T\'HH'", "1970-01-02T06"),
        ("date yyyy.MM.dd.HH % the day", "1970.01.02.06"),
        ("date % the day", "1970-01-02T06:00:00"),
        ("date {2}", "1970-01-02T06:00:00"),
    ],
)
def test_how_an_attribute_is_declared(tmp_path, attribute, value):
    assert days(tmp_path, attribute, value, value) == [1.25, 1.25]


def test_missing_dates(tmp_path):
    assert np.isnan(days(tmp_path, "date yyyy", "?", "?")).all()
    first, second = days(tmp_path, "date yyyy", "1971", "?")
    assert first == 365.0 and np.isnan(second)
    path = written(tmp_path, "date yyyy", "{1 b}", "{0 1971, 1 b}")
    found = read_table(path).columns[0]
    assert np.isnan(found[0]) and found[1] == 365.0  # what a sparse row leaves out is not known


@pytest.mark.parametrize("strange", ["1970-02-30", "tomorrow", "'?'", "1970-1-1 ", "''"])
def test_a_value_that_does_not_fit_names_its_line(tmp_path, strange):
    fit = 'date "yyyy-MM-dd"'
    rows = ["1970-01-01,a", "% 1,a", "", "?,b", f"{strange},a", "1970-01-02,b", "zzz,a"]
    if strange == "1970-1-1 ":
        rows[4] = "1970-1-x,a"
    with pytest.raises(TableFileError) as caught:
        read_table(written(tmp_path, fit, *rows))
    value = rows[4].split(",")[0].strip("'")
    assert caught.value.line == 9
    assert caught.value.message == (
        f"the value {value!r} of column 'when' does not fit its date pattern 'yyyy-MM-dd', "
        "or there is no such date."
    )


def test_all_values_may_be_strange(tmp_path):
    with pytest.raises(TableFileError, match="line 5: the value 'x'"):
        read_table(written(tmp_path, "date", "x,a", "y,a"))


def test_the_same_dates_as_in_csv(tmp_path):
    rng = random.Random(0)
    moments = [
        datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=rng.randrange(10**13))
        for _ in range(300)
    ]
    texts = [moment.isoformat(" ", "milliseconds") for moment in moments]
    (tmp_path / "rows.csv").write_text("when,class\n" + "".join(f"{text},a\n" for text in texts))
    found = days(tmp_path, 'date "yyyy-MM-dd HH:mm:ss.SSS"', *(f"'{text}'" for text in texts))
    assert found == read_table(tmp_path / "rows.csv").columns[0].tolist()


def test_commands_say_that_dates_are_used(tmp_path):
    rows = [f"{1970 + i % 40},{'a' if i % 40 < 20 else 'b'}" for i in range(80)]
    path = written(tmp_path, "date yyyy", *rows)
    described = run("describe", path)
    words = " ".join((described.stdout + described.stderr).split())
    assert "Column 'when' holds dates, read as days since 1970-01-01." in words
    result = run("fit", path, "-o", tmp_path / "model.json")
    assert "Column 'when' holds dates" in " ".join(result.stderr.split())
    assert "when <= 1989-01-01" in run("show", tmp_path / "model.json").stdout


def test_damaged_files(tmp_path):
    """A file with some characters changed is read, or refused by a sentence."""
    values = [f"'{1970 + i}-01-02 03:04:05',a" for i in range(6)]
    text = written(tmp_path, 'date "yyyy-MM-dd HH:mm:ss"', *values).read_text()
    refused = 0
    for seed in range(400):
        rng = random.Random(seed)
        at = rng.randrange(len(text))
        changed = (
            text[:at]
            + rng.choice(["", "'", '"', "z", "0", "\n", "{", "%", "é"])
            + text[at + rng.randrange(2) :]
        )
        (tmp_path / "damaged.arff").write_text(changed, encoding="utf-8")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                table = read_table(tmp_path / "damaged.arff")
        except TableFileError as error:
            refused += 1
            assert error.message.endswith("."), error
        else:
            assert all(len(column) == table.n_samples for column in table.columns)
            assert all(not np.isinf(column).any() for column in table.columns if column.dtype == float)
    assert refused > 200
    assert set(LETTERS) == set("yMdHhmsSa")
