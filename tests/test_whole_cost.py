"""The whole cost is counted everywhere: mistakes, columns that are read, and rows left undecided."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from commands import run
from stakes import (
    BoostedStakes,
    C45Classifier,
    CostMatrix,
    FeatureCosts,
    GDTClassifier,
    Guard,
    GuardWarning,
    MinExpectedCost,
    RuleClassifier,
    load_model,
    metrics,
)
from stakes._base.answering import paid_tests
from stakes.boosted import classifier
from stakes.compare import evaluate_learners
from stakes.decision import answers_of, whole_cost
from stakes.models import save_model
from stakes.report.views import model_view
from stakes.table import Table

COSTS = CostMatrix([[0, 1], [2, 0]], classes=["no", "yes"])


def rows_of(n=120, noise=0.1, seed=3):
    """Rows whose class is known from the column a, but for some noise; b says nothing."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    y = np.where((X[:, 0] > 0.5) ^ (rng.random(n) < noise), "yes", "no")
    table = Table.from_data(pd.DataFrame(X, columns=["a", "b"]))
    return table, y


def prices(price):
    return FeatureCosts({"a": price, "b": price})


# ---- the guard


def out_of_fold(make, table, y, cv, price, decide=False):
    """Mean whole cost of held-out rows, worked out by predict, path_cost and decide."""
    costs = []
    for train, test in cv:
        model = make().fit(table.take(train), y[train])
        rows, actual = table.take(test), y[test]
        paid = COSTS.values[COSTS.codes(actual), COSTS.codes(model.predict(rows))]
        if decide:
            decision = model.decide(rows)
            labels = np.where(decision.undecided, "no", decision.labels.astype(str))
            paid = COSTS.values[COSTS.codes(actual), COSTS.codes(labels)]
            paid = np.where(decision.undecided, model.abstain_cost, paid)
        costs.extend(paid + (model.path_cost(rows) if price else 0.0))
    return np.mean(costs)


@pytest.fixture
def folds():
    place = np.arange(120) % 4
    return [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(4)]


def test_a_guard_pays_for_the_columns_that_a_tree_reads(folds):
    """The tree errs in a tenth of the rows; at 0.05 a column it is worth its price, at 5 it is not."""
    table, y = rows_of()
    for price, guarded in ((0.05, False), (5.0, True)):

        def make(price=price):
            return C45Classifier(cost_matrix=COSTS, feature_costs=prices(price))

        guard = Guard(make(), cv=folds)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            guard.fit(table, y)
        assert guard.cv_cost_ == pytest.approx(out_of_fold(make, table, y, folds, price))
        assert guard.guarded_ is guarded and guard.cv_forced_cost_ == guard.cv_cost_
        assert [w.category for w in caught] == [GuardWarning] * guarded
        if guarded:
            text = str(caught[0].message)
            assert "in cross-validation, tests included, always predicting yes costs" in text
            assert "the constant is predicted" in text and caught[0].filename == __file__
        assert guard.feature_costs_.prices == prices(price).prices


def test_a_guard_without_prices_counts_mistakes_alone(folds):
    table, y = rows_of()
    tree = C45Classifier(cost_matrix=COSTS)
    guard = Guard(tree, cv=folds).fit(table, y)
    assert guard.cv_cost_ == pytest.approx(
        out_of_fold(lambda: C45Classifier(cost_matrix=COSTS), table, y, folds, 0)
    )
    assert guard.feature_costs_ is None and "cv_forced_cost" not in guard.to_dict()["state"]["fitted"]


def test_prices_for_any_estimator(folds):
    """Of a classifier of another library nothing is known but that it is given both columns."""
    table, y = rows_of()
    X = table.to_frame()
    plain = Guard(DecisionTreeClassifier(max_depth=1), cost_matrix=COSTS, cv=folds).fit(X, y)
    for given in ({"a": 0.01, "b": 0.02}, [0.01, 0.02], FeatureCosts({"b": 0.02, "a": 0.01})):
        paid = Guard(plain.estimator, cost_matrix=COSTS, feature_costs=given, cv=folds).fit(X, y)
        assert paid.cv_cost_ == pytest.approx(plain.cv_cost_ + 0.03)
    inside = MinExpectedCost(C45Classifier(feature_costs=prices(0.01)), cost_matrix=COSTS)
    assert Guard(inside, cv=folds).fit(table, y).feature_costs_.prices == {"a": 0.01, "b": 0.01}


