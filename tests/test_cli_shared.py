"""What all commands share: how errors leave them, consoles, notes, bars, and reading of data."""

import errno
import io
import json
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.progress import Progress
from rich.table import Table as Grid
from typer.core import TyperGroup
from typer.testing import CliRunner

from stakes import CostMatrix, read_table
from stakes._cli import app as app_module
from stakes._cli import console, describe, endings, options, shared
from stakes.cli import app, main
from stakes.table import Column, Schema, Table

COLOURS = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}


def fail(monkeypatch, error, *args, **options):
    """Let a command fail with an error."""

    def read(*_, **__):
        raise error

    monkeypatch.setattr(describe, "read_problem", read)
    return CliRunner().invoke(app, [*args, "describe", "x"], **options)


# ---- how errors leave --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("it is\n  wrong"), "it is wrong."),
        (TypeError("why?"), "why?"),
        (ImportError("no!"), "no!"),
        (ValueError(), "ValueError."),
        (OSError(errno.ENOENT, "No such file", "a.csv"), "a.csv: No such file."),
        (OSError("plain"), "plain."),
        (OSError(errno.ENOENT, "No such file"), "[Errno 2] No such file."),
        (MemoryError("big"), "there is not enough memory for this."),
    ],
)
def test_an_error_is_one_sentence_and_the_status_1(monkeypatch, error, sentence):
    result = fail(monkeypatch, error)
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Error: {sentence}\n")


def test_errors_are_red_and_notes_yellow(monkeypatch, tmp_path):
    assert fail(monkeypatch, ValueError("no"), env=COLOURS).stderr == "\x1b[1;31mError: no.\x1b[0m\n"
    monkeypatch.undo()
    (tmp_path / "d.csv").write_text("a,class\n1,p\n2,\n")
    result = CliRunner().invoke(app, ["describe", str(tmp_path / "d.csv"), "--json"], env=COLOURS)
    assert result.stderr == "\x1b[33mNote: 1 rows without a class are left out.\x1b[0m\n"


def test_what_nobody_expects_and_what_is_debugged_is_not_hidden(monkeypatch):
    assert isinstance(fail(monkeypatch, KeyError("k")).exception, KeyError)
    error = ValueError("no")
    assert fail(monkeypatch, error, "--debug").exception is error


def test_control_c_is_130_and_a_closed_pipe_is_no_error(monkeypatch):
    result = fail(monkeypatch, KeyboardInterrupt())
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "Stopped.\n")
    silenced = []
    monkeypatch.setattr(endings, "_silence_stdout", lambda: silenced.append(True))
    result = fail(monkeypatch, BrokenPipeError())
    assert (result.exit_code, result.stderr, silenced) == (0, "", [True])


def test_a_pipe_that_closes_at_the_last_moment_is_noticed(monkeypatch):
    monkeypatch.setattr(TyperGroup, "invoke", lambda self, ctx: "done")
    flushed = []
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(flush=lambda: flushed.append(True)))
    group = app_module.StakesGroup(name="stakes")
    assert group.invoke(SimpleNamespace(params={})) == "done" and flushed == [True]


def test_silence_goes_to_nowhere(monkeypatch, tmp_path):
    with (tmp_path / "out").open("w") as file:
        monkeypatch.setattr(sys, "stdout", file)
        print("seen", flush=True)
        endings._silence_stdout()
        print("not seen", flush=True)
    assert (tmp_path / "out").read_text() == "seen\n"
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    endings._silence_stdout()  # no real file


def test_streams_that_cannot_show_a_character_show_its_code(monkeypatch):
    called = []
    monkeypatch.setattr(app_module, "app", lambda **options: called.append(options))
    streams = {
        name: io.TextIOWrapper(io.BytesIO(), encoding=name) for name in ("ascii", "utf-8", "UTF8", "latin-1")
    }
    for one, other in (("ascii", "utf-8"), ("UTF8", "latin-1")):
        monkeypatch.setattr(sys, "stdout", streams[one])
        monkeypatch.setattr(sys, "stderr", streams[other])
        main()
    found = {name: stream.errors for name, stream in streams.items()}
    assert found == dict.fromkeys(streams, "backslashreplace")
    odd = [SimpleNamespace(encoding="ascii"), io.StringIO()]  # cannot be changed; has no encoding
    monkeypatch.setattr(sys, "stdout", odd[0])
    monkeypatch.setattr(sys, "stderr", odd[1])
    main()
    without = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    nameless = SimpleNamespace(encoding=None, reconfigure=without.reconfigure)
    monkeypatch.setattr(sys, "stdout", nameless)
    main()
    assert without.errors == "backslashreplace"
    assert called == [{"prog_name": "stakes"}] * 4


