"""What ``stakes predict --explain`` says about each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from stakes._cli.shared import progress_bar
from stakes.table import Table

#: Rows that are explained between two movements of the bar; a share does not depend on the other rows.
ROWS = 100


def explanations(model: Any, rows: Table) -> list[str]:
    """A sentence for each row: the path, the rule, or how much each column contributed."""
    texts: list[str] = []
    with progress_bar("Explaining") as progress:
        for start in range(0, rows.n_samples, ROWS):
            part = rows.take(np.arange(start, min(start + ROWS, rows.n_samples)))
            texts += map(str, model.explain(part))
            progress(len(texts), rows.n_samples, "")
    return texts
