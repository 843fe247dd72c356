"""``stakes ask``: the conversation, scripts, pipes and a real terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from asking import lines, make_models, run
from stakes import C45Classifier, datasets
from stakes.models import save_model


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return make_models(tmp_path_factory.mktemp("ask"))


def test_a_conversation_shows_price_chances_reason_and_bill(place):
    text = run(place / "model.json", typed="30\nsharp\n").stdout
    assert "1. age   costs 0   (bill so far 0)" in text
    assert "2. pain   costs 1   (bill so far 0)" in text
    assert (
        "so far: ill" in text and "decides: <= 50: pain is asked next; > 50: blood=high is asked next" in text
    )
    assert "Answer: ill" in text
    assert "total" in text and "age 30 <= 50; pain is 'sharp'" in text


def test_choices_by_number_by_name_and_in_other_case(place):
    for answer in ("3", "sharp", "SHARP"):
        assert "pain is 'sharp'" in run(place / "model.json", typed=f"30\n{answer}\n").stdout


def test_unknown_back_and_mistakes(place):
    result = run(place / "model.json", typed="<\nold\n?\n<\n70\n1,5\ninf\n-2\n")
    assert "nothing to take back" in result.stderr
    assert "'age' must be a finite number, or ? where it is unknown, got 'old'" in result.stderr
    assert "write decimals with a point" in result.stderr
    assert "Answer: well" in result.stdout and "age 70 > 50; blood=high -2" in result.stdout
    wrong = run(place / "model.json", typed="30\nburning\n9\n1\n")
    assert "got 'burning'" in wrong.stderr and "got '9'" in wrong.stderr


def test_the_end_of_the_input_counts_the_rest_as_unknown(place):
    result = run(place / "model.json", typed="30\n")
    assert "rest counts as unknown" in result.stderr
    assert "pain missing or never seen" in result.stdout


def test_budget_and_what_is_set(place):
    text = run(place / "model.json", "--budget", 5, "--set", "age=70").stdout
    assert "Not asked, too costly for the budget: blood=high (12.5)." in text
    text = run(place / "model.json", "--set", "age=70", "--set", "blood=high=1").stdout
    assert "Answer: ill" in text
    silent = run(place / "model.json", "-s", "age=70", "-s", "blood=high=1")
    assert "Nothing had to be asked" in silent.stderr


@pytest.mark.parametrize(
    ("option", "words"),
    [("agee=1", "'agee' is none"), ("age", "NAME=VALUE")],
)
def test_set_that_names_nothing(place, option, words):
    assert words in " ".join(
        run(place / "model.json", "--set", option, code=2).stderr.replace("│", "").split()
    )


def test_set_with_a_bad_value(place):
    assert "'age' must be a finite number" in run(place / "model.json", "--set", "age=old", code=1).stderr
    assert "'pain' must be one of" in run(place / "model.json", "--set", "pain=much", code=1).stderr


def test_prices_from_a_file(place, tmp_path):
    prices = tmp_path / "p.csv"
    prices.write_text("feature,price\nage,2\npain,3\nblood=high,4\nnumber,5\n")
    found = lines(run(place / "model.json", "--feature-costs", prices, "--json", typed="30\nnull\n"))
    assert [line["price"] for line in found[:-1]] == [2, 3] and found[-1]["total"] == 2


def test_json_for_scripts(place):
    found = lines(run(place / "model.json", "--json", "--budget", 20, typed='{"value": 30}\n"dull"\n'))
    assert [line["type"] for line in found] == ["question", "question", "result"]
    assert found[0]["feature"] == "age" and found[0]["left"] == 20
    assert found[1]["categories"] == ["dull", "none", "sharp"] and found[1]["price"] == 1
    assert found[2]["label"] == "well" and found[2]["total"] == 1
    assert found[2]["asked"][1] == {"feature": "pain", "answer": "dull", "price": 1}


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("", "got the end of the input"),
        ("\n", "got an empty line"),
        ("old\n", "must be JSON"),
        ('"old"\n', "must be a finite number"),
        ('{"feature": "pain", "value": 3}\n', "this 'feature'"),
        ('{"v": 3}\n', "under 'value'"),
        ("[" * 100000 + "\n", "must be JSON"),
    ],
)
def test_json_that_is_wrong(place, typed, words):
    assert words in run(place / "model.json", "--json", typed=typed, code=1).stderr


def test_a_guarded_model_asks_nothing(place):
    result = run(place / "guarded.json")
    assert "for everyone" in result.stderr and "Nothing had to be asked" in result.stderr
    assert "Answer: " in result.stdout
    assert [line["type"] for line in lines(run(place / "guarded.json", "--json"))] == ["result"]
    assert "1. " in run(place / "guarded.json", "--tree", typed="?\n").stdout


def test_choices_that_are_numbers_are_not_numbered(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"n": pd.Categorical(["2", "1", "2", "1"] * 5)})
    save_model(C45Classifier().fit(frame, ["a", "b"] * 10), tmp_path / "m.json")
    text = run(tmp_path / "m.json", typed="2\n").stdout
    assert "Answer: a" in text and "1)" not in text


def test_no_such_model(tmp_path):
    assert "No such file" in run(tmp_path / "none.json", code=1).stderr


# ---- outside of this process -------------------------------------------------------------------------------


def test_in_a_pipe_question_by_question(place):
    """Each question is there before its answer is given."""
    command = [sys.executable, "-m", "stakes.cli", "ask", str(place / "model.json"), "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as talk:
        for answer in ("30", '"sharp"'):
            assert json.loads(talk.stdout.readline())["type"] == "question"
            talk.stdin.write(answer + "\n")
            talk.stdin.flush()
        assert json.loads(talk.stdout.readline())["label"] == "ill"
        talk.stdin.close()
        assert talk.wait(20) == 0


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, *args):
        self.text = ""
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", COLUMNS="100", NO_COLOR="1")
            os.execv(sys.executable, [sys.executable, "-m", "stakes.cli", *map(str, args)])

    def until(self, words, seconds=30):
        stop = time.monotonic() + seconds
        while words not in self.text and time.monotonic() < stop:
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.end, 65536).decode()
                except OSError:  # Linux: the other end is closed
                    break
        assert words in self.text, self.text
        before, _, self.text = self.text.partition(words)
        return before

    def type(self, text):
        os.write(self.end, text.encode())

    def close(self):
        _, status = os.waitpid(self.pid, 0)
        os.close(self.end)
        return os.waitstatus_to_exitcode(status)


def test_on_a_real_terminal(place):
    terminal = Terminal("ask", place / "model.json")
    terminal.until("1. age")
    terminal.until("back: ")
    terminal.type("30\n")
    terminal.until("2. pain")
    terminal.until("3) sharp")
    terminal.until("back: ")
    terminal.type("\x04")  # Ctrl-D: the rest counts as unknown
    terminal.until("Answer:")
    terminal.until("total")
    assert terminal.close() == 0


def test_ctrl_c_on_a_real_terminal(place):
    terminal = Terminal("ask", place / "model.json")
    terminal.until("back: ")
    time.sleep(0.5)  # between a prompt and its read Python notices no interrupt
    terminal.type("\x03")
    terminal.until("Stopped.")
    assert terminal.close() == 130


def test_interrupt_in_a_pipe(place):
    command = [sys.executable, "-m", "stakes.cli", "ask", str(place / "model.json"), "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as talk:
        talk.stdout.readline()
        talk.send_signal(signal.SIGINT)
        assert talk.wait(20) == 130


def test_german_like_predict():
    table, costs = datasets.load_table("german")
    tree = C45Classifier(cost_matrix=costs).fit(table, table.labels())
    assert tree.acquire({}.get).label == tree.predict(table.to_frame()[:1].mask(np.ones((1, 20), bool)))[0]