def test_help_is_what_is_shown_without_a_command_and_the_version_ends_it():
    from importlib.metadata import version

    result = CliRunner().invoke(app, ["--version"])
    assert (result.exit_code, result.stdout) == (0, f"stakes {version('stakes')}\n")
    for args in ([], ["clarify"]):
        shown = CliRunner().invoke(app, args)
        assert "Usage" in shown.output and shown.exit_code in (0, 2)


# ---- consoles, notes, bars ---------------------------------------------------------------------------------


def test_tables_get_120_columns_where_there_is_no_terminal(monkeypatch, capsys):
    assert console.out().width == 120
    console.out().print("x" * 130 + " [own] 12")
    assert capsys.readouterr().out.splitlines()[0] == "x" * 120
    monkeypatch.setenv("COLUMNS", "77")
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(isatty=lambda: True, encoding="utf-8"))
    assert console.out().width == 77
    monkeypatch.undo()
    for name, value in COLOURS.items():
        monkeypatch.setenv(name, value)
    console.out().print("12 'a'")  # numbers and texts are not coloured
    console.say("12 'a'")
    assert capsys.readouterr() == ("12 'a'\n", "12 'a'\n")


def test_names_are_printed_as_they_stand(capsys):
    """Neither markup nor codes of emoji, in sentences and in tables."""
    name = "[bold]x[/bold] :x: \\[y]"
    console.out().print(name)
    console.say(name)
    assert capsys.readouterr() == (f"{name}\n", f"{name}\n")
    grid = Grid(name, title=name)
    grid.add_row(name)
    console.out().print(grid)
    assert capsys.readouterr().out.count(name) == 3


HOSTILE = "a\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202eb\udc80"
SHOWN = r"a\x1b[31mred\x1b]0;title\x07\r\x9b2J\u202eb\udc80"


def test_what_a_terminal_would_obey_is_shown(capsys, monkeypatch):
    console.out().print(HOSTILE)
    console.say(HOSTILE)
    grid = Grid(HOSTILE, title=HOSTILE)
    grid.add_row(HOSTILE)
    console.out().print(grid)
    shared.print_json([HOSTILE])
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shared.write_text(f"two\n{HOSTILE}\tlines", None)
    printed = capsys.readouterr()
    assert printed.err == f"{SHOWN}\n"
    lines = printed.out.splitlines()
    assert lines[0] == SHOWN and sum(SHOWN in line for line in lines) == 5
    assert lines[-1] == f"{SHOWN}\tlines"
    assert not set(HOSTILE) & set("\x1b\x07\r\x9b\u202e\udc80") & set(printed.out + printed.err)
    text = printed.out.split("[\n", 1)[1].split("\n]", 1)[0]
    assert json.loads(text) == HOSTILE


