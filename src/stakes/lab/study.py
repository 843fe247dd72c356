"""From a protocol to its tables, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stakes._text.files import check_folder, write_text
from stakes.lab.pictures import critical_difference_picture, figure_picture
from stakes.lab.plan import NOT_ASKED, Plan, make_plan
from stakes.lab.protocol import load_protocol
from stakes.lab.results import ResultTable
from stakes.lab.runner import Progress, run_plan
from stakes.lab.specs import Protocol
from stakes.lab.store import Outcome, Store, UnitTime
from stakes.lab.tables import build_tables
from stakes.lab.writers import to_markdown, write_tables

RESULTS = "results.sqlite"


@dataclass(frozen=True)
class Reproduction:
    """What came of running a protocol.

    Attributes
    ----------
    protocol : Protocol
    tables : tuple of ResultTable
    failures : tuple of Outcome
        Units that failed, with their tracebacks.
    n_units : int
    seconds : float
        Processor time of all units together.
    memory : int
        Most bytes that a process held during one of them.
    quick, more : bool
    times : tuple of UnitTime
        What each unit took.
    absent : tuple of (str, str)
        Data sets and learners that were asked for and were not available, each with the reason.
    """

    protocol: Protocol
    tables: tuple[ResultTable, ...]
    failures: tuple[Outcome, ...]
    n_units: int
    seconds: float
    memory: int
    quick: bool
    more: bool = False
    times: tuple[UnitTime, ...] = ()
    absent: tuple[tuple[str, str], ...] = ()


def reproduce(
    protocol: str | Path | Protocol,
    folder: str | Path | None = None,
    *,
    tables: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    quick: bool = False,
    more: bool = False,
    n_jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
    allow_imports: bool = False,
) -> Reproduction:
    """Run a protocol, or go on where an earlier run stopped, and build its tables.

    Parameters
    ----------
    protocol : str, path or Protocol
        Name of a paper, a TOML file, or what `load_protocol` gave.
    folder : path, optional
        Results are kept there as they come, and the tables are written there as Markdown, LaTeX, CSV and
        JSON. Without it nothing is kept.
    tables, figures : sequence of str, optional
        Numbers; all of both where neither is given.
    datasets : sequence of str, optional
        Names, the paper's or those of `stakes.datasets`.
    quick : bool
        The smoke version with few repeats; every table says so.
    more : bool
        Whether tables that go beyond the paper, such as other readings of it, are made as well.
    n_jobs, cluster, progress : as for `run_plan`
    allow_imports : bool
        Whether a TOML file may name any class, as for `load_protocol`.

    Examples
    --------
    >>> result = reproduce("ting1998", tables=["1"], datasets=["German"], quick=True)
    >>> german = result.tables[0].rows[0]
    >>> german.labels, german.cells[2].paper, round(german.cells[2].ours, 1)
    (('German',), 0.42, 0.4)
    """
    loaded = (
        protocol if isinstance(protocol, Protocol) else load_protocol(protocol, allow_imports=allow_imports)
    )
    place = None if folder is None else Path(folder)
    if place is not None:
        check_folder(place)
    plan = make_plan(loaded, tables=tables, figures=figures, datasets=datasets, quick=quick, more=more)
    with Store(":memory:" if place is None else place / RESULTS) as store:
        run_plan(plan, store, n_jobs=n_jobs, cluster=cluster, progress=progress)
        reproduction = _collect(plan, store, more)
    if place is not None:
        write(reproduction, place)
    return reproduction


def _collect(plan: Plan, store: Store, more: bool) -> Reproduction:
    keys = plan.all_keys
    seconds, memory = store.totals(keys)
    absent = {(place[-1], reason) for place, reason in plan.absent.items() if reason != NOT_ASKED}
    return Reproduction(
        protocol=plan.protocol,
        tables=tuple(build_tables(plan, store)),
        failures=tuple(store.failures(keys)),
        n_units=len(keys),
        seconds=seconds,
        memory=memory,
        quick=plan.quick,
        more=more,
        times=tuple(store.times(keys)),
        absent=tuple(sorted(absent)),
    )


def write(reproduction: Reproduction, folder: Path) -> None:
    """Write the tables one by one, pictures where there are some, and a page with all of it."""
    write_tables(reproduction.tables, folder)
    for table in reproduction.tables:
        if table.ranks is not None:
            picture = critical_difference_picture(table.ranks)
            write_text(folder / f"{table.name}-ranks.svg", picture)
        if table.kind == "figure":
            write_text(folder / f"{table.name}.svg", figure_picture(table))
    write_text(folder / f"{reproduction.protocol.name}.md", page(reproduction))
    if reproduction.failures:
        text = "\n".join(f"{outcome.what}\n{outcome.traceback}" for outcome in reproduction.failures)
        write_text(folder / f"{reproduction.protocol.name}-failures.txt", text, errors="backslashreplace")


def page(reproduction: Reproduction) -> str:
    """All tables of a protocol on one Markdown page."""
    protocol = reproduction.protocol
    flags = " --quick" * reproduction.quick + " --more" * reproduction.more
    parts = [
        f"# {protocol.title}",
        f"Made by `stakes reproduce {protocol.name}{flags}`.",
        "\n".join(f"- {note}" for note in protocol.notes),
        *(to_markdown(table).rstrip() for table in reproduction.tables),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"
