"""CLARIFY: record what a program does, learn what is worth watching, explain its failures."""

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
from stakes.forensics.record import record
from stakes.forensics.run import run

__all__ = [
    "CallTree",
    "ClarifyHandler",
    "ClarifyModel",
    "Feature",
    "Function",
    "Line",
    "Profile",
    "Projection",
    "Symptom",
    "Verdict",
    "Watch",
    "explain",
    "fingerprint",
    "install",
    "observe",
    "project",
    "read_profile",
    "record",
    "run",
    "scope",
    "uninstall",
    "write_profile",
]