def test_when_feature_costs_are_due(folds):
    table, y = rows_of()
    tree = GDTClassifier(feature_costs=prices(0.1), pay="upfront", max_generations=3, cost_matrix=COSTS)
    tree.fit(table, y)
    paid = paid_tests(tree, table, prices(0.1))
    assert paid.pay == "upfront" and (paid.due == tree.upfront_cost()).all() and tree.upfront_cost() > 0
    tree.pay = "path"
    assert (paid_tests(tree, table, prices(0.1)).due == tree.path_cost(table)).all()


def test_a_guard_counts_undecided_rows(folds):
    table, y = rows_of(noise=0.15)

    def make():
        return RuleClassifier(t_good=0.3, abstain_cost=0.15, cost_matrix=COSTS)

    guard = Guard(make(), cv=folds).fit(table, y)
    assert guard.cv_cost_ == pytest.approx(out_of_fold(make, table, y, folds, 0, decide=True))
    assert guard.cv_forced_cost_ == pytest.approx(out_of_fold(make, table, y, folds, 0))
    assert guard.cv_cost_ < guard.cv_forced_cost_ and not guard.guarded_
    ours, rules = guard.decide(table), guard.estimator_.decide(table)
    assert ours.undecided.any() and (ours.labels == rules.labels).all()
    np.testing.assert_array_equal(ours.expected_cost, rules.expected_cost)
    back = Guard.from_dict(json.loads(json.dumps(guard.to_dict())))
    assert (back.cv_cost_, back.cv_forced_cost_) == (guard.cv_cost_, guard.cv_forced_cost_)
    assert (back.decide(table).labels == rules.labels).all()


def test_a_guard_warns_where_answers_to_every_row_lose(folds):
    """Three of ten rows contradict the column: rules that must answer lose to the constant."""
    table, y = rows_of(noise=0.5)
    rules = RuleClassifier(t_good=0.2, abstain_cost=0.01, cost_matrix=COSTS)
    with pytest.warns(GuardWarning, match=r"where every row is answered.*use decide\(\)") as caught:
        guard = Guard(rules, cv=folds).fit(table, y)
    assert not guard.guarded_ and len(caught) == 1
    assert guard.cv_cost_ < guard.constant_cost_ <= guard.cv_forced_cost_


def test_a_guarded_model_abstains_only_where_that_is_cheaper(folds):
    table, y = rows_of(noise=0.5)
    with pytest.warns(GuardWarning, match="the constant is predicted"):
        guard = Guard(RuleClassifier(t_good=1.0, cost_matrix=COSTS), cv=folds).fit(table, y)
    assert guard.guarded_ and set(guard.decide(table).labels) == {guard.constant_}
    assert guard.decide(table, abstain_cost=guard.constant_cost_ / 2).undecided.all()


def test_the_ensemble_pays_for_every_column(monkeypatch):
    table, y = rows_of(n=24, noise=0.0)
    learn, parts = classifier.fit_parts, []

    def learn_once(*args):
        parts.append(parts[0] if parts else learn(*args))
        return parts[0]

    monkeypatch.setattr(classifier, "fit_parts", learn_once)
    free = BoostedStakes(cost_matrix=COSTS).fit(table, y)
    paid = BoostedStakes(cost_matrix=COSTS, feature_costs={"a": 0.01, "b": 0.02}).fit(table, y)
    assert not paid.guarded_ and paid.cv_cost_ == pytest.approx(free.cv_cost_ + 0.03)
    back = BoostedStakes.from_dict(json.loads(json.dumps(paid.to_dict())))
    assert back.feature_costs_.prices == paid.feature_costs_.prices == {"a": 0.01, "b": 0.02}
    assert "feature_costs" not in free.to_dict()["params"] and free.feature_costs_ is None
    with pytest.warns(GuardWarning, match="tests included"):
        costly = BoostedStakes(cost_matrix=COSTS, feature_costs=prices(9.0)).fit(table, y)
    assert costly.guarded_ and (paid_tests(costly, table, prices(9.0)).due == 0).all()


