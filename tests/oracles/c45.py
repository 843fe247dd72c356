"""C4.5 release 8 by the book: recursion, lists of rows, dictionaries, and no cleverness at all.

Written from the formulas, not from the core. A row at a node is a pair (row number, weight); a missing value
is None. Sums of fractional weights miss whole numbers by rounding, so weights are compared up to ``SLACK``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

EPSILON = 1e-3
SLACK = 1e-9
J48_SLACK = 1e-6


@dataclass
class Data:
    """Columns of numbers or category codes; ``n_values`` is None for a numeric column."""

    columns: list
    n_values: list
    classes: list
    n_classes: int
    weights: list | None = None

    def rows(self, weights=None):
        """Every row that weighs anything."""
        weights = weights or self.weights or [1.0] * len(self.classes)
        return [(i, w) for i, w in enumerate(weights) if w > 0]

    def class_weights(self, rows):
        total = [0.0] * self.n_classes
        for i, w in rows:
            total[self.classes[i]] += w
        return total


@dataclass
class Options:
    dialect: str = "c45"
    criterion: str = "gain_ratio"
    min_samples_leaf: float = 2.0
    group_values: bool = False
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_gain: float = 0.0
    collapse: bool = True

    @property
    def j48(self):
        return self.dialect == "j48"

    @property
    def slack(self):
        return J48_SLACK if self.j48 else SLACK


@dataclass
class Split:
    """What one column offers. ``branch_of`` says where a known value goes."""

    feature: int
    gain: float
    split_info: float
    n_branches: int
    threshold: float | None = None
    value_branch: list | None = None

    def branch_of(self, value):
        if value is None:
            return None
        if self.threshold is not None:
            return 0 if value <= self.threshold else 1
        return self.value_branch[value]


@dataclass
class Node:
    class_weights: list
    split: Split | None = None
    children: list = field(default_factory=list)

    @property
    def weight(self):
        return sum(self.class_weights)

    @property
    def errors(self):
        return self.weight - max(self.class_weights)

    @property
    def n_nodes(self):
        return 1 + sum(child.n_nodes for child in self.children)

    @property
    def n_leaves(self):
        return sum(child.n_leaves for child in self.children) if self.children else 1

    @property
    def leaf_errors(self):
        return sum(child.leaf_errors for child in self.children) if self.children else self.errors


# ---- criteria ----------------------------------------------------------------------------------------------


def xlog2x(x):
    return x * math.log2(x) if x > 0 else 0.0


def info(weights):
    """Entropy times the sum of the weights."""
    return xlog2x(sum(weights)) - sum(xlog2x(w) for w in weights)


def gini(weights):
    total = sum(weights)
    return total * (1.0 - sum((w / total) ** 2 for w in weights)) if total > 0 else 0.0


def gain_of(branches, node_weight, options):
    """Gain of a partition of the known rows, given as class weights per branch."""
    impurity = gini if options.criterion == "gini" else info
    whole = [sum(weights) for weights in zip(*branches)]
    known = sum(whole)
    if known <= 0:
        return 0.0
    saved = (known / node_weight) * (impurity(whole) - sum(impurity(b) for b in branches))
    return saved / known


def split_info_of(branches, node_weight):
    """The rows with an unknown value are a branch of their own here."""
    sizes = [sum(branch) for branch in branches]
    return info([max(0.0, node_weight - sum(sizes)), *sizes]) / node_weight


# ---- numeric columns ---------------------------------------------------------------------------------------


def least_weight(known_weight, data, options):
    """C4.5's minsplit."""
    least = 0.1 * known_weight / data.n_classes
    return options.min_samples_leaf if least <= options.min_samples_leaf else min(least, 25.0)


def column_gap(data, f, options):
    """Values that differ by no more are never cut apart."""
    if options.j48:
        return 1e-5
    values = [data.columns[f][i] for i, _ in data.rows() if data.columns[f][i] is not None]
    return 1e-5 * min(1.0, max(values) - min(values)) if values else 0.0


