"""Figure 1 of Davis et al. (2006) in one call: record, learn, write the page and its figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from stakes.lab.programs import FIGURE, PAPER

from .collect import PROGRAMS, Progress, silent
from .figure import Row, rows
from .page import page

#: Inputs per cause; the quick version is a smoke test.
INPUTS, QUICK_INPUTS = 30, 4


def reproduce_programs(
    folder: str | Path,
    *,
    programs: Sequence[str] | None = None,
    quick: bool = False,
    python: str | None = None,
    progress: Progress = silent,
) -> list[Row]:
    """Record four programs, learn what to watch, and write ``davis2006-figure-1`` as Markdown and JSON.

    Parameters
    ----------
    folder : path
        The page goes there, and into its folder ``programs`` what was recorded and learnt, so that a run that
        was stopped goes on where it was.
    programs : some of pip, jinja2, requests, pyyaml, optional
        All of them by default. Each is installed from PyPI into an environment of its own.
    quick : bool
        Few inputs per cause.
    python : str, optional
        Interpreter of the programs; by default our own or another of 3.12 or later.
    progress : callable
        Told the number of runs recorded or rows finished, of all, and what is being done.
    """
    place = Path(folder)
    found = rows(
        place / "programs",
        programs=PROGRAMS if programs is None else programs,
        python=python,
        inputs=QUICK_INPUTS if quick else INPUTS,
        progress=progress,
    )
    name = f"{PAPER}-figure-{FIGURE}"
    (place / f"{name}.md").write_text(page(found), encoding="utf-8")
    figures = [{**asdict(row), "ratio": row.ratio} for row in found]
    (place / f"{name}.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    return found
