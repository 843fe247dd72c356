"""Running the units of a plan, here, on several cores or on a cluster; what is done is not done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from joblib import Parallel, delayed, parallel_config

from stakes.lab.plan import Plan
from stakes.lab.store import Outcome, Store
from stakes.lab.units import Task, perform

Progress = Callable[[int, int, str], None]


def run_plan(
    plan: Plan,
    store: Store,
    *,
    n_jobs: int = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> None:
    """Run what the store does not hold yet. Each unit is written as soon as it is here.

    Parameters
    ----------
    plan : Plan
    store : Store
    n_jobs : int
        Processes on this machine; -1 for one per core.
    cluster : str, optional
        Address of a Dask scheduler, whose workers do the units instead. They must be able to import stakes
        (and your own estimators) and to find the data under the same names.
    progress : callable, optional
        Called with the number of units done, of all units, and the data set that the last one was of.
    """
    done = store.records(plan.all_keys)
    total, finished = len(plan.all_keys), len(done)
    tasks = list(_pending(plan, set(done)))
    if progress is not None:
        progress(finished, total, "")
    if not tasks:
        return
    for outcomes in _outcomes(tasks, n_jobs, cluster):
        for outcome in outcomes:
            store.add(outcome)
        finished += len(outcomes)
        if progress is not None:
            progress(finished, total, outcomes[-1].what["dataset"])


def _pending(plan: Plan, done: set[str]) -> Iterator[Task]:
    """Tasks with the units that are still to be done, each unit once, whatever tables it is for."""
    taken = set(done)
    for task in plan.tasks:
        pairs = [pair for pair in zip(task.keys, task.learners, strict=True) if pair[0] not in taken]
        if pairs:
            taken |= {key for key, _ in pairs}
            keys, learners = zip(*pairs, strict=True)
            yield replace(task, keys=keys, learners=learners)


def _outcomes(tasks: list[Task], n_jobs: int, cluster: str | None) -> Iterator[list[Outcome]]:
    """Outcomes of the tasks, in the order in which they come."""
    if n_jobs == 1 and cluster is None:
        yield from map(perform, tasks)
        return
    with _backend(cluster):
        # joblib sends quick tasks in batches, so that the trip costs little next to the work.
        pool = Parallel(n_jobs=n_jobs if cluster is None else -1, return_as="generator_unordered")
        yield from pool(delayed(perform)(task) for task in tasks)


@contextmanager
def _backend(cluster: str | None) -> Iterator[Any]:
    """Where joblib runs things."""
    if cluster is None:
        with nullcontext():
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("--cluster needs Dask: pip install 'stakes[dask]'.") from error
    try:
        client = Client(cluster, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"cluster must be the address of a running Dask scheduler, such as tcp://host:8786, got "
            f"{cluster!r}: {error}"
        ) from None
    with client, parallel_config(backend="dask"):
        yield
