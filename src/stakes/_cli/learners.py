"""Learners by name, for comparing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from stakes import reductions
from stakes._text.words import did_you_mean
from stakes.boosted import BoostedStakes
from stakes.compare import ConstantClassifier, OneHotTable
from stakes.costs import CostMatrix, FeatureCosts
from stakes.decision import MinExpectedCost
from stakes.evolve import GDTClassifier
from stakes.rules import RuleClassifier
from stakes.tree import C45Classifier

Maker = Callable[[CostMatrix, int], Any]


def _c45(**params: Any) -> Maker:
    return lambda costs, seed: C45Classifier(cost_matrix=costs, **params)


def _seeded(kind: Any, **params: Any) -> Maker:
    return lambda costs, seed: kind(cost_matrix=costs, random_state=seed, **params)


#: Parameters of C4.5 whose leaves answer the class of least expected cost.
_MIN_COST = {"cost_use": "none", "decision": "min_cost"}

#: Name on the command line: title in tables, how it is made of costs and a seed.
LEARNERS: dict[str, tuple[str, Maker]] = {
    "c4.5": ("C4.5", _c45(cost_use="none")),
    "c4.5cs": ("C4.5CS", _c45()),
    "c4.5pi": ("C4.5(π′)", _c45(cost_use="priors")),
    "c4.5_mc": ("C4.5 min. cost", _c45(**_MIN_COST)),
    "c4.5_lap": ("C4.5 min. cost, Laplace", _c45(**_MIN_COST, smoothing="laplace")),
    "c4.5_cp": ("C4.5 cost pruned", _c45(**_MIN_COST, prune="cost", smoothing="laplace")),
    "gdt": ("GDT", _seeded(GDTClassifier)),
    "gdt_mc": ("GDT-MC", _seeded(GDTClassifier, variant="paper")),
    "j48": ("J48", _c45(cost_use="none", dialect="j48")),
    "j48cs": ("J48CS", _c45(dialect="j48")),
    "rules": ("rules", _seeded(RuleClassifier)),
    "boosted": ("BoostedStakes", _seeded(BoostedStakes)),
    "sklearn": ("scikit-learn tree", lambda costs, seed: _sklearn(seed)),
    "sklearn_mc": (
        "scikit-learn tree min. cost",
        lambda costs, seed: MinExpectedCost(_sklearn(seed), cost_matrix=costs),
    ),
    "gbse": ("GBSE", _seeded(reductions.GBSE)),
    "gbse_t": ("GBSE-T", _seeded(reductions.GBSET)),
    "dse": ("DSE", _seeded(reductions.DataSpaceExpansion)),
    "iw": ("IW", _seeded(reductions.IterativeWeighting)),
    "costing": ("costing", _seeded(reductions.Costing)),
    "avgcost": ("average cost", _seeded(reductions.AverageCost)),
    "bagging_mc": ("bagging min. cost", _seeded(reductions.CostBagging)),
    "metacost": ("MetaCost", _seeded(reductions.MetaCost)),
    "csb1": ("CSB1", _seeded(reductions.CostBoosting)),
    "constant": ("best constant", lambda costs, seed: ConstantClassifier(costs)),
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
            priced = _c45(criterion=name, feature_costs=prices)
            learners[PRICED_LEARNERS[name]] = priced(costs, seed)
            continue
        if name not in LEARNERS:
            known = did_you_mean(name, [*LEARNERS, *PRICED_LEARNERS], "learners")
            raise ValueError(f"--learner {name!r} is not known{known}")
        title, make = LEARNERS[name]
        learners[title] = make(costs, seed)
    return learners


def _sklearn(seed: int) -> Any:
    return make_pipeline(OneHotTable(), DecisionTreeClassifier(random_state=seed))