def numeric_cuts(data, rows, f, options):
    """All candidate cuts as (low, high, gain without penalty, split info), in the order of the values."""
    column = data.columns[f]
    node_weight = sum(w for _, w in rows)
    known = [(i, w) for i, w in rows if column[i] is not None]
    known_weight = sum(w for _, w in known)
    if not known or known_weight < 2 * options.min_samples_leaf - SLACK:
        return []
    least = least_weight(known_weight, data, options)
    if options.j48 and len(known) < 2 * least - J48_SLACK:
        return []
    gap = column_gap(data, f, options)
    values = sorted({column[i] for i, _ in known})
    cuts = []
    for low, high in itertools.pairwise(values):
        if not (low + gap < high if options.j48 else low < high - gap):
            continue
        left = data.class_weights([(i, w) for i, w in known if column[i] <= low])
        right = data.class_weights([(i, w) for i, w in known if column[i] > low])
        if sum(left) < least - options.slack or sum(left) > known_weight - least + options.slack:
            continue
        gain = gain_of([left, right], node_weight, options)
        cuts.append((low, high, gain, split_info_of([left, right], node_weight)))
    return cuts


def penalty(cuts, rows, options):
    """Bits for saying which of the candidates was chosen."""
    return 0.0 if options.criterion == "gini" else math.log2(len(cuts)) / sum(w for _, w in rows)


def data_threshold(data, f, low, high):
    """The largest value of the training data that is not above the middle."""
    middle = low / 2 + high / 2 if math.isinf(low + high) else (low + high) / 2
    values = [data.columns[f][i] for i, _ in data.rows() if data.columns[f][i] is not None]
    return max(v for v in values if low <= v < high and v <= max(low, middle))


def numeric_split(data, rows, f, options):
    cuts = numeric_cuts(data, rows, f, options)
    best, best_gain = None, 0.0 if options.j48 else -math.inf
    for cut in cuts:
        if cut[2] > best_gain + (J48_SLACK if options.j48 else 0.0):
            best, best_gain = cut, cut[2]
    return cut_split(data, rows, f, cuts, best, options) if best else None


def cut_split(data, rows, f, cuts, cut, options):
    """The split that a cut makes, None where the penalty eats its gain."""
    low, high, gain, split_info = cut
    gain -= penalty(cuts, rows, options)
    if gain <= (J48_SLACK if options.j48 else 0.0):
        return None
    return Split(f, gain, split_info, 2, threshold=data_threshold(data, f, low, high))


# ---- nominal columns ---------------------------------------------------------------------------------------


def value_weights(data, rows, f):
    """Class weights of each category at the node."""
    return [
        data.class_weights([(i, w) for i, w in rows if data.columns[f][i] == v])
        for v in range(data.n_values[f])
    ]


def partition_split(data, rows, f, value_branch, n_branches, options, node_weight):
    branches = [[0.0] * data.n_classes for _ in range(n_branches)]
    for i, w in rows:
        if data.columns[f][i] is not None:
            branches[value_branch[data.columns[f][i]]][data.classes[i]] += w
    gain = gain_of(branches, node_weight, options)
    if options.j48 and abs(gain * sum(map(sum, branches))) < J48_SLACK:
        gain = 0.0
    return Split(f, gain, split_info_of(branches, node_weight), n_branches, value_branch=list(value_branch))


def multiway_split(data, rows, f, options):
    table = value_weights(data, rows, f)
    if sum(sum(weights) >= options.min_samples_leaf - SLACK for weights in table) < 2:
        return None
    node_weight = sum(w for _, w in rows)
    return partition_split(data, rows, f, range(len(table)), len(table), options, node_weight)


