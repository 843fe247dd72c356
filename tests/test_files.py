"""Files: the old one or the new one, whatever happens; outputs that cannot be written are refused at once."""

import ast
import errno
import io
import json
import os
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import stakes
from attack.outputs import at_line
from attack.signals import interrupt
from commands import run
from stakes import C45Classifier, CostMatrix, FeatureCosts, GDTClassifier, datasets
from stakes._base.documents import load_json, save_json
from stakes._text.files import check_folder, check_output, replacing, write_bytes, write_text
from stakes.cli import main
from stakes.evolve.checkpoint import as_series, write_arrays
from stakes.forensics import Profile, write_profile
from stakes.models import load_model, save_model
from stakes.table import write_arff

resource = pytest.importorskip("resource", reason="links, modes and limits are POSIX's")

OLD = b"the old content"
CALLS_THAT_WRITE = {"write_text", "write_bytes", "savez", "savez_compressed", "savefig", "to_parquet"}
#: Files in folders that the process has made for itself, of random names, and a switch of the kernel.
PRIVATE = {"lab/units.py", "forensics/run.py", "forensics/host/startup.py", "forensics/host/memory.py"}


@contextmanager
def full_disk(n_bytes=200):
    """No file may grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with data, costs and a saved tree."""
    folder = tmp_path_factory.mktemp("files")
    rows = [f"{a},{b},{'good' if a + b > 6 else 'bad'}" for a in range(8) for b in range(8)]
    (folder / "data.csv").write_text("a,b,class\n" + "\n".join(rows) + "\n")
    (folder / "costs.csv").write_text("actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n")
    run("fit", folder / "data.csv", "-c", folder / "costs.csv", "-o", folder / "model.json", "--no-guard")
    return folder


# ---- one file ----------------------------------------------------------------------------------------------


