"""Finished units of a long benchmark, a JSON line each, so that one that was stopped goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Kept:
    """Results by key. A key is a tuple of strings and numbers; the last line about a key holds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[tuple[Any, ...], Any] = {}
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            if line.endswith("}"):  # a line that was cut off is done again
                unit = json.loads(line)
                self.found[tuple(unit["key"])] = unit["result"]

    def get(self, key: tuple[Any, ...], work: Callable[[], Any]) -> Any:
        """What was found for the key before, or what the work finds now."""
        if key not in self.found:
            result = work()
            with self.path.open("a") as file:
                file.write(json.dumps({"key": key, "result": result}) + "\n")
            self.found[key] = result
        return self.found[key]