def test_files_without_the_new_fields_are_read(folds):
    table, y = rows_of()
    guard = Guard(C45Classifier(cost_matrix=COSTS, feature_costs=prices(0.01)), cv=folds).fit(table, y)
    back = Guard.from_dict(json.loads(json.dumps(guard.to_dict())))
    assert back.cv_forced_cost_ == guard.cv_cost_ and back.feature_costs_.prices == prices(0.01).prices
    own = Guard(C45Classifier(cost_matrix=COSTS), feature_costs={"a": 0.01, "b": 0.02}, cv=folds).fit(
        table, y
    )
    back = Guard.from_dict(json.loads(json.dumps(own.to_dict())))
    assert back.feature_costs_.prices == own.feature_costs_.prices == {"a": 0.01, "b": 0.02}


# ---- reports


def test_the_headline_the_rivals_and_the_slider_count_tests():
    table, y = rows_of()
    tree = C45Classifier(cost_matrix=COSTS, feature_costs=prices(3.0)).fit(table, y)
    view = model_view(tree, table, y)
    mistakes = metrics.total_cost(y, tree.predict(table), cost_matrix=COSTS)
    tests = tree.path_cost(table).sum()
    constant = metrics.best_constant(y, cost_matrix=COSTS).cost
    assert view.decisive == view.total_cost and view.decisive.mean == pytest.approx((mistakes + tests) / 120)
    assert view.savings == pytest.approx(1 - (mistakes + tests) / constant) and view.savings < 0
    assert "6.8 times that" in view.words[1] and " for tests." in view.words[0]
    assert [rival.total for rival in view.rivals[:2]] == pytest.approx([mistakes + tests, constant])
    assert (view.ratio.first.own, view.ratio.first.constant) == pytest.approx((mistakes + tests, constant))
    free = model_view(C45Classifier(cost_matrix=COSTS).fit(table, y), table, y)
    assert view.ratio.first.total == pytest.approx(free.ratio.first.total + tests)
    assert view.ratio.data()["tests"] == pytest.approx(tests) and free.ratio.data()["tests"] == 0
    for (edge, cost), (other, without) in zip(view.curve.points, free.curve.points, strict=True):
        assert edge == other and cost == pytest.approx(without + tests / 120)
    assert view.curve.constant == free.curve.constant
    lines = zip(view.abstention, free.abstention, strict=True)
    assert all(line.cost == pytest.approx(other.cost + tests / 120) for line, other in lines)
    page = tree.report(table, y)
    assert "Share of the cost of mistakes" in page and "for its tests, which a constant does not need" in page


def test_the_headline_and_the_slider_count_undecided_rows():
    table, y = rows_of(noise=0.3)
    rules = RuleClassifier(t_good=0.3, abstain_cost=0.15, cost_matrix=COSTS).fit(table, y)
    view, decision = model_view(rules, table, y), rules.decide(table)
    per_row = metrics.cost_with_abstention(y, decision, abstain_cost=0.15, cost_matrix=COSTS)
    assert view.decisive.mean == pytest.approx(per_row) and view.n_undecided == decision.undecided.sum() > 0
    assert view.abstention_cost.mean == pytest.approx(0.15 * decision.undecided.mean())
    assert f" for the {view.n_undecided:g} left undecided." in view.words[0]
    assert view.words[2] == "Leaving every case undecided would cost 18."
    assert [r.total for r in view.rivals if r.name == "no answer for any row"] == [pytest.approx(18)]
    first = view.ratio.first
    assert first.own == pytest.approx(120 * per_row)
    assert sum(map(sum, first.counts)) == pytest.approx(120 - view.n_undecided)
    assert first.besides == pytest.approx(0.15 * view.n_undecided)
    assert "0.15 each and are not in the table" in rules.report(table, y)


def test_a_model_that_leaves_no_row_undecided_says_so():
    table, y = rows_of(noise=0)
    rules = RuleClassifier(t_good=1.0, abstain_cost=9.0, cost_matrix=COSTS).fit(table, y)
    view = model_view(rules, table, y)
    assert view.n_undecided == 0 and view.abstention_cost is not None
    assert view.words[0].endswith("all of it for mistakes. No case is left undecided. There is no mistake.")
    assert "were every row answered" not in rules.report(table, y)
    paying = RuleClassifier(t_good=1.0, abstain_cost=9.0, cost_matrix=COSTS, feature_costs=prices(0.5))
    page = paying.fit(table, y).report(table, y)
    assert " for mistakes and " in page and "does not need. Rows that are left undecided cost 9 each" in page


