"""Units of work: what is to be done, under which key, and doing it."""

from __future__ import annotations

import hashlib
import json
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stakes.compare import run_trial
from stakes.lab.build import make_learner
from stakes.lab.code_version import code_version
from stakes.lab.sources import fresh_data, read_data, split_rows
from stakes.lab.specs import CostSpec, DataSpec, LearnerSpec, SplitSpec
from stakes.lab.store import Outcome
from stakes.lab.trial_costs import trial_costs, trial_prices


@dataclass(frozen=True)
class Task:
    """Learners on the same rows with the same costs: one trip to a worker.

    The rows are read and parted once for all of them.
    """

    study: str
    data: DataSpec
    splits: SplitSpec
    case: str
    costs: CostSpec
    prices: CostSpec | None
    repeat: int
    fold: int
    attributes: tuple[str, ...]
    learners: tuple[LearnerSpec, ...]
    keys: tuple[str, ...] = ()

    def what(self, learner: LearnerSpec) -> dict[str, Any]:
        """What a unit is, for people."""
        return {
            "study": self.study,
            "dataset": self.data.name,
            "case": self.case,
            "repeat": self.repeat,
            "fold": self.fold,
            "learner": learner.name,
        }


def unit_key(task: Task, learner: LearnerSpec, digest: str) -> str:
    """Key of a unit: a hash of all that its result depends on, and of nothing else.

    Names are not part of it, nor is the number of repeats; so units are shared between studies and a longer
    run goes on from a shorter one.
    """
    splits = asdict(task.splits)
    del splits["repeats"]
    content = {
        "data": digest,
        "splits": splits,
        "repeat": task.repeat,
        "fold": task.fold,
        "costs": _cost_content(task.costs),
        "prices": None if task.prices is None else _cost_content(task.prices),
        "learner": [learner.path, learner.params, learner.input, learner.abstains, learner.costs]
        + ["transposed"] * learner.transposed,
        "attributes": sorted(task.attributes),
        "code": sorted(_versions(learner.path, learner.params)),
    }
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _cost_content(spec: CostSpec) -> dict[str, Any]:
    content = asdict(spec)
    if spec.model == "file":
        del content["values"]  # a place; the content is kept too
    elif "." in spec.model:
        content["code"] = code_version(spec.model)
    return content


def _versions(path: str, params: Mapping[str, Any]) -> Iterator[str]:
    """Versions of a learner's code and of those inside it; that of the trial always."""
    yield code_version("stakes.lab.units.perform")
    yield code_version(path)
    for value in params.values():
        if isinstance(value, Mapping) and "class" in value:
            yield from _versions(value["class"], value.get("params", {}))


# ---- doing it ----------------------------------------------------------------------------------------------


def perform(task: Task) -> list[Outcome]:
    """Run the units of a task; one that fails does not stop the others."""
    outcomes = []
    prepared: _Prepared | None = None
    for key, learner in zip(task.keys, task.learners, strict=True):
        reset_peak_memory()
        start, spent = time.perf_counter(), time.process_time()
        record, trace = None, None
        with warnings.catch_warnings():
            # Thousands of trials would say the same thousands of times.
            warnings.simplefilter("ignore")
            try:
                prepared = prepared or _Prepared(task)
                record = prepared.run(learner)
            except Exception:  # whatever a learner does wrong is recorded and reported; the others go on
                trace = traceback.format_exc()
        took = time.perf_counter() - start, time.process_time() - spent
        outcomes.append(Outcome(key, task.what(learner), record, trace, *took, peak_memory()))
    return outcomes


class _Prepared:
    """What the learners of a task share."""

    def __init__(self, task: Task) -> None:
        self.task = task
        fresh = task.data.generate is not None
        data = fresh_data(task.data, task.splits, task.repeat) if fresh else read_data(task.data)
        train, test = split_rows(task.splits, data.strata, task.repeat, task.fold)
        part = data.part
        everything = task.splits.kind == "all"
        self.train, self.test = (part, part) if everything else (part.take(train), part.take(test))
        self.costs = trial_costs(task.costs, data, train, task.repeat, task.fold)
        self.prices = trial_prices(task.prices, part.X.schema.names, task.repeat, task.fold)

    def run(self, spec: LearnerSpec) -> dict[str, Any]:
        """Measures of one learner."""
        model = make_learner(spec, self.costs, self.prices, self.task.repeat)
        trial = run_trial(model, self.train, self.test, self.costs, self.prices, abstains=spec.abstains)
        record = asdict(trial)
        record["attributes"] = {name: _plain(getattr(model, name, None)) for name in self.task.attributes}
        return record


def _plain(value: Any) -> float | None:
    """One number; a list, such as the rows of each round, is added up."""
    return None if value is None else float(np.sum(value))


def reset_peak_memory() -> None:
    """Forget the most that this process has held so far, where the system can (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    except OSError:
        return


def peak_memory() -> int | None:
    """Most bytes that this process has held since `reset_peak_memory`, or since its start elsewhere."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else 1024 * most
