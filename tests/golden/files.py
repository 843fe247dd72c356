"""Saved files of every kind, written once by the version that the goldens began with, and what they answer.

They are never written again: files of that version stay readable.
"""

from __future__ import annotations

import gzip
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from golden.answers import digest, is_inexact, numbers
from golden.command_lines import invoke, prepare
from golden.tables import tables
from stakes import GDTClassifier, MDLDiscretizer
from stakes.evolve import run as evolve_run
from stakes.forensics import project, read_profile
from stakes.lab import Outcome, Store
from stakes.models import load_model, save_model
from test_common import ESTIMATORS

FOLDER = Path(__file__).parent / "saved"
GDT = {"population_size": 8, "max_generations": 12, "random_state": 1}


def write_files() -> None:
    """Write one file for each class of model, and one of each other kind."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    example = tables()["mixed"]
    models = {type(estimator).__name__: estimator for estimator in ESTIMATORS}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, estimator in models.items():
            model = clone(estimator).set_params(cost_matrix=example.cost_matrix)
            save_model(model.fit(example.X, example.y), Path(folder, "model.json"))
            pack(f"{name}.json", Path(folder, "model.json").read_bytes())
        save_model(MDLDiscretizer().fit(example.X, example.y), Path(folder, "model.json"))
        pack("MDLDiscretizer.json", Path(folder, "model.json").read_bytes())
        prepare(Path(folder))
        shutil.copy(Path(folder, "runs", "full-0-0.profile.gz"), FOLDER / "profile.json.gz")
        assert invoke("clarify", "train", f"{folder}/runs", "-o", f"{folder}/clarify.json").exit_code == 0
        pack("clarify.json", Path(folder, "clarify.json").read_bytes())
        checkpoint = Path(folder, "checkpoint.npz")
        stopped_run(checkpoint)
        pack("checkpoint.npz", checkpoint.read_bytes())
        with Store(Path(folder, "results.sqlite")) as store:
            what = {"study": "main", "dataset": "one", "repeat": 0, "fold": 1, "learner": "tree"}
            store.add(Outcome("k", what, {"cost": 3.5}, None, 0.25, 0.125, 4096))
            store.add(Outcome("f", what, None, "Traceback: it failed", 0.5, 0.25, None))
        pack("results.sqlite", Path(folder, "results.sqlite").read_bytes())


class _Stop(Exception):
    pass


def stopped_run(path: Path) -> None:
    """Evolve until the seventh generation and leave the checkpoint."""

    def stop(generation: Any) -> None:
        if generation.number == 7:
            raise _Stop

    pause, evolve_run._PAUSE = evolve_run._PAUSE, 0.0
    try:
        iris = tables()["iris"]
        GDTClassifier(checkpoint=path, callback=stop, **GDT).fit(iris.X, iris.y)
    except _Stop:
        return
    finally:
        evolve_run._PAUSE = pause
    raise AssertionError("the run was not stopped")


def pack(name: str, data: bytes) -> None:
    """Write a compressed file that is the same whenever it is written."""
    (FOLDER / f"{name}.gz").write_bytes(gzip.compress(data, mtime=0))


def file_answers() -> Iterator[tuple[str, Any]]:
    """Read every saved file and give what it answers."""
    example = tables()["mixed"]
    with tempfile.TemporaryDirectory() as folder:
        for packed in sorted(FOLDER.glob("*.gz")):
            path = Path(folder, packed.name.removesuffix(".gz"))
            path.write_bytes(gzip.decompress(packed.read_bytes()))
            yield packed.name, answer_of(path, packed, example)


def answer_of(path: Path, packed: Path, example: Any) -> Any:
    """Say what one saved file answers."""
    if path.name == "profile.json":
        seen = project(read_profile(packed))
        return {"functions": counted(seen.functions), "trees": counted(seen.trees[1])}
    if path.name == "clarify.json":
        result = invoke("clarify", "explain", str(path))
        return {"status": result.exit_code, "output": digest(result.stdout)}
    if path.name == "checkpoint.npz":
        iris, numbers_seen = tables()["iris"], []
        callback = lambda generation: numbers_seen.append(generation.number)  # noqa: E731
        model = GDTClassifier(checkpoint=path, callback=callback, **GDT).fit(iris.X, iris.y)
        return {"first": numbers_seen[0], "proba": digest(model.predict_proba(iris.X))}
    if path.name == "results.sqlite":
        with Store(path) as store:
            return {"records": store.records(["k", "f"]), "failures": len(store.failures(["k", "f"]))}
    model = load_model(path)
    if isinstance(model, MDLDiscretizer):
        return digest(np.asarray(model.transform(example.X)).astype(str))
    proba, cost = model.predict_proba(example.X), model.expected_cost(example.X)
    if is_inexact(model):
        return numbers(proba) + numbers(cost)
    return {"predict": digest(model.predict(example.X)), "proba": digest(proba), "cost": digest(cost)}


def counted(counts: Any) -> str:
    """Return a hash of counts, whatever their order."""
    return digest(repr(sorted((str(name), count) for name, count in counts.items())))
