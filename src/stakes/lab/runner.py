"""Running the units of a plan, here, on several cores or on a cluster; what is done is not done again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from joblib import Parallel, delayed, parallel_config

from stakes.lab.plan import Plan
from stakes.lab.store import Outcome, Store
from stakes.lab.units import Task, perform

log = logging.getLogger("stakes.lab")

Progress = Callable[[int, int, str], None]
Pool = Callable[[list[Task]], Iterator[list[Outcome]]]

#: Tasks that are tried one unit at a time after a worker died.
SUSPECTS = 16
#: Seconds that a cluster without workers is waited for; those that died may be starting again.
WAIT = 120


class WorkerDied(Exception):
    """A process did not end a unit but itself."""


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
        log.info("%d of %d units done, the last %s", finished, total, outcomes[-1].what)
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
    """Outcomes of the tasks, in the order in which they come.

    Where a worker process dies, a few of the tasks that are still out are tried one unit at a time, so that
    the unit that kills its process is found and recorded; then all goes on.
    """
    if n_jobs == 1 and cluster is None:
        yield from map(perform, tasks)
        return
    pool = partial(_on_cluster, cluster) if cluster is not None else partial(_on_cores, n_jobs)
    while tasks:
        done = set()
        try:
            for outcomes in pool(tasks):
                done.add(outcomes[0].key)
                yield outcomes
            return
        except WorkerDied:
            tasks = [task for task in tasks if task.keys[0] not in done]
            yield from _one_by_one(pool, tasks[:SUSPECTS])
            tasks = tasks[SUSPECTS:]


def _one_by_one(pool: Pool, tasks: list[Task]) -> Iterator[list[Outcome]]:
    for task in tasks:
        for key, learner in zip(task.keys, task.learners, strict=True):
            try:
                yield from pool([replace(task, keys=(key,), learners=(learner,))])
            except WorkerDied as error:
                yield [Outcome(key, task.what(learner), None, f"{error}\n", 0.0, 0.0, None)]


def _on_cores(n_jobs: int, tasks: list[Task]) -> Iterator[list[Outcome]]:
    """Worker processes on this machine. joblib sends quick tasks in batches, so that trips cost little."""
    try:
        yield from Parallel(n_jobs, return_as="generator_unordered")(delayed(perform)(t) for t in tasks)
    except BrokenExecutor:
        raise WorkerDied("the process that ran it died, perhaps for want of memory") from None


def _on_cluster(address: str, tasks: list[Task]) -> Iterator[list[Outcome]]:
    """The workers of a Dask cluster, through the same call of joblib.

    A task whose workers die again and again is given up by Dask, of which joblib's generator never hears; so
    it is read in a thread, and Dask is asked whenever nothing comes.
    """
    results: SimpleQueue[list[Outcome] | BaseException | None] = SimpleQueue()
    with _client(address) as client:

        def read() -> None:
            try:
                with parallel_config(backend="dask", client=client, wait_for_workers_timeout=WAIT):
                    for outcomes in Parallel(-1, return_as="generator_unordered")(
                        delayed(perform)(task) for task in tasks
                    ):
                        results.put(outcomes)
                results.put(None)
            except BaseException as error:  # handed to the thread that waits for it
                results.put(error)

        Thread(target=read, daemon=True).start()
        while True:
            try:
                item = results.get(timeout=0.5)
            except Empty:
                if any(state.status == "error" for state in list(client.futures.values())):
                    raise WorkerDied("the workers that ran it died, perhaps for want of memory") from None
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise ImportError("--cluster needs Dask: pip install 'stakes[dask]'.") from error
    try:
        return Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"cluster must be the address of a running Dask scheduler, such as tcp://host:8786, got "
            f"{address!r}: {error}"
        ) from None
