"""A check of values that parts of the package hand to each other."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields

import pytest


def check_value(*values: object, hashable: bool = True) -> None:
    """Nobody can change them; those that hold arrays are compared by identity, and so can be keys."""
    for value in values:
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, None)
        if hashable:
            hash(value)
