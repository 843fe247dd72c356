import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB

from stakes.costs import CostMatrix
from stakes.decision import MinExpectedCost, decide
from stakes.metrics import (
    best_constant,
    confusion_with_undecided,
    cost_by_class,
    cost_curve,
    cost_scorer,
    cost_with_abstention,
    coverage,
    expected_calibration_error,
    high_cost_errors,
    mean_cost,
    neg_mean_cost,
    normalised_cost,
    probability_cost,
    sample_cost_scorer,
    savings,
    total_cost,
)
from stakes.metrics._rows import undecided_rows

# costs are drawn at random or written for their edges, so that many make no sense
pytestmark = pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")

ABC = ["a", "b", "c"]


@st.composite
def bills(draw, low=0):
    """Labels, predictions, keywords with costs per class or example, plain rows of costs, plain weights."""
    n = draw(st.integers(1, 10))
    y = draw(st.lists(st.sampled_from(ABC), min_size=n, max_size=n))
    said = draw(st.lists(st.sampled_from(ABC), min_size=n, max_size=n))
    cost = st.integers(low, 9).map(float)
    weight = draw(st.none() | arrays(float, n, elements=st.sampled_from([0.5, 1.0, 3.0])))
    if draw(st.booleans()):
        matrix = CostMatrix(draw(arrays(float, (3, 3), elements=cost)), ABC)
        rows = [[matrix.values[ABC.index(a), j] for j in range(3)] for a in y]
        how = {"cost_matrix": matrix}
    else:
        rows = draw(arrays(float, (n, 3), elements=cost)).tolist()
        how = {"costs": rows, "classes": ABC}
    return y, said, how | {"sample_weight": weight}, rows, [1.0] * n if weight is None else weight.tolist()


@given(bills(low=-3))
def test_total_and_mean_against_loops(bill):
    y, said, how, rows, weight = bill
    wanted = sum(w * row[ABC.index(p)] for w, row, p in zip(weight, rows, said))
    assert total_cost(y, said, **how) == pytest.approx(wanted)
    assert mean_cost(y, said, **how) == pytest.approx(wanted / sum(weight))
    assert neg_mean_cost(y, said, **how) == pytest.approx(-wanted / sum(weight))


@given(bills())
def test_normalised_cost_against_loops(bill):
    y, said, how, rows, weight = bill
    worst = sum(w * max(c for j, c in enumerate(row) if ABC[j] != a) for w, row, a in zip(weight, rows, y))
    paid = sum(w * row[ABC.index(p)] for w, row, p in zip(weight, rows, said))
    assert normalised_cost(y, said, **how) == pytest.approx(paid / worst if worst else 0)


def test_normalised_cost_is_the_papers_formula():
    y, said = ["a"] * 3 + ["b"] * 2, ["a", "b", "b", "b", "a"]
    matrix = CostMatrix([[0, 2, 7], [4, 0, 1], [1, 1, 0]], ABC)
    max_mc = (3 * 7 + 2 * 4) / 5
    assert normalised_cost(y, said, cost_matrix=matrix) == pytest.approx(((2 + 2 + 4) / 5) / max_mc)
    assert normalised_cost(["a"], ["a"], cost_matrix=CostMatrix([[0]], ["a"])) == 0


@given(bills(low=-3))
def test_constant_and_savings_against_loops(bill):
    y, said, how, rows, weight = bill
    constants = [sum(w * row[j] for w, row in zip(weight, rows)) for j in range(3)]
    best = best_constant(y, **how)
    assert best.label == ABC[constants.index(min(constants))]
    assert best.cost == pytest.approx(min(constants))
    for label in ABC:
        saved = savings(y, [label] * len(y), **how)
        assert saved <= 1e-9
    if min(constants) > 0:
        assert savings(y, said, **how) == pytest.approx(1 - total_cost(y, said, **how) / min(constants))


def test_savings_at_the_edges():
    free = CostMatrix([[0, 1], [0, 0]], ["a", "b"])
    assert savings(["a", "b"], ["a", "a"], cost_matrix=free) == 0
    assert savings(["a", "b"], ["b", "a"], cost_matrix=free) == -np.inf
    assert savings(["a", "b"], ["a", "b"]) == 1
    earning = CostMatrix([[-2, 0], [0, -2]], ["a", "b"])
    assert savings(["a", "b"], ["a", "b"], cost_matrix=earning) == 1
    assert savings(["a", "b"], ["b", "a"], cost_matrix=earning) == -1


