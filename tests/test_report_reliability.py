"""Whether probabilities come true: bins by a slow twin, Wilson's interval by its definition, the page."""

import numpy as np
import pytest
from scipy.optimize import brentq
from sklearn.datasets import load_iris

from stakes import C45Classifier, CostMatrix
from stakes.report import model_report, model_view, reliability


def slow_bins(said, is_so, weight, n_bins):
    """Rows sorted by probability; equal ones go to the bin that the middle of them falls into."""
    total, before, parts = sum(weight), 0.0, {}
    for value in sorted(set(said)):
        rows = [i for i in range(len(said)) if said[i] == value]
        size = sum(weight[i] for i in rows)
        number = min(int((before + size / 2) / total * n_bins), n_bins - 1)
        parts.setdefault(number, []).extend(rows)
        before += size
    for number in sorted(parts):
        rows = [i for i in parts[number] if weight[i] > 0]
        if rows:
            size = sum(weight[i] for i in rows)
            yield (
                sum(weight[i] * said[i] for i in rows) / size,
                sum(weight[i] * is_so[i] for i in rows) / size,
                size,
            )


@pytest.mark.parametrize("seed", range(20))
def test_bins_are_those_of_a_slow_twin(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 300))
    said = rng.integers(0, 8, n) / 8 if seed % 2 else rng.random(n)
    weight = rng.integers(0, 4, n).astype(float) if seed % 3 else np.ones(n)
    weight[0] = 25.0  # enough rows, whatever was drawn
    is_so = rng.random(n) < said
    n_bins = int(min(10, weight.sum() // 10))
    found = [(part.probability, part.share, part.rows) for part in reliability.bins(said, is_so, weight)]
    assert np.allclose(found, list(slow_bins(said, is_so, weight, n_bins)))


def test_bins_hold_about_equally_many_rows():
    rng = np.random.default_rng(0)
    said = rng.random(1000)
    found = reliability.bins(said, rng.random(1000) < said, np.ones(1000))
    assert len(found) == 10 and {part.rows for part in found} == {100.0}
    assert [part.probability for part in found] == sorted(part.probability for part in found)


@pytest.mark.parametrize(("share", "n"), [(0.0, 20), (1.0, 7), (0.5, 1), (0.13, 200), (0.9, 33)])
def test_wilson_inverts_the_score_test(share, n):
    """Its ends are the probabilities p at which the share is 1.96 standard errors of p away."""
    low, high = reliability.wilson(share, n)

    def score(p):
        return (share - p) ** 2 - 1.959963984540054**2 * p * (1 - p) / n

    assert low == pytest.approx(0.0 if share == 0 else brentq(score, 0.0, share - 1e-9), abs=1e-9)
    assert high == pytest.approx(1.0 if share == 1 else brentq(score, share + 1e-9, 1.0), abs=1e-9)


def test_two_classes_are_seen_from_the_costlier_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 1))
    y = np.where(rng.random(400) < 1 / (1 + np.exp(-3 * X[:, 0])), "a", "b")
    costs = CostMatrix([[0, 4], [1, 0]], classes=["a", "b"])
    model = C45Classifier(cost_matrix=costs, prune=None, collapse=False, smoothing="laplace").fit(
        X[:200], y[:200]
    )
    (diagram,) = model_view(model, X[200:], y[200:]).reliability
    assert diagram.label == "a" and sum(part.rows for part in diagram.bins) == 200
    proba = model.decision_proba(X[200:])[:, 0]
    means = [(part.probability, part.share) for part in diagram.bins]
    twin = list(slow_bins(proba, y[200:] == "a", np.ones(200), 10))
    assert np.allclose(means, [(said, share) for said, share, _ in twin])
    gaps = [rows * abs(said - share) for said, share, rows in twin]
    assert diagram.difference == pytest.approx(sum(gaps) / 200)
    assert diagram.n_within == sum(part.low <= part.probability <= part.high for part in diagram.bins)


def test_more_classes_have_the_likeliest_and_each_one():
    X, y = load_iris(return_X_y=True)
    model = C45Classifier(max_depth=2, smoothing="laplace").fit(X[::2], y[::2])
    view = model_view(model, X[1::2], y[1::2])
    first, *rest = view.reliability
    assert first.label is None and first.name == "the most likely class"
    spent = {line.actual: line.cost for line in view.classes}
    assert [diagram.label for diagram in rest] == sorted(spent, key=lambda label: (-spent[label], label))
    proba = model.decision_proba(X[1::2])
    twin = slow_bins(proba.max(axis=1), proba.argmax(axis=1) == y[1::2], np.ones(75), 7)
    assert np.allclose([(b.probability, b.share, b.rows) for b in first.bins], list(twin))


def test_none_where_it_would_say_nothing():
    X, y = load_iris(return_X_y=True)
    model = C45Classifier().fit(X, y)
    assert model_view(model, X[:19], y[:19]).reliability == ()
    stump = C45Classifier(max_depth=1, min_samples_leaf=100).fit(X, y)
    assert stump.get_n_leaves() == 1 and model_view(stump, X, y).reliability == ()
    assert 'id="reliability"' not in model_report(stump, X, y)


def test_the_page_shows_the_class_that_is_chosen(open_page):
    X, y = load_iris(return_X_y=True)
    page = open_page(model_report(C45Classifier(max_depth=2).fit(X[::2], y[::2]), X, y))
    choice, figures = page.locator("#reliability-of"), page.locator("#reliability-figures > div")
    seen = "[...document.querySelectorAll('#reliability-figures > div')].map((e) => e.offsetParent !== null)"
    assert choice.locator("option").all_inner_texts()[0] == "the most likely class" and figures.count() == 4
    assert page.evaluate(seen) == [True, False, False, False]
    choice.focus()
    page.keyboard.press("ArrowDown")
    assert page.evaluate(seen) == [False, True, False, False]
    name = choice.evaluate("(e) => e.selectedOptions[0].text")
    assert f"truly {name}, by its probability" in figures.nth(1).locator("svg title").first.text_content()
    page.emulate_media(media="print")
    assert not choice.is_visible() and page.evaluate(seen) == [False, True, False, False]


def test_without_scripts_the_first_is_shown(browser, tmp_path):
    X, y = load_iris(return_X_y=True)
    path = C45Classifier(max_depth=2).fit(X[::2], y[::2]).report(X, y).save(tmp_path / "r.html")
    page = browser.new_page(java_script_enabled=False)
    page.goto(path.as_uri())
    assert not page.locator("#reliability-of").is_visible()
    assert page.locator("#reliability-figures figure >> nth=0").is_visible()
    page.close()
