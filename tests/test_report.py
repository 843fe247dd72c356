"""The report: numbers that match the metrics, and a page that stands alone."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from stakes import C45Classifier, CostMatrix, Guard, MinExpectedCost, datasets, metrics
from stakes.lab.comparison import mean_interval
from stakes.lab.constant import ConstantClassifier
from stakes.report import compare, model_report, model_view, write_report

VOID = {"meta", "link", "br", "img", "input", "rect", "line", "path", "polyline", "stop"}


class Page(HTMLParser):
    """Checks nesting and collects attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.text = [], [], [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append(tag)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found[name] for name in ("href", "src", "xlink:href", "action") if name in found]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def german():
    table, costs = datasets.load_table("german")
    labels = table.labels()
    tree = C45Classifier(cost_matrix=costs).fit(table.take(slice(0, 600)), labels[:600])
    return tree, table.take(slice(600, 1000)), labels[600:], costs


def test_view_matches_the_metrics(german):
    tree, X, y, costs = german
    view = model_view(tree, X, y)
    predicted = tree.predict(X)
    assert view.total == metrics.total_cost(y, predicted, cost_matrix=costs)
    assert view.cost.mean == pytest.approx(metrics.mean_cost(y, predicted, cost_matrix=costs))
    assert view.high_cost_errors == metrics.high_cost_errors(y, predicted, cost_matrix=costs)
    assert view.savings == pytest.approx(metrics.savings(y, predicted, cost_matrix=costs))
    assert view.errors == (y != predicted).sum()
    assert sum(map(sum, view.confusion.counts)) == view.n_rows == 400
    assert sum(map(sum, view.confusion.spent)) == view.total
    assert sum(line.cost for line in view.classes) == view.total
    for total, part in ((400, "rows"), (view.errors, "errors"), (view.total, "cost"), (1, "share")):
        assert sum(getattr(leaf, part) for leaf in view.leaves) == pytest.approx(total)
    assert list(view.leaves) == sorted(view.leaves, key=lambda leaf: (-leaf.cost, -leaf.rows))
    assert f"costs {view.total:g}" in view.words[0]


def test_threshold_curve_against_a_loop(german):
    tree, X, y, costs = german
    curve = model_view(tree, X, y).curve
    assert curve.label == "bad" and curve.best == pytest.approx(1 / 6)
    bad = tree.decision_proba(X)[:, 0]
    ends = [x for x, _ in curve.points[1:]] + [1.0 + 1e-9]
    for (start, cost), end in zip(curve.points, ends):
        middle = (start + end) / 2
        answer = np.where(bad >= middle, "bad", "good")
        assert cost == pytest.approx(metrics.mean_cost(y, answer, cost_matrix=costs))


def test_weights_count_in_the_view(german):
    tree, X, y, _ = german
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    once, twice = model_view(tree, X, y, sample_weight=weight), model_view(tree, X.take(rows), y[rows])
    assert once.total == twice.total and once.confusion == twice.confusion
    assert [leaf.cost for leaf in once.leaves] == [leaf.cost for leaf in twice.leaves]
    assert np.allclose(np.array(once.curve.points)[:, 1].min(), np.array(twice.curve.points)[:, 1].min())


def test_page_stands_alone_and_is_well_formed(german, tmp_path):
    tree, X, y, costs = german
    comparison = compare(
        {"C4.5": C45Classifier(), "constant": ConstantClassifier(costs)}, X, y, cost_matrix=costs, n_folds=3
    )
    path = write_report(
        tmp_path / "r.html", tree, X, y, comparison=comparison, noun="customer", note="Held out."
    )
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    outside = re.findall(r"https?://[^\s\"'<>)]+", text)
    assert set(outside) <= {"http://www.w3.org/2000/svg"}  # a name, never fetched
    assert not re.search(r"@import|url\(\s*[\"']?(?!#)", text)
    said = " ".join(" ".join(page.text).split())
    view = model_view(tree, X, y, noun="customer")
    for sentence in (*view.words, *view.cost_words, "Held out."):
        assert sentence in said
    assert page.tags.count("h1") == 1 and "nav" in page.tags and "main" in page.tags
    for result in comparison.results:
        assert f"{result.cost.mean:.3f}" in said
    assert "prefers-color-scheme: dark" in text and "@media print" in text and 'name="viewport"' in text


