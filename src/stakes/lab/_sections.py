"""Reading a TOML file key by key: whatever is wrong becomes a sentence that names file, key and value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stakes._text.words import did_you_mean


class ProtocolError(ValueError):
    """Something in a protocol file is not what it should be."""


class Section:
    """One table of the file. Every key must be asked for once; `finish` complains about the others.

    Examples
    --------
    >>> section = Section("study.toml", "study.main.splits", {"folds": "ten"})
    >>> section.integer("folds", low=2)
    Traceback (most recent call last):
    ...
    stakes.lab._sections.ProtocolError: study.toml: study.main.splits.folds must be an integer >= 2, got 'ten'
    """

    def __init__(self, file: str, key: str, values: Mapping[str, Any]) -> None:
        self.file, self.key, self.values = file, key, dict(values)
        self.asked: set[str] = set()

    def fail(self, name: str, accepted: str, came: Any) -> ProtocolError:
        """The sentence for a value that is not accepted."""
        return ProtocolError(f"{self.file}: {self.path(name)} must be {accepted}, got {_short(came)}")

    def unknown(self, name: str, accepted: str, came: Any, known: Sequence[str], what: str) -> ProtocolError:
        """The sentence for a name that is not known: the near ones first, then all."""
        return ProtocolError(f"{self.fail(name, accepted, came)}{did_you_mean(came, known, what)}")

    def path(self, name: str) -> str:
        """The whole key of a name in this section."""
        return f"{self.key}.{name}" if self.key else name

    def __contains__(self, name: str) -> bool:
        """Whether the key is there."""
        return name in self.values

    def raw(self, name: str, default: Any = None) -> Any:
        """Take the value as it is."""
        self.asked.add(name)
        return self.values.get(name, default)

    def required(self, name: str, accepted: str) -> None:
        """Complain where a key is not there."""
        if name not in self.values:
            raise ProtocolError(f"{self.file}: {self.path(name)} is missing; it must be {accepted}")

    def text(self, name: str, default: str | None = None) -> Any:
        """Take text."""
        value = self.raw(name, default)
        if name in self.values and not isinstance(value, str):
            raise self.fail(name, "text", value)
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """Take true or false."""
        value = self.raw(name, default)
        if not isinstance(value, bool):
            raise self.fail(name, "true or false", value)
        return value

    def integer(self, name: str, default: int = 0, low: int = 0) -> int:
        """Take an integer that is not too small."""
        value = self.raw(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < low:
            raise self.fail(name, f"an integer >= {low}", value)
        return value

    def number(self, name: str, default: float | None, low: float, high: float) -> Any:
        """Take a number strictly between two limits."""
        value = self.raw(name, default)
        if name not in self.values:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not low < value < high:
            raise self.fail(name, f"a number between {low:g} and {high:g}", value)
        return float(value)

    def choice(self, name: str, accepted: Sequence[str], default: str) -> str:
        """Take one of a few words."""
        value = self.raw(name, default)
        if value not in accepted:
            raise self.unknown(name, "one of its choices", value, accepted, "choices")
        return str(value)

    def texts(self, name: str, default: Sequence[str] | None = None) -> Any:
        """Take a list of texts; one text alone is a list too."""
        value = self.raw(name, default)
        if isinstance(value, str):
            value = [value]
        if value is not default and (
            not isinstance(value, list) or not all(isinstance(item, str) for item in value)
        ):
            raise self.fail(name, "a list of texts", value)
        return value if value is None else tuple(value)

    def names(self, name: str, known: Sequence[str], what: str) -> tuple[str, ...]:
        """Take a list of known names; all of them where the key is not there."""
        chosen: tuple[str, ...] = self.texts(name, tuple(known))
        for item in chosen:
            if item not in known:
                raise self.unknown(name, f"a list of {what}", item, known, what)
        return chosen

    def some(self, name: str, known: Sequence[str], what: str) -> tuple[str, ...] | None:
        """Take a list of known names; None where the key is not there."""
        self.asked.add(name)
        return self.names(name, known, what) if name in self else None

    def section(self, name: str) -> Section:
        """Take a table; an empty one where the key is not there."""
        value = self.raw(name, {})
        if not isinstance(value, dict):
            raise self.fail(name, "a table", value)
        return Section(self.file, self.path(name), value)

    def sections(self, name: str) -> list[Section]:
        """Take an array of tables."""
        value = self.raw(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.fail(name, f"an array of tables, [[{self.path(name)}]]", value)
        return [Section(self.file, f"{self.path(name)}[{i}]", item) for i, item in enumerate(value)]

    def children(self) -> Iterator[tuple[str, Section]]:
        """Go through a table of tables."""
        for name in self.values:
            yield name, self.section(name)

    def finish(self) -> None:
        """Complain about keys that nobody asked for."""
        for name in self.values:
            if name not in self.asked:
                known = did_you_mean(name, sorted(self.asked), "keys here")
                raise ProtocolError(f"{self.file}: {self.path(name)} is not known{known}.")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
