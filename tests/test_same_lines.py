"""The search for passages that stand twice."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "tools" / "same_lines.py"
spec = importlib.util.spec_from_file_location("same_lines", FILE)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)

TEN = [f"x{i} = {i}" for i in range(10)]


def indented(lines):
    return "".join(f"    {line}\n" for line in lines)


def write(folder, first, second, suffix=".py"):
    (folder / f"a{suffix}").write_text(first)
    (folder / f"b{suffix}").write_text(second)
    return tool.same_passages((folder,))


def test_a_copy_is_found_whatever_its_indentation_blank_lines_and_comments(tmp_path):
    copy = "def f():\n" + indented([*TEN[:5], "", "# other words", *TEN[5:], "y = 2"])
    passages = write(tmp_path, "y = 1\n" + "\n".join(TEN), copy)
    assert passages == [(10, (tmp_path / "a.py", 2), (tmp_path / "b.py", 2))]


def test_nine_lines_and_lines_that_differ_are_no_copy(tmp_path):
    assert write(tmp_path, "\n".join(TEN[:9]), "\n".join(TEN)) == []
    assert write(tmp_path, "\n".join(TEN), "\n".join([*TEN[:5], "x5 = 6", *TEN[6:]])) == []


def test_a_longer_copy_is_told_once_with_its_length(tmp_path):
    twelve = "\n".join([*TEN, "z = 1", "z = 2"])
    passages = write(tmp_path, f"y = 1\n{twelve}\ny = 2", f"{twelve}\ny = 3")
    assert passages == [(12, (tmp_path / "a.py", 2), (tmp_path / "b.py", 1))]


def test_a_copy_within_one_file_is_found_and_a_line_repeated_is_no_copy_of_itself(tmp_path):
    passages = write(tmp_path, "\n".join([*TEN, "y = 1", *TEN]), "\n".join(["z = 1"] * 19))
    assert passages == [(10, (tmp_path / "a.py", 1), (tmp_path / "a.py", 12))]


@pytest.mark.parametrize(
    "text",
    [
        '"""Title.\n\n' + "\n".join(TEN) + '\n"""\n',
        "def f(\n" + indented(f"x{i}=0," for i in range(12)) + "):\n    return 0\n",
        "class A:\n    def __init__(self, **given):\n        super().__init__(\n"
        + "".join(f"            x{i}=given['x{i}'],\n" for i in range(12))
        + "        )\n"
        + "".join(f"        self.x{i} = given['x{i}']\n" for i in range(12)),
        "\n".join(f"# {line}" for line in TEN),
    ],
    ids=["docstring", "signature", "init", "comments"],
)
def test_what_is_written_out_for_each_estimator_does_not_count(tmp_path, text):
    assert write(tmp_path, text, text) == []


def test_imports_and_files_in_c_count(tmp_path):
    names = "from a import (\n" + indented(f"x{i}," for i in range(10)) + ")\n"
    assert len(write(tmp_path, names, names)) == 1
    code = "/* One\n   two. */\n" + "".join(f"f({i});  // {i}\n" for i in range(8)) + "// end\nint a;\n"
    assert write(tmp_path, code, code, ".cpp") == write(tmp_path, names, names)
    code += "int b;\n"
    assert (10, (tmp_path / "a.cpp", 3), (tmp_path / "b.cpp", 3)) in write(tmp_path, code, code, ".cpp")


def test_the_exit_status_tells_of_a_copy(tmp_path, capsys):
    write(tmp_path, "\n".join(TEN), "\n".join(TEN))
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    assert tool.main([str(tmp_path)]) == 1
    assert f"{first}:1 and {second}:1: 10 lines are the same\n" in capsys.readouterr().out
    second.unlink()
    assert tool.main([str(tmp_path)]) == 0
