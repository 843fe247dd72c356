"""Reading back what commands have written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pandas as pd

from stakes import read_table


def answers_in(path: Path) -> list[dict[str, Any]]:
    """Rows of a file of answers, whatever its format."""
    if path.suffix == ".json":
        return json.loads(path.read_text())
    if path.suffix == ".parquet":
        return pd.read_parquet(path).to_dict("records")
    if path.suffix == ".arff":
        table = read_table(path, target=False)
        shown = table.to_frame().astype(object)
        return shown.where(shown.notna(), None).to_dict("records")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
