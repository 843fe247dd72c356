"""Fitted models for other places: one module per language, found by name.

A language of your own needs one decorated function: ``@renders("yaml", FittedTree)``.
"""

from stakes.export import c, dot, python, sql, svg, text  # noqa: F401  (each registers what it renders)
from stakes.export.languages import languages, render, renders

__all__ = ["languages", "render", "renders"]
