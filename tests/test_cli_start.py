"""Starting the command: what is imported before there is work to do, and other ways to start it."""

import inspect
import os
import subprocess
import sys
from importlib import import_module

import pytest
import typer.main

from commands import run
from stakes import tree
from stakes._cli import learners, names
from stakes._cli.app import StakesGroup
from stakes._cli.commands.clarify import ClarifyGroup
from stakes._cli.export import languages_of_all
from stakes._cli.start import _watched
from stakes.cli import app
from stakes.lab import papers
from stakes.lab.peers import peer_names

HEAVY = ("numpy", "pandas", "scipy", "sklearn")
#: Runs one command line in a new process and says on the last line what of these was imported.
STARTED = """
import sys
from stakes.cli import main
sys.argv = ["stakes", *sys.argv[2:]]
looked_for = {looked_for}
try:
    main()
finally:
    print("imported:", *[name for name in looked_for if name in sys.modules])
"""


def imported(*words, looked_for=HEAVY, env=None):
    """Names of what a command line imports, of those that are looked for."""
    script = STARTED.format(looked_for=looked_for)
    environment = None if env is None else os.environ | env
    command = [sys.executable, "-c", script, "stakes", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    return done.stdout.splitlines()[-1].split()[1:]


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["fit", "--help"], ["fit", "x", "--leaner"]])
def test_what_needs_no_work_imports_nothing_heavy(words):
    assert imported(*words) == []


def test_no_declaration_imports_anything_heavy():
    modules = [*StakesGroup.modules.values(), *ClarifyGroup.modules.values()]
    lines = "\n".join(f"import stakes._cli.commands.{module}" for module in modules)
    script = f"import sys\n{lines}\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "\n"


def test_a_watched_program_waits_for_no_library_of_options(tmp_path):
    model = tmp_path / "none.json"
    looked_for = ("typer", "rich", *HEAVY)
    watched = imported("clarify", "run", "-m", model, "--", "true", looked_for=("typer", *HEAVY))
    assert watched == []  # the model is missing, which is said before anything is run
    assert imported("clarify", "run", "--help", looked_for=looked_for) == ["typer", "rich"]


def test_a_plain_line_of_clarify_run_is_read_at_once():
    line = ["clarify", "run", "-m", "m.json", "--", "python", "-m", "pip"]
    read = {"command": ["python", "-m", "pip"], "model": "m.json", "as_json": False}
    assert _watched(line) == read
    assert _watched([*line[:2], "--json", "--model", *line[3:]]) == read | {"as_json": True}


@pytest.mark.parametrize(
    "line",
    [
        "clarify run -m m.json python x.py",
        "clarify run -m m.json --",
        "clarify run -- python x.py",
        "clarify run -m m.json --help -- python x.py",
        "clarify run -m -- python x.py",
        "clarify run --modle m.json -- python x.py",
        "clarify record -m m.json -- python x.py",
        "--debug clarify run -m m.json -- python x.py",
        "",
    ],
)
def test_every_other_line_is_read_in_the_common_way(line):
    assert _watched(line.split()) is None


def test_the_work_takes_what_is_declared():
    for group in (StakesGroup, ClarifyGroup):
        for name, module in group.modules.items():
            if name in ("clarify", "record", "run"):
                continue
            declared = inspect.signature(import_module(f"stakes._cli.commands.{module}").command)
            work = inspect.signature(import_module(f"stakes._cli.{module}").run)
            assert set(work.parameters) == set(declared.parameters) - {"debug", "currency"}, name
    for name in ("record", "run"):
        declared = inspect.signature(import_module(f"stakes._cli.commands.clarify_{name}").command)
        work = inspect.signature(getattr(import_module("stakes._cli.clarify"), name))
        assert set(work.parameters) == set(declared.parameters), name


def test_names_of_options_are_those_of_what_they_name():
    assert tuple(learners.LEARNERS) == names.LEARNERS
    assert tuple(learners.PRICED_LEARNERS) == names.PRICED_LEARNERS
    assert tuple(tree.split_criteria()) == names.CRITERIA
    assert (*tree.pruning_methods(), "none") == names.PRUNING
    assert set(names.LANGUAGES) == set(languages_of_all())
    assert (names.peers(), names.papers()) == (peer_names(), papers())


def test_a_group_has_all_commands_and_no_other():
    group = typer.main.get_command(app)
    assert list(group.commands) == list(StakesGroup.modules) and len(group.commands) == 12
    assert list(group.commands["clarify"].commands) == ["record", "run", "label", "train", "explain"]
    assert group.commands["fit"].name == "fit" and group.commands.get("fti") is None
    help = run("--help").stdout
    assert all(f"│ {name} " in help for name in StakesGroup.modules)


def test_the_package_can_be_run_as_a_program():
    assert subprocess.check_output([sys.executable, "-m", "stakes", "--version"]).startswith(b"stakes ")


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("stakes cl", ["clarify"]),
        ("stakes clarify r", ["record", "run"]),
        ("stakes fit --criterion cs", ["cs_gain", "cs_gain_ratio"]),
        ("stakes fit --learner c4", ["c4.5cs", "c4.5"]),
        ("stakes show --max", ["--max-depth"]),
    ],
)
def test_a_shell_completes_commands_options_and_their_values(monkeypatch, capsys, line, completed):
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert asked_by_bash(monkeypatch, capsys, "complete").split() == completed


def test_there_is_a_script_for_a_shell(monkeypatch, capsys):
    assert "_STAKES_COMPLETE=complete_bash" in asked_by_bash(monkeypatch, capsys, "source")
    assert "--install-completion" in run("--help").stdout


def asked_by_bash(monkeypatch, capsys, what):
    """What the command prints where the shell asks."""
    monkeypatch.setenv("_STAKES_COMPLETE", f"{what}_bash")
    with pytest.raises(SystemExit, match=r"^0$"):
        app([], prog_name="stakes")
    return capsys.readouterr().out
