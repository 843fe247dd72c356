"""Whether this is the program that a model was trained for; without importlib.metadata, slow to load."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def interpreter() -> str:
    """Return the implementation and minor version, such as ``cpython 3.12``."""
    return f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"


def mismatch(wanted_interpreter: str, versions: Mapping[str, str], path: Iterable[str]) -> str:
    """Say what is not as the model expects; an empty string where nothing contradicts it.

    Parameters
    ----------
    wanted_interpreter : str
        As of :func:`interpreter`.
    versions : mapping of top-level name to ``distribution==version``, or of file to digest
        Files are left to :func:`changed_file`, which needs to know where they are.
    path : iterable of str
        Folders of installed packages, as in ``sys.path``.
    """
    if wanted_interpreter != interpreter():
        return f"the model is for {wanted_interpreter}, this is {interpreter()}"
    wanted = dict(version.split("==", 1) for version in versions.values() if "==" in version)
    if wanted:
        installed = _installed(path)
        for name, version in wanted.items():
            actual = installed.get(_normal(name), version)
            if actual != version:
                return f"the model is for {name} {version}, this is {name} {actual}"
    return ""


def _installed(path: Iterable[str]) -> dict[str, str]:
    """Versions of the distributions in some folders by normalised name; the first folder wins."""
    versions: dict[str, str] = {}
    for folder in path:
        try:
            entries = os.listdir(folder)
        except OSError:
            continue
        for entry in entries:
            stem, dot, suffix = entry.rpartition(".")
            if dot and suffix in ("dist-info", "egg-info"):
                name, _, version = stem.partition("-")
                versions.setdefault(_normal(name), version.split("-py")[0])
    return versions


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def changed_file(versions: Mapping[str, str], files: Iterable[tuple[str, str]]) -> str:
    """Say which file, of pairs (path in the model, path here), has another digest than the model's."""
    import hashlib

    for relative, actual in files:
        digest = versions.get(relative, "")
        if not digest.startswith("sha256:"):
            continue
        try:
            with open(actual, "rb") as file:
                present = "sha256:" + hashlib.sha256(file.read()).hexdigest()[:16]
        except (OSError, ValueError):  # it is not there, or a name that no file can have
            continue
        if present != digest:
            return f"{relative} has changed since the model was trained"
    return ""
