"""Evolution, step by step: the same draws as the core, on trees of plain Python objects and lists of rows.

Every change of a tree is computed from all rows; nothing is counted in bits, shared or remembered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from types import SimpleNamespace
from weakref import WeakKeyDictionary

import numpy as np

from . import evolve_local

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(x):
    x = (x + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class Draws:
    """A stream of random numbers that is named by numbers."""

    def __init__(self, *names):
        self.key, self.count = 0, 0
        for name in names:
            self.key = mix(self.key ^ mix(name))

    def uniform(self):
        self.count += 1
        return (mix((self.key + GOLDEN * self.count) & MASK) >> 11) * 2.0**-53

    def chance(self, p):
        return self.uniform() < p

    def below(self, n):
        return int(self.uniform() * n)

    def choose(self, odds):
        left, last = self.uniform() * sum(odds), 0
        for i, o in enumerate(odds):
            if o > 0:
                last = i
                if left < o:
                    return i
                left -= o
        return last

    def shuffle(self, items):
        for i in range(len(items), 1, -1):
            j = self.below(i)
            items[i - 1], items[j] = items[j], items[i - 1]


@dataclass
class Test:
    column: int
    cut: int = -1
    branch: tuple = ()  # nominal: of each value
    n_branches: int = 2


@dataclass(frozen=True, eq=False)
class Node:
    """Nodes never change. Without rows it is a sketch: tests to be tried on rows."""

    test: Test | None = None
    branches: list = field(default_factory=list)
    rows: tuple | None = None
    missing: int = 0
    price: float = 0.0

    @property
    def leaf(self):
        return self.test is None

    @cached_property
    def size(self):
        return 1 + sum(branch.size for branch in self.branches)

    def nodes(self, path=()):
        """All nodes, those above before those below, with the ways to them."""
        yield self, path
        for b, branch in enumerate(self.branches):
            yield from branch.nodes((*path, (self, b)))


def follow(root, steps):
    """The node that branches lead to, and the way to it."""
    node, path = root, []
    for b in steps:
        path.append((node, b))
        node = node.branches[b]
    return node, tuple(path)


def sketch_of(test, branches):
    n = test.n_branches
    return Node(test, [*branches, *(Node() for _ in range(n))][:n])


class Trees:
    """Trees on one table."""

    def __init__(self, rows, **options):
        self.rows, self.options = rows, SimpleNamespace(**options)
        self.all = tuple(range(len(rows.classes)))
        self.labels, self.costs = {}, WeakKeyDictionary()
        self.weights = np.array([rows.weight(i) for i in self.all])
        costs = [[rows.cost(i, p) for p in range(rows.n_classes)] for i in self.all]
        self.costs_of_rows = self.weights[:, None] * np.array(costs)
        self.weight = self.weigh(self.all)
        self.largest = float(self.costs_of_rows.max(axis=1).sum())
        if rows.prices is not None:
            self.largest += sum(rows.prices) * self.weight

    def weigh(self, here):
        return float(self.weights[list(here)].sum())

    def class_weights(self, here):
        classes = np.array(self.rows.classes)[list(here)]
        return np.bincount(classes, self.weights[list(here)], self.rows.n_classes).tolist()

    def answer_costs(self, here):
        return self.costs_of_rows[list(here)].sum(axis=0).tolist()

    def answer(self, here):
        answer_costs = self.answer_costs(here)
        return answer_costs.index(min(answer_costs))

    def label(self, here):
        """The cheapest answer, or None to abstain, and what it costs."""
        if here not in self.labels:
            self.labels[here] = self._label(here)
        return self.labels[here]

    def _label(self, here):
        answer_costs = self.answer_costs(here)
        refused = math.inf if self.rows.abstain is None else self.rows.abstain * self.weigh(here)
        return (
            (None, refused)
            if refused < min(answer_costs)
            else (answer_costs.index(min(answer_costs)), min(answer_costs))
        )

    def pure(self, here):
        return len({self.rows.classes[i] for i in here}) < 2

    def code(self, f, i):
        return self.rows.columns[f][i]

    def branch(self, test, code):
        return test.branch[code] if self.rows.nominal[test.column] else int(code > test.cut)

    def split(self, here, test):
        parts, missing = [[] for _ in range(test.n_branches)], []
        for i in here:
            code = self.code(test.column, i)
            (missing if code is None else parts[self.branch(test, code)]).append(i)
        sizes = [len(part) for part in parts]
        to = sizes.index(max(sizes))
        parts[to] = sorted(parts[to] + missing)
        return [tuple(part) for part in parts], to

    def price(self, column, path):
        """What a test costs below the nodes of a path."""
        if self.rows.prices is None or self.rows.mode != "path":
            return 0.0
        return 0.0 if any(node.test.column == column for node, _ in path) else self.rows.prices[column]

    def graft(self, here, sketch, path=()):
        options = self.options
        if sketch.leaf or len(path) >= options.max_depth or len(here) < 2 * options.min_rows:
            return Node(rows=here)
        test = sketch.test
        parts, missing = self.split(here, test)
        sizes = [len(part) for part in parts]
        fullest = sizes.index(max(sizes))
        kept = [b for b, size in enumerate(sizes) if size >= options.min_rows or b == fullest]
        if len(kept) < 2:
            return self.graft(here, sketch.branches[kept[0]], path)
        if len(kept) < len(parts):
            branch = tuple(kept.index(b if b in kept else fullest) for b in test.branch)
            test = Test(test.column, test.cut, branch, len(kept))
            parts, missing = self.split(here, test)
        below, path_below = [sketch.branches[b] for b in kept], (*path, (sketch, 0))
        branches = [self.graft(p, s, path_below) for p, s in zip(parts, below)]
        return Node(test, branches, here, missing, self.price(test.column, path))

    def cost(self, node):
        if node not in self.costs:
            below = sum(map(self.cost, node.branches)) if node.branches else self.label(node.rows)[1]
            self.costs[node] = below + (node.price and node.price * self.weigh(node.rows))
        return self.costs[node]

    def put(self, path, node):
        for above, b in reversed(path):
            branches = list(above.branches)
            branches[b] = node
            node = Node(above.test, branches, above.rows, above.missing, above.price)
        return node

    def upfront(self, root):
        if self.rows.prices is None or self.rows.mode != "upfront":
            return 0.0
        used = {node.test.column for node, _ in root.nodes() if not node.leaf}
        return sum(self.rows.prices[f] for f in sorted(used))

    def fitness(self, root):
        return self.fitness_of(self.cost(root) + self.upfront(root) * self.weight, root.size)

    def fitness_of(self, cost, size):
        good = 1.0 - cost / self.largest if self.largest > 0 else 1.0
        return good / (1.0 + self.options.alpha * size)

    def mean_cost(self, root):
        return self.cost(root) / self.weight + self.upfront(root)

    def fittest(self, root, steps=()):
        """From the leaves up, nodes become leaves where that makes the whole tree no less fit.

        With steps, which are numbers of branches, nodes below the node they lead to.
        """
        for b in range(len(follow(root, steps)[0].branches)):
            root = self.fittest(root, (*steps, b))
        node, path = follow(root, steps)
        smaller = self.put(path, Node(rows=node.rows))
        return root if self.fitness(smaller) < self.fitness(root) else smaller

    def as_tuple(self, node):
        """What the core says of a node and all below it."""
        test = node.test or Test(-1)
        weights = tuple(self.class_weights(node.rows))
        missing = -1 if node.leaf else node.missing
        below = tuple(self.as_tuple(branch) for branch in node.branches)
        return test.column, test.cut, tuple(test.branch), missing, self.answer(node.rows), weights, below


# ---- drawing rows and tests --------------------------------------------------------------------------------


def random_row(trees, here, draws):
    n = len(trees.all)
    if len(here) * 32 < n:
        return here[draws.below(len(here))]
    inside = set(here)
    while (row := draws.below(n)) not in inside:
        pass
    return row


def random_other(trees, here, row, draws):
    classes = trees.rows.classes
    for _ in range(64):
        other = random_row(trees, here, draws)
        if classes[other] != classes[row]:
            return other
    others = [i for i in here if classes[i] != classes[row]]
    return others[draws.below(len(others))] if others else row


def separate(trees, one, two, draws):
    """A random test of a random column in which two rows differ."""
    rows = trees.rows
    pairs = [(trees.code(f, one), trees.code(f, two)) for f in range(len(rows.columns))]
    differing = [f for f, (a, b) in enumerate(pairs) if a is not None and b is not None and a != b]
    chosen = None
    for i, f in enumerate(differing):
        if draws.below(i + 1) == 0:
            chosen = f
    if chosen is None:
        return None
    low, high = sorted(pairs[chosen])
    if not rows.nominal[chosen]:
        return Test(chosen, low + draws.below(high - low))
    branch = [int(draws.chance(0.5)) for _ in range(rows.n_values[chosen])]
    branch[low], branch[high] = 0, 1
    return Test(chosen, branch=tuple(branch))


def dipolar_test(trees, here, draws):
    for _ in range(0 if trees.pure(here) else 8):
        one = random_row(trees, here, draws)
        if test := separate(trees, one, random_other(trees, here, one, draws), draws):
            return test
    return None


def dipolar_sketch(trees, here, n_rows, draws):
    sample = here if len(here) <= n_rows else [random_row(trees, here, draws) for _ in range(n_rows)]
    return grow_dipolar(trees, sample, 0, draws)


def grow_dipolar(trees, sample, depth, draws):
    options = trees.options
    if trees.pure(sample) or len(sample) < options.min_split or depth >= options.max_depth:
        return Node()
    test = separate_dipole(trees, sample, draws)
    if test is None:
        return Node()
    parts = [[] for _ in range(test.n_branches)]
    for i in sample:
        code = trees.code(test.column, i)
        parts[0 if code is None else trees.branch(test, code)].append(i)
    return sketch_of(test, [grow_dipolar(trees, part, depth + 1, draws) for part in parts])


def separate_dipole(trees, sample, draws):
    classes = trees.rows.classes
    for _ in range(8):
        one = two = sample[draws.below(len(sample))]
        for _ in range(64):
            two = sample[draws.below(len(sample))]
            if classes[two] != classes[one]:
                break
        if classes[two] != classes[one] and (test := separate(trees, one, two, draws)):
            return test
    return None


# ---- crossover ---------------------------------------------------------------------------------------------


def cross(trees, one, two, draws):
    a, at = list(one.nodes())[draws.below(one.size)]
    b, bt = list(two.nodes())[draws.below(two.size)]
    kind = draws.choose(trees.options.crossover_odds)

    def placed(node, path, sketch):
        return trees.put(path, trees.graft(node.rows, sketch, path))

    if kind == 0:
        return placed(a, at, b), placed(b, bt, a)
    if a.leaf or b.leaf:
        return one, two
    if kind == 1:
        if a.test.n_branches != b.test.n_branches:
            return one, two
        return placed(a, at, sketch_of(b.test, a.branches)), placed(b, bt, sketch_of(a.test, b.branches))
    ours, theirs = list(a.branches), list(b.branches)
    draws.shuffle(ours)
    draws.shuffle(theirs)
    n = min(len(ours), len(theirs))
    ours[:n], theirs[:n] = theirs[:n], ours[:n]
    return placed(a, at, sketch_of(a.test, ours)), placed(b, bt, sketch_of(b.test, theirs))


# ---- mutation ----------------------------------------------------------------------------------------------


def new_test(trees, node, draws):
    test = dipolar_test(trees, node.rows, draws)
    return test and sketch_of(test, node.branches)


def shift_test(trees, node, draws):
    test = node.test
    if not test.branch:
        return shift_cut(trees, node, draws)
    n = test.n_branches
    first = draws.below(n)
    if n == 2 or draws.chance(0.5):
        return split_group(node, first, draws)
    goes = (first + 1 + draws.below(n - 1)) % n
    names = [b for b in range(n) if b != goes]
    branch = tuple(names.index(first if b == goes else b) for b in test.branch)
    return sketch_of(Test(test.column, -1, branch, n - 1), [node.branches[b] for b in names])


def shift_cut(trees, node, draws):
    test, last = node.test, trees.rows.n_values[node.test.column] - 2
    cut = test.cut
    if draws.chance(0.5):
        by = 1
        while by < last and draws.chance(0.5):
            by *= 2
        cut += by if draws.chance(0.5) else -by
    else:
        code = trees.code(test.column, random_row(trees, node.rows, draws))
        if code is not None:
            cut = code - draws.chance(0.5)
    cut = max(0, min(last, cut))
    return None if cut == test.cut else sketch_of(Test(test.column, cut), node.branches)


def split_group(node, group, draws):
    test = node.test
    values = [v for v, b in enumerate(test.branch) if b == group]
    if len(values) < 2:
        return None
    draws.shuffle(values)
    moved = values[: 1 + draws.below(len(values) - 1)]
    branch = tuple(test.n_branches if v in moved else b for v, b in enumerate(test.branch))
    test = Test(test.column, -1, branch, test.n_branches + 1)
    return sketch_of(test, [*node.branches, node.branches[group]])


def swap_with_son(trees, node, draws):
    sons = [b for b, branch in enumerate(node.branches) if not branch.leaf]
    if not sons:
        return None
    b = sons[draws.below(len(sons))]
    son = node.branches[b]
    branches = list(node.branches)
    branches[b] = sketch_of(node.test, son.branches)
    return sketch_of(son.test, branches)


def copy_branch(trees, node, draws):
    n, branches = len(node.branches), list(node.branches)
    source = draws.below(n)
    branches[(source + 1 + draws.below(n - 1)) % n] = branches[source]
    return sketch_of(node.test, branches)


def become_leaf(trees, node, draws):
    return Node()


def split_leaf(trees, node, draws):
    for _ in range(8):
        one = random_row(trees, node.rows, draws)
        if test := separate(trees, one, random_row(trees, node.rows, draws), draws):
            return sketch_of(test, [])
    return None


def grow_leaf(trees, node, draws):
    return dipolar_sketch(trees, node.rows, min(50, trees.options.sample_rows), draws)


INNER = [new_test, shift_test, swap_with_son, copy_branch, become_leaf]
LEAF = [split_leaf, grow_leaf]


def mutate(trees, root, draws):
    rate = min(trees.options.mutation_rate, trees.options.max_mutations / root.size)
    for i in range(root.size - 1, -1, -1):
        if draws.chance(rate):
            root = mutate_node(trees, root, i, draws)
    return root


def mutate_node(trees, root, i, draws):
    node, path = list(root.nodes())[i]
    if node.leaf and trees.pure(node.rows):
        return root
    kinds, odds = (LEAF, "leaf_odds") if node.leaf else (INNER, "inner_odds")
    change = kinds[draws.choose(getattr(trees.options, odds))]
    sketch = change(trees, node, draws)
    if sketch is None:
        return root
    changed = trees.put(path, trees.graft(node.rows, sketch, path))
    if change is grow_leaf:
        return trees.fittest(changed, [b for _, b in path])
    return changed


# ---- generations -------------------------------------------------------------------------------------------


class Evolution:
    def __init__(self, rows, **options):
        self.trees, self.options = Trees(rows, **options), SimpleNamespace(**options)
        self.population, self.generation = [], 0

    def start(self, sketches=()):
        trees, options = self.trees, self.options
        for i in range(options.population_size):
            draws = Draws(options.seed, 0, i, 1)
            if i < len(sketches):
                tree = trees.graft(trees.all, sketches[i])
            elif i == len(sketches) and options.local_rate > 0:
                tree = evolve_local.searched_tree(trees, draws)
            else:
                tree = trees.graft(trees.all, dipolar_sketch(trees, trees.all, options.sample_rows, draws))
            self.population.append(trees.fittest(tree))

    def ranked(self, population):
        """The fittest first, the smaller of equals, else in their order."""
        keys = [(-self.trees.fitness(tree), tree.size) for tree in population]
        order = sorted(range(len(population)), key=keys.__getitem__)
        return [population[i] for i in order]

    def step(self):
        options, n = self.options, self.options.population_size
        self.generation += 1
        ranked = self.ranked(self.population)
        pressure = options.selection_pressure
        odds = [pressure - 2 * (pressure - 1) * (rank / (n - 1)) if n > 1 else 1.0 for rank in range(n)]
        draws = Draws(options.seed, self.generation, 0, 2)
        parents = [ranked[draws.choose(odds)] for _ in range(n)]
        children = []
        for pair in range(0, n, 2):
            children += self.breed(
                parents[pair : pair + 2], Draws(options.seed, self.generation, pair // 2, 3)
            )
        children = self.ranked(children)
        self.population = children[: n - options.elite_size] + ranked[: options.elite_size]

    def breed(self, couple, draws):
        if len(couple) == 2 and draws.chance(self.options.crossover_rate):
            couple = cross(self.trees, *couple, draws)
        return [self.finish(tree, draws) for tree in couple]

    def finish(self, tree, draws):
        tree = mutate(self.trees, tree, draws)
        if self.options.local_rate > 0 and draws.chance(self.options.local_rate):
            tree = evolve_local.improve_node(self.trees, tree, draws)
        return tree

    def best(self):
        return self.ranked(self.population)[0]

    def report(self):
        trees, n, best = self.trees, len(self.population), self.best()
        fitness = [trees.fitness(tree) for tree in self.population]
        sizes = [tree.size for tree in self.population]
        distinct = {(trees.cost(tree), tree.size) for tree in self.population}
        means = sum(fitness) / n, sum(sizes) / n
        return trees.fitness(best), trees.mean_cost(best), best.size, *means, len(distinct) / n
