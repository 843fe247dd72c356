"""What counts as a line of code."""

from __future__ import annotations

import importlib.util
from pathlib import Path

FILE = Path(__file__).parents[1] / "tools" / "code_lines.py"
spec = importlib.util.spec_from_file_location("code_lines", FILE)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


def test_blank_lines_comments_and_docstrings_are_no_python_code():
    text = (
        '"""A module\n\nof two lines."""\n\nx = [\n    1,  # one\n    # none\n]\ndef f():\n    """Say."""\n'
    )
    assert tool.python_lines(text) == 4
    assert tool.python_lines('text = """\n\n# this is text\n"""\n') == 4


def test_comments_are_no_c_code():
    assert tool.c_lines("// one\nint x;  // two\n\n/* three\n   four */\nint y; /* five\n*/\n") == 2


def test_folders_are_packages_and_stubs_do_not_count(tmp_path):
    for name, text in [
        ("src/stakes/__init__.py", "x = 1\n"),
        ("src/stakes/_core.pyi", "x = 1\n"),
        ("src/stakes/tree/a/b.py", "x = 1\ny = 2\n"),
        ("cpp/tree/a.cpp", "int x;\n"),
        ("cpp/tree/a.hpp", "int x;\n"),
    ]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert tool.code_lines(tmp_path) == {"src": {".": 1, "tree": 2}, "cpp": {"tree": 2}}
