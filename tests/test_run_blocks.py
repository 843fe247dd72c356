"""The README and the first pages: their blocks of Python run, and the tool that runs all of their blocks."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tools" / "run_blocks.py"
spec = importlib.util.spec_from_file_location("run_blocks", FILE)
tool = importlib.util.module_from_spec(spec)
sys.modules["run_blocks"] = tool
spec.loader.exec_module(tool)

PAGE = """# A page

```console
git clone <REPOSITORY> here && cd here
echo 1 > a.txt   # a comment
make test
```

```python
from pathlib import Path

value = Path("a.txt").read_text().strip()
print(value, 100)
```

```text
1 103.0
```

Words.

```text
not what it prints
```

```python
>>> value + value
'11'
>>> value = 2

```

```python
assert value == 2, "one namespace"
```

```
no language, no block
```
"""


@pytest.mark.parametrize("page", tool.PAGES)
def test_python_of_the_page_runs(page, tmp_path):
    """Commands need an environment of their own: `make check-large CHECKS=blocks` runs these too."""
    command = [sys.executable, FILE, "--here", "--python", ROOT / page]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout or "```python" not in (ROOT / page).read_text(encoding="utf-8")


def run(page, tmp_path, monkeypatch, capsys, only_python=False):
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(page)
    passed = tool.run_page(Path("page.md"), only_python)
    return passed, capsys.readouterr().out


def test_blocks_run_in_order_in_one_folder_and_one_namespace(tmp_path, monkeypatch, capsys):
    lines = (3, 9, 26, 33)
    expected = "".join(f"page.md, line {line}: passed\n" for line in lines)
    assert run(PAGE, tmp_path, monkeypatch, capsys) == (True, expected)
    assert [block.prints for block in tool.blocks_of(PAGE)] == [None, "1 103.0\n", None, None]
    assert run(PAGE, tmp_path, monkeypatch, capsys, True)[0]  # a.txt is there by now


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("echo 1", "false; echo 1", 3, "ended with status 1"),
        ("print(value, 100)", "print(value, 90)", 9, "printed\n1 90\nand not\n1 103.0"),
        ("print(value, 100)", "print('w', 100)", 9, "printed\nw 100"),
        ("print(value, 100)", "print(1 / 0)", 9, "ZeroDivisionError"),
        ("'11'", "'12'", 26, "Expected:\n    '12'\nGot:\n    '11'"),
        ("value == 2", "value == 3", 33, "AssertionError: one namespace"),
    ],
)
def test_what_fails_is_shown_with_its_line(old, new, line, words, tmp_path, monkeypatch, capsys):
    passed, output = run(PAGE.replace(old, new), tmp_path, monkeypatch, capsys)
    assert not passed and words in output and output.endswith(f"page.md, line {line}: failed\n")


def test_commands_with_prompts_show_what_they_print():
    (block,) = tool.blocks_of("```console\n$ exit 0\nfalse\n```\n")
    assert tool.run_console(block) == ""


def test_a_page_that_is_missing_is_named(capsys):
    assert tool.main(["docs/nowhere.md"]) == 1
    printed = capsys.readouterr().out
    assert (
        printed == "docs/nowhere.md: there is no such page\n0 passed, 1 failed: blocks of docs/nowhere.md\n"
    )


def test_the_copy_has_what_git_knows_and_no_environment(tmp_path):
    tool.copy_checkout(tmp_path / "copy")
    assert (tmp_path / "copy" / "pyproject.toml").exists() and (tmp_path / "copy" / "cpp" / "tree").is_dir()
    assert not (tmp_path / "copy" / ".venv").exists() and not (tmp_path / "copy" / ".git").exists()
