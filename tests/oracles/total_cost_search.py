"""The search for a tree with a small total cost, step by step: lists of rows, every bill added up anew."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .total_cost import cost_of_leaf, divide, is_missing, marginal


@dataclass
class Test:
    column: int
    cut: float | None = None  # numeric: values up to here go left
    value: int | None = None  # nominal: this category against the rest; None: a branch per category
    price: float = 0.0
    cost: float = 0.0
    gain: float = 0.0

    def same(self, other):
        return (self.column, self.cut, self.value) == (other.column, other.cut, other.value)


@dataclass
class Tree:
    rows: list
    cost: float  # with the penalties of its leaves
    leaf_cost: float  # if it were a leaf
    test: Test | None = None
    branches: list = field(default_factory=list)

    def columns(self):
        """Columns that are tested here or below."""
        here = set() if self.test is None else {self.test.column}
        return here.union(*(branch.columns() for branch in self.branches))


class Search:
    def __init__(self, problem, **options):
        self.columns, self.n_values = problem["columns"], problem["n_values"]
        self.codes, self.costs, self.prices = problem["codes"], problem["costs"], problem["prices"]
        self.options, self.allowed = options, set(range(len(self.columns)))
        self.ends = [self.bins(c) if n < 0 else None for c, n in zip(self.columns, self.n_values)]

    def bins(self, column):
        """Thresholds between bins: one per value, or bins with about as many rows each."""
        values, n = sorted(v for v in column.tolist() if not math.isnan(v)), self.options["max_bins"]
        ends = sorted(set(values))
        if len(ends) > n:
            ends = sorted({values[b * len(values) // n - 1] for b in range(1, n + 1)})
        above = [min(v for v in values if v > end) for end in ends[:-1]]
        return [end / 2 + up / 2 for end, up in zip(ends, above)]

    def run(self, rows):
        root = self.solve(rows)
        while self.price_of(root.columns()) > self.options["max_upfront_cost"]:
            self.allowed.discard(self.least_useful(root))
            root = self.solve(rows)
        return root

    def leaf(self, rows):
        cost = cost_of_leaf(rows, self.codes, self.costs, self.options["leaf_penalty"])
        return Tree(rows, cost, cost)

    def solve(self, rows, paid=(), spent=0.0, depth=0):
        best, options = self.leaf(rows), self.options
        weight = sum(w for _, w in rows)
        if depth >= options["max_depth"] or weight < 2 * options["min_samples_leaf"]:
            return best
        if best.cost <= 2 * options["leaf_penalty"]:
            return best
        for test in self.candidates(rows, paid, spent, depth, weight):
            after = marginal(self.prices, test.column, paid)[1]
            parts = self.parts(rows, test)[0]
            branches = [
                self.solve(p, after, spent + test.price, depth + 1) if p else self.leaf(p) for p in parts
            ]
            cost = test.price * weight + sum(b.cost for b in branches if b.rows)
            if cost < best.cost - 1e-9:
                best = Tree(rows, cost, best.leaf_cost, test, branches)
        return best

    def parts(self, rows, test):
        column, n = self.columns[test.column], self.n_values[test.column]
        if n < 0:
            return divide(rows, column, n, lambda v: int(v > test.cut), 2)
        if test.value is None:
            return divide(rows, column, n, int, n)
        return divide(rows, column, n, lambda v: int(v != test.value), 2)

    # ---- tests --------------------------------------------------------------------------------------------

    def class_weights(self, rows):
        weights = [0.0] * len(self.costs)
        for i, weight in rows:
            weights[self.codes[i]] += weight
        return weights

    def purity(self, rows):
        """-n * entropy, classes weighed by the sum of their costs."""
        weights = [w * float(c.sum()) for w, c in zip(self.class_weights(rows), self.costs)]
        return sum(w * math.log2(w) for w in weights if w > 0) - xlogx(sum(weights))

    def score(self, rows, test):
        """Bill if the branches were leaves, and gain on rows whose value is known; None: sides too small."""
        column, n = self.columns[test.column], self.n_values[test.column]
        parts, known = self.parts(rows, test)
        if sum(k >= self.options["min_samples_leaf"] for k in known) < 2:
            return None
        test.cost = test.price * sum(w for _, w in rows)
        test.cost += sum(cost_of_leaf(p, self.codes, self.costs, 0.0) for p in parts if p)
        certain = [[r for r in p if not is_missing(column[r[0]], n)] for p in parts]
        test.gain = sum(map(self.purity, certain), -self.purity([r for p in certain for r in p]))
        return test

    def tests(self, rows, f, price):
        """Tests of a column that compete with each other."""
        n, known = self.n_values[f], [self.columns[f][i] for i, _ in rows]
        known = [v for v in known if not is_missing(v, n)]
        present = sorted(set(known))
        if n < 0:
            bins = [sum(v > end for end in self.ends[f]) for v in present]
            cuts = [self.ends[f][b] for b in sorted(set(bins))[:-1]]
            return [[self.score(rows, Test(f, cut, None, price)) for cut in cuts]]
        whole = [self.score(rows, Test(f, None, None, price))] if len(present) > 1 else []
        single = [self.score(rows, Test(f, None, int(v), price)) for v in present if len(present) > 2]
        return [whole, single]

    def candidates(self, rows, paid, spent, depth, weight):
        tests = []
        for f in sorted(self.allowed):
            price = marginal(self.prices, f, paid)[0]
            if spent + price > self.options["max_path_cost"]:
                continue
            for scored in self.tests(rows, f, price):
                rivals = [test for test in scored if test is not None]
                if self.options["exhaustive"]:
                    tests += rivals
                elif rivals:
                    cheapest, telling = min(rivals, key=lambda t: t.cost), max(rivals, key=lambda t: t.gain)
                    tests += [cheapest] + ([] if telling.same(cheapest) else [telling])
        if self.options["exhaustive"]:
            return tests
        total = float(self.costs.sum())
        least = 1e-3 + 1e-6 * total
        chosen = []
        for score in (lambda t: t.cost, lambda t: -t.gain / (t.price + least), lambda t: -t.gain):
            for test in sorted(tests, key=score)[: max(1, self.options["width"] >> depth)]:
                if not any(test.same(t) for t in chosen) and test.gain > 1e-12 * weight * total:
                    chosen.append(test)
        return chosen

    # ---- a limit for the whole tree -----------------------------------------------------------------------

    def price_of(self, columns):
        price, paid = 0.0, ()
        for f in sorted(columns):
            extra, paid = marginal(self.prices, f, paid)
            price += extra
        return price

    def loss_without(self, tree, f):
        if tree.test is not None and tree.test.column == f:
            return tree.leaf_cost - tree.cost
        return sum(self.loss_without(branch, f) for branch in tree.branches)

    def least_useful(self, root):
        """The column that is worth least for what its absence saves; one that saves nothing goes last."""
        used = root.columns()

        def value(f):
            saved = self.price_of(used) - self.price_of(used - {f})
            return self.loss_without(root, f) / saved if saved > 0 else math.inf

        return min(sorted(used), key=value)


def xlogx(x):
    return x * math.log2(x) if x > 0 else 0.0
