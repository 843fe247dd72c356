"""Criteria that weigh gain against price, by the book; the tree's purchases are followed node by node.

The twin walks the core's tree depth first, as it was grown, with its own rows and its own list of what was
bought. At every node it scores each column's split; the core's choice must be the best one, or tie with it.
"""

from __future__ import annotations

import math

from oracles import c45

TIE = 1e-9
ADDITIVE = ("cs_gain", "cs_gain_ratio", "mitchell")


def price_of(resources, needed, f, paid):
    """What column f adds to the bill when the resources ``paid`` are paid for."""
    return sum(resources[r] for r in set(needed[f]) - paid)


def score(split, criterion, gamma, share, path_ratio, own_ratio, price, at_loss=False):
    """The formulas of Davis et al. and of those before them; None where the split may not be made."""
    if criterion == "cs_gain":
        value = share * split.gain - gamma * price
    elif criterion == "cs_gain_ratio":
        own = 1 / split.split_info if own_ratio else 1.0
        value = share * path_ratio * own * split.gain - gamma * price
    elif criterion == "mitchell":
        value = split.gain - gamma * price
    elif split.gain <= 0:
        return None
    elif criterion == "nunez":
        value = (2**split.gain - 1) / (price + 1) ** gamma
    elif criterion == "norton":
        value = split.gain / max(price, 1e-9) ** gamma
    elif criterion == "tan":
        value = split.gain**2 / max(price, 1e-9)
    if criterion in ADDITIVE and not at_loss and gamma * price > 0 and value <= 0:
        return None
    return value


class DecidedByRounding(Exception):
    """Rounding decides whether a numeric column may be split, or where: the twin cannot follow the core."""


class Walk:
    """Checks one tree of the core, given as nested nodes."""

    def __init__(
        self, data, options, resources, needed, gamma, own_ratio=True, upfront=math.inf, path=math.inf,
        at_loss=False, reuse_free=True,
    ):  # fmt: skip
        self.data, self.options, self.resources, self.needed = data, options, resources, needed
        self.gamma, self.own_ratio, self.upfront, self.path = gamma, own_ratio, upfront, path
        self.at_loss, self.reuse_free = at_loss, reuse_free
        # The columns' own splits do not depend on the price: the gain criterion's, or the gain ratio's.
        ratio = options.criterion == "cs_gain_ratio"
        self.plain = c45.Options(**{**vars(options), "criterion": "gain_ratio" if ratio else "gain"})
        self.bought: set[int] = set()
        self.total = sum(w for _, w in data.rows())
        self.n_checked = 0

    def cost(self, paid):
        return sum(self.resources[r] for r in paid)

    def allowed(self, f, paid):
        fits = self.cost(self.bought | set(self.needed[f])) <= self.upfront + TIE
        return fits and self.cost(paid | set(self.needed[f])) <= self.path + TIE

    def scores(self, rows, tested, path_ratio, paid):
        data, plain = self.data, self.plain
        splits = [c45.column_split(data, rows, f, tested, plain) for f in range(len(data.columns))]
        splits = [s for s in splits if s is not None and s.gain > -c45.EPSILON]
        splits = [s for s in splits if self.allowed(s.feature, paid)]
        average = c45.average_gain(data, splits)
        found = []
        for split in splits:
            if c45.worth(split, average, plain) is None:
                continue
            paid_before = self.bought if self.reuse_free else set()
            price = price_of(self.resources, self.needed, split.feature, paid_before)
            share = sum(w for _, w in rows) / self.total
            given = self.gamma, share, path_ratio, self.own_ratio, price, self.at_loss
            value = score(split, self.options.criterion, *given)
            if value is not None:
                found.append((value, split))
        return found

    def rounding_decides(self, rows, f):
        """Whether the penalty of a column's best cut is its gain, or two cuts have the best gain."""
        cuts = [] if self.data.n_values[f] is not None else c45.numeric_cuts(self.data, rows, f, self.plain)
        gains = sorted((cut[2] for cut in cuts), reverse=True)
        bounds = [c45.penalty(cuts, rows, self.plain), *gains[1:2]] if cuts else []
        return any(abs(gains[0] - bound) <= TIE for bound in bounds)

    def check(self, node, rows=None, tested=frozenset(), depth=0, path_ratio=1.0, paid=frozenset()):
        rows = self.data.rows() if rows is None else rows
        if c45.must_be_leaf(self.data, rows, depth, self.options):
            assert not node.children
            return
        found = self.scores(rows, tested, path_ratio, paid)
        best = max((value for value, _ in found), default=None)
        if not node.children:
            # Whether a gain of 0 is one is up to rounding.
            nothing_gained = all(split.gain <= TIE for _, split in found)
            not_worth_it = self.options.criterion in ADDITIVE and not self.at_loss
            assert nothing_gained or (not_worth_it and best <= TIE)
            return
        self.n_checked += 1
        mine = [(value, split) for value, split in found if split.feature == node.split.feature]
        same = mine and mine[0][1].threshold == node.split.threshold
        if not same and self.rounding_decides(rows, node.split.feature):
            raise DecidedByRounding
        assert mine, "the core split where the twin may not"
        value, split = mine[0]
        assert value >= best - TIE * max(1.0, abs(best))
        assert split.threshold == node.split.threshold and split.value_branch == node.split.value_branch
        self.bought |= set(self.needed[split.feature])
        below = c45.tested_below(self.data, split, tested, self.options)
        ratio = path_ratio / max(split.split_info, 1e-3)
        paid = paid | set(self.needed[split.feature])
        for child, branch in zip(node.children, c45.hand_out(self.data, rows, split)[0]):
            if branch:
                self.check(child, branch, below, depth + 1, ratio, paid)
