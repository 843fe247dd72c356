"""The rule search of the 2012 paper by plain enumeration: sets of conditions, lists of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

EPS = 1e-12


@dataclass
class Problem:
    """Nominal columns as lists of codes, None where missing."""

    columns: list
    n_values: list
    classes: list
    n_classes: int
    weights: list | None = None
    class_costs: list | None = None
    row_costs: list | None = None
    t_good: float = 0.3
    t_bad: float = 1.0
    min_support: list = field(default_factory=list)
    max_length: int = 3
    mark_all: bool = False

    def weight(self, i):
        return 1.0 if self.weights is None else self.weights[i]

    def cost(self, i):
        if self.row_costs is not None:
            return self.row_costs[i]
        return 1.0 if self.class_costs is None else self.class_costs[self.classes[i]]


def cover(problem, conditions):
    return [
        i
        for i in range(len(problem.classes))
        if problem.weight(i) > 0 and all(problem.columns[f][i] == v for f, v in conditions)
    ]


def judge(problem, rows):
    """Class weights, quality and label of the rule that covers these rows."""
    weights, shares = [0.0] * problem.n_classes, [0.0] * problem.n_classes
    for i in rows:
        weights[problem.classes[i]] += problem.weight(i)
        shares[problem.classes[i]] += problem.weight(i) * problem.cost(i)
    total = sum(shares)
    if total <= 0:
        return weights, 1.0, 0
    label = 0
    for c, share in enumerate(shares):
        if share > shares[label] * (1 + EPS):
            label = c
    if problem.n_classes == 1:
        return weights, 0.0, 0
    quality = -sum(s / total * math.log(s / total, problem.n_classes) for s in shares if s > 0)
    return weights, max(0.0, quality), label


def search(problem):  # noqa: C901
    """Return the accepted rules in order: (conditions, label, quality, class weights)."""
    covered = set()
    accepted = []

    def enough(weights, c):
        return weights[c] >= problem.min_support[c] * (1 - EPS)

    def consider(conditions, good):
        """Whether the rule is followed; good ones go to the list."""
        rows = cover(problem, conditions)
        weights, quality, label = judge(problem, rows)
        if not any(enough(weights, c) for c in range(problem.n_classes)):
            return False
        if len(conditions) > 1 and quality > problem.t_bad + EPS:
            return False
        if quality > problem.t_good + EPS or not enough(weights, label):
            return True
        good.append((conditions, label, quality, weights))
        return False

    def accept(good):
        """Take the best rules of a level first."""
        for rule in sorted(good, key=lambda rule: (round(rule[2], 9), -rule[3][rule[1]])):
            rows = cover(problem, rule[0])
            own = [i for i in rows if problem.classes[i] == rule[1]]
            if any(i not in covered for i in own):
                accepted.append(rule)
                covered.update(rows if problem.mark_all else own)

    good: list = []
    basics = [((f, v),) for f in range(len(problem.columns)) for v in range(problem.n_values[f])]
    base = [rule for rule in basics if consider(rule, good)]
    accept(good)
    working = list(base)
    for _ in range(problem.max_length - 1):
        following, good = [], []
        for rule in working:
            for basic in base:
                if basic[0][0] > rule[-1][0] and consider(rule + basic, good):
                    following.append(rule + basic)
        accept(good)
        working = following
    return accepted
