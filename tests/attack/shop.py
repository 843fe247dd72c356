"""The command line in this process, and a folder of files for it."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from attack.data import COSTS, LABELS, fitted, fitted_on
from attack.harness import Draw, Refused, check_sentence
from stakes import CostMatrix
from stakes.cli import app
from stakes.models import save_model


def stakes(*args: Any, typed: str = "") -> Any:
    """Run a command; `Refused` where it says one sentence, a failure for any other end but status 0."""
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=typed)
    said = result.stderr + result.stdout
    assert "Traceback" not in said, said[:300]
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise AssertionError(f"{type(result.exception).__name__}: {result.exception}") from result.exception
    assert result.exit_code in (0, 1, 2), f"status {result.exit_code}"
    if result.exit_code == 0:
        return result
    if result.exit_code == 2:
        assert "Usage" in result.stderr or "Error" in result.stderr, result.stderr[:300]
    else:
        errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
        assert len(errors) == 1, f"no sentence: {result.stderr[:300]!r}"
        check_sentence(errors[0])
    raise Refused(result.stderr)


@cache
def shop() -> Path:
    """A folder with rows, costs, prices and a model of each learner; made once, not to be changed."""
    folder = Path(tempfile.mkdtemp(prefix="stakes-attack-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    frame, y = fitted_on()
    frame.assign(outcome=y).to_csv(folder / "rows.csv", index=False)
    frame.assign(outcome=y).to_parquet(folder / "rows.parquet")
    frame.to_csv(folder / "new.csv", index=False)
    CostMatrix(COSTS, LABELS).to_csv(folder / "costs.csv")
    (folder / "prices.csv").write_text("feature,price\namount,1\ntown,0.5\ncolour,2\n")
    for name, model in (
        ("tree", "C45Classifier"),
        ("rules", "RuleClassifier"),
        ("gdt", "GDTClassifier"),
        ("guard", "Guard"),
        ("meta", "MetaCost"),
        ("boosted", "BoostedStakes"),
    ):
        save_model(fitted(model), folder / f"{name}.json")
    return folder


def copy_of_the_shop(draw: Draw) -> Path:
    shutil.copytree(shop(), draw.folder, dirs_exist_ok=True)
    return draw.folder
