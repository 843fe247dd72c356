"""What a deployed model asks to be watched, as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .checks import is_whole
from .names import CallTree, Feature, Function, Line, functions_of


@dataclass(frozen=True)
class Watch:
    """The functions to watch, and what to count of them.

    Attributes
    ----------
    functions : tuple of Function
        All that is watched. Call trees are those of a program that has no other functions.
    features : tuple of Feature
        What to count, in the order in which counts are given back.

    Examples
    --------
    >>> main, parse = Function("app.py", "main", 3), Function("app.py", "parse", 9)
    >>> tree = CallTree(main, frozenset({CallTree(parse)}))
    >>> watch = Watch((main, parse), (Feature(parse), Feature(tree, 1)))
    >>> watch.to_dict()["features"]
    [['function', 1], ['tree', 1, [0, [[1, []]]]]]
    >>> Watch.from_dict(watch.to_dict()) == watch
    True
    """

    functions: tuple[Function, ...]
    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        """Check that the features name watched functions only."""
        watched = set(self.functions)
        for feature in self.features:
            if not feature.functions <= watched:
                raise ValueError(f"the feature {feature} must name watched functions only")

    def __or__(self, other: Watch) -> Watch:
        """Return what watches both."""
        functions = dict.fromkeys((*self.functions, *other.functions))
        return Watch(tuple(functions), tuple(dict.fromkeys((*self.features, *other.features))))

    @property
    def needs_trees(self) -> bool:
        """Whether returns have to be seen, not starts only."""
        return any(isinstance(feature.subject, CallTree) for feature in self.features)

    @property
    def needs_lines(self) -> bool:
        """Whether lines have to be seen."""
        return any(isinstance(feature.subject, Line) for feature in self.features)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, functions by number."""
        number = {function: place for place, function in enumerate(self.functions)}

        def plain(tree: CallTree) -> list[Any]:
            return [number[tree.function], sorted(plain(child) for child in tree.children)]

        features: list[list[Any]] = []
        for subject, depth in self.features:
            if isinstance(subject, CallTree):
                features.append(["tree", depth, plain(subject)])
            elif isinstance(subject, Line):
                features.append(["line", number[subject.function], subject.line])
            else:
                features.append(["function", number[subject]])
        return {"functions": [list(function) for function in self.functions], "features": features}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Watch:
        """Read what :meth:`to_dict` gave; anything else is a ValueError."""
        try:
            functions = functions_of(document["functions"])
            return cls(functions, tuple(_feature(entry, functions) for entry in document["features"]))
        except (KeyError, IndexError, TypeError, ValueError, RecursionError) as error:
            raise ValueError(f"the list of what to watch cannot be read: {error!r}") from None


def _feature(entry: Any, functions: tuple[Function, ...]) -> Feature:
    def function(place: Any) -> Function:
        if not is_whole(place, 0, len(functions)):
            raise ValueError(f"a feature must name one of the functions by number, got {place!r}")
        return functions[place]

    def tree(plain: Any, levels: int) -> CallTree:
        place, children = plain
        if children and levels == 0:
            raise ValueError("a tree must not have more levels than its depth")
        return CallTree(function(place), frozenset(tree(child, levels - 1) for child in children))

    kind, *rest = entry
    if kind == "tree" and rest[0] in (1, 2):
        return Feature(tree(rest[1], rest[0]), rest[0])
    if kind == "line" and is_whole(rest[1]):
        return Feature(Line(function(rest[0]), rest[1]))
    if kind == "function":
        return Feature(function(rest[0]))
    raise ValueError(f"a feature must be a function, a line or a tree of depth 1 or 2, got {entry!r}")
