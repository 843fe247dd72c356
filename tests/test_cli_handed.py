"""What evaluate, compare, reproduce, demo and clarify hand to the library and say of its answer."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from commands import run
from stakes import C45Classifier, CostMatrix, FeatureCosts, GDTClassifier
from stakes._cli import compare, demo, evaluate, learners, reproduce
from stakes.compare.comparison import Comparison, Interval, LearnerResult
from stakes.forensics.host.model import ClarifyModel
from stakes.forensics.profile import Profile
from stakes.lab.peers import PeerComparison
from stakes.lab.store import Outcome
from stakes.models import load_model

COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Six rows, costs and prices, in the folder where the commands run."""
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(
        "a,b,n,class\n1,x,1,bad\n2,x,2,bad\n3,y,1,bad\n6,x,1,good\n7,y,3,good\n8,y,1,good\n"
    )
    Path("costs.csv").write_text("actual\\predicted,bad,good\nbad,0,5\ngood,1,0\n")
    Path("prices.csv").write_text("feature,price\na,2\nb,3\nn,1\n")
    return tmp_path


PRICED = ["--feature-costs", "prices.csv"]


# ---- evaluate, compare, reproduce, demo --------------------------------------------------------------------


def interval(mean):
    return Interval(mean, mean - 0.1, mean + 0.1)


def result(name, cost):
    return LearnerResult(name, interval(cost), 10 * cost, interval(0.25), 1.0, interval(0.3), 3.0, 0.002, 5.0)


COMPARISON = Comparison((result("one", 0.5), result("two", 0.75)), 10, 3, 1, "bad", 1.0)


def test_evaluate_hands_everything_to_the_comparison(place, monkeypatch):
    handed = {}

    def stub(learners, X, y, **more):
        handed.clear()
        handed.update(learners=list(learners), X=X, y=y.tolist(), **more)
        return COMPARISON

    monkeypatch.setattr(evaluate, "evaluate_learners", stub)
    run("evaluate", "d.csv")
    assert handed.pop("cost_matrix").values.tolist() == [[0, 1], [1, 0]]
    assert handed.pop("X").schema.names == ("a", "b", "n") and callable(handed.pop("progress"))
    assert handed == {
        "learners": ["C4.5", "C4.5CS", "C4.5 min. cost", "best constant"],
        "y": ["bad"] * 3 + ["good"] * 3,
        "feature_costs": None,
        "sample_weight": None,
        "n_folds": 10,
        "n_repeats": 1,
        "random_state": 0,
        "level": 0.95,
        "by": None,
    }
    options = "--folds 3 --repeats 2 --seed 5 --level 0.9 -l gbse -l c4.5 -c costs.csv --weights n"
    Path("two.csv").write_text("feature,price\na,2\nb,3\n")
    result = run("evaluate", "d.csv", *options.split(), "--feature-costs", "two.csv", "--json")
    assert handed["cost_matrix"].values.tolist() == COSTS.values.tolist()
    assert handed["X"].schema.names == ("a", "b")
    assert dict(handed["feature_costs"].prices) == {"a": 2.0, "b": 3.0}
    assert handed["sample_weight"].tolist() == [1, 2, 1, 1, 3, 1]
    assert [handed[name] for name in ("n_folds", "n_repeats", "random_state", "level")] == [3, 2, 5, 0.9]
    assert handed["learners"] == ["GBSE", "C4.5"]
    costs = {"data": "d.csv", "costs": COSTS.to_dict()}
    assert json.loads(result.stdout) == json.loads(json.dumps(COMPARISON.to_dict() | costs))
    run("evaluate", "d.csv", "-c", "costs.csv", *PRICED)
    assert handed["learners"] == ["C4.5", "C4.5CS", "C4.5 min. cost", "CSGain", "best constant"]
    run("evaluate", "d.csv", "-l", "all")
    assert handed["learners"] == [title for title, _ in learners.LEARNERS.values()]
    run("evaluate", "d.csv", "-l", "all", *PRICED)
    assert handed["learners"][-7:] == list(learners.PRICED_LEARNERS.values())


