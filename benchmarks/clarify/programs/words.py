"""Random but repeatable names and sentences for generated inputs."""

from __future__ import annotations

import hashlib
import random

_FIRST = [
    "amber",
    "brisk",
    "cedar",
    "delta",
    "ember",
    "fable",
    "grain",
    "hazel",
    "iris",
    "jolly",
    "kite",
    "lunar",
    "maple",
    "noble",
    "ochre",
    "pearl",
    "quartz",
    "river",
    "sable",
    "timber",
]
_SECOND = [
    "anchor",
    "basin",
    "canyon",
    "drift",
    "engine",
    "forge",
    "garden",
    "harbor",
    "index",
    "jacket",
    "kernel",
    "ledger",
    "meadow",
    "notion",
    "orbit",
    "parcel",
    "quill",
    "ridge",
    "signal",
    "tower",
]


def token(label: str, number: object) -> str:
    """A name for an input, in which neither its letters nor its length say anything about the cause."""
    return hashlib.blake2b(f"{label} {number}".encode(), digest_size=8).hexdigest()


def name(rng: random.Random, joint: str = "_") -> str:
    """A name such as cedar_harbor or, now and then, cedar_harbor7."""
    tail = str(rng.randint(2, 99)) if rng.random() < 0.3 else ""
    return f"{rng.choice(_FIRST)}{joint}{rng.choice(_SECOND)}{tail}"


def names(rng: random.Random, n: int, joint: str = "_") -> list[str]:
    """Different names."""
    found: dict[str, None] = {}
    while len(found) < n:
        found[name(rng, joint)] = None
    return list(found)


def sentence(rng: random.Random) -> str:
    """A few words without any punctuation."""
    return " ".join(rng.choice(_FIRST + _SECOND) for _ in range(rng.randint(2, 9)))
