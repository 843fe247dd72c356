"""What authors wrote for the users of their program: a file with a text for each cause."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path


def read_texts(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a TOML or JSON file of ``cause = "text"``.

    Raises
    ------
    ValueError
        Where the file cannot be read as that.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "causes.toml"
    >>> _ = path.write_text('no-such-version = "This version was not published. Try another."')
    >>> read_texts(path)
    {'no-such-version': 'This version was not published. Try another.'}
    """
    name, data = os.fspath(path), Path(path).read_bytes()
    try:
        text = data.decode()
        texts = json.loads(text) if Path(path).suffix == ".json" else tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{name} cannot be read: its lists are nested too deeply") from None
    except ValueError as error:  # no UTF-8, no JSON, no TOML
        raise ValueError(f"{name} cannot be read: {error}") from None
    if not isinstance(texts, dict):
        raise ValueError(f'{name} must hold a text for each cause, as in no-such-version = "Try another."')
    for cause, cause_text in texts.items():
        if not isinstance(cause_text, str) or not cause_text.strip():
            raise ValueError(f"{name} must have a text for the cause {cause!r}, got {cause_text!r}")
    return texts
