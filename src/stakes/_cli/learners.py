"""Learners by name, for comparing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from stakes import reductions
from stakes.boosted import BoostedStakes
from stakes.compare import ConstantClassifier, OneHotTable
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.rules import RuleClassifier
from stakes.tree import C45Classifier

Maker = Callable[[CostMatrix, int], Any]

#: Name on the command line: title in tables, what it is, how it is made of costs and a seed.
LEARNERS: dict[str, tuple[str, str, Maker]] = {
    "c4.5": ("C4.5", "no costs", lambda c, seed: C45Classifier(cost_matrix=c, cost_use="none")),
    "c4.5cs": (
        "C4.5CS",
        "rows weigh what mistaking them costs",
        lambda c, seed: C45Classifier(cost_matrix=c),
    ),
    "c4.5pi": (
        "C4.5(π′)",
        "costs as altered priors while growing",
        lambda c, seed: C45Classifier(cost_matrix=c, cost_use="priors"),
    ),
    "c4.5_mc": (
        "C4.5 min. cost",
        "C4.5, leaves answer the class of least expected cost",
        lambda c, seed: C45Classifier(cost_matrix=c, cost_use="none", decision="min_cost"),
    ),
    "c4.5_lap": (
        "C4.5 min. cost, Laplace",
        "as c4.5_mc, with Laplace's correction of the leaves",
        lambda c, seed: C45Classifier(
            cost_matrix=c, cost_use="none", decision="min_cost", smoothing="laplace"
        ),
    ),
    "c4.5_cp": (
        "C4.5 cost pruned",
        "as c4.5_mc, pruned where that lowers the estimated cost",
        lambda c, seed: C45Classifier(
            cost_matrix=c, cost_use="none", decision="min_cost", prune="cost", smoothing="laplace"
        ),
    ),
    "gdt": (
        "GDT",
        "whole trees by evolution, with local search",
        lambda c, seed: GDTClassifier(cost_matrix=c, random_state=seed),
    ),
    "gdt_mc": (
        "GDT-MC",
        "whole trees by evolution, as published",
        lambda c, seed: GDTClassifier(cost_matrix=c, variant="paper", random_state=seed),
    ),
    "j48": (
        "J48",
        "c4.5 as Weka has it",
        lambda c, seed: C45Classifier(cost_matrix=c, cost_use="none", dialect="j48"),
    ),
    "j48cs": ("J48CS", "c4.5cs as Weka has it", lambda c, seed: C45Classifier(cost_matrix=c, dialect="j48")),
    "rules": (
        "rules",
        "cost-sensitive rules, rows without one by the cheapest class",
        lambda c, seed: RuleClassifier(cost_matrix=c, t_good=0.8, random_state=seed),
    ),
    "boosted": (
        "BoostedStakes",
        "boosted trees, linear and kernel models blended, least expected cost, guarded",
        lambda c, seed: BoostedStakes(cost_matrix=c, random_state=seed),
    ),
    "sklearn": (
        "scikit-learn tree",
        "DecisionTreeClassifier, one-hot encoded",
        lambda c, seed: _sklearn(seed),
    ),
    "sklearn_mc": (
        "scikit-learn tree min. cost",
        "the same in MinExpectedCost",
        lambda c, seed: MinExpectedCost(_sklearn(seed), cost_matrix=c),
    ),
    "gbse": (
        "GBSE",
        "gradient boosting with stochastic ensembles, 30 trees",
        lambda c, seed: reductions.GBSE(cost_matrix=c, random_state=seed),
    ),
    "gbse_t": (
        "GBSE-T",
        "the variant of GBSE with a proof",
        lambda c, seed: reductions.GBSET(cost_matrix=c, random_state=seed),
    ),
    "dse": (
        "DSE",
        "data space expansion, 30 trees",
        lambda c, seed: reductions.DataSpaceExpansion(cost_matrix=c, random_state=seed),
    ),
    "iw": (
        "IW",
        "iterative weighting, 30 rounds of 10 trees",
        lambda c, seed: reductions.IterativeWeighting(cost_matrix=c, random_state=seed),
    ),
    "costing": (
        "costing",
        "30 trees on samples in proportion to costs",
        lambda c, seed: reductions.Costing(cost_matrix=c, random_state=seed),
    ),
    "avgcost": (
        "average cost",
        "30 trees on samples in proportion to mean costs",
        lambda c, seed: reductions.AverageCost(cost_matrix=c, random_state=seed),
    ),
    "bagging_mc": (
        "bagging min. cost",
        "30 bagged trees, class of least expected cost",
        lambda c, seed: reductions.CostBagging(cost_matrix=c, random_state=seed),
    ),
    "metacost": (
        "MetaCost",
        "one tree on rows relabelled by 30 bagged ones",
        lambda c, seed: reductions.MetaCost(cost_matrix=c, random_state=seed),
    ),
    "csb1": (
        "CSB1",
        "cost-sensitive boosting, 30 trees",
        lambda c, seed: reductions.CostBoosting(cost_matrix=c, random_state=seed),
    ),
    "constant": ("best constant", "always the cheapest class", lambda c, seed: ConstantClassifier(c)),
}


#: Learners that need prices of columns: name and title.
PRICED_LEARNERS = {
    "cs_gain": "CSGain",
    "cs_gain_ratio": "CS Gain Ratio",
    "nunez": "Nuñez (EG2)",
    "mitchell": "Mitchell",
    "norton": "Norton (IDX)",
    "tan": "Tan (CS-ID3)",
    "total_cost": "least total bill",
}


def make_learners(
    names: list[str], costs: CostMatrix, seed: int, prices: FeatureCosts | None = None
) -> dict[str, Any]:
    """Learners by their titles, in the order of the names; a name that is not known is a ValueError."""
    learners = {}
    for name in names:
        if name in PRICED_LEARNERS:
            if prices is None:
                raise ValueError(f"--learner {name} needs --feature-costs, the prices of the columns")
            learners[PRICED_LEARNERS[name]] = C45Classifier(
                cost_matrix=costs, criterion=name, feature_costs=prices
            )
            continue
        if name not in LEARNERS:
            known = ", ".join([*LEARNERS, *PRICED_LEARNERS])
            raise ValueError(f"--learner must be one of {known}, got {name!r}")
        title, _, make = LEARNERS[name]
        learners[title] = make(costs, seed)
    return learners


def _sklearn(seed: int) -> Any:
    return make_pipeline(OneHotTable(), DecisionTreeClassifier(random_state=seed))
