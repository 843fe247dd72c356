"""The report: numbers that match the metrics, and a page that stands alone."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

from stakes import (
    C45Classifier,
    CostBagging,
    CostMatrix,
    GDTClassifier,
    Guard,
    MetaCost,
    MinExpectedCost,
    RuleClassifier,
    TradeoffSearchCV,
    datasets,
    metrics,
)
from stakes._base.intervals import mean_interval
from stakes.cli import app
from stakes.compare import evaluate_learners
from stakes.compare.constant import ConstantClassifier
from stakes.lab import Cell, reproduce
from stakes.report import model_report, model_view, parts, write_lab_report, write_report
from stakes.report.answered import AnsweredRows
from stakes.report.lab_views import cell_view, lab_view
from stakes.report.ratio import ratio_view

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
    comparison = evaluate_learners(
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


def test_a_model_without_probabilities_has_a_report():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    for model in (RidgeClassifier(), Guard(RidgeClassifier(), random_state=0)):
        view = model_view(model.fit(X, y), X, y)
        assert view.curve is None and view.ratio is None and view.abstention == () and view.total == 0
        Page(model_report(model, X, y))


def test_wrapped_trees_are_reported_by_what_they_answer(german):
    _, X, y, costs = german
    inner = C45Classifier(cost_matrix=costs, cost_use="none")
    wrapped = MinExpectedCost(inner, cost_matrix=costs).fit(X, y)
    view = model_view(wrapped, X, y)
    assert sum(leaf.cost for leaf in view.leaves) == view.total
    for leaf in view.leaves:  # a leaf's answer is wrong exactly where the model is
        assert leaf.errors <= leaf.rows
    meta = MetaCost(cost_matrix=costs, n_estimators=3, random_state=0).fit(X, y)
    view = model_view(meta, X, y)
    assert view.tree_svg and view.outline.cost == sum(leaf.cost for leaf in view.leaves) == view.total
    assert {leaf.label for leaf in view.leaves} <= {"bad", "good"}
    Page(model_report(meta, X, y))
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
    assert view.outline.rows == 0 and "Not counted here: 400 rows" in model_report(tree, blank, y)


# ---- what the parts say ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_every_place_of_the_slider_against_the_metrics(seed):
    """Random probabilities with ties, weights and costs, right answers that cost something included."""
    rng = np.random.default_rng(seed)
    n, classes = 60, np.array(["no", "yes"])
    proba = rng.integers(0, 11, n) / 10
    proba = np.column_stack([1 - proba, proba])
    actual, own = rng.integers(0, 2, n), rng.integers(0, 2, n)
    weight = rng.integers(0, 4, n) + rng.integers(0, 2, n) / 4
    costs = np.array([[rng.integers(0, 2), 3.0], [rng.integers(2, 9), rng.integers(-1, 2)]], dtype=float)
    costs = costs if seed % 2 else costs[::-1, ::-1]
    matrix = CostMatrix(costs, classes=classes)
    view = ratio_view(proba, AnsweredRows(None, classes[actual], matrix, actual, own, weight))
    dear = int(classes[1] == view.positive)
    total_cost = {"sample_weight": weight}
    assert view.at(view.start).own == pytest.approx(
        metrics.total_cost(classes[actual], classes[own], cost_matrix=matrix, **total_cost)
    )
    for place, ratio in enumerate(view.ratios):
        values = costs.copy()
        step = costs[1 - dear, dear] - costs[1 - dear, 1 - dear]
        values[dear, 1 - dear] = costs[dear, dear] + ratio * step
        moved = CostMatrix(values, classes=classes)
        answer = classes[[int(np.argmin(np.round(p @ values, 9))) for p in proba]]
        point = view.at(place)
        assert point.total == pytest.approx(
            metrics.total_cost(classes[actual], answer, cost_matrix=moved, **total_cost)
        )
        best = metrics.best_constant(classes[actual], cost_matrix=moved, **total_cost)
        assert point.constant == pytest.approx(best.cost)
        assert sum(map(sum, point.counts)) == pytest.approx(weight.sum())
        above = proba[:, dear] > point.threshold + 1e-9
        assert (answer[above] == view.positive).all()
    assert view.missed[view.start] == costs[dear, 1 - dear]


@pytest.mark.filterwarnings("ignore::stakes.CostMatrixWarning")
def test_no_slider_where_there_is_no_threshold():
    X, y = load_iris(return_X_y=True)
    assert model_view(GaussianNB().fit(X, y), X, y).ratio is None
    two = GaussianNB().fit(X[:100], y[:100])
    assert model_view(two, X[:100], y[:100]).ratio is not None
    free = CostMatrix([[0, 0], [1, 0]], classes=[0, 1])
    assert model_view(two, X[:100], y[:100], cost_matrix=free).ratio is None


def test_the_page_does_not_grow_with_the_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 2))
    y = (X[:, 0] + rng.normal(size=20_000) > 0).astype(int)
    model = GaussianNB().fit(X, y)
    few, many = (model_report(model, X[:n], y[:n]) for n in (1_000, 20_000))
    assert len(many) < 2 * len(few) < 300_000
    assert "of its 20,001 steps" in many and "steps" not in few


def test_rivals_are_the_constants(german):
    tree, X, y, costs = german
    view = model_view(tree, X, y)
    model, best, most = view.rivals
    assert (model.total, best.total) == (view.total, metrics.best_constant(y, cost_matrix=costs).cost)
    assert "always bad" in best.name and "always good" in most.name
    assert most.total == metrics.total_cost(y, np.full(len(y), "good"), cost_matrix=costs)
    assert max(rival.share for rival in view.rivals) == 1.0


def nodes(node):
    return [node, *(below for child in node.children for below in nodes(child))]


def test_the_outline_is_the_tree(german):
    tree, X, y, _ = german
    view = model_view(tree, X, y)
    found = nodes(view.outline)
    assert len(found) == tree.n_nodes_ and sum(not node.children for node in found) == tree.get_n_leaves()
    assert (view.outline.rows, view.outline.cost) == (400, view.total)
    for node in found:
        if node.children:
            assert node.rows == sum(child.rows for child in node.children)
            assert node.n_leaves == sum(child.n_leaves for child in node.children)
    by_leaf = sorted((leaf.rows, leaf.cost) for leaf in view.leaves)
    assert by_leaf == sorted((node.rows, node.cost) for node in found if not node.children and node.rows)


def test_a_large_tree_is_cut_between_levels(german, monkeypatch):
    tree, X, y, _ = german
    monkeypatch.setattr(parts, "MOST_LINES", 20)
    view = model_view(tree, X, y)
    found = nodes(view.outline)
    assert (
        len(found) <= 20 and sum(node.n_leaves for node in found if not node.children) == tree.get_n_leaves()
    )
    assert "leaves below are not shown" in model_report(tree, X, y)


def test_a_deep_tree_has_a_page():
    X, y = np.arange(100.0)[:, None], np.arange(100) % 2
    # Each row weighs more than all before it, so that one after the other is split off.
    tree = C45Classifier(criterion="gain", prune=None, collapse=False, min_samples_leaf=1e-20)
    tree.fit(X, y, sample_weight=3.0 ** np.arange(100) / 3.0**50)
    assert tree.get_depth() > parts.MOST_LEVELS
    page = model_report(tree, X, y)
    Page(page)
    assert "leaves below are not shown" in page


def test_rules_are_listed_in_their_order(german, monkeypatch):
    _, X, y, costs = german
    rules = RuleClassifier(cost_matrix=costs, t_good=0.6, min_support=0.05).fit(X, y)
    view = model_view(rules, X, y)
    assert [line.conditions for line in view.rules] == [rule.conditions for rule in rules.rules_]
    speaking = rules.apply(X)
    assert [line.rows for line in view.rules] == [(speaking == i).sum() for i in range(len(view.rules))]
    silent, *priced = view.abstention
    decision = rules.decide(X)
    assert silent.price is None and silent.coverage == metrics.coverage(decision)
    for line in priced:
        decision = rules.decide(X, line.price)
        assert line.cost == metrics.cost_with_abstention(
            y, decision, abstain_cost=line.price, cost_matrix=costs
        )
    Page(model_report(rules, X, y))
    monkeypatch.setattr(parts, "MOST_LINES", 2)
    assert f"{len(rules.rules_) - 2} rules are not shown" in model_report(rules, X, y)


def test_columns_are_read_as_often_as_paths_meet_them(german):
    tree, X, y, _ = german
    fitted = tree.fitted_tree_
    leaf, parent = tree.apply(X), fitted.tree.parent
    met = {name: 0 for name in fitted.schema.names}
    for end in leaf:
        columns, node = set(), end
        while node > 0:
            node = parent[node]
            columns.add(fitted.schema.names[fitted.tree.feature[node]])
        for name in columns:
            met[name] += 1
    use = {column.name: column for column in model_view(tree, X, y).use}
    assert set(use) == {fitted.schema.names[f] for f in fitted.tree.feature if f >= 0}
    for name, column in use.items():
        assert column.read == pytest.approx(met[name] / 400)
    assert sum(column.tests for column in use.values()) == (fitted.tree.feature >= 0).sum()


def test_shuffling_shows_which_columns_an_ensemble_misses():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 1] > 0, "p", "q")
    model = CostBagging(n_estimators=3, random_state=0).fit(X, y)
    use = model_view(model, X, y).use
    assert use[0].name == "x1" and use[0].worth > 0.3
    assert all(abs(column.worth) < 0.05 for column in use[1:])


def test_a_search_shows_its_front(german):
    _, X, y, costs = german
    prices = {name: 1.0 for name in X.schema.names}
    inner = C45Classifier(criterion="cs_gain", cost_matrix=costs, feature_costs=prices)
    model = TradeoffSearchCV(inner, param_range=[0.01, 0.5], cv=2).fit(X, y)
    view = model_view(model, X, y)
    assert view.tradeoff.chosen in view.tradeoff.points and len(view.tradeoff.points) == 3
    assert view.upfront_cost == model.upfront_cost() == model.upfront_cost(prices)
    Page(model_report(model, X, y))


def test_wrong_labels_and_lengths_are_refused(german):
    tree, X, y, _ = german
    with pytest.raises(ValueError, match="ugly"):
        model_view(tree, X, np.where(y == "bad", "ugly", y))
    with pytest.raises(ValueError, match="same length"):
        model_view(tree, X, y[:-1])
    with pytest.raises(TypeError, match="colour"):
        tree.report(X, y, colour="red")


def test_report_returns_or_writes_the_page(german, tmp_path):
    tree, X, y, _ = german
    assert tree.report(X, y, tmp_path / "r.html", noun="customer") is None
    report = tree.report(X, y, noun="customer")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report == str(report)
    assert report.save(tmp_path / "s.html").read_text(encoding="utf-8") == report
    assert model_report(tree, X, y, noun="customer") == report and report.heading == "What the model costs"
    with pytest.raises(FileNotFoundError, match="nowhere"):
        report.save(tmp_path / "nowhere" / "s.html")
    with pytest.raises(NotFittedError):
        C45Classifier().report(X, y)


# ---- lab ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "digits", "verdict"),
    [
        (Cell(0.5, 0.5), 2, "same"),
        (Cell(0.504, 0.5), 2, "same"),  # rounding
        (Cell(0.51, 0.5), 2, "higher"),
        (Cell(0.51, 0.5, spread=0.006), 2, "same"),
        (Cell(0.45, 0.5, spread=0.006), 2, "lower"),
        (Cell(0.45, 0.5, spread=0.006, paper_spread=0.03), 2, "same"),
        (Cell(None, 0.5), 2, ""),
        (Cell(0.5), 2, ""),
    ],
)
def test_verdicts(cell, digits, verdict):
    assert cell_view(cell, digits).verdict == verdict


def test_lab_page_has_every_figure_of_the_tables(tmp_path):
    found = reproduce("ting1998", datasets=["German"], quick=True)
    text = write_lab_report(tmp_path / "ting1998.html", found).read_text(encoding="utf-8")
    page = Page(text)
    said = " ".join(" ".join(page.text).split())
    for table in found.tables:
        assert table.title in said
        for note in table.notes:
            assert note in said
        for row in table.rows:
            for cell, column in zip(row.cells, table.columns, strict=True):
                for value in (cell.ours, cell.paper):
                    assert value is None or f"{value:.{column.digits}f}" in said
    assert len(page.ids) == len(set(page.ids)) and {link[1:] for link in page.links} <= set(page.ids)
    assert len(found.times) == found.n_units
    assert sum(line.units for line in lab_view(found).times) == found.n_units


def test_a_data_set_that_cannot_be_had_keeps_the_papers_figures(tmp_path):
    found = reproduce("ting1998", tables=["1"], datasets=["Coding"], quick=True)
    assert dict(found.absent)["Coding"].startswith("is not available")
    said = " ".join(Page(write_lab_report(tmp_path / "r.html", found).read_text(encoding="utf-8")).text)
    assert "There are no results of ours" in said and "942.2" in said and "is not available" in said


# ---- comparison --------------------------------------------------------------------------------------------


def test_comparison_against_a_loop():
    from stakes._base.folds import stratified_folds

    X, y = load_iris(return_X_y=True)
    costs = CostMatrix([[0, 1, 2], [3, 0, 1], [5, 1, 0]], classes=[0, 1, 2])
    result = evaluate_learners(
        {"nb": GaussianNB()}, X, y, cost_matrix=costs, n_folds=5, n_repeats=2, random_state=7
    )
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
        evaluate_learners({"nb": GaussianNB()}, X, y, **options)
    with pytest.raises(ValueError, match="at least one learner"):
        evaluate_learners({}, X, y)


def test_one_page_leads_to_the_reports_of_all_protocols(tmp_path):
    command = ["reproduce", "ting1998", "kretowski2007", "--quick", "--datasets", "german", "-j", "1", "-o"]
    run = CliRunner().invoke(app, [*command, str(tmp_path)])
    assert run.exit_code == 0, run.output
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    links = set(re.findall('href="([^"#]+)', text))
    assert links == {"ting1998.html", "kretowski2007.html"}
    assert all((tmp_path / name).exists() for name in links)
    assert text.count("quick version") == 2


def test_an_evolved_tree_shows_how_it_evolved():
    table, costs = datasets.load_table("german")
    model = GDTClassifier(cost_matrix=costs, max_generations=5, population_size=8).fit(table, table.labels())
    assert 'id="evolution"' in model_report(model, table, table.labels())
    kept = GDTClassifier.from_json(model.to_json())
    assert 'id="evolution"' not in model_report(kept, table, table.labels())