def test_nothing_is_saved_where_the_constant_costs_nothing():
    table, y = rows_of()
    page = C45Classifier(cost_matrix=COSTS).fit(table, y).report(table.take(y == "no"), y[y == "no"])
    assert page.count("<dt>Saved</dt><dd>–") == 1  # and in the slider's figures, which a script fills
    assert page.count('<span id="ratio-saved">–') == 1


def test_a_tree_that_may_refuse_moves_its_line():
    """At every place of the slider the bill is that of the decision layer at these costs."""
    table, y = rows_of(noise=0.3)
    tree = GDTClassifier(abstain_cost=0.35, max_generations=5, cost_matrix=COSTS).fit(table, y)
    ratio = model_view(tree, table, y).ratio
    for place in (0, ratio.start, len(ratio.ratios) - 1):
        costs = CostMatrix([[0, 1], [ratio.missed[place], 0]], classes=["no", "yes"])
        moved = MinExpectedCost(tree, cost_matrix=costs)
        moved.estimator_, moved.classes_, moved.cost_matrix_ = tree, tree.classes_, costs
        decision = moved.decide(table, 0.35)
        cost = metrics.cost_with_abstention(y, decision, abstain_cost=0.35, cost_matrix=costs)
        assert ratio.at(place).total == pytest.approx(120 * cost)


def test_savings_of_a_comparison_count_tests():
    table, y = rows_of()
    learners = {"tree": C45Classifier(cost_matrix=COSTS)}
    result = evaluate_learners(learners, table, y, cost_matrix=COSTS, feature_costs=prices(3.0), n_folds=3)
    line, base = result.results[0], result.constant_cost
    assert line.savings.mean == pytest.approx(1 - line.total_cost.mean / base) and line.savings.mean < 0
    assert line.savings.low == pytest.approx(1 - line.total_cost.high / base)


def test_the_parts_of_the_whole_cost():
    table, y = rows_of(noise=0.3)
    rules = RuleClassifier(t_good=0.3, abstain_cost=0.15, cost_matrix=COSTS).fit(table, y)
    answers, row_costs = answers_of(rules, table), COSTS.expand(y)
    whole = whole_cost(rules, table, answers, COSTS, row_costs, prices(2.0), answers.decide())
    assert (whole.undecided == rules.decide(table).undecided).all()
    assert (whole.abstention == 0.15 * whole.undecided).all() and (whole.mistakes[whole.undecided] == 0).all()
    assert (whole.tests == rules.path_cost(table, prices(2.0))).all()
    np.testing.assert_array_equal(whole.by_row, whole.mistakes + whole.tests + whole.abstention)
    forced = whole_cost(rules, table, answers, COSTS, row_costs)
    assert forced.by_row.sum() == metrics.total_cost(y, rules.predict(table), cost_matrix=COSTS)


# ---- the command line


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, noise in (("d.csv", 0.1), ("noise.csv", 0.5)):
        table, y = rows_of(noise=noise)
        lines = [f"{a:.3f},{b:.3f},{label}" for a, b, label in zip(*table.columns, y, strict=True)]
        Path(name).write_text("\n".join(["a,b,class", *lines]) + "\n")
    Path("costs.csv").write_text("actual\\predicted,no,yes\nno,0,1\nyes,2,0\n")
    Path("prices.csv").write_text("feature,price\na,3\nb,3\n")
    return tmp_path


def test_fit_counts_prices_and_says_what_ignores_them(place):
    options = ["d.csv", "-c", "costs.csv", "--folds", 3]
    said = run("fit", *options, "--feature-costs", "prices.csv")
    assert "gain_ratio chooses columns as if they were free" in said.stderr
    assert "Cost per row with tests: " in said.stdout and "answers yes for everyone" in said.stdout
    assert load_model("model.json").guarded_
    assert "Note" not in run("fit", *options).stderr and not load_model("model.json").guarded_
    priced = run("fit", *options, "--feature-costs", "prices.csv", "--criterion", "cs_gain").stderr
    assert "as if they were free" not in priced
    rules = run("fit", *options, "--feature-costs", "prices.csv", "-l", "rules").stderr
    assert "rules choose columns as if they were free" in rules
    words = run("evaluate", "d.csv", "-m", "model.json", "--feature-costs", "prices.csv").stdout
    assert "0 for tests" in words  # the guarded constant reads nothing


