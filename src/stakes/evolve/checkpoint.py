"""Arrays on disk that say what they belong to."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._text.files import write_bytes


def write_arrays(path: Path, fingerprint: str, arrays: Mapping[str, Any]) -> None:
    """Write so that a crash leaves the old file or the new one, never half of one."""
    # Ctrl-C reaches the main thread only. Within an archive it would leave a part of it open, which zipfile
    # cannot close: that hid the interrupt, or came up as an error later.
    with ThreadPoolExecutor(1) as other_thread:
        archive = other_thread.submit(_archive, {"fingerprint": np.array(fingerprint), **arrays})
        write_bytes(path, archive.result())


def _archive(arrays: Mapping[str, Any]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


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