@pytest.mark.parametrize(
    ("options", "named", "words"),
    [
        ("-m m.json -l c4.5", "--learner", "cannot be used together with --model."),
        ("-m m.json --folds 3", "--folds", "cannot be used together with --model."),
        ("-m m.json --repeats 3", "--repeats", "cannot be used together with --model."),
        ("--abstain-cost 0", "--abstain-cost", "needs --model."),
        ("--report r.html", "--report", "needs --model."),
        ("--questions q.toml", "--questions", "needs --model."),
        ("-m m.json --questions q.toml", "--questions", "needs --report."),
    ],
)
def test_evaluate_refuses_options_that_do_not_go_together(place, options, named, words):
    error = " ".join(run("evaluate", "d.csv", *options.split(), code=2).stderr.replace("│", " ").split())
    assert f"Invalid value for {named}: {words}" in error


def test_learners_are_what_their_titles_say():
    """Everything in which a learner differs from the defaults of its class."""
    makers = learners.LEARNERS
    found = {}
    for name, (title, make) in makers.items():
        model = make(COSTS, 7)
        assert title
        if name in ("sklearn", "sklearn_mc", "constant"):
            continue
        usual = type(model)().get_params()
        assert model.cost_matrix is COSTS
        given = {key: value for key, value in model.get_params().items() if value is not usual[key]}
        given.pop("cost_matrix")
        found[name] = (type(model).__name__, given)
    tree, mincost, seed = "C45Classifier", {"cost_use": "none", "decision": "min_cost"}, {"random_state": 7}
    assert found == {
        "c4.5": (tree, {"cost_use": "none"}),
        "c4.5cs": (tree, {}),
        "c4.5pi": (tree, {"cost_use": "priors"}),
        "c4.5_mc": (tree, mincost),
        "c4.5_lap": (tree, mincost | {"smoothing": "laplace"}),
        "c4.5_cp": (tree, mincost | {"smoothing": "laplace", "prune": "cost"}),
        "gdt": ("GDTClassifier", seed),
        "gdt_mc": ("GDTClassifier", seed | {"variant": "paper"}),
        "j48": (tree, {"cost_use": "none", "dialect": "j48"}),
        "j48cs": (tree, {"dialect": "j48"}),
        "rules": ("RuleClassifier", seed),
        "boosted": ("BoostedStakes", seed),
        "gbse": ("GBSE", seed),
        "gbse_t": ("GBSET", seed),
        "dse": ("DataSpaceExpansion", seed),
        "iw": ("IterativeWeighting", seed),
        "costing": ("Costing", seed),
        "avgcost": ("AverageCost", seed),
        "bagging_mc": ("CostBagging", seed),
        "metacost": ("MetaCost", seed),
        "csb1": ("CostBoosting", seed),
    }
    plain_tree = makers["sklearn"][1](COSTS, 7)
    assert plain_tree.steps[-1][1].random_state == 7
    wrapped = makers["sklearn_mc"][1](COSTS, 7)
    assert wrapped.cost_matrix is COSTS and wrapped.estimator.steps[-1][1].random_state == 7
    prices = FeatureCosts({"a": 1.0})
    priced = learners.make_learners(list(learners.PRICED_LEARNERS), COSTS, 7, prices)
    assert [model.criterion for model in priced.values()] == list(learners.PRICED_LEARNERS)
    assert all(model.feature_costs is prices and model.cost_matrix is COSTS for model in priced.values())
    with pytest.raises(ValueError, match="--learner tan needs --feature-costs"):
        learners.make_learners(["tan"], COSTS, 7)


