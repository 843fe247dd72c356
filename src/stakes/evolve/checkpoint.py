"""Arrays on disk that say what they belong to."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.files import write_bytes

#: What a file begins with; a SHA-256 of what follows is next.
_BEGIN = b"stakes checkpoint\n"


def write_arrays(path: Path, fingerprint: str, arrays: Mapping[str, Any]) -> None:
    """Write so that a crash leaves the old file or the new one, never half of one."""
    series = as_series(fingerprint, arrays)
    write_bytes(path, _BEGIN + sha256(series).digest() + series)


def as_series(fingerprint: str, arrays: Mapping[str, Any]) -> bytes:
    """Make bytes of the arrays one after the other, behind the fingerprint and their names.

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
        content = path.read_bytes()
        known, arrays = (_read_series if content.startswith(_BEGIN) else _read_archive)(content)
    except Exception as error:  # whatever stumbles over it, the file is what is wrong
        raise ValueError(f"checkpoint {os.fspath(path)!r} cannot be read: {error}") from error
    if known != fingerprint:
        raise ValueError(
            f"checkpoint {os.fspath(path)!r} belongs to a run with other data or parameters; remove it or "
            "name another file"
        )
    return arrays


def _read_series(content: bytes) -> tuple[str, dict[str, NDArray[Any]]]:
    start = len(_BEGIN) + sha256().digest_size
    if content[len(_BEGIN) : start] != sha256(content[start:]).digest():
        raise ValueError("it is damaged")
    file = io.BytesIO(content[start:])
    fingerprint, names = (np.load(file, allow_pickle=False) for _ in range(2))
    arrays = {str(name): np.load(file, allow_pickle=False) for name in names}
    return str(fingerprint), arrays


def _read_archive(content: bytes) -> tuple[str, dict[str, NDArray[Any]]]:
    """Read a file of an earlier version."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return str(arrays["fingerprint"]), arrays