@given(bills())
def test_high_cost_errors_against_loops(bill):
    y, said, how, rows, weight = bill
    for normalise in (True, False):
        unit = 1.0
        if normalise and "cost_matrix" in how:
            off = [how["cost_matrix"].values[i, j] for i in range(3) for j in range(3) if i != j]
            unit = min((c for c in off if c > 0), default=1.0)
        wanted = sum(
            w for w, row, a, p in zip(weight, rows, y, said) if a != p and row[ABC.index(p)] / unit > 1.0
        )
        assert high_cost_errors(y, said, normalise=normalise, **how) == wanted


def test_high_cost_errors_threshold():
    matrix = CostMatrix([[50, 20], [100, 0]], ["a", "b"])
    y, said = ["a", "a", "b"], ["a", "b", "a"]
    assert high_cost_errors(y, said, cost_matrix=matrix) == 1
    assert high_cost_errors(y, said, cost_matrix=matrix, threshold=5) == 0
    assert high_cost_errors(y, said, cost_matrix=matrix, threshold=20, normalise=False) == 1
    assert high_cost_errors(y, said, cost_matrix=matrix, threshold=19, normalise=False) == 2


@given(bills())
def test_cost_by_class_adds_up(bill):
    y, said, how, rows, weight = bill
    table = cost_by_class(y, said, as_frame=False, **how)
    assert [line.actual for line in table] == ABC
    for line in table:
        mine = [i for i in range(len(y)) if y[i] == line.actual]
        assert line.rows == sum(weight[i] for i in mine)
        assert line.cost == pytest.approx(sum(weight[i] * rows[i][ABC.index(said[i])] for i in mine))
        assert line.errors == sum(weight[i] for i in mine if said[i] != y[i])
        spent = {p: sum(weight[i] * rows[i][ABC.index(p)] for i in mine if said[i] == p) for p in ABC}
        wrong = {p: spent[p] for p in ABC if p != line.actual and any(said[i] == p for i in mine)}
        assert line.costliest_cost == pytest.approx(max(wrong.values(), default=0))
        assert line.costliest_mistake is None if not wrong else line.costliest_mistake in wrong
    total = total_cost(y, said, **how)
    assert sum(line.cost for line in table) == pytest.approx(total)
    assert sum(line.share for line in table) == pytest.approx(1 if total else 0)
    frame = cost_by_class(y, said, as_frame=True, **how)
    assert isinstance(frame, pd.DataFrame)
    assert frame["cost"].tolist() == [line.cost for line in table]


# -- undecided rows


@given(bills(), st.data())
def test_abstention_against_loops(bill, data):
    y, said, how, rows, weight = bill
    n = len(y)
    left_open = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    labels = [None if o else p for o, p in zip(left_open, said)]
    price = data.draw(st.floats(0, 5))
    wanted = sum(
        w * (price if p is None else row[ABC.index(p)]) for w, row, p in zip(weight, rows, labels)
    ) / sum(weight)
    assert cost_with_abstention(y, labels, abstain_cost=price, **how) == pytest.approx(wanted)
    assert coverage(labels, how["sample_weight"]) == pytest.approx(
        sum(w for w, o in zip(weight, left_open) if not o) / sum(weight)
    )
    table, classes = confusion_with_undecided(y, labels, classes=ABC, sample_weight=how["sample_weight"])
    assert classes.tolist() == ABC
    for i, a in enumerate(ABC):
        for j, p in enumerate([*ABC, None]):
            assert table[i, j] == sum(w for w, t, s in zip(weight, y, labels) if (t, s) == (a, p))


