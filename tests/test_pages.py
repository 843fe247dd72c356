"""Every kind of report in a real browser: sliders, folds, colours, paper, a phone, and the keyboard alone."""

import itertools
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from stakes import (
    C45Classifier,
    CostBagging,
    CostMatrix,
    GDTClassifier,
    RuleClassifier,
    TradeoffSearchCV,
    datasets,
    metrics,
)
from stakes._text.words import rounded
from stakes.decision import expected_costs, min_cost_class
from stakes.lab import compare_with_peers, reproduce
from stakes.report import model_report, model_view, write_comparison_report, write_lab_index, write_lab_report

# One learner fails, one data set is not available; a table with the paper's figures, ranks and a figure.
STUDY = """
title = "A <script>window.hacked = 1</script> study"
notes = ["As `C45Classifier` <b>does</b> it."]

[[dataset]]
name = "<b>one</b>"
file = "one.csv"

[[dataset]]
name = "two"
file = "two.csv"

[[dataset]]
name = "lost"
missing = "it was <i>never</i> published"

[learners]
"C4.5" = { class = "stakes.C45Classifier" }
"small" = { class = "stakes.C45Classifier", params = { max_depth = 1 } }
"failing" = { class = "stakes.C45Classifier", params = { confidence = -1.0 } }
"deep" = { class = "stakes.C45Classifier", grid = { max_depth = [1, 2, 3] } }

[study.main]
splits = { folds = 3 }
costs = { model = "ting", per = "fold" }
quick = { repeats = 1 }

[[table]]
number = "1"
title = "Costs"
mean = "Mean"
ranks = "mean_cost"
learners = ["C4.5", "small"]
columns = [{ learner = ["C4.5", "small", "failing"], measure = "mean_cost" }]

[table.paper]
"<b>one</b>" = [0.1, 99.0, 1.0]
"two" = [0.5, nan, nan]

[[table]]
number = "2"
title = "Costs again"
learners = ["C4.5", "small"]
columns = [{ learner = ["C4.5", "small"], measure = "mean_cost" }]

[[table]]
number = "3"
title = "Costs a third time"
learners = ["C4.5", "small"]
columns = [{ learner = ["C4.5", "small"], measure = "mean_cost" }]

[[figure]]
number = "1"
title = "Cost by depth"
rows = ["learner"]
learners = ["deep"]
datasets = ["two"]
columns = [{ label = "cost per row", measure = "mean_cost" }]
x_label = "depth"
"""

KINDS = ["tree", "gdt", "rules", "bagging", "tradeoff", "lab", "index", "compare"]
each_page = pytest.mark.parametrize("kind", KINDS)
# Reports on models have one template, with one script and one style.
each_template = pytest.mark.parametrize("kind", ["tree", "lab", "index", "compare"])
FOLDED = "document.querySelectorAll('details:not([open])').length"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.fixture(scope="module")
def german():
    table, costs = datasets.load_table("german")
    some = table.select(["checking_status", "duration", "credit_amount", "housing", "age"])
    return some.take(slice(0, 300)), some.take(slice(300, 500)), table.labels(), costs


@pytest.fixture(scope="module")
def models(german):
    train, _, labels, costs = german
    prices = {name: 1.0 + i for i, name in enumerate(train.schema.names)}
    search = C45Classifier(cost_matrix=costs, criterion="cs_gain", feature_costs=prices)
    learners = {
        "tree": C45Classifier(cost_matrix=costs),
        "gdt": GDTClassifier(cost_matrix=costs, max_generations=5, random_state=0),
        "rules": RuleClassifier(cost_matrix=costs, t_good=0.7, min_support=0.05),
        "bagging": CostBagging(cost_matrix=costs, n_estimators=5, random_state=0),
        "tradeoff": TradeoffSearchCV(search, param_range=[0.01, 1.0], cv=2),
    }
    return {name: learner.fit(train, labels[:300]) for name, learner in learners.items()}


