"""Apply the table of names old -> new, ``words.toml``, or find where an old one stands again.

``python tools/words.py`` lists such places and ends with status 1 where there are any; ``--apply`` renames.
The table says what each of its parts does. Applying it twice changes nothing more than applying it once.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("words.toml")
F_STRING = re.compile(r"[rR]?[fF][rR]?[\"']")
BRACES = re.compile(r"\{\{|\{[^{}]*\}")


class NameTakenError(ValueError):
    """A new name is in use already."""


def main() -> int:
    """Check or apply the table; the exit status is 1 where a check finds something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--apply", action="store_true", help="rename instead of listing")
    apply = parser.parse_args().apply
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    places = list(move_files(table, apply))
    changed: dict[str, str] = {}
    taken = []
    for path in listed(table):
        old = (ROOT / path).read_text(encoding="utf-8")
        try:
            new = renamed(table, path, old)
        except NameTakenError as error:
            taken.append(str(error))
            continue
        if new != old:
            changed[path] = new
            places += differences(path, old, new)
    if taken:
        print("\n".join(taken))
        return 1
    if apply:
        for path, text in changed.items():
            (ROOT / path).write_text(text, encoding="utf-8")
        tidy(list(changed))
        print(f"{len(changed)} files changed")
        return 0
    for path in listed(table):
        places += forbidden(table, path, (ROOT / path).read_text(encoding="utf-8"))
    print("\n".join(places) or "no old word stands again")
    return 1 if places else 0


def listed(table: Mapping[str, Any]) -> list[str]:
    """Files of the repository that words are changed in."""
    output = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    names = sorted(name for name in output.stdout.split("\0") if name and (ROOT / name).is_file())
    return [name for name in names if _in(name, table["files"]) and not _in(name, table["never"])]


def move_files(table: Mapping[str, Any], apply: bool) -> Iterator[str]:
    """Move files and folders that still have their old names."""
    for move in table.get("move", ()):
        if (ROOT / move["old"]).exists():
            yield f"{move['old']}: is now {move['new']}"
            if apply:
                (ROOT / move["new"]).parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["git", "mv", move["old"], move["new"]], cwd=ROOT, check=True)


def renamed(table: Mapping[str, Any], path: str, text: str) -> str:
    """Return the text of a file with the new words."""
    for rule in table.get("text", ()):
        if _in(path, _as_list(rule["in"])):
            text = text.replace(rule["old"], rule["new"])
    for move in table.get("move", ()):
        text = _replace_paths(text, move["old"], move["new"])
    rules = [rule for rule in table.get("word", ()) if _in(path, _as_list(rule.get("in", "*")))]
    prose = {rule["old"]: rule["new"] for rule in rules if not rule.get("code")}
    if prose:
        text = _word_pattern(prose).sub(lambda match: prose[match.group()], text)
    if path.endswith(".py"):
        text = _rename_code(table, path, text, [rule for rule in rules if rule.get("code")])
    return text


def _rename_code(table: Mapping[str, Any], path: str, text: str, rules: list[Any]) -> str:
    names = {rule["old"]: rule["new"] for rule in rules}
    quoted = {rule["old"]: rule["new"] for rule in rules if rule.get("quoted")}
    free = {rule["old"] for rule in rules if rule.get("free")}

    def everywhere(name: str, line: int, bound: bool) -> str | None:
        return None if bound and name in free else names.get(name)

    if any(name in text for name in names):
        text = rename_tokens(text, everywhere, quoted)
    functions = table.get("local", {}).get(path, {})
    spans = list(_spans(ast.parse(text), functions)) if functions else []
    if spans:
        if problems := _captures(path, text, spans):
            raise NameTakenError("\n".join(problems))

        def new_name(name: str, line: int, bound: bool) -> str | None:
            inner = [new for first, last, new in spans if first <= line <= last and name in new]
            return inner[-1][name] if inner and not bound else None

        text = rename_tokens(text, new_name, {})
    return text


def _captures(path: str, text: str, spans: list[tuple[int, int, dict[str, str]]]) -> list[str]:
    """Variables that cannot be renamed, since their function uses the new name already."""
    problems: list[str] = []
    used: list[tuple[str, int]] = []
    rename_tokens(text, lambda name, line, bound: None if bound else used.append((name, line)), {})
    for first, last, names in spans:
        inside = {name for name, line in used if first <= line <= last}
        for old, new in names.items():
            if old in inside and new in inside:
                problems.append(f"{path}:{first}: {old} cannot become {new}, which is used there")
    return problems


def _spans(module: ast.Module, functions: Mapping[str, Any]) -> Iterator[tuple[int, int, dict[str, str]]]:
    """First and last line of each function or class of a file that has entries, outer ones first."""
    if "*" in functions:
        yield 1, sys.maxsize, functions["*"]

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[int, int, dict[str, str]]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                name = prefix + child.name
                if name in functions:
                    yield child.lineno, child.end_lineno or child.lineno, functions[name]
                yield from walk(child, f"{name}.")
            else:
                yield from walk(child, prefix)

    yield from walk(module, "")