def test_a_decision_is_accepted_as_it_is():
    proba = np.array([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    matrix = CostMatrix([[0, 1], [1, 0]], ["a", "b"])
    decision = decide(proba, matrix, abstain_cost=0.3)
    y = ["a", "a", "a"]
    assert coverage(decision) == pytest.approx(2 / 3)
    assert cost_with_abstention(y, decision, abstain_cost=0.3, cost_matrix=matrix) == pytest.approx(1.3 / 3)
    assert cost_with_abstention(y, pd.Series(decision.labels), abstain_cost=[9, 0.3, 9]) == pytest.approx(
        1.3 / 3
    )
    assert total_cost(y, decide(proba, matrix)) == 1
    assert coverage(np.array([1.0, np.nan])) == 0.5
    assert coverage(pd.Series(["a", pd.NA], dtype="string")) == 0.5
    assert coverage(np.array([1, 2])) == 1
    with pytest.raises(ValueError, match="1 undecided rows; cost_with_abstention"):
        total_cost(y, decision)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_without_rejects_the_confusion_is_scikit_learns(pairs):
    y, said = zip(*pairs)
    table, _ = confusion_with_undecided(y, said, classes=[0, 1, 2])
    assert np.array_equal(table[:, :3], confusion_matrix(y, said, labels=[0, 1, 2]))
    costs = CostMatrix(np.arange(9).reshape(3, 3), [0, 1, 2])
    assert total_cost(y, said, cost_matrix=costs) == (table[:, :3] * costs.values).sum()


# -- which column is which


def test_as_many_rows_as_classes_is_no_riddle():
    square = np.array([[0.0, 1.0], [5.0, 0.0]])
    y, said = ["b", "b"], ["a", "b"]
    assert total_cost(y, said, cost_matrix=square) == 5
    assert total_cost(y, said, costs=square) == 0
    assert total_cost([1, 1], [0, 1], cost_matrix=square) == 5


def test_columns_by_number_name_or_order():
    square = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert total_cost([0, 2], [2, 0], cost_matrix=square) == 7
    assert total_cost([0, 5], [5, 0], cost_matrix=[[0, 1], [2, 0]]) == 3  # in order: 5 is no column
    assert total_cost([1, 2], [2, 1], cost_matrix=[[0, 1], [2, 0]]) == 3
    assert total_cost([-1, 0], [0, -1], cost_matrix=[[0, 1], [2, 0]]) == 3
    assert total_cost(["x", "z", "y"], ["z", "x", "y"], cost_matrix=square) == 7
    assert total_cost(["x", "z"], ["z", "x"], cost_matrix=square, classes=["x", "y", "z"]) == 7
    assert total_cost(["x", 1], [1, "x"]) == 2  # labels that have no order
    assert total_cost([False, True], [True, True], cost_matrix=[[0, 9], [1, 0]]) == 9
    # a matrix with names may know more classes than these rows have
    assert total_cost(["x"], ["z"], cost_matrix=CostMatrix(square, ["x", "y", "z"])) == 2
    assert total_cost(["x"], ["z"], cost_matrix={("x", "z"): 2, ("z", "x"): 1}) == 2
    assert best_constant(["x"], cost_matrix=CostMatrix([[9, 1], [0, 0]], ["x", "unseen"])).label == "unseen"
    frame = pd.DataFrame(square, index=list("xyz"), columns=list("xyz"))
    assert total_cost(pd.Series(["x"]), pd.Series(["z"]), cost_matrix=frame) == 2


def test_paths_are_costs_too(tmp_path):
    path = tmp_path / "c.csv"
    CostMatrix([[0, 5, 1], [1, 0, 1], [1, 1, 0]], ["bad", "good", "other"]).to_csv(path)
    assert total_cost(["bad"], ["good"], cost_matrix=path) == 5


MALFORMED = {
    "lengths": (lambda: total_cost(["a"], ["a", "b"]), "same length, got 1 and 2"),
    "no rows": (lambda: total_cost([], []), "at least one row"),
    "two d": (lambda: total_cost([["a"]], ["a"]), "y_true must be one-dimensional"),
    "both": (lambda: total_cost([0], [0], cost_matrix=[[0]], costs=[[0]]), "not both"),
    "unknown true": (
        lambda: total_cost(["z"], ["a"], cost_matrix=CostMatrix.uniform(ABC)),
        "y_true has unknown",
    ),
    "unknown pred": (
        lambda: total_cost(["a"], ["z"], cost_matrix=CostMatrix.uniform(ABC)),
        "y_pred has unknown",
    ),
    "no names": (
        lambda: total_cost(["a"], ["b"], cost_matrix=np.zeros((3, 3))),
        "say which is which with classes=",
    ),
    "no names costs": (lambda: total_cost(["a"], ["b"], costs=np.zeros((1, 3))), "with classes="),
    "flat costs": (lambda: total_cost(["a"], ["b"], costs=[1, 2]), r"got shape \(2,\)"),
    "few costs": (lambda: total_cost([0, 1], [0, 1], costs=[[0, 1]]), "costs must have one row per sample"),
    "nan costs": (lambda: total_cost([0, 1], [0, 1], costs=[[0, np.nan], [1, 0]]), "costs must be finite"),
    "weights": (lambda: total_cost([0], [0], sample_weight=[1, 2]), "sample_weight must have shape"),
    "weight sign": (lambda: total_cost([0], [0], sample_weight=[-1]), "not negative"),
    "weight zero": (lambda: mean_cost([0], [0], sample_weight=[0]), "not be zero for every row"),
    "price": (
        lambda: cost_with_abstention([0], [None], abstain_cost=np.nan),
        "abstain_cost must be a finite",
    ),
    "prices": (
        lambda: cost_with_abstention([0], [None], abstain_cost=[1, 2]),
        "abstain_cost must be a finite",
    ),
    "no decision": (lambda: coverage([]), "at least one row"),
    "curve one class": (lambda: cost_curve([1, 1], [0.1, 0.2]), "two classes for a cost curve, got 1"),
    "curve three": (lambda: cost_curve([0, 1, 2], [0.1, 0.2, 0.3]), "two classes for a cost curve, got 3"),
    "curve lengths": (lambda: cost_curve([0, 1], [0.1]), "equally long"),
    "curve nan": (lambda: cost_curve([0, 1], [0.1, np.nan]), "score must be finite"),
    "curve label": (lambda: cost_curve([0, 1], [0.1, 0.2], pos_label=2), "pos_label must be one of"),
    "curve weight": (lambda: cost_curve([0, 1], [0.1, 0.2], sample_weight=[0, 1]), "both classes"),
    "curve point": (lambda: cost_curve([0, 1], [0.1, 0.2]).at(1.5), "between 0 and 1"),
    "point classes": (lambda: probability_cost(np.zeros((3, 3)), 0.5), "two classes"),
    "point prior": (lambda: probability_cost([[0, 1], [1, 0]], 1.5), "prior must lie"),
    "point free": (lambda: probability_cost([[0, 0], [0, 0]], 0.5), "cost more than being right"),
    "bins": (lambda: expected_calibration_error([0, 1], np.eye(2), n_bins=0), "n_bins must be an int >= 1"),
    "strategy": (lambda: expected_calibration_error([0, 1], np.eye(2), strategy="odd"), "strategy must be"),
    "ece columns": (lambda: expected_calibration_error([0, 1], np.ones((2, 3))), "one column per class"),
    "ece rows": (lambda: expected_calibration_error([0, 1], np.eye(2)[:1]), "same length"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_arguments(name):
    call, message = MALFORMED[name]
    with pytest.raises(ValueError, match=message):
        call()


# -- curves


@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 5), st.sampled_from([0.0, 1.0, 2.0])), min_size=2, max_size=12
    ).filter(lambda rows: all(any(w for p, _, w in rows if p == side) for side in (True, False)))
)
def test_cost_curve_is_the_lowest_line_everywhere(rows):
    y = np.array([p for p, _, _ in rows])
    score = np.array([s for _, s, _ in rows], dtype=float)
    weight = np.array([w for _, _, w in rows])
    curve = cost_curve(y, score, sample_weight=weight)
    lines = {}
    for t in [-np.inf, *sorted(set(score)), np.inf]:
        said = score >= t
        fp = weight[said & ~y].sum() / weight[~y].sum()
        fn = weight[~said & y].sum() / weight[y].sum()
        lines[t] = (fp, fn)
    for x in np.linspace(0, 1, 23):
        assert curve.at(x) == pytest.approx(
            min(fp * (1 - x) + fn * x for fp, fn in lines.values()), abs=1e-12
        )
    middle = (curve.probability_cost[1:] + curve.probability_cost[:-1]) / 2
    for x, t in zip(middle, curve.thresholds):
        fp, fn = lines[t] if np.isfinite(t) else ((0, 1) if t > 0 else (1, 0))
        assert fp * (1 - x) + fn * x == pytest.approx(float(curve.at(x)), abs=1e-12)
    assert -1e-12 <= curve.area() <= 0.25 + 1e-12
    assert (np.diff(curve.probability_cost) >= 0).all()


