"""`stakes clarify record --each`: a run for every input file."""

import sys

import pytest

from commands import run
from stakes.forensics import digest_of, read_profile

PROGRAM = "import sys\ndef check(text):\n    assert text != 'bad'\ncheck(open(sys.argv[1]).read())\n"


@pytest.fixture
def place(tmp_path):
    (tmp_path / "inputs" / "folder").mkdir(parents=True)
    (tmp_path / "program.py").write_text(PROGRAM)
    for name, text in (("a.txt", "good"), ("b c.txt", "bad")):
        (tmp_path / "inputs" / name).write_text(text)
    return tmp_path


def record(place, *options, code=0, file="{}"):
    command = (sys.executable, place / "program.py", file)
    return run("clarify", "record", "-r", place / "runs", *options, "--", *command, code=code)


def test_each_file_is_recorded_once_and_failures_are_counted(place):
    each = ("--each", place / "inputs" / "*", "--label", "broken")
    lines = record(place, *each).stderr.splitlines()
    assert lines[0] == f"[1 of 2] {place / 'inputs' / 'a.txt'}" and lines[-1] == "2 runs, 1 of them failed."
    found = {profile.input: profile for profile in map(read_profile, (place / "runs").iterdir())}
    statuses = {
        digest_of([sys.executable, str(place / "program.py"), str(place / "inputs" / name)]): status
        for name, status in (("a.txt", 0), ("b c.txt", 1))
    }
    assert {name: profile.symptom.exit_status for name, profile in found.items()} == statuses
    assert {profile.label for profile in found.values()} == {"broken"}
    (place / "inputs" / "c.txt").write_text("good")
    lines = record(place, *each).stderr.splitlines()
    assert lines[0].startswith("[3 of 3] ") and lines[-1] == "1 run, 0 of them failed; 2 were there already."
    assert len(list((place / "runs").iterdir())) == 3


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGINT)", "sys.exit(130)"])
def test_an_interrupt_ends_all_runs_and_that_run_is_made_again(place, end):
    (place / "program.py").write_text(f"import os, signal, sys\nif 'b c' in sys.argv[1]: {end}\n")
    (place / "inputs" / "c.txt").write_text("good")
    said = record(place, "--each", place / "inputs" / "*", code=130).stderr
    assert "[2 of 3]" in said and "[3 of 3]" not in said and said.splitlines()[-1] == "Stopped."
    assert len(list((place / "runs").iterdir())) == 1
    (place / "program.py").write_text(PROGRAM)
    lines = record(place, "--each", place / "inputs" / "*").stderr.splitlines()
    assert lines[0].startswith("[2 of 3] ") and lines[-1] == "2 runs, 1 of them failed; 1 were there already."


@pytest.mark.parametrize(
    ("options", "file", "words"),
    [
        (("--each", "none/*"), "{}", "--each must match files, got 'none/*', which matches none."),
        (("--each", __file__), "x", "--each needs {} in the command where the file belongs"),
        (("--each", __file__, "--input", "a"), "{}", "--each and --input cannot be used together"),
    ],
)
def test_what_makes_no_sense_is_refused(place, options, file, words):
    assert words in record(place, *options, file=file, code=1).stderr
    assert not (place / "runs").exists()
