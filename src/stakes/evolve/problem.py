"""One data set as the core evolves trees on it, and trees as the rest of the package knows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from stakes import _core
from stakes._base.training import TrainingSet
from stakes.evolve.coding import FEW_THRESHOLDS, MOST_THRESHOLDS, Coded, code_table
from stakes.evolve.settings import Settings
from stakes.tree import FittedTree, TreeModel
from stakes.tree.prices import core_prices

Floats = NDArray[np.float64]

Codes = NDArray[np.int32]

#: A sketch, then missing_branch, answer and flat class weights: a tree as it comes out of the core.
EvolvedArrays = tuple[Codes, Codes, Codes, Codes, Codes, Codes, Codes, Codes, Floats]

#: feature, cut, first_child, n_branches, value_start, value_branch: a tree as it goes into the core.
Sketch = list[Codes]


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(TrainingSet):
    """Rows as trees are evolved on them, all of positive weight.

    Attributes
    ----------
    coded : Coded
        The columns of the table, coded.
    pay : {"path", "upfront"}
        Whether a row pays for the tests it meets or for all columns of the tree.
    abstain_cost : float or None
        What refusing an answer costs.
    """

    coded: Coded
    pay: str = "path"
    abstain_cost: float | None = None

    def take(self, samples: NDArray[Any]) -> Self:
        """Return the same problem with some of the rows."""
        columns = [column[samples] for column in self.coded.columns]
        return replace(super().take(samples), coded=replace(self.coded, columns=columns))

    def population(self, options: _core.EvolveOptions) -> _core.Evolution:
        """Make a population on these rows, not yet started."""
        costs, shift = self._own_costs(), self.shift
        return _core.Evolution(
            self.coded.columns,
            self.coded.n_values,
            self.coded.nominal,
            self.codes,
            len(self.classes),
            np.ascontiguousarray(costs - shift),
            options,
            costs_per_row=self.costs is not None,
            weights=self.weight,
            abstain_cost=None if self.abstain_cost is None else self.abstain_cost - shift,
            prices=core_prices(self.price_arrays),
            pay=self.pay,
        )

    @property
    def shift(self) -> float:
        """What the search takes off all costs: gains, as negative costs, are fine, but it counts from 0."""
        return min(0.0, float(self._own_costs().min()))

    def _own_costs(self) -> Floats:
        return self.cost_values if self.costs is None else self.costs

    def largest_cost(self) -> float:
        """Mean over the rows of what the worst answer costs, every column looked at (MaxMC of the paper)."""
        worst = self.sample_costs.max(axis=1)
        prices = 0.0 if self.feature_costs is None else self.feature_costs.cost(self.table.schema.names)
        return float(np.average(worst, weights=self.weight)) - self.shift + prices

    def fingerprint(self) -> str:
        """Digest of everything that the search depends on."""
        digest = hashlib.sha256()
        for array in (
            *self.coded.columns,
            *self.coded.cuts,
            self.codes,
            self.cost_values,
            self.costs,
            self.weight,
        ):
            if array is not None:
                digest.update(f"{array.dtype}{array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
        prices = None if self.feature_costs is None else self.feature_costs.to_dict()
        digest.update(repr((self.coded.n_values, prices, self.pay, self.abstain_cost)).encode())
        return digest.hexdigest()

    def fitted(
        self, arrays: EvolvedArrays, smoothing: str | None = None, strength: float = 0.0
    ) -> FittedTree:
        """Turn a tree of the core into a fitted one."""
        feature, cut, first_child, n_branches, value_start, value_branch, missing_branch, answer, flat = (
            arrays
        )
        counts = flat.reshape(len(feature), -1)
        numeric = [i for i in np.flatnonzero(feature >= 0) if not self.coded.nominal[feature[i]]]
        threshold = np.full(len(feature), np.nan)
        threshold[numeric] = [self.coded.cuts[feature[i]][cut[i]] for i in numeric]
        heaviest = counts.argmax(axis=1).astype(np.int32)
        tree = TreeModel(
            feature, threshold, first_child, n_branches, value_start, value_branch, counts, heaviest
        )
        values = tree.probabilities(smoothing, strength, counts)
        parts: dict[str, Any] = {
            "schema": self.table.schema,
            "classes": self.classes,
            "costs": None if self.cost_matrix is None else self.cost_values,
            "min_cost": True,
            "feature_costs": self.feature_costs,
        }
        routing = _routing_weights(tree, missing_branch, self.coded.missing())
        if routing is not None:
            tree = TreeModel(*tree.links()[:6], routing, tree.label)
            parts |= {"observed": counts, "row_values": values}
        if smoothing is None:  # the core has seen each row's own costs
            return FittedTree(tree=tree, values=values, decision=answer, **parts)
        return FittedTree.decided(tree=tree, values=values, **parts)


def problem_of(training: TrainingSet, settings: Settings) -> Problem:
    """Code the columns of a training set as the settings have it; rows without weight must be gone."""
    most = settings.max_thresholds or (FEW_THRESHOLDS if settings.memetic else MOST_THRESHOLDS)
    # With costs of their own, two rows of one class may call for different answers.
    boundary = not settings.memetic and training.costs is None
    equal = training.weight is None or bool((training.weight == 1.0).all())
    return Problem(
        **vars(training) | {"weight": None if equal else training.weight},
        coded=code_table(training.table, training.codes, most, boundary=boundary),
        pay=settings.pay,
        abstain_cost=settings.abstain_cost,
    )


def _routing_weights(
    tree: TreeModel, missing_branch: NDArray[np.int32], missing: NDArray[np.bool_]
) -> Floats | None:
    """Class weights by which a row without a value goes where it went in training; None where none did.

    A missing value is spread over branches in proportion to their weight: all of the weight is given to one.
    """
    inner = np.flatnonzero(tree.feature >= 0)
    inner = inner[missing[tree.feature[inner]]]
    if not len(inner):
        return None
    weights = tree.class_weights.copy()
    for node in inner:
        for b, child in enumerate(tree.children(int(node))):
            if b != missing_branch[node]:
                weights[child] = 0.0
    return weights


def sketch_of(tree: TreeModel, coded: Coded) -> Sketch | None:
    """Turn a tree of any learner into tests on these codes, each threshold the nearest there is.

    None where a test has no counterpart.
    """
    cut = np.full(tree.n_nodes, -1, dtype=np.int32)
    value_branch = tree.value_branch.copy()
    for node in np.flatnonzero(tree.feature >= 0):
        f, children = int(tree.feature[node]), tree.children(int(node))
        if coded.nominal[f]:
            span = slice(tree.value_start[node], tree.value_start[node + 1])
            unseen = value_branch[span] < 0
            fullest = int(np.argmax(tree.weight[children.start : children.stop]))
            value_branch[span] = np.where(unseen, fullest, value_branch[span])
        elif len(coded.cuts[f]) == 0:
            return None
        else:
            cut[node] = int(np.argmin(np.abs(coded.cuts[f] - tree.threshold[node])))
    return [tree.feature, cut, tree.first_child, tree.n_branches, tree.value_start, value_branch]