def test_cost_curve_extremes_and_labels():
    assert cost_curve([0, 0, 1], [1, 2, 3]).area() == 0
    assert cost_curve([0, 0, 1], [1, 1, 1]).area() == pytest.approx(0.25)
    flipped = cost_curve(["n", "n", "p"], [-1, -2, -3], pos_label="n")
    assert flipped.area() == 0


def test_a_cost_curve_by_hand():
    # Thresholds above 4, from 4, 3, 2 and 1 on: (FP, FN) = (0, 1), (0, 1/2), (1/2, 1/2), (1/2, 0), (1, 0).
    curve = cost_curve([1, 0, 1, 0], [4, 3, 2, 1])
    assert curve.probability_cost.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert curve.normalised_expected_cost.tolist() == [0.0, 0.0, 0.25, 0.0, 0.0]
    assert curve.thresholds.tolist() == [np.inf, 4.0, 2.0, -np.inf]
    assert curve.at([0.0, 0.25, 0.5, 0.9, 1.0]) == pytest.approx([0.0, 0.125, 0.25, 0.05, 0.0])
    assert curve.area() == pytest.approx(0.125)
    # Half of the weight of the negatives lies below everything else.
    heavy = cost_curve([1, 0, 1, 0], [4, 3, 2, 1], sample_weight=[1, 1, 1, 3])
    assert heavy.probability_cost.tolist() == pytest.approx([0.0, 0.0, 1 / 3, 1.0, 1.0])
    assert heavy.at(1 / 3) == pytest.approx(1 / 6)


