"""The report's form that asks, in a real browser: the same answers and bills as ``acquire``."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from asking import QUESTIONS, visits
from oracles.random_trees import random_fitted, random_rows
from stakes import C45Classifier, FeatureCosts, datasets
from stakes._text.words import plain
from stakes.report import model_report
from stakes.report.ask import script_json, walker_data
from stakes.tree.ask.acquire import acquire

# Answers every question from `known` (null: unknown) by using the form as a person would, and reads the end.
DRIVE = """(known) => {
  const again = document.getElementById("ask-again");
  if (again) again.click();
  const asked = [];
  for (;;) {
    const answer = document.getElementById("ask-answer");
    const total = document.getElementById("ask-total").textContent;
    if (answer) {
      const rows = [...document.querySelectorAll("#ask-box .chances tr")].map((row) => row.textContent);
      return { label: answer.textContent, asked, total, rows };
    }
    const name = document.getElementById("ask-question").textContent.replace(/^\\d+\\. /, "");
    const value = known[name];
    asked.push(name);
    const buttons = [...document.querySelectorAll("#ask-box .choices button")];
    const field = document.getElementById("ask-number");
    if (value === null) buttons.find((b) => b.textContent.startsWith("I don")).click();
    else if (field) {
      field.value = String(value);
      field.form.requestSubmit();
    } else buttons.find((b) => b.textContent === (value || "(empty)")).click();
    if (asked.length > 1000) return null;
  }
}"""


def bare_page(fitted, together=()):
    """Only the form, for trees that no estimator has learned."""
    from pathlib import Path

    import stakes.report

    templates = Path(stakes.report.__file__).parent / "templates"
    script = "".join((templates / name).read_text() for name in ("numbers.js", "ask.js"))
    data = script_json(walker_data(fitted, together))
    return (
        '<!DOCTYPE html><meta charset="utf-8"><input id="ask-budget"><div id="ask-box"></div>'
        f'<script type="application/json" id="ask-tree">{data}</script><script>{script}</script>'
    )


@pytest.fixture(scope="module")
def german():
    data = datasets.load("german")
    names = list(data.X.columns)
    groups = {"bank": (4, {name: 1.5 for name in names[:6]})}
    prices = FeatureCosts.from_groups(groups, {name: 0.25 * j for j, name in enumerate(names[6:])})
    tree = C45Classifier(cost_matrix=data.cost_matrix, feature_costs=prices).fit(data.X, data.y)
    return tree, data.X, model_report(tree, data.X, data.y, noun="customer")


def test_the_form_answers_as_acquire_does(german, open_page):
    tree, X, html = german
    page = open_page(html)
    rng = np.random.default_rng(0)
    rows = X.sample(80, random_state=0)
    rows = rows.mask(rng.random(rows.shape) < np.linspace(0, 0.6, 80)[:, None])
    for i in range(len(rows)):
        known = {name: _plain(value) for name, value in rows.iloc[i].items()}
        _compare(page.evaluate(DRIVE, known), tree.acquire(known.get))


def test_random_trees_in_the_browser(open_page):
    """Every kind of test, empty leaves, unmapped categories, awkward names and order-dependent discounts."""
    for seed in range(8):
        fitted = random_fitted(seed)
        names = fitted.schema.names
        own = {name: 1.0 + j / 4 for j, name in enumerate(names)}
        later = {name: ("g", own[name] / 2) for name in names[:3]}
        fitted = replace(fitted, feature_costs=FeatureCosts(own, later=later if seed % 2 else None))
        together = [names[:2], names[2:5]] if seed % 4 < 2 else []
        page = open_page(bare_page(fitted, together))
        for row in random_rows(seed, fitted, 8):
            known = {}
            for column, value in zip(fitted.schema.columns, row):
                missing = value < 0 if column.is_nominal else math.isnan(value)
                known[column.name] = (
                    None if missing else column.categories[value] if column.is_nominal else value
                )
            shown = {
                plain(k): plain(str(v))
                if isinstance(v, str | bool) or (_nominal(fitted, k) and v is not None)
                else v
                for k, v in known.items()
            }
            for budget in (None, 2.5):
                page.evaluate(
                    "(b) => { const f = document.getElementById('ask-budget'); f.value = b ?? '';"
                    " f.dispatchEvent(new Event('input')); }",
                    budget,
                )
                _compare(
                    page.evaluate(DRIVE, shown), acquire(fitted, known.get, budget=budget, together=together)
                )
        page.close()


def _nominal(fitted, name):
    return next(column for column in fitted.schema.columns if column.name == name).is_nominal


def _plain(value):
    return None if value is None or value != value else value if isinstance(value, str) else float(value)


def _compare(got, expected):
    assert got is not None
    assert got["label"] == plain(str(expected.label))
    assert got["asked"] == [plain(question.feature) for question in expected.asked]
    assert float(got["total"].replace(",", "")) == pytest.approx(expected.total, rel=1e-3, abs=0.006)
    if len(expected.probabilities) <= 8:
        for text, (label, share) in zip(got["rows"], expected.probabilities.items(), strict=True):
            shown = text.removeprefix(plain(str(label))).split("%")[0]
            assert float(shown) == pytest.approx(100 * share, abs=0.51)
            cost = float(text.rsplit("would cost ", 1)[1])
            assert cost == pytest.approx(expected.explanation.expected_costs[label], rel=0.01, abs=0.006)


def test_with_the_keyboard_alone(german, open_page):
    page = open_page(german[2])
    first = page.locator("#ask-question").inner_text()
    page.locator("#ask-box .choices button").first.focus()
    page.keyboard.press("Enter")
    second = page.locator("#ask-question").inner_text()
    assert second.startswith("2. ") and second != first
    # After an answer the focus is on the new question: Tab leads to its first choice.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#ask-box .choices') !== null")
    page.locator("#ask-back").focus()
    page.keyboard.press("Enter")
    assert page.locator("#ask-question").inner_text() == first


def test_numbers_that_are_none_are_refused(open_page):
    tree = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    page = open_page(model_report(tree, [[1.0], [9.0]], ["low", "high"]))
    field = page.locator("#ask-number")
    for text in ("much", "1,5", "0x10", "Infinity", "1_0", "--2", "1e999"):
        field.fill(text)
        field.press("Enter")
        assert "A number is needed" in page.locator("#ask-wrong").inner_text()
    field.fill(" 8.5 ")
    field.press("Enter")
    assert page.locator("#ask-answer").inner_text() == "high"
    page.locator("#ask-again").click()
    page.locator("#ask-number").press("Enter")
    assert page.locator("#ask-answer").inner_text() == tree.acquire({}.get).label


def test_budget_in_the_form(german, open_page):
    tree, X, html = german
    page = open_page(html)
    page.locator("#ask-budget").fill("5.5")
    known = {name: _plain(value) for name, value in X.iloc[3].items()}
    expected = tree.acquire(known.get, budget=5.5)
    assert expected.left_out
    _compare(page.evaluate(DRIVE, known), expected)
    assert "too costly" in page.locator("#ask-box").inner_text()
    page.locator("#ask-budget").fill("-1")
    assert page.locator("#ask-budget").get_attribute("aria-invalid") == "true"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_a_small_screen(german, open_page, scheme):
    page = open_page(german[2], viewport={"width": 360, "height": 740}, color_scheme=scheme)
    width = page.evaluate(
        "document.getElementById('ask').scrollWidth - document.getElementById('ask').clientWidth"
    )
    assert width <= 0


def test_the_form_asks_as_the_file_says(open_page, tmp_path):
    tree, X, y = visits()
    (tmp_path / "q.toml").write_text(QUESTIONS)
    page = open_page(model_report(tree, X, y, questions=tmp_path / "q.toml"))
    field, box = page.locator("#ask-number"), page.locator("#ask-box")

    def refused(*answers):
        for text, words in answers:
            field.fill(text)
            field.press("Enter")
            assert page.locator("#ask-wrong").inner_text() == f"{words}, got “{text}”."

    assert page.locator("#ask-question").inner_text() == "1. When was the last visit?"
    assert page.locator("#ask-terms").inner_text() == "visit, from 2020-01-01 to 2030-12-31"
    assert "≤ 2024-06-30" in box.inner_text() and "> 2024-06-30" in box.inner_text()
    needed = "A date such as 2020-01-31 is needed"
    allowed = "The answer must be from 2020-01-01 to 2030-12-31"
    refused(("much", needed), ("2023-02-29", needed), ("2023-13-01", needed), ("2019-12-31", allowed))
    refused(("2031-01-01", allowed), ("19700", needed))
    field.fill("2025-03-01")
    field.press("Enter")
    assert page.locator("#ask-terms").inner_text() == "from 0 mg/dl to 1000 mg/dl"
    assert "≤ 80 mg/dl" in box.inner_text()
    allowed = "The answer must be from 0 mg/dl to 1000 mg/dl"
    refused(("1001", allowed), ("-1", allowed))
    field.fill("70")
    field.press("Enter")
    assert "Ordered together with sugar" in box.inner_text()  # 70 has made it needless: it is ordered already
    field.fill("1")
    field.press("Enter")
    assert "2025-03-01" in box.inner_text() and "70 mg/dl" in box.inner_text()
    page.locator("#ask-again").click()
    field.fill("2024-06-27T12:00")
    field.press("Enter")
    choices = page.locator("#ask-box .choices button").all_inner_texts()
    assert {"no pain at all", "dull", "sharp"} < set(choices)
    assert page.locator("#ask-terms").inner_text() == "pain"
    page.locator("button", has_text="no pain at all").click()
    assert page.locator("#ask-answer").inner_text() == "well"


# ---- without a browser -------------------------------------------------------------------------------------


def test_the_page_has_the_form_only_where_there_is_something_to_ask(german):
    _, X, html = german
    assert 'id="ask-tree"' in html and "Answer for one customer." in html
    constant = C45Classifier().fit(X[["duration"]], np.repeat("a", len(X)))
    assert 'id="ask' not in model_report(constant, X[["duration"]], np.repeat("a", len(X)))


def test_what_a_script_holds_cannot_end_it():
    text = script_json({"name": "</script><!-- & \u2028"})
    assert "<" not in text and "&" not in text and text.isascii()
    assert json.loads(text) == {"name": "</script><!-- & \u2028"}


def test_only_columns_that_are_asked_are_in_the_page(german):
    tree = german[0]
    data = walker_data(tree.fitted_tree_)
    assert len(data["columns"]) == len({f for f in tree.tree_.feature.tolist() if f >= 0})
    assert max(data["feature"]) == len(data["columns"]) - 1