def first_groups(data, rows, f):
    """Groups to start from, pure ones of one class merged, and the values too light for a group."""
    table = value_weights(data, rows, f)
    groups = [[v] for v, weights in enumerate(table) if sum(weights) > 0.5 + SLACK]
    leftover = [v for v, weights in enumerate(table) if sum(weights) <= 0.5 + SLACK]
    merged: list[list[int]] = []
    pure: dict[int, list[int]] = {}
    for group in groups:
        present = [c for c, w in enumerate(table[group[0]]) if w > 0]
        if len(present) == 1 and present[0] in pure:
            pure[present[0]] += group
            continue
        if len(present) == 1:
            pure[present[0]] = group
        merged.append(group)
    return merged, leftover, table


def judge_groups(groups, table, node_weight, options):
    branches = [[sum(table[v][c] for v in group) for c in range(len(table[0]))] for group in groups]
    gain, split_info = gain_of(branches, node_weight, options), split_info_of(branches, node_weight)
    return gain, gain / split_info if split_info > 0 else 0.0


def group_weight(group, table):
    return sum(sum(table[v]) for v in group)


def mergers(groups, table, node_weight, options):
    """Every allowed merge of a pair: (keeps half the gain, ratio, groups afterwards)."""
    before = judge_groups(groups, table, node_weight, options)[0]
    weights = [group_weight(group, table) for group in groups]
    spared = weights.index(max(weights)) if sum(w >= 1.0 - SLACK for w in weights) < 3 else None
    found = []
    for i in range(len(groups)):
        for j in range(i + 1, len(groups)):
            if spared in (i, j):
                continue
            after = [g for k, g in enumerate(groups) if k not in (i, j)]
            after.insert(i, groups[i] + groups[j])
            gain, ratio = judge_groups(after, table, node_weight, options)
            found.append((gain >= 0.5 * before, ratio, after))
    return found


def may_stop(groups, table, options):
    """Whether a merge has to raise the ratio; otherwise it is made whatever it does."""
    heavy = sum(group_weight(group, table) >= 1.0 - SLACK for group in groups)
    return options.criterion == "gain_ratio" and heavy >= 2


def group_split(data, rows, f, options):
    groups, leftover, table = first_groups(data, rows, f)
    if len(groups) < 2:
        return None
    node_weight = sum(w for _, w in rows)
    while len(groups) > 2:
        found = mergers(groups, table, node_weight, options)
        if not found:
            break
        best = max(found, key=lambda merger: merger[:2])  # the first of equals
        ratio = judge_groups(groups, table, node_weight, options)[1]
        if may_stop(groups, table, options) and best[1] <= ratio + 1e-5:
            break
        groups = best[2]
    return finish_groups(data, rows, f, groups, leftover, table, options)


def finish_groups(data, rows, f, groups, leftover, table, options):
    """The split that groups make. Values too light for a group share a branch and count as unknown."""
    if len(groups) < 2 or sum(group_weight(g, table) >= options.min_samples_leaf - SLACK for g in groups) < 2:
        return None
    value_branch = [len(groups)] * len(table)
    for b, group in enumerate(groups):
        for value in group:
            value_branch[value] = b
    kept = [row for row in rows if data.columns[f][row[0]] not in leftover]
    split = partition_split(data, kept, f, value_branch, len(groups), options, sum(w for _, w in rows))
    split.n_branches += 1 if leftover else 0
    return split


# ---- choosing ----------------------------------------------------------------------------------------------


def is_grouped(data, f, options):
    return options.group_values and data.n_values[f] is not None and data.n_values[f] > 2


def column_split(data, rows, f, tested, options):
    if data.n_values[f] is None:
        return numeric_split(data, rows, f, options)
    if is_grouped(data, f, options):
        return group_split(data, rows, f, options)
    return None if f in tested else multiway_split(data, rows, f, options)


def average_gain(data, splits):
    """Mean gain of the usable columns that do not have very many values; infinite where there is none."""
    limit = 0.3 * sum(w for _, w in data.rows())
    many = [n is not None and n >= limit for n in data.n_values]
    counted = [s.gain for s in splits if s is not None and (all(many) or not many[s.feature])]
    return sum(counted) / len(counted) if counted else math.inf


