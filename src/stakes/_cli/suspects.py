"""What commands say of costs, columns and rows that can hardly be meant."""

from __future__ import annotations

from pathlib import Path

from stakes._cli.console import say
from stakes._cli.shared import Problem, read_data
from stakes.table import TableFileError, shared_rows, suspicious_columns

ADVICE = {
    "id": "What is learnt from it does not hold for new rows; leave it out.",
    "leak": "Is it known before the decision? If not, leave it out.",
}


def suspicions(problem: Problem, data: str, test: str | None = None, target: str | None = None) -> list[str]:
    """Sentences about columns that should be left out, and about test rows that are training rows, too.

    Parameters
    ----------
    problem : Problem
    data : str
        The file it was read from.
    test : str, optional
        A file of test rows; without one the .test file beside a C4.5 .data file, if there is one.
    target : str, optional
        The class column, as for the data.
    """
    columns = suspicious_columns(problem.table, problem.codes)
    sentences = _dates(problem) + [f"{column.words} {ADVICE[column.kind]}" for column in columns]
    beside = _test_beside(data) if test is None else test
    return sentences + ([] if beside is None else _shared(problem, beside, target, asked=test is not None))


def _dates(problem: Problem) -> list[str]:
    names = [column.name for column in problem.table.schema.columns if column.dates]
    if not names:
        return []
    many = len(names) > 1
    columns = f"Column{'s' * many} {', '.join(map(repr, names))} hold{'s' * (not many)} dates"
    return [
        f"{columns}, read as days since 1970-01-01. Where new rows are later than these, leave "
        f"{'them' if many else 'it'} out with --drop."
    ]


def tell_suspicions(problem: Problem, data: str) -> None:
    """Print these sentences on stderr."""
    for sentence in suspicions(problem, data):
        say(f"Note: {sentence}", style="yellow")


def _test_beside(data: str) -> str | None:
    """The file of test rows that comes with a C4.5 file of training rows."""
    path = Path(data)
    stem = path.with_suffix("") if path.suffix == ".gz" else path
    if stem.suffix not in (".data", ".names"):
        return None
    beside = (stem.with_suffix(".test"), stem.with_suffix(".test.gz"))
    return next((str(file) for file in beside if file.exists()), None)


def _shared(problem: Problem, test: str, target: str | None, *, asked: bool) -> list[str]:
    try:
        shared = shared_rows(problem.table, read_data(test, target)[0])
    except TableFileError:
        if asked:
            raise
        return []  # nobody asked for this file; whoever reads it will be told
    except ValueError as error:
        raise ValueError(f"the columns of {test} are not those of {problem.name}: {error}") from error
    if not shared.matters:
        return []
    return [
        f"{shared.n_shared} of the {shared.n_test} rows of {Path(test).name} are in {problem.name}, too: "
        "what a model costs there is too low."
    ]
