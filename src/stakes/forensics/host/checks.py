"""Whether the parts of a model are what they must be: found out before a program is started."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]


def is_text(value: Any) -> bool:
    """Whether this is a text."""
    return type(value) is str


def is_number(value: Any) -> bool:
    """Whether this is a number that can be reckoned with; ``True``, infinity and NaN are none."""
    return type(value) in (int, float) and abs(value) < 2**63


def _is_bound(value: Any) -> bool:
    return is_number(value) or (type(value) is float and value in (float("-inf"), float("inf")))


def is_whole(value: Any, least: int = 0, end: int = 2**31) -> bool:
    """Whether this is a whole number, from ``least`` and below ``end``."""
    return type(value) is int and least <= value < end


def is_list(of: Check, length: int | None = None) -> Check:
    """Return what checks a list of so many things of a kind."""
    return lambda value: (
        isinstance(value, list | tuple) and length in (None, len(value)) and all(map(of, value))
    )


def is_texts(value: Any) -> bool:
    """Whether this is an object of texts."""
    return isinstance(value, Mapping) and all(map(is_text, (*value, *value.values())))


def _is_ending(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    status, exception = value
    return (status is None or is_whole(status, -(2**31))) and (exception is None or is_text(exception))


def check_parts(document: Mapping[str, Any], n_features: int) -> None:
    """Raise ValueError for a part of a model that is not what it must be; others have checks of their own."""
    is_range, counts = is_list(_is_bound, 2), is_list(is_number, n_features)

    def is_run(value: Any) -> bool:
        return (
            isinstance(value, list | tuple)
            and len(value) == 3
            and is_text(value[0])
            and is_text(value[1])
            and counts(value[2])
        )

    parts: dict[str, tuple[Check, str]] = {
        "program": (is_text, "program must be a text"),
        "interpreter": (is_text, "interpreter must be a text"),
        "versions": (is_texts, "versions must be an object of texts"),
        "classes": (is_list(is_text), "classes must be a list of texts"),
        "texts": (is_texts, "texts must be an object with a text for each cause"),
        "ranges": (is_list(is_range, n_features), "ranges must be two numbers each, one range per feature"),
        "purity": (lambda value: is_number(value) and 0 <= value <= 1, "purity must be a number from 0 to 1"),
        "expected_events": (
            lambda value: is_number(value) and value >= 0,
            "expected_events must be a number from 0",
        ),
        "endings": (
            lambda value: value is None or is_list(_is_ending)(value),
            "endings must be pairs of an exit status and an exception",
        ),
        "runs": (is_list(is_run), "runs must have a name, a cause and one count per feature each"),
    }
    for name, (fits, what) in parts.items():
        if name in document and not fits(document[name]):
            raise ValueError(f"the model's {what}")


def check_tree(tree: Any, n_features: int, n_classes: int) -> None:
    """Raise ValueError unless walking the tree ends in a leaf, whatever the counts."""
    try:
        features, children, weights = tree["feature"], tree["first_child"], tree["class_weights"]
        if not features:
            raise ValueError("it must have a node")
        for node, feature in enumerate(features):
            if not is_list(is_number, n_classes)(weights[node]) or min(weights[node]) < 0:
                raise ValueError(f"node {node} must have one weight per class")
            if not is_whole(feature, -1) or not is_whole(children[node], -1):
                raise ValueError(f"node {node} must name a feature and a child, or -1")
            if feature >= 0:
                if not (feature < n_features and node < children[node] < len(features) - 1):
                    raise ValueError(f"node {node} must test a feature and have two children after it")
                if not is_number(tree["threshold"][node]):
                    raise ValueError(f"node {node} must have a number as threshold")
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"the model's tree cannot be read: {error!r}") from None