def test_compare_hands_everything_on_and_says_what_is_absent_or_failed(place, monkeypatch):
    handed = {}

    def stub(data, **options):
        handed.clear()
        handed.update(data=data, **options)
        return found

    pages = []
    monkeypatch.setattr(compare, "compare_with_peers", stub)
    monkeypatch.setattr(compare, "write_comparison_report", lambda *args: pages.append(args) or args[0])
    found = PeerComparison(COMPARISON, {}, ())
    shown = run("compare", "folder/d.csv")
    assert "d.csv: 3-fold" in shown.stdout and "folder" not in shown.stdout and shown.stderr == ""
    assert callable(handed.pop("progress")) and pages == []
    assert handed == {
        "data": "folder/d.csv",
        "costs": None,
        "target": None,
        "learners": None,
        "n_folds": 10,
        "n_repeats": 1,
        "seed": 0,
        "folder": None,
        "n_jobs": -1,
        "cluster": None,
        "check_costs": True,
        "drop": [],
    }
    outcomes = [
        Outcome(str(n), {"learner": f"L{n}"}, None, f"Traceback\n  no {n}", 0, 0, 0) for n in range(6)
    ]
    found = PeerComparison(COMPARISON, {"XGBoost": "it is not installed"}, tuple(outcomes))
    options = "-c c.csv -t t -l A -l B --folds 3 --repeats 2 --seed 4 -j 5 --cluster tcp://x -o out --json"
    said = run("compare", "d.csv", "--accept-costs", *options.split(), code=1)
    del handed["progress"]
    assert handed == {
        "data": "d.csv",
        "costs": Path("c.csv"),
        "target": "t",
        "learners": ["A", "B"],
        "n_folds": 3,
        "n_repeats": 2,
        "seed": 4,
        "folder": Path("out"),
        "n_jobs": 5,
        "cluster": "tcp://x",
        "check_costs": False,
        "drop": [],
    }
    assert json.loads(said.stdout) == json.loads(
        json.dumps(COMPARISON.to_dict() | {"absent": {"XGBoost": "it is not installed"}})
    )
    assert said.stderr.splitlines() == [
        "XGBoost: it is not installed.",
        "The report is in out/comparison.html: open it in a browser.",
        *(f"Failed: L{n}:   no {n}" for n in range(5)),
        "6 units failed; learners that failed are left out.",
    ]
    assert pages == [(Path("out/comparison.html"), found, "d.csv", None)]


@pytest.fixture
def reproduced(monkeypatch):
    """What `stakes reproduce` asks for; nothing is run."""
    calls, failures = [], {}

    def stub(protocol, folder, **options):
        assert callable(options.pop("progress"))
        calls.append((protocol.name, folder, options))
        return SimpleNamespace(
            protocol=protocol,
            failures=failures.get(protocol.name, ()),
            n_units=7,
            seconds=12.4,
            memory=3 * 2**20,
        )

    def programs(folder, **options):
        assert callable(options.pop("progress"))
        calls.append(("programs", folder, options))
        return []

    def load(name, *, allow_imports):
        assert not allow_imports
        calls.append(("load", name))
        return SimpleNamespace(name=name)

    monkeypatch.setattr(reproduce, "reproduce", stub)
    monkeypatch.setattr(reproduce, "load_protocol", load)
    monkeypatch.setattr(reproduce, "page", lambda found: f"page of {found.protocol.name}")
    monkeypatch.setattr(reproduce, "write_lab_report", lambda path, found: path)
    monkeypatch.setattr(reproduce, "write_lab_index", lambda folder, done: folder / f"index of {len(done)}")
    monkeypatch.setattr(reproduce, "papers", lambda: ["p1", "p2"])
    recorded = SimpleNamespace(reproduce_programs=programs, page=lambda found: "page of programs")
    monkeypatch.setattr(reproduce.figure_programs, "load_programs", lambda folder: recorded)
    return calls, failures


def test_reproduce_all_papers(reproduced):
    calls, failures = reproduced
    outcome = Outcome(
        "k", {"learner": "C4.5", "fold": 2, "case": ""}, None, "Traceback\nValueError: no\n", 0, 0, 0
    )
    failures["p2"] = (outcome,) * 6
    said = run("reproduce", code=1)
    usual = {"tables": None, "figures": None, "datasets": None, "quick": False, "more": False}
    usual |= {"n_jobs": -1, "cluster": None}
    folder = Path("stakes-lab")
    assert calls == [("load", "p1"), ("load", "p2"), ("p1", folder, usual), ("p2", folder, usual)]
    assert said.stdout == "page of p1\npage of p2\n"
    assert said.stderr.splitlines() == [
        "p1: 7 units, 12 s of processor time, at most 3 MB; tables in stakes-lab, results in "
        f"{folder / reproduce.RESULTS}.",
        "The report is in stakes-lab/p1.html: open it in a browser.",
        "p2: 7 units, 12 s of processor time, at most 3 MB; tables in stakes-lab, results in "
        f"{folder / reproduce.RESULTS}.",
        *["Failed: learner C4.5, fold 2: ValueError: no"] * 5,
        "6 of 7 units failed; tracebacks in stakes-lab/p2-failures.txt. The next run tries them again.",
        "The report is in stakes-lab/p2.html: open it in a browser.",
        "The way to all of them is stakes-lab/index of 2.",
    ]


