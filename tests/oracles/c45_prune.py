"""What comes after growing in the slow twin: pruning, counting anew, classifying."""

from __future__ import annotations

import math
from statistics import NormalDist

from oracles.c45 import Node, hand_out

_CONFIDENCE = [0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00]
_DEVIATE = [4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00]


def deviate(confidence, dialect):
    if dialect == "j48":
        return NormalDist().inv_cdf(1 - confidence) if confidence < 1 else 0.0
    for i in range(1, len(_CONFIDENCE)):
        if confidence <= _CONFIDENCE[i]:
            part = (confidence - _CONFIDENCE[i - 1]) / (_CONFIDENCE[i] - _CONFIDENCE[i - 1])
            return _DEVIATE[i - 1] + part * (_DEVIATE[i] - _DEVIATE[i - 1])
    raise ValueError(confidence)


def extra_errors(n, e, confidence, dialect):
    """Errors to expect beyond the e seen among n."""
    j48 = dialect == "j48"
    at_zero = n * (1 - confidence ** (1 / n))
    if e <= 0 or (not j48 and e < 1e-6):
        return at_zero
    if e < (1.0 if j48 else 0.9999):
        return at_zero + e * (extra_errors(n, 1.0, confidence, dialect) - at_zero)
    if e + 0.5 >= n:
        return max(n - e, 0.0) if j48 else 0.67 * (n - e)
    q = deviate(confidence, dialect) ** 2
    p = (e + 0.5 + q / 2 + math.sqrt(q * ((e + 0.5) * (1 - (e + 0.5) / n) + q / 4))) / (n + q)
    return n * p - e


class Pruner:
    """One bottom-up pass over a grown tree; ``close_call`` tells whether rounding may have decided."""

    def __init__(self, data, dialect="c45", confidence=0.25, raise_subtrees=True, weights=None):
        self.data, self.dialect, self.confidence = data, dialect, confidence
        self.raise_subtrees, self.weights = raise_subtrees, weights
        self.close_call = False
        self.estimate = None

    def prune(self, root):
        node, self.estimate = self.prune_below(root, self.data.rows(self.weights))
        return node

    def at_most(self, a, b):
        self.close_call |= abs(a - b) < 1e-9 * max(1.0, abs(a))
        return a <= b

    def leaf_estimate(self, rows):
        weights = self.data.class_weights(rows)
        n = sum(weights)
        if n <= 0:
            return 0.0
        e = n - max(weights)
        edges = (1e-6, 0.9999, 1.0, n - 0.5) if e > 1e-12 else ()
        self.close_call |= any(abs(e - edge) < 1e-9 and e != edge for edge in edges)
        self.close_call |= 0 < e <= 1e-12
        return e + extra_errors(n, e, self.confidence, self.dialect)

    def prune_below(self, node, rows):
        as_leaf = self.leaf_estimate(rows)
        leaf = Node(self.data.class_weights(rows))
        if not node.children or leaf.weight <= 0:
            return leaf, as_leaf
        branches, known = hand_out(self.data, rows, node.split)
        pruned = [self.prune_below(child, branch) for child, branch in zip(node.children, branches)]
        kept = Node(leaf.class_weights, node.split, [child for child, _ in pruned])
        as_tree = sum(estimate for _, estimate in pruned)
        heaviest = max(known)
        largest = max(b for b, weight in enumerate(known) if weight >= heaviest)
        self.close_call |= any(0 < heaviest - weight < 1e-9 for weight in known)
        branch = kept.children[largest]
        as_branch = self.subtree_estimate(branch, rows) if self.raise_subtrees else math.inf
        if self.at_most(as_leaf, as_branch + 0.1) and self.at_most(as_leaf, as_tree + 0.1):
            return leaf, as_leaf
        if self.at_most(as_branch, as_tree + 0.1):
            return self.prune_below(branch, rows)
        return kept, as_tree

    def subtree_estimate(self, node, rows):
        """Estimate of a subtree for these rows, as it is."""
        if not rows:
            return 0.0
        if not node.children:
            return self.leaf_estimate(rows)
        branches, _ = hand_out(self.data, rows, node.split)
        return sum(self.subtree_estimate(child, branch) for child, branch in zip(node.children, branches))


def recount(data, node, weights):
    """The same tests with the class weights of other row weights."""

    def below(node, rows):
        counted = Node(data.class_weights(rows), node.split)
        if node.children:
            branches = hand_out(data, rows, node.split)[0]
            counted.children = [below(child, branch) for child, branch in zip(node.children, branches)]
        return counted

    return below(node, data.rows(weights))


def prune_by_cost(node, costs, close_calls):
    """Laplace pruning; costs[actual][predicted]. Returns the tree and its loss, and notes close calls."""
    k = len(costs)
    shares = [(w + 1) / (node.weight + k) for w in node.class_weights]
    as_leaf = node.weight * min(sum(shares[j] * costs[j][i] for j in range(k)) for i in range(k))
    if not node.children:
        return node, as_leaf
    pruned = [prune_by_cost(child, costs, close_calls) for child in node.children]
    as_tree = sum(loss for _, loss in pruned)
    if abs(as_leaf - as_tree) < 1e-9 * max(1.0, as_tree):
        close_calls.append(node)
    if as_leaf <= as_tree:
        return Node(node.class_weights), as_leaf
    return Node(node.class_weights, node.split, [child for child, _ in pruned]), as_tree


# ---- classifying -------------------------------------------------------------------------------------------


def predict_proba(node, row, above=None):
    """Class shares where a row arrives; a leaf without weight answers like the nearest node with some."""
    shares = [w / node.weight for w in node.class_weights] if node.weight > 0 else above
    if not node.children:
        return shares
    branch = node.split.branch_of(row[node.split.feature])
    if branch is not None:
        return predict_proba(node.children[branch], row, shares)
    total = sum(child.weight for child in node.children)
    if total <= 0:
        return shares
    mixture = [0.0] * len(node.class_weights)
    for child in node.children:
        if child.weight > 0:
            for c, share in enumerate(predict_proba(child, row, shares)):
                mixture[c] += child.weight / total * share
    return mixture
