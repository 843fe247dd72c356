"""A small program and a model of it, for the tests of deployment."""

from __future__ import annotations

from stakes.forensics import CallTree, Feature, Function, Line, Watch

APP = """
import asyncio, json, logging, sys, threading
def leaf(n): return n
def calls(n):
    for i in range(n):
        leaf(i)
def numbers():
    yield leaf(1)
    yield leaf(2)
def fails(): raise ValueError("boom")
"""

LEAF, CALLS, NUMBERS = (Function("app.py", *place) for place in (("leaf", 3), ("calls", 4), ("numbers", 7)))
FUNCTIONS = (Feature(LEAF), Feature(CALLS), Feature(NUMBERS))
DEEP = (
    Feature(CallTree(CALLS, frozenset({CallTree(LEAF)})), 1),
    Feature(CallTree(CALLS), 2),
    Feature(CallTree(NUMBERS, frozenset({CallTree(LEAF)})), 1),
    Feature(Line(CALLS, 6)),
)

#: What is told of six calls of leaf, and of a failure that ends otherwise.
END = "clarify: likely cause (5 of 5 similar runs): Too many calls. Try fewer.\n"
OTHERWISE = "clarify: cause unknown: no recorded run ended with {}.\n"


def document(python="3.12", features=FUNCTIONS, **changes):
    """A model that tells three or fewer calls of leaf from more."""
    watch = Watch((LEAF, CALLS, NUMBERS), tuple(features))
    return {
        "format": "stakes-clarify",
        "version": 1,
        "program": "app",
        "interpreter": f"cpython {python}",
        "versions": {},
        "watch": watch.to_dict(),
        "tree": {
            "feature": [0, -1, 0, -1, -1],
            "threshold": [3, None, 20, None, None],
            "first_child": [1, -1, 3, -1, -1],
            "class_weights": [[9, 8], [9, 0], [0, 8], [0, 5], [2, 3]],
        },
        "classes": ["few", "many"],
        "texts": {"many": "Too many calls. Try fewer."},
        "ranges": [[0, 50]] * len(features),
        "purity": 0.8,
        "expected_events": 4.0,
        "runs": [["run 1", "few", [1] * len(features)], ["run 2", "many", [22] * len(features)]],
        **changes,
    }


def monitored(minor):
    return tuple(map(int, minor.split("."))) >= (3, 12)