def test_operating_points_by_hand():
    assert probability_cost([[0, 1], [4, 0]], 0.5) == pytest.approx(0.8)
    assert probability_cost([[1, 3], [5, 2]], 0.4) == pytest.approx(0.4 * 3 / (0.4 * 3 + 0.6 * 2))
    assert probability_cost([[0, 1], [4, 0]], 0) == 0.0
    assert probability_cost([[0, 1], [4, 0]], 1) == 1.0
    assert probability_cost([[0, 0], [4, 0]], 0.5) == 1.0
    assert probability_cost([[0, 1], [1, 0]], 0.5) == 0.5
    assert probability_cost([[0, 1], [4, 4]], 0.5) == 0.0
    for transposed in ([[0, 9], [0, 1]], [[1, 0], [9, 0]]):
        with pytest.raises(ValueError, match="mistakes that cost more than being right"):
            probability_cost(transposed, 0.5)


def test_probability_cost_meets_the_curve():
    X, y = load_breast_cancer(return_X_y=True)
    score = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    matrix = CostMatrix([[0, 7], [1, 0]], [0, 1])
    x = probability_cost(matrix, y.mean())
    curve = cost_curve(y, score)
    best = min(mean_cost(y, (score >= t).astype(int), cost_matrix=matrix) for t in [*score, np.inf])
    norm = y.mean() * 1 + (1 - y.mean()) * 7
    assert float(curve.at(x)) * norm == pytest.approx(best)


@given(st.data())
def test_calibration_error_against_loops(data):
    n, bins = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 5))
    y = data.draw(arrays(int, n, elements=st.integers(0, 1)))
    p = data.draw(arrays(float, n, elements=st.integers(0, 8).map(lambda v: v / 8)))
    weight = data.draw(arrays(float, n, elements=st.sampled_from([1.0, 2.0])))
    matrix = CostMatrix([[0, 1], [3, 0]], [0, 1])
    chosen = [0 if 3 * q <= 1 - q else 1 for q in p]
    sure = [q if c else 1 - q for q, c in zip(p, chosen)]
    wanted = 0.0
    for b in range(bins):
        inside = [i for i in range(n) if min(int(sure[i] * bins), bins - 1) == b]
        wanted += abs(sum(weight[i] * (sure[i] - (chosen[i] == y[i])) for i in inside)) / weight.sum()
    got = expected_calibration_error(
        y, np.column_stack([1 - p, p]), cost_matrix=matrix, n_bins=bins, sample_weight=weight
    )
    assert got == pytest.approx(wanted, abs=1e-12)


def test_calibration_error_by_quantiles():
    proba = np.array([[0.9, 0.1]] * 10 + [[0.6, 0.4]] * 10)
    y = [0] * 9 + [1] + [0] * 6 + [1] * 4
    assert expected_calibration_error(y, proba, strategy="quantile", n_bins=2) == pytest.approx(0)
    assert expected_calibration_error([0] * 20, proba, classes=[0, 1], strategy="quantile") == pytest.approx(
        0.25
    )


