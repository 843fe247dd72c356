"""What costs are in: said once to fit, and shown with every amount of money that people read."""

import csv
import io
import json
import re

import pytest

from commands import LOAN_COSTS, LOANS, run
from stakes import (
    C45Classifier,
    CostMatrix,
    FeatureCosts,
    GDTClassifier,
    RuleClassifier,
    TradeoffSearchCV,
    read_table,
)
from stakes._text.money import heading, in_currency, money, stated_currency, stating, unbroken
from stakes.lab import compare_with_peers
from stakes.models import load_model, model_info
from stakes.report import model_report, write_comparison_report

GIVEN = ("-t", "repaid", "-c", "costs.csv", "--feature-costs", "prices.csv")
BARE = ("loans.csv", "-t", "repaid", "-c", "costs.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("currency")
    (place / "loans.csv").write_text(LOANS)
    (place / "costs.csv").write_text(LOAN_COSTS)
    (place / "prices.csv").write_text("feature,price\nage,0.05\nincome,0.1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        run("fit", "loans.csv", *GIVEN, "-o", "plain.json")
        run("fit", "loans.csv", *GIVEN, "--currency", "EUR", "-o", "euro.json")
    return place


@pytest.fixture
def place(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def shown(*args, typed=""):
    """What people read on the terminal, on one line."""
    return " ".join(run(*args, typed=typed).stdout.split())


# ---- one place ---------------------------------------------------------------------------------------------


def test_a_currency_is_stated_around_what_is_written():
    assert (money(2.5), heading("cost"), in_currency("1 to 2")) == ("2.5", "cost", "1 to 2")
    with stating("EUR"):
        with stating("kr", space="\u00a0"):
            assert (money(2.5), in_currency("1 to 2")) == ("2.5\u00a0kr", "1 to 2\u00a0kr")
            assert unbroken("2 kr for Mr kr, 1 EUR") == "2\u00a0kr for Mr kr, 1 EUR"
        assert (money(2.5), heading("cost")) == ("2.5 EUR", "cost (EUR)")
    assert stated_currency() is None and unbroken("2 kr") == "2 kr"


@pytest.mark.parametrize("name", ["€", "US$", "Mio. kr", "EUR"])
def test_short_texts_are_currencies(place, name):
    assert f"37 {name} in all, 0.62 {name} per case" in shown("describe", *BARE, "--currency", name)


ODD = ["", "123", "E5", "½", "ninechars", " EUR", "EUR ", "a\tb", "\x1b[1m", "\u202eEUR"]


@pytest.mark.parametrize("name", ODD)
def test_other_texts_are_refused(place, name):
    error = " ".join(run("describe", *BARE, "--currency", name, code=2).stderr.replace("│", " ").split())
    assert "Invalid value for '--currency': must be 1 to 8 printable characters without digits" in error
    assert f"got {name!r}" in error


@pytest.mark.parametrize("value", [5, "5 EUR", ["EUR"]])
def test_python_and_files_refuse_them_as_well(place, value):
    model = load_model("plain.json")
    table = read_table("loans.csv", "repaid")
    with pytest.raises(ValueError, match=r"currency must be 1 to 8 printable .* got "):
        model_report(model, table, table.labels(), currency=value)
    document = model.to_dict()
    document["info"]["currency"] = value
    with pytest.raises(ValueError, match="currency must be 1 to 8 printable characters"):
        type(model).from_dict(document)


def test_costs_and_prices_are_described_in_it():
    costs = CostMatrix([[0, 5, 9], [-1, 0, 2], [3, 4, 0]], classes=["a", "b", "c"], check=False)
    prices = FeatureCosts.from_groups({"blood": (4, {"fat": 1, "sugar": 2})}, {"age": 0.5, "sex": 0})
    with stating("EUR"):
        assert "costs 9 EUR.\nThe other 5 mistakes cost -1 to 5 EUR." in costs.describe(limit=1)
        assert "earns 1 EUR." in costs.describe()
        words = prices.describe(limit=1)
    assert words.splitlines() == [
        "sugar costs 6 EUR, of which 4 EUR is shared.",
        "The other 3 cost 0 to 5 EUR each.",
        "blood (4 EUR) is paid once for fat and sugar.",
        "Everything together costs 7.5 EUR.",
    ]
    assert "EUR" not in costs.describe() + prices.describe()


# ---- models remember it ------------------------------------------------------------------------------------


def test_a_model_remembers_it_and_nothing_else_changes(place):
    plain, euro = ((place / f"{name}.json").read_text() for name in ("plain", "euro"))
    assert euro.replace(',"currency":"EUR"', "") == plain != euro
    model = load_model("euro.json")
    again = type(model).from_json(model.to_json())
    assert model_info(model)["currency"] == model_info(again)["currency"] == "EUR"
    assert "currency" not in model_info(load_model("plain.json"))


@pytest.mark.parametrize("learner", ["gdt", "rules", "boosted"])
def test_every_learner_remembers_it(place, tmp_path, learner):
    more = {"gdt": ("--set", "max_generations=2"), "rules": ("--folds", 2), "boosted": ()}[learner]
    run("fit", *BARE, "-l", learner, *more, "--currency", "EUR", "-o", tmp_path / "model.json")
    assert "0.62 EUR" in shown("describe", tmp_path / "model.json")


def test_a_file_of_options_may_say_it(place, tmp_path):
    run("fit", *BARE, "--currency", "kr", "--save-config", tmp_path / "fit.toml", "-o", tmp_path / "a.json")
    assert 'currency = "kr"' in (tmp_path / "fit.toml").read_text()
    run("fit", "--config", tmp_path / "fit.toml", "-o", tmp_path / "b.json")
    assert model_info(load_model(tmp_path / "b.json"))["currency"] == "kr"
    (tmp_path / "fit.toml").write_text('currency = "5"\n')
    assert "printable characters" in run("fit", *BARE, "--config", tmp_path / "fit.toml", code=2).stderr


@pytest.mark.parametrize(
    ("args", "typed"),
    [
        (("describe", "MODEL"), ""),
        (("evaluate", "loans.csv", "-m", "MODEL", "--by", "age"), ""),
        (("evaluate", "loans.csv", "-m", "MODEL", "--json"), ""),
        (("report", "MODEL", "loans.csv"), ""),
        (("predict", "MODEL", "loans.csv", "--explain"), ""),
        (("ask", "MODEL", "--budget", "1"), "20\n"),
        (("ask", "MODEL", "--json"), "20\n"),
    ],
)
def test_what_a_model_remembers_is_the_default(place, args, typed):
    """The same as with the option for a model that remembers none, and the option wins."""

    def said(model, *more):
        return shown(*(model if arg == "MODEL" else arg for arg in args), *more, typed=typed)

    remembered, without = said("euro.json"), said("plain.json")
    assert remembered == said("plain.json", "--currency", "EUR").replace("plain.json", "euro.json") != without
    assert said("euro.json", "--currency", "NOK") == remembered.replace("EUR", "NOK")
    assert "EUR" in remembered and "EUR" not in without and "currency" not in without


# ---- what people read --------------------------------------------------------------------------------------


def test_amounts_have_it_in_sentences_and_headings_in_tables(place, tmp_path):
    text = shown("fit", "loans.csv", *GIVEN, "--currency", "EUR", "-o", tmp_path / "m.json")
    assert "0.62 EUR for always answering no" in text and "Tests: 0.1 EUR per row one by one" in text
    text = shown("evaluate", "loans.csv", "-m", "euro.json", "--by", "age", "--abstain-cost", "0.5")
    for words in (
        "costs 9 EUR in all: 0.15 EUR per case, 0.05 EUR for mistakes and 0.1 EUR for tests",
        "would cost 37 EUR;",
        "0.1 EUR up front",
        "0.15 EUR, 95% interval 0.093 to 0.207 EUR.",
        "With 0.5 EUR for an undecided row",
        "Rows (and what they cost in EUR)",
        "23 (0)",
        "cost per row (EUR)",
        "always no (EUR)",
        "tests per row (EUR)",
    ):
        assert words in text
    text = shown("describe", "euro.json")
    assert "Calling a no case yes costs 5 EUR." in text and "Everything together costs 0.15 EUR." in text
    assert "EUR per row in cross-validation (95% interval " in text and "costs 0.62 EUR Guard" in text
    text = shown("describe", *BARE, "--currency", "EUR")
    assert "cost per row if always answered (EUR)" in text and "0.62 (cheapest)" in text
    text = shown("ask", "euro.json", "--budget", 1, typed="20\n")
    assert "costs 0.1 EUR (bill so far 0 EUR, 1 EUR left)" in text and "expected cost 0.12 EUR" in text
    assert "would cost 4.42 EUR" in text and "price (EUR)" in text and "of 1 EUR" in text
    text = shown("show", "euro.json", "--format", "leaves")
    assert "expected cost (EUR)" in text and "cost (EUR)" in text


def test_learners_side_by_side_have_it(place, tmp_path):
    options = (*BARE, "-l", "c4.5", "-l", "c4.5cs", "--folds", 3, "--currency", "EUR")
    text = shown("evaluate", *options, "--by", "age")
    assert "total (EUR)" in text and "costs 0.62 EUR per row" in text and "Cost per row (EUR) by age" in text
    text = shown("evaluate", *options, "--feature-costs", "prices.csv")
    assert text.count("(EUR)") == 4  # the bill, mistakes, tests, and up front
    assert "costs 0.62 EUR per row" in shown("compare", *options, "-j", 1, "-o", tmp_path)
    page = (tmp_path / "comparison.html").read_text(encoding="utf-8")
    for words in ("costs 0.617\u00a0EUR.", "Cost per row (EUR)</th>", "cost per row (EUR)</text>"):
        assert words in page
    assert json.loads(run("compare", *options, "-j", 1, "--json").stdout)["currency"] == "EUR"


def test_explanations_have_it_and_columns_of_predictions_are_numbers(place):
    rows = list(csv.DictReader(io.StringIO(run("predict", "euro.json", "loans.csv", "--explain").stdout)))
    assert rows[0]["why"].endswith("predicting no would cost 0.12 EUR, yes 4.42 EUR")
    assert float(rows[0]["expected_cost"]) == pytest.approx(0.115, abs=0.001)
    plain = run("predict", "plain.json", "loans.csv").stdout
    assert run("predict", "euro.json", "loans.csv").stdout == plain
    sql, plain = (run("export", model, "--to", "sql").stdout for model in ("euro.json", "plain.json"))
    assert sql == plain


@pytest.mark.parametrize("learner", ["rules", "boosted"])
def test_explanations_of_others_have_it(place, tmp_path, learner):
    more = ("--no-guard",) if learner == "rules" else ()
    run("fit", *BARE, "-l", learner, *more, "--currency", "EUR", "-o", tmp_path / "m.json")
    rows = csv.DictReader(io.StringIO(run("predict", tmp_path / "m.json", "loans.csv", "--explain").stdout))
    why = next(rows)["why"]
    assert re.search(r"expected costs: no [\d.]+ EUR, yes [\d.]+ EUR", why)
    if learner == "boosted":
        assert re.search(r": [+-][\d.]+ EUR; .*: [\d.]+ EUR (cheaper|more expensive) than", why)


def test_rules_have_it_in_their_table(place, tmp_path):
    run("fit", *BARE, "-l", "rules", "--no-guard", "--currency", "EUR", "-o", tmp_path / "m.json")
    assert "cost (EUR)" in shown("show", tmp_path / "m.json", "--format", "leaves")


def test_json_names_it_where_it_is_given(place):
    learners = ("evaluate", *BARE, "-l", "c4.5", "--folds", 3)
    for args in (("describe", *BARE), learners, ("describe", "plain.json")):
        plain, euro = (json.loads(run(*args, *more, "--json").stdout) for more in ((), ("--currency", "€")))
        assert "currency" not in plain and euro["currency"] == "€"
    asked = run("ask", "euro.json", "--json", typed="20\n").stdout.splitlines()
    assert [json.loads(line)["currency"] for line in asked] == ["EUR", "EUR"]


def test_odd_costs_and_guards_speak_of_it(place, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text("actual\\predicted,no,yes\nno,7,5\nyes,1,0\n")
    assert "class 'no' costs 7 EUR" in run("describe", *BARE[:-1], odd, "--currency", "EUR").stderr
    noise = "".join(f"{i % 7},{'xy'[i * i % 11 % 2]}\n" for i in range(60))
    (tmp_path / "noise.csv").write_text(f"a,class\n{noise}")
    note = run("fit", tmp_path / "noise.csv", "--currency", "EUR", "-o", tmp_path / "m.json").stderr
    assert re.search(r"costs [\d.]+ EUR per row in cross-.*, always predicting . costs [\d.]+ EUR;", note)


# ---- pages -------------------------------------------------------------------------------------------------


def visible_text(page):
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    return re.sub(r"\s*\n\s*", " ", re.sub(r"<[^>]*>", "", body))


def test_a_report_has_it_once_in_headings_and_with_every_other_amount(place):
    run("report", "euro.json", "loans.csv", "-o", "euro.html")
    page = (place / "euro.html").read_text(encoding="utf-8")
    text = visible_text(page)
    for words in (
        "costs 9\u00a0EUR in all: 0.15\u00a0EUR per case",
        "Calling a no case yes costs 5\u00a0EUR.",
        "0.093 to 0.21\u00a0EUR",
        "Per row (EUR)",
        "In all (EUR)",
        "what they cost in all (EUR).",
        "costs in EUR",
        "Price (EUR)",
        "a false alarm keeps its cost of 1\u00a0EUR;",
        "Cost per row (EUR) if",
        "Spend at most (EUR)",
        "3 wrong, cost 3\u00a0EUR",
    ):
        assert words.lower() in text.lower()
    assert "×\u00a0" not in text and not re.search(r"\d EUR", text)
    assert page.count('"currency":"EUR"') == 2  # for the slider and for the form
    run("report", "plain.json", "loans.csv", "-o", "plain.html")
    plain = (place / "plain.html").read_text(encoding="utf-8")
    known = re.sub(r"[ \u00a0]\(EUR\)|[ \u00a0]EUR|costs in EUR", "", text)
    assert known == visible_text(plain) and '"currency"' not in plain


def test_a_report_of_rules_that_abstain_has_it(place):
    table = read_table("loans.csv", "repaid")
    costs = CostMatrix([[0, 5], [1, 0]], classes=["no", "yes"])
    rules = RuleClassifier(cost_matrix=costs, abstain_cost=0.5).fit(table, table.labels())
    text = visible_text(rules.report(table, table.labels(), currency="EUR", by="age"))
    for words in (
        "cost 0.5\u00a0EUR each and are not in the table",
        "An undecided row costs (EUR)",
        "Cost per row in all (EUR)",
        "Best constant (EUR)",
        "undecided would cost 30\u00a0EUR.",
    ):
        assert words in text
    assert re.search(r"row[s]?, \d+ wrong, cost [\d.]+\u00a0EUR", text)
    assert re.search(r"wrongly, which costs [\d.]+\u00a0EUR\.", text)


def test_pictures_of_searches_have_it(place):
    table = read_table("loans.csv", "repaid")
    prices = {"age": 0.05, "income": 0.1}
    search = TradeoffSearchCV(
        C45Classifier(criterion="cs_gain", feature_costs=prices), cv=3, objective="cost"
    )
    page = search.fit(table, table.labels()).report(table, table.labels(), currency="EUR")
    assert ">feature costs (EUR)</text>" in page and ">cost of mistakes per row (EUR)</text>" in page
    evolved = GDTClassifier(max_generations=2, random_state=0).fit(table, table.labels())
    page = evolved.report(table, table.labels(), currency="EUR")
    assert ">cost per training row (EUR)</text>" in page
    assert re.search(r"the least, [\d.e-]+\u00a0EUR, lies just above", page)


def test_python_says_it_and_a_remembered_one_is_the_default(place):
    table = read_table("loans.csv", "repaid")
    model = load_model("euro.json")
    assert "9\u00a0EUR in all" in model.report(table, table.labels())
    assert "9\u00a0kr in all" in model.report(table, table.labels(), currency="kr")
    fitted = C45Classifier().fit(table, table.labels())
    page = fitted.report(table, table.labels(), currency="<&>")
    assert "0\u00a0&lt;&amp;&gt;" in page and "<&>" not in page
    assert stated_currency() is None


def test_a_comparison_is_written_with_it_from_python(place, tmp_path):
    result = compare_with_peers("loans.csv", costs="costs.csv", target="repaid", learners=["c4.5"], n_folds=3)
    paths = [
        write_comparison_report(tmp_path / "a.html", result, "loans", currency="kr"),
        write_comparison_report(tmp_path / "b.html", result, "loans"),
    ]
    with_it, without = (path.read_text(encoding="utf-8") for path in paths)
    assert "costs 0.617\u00a0kr." in with_it and "costs 0.617." in without


def test_the_scripts_of_a_page_write_it(place, open_page):
    run("report", "euro.json", "loans.csv", "-o", "euro.html")
    page = open_page((place / "euro.html").read_text(encoding="utf-8"))
    first = page.locator("#ratio-total").inner_text()
    assert first.endswith("\u00a0EUR")
    page.locator("#ratio").press("ArrowRight")
    moved = page.locator("#ratio-total").inner_text()
    assert moved.endswith("\u00a0EUR") and page.locator("#ratio-value").inner_text().endswith(" : 1")
    page.locator("#ratio-back").press("Enter")
    assert page.locator("#ratio-total").inner_text() == first
    assert page.locator("#ask-box .price").inner_text().startswith("costs 0.1\u00a0EUR")
    assert page.locator("#ask-total").inner_text() == "0\u00a0EUR"
