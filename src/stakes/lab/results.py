"""Results as data: tables with ours next to the paper's figures."""

from __future__ import annotations

from dataclasses import dataclass

from stakes.compare import statistics


@dataclass(frozen=True)
class Cell:
    """One figure, ours and the paper's.

    Attributes
    ----------
    ours, paper : float or None
        None where there is none.
    spread, paper_spread : float or None
        Standard errors.
    """

    ours: float | None = None
    paper: float | None = None
    spread: float | None = None
    paper_spread: float | None = None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        return None if self.ours is None or self.paper is None else self.ours - self.paper


@dataclass(frozen=True)
class Column:
    """Heading of a column, and how many digits its figures are shown with."""

    label: str
    digits: int = 2


@dataclass(frozen=True)
class Row:
    """One row: its labels, a cell per column, and whether it is a mean of others.

    ``x`` is the row's place on the axis where the table is the data of a figure.
    """

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    is_mean: bool = False
    x: float | None = None


@dataclass(frozen=True)
class ResultTable:
    """A table or figure of a protocol, ours next to the paper's.

    Attributes
    ----------
    protocol, kind, number, title : str
        Kind is "table" or "figure".
    row_names : tuple of str
        Headings of the labels of rows.
    columns : tuple of Column
    rows : tuple of Row
    notes : tuple of str
        What a reader must know: what was not available, what failed, whether it is the quick version.
    quick : bool
    transpose : bool
        Whether it is written with rows and columns changed.
    ranks : statistics.Ranks or None
        Learners ranked over the data sets.
    x_label, log_x : of a figure
    """

    protocol: str
    kind: str
    number: str
    title: str
    row_names: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    quick: bool = False
    transpose: bool = False
    ranks: statistics.Ranks | None = None
    x_label: str = ""
    log_x: bool = False

    @property
    def name(self) -> str:
        """Short name, for files: ting1998-table-1."""
        return f"{self.protocol}-{self.kind}-{self.number}".replace(" ", "-").lower()

    @property
    def heading(self) -> str:
        """Kind, number and title."""
        return f"{self.kind.capitalize()} {self.number}" + (f": {self.title}" if self.title else "")

    @property
    def has_paper(self) -> bool:
        """Whether any cell has a figure of the paper."""
        return any(cell.paper is not None for row in self.rows for cell in row.cells)