@pytest.mark.parametrize("learner", ["c4.5", "gdt", "rules"])
def test_fit_guards_every_learner_and_says_what_it_costs(place, learner):
    out = run("fit", "noise.csv", "-c", "costs.csv", "--folds", 3, "-l", learner).stdout
    assert "Cost per row: " in out and "in cross-validation" in out and "for always answering yes" in out
    assert "rightly" not in out and load_model("model.json").guarded_
    bare = run("fit", "noise.csv", "-c", "costs.csv", "--no-guard", "-l", learner).stdout
    assert "Cost per row: not cross-validated (--no-guard), " in bare and "always answering yes" in bare


def test_a_file_of_guarded_rules_does_what_a_file_of_rules_does(place):
    options = ["d.csv", "-c", "costs.csv", "--folds", 3, "-l", "rules", "--t-good", 0.4]
    run("fit", *options[:3], *options[5:], "--no-guard", "-o", "bare.json")
    run("fit", *options, "-o", "kept.json")
    assert not load_model("kept.json").guarded_
    for line in (
        "show {}",
        "export {} --to sql",
        "export {} --to sql --abstain --table t",
        "export {} --to json",
        "predict {} d.csv",
        "predict {} d.csv --abstain --explain",
        "evaluate d.csv -m {} --json",
    ):
        kept, bare = (run(*line.format(name).split()) for name in ("kept.json", "bare.json"))
        assert kept.stdout == bare.stdout, line
    pages = [load_model(name).report(*rows_of()) for name in ("kept.json", "bare.json")]
    assert pages[0] == pages[1] and "The rules" in pages[0]


def test_a_file_of_rules_that_lost_to_the_constant(place):
    run("fit", "d.csv", "-c", "costs.csv", "--folds", 3, "-l", "rules", "-o", "g.json")
    guard = load_model("g.json")
    guard.guarded_ = True
    save_model(guard, "g.json")
    shown = run("show", "g.json")
    assert shown.stderr == "Note: this model answers yes for everyone; --tree has the rules.\n"
    assert "1 leaf" in shown.stdout
    rules = run("show", "g.json", "--tree")
    assert "the rules it is guarded against" in rules.stderr and rules.stdout.startswith("if ")
    assert "CASE" in run("export", "g.json", "--to", "sql", "--tree").stdout
    assert "'yes'" in run("export", "g.json", "--to", "sql").stdout
    assert "CASE" not in run("export", "g.json", "--to", "sql").stdout
    assert {row["prediction"] for row in json.loads(run("predict", "g.json", "d.csv", "--json").stdout)} == {
        "yes"
    }
    facts = json.loads(run("evaluate", "d.csv", "-m", "g.json", "--json").stdout)
    assert "rules" not in facts
    page = load_model("g.json").report(*rows_of())
    assert "guarded and answers yes for everyone" in page and "The rules" not in page


# ---- tuning


def test_score_is_the_accuracy_and_says_so():
    table, y = rows_of()
    for model in (C45Classifier(), RuleClassifier(), Guard(C45Classifier(), cv=3), BoostedStakes()):
        assert "accuracy" in type(model).score.__doc__ and "cost_scorer" in type(model).score.__doc__
    tree = C45Classifier(cost_matrix=COSTS).fit(table, y)
    assert tree.score(table, y) == np.mean(tree.predict(table) == y)
    weight = np.arange(120.0)
    assert tree.score(table, y, weight) == pytest.approx(np.average(tree.predict(table) == y, weights=weight))


def test_what_tunes_passes_a_cost_scorer():
    """No page and no example searches or compares by the number of mistakes."""
    root = Path(__file__).parents[1]
    pages = [root / "README.md", *(root / "docs").glob("*.md"), *(root / "examples").rglob("*.py")]
    tunes = ("cross_val_score(", "cross_validate(", "SearchCV(")
    for page in pages:
        for line in page.read_text(encoding="utf-8").splitlines():
            if any(word in line for word in tunes) and "TradeoffSearchCV" not in line:
                assert "scoring=" in line, (page.name, line)
