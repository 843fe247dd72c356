"""C4.5: what .names declares, and the rows of .data or .test."""

from __future__ import annotations

from pathlib import Path

from stakes import _core
from stakes.table._readers.common import (
    Declared,
    FieldKind,
    RawTable,
    TableFileError,
    check_names,
    read_declared,
    read_text,
    reads,
    suffix_of,
)

_KINDS = {"continuous": FieldKind.NUMERIC, "ignore": FieldKind.IGNORED, "label": FieldKind.IGNORED}
CLASS = "class"


@reads(".names", ".data", ".test")
def read_c45(path: Path) -> RawTable:
    """Read stem.data (also for stem.names) or stem.test, with the columns of stem.names beside it."""
    stem = path.with_suffix("") if path.suffix == ".gz" else path
    names_path = _beside(stem, ".names", path)
    rows_path = path if suffix_of(path) != ".names" else _beside(stem, ".data", path)
    declared, target = read_names(names_path)
    format = _core.TextFormat(
        escapes=True, final_period=True, comment="|", comment_anywhere=True, missing=["?"]
    )
    table = read_declared(rows_path, read_text(rows_path), 0, 1, format, declared)
    table.target = target
    return table


def _beside(stem: Path, suffix: str, asked: Path) -> Path:
    for candidate in (stem.with_suffix(suffix), stem.with_suffix(suffix + ".gz")):
        if candidate.exists():
            return candidate
    raise TableFileError(asked, f"C4.5 files come in pairs, but {stem.stem}{suffix} is not beside it.")


def read_names(path: Path) -> tuple[list[Declared], str]:
    """Columns in the order of the rows' fields, and the name of the class column."""
    scanner = _Scanner(path, read_text(path).decode("utf-8"))
    classes = scanner.values()
    if not classes:
        raise TableFileError(path, "the list of classes is missing.", scanner.line)
    declared = []
    while (name := scanner.name()) is not None:
        line = scanner.line
        if scanner.delimiter != ":":
            raise TableFileError(path, f"the attribute {name!r} is not followed by ':' and its type.", line)
        declared.append(_declare(path, line, name, scanner.values()))
    if not declared:
        raise TableFileError(path, "no attribute is declared.")
    check_names(path, [column.name for column in declared])
    if len(classes) == 1 and any(column.name == classes[0] for column in declared):
        return declared, classes[0]  # as in C5.0: the class is one of the attributes
    check_names(path, classes)
    target = CLASS
    while any(column.name == target for column in declared):
        target += "_"
    return [*declared, Declared(target, FieldKind.NOMINAL, classes)], target


def _declare(path: Path, line: int, name: str, values: list[str]) -> Declared:
    if not values:
        raise TableFileError(path, f"the attribute {name!r} has no type and no values.", line)
    if values[0].startswith("[ordered] "):
        values = [values[0].removeprefix("[ordered] "), *values[1:]]
    if len(values) == 1:
        word, _, count = values[0].partition(" ")
        if word in _KINDS and not count:
            return Declared(name, _KINDS[word])
        if word == "discrete" and count.isdecimal() and int(count) > 0:
            return Declared(name, FieldKind.OPEN, most_values=int(count))
        raise TableFileError(
            path,
            f"the attribute {name!r} has the type {values[0]!r}; continuous, discrete N, ignore or two or "
            "more values are needed.",
            line,
        )
    if len(set(values)) < len(values):
        twice = next(value for i, value in enumerate(values) if value in values[:i])
        raise TableFileError(path, f"the attribute {name!r} declares the value {twice!r} twice.", line)
    return Declared(name, FieldKind.NOMINAL, values)


class _Scanner:
    """Reads names one by one: a comma, a colon, a line end or a period before a blank ends one."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.position, self.line = 0, 1
        self.delimiter = ""

    def name(self) -> str | None:
        """Return the next name, None at the end; `delimiter` is what ended it."""
        self._skip_blanks()
        if self.position == len(self.text):
            return None
        word: list[str] = []
        self.delimiter = "\n"
        while self.position < len(self.text):
            char = self.text[self.position]
            following = self.text[self.position + 1 : self.position + 2]
            if char == "\\" and following and following != "\n":
                word.append(following)
                self.position += 2
                continue
            if char in "\n|":  # left in place, to be counted or skipped as a comment
                break
            self.position += 1
            if char in ",:" or (char == "." and (not following or following.isspace() or following == "|")):
                self.delimiter = char
                break
            if not char.isspace():
                word.append(char)
            elif word and word[-1] != " ":
                word.append(" ")
        return "".join(word).rstrip()

    def values(self) -> list[str]:
        """Return names up to one that is not followed by a comma."""
        result: list[str] = []
        while True:
            value = self.name()
            if value is None and result:
                raise TableFileError(self.path, "the file ends in the middle of a list.", self.line)
            if value == "" and (result or self.delimiter == ","):
                raise TableFileError(self.path, "a list has an empty value.", self.line)
            if self.delimiter == ":" and value:
                raise TableFileError(
                    self.path, f"a ':' follows the value {value!r}; a period may be missing.", self.line
                )
            result += [value] if value else []
            if self.delimiter != ",":
                return result

    def _skip_blanks(self) -> None:
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "|":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif char.isspace():
                self.line += char == "\n"
                self.position += 1
            else:
                return