def worth(split, average, options):
    """What a split is judged by, None where it is out of the question."""
    if options.min_gain > 0 and split.gain < options.min_gain:
        return None
    if options.criterion != "gain_ratio":
        return split.gain if split.split_info > 0 else None
    least_info = J48_SLACK if options.j48 else EPSILON
    if split.gain < average - EPSILON or split.split_info <= least_info:
        return None
    return split.gain / split.split_info


def best_split(data, rows, tested, options):
    splits = [column_split(data, rows, f, tested, options) for f in range(len(data.columns))]
    splits = [s for s in splits if s is not None and s.gain > -EPSILON]
    average = average_gain(data, splits)
    best, best_worth = None, 0.0 if options.j48 else -EPSILON
    for split in splits:
        value = worth(split, average, options)
        if value is not None and value > best_worth + (J48_SLACK if options.j48 else 0.0):
            best, best_worth = split, value
    return best


# ---- growing -----------------------------------------------------------------------------------------------


def must_be_leaf(data, rows, depth, options):
    weights = data.class_weights(rows)
    if options.max_depth is not None and depth >= options.max_depth:
        return True
    return sum(w > 0 for w in weights) < 2 or sum(weights) < 2 * options.min_samples_leaf - SLACK


def hand_out(data, rows, split):
    """Rows of each branch; unknown ones enter every branch with known rows, with a share of their weight."""
    branches = [[] for _ in range(split.n_branches)]
    unknown = []
    for i, w in rows:
        branch = split.branch_of(data.columns[split.feature][i])
        unknown.append((i, w)) if branch is None else branches[branch].append((i, w))
    known = [sum(w for _, w in branch) for branch in branches]
    for branch, weight in zip(branches, known):
        # Only in pruning may all be unknown: then every branch gets the same.
        share = weight / sum(known) if sum(known) > 0 else 1 / len(branches)
        if share > 0:
            branch += [(i, w * share) for i, w in unknown]
    return branches, known


def tested_below(data, split, tested, options):
    nominal = split.value_branch is not None and not is_grouped(data, split.feature, options)
    return tested | {split.feature} if nominal else tested


def grow(data, options):
    if options.max_leaf_nodes is None:
        root = grow_below(data, data.rows(), frozenset(), 0, options)
    else:
        root = grow_best_first(data, options)
    return collapse(root) if options.collapse else root


def grow_below(data, rows, tested, depth, options):
    node = Node(data.class_weights(rows))
    if must_be_leaf(data, rows, depth, options):
        return node
    node.split = best_split(data, rows, tested, options)
    if node.split is None:
        return node
    below = tested_below(data, node.split, tested, options)
    for branch in hand_out(data, rows, node.split)[0]:
        node.children.append(grow_below(data, branch, below, depth + 1, options))
    return node


def grow_best_first(data, options):
    """The open node whose split saves most (gain times weight) is split next; earlier nodes win ties."""
    root = Node(data.class_weights(data.rows()))
    pending, n_leaves = [], 1

    def offer(node, rows, tested, depth):
        if not rows or must_be_leaf(data, rows, depth, options):
            return
        split = best_split(data, rows, tested, options)
        if split is not None:
            pending.append((split.gain * node.weight, node, rows, tested, depth, split))

    offer(root, data.rows(), frozenset(), 0)
    while pending:
        item = max(pending, key=lambda entry: entry[0])
        pending.remove(item)
        _, node, rows, tested, depth, split = item
        if n_leaves + split.n_branches - 1 > options.max_leaf_nodes:
            continue
        n_leaves += split.n_branches - 1
        node.split = split
        for branch in hand_out(data, rows, split)[0]:
            child = Node(data.class_weights(branch))
            node.children.append(child)
            offer(child, branch, tested_below(data, split, tested, options), depth + 1)
    return root


def collapse(node):
    """A split that saves no training error is undone."""
    node.children = [collapse(child) for child in node.children]
    if node.children and node.leaf_errors >= node.errors - EPSILON:
        node.split, node.children = None, []
    return node
