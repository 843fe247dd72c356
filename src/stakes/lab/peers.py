"""One data set, one cost matrix, many learners: the protocol that nobody has to write."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stakes._text.files import check_folder
from stakes._text.words import did_you_mean
from stakes.compare import Comparison, Trial
from stakes.compare.comparison import summarise
from stakes.costs import CostMatrix
from stakes.lab.plan import Plan, make_plan
from stakes.lab.protocol import parse_protocol
from stakes.lab.runner import Progress, run_plan
from stakes.lab.sources import read_data
from stakes.lab.store import Outcome, Store, UnitTime
from stakes.lab.study import RESULTS
from stakes.lab.tables import build_tables
from stakes.lab.trial_costs import trial_costs
from stakes.lab.writers import write_tables

_LEARNERS = Path(__file__).with_name("peers.toml")
STUDY = "comparison"


@dataclass(frozen=True)
class PeerComparison:
    """Learners side by side, those that are not installed, what failed, and what each unit took."""

    comparison: Comparison
    absent: dict[str, str]
    failures: tuple[Outcome, ...]
    times: tuple[UnitTime, ...] = ()


def peer_names() -> list[str]:
    """Names of the learners that are compared.

    Examples
    --------
    >>> "c4.5cs" in peer_names()
    True
    """
    return list(_learners())


def _learners() -> dict[str, Any]:
    return dict(tomllib.loads(_LEARNERS.read_text(encoding="utf-8"))["learners"])


def compare_with_peers(
    data: str | Path,
    *,
    costs: str | Path | None = None,
    target: str | None = None,
    drop: Sequence[str] = (),
    learners: Sequence[str] | None = None,
    n_folds: int = 10,
    n_repeats: int = 1,
    seed: int = 0,
    folder: str | Path | None = None,
    n_jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
    check_costs: bool = True,
) -> PeerComparison:
    """Cross-validate the usual learners, and peers where they are installed, on a file or a named data set.

    Parameters
    ----------
    data, target : file and its class column, or the name of a data set
    drop : sequence of str
        Columns to leave out.
    costs : path, optional
        By default those published for a named data set, else 1 for every mistake.
    learners : sequence of str, optional
        Some of `peer_names`.
    n_folds, n_repeats, seed : int
    folder : path, optional
        Where results are kept, to go on from, and the table is written.
    n_jobs, cluster, progress : as for `run_plan`
    check_costs : bool
        Whether to warn of costs that can hardly be meant.

    Examples
    --------
    >>> result = compare_with_peers("german", learners=["c4.5", "c4.5cs"], n_folds=5)
    >>> result.comparison.cheapest.name
    'C4.5CS'
    """
    known = _learners()
    chosen = {}
    for name in dict.fromkeys(learners or known):
        if name not in known:
            raise ValueError(f"learner {name!r} is not known{did_you_mean(name, known, 'learners')}")
        chosen[known[name].pop("title", name)] = known[name]
    splits = {"kind": "folds", "folds": n_folds, "repeats": n_repeats, "seed": seed}
    protocol = parse_protocol(
        _values(data, costs, target, drop, chosen, splits), Path.cwd() / f"{STUDY}.toml"
    )
    place = None if folder is None else Path(folder)
    if place is not None:
        check_folder(place)
    plan = make_plan(protocol)
    study = plan.protocol.studies[STUDY]
    if (STUDY, study.datasets[0].name) not in plan.absent:
        # A slip in the costs is an error here, not one of every learner's.
        trial_costs(study.cases[""], read_data(study.datasets[0]), np.arange(0))
    with Store(":memory:" if place is None else place / RESULTS) as store:
        run_plan(plan, store, n_jobs=n_jobs, cluster=cluster, progress=progress)
        if place is not None:
            write_tables(build_tables(plan, store), place)
        return _peer_comparison(plan, store, n_folds, n_repeats, check_costs)


def _values(
    data: str | Path,
    costs: str | Path | None,
    target: str | None,
    drop: Sequence[str],
    learners: dict[str, Any],
    splits: dict[str, Any],
) -> dict[str, Any]:
    """The protocol as a TOML file would have it."""
    path = Path(data)
    is_file = path.exists() or path.suffix or len(path.parts) > 1
    if target is not None and not is_file:
        raise ValueError("target is for files; a named data set has its class already")
    source: dict[str, Any] = {"name": path.name, "file" if is_file else "load": str(data)}
    if target is not None:
        source["target"] = target
    if drop:
        source["drop"] = list(drop)
    judged = {"model": "known"} if costs is None else {"file": str(costs)}
    columns = [
        {"measure": "mean_cost", "label": "cost per row", "digits": 3},
        {"measure": "error_rate", "label": "errors, %", "digits": 1, "scale": 100},
        {"measure": "leaves", "label": "leaves", "digits": 1},
    ]
    title = f"Learners on {path.name}"
    return {
        "title": title,
        "dataset": [source],
        "learners": learners,
        "study": {STUDY: {"splits": splits, "costs": judged}},
        "table": [{"number": "1", "title": title, "rows": ["learner"], "columns": columns}],
    }


def _peer_comparison(
    plan: Plan, store: Store, n_folds: int, n_repeats: int, check_costs: bool
) -> PeerComparison:
    study = plan.protocol.studies[STUDY]
    [source] = study.datasets
    reason = plan.absent.get((STUDY, source.name))
    if reason is not None:
        raise ValueError(f"{source.name}: {reason}")
    data, records = read_data(source), store.records(plan.all_keys)
    trials = {
        cell[3]: [_trial(records[key]) for key in keys]
        for cell, keys in plan.keys.items()
        if all(key in records for key in keys)
    }
    failures = tuple(store.failures(plan.all_keys))
    if not trials:
        last = (failures[0].traceback or "").strip().splitlines() if failures else []
        first = last[-1] if last else "none ran"
        raise ValueError(f"every learner failed; the first: {first}")
    absent = {place[2]: reason for place, reason in plan.absent.items() if len(place) == 3}
    given = trial_costs(study.cases[""], data, np.arange(0))
    matrix = CostMatrix(given.values, given.classes, check=check_costs)
    comparison = summarise(trials, data.part, matrix, n_folds, n_repeats)
    return PeerComparison(comparison, absent, failures, tuple(store.times(plan.all_keys)))


def _trial(record: dict[str, Any]) -> Trial:
    return Trial(**{name: value for name, value in record.items() if name != "attributes"})
