"""Arrays on disk that say what they belong to."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.files import write_bytes


def write_arrays(path: Path, fingerprint: str, arrays: Mapping[str, Any]) -> None:
    """Write so that a crash leaves the old file or the new one, never half of one."""
    file = io.BytesIO()  # an interrupt must not find an archive half open
    try:
        np.savez(file, fingerprint=np.array(fingerprint), **arrays)
    except ValueError as error:
        # Ctrl-C while zipfile has a part open: closing it on the way out fails, and hid the interrupt.
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise
    write_bytes(path, file.getvalue())


def read_arrays(path: Path, fingerprint: str) -> dict[str, NDArray[Any]]:
    """Read them back; a damaged file or one of something else is a ValueError."""
    try:
        # NumPy leaves a file open that it has opened and cannot read.
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        known = str(arrays["fingerprint"])
    except Exception as error:  # whatever stumbles over it, the file is what is wrong
        raise ValueError(f"checkpoint {os.fspath(path)!r} cannot be read: {error}") from error
    if known != fingerprint:
        raise ValueError(
            f"checkpoint {os.fspath(path)!r} belongs to a run with other data or parameters; remove it or "
            "name another file"
        )
    return arrays
