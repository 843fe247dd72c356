"""Does a tree of the core agree with the slow twin, up to ties?

The twin walks down the core's tree with its own rows. At every node it works out which splits may win: its
own, and those that tie with it within ``TIE``, where rounding decides. The core's split must be one of them.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from oracles import c45
from oracles.c45 import EPSILON, J48_SLACK, Node, Split

TIE = 1e-9


class TooTied(Exception):
    """So many ties that following all of them would take too long."""


def as_nodes(model, node=0):
    """Turn flat arrays into nested nodes."""
    nested = Node(model.class_weights[node].tolist())
    if model.feature[node] >= 0:
        nested.split = core_split(model, node)
        nested.children = [as_nodes(model, child) for child in model.children(node)]
    return nested


def core_split(model, node):
    numeric = model.is_numeric(node)
    return Split(
        feature=int(model.feature[node]),
        gain=math.nan,
        split_info=math.nan,
        n_branches=int(model.n_branches[node]),
        threshold=float(model.threshold[node]) if numeric else None,
        value_branch=None if numeric else model.branches(node).tolist(),
    )


def same_tree(a, b, tolerance=1e-9):
    """Whether two nested trees have the same tests and class weights."""
    if not np.allclose(a.class_weights, b.class_weights, rtol=tolerance, atol=tolerance):
        return False
    if bool(a.children) != bool(b.children):
        return False
    if a.children and not same_test(a.split, b.split):
        return False
    return len(a.children) == len(b.children) and all(map(same_tree, a.children, b.children))


def same_test(a, b):
    return (a.feature, a.threshold, a.n_branches) == (b.feature, b.threshold, b.n_branches) and (
        a.value_branch == b.value_branch
    )


# ---- what may win ------------------------------------------------------------------------------------------


def possible_winners(options, start, improvement):
    """Positions that may hold the first best value when each has several possible values, None for no value.

    A later value wins when it is more than ``improvement`` above the best so far, which starts as ``start``.
    """
    states = {(None, start)}
    for position, values in enumerate(options):
        after = set()
        for state in states:
            for value in values:
                bar = math.inf if value is None else state[1] + improvement
                if value is not None and value > bar - TIE:
                    after.add((position, value))
                if value is None or value <= bar + TIE:
                    after.add(state)
        states = after
        if len(states) > 1000:
            raise TooTied
    return {position for position, _ in states}


def numeric_alternatives(data, rows, f, options):
    cuts = c45.numeric_cuts(data, rows, f, options)
    start, improvement = (0.0, J48_SLACK) if options.j48 else (-math.inf, 0.0)
    found = []
    for position in possible_winners([[cut[2]] for cut in cuts], start, improvement):
        if position is None:
            found.append(None)
            continue
        low, high, gain, split_info = cuts[position]
        gain -= c45.penalty(cuts, rows, options)
        bar = J48_SLACK if options.j48 else 0.0
        if gain > bar - TIE:
            threshold = c45.data_threshold(data, f, low, high)
            found.append(Split(f, gain, split_info, 2, threshold=threshold))
        if gain <= bar + TIE:
            found.append(None)
    return found


def group_alternatives(data, rows, f, options):
    """Every grouping that the hill climb may end in when ties are broken either way."""
    groups, leftover, table = c45.first_groups(data, rows, f)
    if len(groups) < 2:
        return [None]
    node_weight = sum(w for _, w in rows)
    ends, seen, open_ = [], set(), [groups]
    while open_:
        groups = open_.pop()
        key = tuple(map(frozenset, groups))
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > 200:
            raise TooTied
        found = c45.mergers(groups, table, node_weight, options) if len(groups) > 2 else []
        before = c45.judge_groups(groups, table, node_weight, options)
        best = possible_mergers(found, before[0], table, node_weight, options)
        must_rise = c45.may_stop(groups, table, options)
        if not found or (must_rise and any(m[1] <= before[1] + 1e-5 + TIE for m in best)):
            ends.append(groups)
        open_ += [m[2] for m in best if not must_rise or m[1] > before[1] + 1e-5 - TIE]
    return [c45.finish_groups(data, rows, f, groups, leftover, table, options) for groups in ends]


def possible_mergers(found, gain_before, table, node_weight, options):
    """Merges that no other surely beats."""

    def keeps(merger):
        gain = c45.judge_groups(merger[2], table, node_weight, options)[0]
        return {True, False} if abs(gain - 0.5 * gain_before) < TIE else {merger[0]}

    def surely_better(a, b):
        least, most = min(keeps(a)), max(keeps(b))
        return least > most or (least >= most and a[1] > b[1] + TIE)

    return [merger for merger in found if not any(surely_better(other, merger) for other in found)]


def alternatives(data, rows, f, tested, options):
    if data.n_values[f] is None:
        found = numeric_alternatives(data, rows, f, options)
    elif c45.is_grouped(data, f, options):
        found = group_alternatives(data, rows, f, options)
    else:
        found = [None if f in tested else c45.multiway_split(data, rows, f, options)]
    return found or [None]


def possible_worths(split, average, options):
    """Worth of a split, None where it is rejected; both where that is a close call."""
    if options.min_gain > 0 and abs(split.gain - options.min_gain) < TIE:
        return [None, split.gain / split.split_info if split.split_info > TIE else split.gain]
    value = c45.worth(split, average, options)
    if options.criterion != "gain_ratio":
        return [value] if abs(split.split_info) > TIE else [None, split.gain]
    if min(abs(split.gain - average + EPSILON), abs(split.split_info - EPSILON)) < TIE:
        return [None, split.gain / max(split.split_info, TIE)]
    return [value]


def possible_splits(data, rows, tested, options):
    """All splits that may be chosen, None for no split at all."""
    columns = [alternatives(data, rows, f, tested, options) for f in range(len(data.columns))]
    if math.prod(map(len, columns)) > 300:
        raise TooTied
    start, improvement = (0.0, J48_SLACK) if options.j48 else (-EPSILON, 0.0)
    winners = []
    for combination in itertools.product(*columns):
        splits = [s for s in combination if s is not None and s.gain > -EPSILON]
        average = c45.average_gain(data, splits)
        worths = [possible_worths(s, average, options) for s in splits]
        for position in possible_winners(worths, start, improvement):
            winners.append(None if position is None else splits[position])
    return winners


# ---- the walk ----------------------------------------------------------------------------------------------


class Agreement:
    """Walks down a tree of the core, grown without collapsing, and fails where the twin differs."""

    def __init__(self, data, options, model):
        self.data, self.options, self.model = data, options, model
        self.n_own = self.n_tied = 0

    def check(self):
        if self.options.max_leaf_nodes is None:
            self.check_below(0, self.data.rows(), frozenset(), 0)
        else:
            self.check_best_first()

    def check_weights(self, node, rows):
        expected = self.data.class_weights(rows)
        np.testing.assert_allclose(self.model.class_weights[node], expected, rtol=1e-9, atol=1e-12)
        if sum(expected) > 0:
            label = int(self.model.label[node])
            assert expected[label] >= max(expected) - TIE, (
                f"node {node} has label {label}, weights {expected}"
            )

    def expand(self, node, rows, tested):
        """Rows of the children when the core's split at the node is used."""
        split = core_split(self.model, node)
        below = c45.tested_below(self.data, split, tested, self.options)
        return zip(self.model.children(node), c45.hand_out(self.data, rows, split)[0]), below

    def confirm(self, node, rows, tested, limited=False):
        """Fail unless the core's split may be chosen; give the split as the twin measures it."""
        chosen = core_split(self.model, node) if self.model.feature[node] >= 0 else None
        own = c45.best_split(self.data, rows, tested, self.options)
        if own is None and chosen is None:
            return None
        if own is not None and (limited or (chosen is not None and same_test(own, chosen))):
            self.n_own += 1
            return own
        try:
            possible = possible_splits(self.data, rows, tested, self.options)
        except TooTied:
            self.n_tied += 1
            return own
        for split in possible:
            if (split is None) == (chosen is None) and (split is None or same_partition(split, chosen)):
                self.n_tied += 1
                return split
        raise AssertionError(f"node {node}: the core chose {chosen}, the twin {own} or one of {possible}")

    def may_stay(self, rows, tested):
        """Whether rounding may decide that a node has no split at all."""
        try:
            return None in possible_splits(self.data, rows, tested, self.options)
        except TooTied:
            return True

    def check_below(self, node, rows, tested, depth):
        self.check_weights(node, rows)
        if not rows or c45.must_be_leaf(self.data, rows, depth, self.options):
            assert self.model.feature[node] < 0, f"node {node} must be a leaf"
            return
        self.confirm(node, rows, tested)
        if self.model.feature[node] >= 0:
            children, below = self.expand(node, rows, tested)
            for child, branch in children:
                self.check_below(child, branch, below, depth + 1)

    def check_best_first(self):
        pending, n_leaves = [], 1
        # A node that ties with another may be met later than the twin would: it is enough that it is met.

        def offer(node, rows, tested, depth):
            self.check_weights(node, rows)
            if not rows or c45.must_be_leaf(self.data, rows, depth, self.options):
                assert self.model.feature[node] < 0
                return
            expanded = self.model.feature[node] >= 0
            split = self.confirm(node, rows, tested, limited=not expanded)
            if split is not None and (expanded or not self.may_stay(rows, tested)):
                weight = sum(w for _, w in rows)
                pending.append((split.gain * weight, expanded, node, rows, tested, depth, split))

        offer(0, self.data.rows(), frozenset(), 0)
        while pending:
            best = max(item[0] for item in pending)
            tied = [item for item in pending if item[0] > best - TIE * max(1.0, best)]
            item = next((item for item in tied if item[1]), tied[0])
            pending.remove(item)
            _, expanded, node, rows, tested, depth, split = item
            fits = n_leaves + split.n_branches - 1 <= self.options.max_leaf_nodes
            assert expanded <= fits, f"node {node} was split although there were too many leaves"
            assert expanded or not fits, f"node {node} should have been split"
            if expanded:
                n_leaves += split.n_branches - 1
                children, below = self.expand(node, rows, tested)
                for child, branch in children:
                    offer(child, branch, below, depth + 1)


def same_partition(split, chosen):
    """Same test, whatever the order of the branches of grouped values."""
    if split.feature != chosen.feature or split.threshold != chosen.threshold:
        return False
    if split.threshold is not None:
        return True
    pairs = set(zip(split.value_branch, chosen.value_branch))
    return split.n_branches == chosen.n_branches and len(pairs) == len(set(split.value_branch)) == len(
        set(chosen.value_branch)
    )