@pytest.fixture(scope="module")
def pages(german, models, tmp_path_factory):
    _, test, labels, _ = german
    found = {
        name: model_report(model, test, labels[300:500], noun="customer") for name, model in models.items()
    }
    place = tmp_path_factory.mktemp("pages")
    rng = np.random.default_rng(0)
    for name in ("one", "two"):
        X = rng.normal(size=(60, 2)).round(2)
        y = np.where(X[:, 0] + rng.normal(size=60) > 0, "p", "q")
        pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "class": y}).to_csv(place / f"{name}.csv", index=False)
    (place / "study.toml").write_text(STUDY)
    lab = reproduce(place / "study.toml", quick=True)
    assert lab.failures and lab.absent
    compared = compare_with_peers(place / "one.csv", learners=["c4.5", "c4.5cs"], n_folds=3)
    found["lab"] = write_lab_report(place / "lab.html", lab).read_text(encoding="utf-8")
    found["index"] = write_lab_index(place, [lab, lab]).read_text(encoding="utf-8")
    written = write_comparison_report(place / "c.html", compared, "one.csv")
    return found | {"compare": written.read_text(encoding="utf-8")}


# ---- every page --------------------------------------------------------------------------------------------


@each_page
def test_fits_a_phone(pages, open_page, kind):
    page = open_page(pages[kind], viewport={"width": 360, "height": 740})
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_long_names_leave_room_for_figures_on_a_phone(open_page):
    """Only a matrix of many classes and the drawing, which starts at its root, are larger than the screen."""
    rng = np.random.default_rng(0)
    names = [f"a_class_with_a_name_of_some_length_{i}" for i in range(10)]
    frame = pd.DataFrame({"a_number_of_which_much_could_be_said": rng.normal(size=400)})
    frame["group"] = rng.choice(["the_first_of_these_groups", "the_second_of_these_groups"], size=400)
    y = np.array(names)[(frame.iloc[:, 0].rank().to_numpy() // 40.1).astype(int)]
    y[::5] = names[0]
    model = RuleClassifier(
        cost_matrix=CostMatrix(50.0 - 50.0 * np.eye(10), classes=names),
        feature_costs=dict.fromkeys(frame.columns, 12.25),
        t_good=0.6,
        abstain_cost=20.0,
    )
    tree = C45Classifier(feature_costs=dict.fromkeys(frame.columns, 12.25))
    for learner in (model, tree):
        report = learner.fit(frame, y).report(frame, y, by="group")
        page = open_page(report, viewport={"width": 390, "height": 844})
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        scrolled = page.evaluate(
            """[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth)
              .map((e) => e.getAttribute('aria-label'))"""
        )
        assert set(scrolled) <= {"Confusion matrix", "Drawing of the tree"}
        row = page.locator(".confusion.many th[scope=row]").first.bounding_box()
        assert row["width"] < 130 and row["height"] < 90
    drawing, root = (page.locator(place).first.bounding_box() for place in (".drawing", ".drawing .box"))
    assert drawing["x"] <= root["x"] and root["x"] + root["width"] <= drawing["x"] + drawing["width"]


@each_template
def test_is_light_or_dark_as_the_system_says_or_the_button(pages, open_page, kind):
    page = open_page(pages[kind], color_scheme="dark")
    dark = page.evaluate(BACKGROUND)
    page.emulate_media(color_scheme="light")
    light = page.evaluate(BACKGROUND)
    assert light != dark
    button = page.locator("#theme")
    # The page is told of the change by an event, which may come later.
    page.wait_for_function("document.querySelector('#theme').innerText === 'Dark colours'")
    button.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(BACKGROUND) == dark and button.inner_text() == "Light colours"
    page.keyboard.press("Space")
    assert page.evaluate(BACKGROUND) == light
    page.emulate_media(color_scheme="dark")  # the button has the last word
    assert page.evaluate(BACKGROUND) == light


@each_page
def test_paper_shows_what_is_folded_and_no_controls(pages, open_page, kind):
    page = open_page(pages[kind])
    folded = page.evaluate(FOLDED)
    assert folded > 0
    page.emulate_media(media="print")
    page.wait_for_function(f"{FOLDED} === 0")
    boxes = page.evaluate(
        "[...document.querySelectorAll('details > :not(summary)')].map((e) => e.getClientRects().length)"
    )
    assert boxes and all(boxes)
    assert not page.locator("nav").is_visible()
    for control in page.locator("button, input").all():
        assert not control.is_visible()
    page.emulate_media(media="screen")
    page.wait_for_function(f"{FOLDED} === {folded}")


@each_template
def test_folds_by_keyboard(pages, open_page, kind):
    page = open_page(pages[kind])
    for fold in page.locator("main details").all()[:3]:
        before = fold.evaluate("(fold) => fold.open")
        fold.evaluate("(fold) => fold.querySelector('summary').focus()")
        page.keyboard.press("Enter")
        assert fold.evaluate("(fold) => fold.open") is not before
        page.keyboard.press("Space")
        assert fold.evaluate("(fold) => fold.open") is before


@each_page
def test_skip_link_headings_and_names(pages, open_page, kind):
    page = open_page(pages[kind])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    headings = "[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))"
    levels = page.evaluate(headings)
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert page.evaluate("document.documentElement.lang") == "en"
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, input, svg[role=img], [role=region]')].filter((e) =>
          !e.textContent.trim() && !(e.labels && e.labels.length) &&
          !e.hasAttribute('aria-label') && !e.hasAttribute('aria-labelledby')).length"""
    )
    assert unnamed == 0
    regions = "[...document.querySelectorAll('[role=region]')].map((e) => e.getAttribute('aria-label'))"
    names = page.evaluate(regions)
    assert sorted(set(names)) == sorted(names)


@each_template
def test_focus_can_be_seen(pages, open_page, kind):
    page = open_page(pages[kind])
    for _ in range(4):
        page.keyboard.press("Tab")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert style == "solid"


CONTRAST = """(pairs) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const probe = document.body.appendChild(document.createElement("i"));
  const light = (name) => {
    probe.style.color = `var(${name})`;
    canvas.fillStyle = getComputedStyle(probe).color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return pairs.map(([a, b]) => {
    const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(pages, open_page, scheme):
    page = open_page(pages["tree"], color_scheme=scheme)
    pairs = [
        (text, ground)
        for text in ("--ink", "--soft", "--accent", "--warm", "--cool")
        for ground in ("--paper", "--card", "--wash")
    ]
    for pair, contrast in zip(pairs, page.evaluate(CONTRAST, pairs), strict=True):
        assert contrast >= 4.5, pair
    marks = [(f"--series-{i}", "--paper") for i in range(6)]
    assert min(page.evaluate(CONTRAST, marks)) >= 3


@pytest.fixture(scope="module")
def axe():
    """The checker of accessibility, which is no package of Python's and not part of this one."""
    path = os.environ.get("STAKES_AXE")
    if not path or not os.path.exists(path):
        pytest.skip("STAKES_AXE does not name axe.min.js of the npm package axe-core")
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
@each_page
def test_axe_finds_nothing(pages, open_page, axe, kind, width, scheme):
    page = open_page(pages[kind], viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.evaluate(axe)
    violations = page.evaluate("axe.run()")["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"]) for v in violations] == []


def test_a_notebook_shows_a_report_in_a_frame_of_its_own(german, models, open_page):
    """Its styles stay inside, its script runs, and its links lead to its sections, not to the notebook."""
    _, test, labels, _ = german
    report = models["tree"].report(test, labels[300:500], title='Tree "A" & <b>')
    shown = report._repr_html_()
    assert repr(report) == """<Report 'Tree "A" & <b>': a notebook shows it, save(path) writes it>"""
    notebook = f"<!DOCTYPE html><title>n</title><style>main {{ color: red }}</style><h1>Mine</h1>{shown}"
    page = open_page(notebook, viewport={"width": 1000, "height": 900})
    inside = page.frame_locator("iframe")
    assert inside.locator("h1").inner_text() == 'Tree "A" & <b>'
    assert page.evaluate(BACKGROUND) == "rgba(0, 0, 0, 0)"
    assert inside.locator("main").evaluate("(e) => getComputedStyle(e).color") != "rgb(255, 0, 0)"
    inside.locator("nav a", has_text="Ask").click()
    inside.locator("#ask-box button").first.click()
    assert inside.locator("h1").inner_text() == 'Tree "A" & <b>'  # still the report
    before = inside.locator("#ratio-value").inner_text()
    inside.locator("#ratio").press("ArrowRight")
    assert inside.locator("#ratio-value").inner_text() != before


# ---- the slider --------------------------------------------------------------------------------------------


def read_slider(page):
    """What the page shows."""
    return page.evaluate(
        """Object.fromEntries([...document.querySelectorAll('[id^=ratio-]')]
          .filter((e) => e.children.length === 0).map((e) => [e.id.slice(6), e.textContent]))"""
    )


def expected(model, X, y, ratio):
    """The same by the decision layer and the metrics, for costs of this ratio: bad is the dear class."""
    costs = CostMatrix([[0.0, ratio], [1.0, 0.0]], classes=["bad", "good"])
    answer = np.array(["bad", "good"])[min_cost_class(expected_costs(model.decision_proba(X), costs.values))]
    counts = {(t, a): int(((y == t) & (answer == a)).sum()) for t in ("good", "bad") for a in ("good", "bad")}
    best = metrics.best_constant(y, cost_matrix=costs)
    total = metrics.total_cost(y, answer, cost_matrix=costs)
    return {
        "value": f"{rounded(ratio)} : 1",
        "threshold": f"{1 / (1 + ratio):.3f}",
        "total": total,
        "mean": metrics.mean_cost(y, answer, cost_matrix=costs),
        "own": metrics.total_cost(y, model.predict(X), cost_matrix=costs),
        "constant": best.cost,
        "constant-label": best.label,
        "n00": counts["good", "good"],
        "n01": counts["good", "bad"],
        "n10": counts["bad", "good"],
        "n11": counts["bad", "bad"],
        "c10": f"× {rounded(ratio)} = {rounded(ratio * counts['bad', 'good'])}",
    }


def same(shown, wanted):
    for name, value in wanted.items():
        if isinstance(value, str):
            assert shown[name] == value, name
        else:  # shown with two decimals, and large ones with fewer
            shown_value = float(shown[name].replace(",", ""))
            assert shown_value == pytest.approx(value, rel=5.1e-4, abs=0.0051), name


@pytest.mark.parametrize("kind", ["tree", "gdt", "rules", "bagging"])
def test_the_slider_moves_bill_threshold_and_matrix(german, models, pages, open_page, kind):
    _, X, labels, costs = german
    y, model = labels[300:500], models[kind]
    ratios = model_view(model, X, y).ratio.ratios
    page = open_page(pages[kind])
    slider = page.locator("#ratio")
    assert slider.get_attribute("aria-valuetext") == "5 to 1"
    start = read_slider(page)
    same(start, expected(model, X, y, 5.0))
    assert float(start["own"]) == metrics.total_cost(y, model.predict(X), cost_matrix=costs)
    slider.focus()
    at, moves = ratios.index(5.0), {"ArrowRight": 1, "ArrowUp": 1, "ArrowLeft": -1, "ArrowDown": -1}
    for key in ["ArrowRight"] * 6 + ["ArrowUp", "ArrowLeft"] + ["ArrowDown"] * 14:
        page.keyboard.press(key)
        at += moves[key]
        same(read_slider(page), expected(model, X, y, ratios[at]))
    for key, ratio in (("Home", ratios[0]), ("End", ratios[-1])):
        page.keyboard.press(key)
        same(read_slider(page), expected(model, X, y, ratio))
        assert slider.get_attribute("aria-valuetext") == f"{rounded(ratio)} to 1"
    page.locator("#ratio-back").press("Enter")
    assert read_slider(page) == start


def test_the_slider_counts_tests_and_undecided_rows(german, open_page):
    """The page adds up as the view does, for rules that pay for columns and for rows that they leave open."""
    train, X, labels, costs = german
    options = {"t_good": 0.7, "min_support": 0.05, "cost_matrix": costs, "abstain_cost": 0.3}
    prices = dict.fromkeys(train.schema.names, 0.25)
    model = RuleClassifier(feature_costs=prices, **options).fit(train, labels[:300])
    ratio = model_view(model, X, labels[300:500]).ratio
    assert ratio.tests > 0 and sum(ratio.own_undecided) > 0
    page = open_page(model_report(model, X, labels[300:500]))
    start = read_slider(page)
    for key, place in (("Home", 0), ("End", len(ratio.ratios) - 1), ("ArrowLeft", len(ratio.ratios) - 2)):
        page.locator("#ratio").press(key)
        point = ratio.at(place)
        wanted = {"total": point.total, "own": point.own, "constant": point.constant}
        counts = {f"n{i}{j}": point.counts[i][j] for i in (0, 1) for j in (0, 1)}
        same(read_slider(page), wanted | counts)
    page.locator("#ratio-back").press("Enter")
    assert read_slider(page) == start


def test_the_mark_moves_along_the_picture(pages, open_page):
    page = open_page(pages["tree"])
    places = []
    for key in ("Home", "ArrowRight", "End"):
        page.locator("#ratio").press(key)
        places.append(page.locator("#ratio-mark").bounding_box()["x"])
    assert places[0] < places[1] < places[2]


def test_without_scripts_the_figures_are_there(german, models, pages, open_page, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_content(pages["tree"])
    _, X, labels, _ = german
    assert page.locator("#ratio-total").inner_text() == rounded(
        expected(models["tree"], X, labels[300:500], 5.0)["total"]
    )
    assert not page.locator("#ratio").is_visible() and not page.locator("#theme").is_visible()
    folded = page.locator("#bill details ul")
    assert not folded.is_visible()
    page.emulate_media(media="print")
    assert folded.is_visible()
    context.close()


# ---- names that would do harm ------------------------------------------------------------------------------


def test_hostile_names_are_text(open_page):
    evil = "<script>window.hacked = 1</script>"
    image = '"><img src=x onerror="window.hacked = 1">'
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({evil: rng.normal(size=80), image: np.where(rng.random(80) > 0.5, evil, image)})
    y = np.where(frame[evil] + (frame[image] == evil) > 0.5, evil, image)
    costs = CostMatrix([[0, 1], [3, 0]], classes=sorted({evil, image}))
    for model in (
        C45Classifier(cost_matrix=costs),
        RuleClassifier(cost_matrix=costs, t_good=0.9),
        CostBagging(cost_matrix=costs, n_estimators=3, random_state=0),
    ):
        html = model.fit(frame, y).report(frame, y, title=evil, noun=evil, note=image)
        page = open_page(html)
        for key in ("Home", "End"):
            page.locator("#ratio").press(key)
            shown = page.locator("#ratio-constant-label").inner_text()
            assert shown in (evil, image)
        assert page.locator("h1").inner_text() == evil
        assert page.evaluate("window.hacked") is None and page.locator("img").count() == 0
        assert evil in page.locator("#columns").inner_text()


def test_hostile_studies_are_text(pages, open_page):
    page = open_page(pages["lab"])
    assert "<script>" in page.locator("h1").inner_text()
    assert page.evaluate("window.hacked") is None and page.locator("b, i").count() == 0
    text = page.locator("main").inner_text()
    note = page.locator("#summary li", has=page.locator("code"))
    assert note.text_content() == "As C45Classifier <b>does</b> it."
    assert "<b>one</b>" in text and "it was <i>never</i> published" in text


# ---- what the lab's page says ------------------------------------------------------------------------------


def test_the_lab_page_marks_differences_by_more_than_colour(pages, open_page):
    page = open_page(pages["lab"])
    table = page.locator("#study-table-1")
    lower = table.locator("td.lower").first.inner_text()
    assert "▼" in lower and "lower" in table.locator("td.lower .unseen").first.text_content()
    assert "paper 99.00" in lower and "−" in lower
    assert page.locator("#study-table-1 svg").count() == 2  # costs by data set, ranks
    assert page.locator("#study-figure-1 svg").count() == 1
    for section in page.locator("section[id^=study-]").all():  # said on every table
        assert "quick" in section.locator("h2").inner_text() and "Quick version" in section.inner_text()


def test_failures_unfold_to_their_tracebacks(pages, open_page):
    page = open_page(pages["lab"])
    failure = page.locator("details.failure").first
    assert not failure.locator("pre").is_visible()
    failure.locator("summary").focus()
    page.keyboard.press("Enter")
    assert failure.locator("pre").is_visible()
    assert "confidence" in failure.locator("pre").inner_text() and "Traceback" in failure.inner_text()
    assert "failing" in failure.locator("summary").inner_text()