def test_a_confidence_on_the_edge_of_two_bins_belongs_to_the_lower_one():
    proba = [[0.6, 0.4], [0.7, 0.3], [0.8, 0.2]]
    # Bins by quantiles are {0.6, 0.7} and {0.8}; the second row is wrong.
    edge = expected_calibration_error([0, 1, 0], proba, strategy="quantile", n_bins=2)
    assert edge == pytest.approx((abs(0.6 - 1 + 0.7) + abs(0.8 - 1)) / 3)
    even = expected_calibration_error([0, 1, 0], proba, n_bins=10)
    assert even == pytest.approx((0.4 + 0.7 + 0.2) / 3)
    # From 0.7 on is a bin of ten, and 1 belongs to the last.
    assert expected_calibration_error([0, 0], [[1.0, 0.0], [0.95, 0.05]], classes=[0, 1]) == pytest.approx(
        0.025
    )
    third = expected_calibration_error(
        [0, 1, 0], proba, strategy="quantile", n_bins=3, sample_weight=[1, 1, 2]
    )
    assert third == pytest.approx((0.4 + 0.7 + 2 * 0.2) / 4)
    assert expected_calibration_error([0, 1, 0], proba, n_bins=1) == pytest.approx(0.1 / 3)


def test_the_columns_of_probabilities_are_those_of_the_matrix():
    proba, matrix = [[0.9, 0.1], [0.9, 0.1]], CostMatrix([[0, 1], [1, 0]], ["b", "a"])
    assert expected_calibration_error(["b", "b"], proba, cost_matrix=matrix) == pytest.approx(0.1)
    assert expected_calibration_error(["b", "a"], proba) == pytest.approx(0.4)  # sorted: a comes first
    assert expected_calibration_error(["b", "b"], proba, classes=["a", "b"]) == pytest.approx(0.9)
    given = {"cost_matrix": matrix, "classes": ["a", "b"]}
    assert expected_calibration_error(["b", "b"], proba, **given) == pytest.approx(0.9)
    for n_bins in (True, 2.0):
        with pytest.raises(ValueError, match="n_bins must be an int >= 1"):
            expected_calibration_error([0, 1], np.eye(2), n_bins=n_bins)


# -- scorers


def test_cost_scorer_in_searches():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    matrix = CostMatrix([[0, 1, 1], [1, 0, 1], [1, 10, 0]], ["setosa", "versicolor", "virginica"])
    grid = {"var_smoothing": [1e-9, 1e-1, 10.0]}
    search = GridSearchCV(GaussianNB(), grid, scoring=cost_scorer(matrix), cv=3).fit(X, names)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert (search.cv_results_["mean_test_score"] <= 0).all()
    # unshuffled halves: each test part lacks a class
    parts = [(np.arange(150), np.arange(0, 100)), (np.arange(150), np.arange(50, 150))]
    for scorer in (
        cost_scorer(matrix),
        cost_scorer(matrix.values, classes=matrix.classes),
        cost_scorer(matrix.values.tolist(), list(matrix.classes)),
    ):
        scores = cross_validate(GaussianNB(), X, names, scoring=scorer, cv=parts)["test_score"]
        said = GaussianNB().fit(X, names).predict(X)
        for (_, test), score in zip(parts, scores):
            assert score == -mean_cost(names[test], said[test], cost_matrix=matrix)


def test_example_costs_reach_the_scorer_by_routing():
    X, y = load_breast_cancer(return_X_y=True)
    rows = np.random.default_rng(0).uniform(0, 10, (len(y), 2))
    rows[np.arange(len(y)), y] = 0
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        sample_cost_scorer()
    with sklearn.config_context(enable_metadata_routing=True):
        model = MinExpectedCost(GaussianNB()).set_fit_request(costs=True)
        for scorer in (sample_cost_scorer(), make_scorer(neg_mean_cost).set_score_request(costs=True)):
            search = GridSearchCV(model, {"estimator__var_smoothing": [1e-9, 1e-4]}, scoring=scorer, cv=3)
            search.fit(X, y, costs=rows)
            half = [(np.arange(0, 400), np.arange(400, 569))]
            got = cross_validate(model, X, y, scoring=scorer, cv=half, params={"costs": rows})["test_score"]
            fitted = MinExpectedCost(GaussianNB()).fit(X[:400], y[:400], costs=rows[:400])
            said = fitted.predict(X[400:])
            wanted = -np.mean([rows[400 + i, label] for i, label in enumerate(said)])
            assert got[0] == pytest.approx(wanted)
            assert search.best_score_ < 0
    assert search.best_estimator_.cost_matrix_.values[0, 1] == pytest.approx(rows[y == 0, 1].mean())


def test_no_labels_are_no_undecided_rows():
    undecided = undecided_rows(np.array([], dtype=object))
    assert undecided.shape == (0,) and undecided.dtype == bool
