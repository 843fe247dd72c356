"""Reads the published benchmark of test costs: fifteen data sets of 0/1 columns, ten splits, three cost levels.

    STAKES_STREED=folder python benchmarks/streed_data.py     lists what is there

The folder has NAME.npz (columns packed into bits, splits 1, 2, ...) and NAME-LEVEL-costs.csv: misclassification costs,
then a line per test with its price, its price when another test of its group is paid for already (group `x`: no group),
and the first and last column that it yields. Columns are named test#0, test#1, ... and share the test's price.

In most groups price - group price is one shared part, give or take the rounding of the file. In annealing, flare and
nursery it is not: there the bill depends on the order of the tests, which no prices of resources can say. Such a file
is refused, unless uneven="dearest" asks for prices that are exact for the dearest order and never below the published
bill; `Benchmark.published_price` has the published bill itself.
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
ROUNDING = (
    2e-4  # the prices are written with four digits after the point, their differences are off by two units
)


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
        test_of = {j: test for test in self.tests for j in test.columns}
        position = {name: j for j, name in enumerate(self.columns)}
        bill, paid, groups = 0.0, set(), set()
        for column in columns:
            test = test_of[position[column] if isinstance(column, str) else int(column)]
            if test.name not in paid:
                bill += test.group_price if test.group in groups else test.price
            paid.add(test.name)
            groups |= {test.group} - {None}
        return bill

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


def load(name: str, level: str = "middle", *, uneven: str = "raise", folder=None) -> Benchmark:
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
    costs = price_tests(tests, uneven, str(path))
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


def price_tests(tests: Iterable[Test], uneven: str = "raise", where: str = "tests") -> FeatureCosts:
    """Prices of the tests: what each has alone, and what its group shares."""
    if uneven not in ("raise", "dearest"):
        raise ValueError(f"uneven must be 'raise' or 'dearest', got {uneven!r}")
    prices, requires, groups = {}, {}, {}
    for test in tests:
        if test.name in requires:
            raise ValueError(f"{where}: the test {test.name!r} occurs twice")
        prices[test.name], requires[test.name] = test.price, {test.name}
        if test.group is not None:
            groups.setdefault(test.group, []).append(test)
    for group, members in groups.items():
        steps = _steps([test.price - test.group_price for test in members])
        if len(steps) > 1 and uneven == "raise":
            raise ValueError(
                f"{where}: price - group price must be the same for all tests of group {group!r}, got "
                f"{[round(step, 6) for step in steps]}; the bill depends on their order; see uneven='dearest'"
            )
        # The first `step` of a discount is common to all tests that have at least that much: paying the largest
        # first is the dearest order, and the one for which these prices are exact.
        below = 0.0
        for i, step in enumerate(steps):
            resource = f"group {group}" if len(steps) == 1 else f"group {group} step {i}"
            prices[resource] = step - below
            for test in members:
                if test.price - test.group_price >= step - 1e-9:
                    requires[test.name].add(resource)
                    prices[test.name] = max(prices[test.name] - (step - below), 0.0)
            below = step
    return FeatureCosts(prices, requires)


def _steps(discounts: list[float]) -> list[float]:
    """Distinct discounts, ascending, those that differ by rounding taken as their smallest."""
    steps = []
    for discount in sorted(discounts):
        if not steps or discount - steps[-1] > ROUNDING:
            steps.append(discount)
    return steps


def main():
    for name in names():
        data = load(name, uneven="dearest")
        first = next(data.splits())
        rows = f"{len(first.y_train)} + {len(first.y_test)} rows"
        print(
            f"{name}: {rows}, {len(data.columns)} columns of {len(data.tests)} tests, {len(data.cost_matrix)} classes"
        )


if __name__ == "__main__":
    main()
