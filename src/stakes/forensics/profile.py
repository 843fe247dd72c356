"""What one run of a program did: a documented, versioned file of names and counts, and its projections.

A profile is a JSON document (gzip where the name ends in ``.gz``)::

    {"format": "stakes-profile", "version": 1,
     "functions": [["pip/_internal/req.py", "Req.parse", 41], ...],   path, qualified name, first line
     "counts": [3, ...],                 starts of each function
     "trees": [[0, []], [4, [0]], ...],  function, then the trees it called; children come before parents
     "tree_counts": [3, 1, ...],         calls that had this tree
     "lines": [[0, 44, 3], ...],         function, line, times reached; empty unless asked for
     "complete": true,                   false where not all that happened could be counted
     "interpreter": "cpython 3.12",
     "versions": {"pip": "pip==24.0"},   top-level package to distribution, or file to digest
     "input": "...", "label": "...",     which input it was, and the cause; null where not said
     "symptom": {"exit_status": 1, "exception": "ValueError", "message": ""}}

A symptom has a message, and the patterns that standard error has ``shown``, only where they were asked for.

Children are sets: how often a child was called is in ``counts`` already, and with multisets a fifth of all
trees was seen in one run only. The trees are whole, so that what a run would have looked like with only some
functions watched can be worked out afterwards: see :func:`project`.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stakes._text.files import write_bytes
from stakes.forensics.host import trees
from stakes.forensics.host.checks import Check, is_list, is_text, is_texts, is_whole
from stakes.forensics.host.names import Function, Line, functions_of
from stakes.forensics.host.trees import Projection
from stakes.forensics.host.watch import Watch

FORMAT, VERSION = "stakes-profile", 1


@dataclass(frozen=True)
class Symptom:
    """How the run ended, as a user sees it.

    Attributes
    ----------
    exit_status : int
        Exit code; negative where a signal ended the program.
    exception : str or None
        Type of the exception that nobody caught, as a traceback names it.
    message : str
        Last line written to stderr, cut to 200 characters; empty unless it was to be kept.
    shown : tuple of str
        Patterns that a line of stderr matched while the program ran.
    """

    exit_status: int = 0
    exception: str | None = None
    message: str = ""
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Profile:
    """What one run did; see the module's text for the meaning of each part.

    Examples
    --------
    >>> names = enumerate(("main", "read", "parse"))
    >>> main, read, parse = (Function("app.py", name, line) for line, name in names)
    >>> profile = Profile(functions=(main, read, parse), counts=(1, 1, 2),
    ...                   trees=((2, ()), (1, (0,)), (0, (0, 1))), tree_counts=(2, 1, 1), label="no file")
    >>> for tree, count in project(profile, {main, parse}).trees[1].items():
    ...     print(count, tree)
    2 app.py:parse:2
    1 app.py:main:0 -> {app.py:parse:2}
    """

    functions: tuple[Function, ...]
    counts: tuple[int, ...]
    trees: tuple[tuple[int, tuple[int, ...]], ...] = ()
    tree_counts: tuple[int, ...] = ()
    lines: tuple[tuple[int, int, int], ...] = ()
    complete: bool = True
    interpreter: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    input: str | None = None
    label: str | None = None
    symptom: Symptom = Symptom()

    @property
    def line_counts(self) -> dict[Line, int]:
        """Times each line was reached."""
        return {Line(self.functions[f], line): count for f, line, count in self.lines}

    def with_label(self, label: str | None) -> Profile:
        """Return the same run with another label."""
        return replace(self, label=label)


def project(profile: Profile, functions: Collection[Function] | None = None) -> Projection:
    """Work out what would have been counted with only ``functions`` watched.

    A function that is not watched leaves no trace: what it called seems to be called by its caller. So ``f``
    calling ``a`` through an unwatched ``x`` has the tree ``f -> {a}``.

    Parameters
    ----------
    profile : Profile
    functions : collection of Function or None
        What is watched; None for all.

    Returns
    -------
    Projection
        Without the functions and trees that were never seen.
    """
    watched = [functions is None or function in functions for function in profile.functions]
    return trees.project(profile.functions, profile.counts, profile.trees, profile.tree_counts, watched)


def observe(profile: Profile, watch: Watch) -> list[int]:
    """Return the counts of a recorded run as a deployed model would see them, in the order of its features.

    Examples
    --------
    >>> from stakes.forensics import CallTree, Feature
    >>> main, parse = Function("app.py", "main", 3), Function("app.py", "parse", 9)
    >>> profile = Profile((main, parse), (1, 2), trees=((1, ()), (0, (0,))), tree_counts=(2, 1))
    >>> observe(profile, Watch((main, parse), (Feature(parse), Feature(CallTree(main), 1))))
    [2, 0]
    """
    lines = profile.line_counts if watch.needs_lines else {}
    return trees.counts_of(watch, project(profile, set(watch.functions)), lines)


def write_profile(profile: Profile, path: str | os.PathLike[str]) -> None:
    """Write a profile, a new one readable by its owner only; gzip where the name ends in ``.gz``."""
    text = json.dumps(profile_to_dict(profile), ensure_ascii=False, separators=(",", ":"))
    data = text.encode(errors="backslashreplace")  # as JSON writes what is no character of UTF-8
    if Path(path).suffix == ".gz":
        data = gzip.compress(data, 6, mtime=0)
    write_bytes(path, data, private=True)


def read_profile(path: str | os.PathLike[str]) -> Profile:
    """Read what :func:`write_profile` wrote.

    Raises
    ------
    ValueError
        Where the file is no profile, is damaged or of a newer version.
    """
    from stakes._base import documents

    data = Path(path).read_bytes()
    name = os.fspath(path)
    try:
        text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
    except (OSError, EOFError, ValueError, zlib.error):
        raise ValueError(f"{name} is not a profile, or is damaged") from None
    document = documents.loads(text, name, format_name=FORMAT, version=VERSION)
    try:
        return profile_from_dict(document)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def profile_to_dict(profile: Profile) -> dict[str, Any]:
    """Return a profile as plain values."""
    return {
        "format": FORMAT,
        "version": VERSION,
        **vars(profile),
        "functions": [list(function) for function in profile.functions],
        "counts": list(profile.counts),
        "trees": [[function, list(children)] for function, children in profile.trees],
        "tree_counts": list(profile.tree_counts),
        "lines": [list(entry) for entry in profile.lines],
        "versions": dict(profile.versions),
        # What was not asked for is left out, so that earlier versions can read the rest.
        "symptom": {
            name: list(part) if name == "shown" else part
            for name, part in vars(profile.symptom).items()
            if name != "shown" or part
        },
    }


def profile_from_dict(document: Mapping[str, Any]) -> Profile:
    """Return the profile of what :func:`profile_to_dict` gave; anything else is a ValueError."""
    from stakes._base import documents

    documents.check_mapping(document, "the profile", profile_to_dict(Profile((), ())))
    for name, (fits, what) in _PARTS.items():
        if not fits(document[name]):
            raise ValueError(f"the profile cannot be read: {name} must be {what}")
    profile = Profile(
        **{name: document[name] for name in _AS_THEY_ARE},
        functions=functions_of(document["functions"]),
        counts=tuple(document["counts"]),
        trees=tuple((function, tuple(children)) for function, children in document["trees"]),
        tree_counts=tuple(document["tree_counts"]),
        lines=tuple((function, line, count) for function, line, count in document["lines"]),
        versions=dict(document["versions"]),
        symptom=_symptom(document["symptom"]),
    )
    _check(profile)
    return profile


def _is_count(value: Any) -> bool:
    return is_whole(value, 0, 2**63)


def _is_tree(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and _is_count(value[0]) and _COUNTS(value[1])


_COUNTS = is_list(_is_count)
_AS_THEY_ARE = ("complete", "interpreter", "input", "label")
_TEXT_OR_NULL: tuple[Check, str] = (lambda value: value is None or is_text(value), "a text or null")
_PARTS: dict[str, tuple[Check, str]] = {
    "functions": (is_list(is_list(lambda part: True, 3)), "a list of path, name and line each"),
    "counts": (_COUNTS, "a list of whole numbers, none of them negative"),
    "trees": (is_list(_is_tree), "a list of a function and trees each"),
    "tree_counts": (_COUNTS, "a list of whole numbers, none of them negative"),
    "lines": (is_list(is_list(_is_count, 3)), "a list of function, line and count each"),
    "complete": (lambda value: type(value) is bool, "true or false"),
    "interpreter": (is_text, "a text"),
    "versions": (is_texts, "an object of texts"),
    "input": _TEXT_OR_NULL,
    "label": _TEXT_OR_NULL,
}


def _symptom(plain: Any) -> Symptom:
    try:
        symptom = Symptom(**plain)
    except TypeError as error:
        raise ValueError(f"the profile's symptom cannot be read: {error}") from None
    shown = symptom.shown
    texts = [symptom.message, *([] if symptom.exception is None else [symptom.exception])]
    if not (is_whole(symptom.exit_status, -(2**31)) and is_list(is_text)(texts) and is_list(is_text)(shown)):
        raise ValueError("the profile's symptom cannot be read: it must be an exit status and texts")
    return replace(symptom, shown=tuple(shown))


def _check(profile: Profile) -> None:
    n_functions = len(profile.functions)
    if len(profile.counts) != n_functions or len(profile.tree_counts) != len(profile.trees):
        raise ValueError("the profile must have one count per function and per tree")
    for number, (function, children) in enumerate(profile.trees):
        if not 0 <= function < n_functions or not all(0 <= child < number for child in children):
            raise ValueError(f"tree {number} of the profile must name functions and earlier trees")
    if not all(0 <= function < n_functions for function, _, _ in profile.lines):
        raise ValueError("the profile's lines must name functions")


def merge(profiles: Sequence[Profile]) -> Profile:
    """Add the profiles of several processes of one run.

    The symptom is that of the first with an uncaught exception; label, input and interpreter are those of the
    first.
    """
    functions: dict[Function, int] = {}
    trees: dict[tuple[int, tuple[int, ...]], int] = {}
    counts: Counter[int] = Counter()
    tree_counts: Counter[int] = Counter()
    lines: Counter[tuple[int, int]] = Counter()
    for profile in profiles:
        number = [functions.setdefault(function, len(functions)) for function in profile.functions]
        for place, count in zip(number, profile.counts, strict=True):
            counts[place] += count
        node: list[int] = []
        for (function, children), count in zip(profile.trees, profile.tree_counts, strict=True):
            key = (number[function], tuple(sorted({node[child] for child in children})))
            node.append(trees.setdefault(key, len(trees)))
            tree_counts[node[-1]] += count
        for function, line, count in profile.lines:
            lines[number[function], line] += count
    return replace(
        profiles[0],
        functions=tuple(functions),
        counts=tuple(counts[place] for place in range(len(functions))),
        trees=tuple(trees),
        tree_counts=tuple(tree_counts[place] for place in range(len(trees))),
        lines=tuple((function, line, count) for (function, line), count in sorted(lines.items())),
        complete=all(profile.complete for profile in profiles),
        symptom=next((run.symptom for run in profiles if run.symptom.exception), profiles[0].symptom),
        versions={key: value for profile in profiles for key, value in profile.versions.items()},
    )
