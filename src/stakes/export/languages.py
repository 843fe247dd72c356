"""The languages that fitted models can be written in, and which function writes which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from stakes._text.words import did_you_mean

Renderer = TypeVar("Renderer", bound=Callable[..., str])

_RENDERERS: dict[tuple[str, type], Callable[..., str]] = {}


def renders(language: str, kind: type) -> Callable[[Renderer], Renderer]:
    """Register a function that writes fitted models of one kind in a language.

    Parameters
    ----------
    language : str
        Name of the language, such as "sql".
    kind : type
        Class of the fitted data that the function takes first, such as `stakes.tree.FittedTree`.

    Examples
    --------
    >>> from stakes import C45Classifier
    >>> from stakes.export import render, renders
    >>> from stakes.tree import FittedTree
    >>> @renders("columns", FittedTree)
    ... def export_columns(fitted, *, separator=", "):
    ...     return separator.join(fitted.schema.names)
    >>> tree = C45Classifier().fit([[1.0, 3.0], [2.0, 3.0], [8.0, 3.0]], [0, 0, 1])
    >>> render(tree.fitted_tree_, "columns")
    'x0, x1'
    """

    def register(renderer: Renderer) -> Renderer:
        _RENDERERS[language, kind] = renderer
        return renderer

    return register


def languages(kind: type) -> list[str]:
    """Return the languages that fitted data of one kind can be written in, in alphabetical order."""
    return sorted(language for language, known in _RENDERERS if known is kind)


def render(fitted: Any, language: str, **options: Any) -> str:
    """Write fitted data, such as a tree or a set of rules, in a language.

    Parameters
    ----------
    fitted : FittedTree or RuleSet
        What the estimator has learnt: ``tree.fitted_tree_``, ``rules.rule_set_``.
    language : str
        One of `languages` for this kind of data.
    **options
        What the language's function takes.
    """
    renderer = _RENDERERS.get((language, type(fitted)))
    if renderer is None:
        known = did_you_mean(language, languages(type(fitted)), "languages")
        raise ValueError(f"{language!r} is no language for a {type(fitted).__name__}{known}")
    return renderer(fitted, **options)
