"""The count of names that packages take from inside each other."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

FILE = Path(__file__).parents[1] / "tools" / "deep_imports.py"
spec = importlib.util.spec_from_file_location("deep_imports", FILE)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


def test_names_from_inside_another_package_are_counted(tmp_path):
    for name, text in {
        "tree/grow.py": "from stakes.tree.words import leaf\nfrom stakes._base.folds import folds\n",
        "report/page.py": "def late():\n    from stakes.tree.words import leaf, twig\n",
        "rules/learn.py": "from stakes.tree.words import leaf\nfrom stakes.tree import Tree\n",
        "cli.py": "from stakes.rules.learn import learn\n",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert tool.deep_imports(tmp_path) == {
        "stakes.tree.words.leaf": ["report/page.py", "rules/learn.py"],
        "stakes.tree.words.twig": ["report/page.py"],
        "stakes.rules.learn.learn": ["cli.py"],
    }


def test_the_exit_status_tells_of_too_many(monkeypatch, capsys):
    monkeypatch.setattr(tool, "deep_imports", lambda: {"one": ["a", "b"]})
    for most, status in ((2, 0), (1, 1)):
        monkeypatch.setattr(tool, "MOST", most)
        assert tool.main() == status
        assert (
            f"2 names are imported from inside another package, at most {most} may be"
            in capsys.readouterr().out
        )


def test_one_file_imports_the_private_names_of_scikit_learn():
    imports = re.compile(r"^ *from (sklearn[\w.]*) import (.*)$", re.MULTILINE)
    files = [
        file.relative_to(tool.PACKAGE).as_posix()
        for file in sorted(tool.PACKAGE.rglob("*.py"))
        for module, names in imports.findall(file.read_text(encoding="utf-8"))
        if "._" in module or any(name.strip().startswith("_") for name in names.split(","))
    ]
    assert set(files) == {"_base/private_sklearn.py"}
