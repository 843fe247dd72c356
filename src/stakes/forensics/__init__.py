"""CLARIFY: record what a program does, learn what is worth watching, explain its failures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stakes.forensics.host.install import (
    ClarifyHandler,
    explain,
    fingerprint,
    install,
    scope,
    uninstall,
)
from stakes.forensics.host.model import ClarifyModel, Verdict
from stakes.forensics.host.names import CallTree, Feature, Function, Line
from stakes.forensics.host.watch import Watch
from stakes.forensics.profile import (
    Profile,
    Projection,
    Symptom,
    observe,
    project,
    read_profile,
    write_profile,
)
from stakes.forensics.record import NothingRecorded, digest_of, record
from stakes.forensics.run import run

if TYPE_CHECKING:
    from stakes.forensics.runs import Runs, profile_paths, read_runs
    from stakes.forensics.texts import read_texts
    from stakes.forensics.training import Settings, train
    from stakes.forensics.validation import validate

__all__ = [
    "CallTree",
    "ClarifyHandler",
    "ClarifyModel",
    "Feature",
    "Function",
    "Line",
    "NothingRecorded",
    "Profile",
    "Projection",
    "Runs",
    "Settings",
    "Symptom",
    "Verdict",
    "Watch",
    "digest_of",
    "explain",
    "fingerprint",
    "install",
    "observe",
    "profile_paths",
    "project",
    "read_profile",
    "read_runs",
    "read_texts",
    "record",
    "run",
    "scope",
    "train",
    "uninstall",
    "validate",
    "write_profile",
]

#: Where learning lives. It is fetched when asked for: a program that is watched must not load scikit-learn.
_LEARNING = ("runs", "texts", "training", "validation")


def __getattr__(name: str) -> Any:
    if name in __all__:
        for module in _LEARNING:
            value = getattr(import_module(f"stakes.forensics.{module}"), name, None)
            if value is not None:
                return value
    raise AttributeError(f"module 'stakes.forensics' has no attribute {name!r}")