def rename_tokens(text: str, new_name: Callable[[str, int, bool], str | None], quoted: dict[str, str]) -> str:
    """Rename names of Python code, also inside f-strings; comments and other strings stay.

    ``new_name`` is given the name, its line, and whether it belongs to something else: an attribute, or the
    keyword of a call.
    """
    lines, edits = text.splitlines(keepends=True), []
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type != tokenize.NL]
    depth, header = 0, False
    for i, token in enumerate(tokens):
        value = token.string
        if token.type == tokenize.OP:
            depth += (value in "([{") - (value in ")]}")
            header = header and not (value == ":" and depth == 0)
        elif token.type == tokenize.NAME:
            header = header or (value == "def" and depth == 0)
            keyword = depth > 0 and not header and tokens[i + 1].string == "="
            bound = tokens[i - 1].string == "." or keyword
            new = new_name(value, token.start[0], bound)
            if new is not None:
                edits.append((token.start, token.end, new))
        elif token.type == tokenize.STRING:
            new = _in_string(value, token.start[0], new_name, quoted)
            if new != value:
                edits.append((token.start, token.end, new))
    for start, end, new in reversed(edits):
        first, last = start[0] - 1, end[0] - 1
        lines[first : last + 1] = [lines[first][: start[1]] + new + lines[last][end[1] :]]
    return "".join(lines)


def _in_string(
    value: str, line: int, new_name: Callable[[str, int, bool], str | None], quoted: dict[str, str]
) -> str:
    if value[:1] == '"' and value[1:-1] in quoted:
        return f'"{quoted[value[1:-1]]}"'
    if not F_STRING.match(value):
        return value

    def in_braces(match: re.Match[str]) -> str:
        def in_place(name: re.Match[str]) -> str:
            keyword = re.match(r"\s*=(?![=}])", match.group()[name.end() :]) is not None
            return new_name(name.group(2), line, name.group(1) == "." or keyword) or name.group(2)

        return re.sub(
            r"(?<![\w\"'])(\.?)([A-Za-z_]\w*)(?![\w\"'])",
            lambda name: name.group(1) + in_place(name),
            match.group(),
        )

    return BRACES.sub(in_braces, value)


def _replace_paths(text: str, old: str, new: str) -> str:
    """Replace a path, and for a module its dotted name."""
    pairs = [(old, new)]
    if old.endswith(".py") and old.startswith("src/"):
        pairs.append((_dotted(old), _dotted(new)))
        pairs.append((old.removeprefix("src/stakes/"), new.removeprefix("src/stakes/")))
    for before, after in pairs:
        text = re.sub(rf"(?<![\w./]){re.escape(before)}(?!\w)", after, text)
    return text


def _dotted(path: str) -> str:
    return path.removeprefix("src/").removesuffix(".py").replace("/", ".")


def _word_pattern(words: Mapping[str, str]) -> re.Pattern[str]:
    longest = sorted(words, key=lambda word: (-len(word), word))
    return re.compile(rf"(?<![\w])(?<!-)(?:{'|'.join(map(re.escape, longest))})(?![\w-])")


def forbidden(table: Mapping[str, Any], path: str, text: str) -> Iterator[str]:
    """Find words and names of variables that are not used any more."""
    for rule in table.get("forbidden", ()):
        if not _in(path, _as_list(rule["in"])):
            continue
        if "variables" in rule and path.endswith(".py"):
            for name, line in _bound_names(ast.parse(text)):
                if name in rule["variables"]:
                    yield f"{path}:{line}: a variable called {name}; {rule['say']}"
        for word in rule.get("words", ()):
            for match in re.finditer(rf"\b{word}\b", text):
                line = text.count("\n", 0, match.start()) + 1
                yield f"{path}:{line}: {match.group()}; {rule['say']}"


def _bound_names(module: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


def differences(path: str, old: str, new: str) -> Iterator[str]:
    """Name the lines that applying the table would change."""
    left, right = old.splitlines(), new.splitlines()
    if len(left) != len(right):
        yield f"{path}: an old text stands again"
        return
    for number, (before, after) in enumerate(zip(left, right, strict=True), 1):
        if before != after:
            yield f"{path}:{number}: {before.strip()} -> {after.strip()}"


def tidy(paths: list[str]) -> None:
    """Sort imports and break lines anew where names have another length."""
    python = [path for path in paths if path.endswith(".py")]
    bin_folder = Path(sys.executable).parent
    if python:
        for command in (["check", "--quiet", "--fix", "--select", "I,RUF022"], ["format", "--quiet"]):
            subprocess.run([bin_folder / "ruff", *command, *python], cwd=ROOT, check=False)
    core = [path for path in paths if path.endswith((".cpp", ".hpp"))]
    if core:
        subprocess.run([bin_folder / "clang-format", "-i", *core], cwd=ROOT, check=True)


def _in(path: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def _as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


if __name__ == "__main__":
    sys.exit(main())
