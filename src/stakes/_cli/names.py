"""Names that options take, as plain data: what they stand for is imported where it is used."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LAB = Path(__file__).parents[1] / "lab"

#: Learners that `stakes evaluate` compares; `stakes._cli.learners` makes them.
LEARNERS = (
    *("c4.5", "c4.5cs", "c4.5pi", "c4.5_mc", "c4.5_lap", "c4.5_cp", "gdt", "gdt_mc", "j48", "j48cs", "rules"),
    *("boosted", "sklearn", "sklearn_mc", "gbse", "gbse_t", "dse", "iw", "costing", "avgcost"),
    *("bagging_mc", "metacost", "csb1", "constant"),
)
#: Learners of `stakes fit`.
FITTED = ("c4.5cs", "c4.5", "gdt", "rules", "boosted")
#: Criteria that make no sense without prices of columns, and learners that need these.
PRICED_CRITERIA = ("cs_gain", "cs_gain_ratio", "nunez", "mitchell", "norton", "tan")
#: Those of them that the parameter gamma is for.
GAMMA_CRITERIA = ("cs_gain", "cs_gain_ratio", "nunez", "mitchell", "norton")
PRICED_LEARNERS = (*PRICED_CRITERIA, "total_cost")
#: What a split of C4.5 is judged by, and how such a tree is pruned, where nothing is registered.
CRITERIA = ("gain_ratio", "gain", "gini", *PRICED_LEARNERS)
PRUNING = ("error", "cost", "none")
#: Languages that models are written in, where none is registered.
LANGUAGES = ("python", "c", "sql", "dot", "svg", "text", "json")


def peers() -> list[str]:
    """Return the learners of `stakes compare`."""
    with (_LAB / "peers.toml").open("rb") as file:
        return list(tomllib.load(file)["learners"])


def papers() -> list[str]:
    """Return the papers of `stakes reproduce`."""
    return sorted(path.stem for path in (_LAB / "protocols").glob("*.toml"))
