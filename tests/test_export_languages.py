"""Languages that fitted models are written in."""

from __future__ import annotations

import pytest

from stakes.export import languages, render, renders
from stakes.rules import RuleSet
from stakes.tree import FittedTree
from stakes.tree.words import example


def test_every_language_is_registered():
    assert {"c", "dot", "python", "sql", "svg", "text"} <= set(languages(FittedTree))
    assert languages(RuleSet) == ["sql"]


def test_a_language_of_ones_own(monkeypatch):
    module = __import__("stakes.export.languages", fromlist=["_RENDERERS"])
    monkeypatch.setattr(module, "_RENDERERS", dict(module._RENDERERS))

    @renders("nodes", FittedTree)
    def export_nodes(fitted, *, unit="nodes"):
        return f"{fitted.tree.n_nodes} {unit}"

    assert render(example(), "nodes", unit="of them") == "7 of them"
    assert "nodes" in languages(FittedTree) and "nodes" not in languages(RuleSet)


def test_an_unknown_language_is_refused():
    with pytest.raises(ValueError, match=r"'cobol' is no language .*; the languages are 'c', .*'text'"):
        render(example(), "cobol")
