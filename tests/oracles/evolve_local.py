"""Local search of evolution: the best test over given branches, and the best subtree of a few levels.

All pairs of tests are summed over all rows of a node; nothing is bounded or cut short.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import evolve_steps as steps

MAX_GROUPS, MIN_GROUPS = 32, 8
ALL = 10**9  # a width: every test is followed up


def some_rows(trees, here, draws):
    rows, wanted = list(here), trees.options.local_rows
    if len(rows) <= wanted:
        return rows
    for i in range(wanted):
        j = i + draws.below(len(rows) - i)
        rows[i], rows[j] = rows[j], rows[i]
    return rows[:wanted]


def price_of_node(trees, root):
    """What a node may cost before it lowers the fitness of the tree."""
    cost, size = trees.cost(root) + trees.upfront(root) * trees.weight, root.size
    unit = max(trees.label(trees.all)[1], 1e-300) * 1e-3
    now = trees.fitness_of(cost, size)
    larger, dearer = trees.fitness_of(cost, size + 1), trees.fitness_of(cost + unit, size)
    return unit * (now - larger) / (now - dearer) if now > dearer else 0.0


# ---- one test over the same branches -----------------------------------------------------------------------


def cost_below(trees, node, i):
    """What a row costs in a subtree: its answer, and the tests on the way."""
    price = 0.0
    while not node.leaf:
        price += node.price
        code = trees.code(node.test.column, i)
        node = node.branches[node.missing if code is None else trees.branch(node.test, code)]
    return price + trees.rows.cost(i, trees.label(node.rows)[0])


def best_test(trees, node, path, draws):
    table, m = trees.rows, len(node.branches)
    sample = some_rows(trees, node.rows, draws)
    answer_costs = {i: [table.weight(i) * cost_below(trees, b, i) for b in node.branches] for i in sample}
    best, chosen = math.inf, None
    for f, n in enumerate(table.n_values):
        if n < 2 or (not table.nominal[f] and m != 2):
            continue
        sums = [
            [sum(answer_costs[i][b] for i in sample if trees.code(f, i) == v) for b in range(m)]
            for v in range(n)
        ]
        price = trees.price(f, path) * trees.weigh(sample)
        if table.nominal[f]:
            branch = tuple(s.index(min(s)) for s in sums)
            offers = [(steps.Test(f, -1, branch, m), (price + sum(map(min, sums)), math.inf))]
        else:
            offers = []
            for cut in range(n - 1):
                low, high = sums[: cut + 1], sums[cut + 1 :]
                one = sum(s[0] for s in low) + sum(s[1] for s in high)
                two = sum(s[1] for s in low) + sum(s[0] for s in high)
                offers.append((steps.Test(f, cut), (price + one, price + two)))
        for test, pair in offers:
            if min(pair) < best:
                best, chosen = min(pair), (test, pair[1] < pair[0])
    if chosen is None:
        return None
    test, swapped = chosen
    return steps.sketch_of(test, node.branches[::-1] if swapped else node.branches)


# ---- values of columns in groups ---------------------------------------------------------------------------


@dataclass
class Groups:
    column: int
    n: int
    of_value: list  # group of each value; -1: does not occur
    fullest: int
    price: float


def likely_answers(trees, here):
    table = trees.rows
    if table.per_row:
        answer = trees.answer(here)
        return answer, 1 if answer == 0 and table.n_classes > 1 else 0
    order = sorted((cost, p) for p, cost in enumerate(trees.answer_costs(here)))
    return order[0][1], order[min(1, len(order) - 1)][1]


def group_values(trees, f, here, sample, max_groups, path):
    table = trees.rows
    codes = [trees.code(f, i) for i in sample]
    order = [v for v in range(table.n_values[f]) if v in codes]
    if table.nominal[f]:
        p, q = likely_answers(trees, here)

        def rank(v):
            members = [i for i in sample if trees.code(f, i) == v]
            more = sum(table.weight(i) * (table.cost(i, p) - table.cost(i, q)) for i in members)
            return more / trees.weigh(members)

        order.sort(key=rank)
    full = 0 if len(order) <= max_groups else len(sample) // max_groups
    sizes, of_value = [0], [-1] * table.n_values[f]
    for i, v in enumerate(order):
        if i > 0 and sizes[-1] >= full and len(sizes) < max_groups:
            sizes.append(0)
        sizes[-1] += codes.count(v)
        of_value[v] = len(sizes) - 1
    return Groups(f, len(sizes), of_value, sizes.index(max(sizes)), trees.price(f, path))


def test_at(trees, groups, last):
    f = groups.column
    if not trees.rows.nominal[f]:
        return steps.Test(f, max(v for v, g in enumerate(groups.of_value) if 0 <= g <= last))
    rest = int(2 * (last + 1) < groups.n)
    return steps.Test(f, -1, tuple(rest if g < 0 else int(g > last) for g in groups.of_value))


# ---- subtrees ----------------------------------------------------------------------------------------------


class SubtreeSearch:
    def __init__(self, trees, here, path, levels, width, max_groups, node_price, draws):
        self.trees, self.levels, self.width, self.node_price = trees, levels, width, node_price
        table, sample = trees.rows, some_rows(trees, here, draws)
        self.scale = len(here) / len(sample)
        self.least = trees.options.min_rows if table.weights is None and self.scale == 1 else 0
        answers = [*range(table.n_classes)] + ([] if table.abstain is None else [None])
        costs = [[*(table.cost(i, p) for p in answers), 1.0] for i in sample]
        self.sums = np.array([table.weight(i) for i in sample])[:, None] * np.array(costs)
        self.known = {}
        self.tests, left = [], []
        for f in range(len(table.columns)):
            groups = group_values(trees, f, here, sample, max_groups, path)
            codes = [trees.code(f, i) for i in sample]
            group = np.array([groups.fullest if c is None else groups.of_value[c] for c in codes])
            for last in range(groups.n - 1):
                self.tests.append((groups, last))
                left.append(group <= last)
        self.left = np.array(left).reshape(len(left), len(sample))

    def leaves(self, sums):
        """What leaves cost; the last of the sums over their rows are weights."""
        answer_costs = sums[..., :-1].min(axis=-1) * self.scale
        return np.where(sums[..., -1] < self.least, math.inf, answer_costs)

    def price(self, t, n_rows):
        return 2.0 * self.node_price + self.tests[t][0].price * n_rows * self.scale

    def pairs(self, here):
        """Cost of both sides of each test as leaves, and with each second test: (side, test[, second])."""
        sums, left = self.sums[here], self.left[:, here].astype(float)
        low, total = left @ sums, sums.sum(axis=0)
        corner = np.stack([(left * channel) @ left.T for channel in sums.T], axis=-1)
        above, extra = total - low, 2.0 * self.node_price
        sides = np.stack([self.leaves(low), self.leaves(above)])
        halves = [
            (self.leaves(corner), self.leaves(low[:, None] - corner)),
            (self.leaves(low[None, :] - corner), self.leaves(above[:, None] - low[None, :] + corner)),
        ]
        prices = np.array([self.price(t, 0.5 * len(sums)) for t in range(len(self.tests))])
        other = np.stack([one + two + prices for one, two in halves])
        # A second test of the same column leaves a middle; its price is known to be that of its nodes.
        same = np.stack([halves[0][1] + extra + halves[0][0], halves[1][0] + extra + halves[1][1]])
        return sides, same, other

    def seconds(self, same, other):
        """The best second test below each side of each test: tests of the same column are tried first."""
        column = np.array([groups.column for groups, _ in self.tests])
        last = np.array([last for _, last in self.tests])
        alike = column[:, None] == column[None, :]
        below = np.stack([alike & (last[None, :] < last[:, None]), alike & (last[None, :] > last[:, None])])
        same, other = np.where(below, same, math.inf), np.where(alike, math.inf, other)
        first = other.min(axis=-1) < same.min(axis=-1)
        by = np.where(first, other.argmin(axis=-1), same.argmin(axis=-1))
        return np.minimum(same.min(axis=-1), other.min(axis=-1)), by

    def two_levels(self, here, levels):
        """Bill of each test, and the best one as a sketch."""
        sides, same, other = self.pairs(here)
        more, by = self.seconds(same, other)
        if levels < 2 or not here.any():
            more = np.full_like(more, math.inf)
        prices = np.array([self.price(t, int(here.sum())) for t in range(len(self.tests))])
        answer_costs = prices + np.minimum(sides, more)[0] + np.minimum(sides, more)[1]
        t = int(answer_costs.argmin())
        below = [self.sketch(by[s, t]) if more[s, t] < sides[s, t] else None for s in (0, 1)]
        return answer_costs.tolist(), self.sketch(t, *below)

    def solve(self, here, levels, width):
        """Bill and sketch of the best subtree of these rows; no sketch: a leaf."""
        best = float(self.leaves(self.sums[here].sum(axis=0)))
        if best <= 2.0 * self.node_price or not self.tests or levels < 1:
            return best, None
        key = here.tobytes(), levels > 1
        if key not in self.known:
            self.known[key] = self.two_levels(here, levels)
        answer_costs, sketch = self.known[key]
        best, chosen = (min(answer_costs), sketch) if min(answer_costs) < best else (best, None)
        return (
            (best, chosen) if levels < 3 else self.follow_up(here, levels, width, answer_costs, best, chosen)
        )

    def sketch(self, t, left=None, right=None):
        return steps.sketch_of(
            test_at(self.trees, *self.tests[t]), [left or steps.Node(), right or steps.Node()]
        )

    def follow_up(self, here, levels, width, answer_costs, best, chosen):
        """The tests that are best with two levels get more; above three levels there are two rounds."""

        def try_first(t, width):
            nonlocal best, chosen
            one, left = self.solve(here & self.left[t], levels - 1, width)
            two, right = self.solve(here & ~self.left[t], levels - 1, width)
            cost = self.price(t, int(here.sum())) + one + two
            if cost < best:
                best, chosen = cost, self.sketch(t, left, right)
            return cost

        by_cost = sorted(range(len(answer_costs)), key=answer_costs.__getitem__)
        if levels == 3:
            for t in by_cost[:width]:
                if answer_costs[t] < math.inf or width != ALL:
                    try_first(t, width)
            return best, chosen
        usual = self.width if width == ALL else width
        found = [math.inf] * len(answer_costs)
        for t in by_cost[: 4 * usual]:
            if answer_costs[t] < math.inf or width != ALL:
                found[t] = try_first(t, max(1, usual // 3))
        again = sorted(range(len(answer_costs)), key=found.__getitem__)
        for t in again if width == ALL else again[: max(1, width // 2)]:
            if (answer_costs if width == ALL else found)[t] < math.inf:
                try_first(t, ALL if width == ALL else 8 * width)
        return best, chosen

    def run(self, exhaustive=False):
        everyone = np.ones(len(self.sums), dtype=bool)
        return self.solve(everyone, self.levels, ALL if exhaustive else self.width)[1]


# ---- what is searched --------------------------------------------------------------------------------------


def operations(trees, here, levels, width, max_groups):
    """About how many operations a search takes."""
    table = trees.rows
    columns, k = len(table.columns), table.n_classes
    tests = sum(min(n, max_groups) - 1 for n in table.n_values)
    searches = 1.0
    for _ in range(levels - 2):
        searches = 1 + 2 * (tests if width == ALL else width) * searches
    sums = min(len(here), trees.options.local_rows, tests * tests / columns) * columns
    return searches * (0.5 * tests * tests * 4 * k * k + sums * columns)


def affordable(trees, here, levels, width, most):
    for fewer in range(levels, 1, -1):
        for groups in (32, 16, 8):
            if operations(trees, here, fewer, width, groups) <= most:
                return fewer, width, groups
    return min(levels, 1), width, MAX_GROUPS


def solvable(trees):
    options = trees.options
    if options.max_depth > 4 or options.alpha > 0 or trees.rows.prices is not None:
        return False
    return operations(trees, trees.all, options.max_depth, ALL, MAX_GROUPS) <= 1e11


def improve_node(trees, root, draws):
    node, path = list(root.nodes())[draws.below(root.size)]
    left = trees.options.max_depth - len(path)
    if trees.pure(node.rows) or left <= 0:
        return root
    if not node.leaf and draws.chance(0.5):
        sketch = best_test(trees, node, path, draws)
    else:
        u = draws.uniform()
        levels = min(1 if u < 0.3 else 2 if u < 0.8 else 3, left)
        limits = affordable(trees, node.rows, levels, 8, 2e6)
        search = SubtreeSearch(trees, node.rows, path, *limits, price_of_node(trees, root), draws)
        sketch = search.run()
    if sketch is None:
        return root
    changed = trees.put(path, trees.graft(node.rows, sketch, path))
    return changed if trees.fitness(changed) > trees.fitness(root) else root


def searched_tree(trees, draws):
    """A tree of a few levels, searched for as a whole."""
    levels, everyone = min(trees.options.max_depth, 4), trees.all
    leaf = steps.Node(rows=everyone)
    most = 1e10 if trees.options.max_depth <= 4 else 1e8
    limits = (levels, 24, MAX_GROUPS) if solvable(trees) else affordable(trees, everyone, levels, 24, most)
    search = SubtreeSearch(trees, everyone, (), *limits, price_of_node(trees, leaf), draws)
    sketch = search.run(exhaustive=solvable(trees))
    return leaf if sketch is None else trees.graft(everyone, sketch)