def test_reproduce_one_paper_and_the_figure_of_programs(reproduced):
    calls, _ = reproduced
    options = (
        "--table 1 --table 2 --figure 3 --datasets german,heart --quick --more -j 2 --cluster tcp://x -o out"
    )
    said = run("reproduce", "p1", *options.split())
    wanted = {"datasets": ["german", "heart"], "quick": True, "more": True, "n_jobs": 2, "cluster": "tcp://x"}
    assert calls[1:] == [("p1", Path("out"), {"tables": ["1", "2"], "figures": ["3"], **wanted})]
    assert "The way to" not in said.stderr
    assert "needs one paper" in run("reproduce", "--figure", 1, code=2).stderr
    calls.clear()
    said = run("reproduce", "davis2006", "--figure", 1, "--python", "py", "--datasets", "pip, jinja2")
    how = {"programs": ["pip", "jinja2"], "quick": False, "python": "py"}
    assert calls == [("programs", Path("stakes-lab"), how)] and said.stdout == "page of programs\n"
    assert said.stderr == (
        "The page is in stakes-lab; what was recorded and learnt is kept in stakes-lab/programs.\n"
    )
    for options, figures, tables in (
        ("--figure 1 --figure 2", ["2"], None),
        ("--figure 1 --table 4", [], ["4"]),
    ):
        calls.clear()
        run("reproduce", "davis2006", *options.split(), "--quick")
        assert [call[0] for call in calls] == ["programs", "load", "davis2006"]
        assert calls[0][2]["quick"] is True
        assert (calls[2][2]["figures"], calls[2][2]["tables"]) == (figures, tables)
    calls.clear()
    run("reproduce", "davis2006", "--figure", 2)
    run("reproduce", "p1", "--figure", 1)
    assert [call[0] for call in calls] == ["load", "davis2006", "load", "p1"]


