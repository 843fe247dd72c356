"""``python -m attack`` in the folder ``tests``: try all classes, one, or one attack by its number.

``python -m attack 5000`` tries so many of each class, ``python -m attack api`` 200 of one, and
``python -m attack api 17`` repeats one and shows what it did.
"""

from __future__ import annotations

import sys

from attack import CLASSES, run_class
from attack.harness import by_attack
from stakes.boosted import trees as boosted_trees


def main(args: list[str]) -> int:
    """Print the counts of each class and its failures."""
    boosted_trees.ROUNDS = (8,)
    names = [name for name in args if name in CLASSES] or list(CLASSES)
    figures = [int(arg) for arg in args if arg.isdigit()]
    if len(names) == 1 and figures:
        tallies = [run_class(names[0], figures if len(figures) == 1 else range(*figures))]
    else:
        tallies = [run_class(name, range(*figures or [200])) for name in names]
    for name, tally in zip(names, tallies):
        print(f"{name}: {tally}", dict(by_attack(tally.failures)), flush=True)
        print(*tally.failures, sep="\n", flush=True)
    return any(tally.failures for tally in tallies)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