def test_a_file_is_there_once_it_is_complete(tmp_path):
    path = tmp_path / "answers"
    path.write_bytes(OLD)
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == OLD
    assert path.read_bytes() == b"new" and os.listdir(tmp_path) == ["answers"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "answers"
    path.write_bytes(OLD)
    with pytest.raises(error), replacing(path) as file:
        file.write(b"new")
        raise error
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["answers"]


def write_costs(path):
    CostMatrix.uniform([f"class {number}" for number in range(30)]).to_csv(path)


def write_prices(path):
    FeatureCosts({f"column {number}": 1.0 for number in range(99)}).to_csv(path)


def write_rows(path):
    write_arff(datasets.load_table("german")[0], path)


def write_model(path):
    save_model(C45Classifier().fit(*two_columns()), path)


def write_run(path):
    write_profile(Profile((), (), input="x" * 999), path)


def two_columns():
    X = np.arange(80.0).reshape(-1, 2)
    return X, np.array(["bad", "good"])[(X[:, 0] // 10 % 2).astype(int)]


@pytest.mark.parametrize(
    "write",
    [
        write_costs,
        write_prices,
        write_rows,
        write_model,
        write_run,
        lambda path: write_arrays(path, "run 1", {"x": np.zeros(99)}),
        lambda path: save_json(path, {"format": "x" * 999}),
    ],
)
def test_a_full_disk_loses_no_file(tmp_path, write):
    path = tmp_path / "answers"
    path.write_bytes(OLD)
    with full_disk(), pytest.raises(OSError, match=str(path)) as caught:
        write(path)
    assert caught.value.errno == errno.EFBIG and caught.value.filename == str(path)
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["answers"]


def test_permissions_of_the_old_file_are_kept(tmp_path):
    path = tmp_path / "model.json"
    before = os.umask(0o022)
    try:
        save_json(path, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        for mode in (0o600, 0o666, 0o640):
            path.chmod(mode)
            save_json(path, {})
            assert stat.S_IMODE(path.stat().st_mode) == mode
        write_bytes(tmp_path / "secret", b"", private=True)
        assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
        write_arrays(tmp_path / "checkpoint", "", {})
        assert stat.S_IMODE((tmp_path / "checkpoint").stat().st_mode) == 0o644
    finally:
        os.umask(before)


def test_an_interrupt_while_a_checkpoint_is_made_is_an_interrupt():
    """At any line, and nothing complains later, which would be an error here."""
    arrays = {"x": np.zeros(3), "y": np.arange(2)}
    with at_line(-1, interrupt) as lines:
        as_series("mine", arrays)
    interrupted = 0
    for line in range(1, lines[0]):
        try:
            with at_line(line, interrupt):
                as_series("mine", arrays)
        except KeyboardInterrupt:
            interrupted += 1
    assert interrupted > 100


def test_symbolic_links_are_followed_and_kept(tmp_path):
    (tmp_path / "far").mkdir()
    link, dangling = tmp_path / "model.json", tmp_path / "next.json"
    (tmp_path / "far" / "real.json").write_bytes(OLD)
    link.symlink_to("far/real.json")
    dangling.symlink_to("far/new.json")
    for path, target in ((link, "real.json"), (dangling, "new.json")):
        save_json(path, {"a": 1})
        assert path.is_symlink() and json.loads((tmp_path / "far" / target).read_text()) == {"a": 1}
    assert sorted(os.listdir(tmp_path / "far")) == ["new.json", "real.json"]


def test_nobody_can_lay_a_link_where_the_new_file_is_made(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(OLD)
    for name in ("m.json.part", "m.profile.gz.part"):
        (tmp_path / name).symlink_to(victim)
    save_json(tmp_path / "m.json", {})
    write_profile(Profile((), ()), tmp_path / "m.profile.gz")
    assert victim.read_bytes() == OLD
    assert (tmp_path / "m.json.part").is_symlink() and (tmp_path / "m.profile.gz.part").is_symlink()


def test_devices_and_pipes_stay_what_they_are(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    read = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    write_text(fifo, "through")
    reader.join(10)
    assert read == [b"through"] and stat.S_ISFIFO(fifo.stat().st_mode)
    # not /dev/null: in a terminal's folder no file can be made, so that a mistake here harms nothing
    ours, theirs = os.openpty()
    terminal = os.ttyname(theirs)
    check_output(terminal)
    write_text(terminal, "shown")
    assert os.read(ours, 5) == b"shown" and stat.S_ISCHR(os.stat(terminal).st_mode)
    os.close(ours), os.close(theirs)


def test_standard_output_by_its_name_is_that_of_the_process(tmp_path):
    program = (
        "import sys\nfrom stakes._text.files import write_text\n"
        "print('first')\nwrite_text('/dev/stdout', 'second\\n')\nprint('third')"
    )
    with (tmp_path / "log").open("w") as log:
        subprocess.run([sys.executable, "-c", program], stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "first\nsecond\nthird\n"


def test_writers_of_one_path_and_readers_see_whole_files(tmp_path):
    path, torn = tmp_path / "model.json", []
    save_json(path, {"format": "f", "version": 1, "data": []})

    def write(number):
        for _ in range(25):
            save_json(path, {"format": "f", "version": 1, "data": [number] * 5000})

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        torn += [data for data in [load_json(path, format_name="f")["data"]] if len(set(data)) > 1]
    for writer in writers:
        writer.join()
    assert not torn and os.listdir(tmp_path) == ["model.json"]


def test_half_a_character_in_a_name_is_kept_in_json(tmp_path):
    save_json(tmp_path / "m.json", {"format": "f", "version": 1, "name": "b\udcff"})
    assert load_json(tmp_path / "m.json", format_name="f")["name"] == "b\udcff"


def test_a_long_name_can_be_written(tmp_path):
    name = "n" * 255
    write_text(tmp_path / name, "a")
    assert os.listdir(tmp_path) == [name]


def test_nothing_in_stakes_writes_files_otherwise():
    package, found = Path(stakes.__file__).parent, []
    for file in package.rglob("*.py"):
        name = file.relative_to(package).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            modes += [word.value.value for word in node.keywords if isinstance(word.value, ast.Constant)]
            opened = called == "open" and any(mode in modes for mode in ("w", "wb", "x", "xb", "a", "ab"))
            method = isinstance(node.func, ast.Attribute) and called in CALLS_THAT_WRITE
            if opened or method or called in ("mkstemp", "NamedTemporaryFile"):
                found.append((name, ast.unparse(node)))
    unknown = [(name, call) for name, call in found if name not in PRIVATE | {"_text/files.py"}]
    # numpy and matplotlib are given a stream, and the commands call the function of the ground floor
    assert [call for _, call in unknown if "file, " not in call and not call.startswith("files.")] == []


# ---- outputs are tried before the work ---------------------------------------------------------------------


def test_what_is_no_place_for_a_file(tmp_path):
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "loop").symlink_to("loop")
    for path, reason in {
        "missing/x.json": "its folder does not exist",
        "file/x.json": "Not a directory",
        ".": "it is a folder; a file is needed",
        "loop": "symbolic links",
        "n" * 256: "File name too long",
        "/proc/x.json": "its folder does not exist|no file can be made in its folder",
    }.items():
        with pytest.raises(ValueError, match=f"cannot be written: .*({reason})"):
            check_output(tmp_path / path)
    check_output(tmp_path / "new")
    check_output(tmp_path / "file", None, "german", tmp_path / "new")
    check_output(None, tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == ["file", "loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_is_write_protected_stays(tmp_path):
    (tmp_path / "file").write_bytes(OLD)
    (tmp_path / "file").chmod(0o444)
    with pytest.raises(ValueError, match="file cannot be written: it is write-protected"):
        check_output(tmp_path / "file")
    with pytest.raises(PermissionError):
        write_text(tmp_path / "file", "")


def test_an_input_is_no_output(tmp_path):
    (tmp_path / "data.csv").write_bytes(OLD)
    (tmp_path / "link.csv").symlink_to("data.csv")
    os.link(tmp_path / "data.csv", tmp_path / "other.csv")
    for name in ("data.csv", "link.csv", "other.csv"):
        with pytest.raises(ValueError, match=f"{name} cannot be written: it is what is read"):
            check_output(tmp_path / name, "german", tmp_path / "data.csv")


def test_folders_are_made_and_tried(tmp_path):
    check_folder(tmp_path / "a" / "b")
    assert os.listdir(tmp_path / "a" / "b") == []
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises(ValueError, match=r"no files can be written to .*file: it is a file and no folder"):
        check_folder(tmp_path / "file")


def commands_with_outputs(place):
    data, model = place / "data.csv", place / "model.json"
    return {
        "fit": (data,),
        "predict": (model, data, "-f", "csv"),
        "report": (model, data),
        "show": (model,),
        "export": (model, "--to", "sql"),
        "clarify": ("train", place),
    }


@pytest.mark.parametrize("name", ["fit", "predict", "report", "show", "export", "clarify"])
def test_commands_try_their_output_first(place, name, monkeypatch):
    def work(*args, **options):
        raise AssertionError("this is the work, and the output has not been tried")

    for module in ("fit", "with_model"):
        monkeypatch.setattr(f"stakes._cli.{module}.read_problem", work)
    for module in ("shared", "export"):
        monkeypatch.setattr(f"stakes._cli.{module}.load_model", work)
    monkeypatch.setattr("stakes.forensics.read_runs", work)
    result = run(name, *commands_with_outputs(place)[name], "-o", place / "missing" / "x.json", code=1)
    assert "x.json cannot be written: its folder does not exist." in result.stderr


def test_checkpoints_are_tried_first(tmp_path, monkeypatch):
    def work(*args, **options):
        raise AssertionError("this is the work, and the checkpoint has not been tried")

    monkeypatch.setattr("stakes.evolve.gdt.evolve", work)
    with pytest.raises(ValueError, match="it is a folder; a file is needed"):
        GDTClassifier(checkpoint=tmp_path).fit(*two_columns())


def test_evaluate_tries_its_report_first(place):
    model = place / "model.json"
    result = run("evaluate", place / "none.csv", "-m", model, "--report", place / "missing" / "x", code=1)
    assert "cannot be written" in result.stderr


@pytest.mark.parametrize("name", ["fit", "predict", "report", "show", "export"])
def test_commands_do_not_write_over_what_they_read(place, name):
    read = commands_with_outputs(place)[name][0]
    before = read.read_bytes()
    result = run(name, *commands_with_outputs(place)[name], "-o", read, code=1)
    assert f"{read} cannot be written: it is what is read" in result.stderr and read.read_bytes() == before


@pytest.mark.parametrize(
    "command",
    [
        ["predict", "model.json", "data.csv", "-f", "csv"],
        ["predict", "model.json", "data.csv", "-f", "json"],
        ["predict", "model.json", "data.csv", "-f", "arff"],
        ["predict", "model.json", "data.csv", "-f", "parquet"],
        ["show", "model.json"],
        ["report", "model.json", "data.csv"],
        ["export", "model.json", "--to", "c"],
        ["fit", "data.csv"],
    ],
    ids=" ".join,
)
def test_commands_on_a_full_disk_keep_the_old_file(place, command, monkeypatch):
    monkeypatch.chdir(place)
    Path("old").write_bytes(OLD)
    with full_disk(20):
        error = run(*command, "-o", "old", code=1).stderr
    assert Path("old").read_bytes() == OLD
    assert error == "Error: old: File too large.\n"


def test_a_run_is_not_recorded_where_no_profile_can_be_kept(place):
    script = f"open({str(place / 'has-run')!r}, 'w')"
    result = run("clarify", "record", "-r", place / "data.csv", "--", sys.executable, "-c", script, code=1)
    assert "it is a file and no folder" in result.stderr and not (place / "has-run").exists()


def test_a_report_on_a_file_whose_name_is_no_text(place):
    data = os.fsdecode(os.fsencode(place) + b"/b\xff.csv")
    Path(data).write_bytes((place / "data.csv").read_bytes())
    page = place / "report.html"
    page.write_bytes(OLD)
    run("report", place / "model.json", data, "-o", page)
    assert r"b\udcff.csv" in page.read_text()


def test_what_is_printed_may_name_a_file_whose_name_is_no_text(place, monkeypatch):
    named = os.fsdecode(os.fsencode(place) + b"/m\xff.json")
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, "utf-8", write_through=True))
    monkeypatch.setattr(sys, "argv", ["stakes", "fit", str(place / "data.csv"), "--no-guard", "-o", named])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert rb"m\udcff.json" in shown.getvalue() and load_model(named) is not None
