"""How far a fit is: every learner tells, in order, and a thread that nobody watches tells nobody."""

import threading

import numpy as np
import pytest

from stakes import BoostedStakes, C45Classifier, GDTClassifier, Guard, RuleClassifier, TradeoffSearchCV
from stakes._base.progress import part, part_of, tell, teller, watched

PRICES = [1.0, 2.0, 0.5, 1.0]
LEARNERS = {
    "c4.5": C45Classifier(),
    "binned": C45Classifier(max_bins=32),
    "best first": C45Classifier(max_leaf_nodes=9),
    "total cost": C45Classifier(criterion="total_cost"),
    "rules": RuleClassifier(),
    "rules with a chosen cut-off": RuleClassifier(abstain_cost=0.3, cv=3),
    "evolved": GDTClassifier(max_generations=5, population_size=16),
    "evolved with a chosen penalty": GDTClassifier(max_generations=3, population_size=8, alpha="auto"),
    "boosted": BoostedStakes(),
    "trade-off": TradeoffSearchCV(C45Classifier(criterion="cs_gain", feature_costs=PRICES), cv=3),
    "guarded": Guard(C45Classifier(), cv=4),
}


def rows(n=150):
    rng = np.random.default_rng(0)
    X = rng.random((n, 4))
    return X, (X[:, 0] + 0.4 * rng.random(n) > 0.7).astype(int)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_tells_how_far_it_is(name):
    heard = []
    with watched(lambda share, what: heard.append(share)):
        LEARNERS[name].fit(*rows())
    assert heard == sorted(heard) and heard[0] >= 0 and len(set(heard)) > 1
    assert 0.5 < heard[-1] <= 1.0


def test_the_core_tells_from_within_a_tree():
    """A tree of five thousand rows takes longer than a tenth of a second where there are many columns."""
    rng = np.random.default_rng(0)
    X, y = rng.random((5_000, 1_000)), rng.integers(0, 2, 5_000)
    heard = []
    with watched(lambda share, what: heard.append(share)):
        C45Classifier(prune=None, n_jobs=1).fit(X, y)
    inside = [share for share in heard if share < 0.9]
    assert inside and heard == sorted(heard), heard


def test_the_core_stops_where_a_watcher_raises():
    rng = np.random.default_rng(0)

    def stop(share, what):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), watched(stop):
        C45Classifier(n_jobs=1).fit(rng.random((5_000, 1_000)), rng.integers(0, 2, 5_000))
    C45Classifier().fit(*rows())  # nobody is told any more


def test_parts_are_stretches_of_parts():
    heard = []
    with watched(lambda share, what: heard.append((round(share, 3), what))):
        with part(0.5, 1, "second half"):
            for number in range(2):
                with part_of(number, 2):
                    tell(0.5)
        tell(1.0)
    assert heard == [
        (0.5, "second half"),
        (0.625, "second half"),
        (0.75, "second half"),
        (0.875, "second half"),
        (1.0, "second half"),
        (1.0, "second half"),
        (1.0, ""),
    ]
    tell(1.0)  # nobody watches


def test_other_threads_tell_only_what_they_are_handed():
    heard = []
    with watched(lambda share, what: heard.append(share)), part(0, 0.5):
        told = teller()
        for target in (lambda: tell(0.3), lambda: told(0.4)):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
    assert heard == [0.2, 0.5]
