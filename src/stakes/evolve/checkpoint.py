"""Arrays on disk that say what they belong to."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from stakes._text.files import write_bytes


def write_arrays(path: Path, fingerprint: str, arrays: Mapping[str, Any]) -> None:
    """Write so that a crash leaves the old file or the new one, never half of one."""
    write_bytes(path, as_series(fingerprint, arrays))


def as_series(fingerprint: str, arrays: Mapping[str, Any]) -> bytes:
    """Bytes of the arrays one after the other, behind the fingerprint and their names.

    An archive, as np.savez makes one, may be left by Ctrl-C with a part of it open. Then zipfile complains in
    place of the interrupt, or later, when the archive is forgotten.
    """
    file = io.BytesIO()
    for array in (fingerprint, list(arrays), *arrays.values()):
        np.save(file, array, allow_pickle=False)
    return file.getvalue()


def read_arrays(path: Path, fingerprint: str) -> dict[str, NDArray[Any]]:
    """Read them back; a damaged file or one of something else is a ValueError."""
    try:
        with path.open("rb") as file:
            known, arrays = (_read_archive if file.peek(2)[:2] == b"PK" else _read_series)(file)
    except Exception as error:  # whatever stumbles over it, the file is what is wrong
        raise ValueError(f"checkpoint {os.fspath(path)!r} cannot be read: {error}") from error
    if known != fingerprint:
        raise ValueError(
            f"checkpoint {os.fspath(path)!r} belongs to a run with other data or parameters; remove it or "
            "name another file"
        )
    return arrays


def _read_series(file: BinaryIO) -> tuple[str, dict[str, NDArray[Any]]]:
    fingerprint, names = (np.load(file, allow_pickle=False) for _ in range(2))
    arrays = {str(name): np.load(file, allow_pickle=False) for name in names}
    if file.read(1):
        raise ValueError("there is more behind the last array")
    return str(fingerprint), arrays


def _read_archive(file: BinaryIO) -> tuple[str, dict[str, NDArray[Any]]]:
    """Read a file of an earlier version."""
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return str(arrays["fingerprint"]), arrays
