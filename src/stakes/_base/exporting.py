"""What estimators need of the exports, which know all kinds of fitted models and so lie above them."""

from __future__ import annotations

from typing import Any


def render(fitted: Any, language: str, **options: Any) -> str:
    """Write fitted data in a language: `stakes.export.render`, imported when it is asked for."""
    from stakes.export import render

    return render(fitted, language, **options)
