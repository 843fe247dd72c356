"""Reads the published benchmark of test costs: fifteen data sets of 0/1 columns, ten splits, three cost levels.

    STAKES_STREED=folder python benchmarks/streed_data.py     lists what is there

The folder has NAME.npz (columns packed into bits, splits 1, 2, ...) and NAME-LEVEL-costs.csv: misclassification costs,
then a line per test with its price, its price when another test of its group is paid for already (group `x`: no group),
and the first and last column that it yields. Columns are named test#0, test#1, ... and share the test's price.

The discounts of a group differ from test to test in some sets, so a bill depends on which test came first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stakes.costs import CostMatrix, FeatureCosts

LEVELS = ("low", "middle", "high")
HEADER = ["Attribute-name", "test-cost", "discount", "group", "binarize-begin", "binarize-end"]


class Test(NamedTuple):
    name: str
    price: float
    group_price: float
    group: str | None
    columns: range


class Split(NamedTuple):
    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class Benchmark:
    name: str
    level: str
    columns: tuple[str, ...]
    tests: tuple[Test, ...]
    cost_matrix: CostMatrix
    feature_costs: FeatureCosts
    folder: Path

    def splits(self) -> Iterator[Split]:
        """Train and test parts as uint8 arrays with the columns of `columns`, in the order of their numbers."""
        with np.load(self.folder / f"{self.name}.npz") as data:
            numbers = sorted(int(key.rsplit("_", 1)[1]) for key in data if key.startswith("train_X_"))
            for i in numbers:
                parts = {}
                for part in ("train", "test"):
                    X = np.unpackbits(data[f"{part}_X_{i}"], axis=1, count=len(self.columns))
                    y = data[f"{part}_y_{i}"]
                    self._check(X, y, f"{part} part of split {i}")
                    parts[part] = (X, y)
                yield Split(*parts["train"], *parts["test"])

    def frames(self) -> Iterator[Split]:
        """The same with data frames whose columns have names."""
        import pandas as pd

        for split in self.splits():
            X_train, X_test = (
                pd.DataFrame(X, columns=list(self.columns)) for X in (split.X_train, split.X_test)
            )
            yield Split(X_train, split.y_train, X_test, split.y_test)

    def published_price(self, columns: Iterable[str | int]) -> float:
        """Price of the columns met on a path, in the order in which they are met."""
        return self.feature_costs.cost([c if isinstance(c, str) else self.columns[c] for c in columns])

    def _check(self, X, y, where):
        if len(X) != len(y) or (len(y) and y.max() >= len(self.cost_matrix)):
            raise ValueError(
                f"{self.name}, {where}: expected {len(X)} classes below {len(self.cost_matrix)}, "
                f"got {len(y)}, the largest {y.max() if len(y) else 'none'}"
            )


def folder_of(folder=None) -> Path:
    found = folder or os.environ.get("STAKES_STREED")
    if not found or not Path(found).is_dir():
        raise FileNotFoundError(f"STAKES_STREED must name the folder of the benchmark, got {found!r}")
    return Path(found)


def names(folder=None) -> list[str]:
    """Data sets of the folder."""
    return sorted(path.stem for path in folder_of(folder).glob("*.npz"))


def load(name: str, level: str = "middle", *, folder=None) -> Benchmark:
    """One data set with the costs of a level ("low", "middle" or "high")."""
    if level not in LEVELS:
        raise ValueError(f"level must be one of {LEVELS}, got {level!r}")
    where = folder_of(folder)
    path = where / f"{name}-{level}-costs.csv"
    matrix, tests = read_costs(path)
    with np.load(where / f"{name}.npz") as data:
        n_columns = int(data["n_features"])
    met = [j for test in tests for j in test.columns]
    if sorted(met) != list(range(n_columns)):
        raise ValueError(f"{path}: the tests must yield each of the columns 0 to {n_columns - 1} once")
    column_names = {j: f"{test.name}#{i}" for test in tests for i, j in enumerate(test.columns)}
    columns = tuple(column_names[j] for j in range(n_columns))
    costs = price_tests(tests, str(path))
    sources = {column_names[j]: test.name for test in tests for j in test.columns}
    return Benchmark(name, level, columns, tests, matrix, costs.derived(sources).align(columns), where)


def read_costs(path: Path) -> tuple[CostMatrix, tuple[Test, ...]]:
    """Misclassification costs and tests of a cost file."""
    rows = [line.split() for line in Path(path).read_text().splitlines() if line.strip()]
    if HEADER not in rows:
        raise ValueError(f"{path} must have a line {' '.join(HEADER)!r} between costs and tests")
    head = rows.index(HEADER)
    matrix = CostMatrix([[float(cell) for cell in row] for row in rows[:head]], classes=range(head))
    tests = []
    for row in rows[head + 1 :]:
        if len(row) != len(HEADER):
            raise ValueError(f"{path}: a test has {len(HEADER)} cells, got {' '.join(row)!r}")
        group = None if row[3] == "x" else row[3]
        columns = range(int(row[4]), int(row[5]) + 1)
        tests.append(Test(row[0], float(row[1]), float(row[2]), group, columns))
        if not 0 <= tests[-1].group_price <= tests[-1].price or not columns:
            raise ValueError(
                f"{path}: a test needs columns and 0 <= group price <= price, got {' '.join(row)!r}"
            )
    return matrix, tuple(tests)


def price_tests(tests: Iterable[Test], where: str = "tests") -> FeatureCosts:
    """Prices of the tests, with their discounts once another test of the group is paid for."""
    prices, later = {}, {}
    for test in tests:
        if test.name in prices:
            raise ValueError(f"{where}: the test {test.name!r} occurs twice")
        prices[test.name] = test.price
        if test.group is not None:
            later[test.name] = (test.group, test.group_price)
    return FeatureCosts(prices, later=later)


def main():
    for name in names():
        data = load(name)
        first = next(data.splits())
        rows = f"{len(first.y_train)} + {len(first.y_test)} rows"
        print(
            f"{name}: {rows}, {len(data.columns)} columns of {len(data.tests)} tests, {len(data.cost_matrix)} classes"
        )


if __name__ == "__main__":
    main()