def test_names_of_a_file_are_shown(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a\x1b[31m,class\n1,x\x1b[0m\n2,y\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["describe", str(path)])
    assert result.exit_code == 0 and "\x1b" not in result.output
    assert r"a\x1b[31m" in result.output and r"x\x1b[0m" in result.output
    result = CliRunner().invoke(app, ["describe", str(tmp_path / "no\x1b[31m.csv")])
    assert result.exit_code == 1 and r"no\x1b[31m.csv" in result.stderr and "\x1b" not in result.stderr


def test_of_very_many_columns_some_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(describe, "MOST_COLUMNS", 3)
    path = tmp_path / "wide.csv"
    path.write_text("a,b,c,d,e,class\n1,2,3,,5,x\n1,2,3,4,,y\n")
    result = CliRunner().invoke(app, ["describe", str(path)])
    assert "5 columns" in result.stdout and "2 missing values (20.0%)" in result.stdout
    assert result.stdout.endswith("and 2 more columns; --json has all of them.\n")
    whole = json.loads(CliRunner().invoke(app, ["describe", str(path), "--json"]).stdout)
    assert [column["name"] for column in whole["columns"]] == list("abcde") and whole["missing"] == 2


def test_a_remark_is_one_line_with_its_brackets(capsys):
    text = "[own] " * 60
    console.say(text)
    assert capsys.readouterr().err == f"{text}\n"


def test_json_has_no_nan_and_no_arrays(capsys):
    value = {1: np.float64("nan"), "ä": [np.array([1, 2]), (True, float("inf"), 0.5, None)], "n": np.int64(3)}
    plain = {"1": None, "ä": [[1, 2], [True, None, 0.5, None]], "n": 3}
    assert shared.plain_json(value) == plain
    shared.print_json(value)
    assert capsys.readouterr().out == json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def test_text_ends_with_one_line_end(tmp_path, capsys):
    for text in ("ä\nb", "ä\nb\n"):
        shared.write_text(text, None)
        assert capsys.readouterr() == ("ä\nb\n", "")
        shared.write_text(text, tmp_path / "t.txt")
        assert (tmp_path / "t.txt").read_bytes() == "ä\nb\n".encode()
        assert capsys.readouterr() == ("", f"Wrote {tmp_path / 't.txt'}.\n")


def test_warnings_become_notes_once_each(capsys):
    with shared.notes():
        for _ in range(2):
            warnings.warn("it is\n odd", stacklevel=1)
        warnings.warn("it ends.", stacklevel=1)
    assert capsys.readouterr().err == "Note: it is odd.\nNote: it ends.\n"


def test_a_bar_shows_how_far_it_is(monkeypatch):
    seen = []

    class Recorded(Progress):
        def __init__(self, *columns, **how):
            super().__init__(*columns, **how)
            seen.append((self, how))

    monkeypatch.setattr(shared, "Progress", Recorded)
    with shared.progress_bar("Reading") as advance:
        advance(3, 10, "a file")
    assert seen == []  # stderr is no terminal here
    for name, value in COLOURS.items():
        monkeypatch.setenv(name, value)
    with shared.progress_bar("Reading") as advance:
        (bar, how) = seen[0]
        assert (bar.tasks[0].description, bar.tasks[0].total) == ("Reading", None)
        advance(3, 10, "a file")
        task = bar.tasks[0]
        assert (task.completed, task.total, task.description) == (3, 10, "Reading a file")
        advance(4, 10, "")
        assert bar.tasks[0].description == "Reading"
    assert how["transient"] and how["console"].stderr


def test_the_rate_is_shown_once_it_is_known():
    column = shared.RateColumn()
    for finished, speed, text in (
        (None, None, ""),
        (None, 0.0, ""),
        (None, 12.345, "12.3/s"),
        (5.0, 9.0, "5/s"),
    ):
        assert column.render(SimpleNamespace(finished_speed=finished, speed=speed)).plain == text


# ---- reading data ------------------------------------------------------------------------------------------


def test_debug_is_remembered_for_the_whole_line():
    context = SimpleNamespace(params={}, meta={})
    context.find_root = lambda: context
    assert options.set_debug(context, False) is False and not options.debugging(context)
    assert options.set_debug(context, True) is True and context.meta == {"debug": True}
    assert options.debugging(context) is True
    assert options.debugging(SimpleNamespace(params={"debug": True}, find_root=lambda: None)) is True


def test_a_name_without_a_suffix_is_a_data_set_unless_there_is_such_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shared, "load_table", lambda name: ("loaded", name))
    monkeypatch.setattr(shared, "read_table", lambda path, target: ("read", str(path), target))
    assert shared.read_data("german", None) == ("loaded", "german")
    assert shared.read_data("x.csv", "t") == (("read", "x.csv", "t"), None)
    assert shared.read_data("folder/x", None) == (("read", "folder/x", None), None)
    Path("german").write_text("")
    assert shared.read_data("german", None) == (("read", "german", None), None)
    Path("d").mkdir()
    with pytest.raises(ValueError, match="d is a folder; a file or the name of a data set is needed"):
        shared.read_data("d", None)
    with pytest.raises(ValueError, match="--target is for files"):
        shared.read_data("heart", "t")


def test_published_costs_hold_unless_others_are_given(tmp_path):
    problem = shared.read_problem("german", None, None, None)
    assert problem.name == "german" and problem.weight is None
    assert problem.cost_matrix.values.tolist() == [[0, 5], [1, 0]]
    other = tmp_path / "c.csv"
    other.write_text("actual\\predicted,bad,good\nbad,0,7\ngood,2,0\n")
    assert shared.read_problem("german", None, other, None).cost_matrix.values.tolist() == [[0, 7], [2, 0]]
    data = tmp_path / "d.csv"
    data.write_text("a,class\n1,p\n2,q\n")
    problem = shared.read_problem(str(data), None, None, None)
    assert problem.name == "d.csv" and problem.cost_matrix.values.tolist() == [[0, 1], [1, 0]]
    data.write_text(",".join(f"c{j}" for j in range(22)) + "\n" + ",".join("1" * 22) + "\n")
    with pytest.raises(
        ValueError, match=r"no column named class; say with --target .*, 'c18', 'c19' and 2 more$"
    ):
        shared.read_problem(str(data), None, None, None)


def test_a_column_of_weights(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,n,b,class\n1,2,x,p\n2,3,y,q\n")
    table = read_table(path)
    assert shared.take_weights(table, None) is table
    taken = shared.take_weights(table, "n")
    assert taken.schema.names == ("a", "b") and taken.weights.tolist() == [2, 3]
    assert taken.target == "class" and taken.labels().tolist() == ["p", "q"]
    with pytest.raises(
        ValueError, match="--weights names 'z', which is no column; the columns are 'a', 'n', 'b'"
    ):
        shared.take_weights(table, "z")
    with pytest.raises(ValueError, match="'b', which holds text; numbers are needed"):
        shared.take_weights(table, "b")
    path.write_text("a,n,class\n1,2,p\n2,,q\n")
    with pytest.raises(ValueError, match="'n', where a value is missing; every row needs a weight"):
        shared.take_weights(read_table(path), "n")


def numeric(*names):
    return Table(Schema(tuple(map(Column, names))), [np.array([float(j)]) for j in range(len(names))])


def test_columns_as_the_model_knows_them():
    table = numeric("a", "b", "c")
    assert shared.columns_for(SimpleNamespace(), table, "d") is table
    chosen = shared.columns_for(SimpleNamespace(feature_names_in_=["c", "a"]), table, "d")
    assert chosen.schema.names == ("c", "a") and [column[0] for column in chosen.columns] == [2, 0]
    for missing, shown in ((5, "'z4'"), (9, "'z7' and 1 more")):
        names = ["a", *(f"z{j}" for j in range(missing))]
        with pytest.raises(ValueError, match=rf"^d lacks {missing} of the columns .*: 'z0', .*{shown}$"):
            shared.columns_for(SimpleNamespace(feature_names_in_=names), table, "d")
    with pytest.raises(ValueError, match=r"on: 'wage'; for 'wage' it has 'Wages'$"):
        shared.columns_for(SimpleNamespace(feature_names_in_=["wage"]), numeric("Wages", "b"), "d")


def test_labels_and_costs_as_the_model_knows_them(tmp_path):
    problem = shared.Problem(
        name="d",
        table=numeric("a"),
        classes=np.array([1, 2]),
        codes=np.array([1, 0], dtype=np.int32),
        weight=np.array([3.0]),
        cost_matrix=CostMatrix([[0, 1], [1, 0]], classes=[1, 2]),
    )
    costs = CostMatrix([[0, 4], [1, 0]], classes=["1", "2"])
    model = SimpleNamespace(predict=None, classes_=np.array(["1", "2"]), cost_matrix_=costs)
    found = shared.for_model(model, problem, None, "d.csv")
    assert (
        found.labels.tolist() == ["2", "1"] and found.cost_matrix is costs and found.weight.tolist() == [3.0]
    )
    assert found.name == "d"
    other = tmp_path / "c.csv"
    other.write_text("actual\\predicted,1,2\n1,0,9\n2,8,0\n")
    assert shared.for_model(model, problem, other, "d.csv").cost_matrix.values.tolist() == [[0, 9], [8, 0]]
    model.classes_ = np.array(["1"])
    with pytest.raises(
        ValueError, match=r"^d\.csv has classes that .* know: '2'; the model's classes are '1'$"
    ):
        shared.for_model(model, problem, None, "d.csv")
    with pytest.raises(ValueError, match="must be a classifier, got SimpleNamespace, which predicts nothing"):
        shared.for_model(SimpleNamespace(), problem, None, "d.csv")


def test_a_page_that_cannot_be_written_is_a_note(capsys):
    assert shared.write_page(lambda: Path("x")) == Path("x")

    def missing():
        raise ImportError("jinja2 is needed.")

    assert shared.write_page(missing) is None
    assert capsys.readouterr().err == "Note: jinja2 is needed.\n"