def test_demo_compares_shows_a_tree_and_writes_all(tmp_path, monkeypatch):
    handed = {}
    fits = {"BoostedStakes": 0.4, "GDTClassifier": 0.5, "best constant": 0.8, "C4.5": 1.0}

    def stub(learners, X, y, **more):
        handed.update(learners=list(learners), n_samples=X.n_samples, labels=set(y.tolist()), **more)
        results = [replace(result("BoostedStakes, undecided at 0.5", 0.2), undecided=0.45)]
        results += [result(name, fits.get(name, 0.6)) for name in learners]
        results = [replace(one, savings=interval(1 - one.cost.mean / 0.8)) for one in results]
        return Comparison(tuple(results), 1000, 10, 1, "bad", 0.8)

    monkeypatch.setattr(demo, "evaluate_learners", stub)
    monkeypatch.setattr(demo, "BoostedStakes", lambda random_state, **costs: C45Classifier(**costs))  # fast
    monkeypatch.setattr(demo.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.chdir(tmp_path)
    text = run("demo").stdout
    assert handed.pop("cost_matrix").values.tolist() == [[0, 5], [1, 0]] and callable(handed.pop("progress"))
    assert handed == {
        "learners": [
            "BoostedStakes",
            "GDTClassifier",
            "scikit-learn forest, MinExpectedCost",
            "best constant",
            "scikit-learn forest",
            "C4.5",
        ],
        "n_samples": 1000,
        "labels": {"bad", "good"},
        "abstain_costs": {"BoostedStakes": 0.5},
    }
    assert text.startswith(
        "German credit: 1000 customers, 300 of them bad.\nCalling a bad customer good costs 5.\n"
    )
    rows = [" ".join(line.replace("│", " ").split()) for line in text.splitlines() if "│" in line]
    assert rows[:2] == ["BoostedStakes, undecided at 0.5 0.20 75% 25% 45% 3", "BoostedStakes 0.40 50% 25% 3"]
    assert "best constant 0.80 25% 3" in rows and "C4.5 1.00 -25% 25% 3" in rows
    assert (
        "\nBoostedStakes saves 50% of what the best constant costs, one tree of 3 leaves 38%.\n"
        "The constant calls every customer bad. Costlier, as they know no costs: C4.5.\n"
        "Where a second look costs 0.5, BoostedStakes leaves 45% undecided and saves 75%;\n"
        "a second look at every customer would save 38%.\n"
    ) in text
    folder = tmp_path / "stakes-demo"
    assert {path.name for path in folder.iterdir()} == {"report.html", "tree.svg", "tree.json", "model.json"}
    tree = load_model(folder / "tree.json")
    assert isinstance(tree, GDTClassifier) and tree.fitted_tree_.tree.class_weights[0].sum() == 1000
    shown = tree.export_text()
    assert f"GDTClassifier's tree, learned from all customers:\n{shown}" in text and shown.count("\n") < 30
    assert (folder / "tree.svg").read_text() == tree.export_svg()
    assert load_model(folder / "model.json").fitted_tree_.tree.class_weights[0].sum() == pytest.approx(666)
    assert text.endswith(
        "\n\nThe report is in stakes-demo/report.html: open it in a browser.\n\nTry next:\n"
        "  stakes show stakes-demo/tree.json --format leaves\n"
        "  stakes export stakes-demo/tree.json --to sql\n"
        "  stakes describe YOUR.csv --target COLUMN --costs COSTS.csv\n"
    )
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "German credit: what a model saves" in page and "334 customers" in page
    assert "BoostedStakes, learned from 666 customers; the figures are for 334 others." in page
    assert "BoostedStakes, undecided at 0.5" in page
    for line in text.splitlines()[-3:-1]:
        assert run(*line.split()[1:]).stdout
    run("demo", "-o", tmp_path / "deep" / "er")
    assert (tmp_path / "deep" / "er" / "report.html").exists()


def test_demo_names_the_program_as_it_can_be_started(tmp_path, monkeypatch):
    def program(executable, found=None):
        monkeypatch.setattr(demo.sys, "executable", str(executable))
        monkeypatch.setattr(demo.shutil, "which", lambda name: found)
        return demo._program()

    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    assert program(tmp_path / "bin" / "python") == "stakes"  # installed without its command
    (tmp_path / "bin" / "stakes").touch()
    assert program(tmp_path / "bin" / "python") == "bin/stakes"
    assert program(tmp_path / "bin" / "python", "/usr/bin/stakes") == "stakes"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert program(tmp_path / "bin" / "python") == str(tmp_path / "bin" / "stakes")


# ---- clarify -----------------------------------------------------------------------------------------------


def test_record_hands_everything_on_and_exits_as_the_program_did(tmp_path, monkeypatch):
    handed = []
    profile = Profile((), (), label="x")

    def stub(command, **options):
        handed.append((command, options))
        return status, profile

    monkeypatch.setattr(sys.modules["stakes.forensics"], "record", stub)
    monkeypatch.chdir(tmp_path)
    status = 3
    said = run("clarify", "record", "--", "prog", "--flag", code=3)
    (written,) = Path("runs").iterdir()
    assert said.stderr == f"Recorded {written}: 0 functions, 0 calls.\n"
    status = -15
    options = "--runs a/b --label why --input one --no-trees --lines"
    run("clarify", "record", *options.split(), "--", "prog", code=143)
    assert len(list(Path("a/b").glob("*.profile.gz"))) == 1
    run("clarify", "record", "-r", "a/b", "--", "prog", code=143)  # a folder that is there
    assert len(list(Path("a/b").glob("*.profile.gz"))) == 2
    unkept = {"keep_message": False, "patterns": ()}
    assert handed[:2] == [
        (["prog", "--flag"], {"trees": True, "lines": False, "label": None, "input": None} | unkept),
        (["prog"], {"trees": False, "lines": True, "label": "why", "input": "one"} | unkept),
    ]
    status = 0
    run("clarify", "record", "--", "prog")


def test_run_tells_the_verdict_on_stderr(monkeypatch):
    class Verdict:
        def __str__(self):
            return "clarify: full"

        def to_dict(self):
            return {"label": "full"}

    answers = {"ok": (0, None), "bad": (2, Verdict())}
    monkeypatch.setattr(sys.modules["stakes.forensics"], "run", lambda command, model: answers[command[0]])
    monkeypatch.setattr(ClarifyModel, "read", lambda path: path)
    assert run("clarify", "run", "-m", "m.json", "--", "ok").stderr == ""
    said = run("clarify", "run", "-m", "m.json", "--", "bad", code=2)
    assert (said.stdout, said.stderr) == ("", "clarify: full\n")
    said = run("clarify", "run", "-m", "m.json", "--json", "--", "bad", code=2)
    assert said.stdout == "" and json.loads(said.stderr) == {"label": "full"}
