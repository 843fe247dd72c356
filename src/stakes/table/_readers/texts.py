"""What columns of text hold: names, dates, or numbers with decimal commas. All rows have to agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.decimals import Decimals, comma_number, is_comma_number
from stakes.table._columns import Column
from stakes.table._dates import FORMS, text_days
from stakes.table._readers.common import RawTable, TableFileError

COMMAS = "commas"


@dataclass
class TextKinds:
    """What the columns of a file may be read as, by the rows that have been seen.

    Attributes
    ----------
    path : path
        The file, for messages.
    possible : dict
        For each column of text the forms of dates that all its values have, and "commas" where all are
        numbers.
    decimals : dict
        For each column how its numbers are written.
    point : str
        A number with a decimal point, and its column.
    """

    path: Path
    possible: dict[str, list[str]] = field(default_factory=dict)
    decimals: dict[str, Decimals] = field(default_factory=dict)
    point: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether all columns of text hold names, whatever rows follow."""
        return not any(self.possible.values())

    def see(self, name: str, values: NDArray[Any], texts: Sequence[str] | None) -> None:
        """Take rows of a column into account: their numbers, or their distinct texts."""
        if texts is not None:
            possible = self.possible.get(name, [*FORMS, COMMAS])
            self.possible[name] = [kind for kind in possible if self._agrees(kind, name, texts)]
        elif not self.point:
            fractions = values[values % 1 > 0]  # NaN is none
            if len(fractions):
                self.point = f"{float(fractions[0])!r} in column {name!r}"

    def _agrees(self, kind: str, name: str, texts: Sequence[str]) -> bool:
        if not texts:
            return True
        if kind != COMMAS:
            return text_days(texts, kind) is not None
        if not all(map(is_comma_number, texts)):
            return False
        for text in texts:
            self.decimals.setdefault(name, Decimals()).see(text, f"column {name!r}")
        return True

    def convert(self, table: RawTable) -> RawTable:
        """Make columns of dates and of numbers numeric; what cannot be told is a `TableFileError`."""
        kinds = self._decided()
        for j, column in enumerate(table.columns):
            if column.is_nominal and (kind := kinds.get(column.name)) is not None:
                table.arrays[j] = np.append(_numbers(kind, column.categories), np.nan)[table.arrays[j]]
                table.columns[j] = Column(column.name, dates=kind != COMMAS)
        return table

    def _decided(self) -> dict[str, str]:
        """What each column is read as that does not hold names."""
        seen = {name: kinds[0] for name, kinds in self.possible.items() if kinds}
        commas = [
            self.decimals[name] for name, kind in seen.items() if kind == COMMAS and name in self.decimals
        ]
        file = Decimals(
            self.point,
            next((each.comma for each in commas if each.comma), ""),
            next((each.either for each in commas if each.either), ""),
        )
        try:
            file.use_commas()
        except ValueError as error:
            raise TableFileError(self.path, str(error)) from None
        return seen


def _numbers(kind: str, texts: Sequence[str]) -> NDArray[np.float64]:
    if kind == COMMAS or not texts:
        return np.array([comma_number(text) for text in texts], dtype=np.float64)
    days = text_days(texts, kind)
    assert days is not None
    return days