def test_hostile_names_are_escaped():
    evil = '<script>alert("x")</script>'
    X = np.array([["a", 1.0], ["b", 2.0]] * 20, dtype=object)
    y = np.array([evil, "</style>"] * 20)
    costs = CostMatrix([[0, 1], [3, 0]], classes=sorted({evil, "</style>"}))
    import pandas as pd

    frame = pd.DataFrame(X, columns=[evil, "n"])
    tree = C45Classifier(cost_matrix=costs).fit(frame, y)
    text = model_report(tree, frame, y, title=evil, noun=evil, note=evil)
    assert "<script>alert" not in text
    Page(text)


def test_any_classifier_can_be_reported():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X, y)
    view = model_view(model, X, y)
    assert view.leaves == () and view.tree_svg == "" and view.curve is None and view.n_leaves is None
    assert view.total == (model.predict(X) != y).sum()
    Page(model_report(model, X, y))


def test_wrapped_trees_are_reported_by_what_they_answer(german):
    _, X, y, costs = german
    inner = C45Classifier(cost_matrix=costs, cost_use="none")
    wrapped = MinExpectedCost(inner, cost_matrix=costs).fit(X, y)
    view = model_view(wrapped, X, y)
    assert sum(leaf.cost for leaf in view.leaves) == view.total
    for leaf in view.leaves:  # a leaf's answer is wrong exactly where the model is
        assert leaf.errors <= leaf.rows
    noise = np.random.default_rng(0).normal(size=(60, 1))
    with pytest.warns(UserWarning, match="the constant is predicted"):
        guard = Guard(C45Classifier(cost_matrix=costs)).fit(noise, y[:60])
    view = model_view(guard, noise, y[:60])
    assert len(view.leaves) == 1 and view.leaves[0].label == "bad" and view.n_leaves == 1
    assert any("is guarded" in sentence for sentence in view.words)
    Page(model_report(guard, noise, y[:60]))


def test_missing_values_have_their_own_line(german):
    tree, X, y, _ = german
    column = X.schema.names.index("checking_status")
    blank = X.take(slice(None))
    blank.columns[column] = np.full(400, -1, dtype=np.int32)
    view = model_view(tree, blank, y)
    assert view.leaves[0].label == "by weight" and view.leaves[0].rows == 400


# ---- comparison --------------------------------------------------------------------------------------------


def test_comparison_against_a_loop():
    from stakes._folds import stratified_folds

    X, y = load_iris(return_X_y=True)
    costs = CostMatrix([[0, 1, 2], [3, 0, 1], [5, 1, 0]], classes=[0, 1, 2])
    result = compare({"nb": GaussianNB()}, X, y, cost_matrix=costs, n_folds=5, n_repeats=2, random_state=7)
    fold_costs, wrong, dear = [], 0, 0
    for r in range(2):
        fold = stratified_folds(y, 5, 7 + r)
        for k in range(5):
            predicted = GaussianNB().fit(X[fold != k], y[fold != k]).predict(X[fold == k])
            paid = costs.values[y[fold == k], predicted]
            fold_costs.append(paid.mean())
            wrong += (predicted != y[fold == k]).sum()
            dear += ((paid > 1) & (predicted != y[fold == k])).sum()
    only = result.results[0]
    assert only.cost.mean == pytest.approx(np.mean(fold_costs))
    half = 2.2621571627 * np.sqrt((1 / 10 + 1 / 4) * np.var(fold_costs, ddof=1))
    assert only.cost.high - only.cost.mean == pytest.approx(half)
    assert only.errors.mean == pytest.approx(wrong / 300) and only.high_cost_errors == pytest.approx(dear / 2)
    assert only.total == pytest.approx(np.mean(fold_costs) * 150) and only.leaves is None
    constant = metrics.best_constant(y, cost_matrix=costs)
    assert (result.constant, result.constant_cost * 150) == (constant.label, pytest.approx(constant.cost))


def test_mean_interval_is_the_t_interval():
    values = np.array([1.0, 2.0, 4.0, 7.0])
    found = mean_interval(values, np.ones(4))
    half = 3.1824463053 * values.std(ddof=1) / 2
    assert (found.mean, found.high) == (3.5, pytest.approx(3.5 + half))
    assert mean_interval(values, np.array([0, 0, 1.0, 0])).low == 4.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_folds": 1}, "n_folds must be between 2"),
        ({"n_folds": 1000}, "n_folds must be between 2"),
        ({"n_repeats": 0}, "n_repeats must be at least 1"),
        ({"level": 95}, "level must be between 0 and 1"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, "classes"),
    ],
)
def test_comparison_refuses(options, words):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=words):
        compare({"nb": GaussianNB()}, X, y, **options)
    with pytest.raises(ValueError, match="at least one learner"):
        compare({}, X, y)
