"""The count of names that packages take from inside each other."""

from __future__ import annotations

import importlib.util
from pathlib import Path

FILE = Path(__file__).parents[1] / "tools" / "deep_imports.py"
spec = importlib.util.spec_from_file_location("deep_imports", FILE)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


def test_names_from_inside_another_package_are_counted_once(tmp_path):
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
        "stakes.tree.words.leaf": {"report", "rules"},
        "stakes.tree.words.twig": {"report"},
        "stakes.rules.learn.learn": {"cli"},
    }


def test_the_exit_status_tells_of_too_many(monkeypatch, capsys):
    monkeypatch.setattr(tool, "deep_imports", lambda: {"one": {"a"}, "two": {"b"}})
    for most, status in ((2, 0), (1, 1)):
        monkeypatch.setattr(tool, "MOST", most)
        assert tool.main() == status
        assert (
            f"2 names are imported from inside another package, at most {most} may be"
            in capsys.readouterr().out
        )
