"""A recorded or watched program and its streams: nothing waits for ever, and the exit status is its own."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tracing
from clarify_app import document
from commands import run as stakes
from stakes.forensics import NothingRecorded, read_profile, record

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and shells are POSIX's")

PASSED = """
import sys; from stakes.forensics.passing import Shown, passed_through
shown = Shown(keep_message=True) if sys.argv[1] == 'kept' else None
sys.exit(passed_through(sys.argv[2:], None, shown))
"""
LOUD = "import os, sys; done = os.write(2, b'x' * 600_000); sys.exit(7)"


def bash(command, *arguments, timeout=60):
    """Run a line of bash, in which "$@" are these arguments, with what it writes."""
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}", "bash", *arguments],
        env=tracing.bare(), capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def built():
    tracing.build()


@pytest.fixture(params=["kept", "own"])
def passed(request):
    """The command that passes another one through, with standard error as a pipe or as it is."""
    return [sys.executable, "-c", PASSED, request.param]


def test_a_reader_that_has_seen_enough_ends_the_writing_as_ever(passed):
    # Without us the program would end so: it is told that nobody reads any more, by a signal or an error.
    loud = "import os, signal; signal.signal(signal.SIGPIPE, 0)\nwhile True: os.write(2, b'x' * 9999)"
    done = bash('"$@" 2>&1 >/dev/null | head -c 5', *passed, sys.executable, "-c", loud)
    assert done.stdout == "xxxxx"
    quiet = bash(
        '"$@" 2>&1 >/dev/null | head -c 5; exit ${PIPESTATUS[0]}', *passed, sys.executable, "-c", LOUD
    )
    assert quiet.returncode in (1, 7)  # whether the reader went before everything was written is chance


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_behind_standard_error_holds_nothing_up(passed):
    full = '"$@" 2>/dev/full'
    alone = bash(full, sys.executable, "-c", LOUD).returncode
    assert alone not in (0, 7)  # it notices
    status = bash(full, *passed, sys.executable, "-c", LOUD).returncode
    assert status == (7 if passed[-1] == "kept" else alone)


def test_all_of_standard_error_is_handed_on(passed):
    done = bash('"$@" 2>&1 >/dev/null | wc -c; exit ${PIPESTATUS[0]}', *passed, sys.executable, "-c", LOUD)
    assert (done.stdout.strip(), done.returncode) == ("600000", 7)


def test_children_in_the_background_are_not_waited_for(passed, tmp_path):
    child = "sleep 50 </dev/null >/dev/null & echo $! > pid; echo told >&2; exit 5"
    if passed[-1] == "own":  # else nobody but the test waits for the end of the stream
        child = child.replace("&", "2>/dev/null &", 1)
    command = f'cd "{tmp_path}" && "$@"'
    done = bash(command, *passed, "sh", "-c", child, timeout=30)
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert (done.returncode, done.stderr) == (5, "told\n")


def test_what_is_no_python_program_keeps_its_status(tmp_path, monkeypatch):
    with pytest.raises(NothingRecorded, match="no Python program was seen in 'sh'") as ended:
        record(["sh", "-c", "kill -9 $$"])
    assert ended.value.exit_status == -9 and isinstance(ended.value, ValueError)
    monkeypatch.chdir(tmp_path)
    result = stakes("clarify", "record", "--", "sh", "-c", "exit 7", code=7)
    assert result.stderr == "Note: no Python program was seen in 'sh', so nothing is recorded.\n"
    stakes("clarify", "record", "--", "sh", "-c", "kill -9 $$", code=137)


SECRET = "import sys; print('user: me', file=sys.stderr); sys.exit('password is 1234')"


def test_nothing_that_a_program_writes_is_kept_unless_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ("--", sys.executable, "-c", SECRET)
    wanted = ("--symptom", "^password", "--symptom", "no such", "--symptom", "us.r")
    for folder, options, message, shown in (
        ("plain", (), "", ()),
        ("patterns", wanted, "", ("us.r", "^password")),
        ("message", ("--keep-message",), "password is 1234", ()),
    ):
        stakes("clarify", "record", "--runs", folder, *options, *command, code=1)
        (path,) = Path(folder).iterdir()
        symptom = read_profile(path).symptom
        assert (symptom.exit_status, symptom.message, symptom.shown) == (1, message, shown)
        text = gzip.decompress(path.read_bytes()).decode()
        assert ("1234" in text) == bool(message) and ("shown" in text) == bool(shown)
    assert "1234" in stakes("clarify", "label", "message", typed="q\n").stdout
    told = stakes("clarify", "label", "patterns", typed="q\n").stdout
    assert "shows us.r\n   shows ^password\n" in told
    refused = stakes("clarify", "record", "--symptom", "(", *command, code=1).stderr
    assert "must be regular expressions, got '('" in refused


def test_a_name_that_is_no_text_is_recorded(tmp_path):
    script = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py")
    Path(script).write_text("def f(): pass\nf()\n")
    status, profile = record([sys.executable, script], label="\udcff")
    assert status == 0
    from stakes.forensics import write_profile

    write_profile(profile, tmp_path / "a.profile")
    assert read_profile(tmp_path / "a.profile").label == "\udcff"


def test_where_the_profile_cannot_be_written_the_status_is_the_programs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert "file" in stakes("clarify", "record", "--runs", "file", "--", "touch", "ran", code=1).stderr
    assert not Path("ran").exists()  # it is tried before
    monkeypatch.setattr("stakes.forensics.write_profile", lambda *_: os.write(-1, b""))
    for status, end in ((4, 4), (0, 1)):
        command = (sys.executable, "-c", f"raise SystemExit({status})")
        assert "could not be written" in stakes("clarify", "record", "--", *command, code=end).stderr


def test_the_commands_keep_the_status_where_nobody_reads(tmp_path):
    minor, python = next(iter(tracing.INTERPRETERS.items()))
    model = tmp_path / "model.json"
    model.write_text(json.dumps(document(minor)))
    command = [
        sys.executable,
        "-m",
        "stakes.cli",
        "clarify",
        "run",
        "-m",
        str(model),
        "--",
        python,
        "-c",
        "exit(7)",
    ]
    assert bash('"$@" 2>/dev/full', *command).returncode == 7
    command = [sys.executable, "-m", "stakes.cli", "clarify", "record", "-r", str(tmp_path / "runs"), "--"]
    done = bash('"$@" 2>&1 >/dev/null | true; exit ${PIPESTATUS[0]}', *command, python, "-c", "exit(7)")
    assert done.returncode == 7


@pytest.mark.parametrize("end", ["2>&1 >/dev/null | head -n 1", "2>/dev/full"])
def test_the_command_ends_where_nobody_reads_what_the_program_says(tmp_path, end):
    if "full" in end and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    lines = "import os\nfor _ in range(600): os.write(2, b'x' * 999 + b'\\n')"
    runs = ["-r", str(tmp_path / "runs"), "--"]
    command = [sys.executable, "-m", "stakes.cli", "clarify", "record", *runs, sys.executable, "-c", lines]
    assert bash(f'"$@" {end}', *command).stdout in ("", "x" * 999 + "\n")


def test_the_command_does_not_wait_for_children_in_the_background(tmp_path):
    started = "import subprocess; print(subprocess.Popen(['sleep', '300'], stdout=-3).pid, flush=True)"
    runs = ["-r", str(tmp_path / "runs"), "--"]
    command = [sys.executable, "-m", "stakes.cli", "clarify", "record", *runs, sys.executable, "-c", started]
    out = tmp_path / "out"
    try:
        # What it says goes to a file: a pipe would end with the child only.
        assert bash('out="$1"; shift; "$@" >"$out" 2>"$out.err"', str(out), *command).returncode == 0
    finally:
        for pid in out.read_text().split()[:1]:
            os.kill(int(pid), 9)


def test_a_damaged_model_is_refused_before_the_program_is_started(tmp_path):
    model, ran = tmp_path / "model.json", tmp_path / "ran"
    model.write_text(json.dumps(document(texts=5)))
    told = stakes("clarify", "run", "-m", model, "--", "touch", ran, code=1).stderr
    assert "texts must be an object with a text for each cause" in told and str(model) in told
    assert not ran.exists()
