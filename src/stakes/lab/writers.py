"""Tables as Markdown, LaTeX, CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

from stakes._text.files import write_text
from stakes.compare import statistics
from stakes.lab.results import Cell, ResultTable

LEGEND = "Figures are ours ± standard error (the paper's, difference)."
LEGEND_ALONE = "Figures are means ± standard error."


def cell_text(cell: Cell, digits: int) -> str:
    """One cell in words: ours ± standard error (the paper's, the difference).

    Examples
    --------
    >>> cell_text(Cell(0.656, 0.62, 0.012), 2)
    '0.66 ± 0.01 (0.62, +0.04)'
    >>> cell_text(Cell(None, 0.46), 2)
    '– (0.46)'
    """
    if cell.ours is None:
        return "" if cell.paper is None else f"– ({cell.paper:.{digits}f})"
    text = f"{cell.ours:.{digits}f}"
    if cell.spread is not None:
        text += f" ± {cell.spread:.{digits}f}"
    if cell.paper is None or cell.difference is None:
        return text
    return f"{text} ({cell.paper:.{digits}f}, {cell.difference:+.{digits}f})"


def grid(table: ResultTable) -> list[list[str]]:
    """Headings and cells as text, rows and columns changed where the table says so."""
    lines = [[*table.row_names, *(column.label for column in table.columns)]]
    for row in table.rows:
        cells = zip(row.cells, table.columns, strict=True)
        lines.append([*row.labels, *(cell_text(cell, column.digits) for cell, column in cells)])
    if table.transpose:
        lines = [list(line) for line in zip(*lines, strict=True)]
        lines[0][0] = ""
    return lines


def to_markdown(table: ResultTable) -> str:
    """The table as Markdown, with its notes."""
    head, *body = grid(table)
    lines = [_pipes(head), "|" + "---|" * len(head)]
    for i, line in enumerate(body):
        bold = not table.transpose and table.rows[i].is_mean and len(table.rows) > 1
        lines.append(_pipes([f"**{text}**" if bold and text else text for text in line]))
    parts = [f"### {table.heading}", "\n".join(lines), ranks_text(table.ranks), *_notes(table)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _pipes(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _notes(table: ResultTable) -> list[str]:
    notes = [LEGEND if table.has_paper else LEGEND_ALONE, *table.notes]
    return ["\n".join(f"- {note}" for note in notes)]


def ranks_text(ranks: statistics.Ranks | None) -> str:
    """What the ranks say, in sentences; empty where there are none."""
    if ranks is None:
        return ""
    average = ", ".join(f"{name} {rank:.2f}" for name, rank in zip(ranks.names, ranks.ranks, strict=True))
    tests = ", ".join(f"{test.name} {test.adjusted:.2g}" for test in ranks.against_best)
    together = "; ".join(" = ".join(group) for group in ranks.groups)
    apart = f"not told apart: {together}" if together else "all are told apart"
    return (
        f"Average ranks over {ranks.n_datasets} data sets: {average}. Friedman's p {ranks.p:.2g}. "
        f"Critical difference {ranks.critical_difference:.2f} at {ranks.level:g} (Nemenyi); {apart}. "
        f"Wilcoxon against {ranks.names[0]}, p after Holm: {tests}."
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "–": "--",
    "π": r"$\pi$",
    "′": "$'$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
}


def latex_escape(text: str) -> str:
    r"""Text for LaTeX.

    Examples
    --------
    >>> latex_escape("C4.5_mc: 5 % ± 1")
    'C4.5\\_mc: 5 \\% $\\pm$ 1'
    """
    return "".join(_LATEX.get(letter, letter) for letter in text)


def to_latex(table: ResultTable) -> str:
    """The table as a LaTeX table; it needs no package."""
    head, *body = grid(table)
    n_labels = 1 if table.transpose else len(table.row_names)
    lines = [
        r"\begin{table}",
        rf"\caption{{{latex_escape(table.heading)}}}",
        rf"\begin{{tabular}}{{{'l' * n_labels}{'r' * (len(head) - n_labels)}}}",
        r"\hline",
        " & ".join(map(latex_escape, head)) + r" \\",
        r"\hline",
    ]
    lines += [" & ".join(map(latex_escape, line)) + r" \\" for line in body]
    lines += [r"\hline", r"\end{tabular}"]
    lines += [rf"\par {latex_escape(note[2:])}" for note in "".join(_notes(table)).split("\n")]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def to_csv(table: ResultTable) -> str:
    """The table as CSV, one line per figure, with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    kinds = ("ours", "standard error", "paper", "paper's error", "difference")
    writer.writerow([*table.row_names, "column", *kinds])
    for row in table.rows:
        for cell, column in zip(row.cells, table.columns, strict=True):
            figures = (cell.ours, cell.spread, cell.paper, cell.paper_spread, cell.difference)
            writer.writerow([*row.labels, column.label, *figures])
    return text.getvalue()


def to_json(table: ResultTable) -> str:
    """The table as JSON, notes and ranks included."""
    return json.dumps(asdict(table), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


WRITERS: dict[str, Callable[[ResultTable], str]] = {
    "md": to_markdown,
    "tex": to_latex,
    "csv": to_csv,
    "json": to_json,
}


def write_tables(tables: Iterable[ResultTable], folder: Path) -> list[Path]:
    """Write each table in every format; files are named after protocol, kind and number."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in tables:
        for suffix, write in WRITERS.items():
            path = folder / f"{table.name}.{suffix}"
            write_text(path, write(table))
            paths.append(path)
    return paths
