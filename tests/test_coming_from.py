"""The page "Coming from": what it says of other packages, tried with those that are installed."""

import os
import re
import shlex
import shutil
import subprocess
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from stakes import CostMatrix, MinExpectedCost, datasets
from stakes.metrics import mean_cost

PAGE = (Path(__file__).parent.parent / "docs" / "guide" / "coming_from.md").read_text(encoding="utf-8")
COSTS = CostMatrix([[0, 5], [1, 0]], classes=["bad", "good"])


def block(first_line):
    """The block of code that begins with this line."""
    return re.search(rf"^```\w+\n({re.escape(first_line)}.*?)^```$", PAGE, re.M | re.S)[1]


def test_lightgbm_weighs_rows_by_what_mistaking_them_costs():
    pytest.importorskip(
        "lightgbm", reason="LightGBM's part of the page is not run: lightgbm is not installed"
    )
    names = {
        "costs": COSTS,
        "datasets": datasets,
        "MinExpectedCost": MinExpectedCost,
        "train_test_split": train_test_split,
    }
    exec(block("from lightgbm import LGBMClassifier"), names)
    plain = names["plain"].fit(names["X"], names["y"])
    bills = [
        mean_cost(names["y_new"], model.predict(names["X_new"]), cost_matrix=COSTS)
        for model in (names["cheapest"], names["weighed"], plain)
    ]
    told = re.search(r"on these rows ([\d.]+) to the weighed model's ([\d.]+), and ([\d.]+) without", PAGE)
    # a new version may move single answers, of 300
    np.testing.assert_allclose(bills, [float(figure) for figure in told.groups()], atol=0.06)
    turned = plain.set_params(class_weight={"bad": 1, "good": 5}).fit(names["X"], names["y"])
    assert mean_cost(names["y_new"], turned.predict(names["X_new"]), cost_matrix=COSTS) > bills[2]


def test_costcla_cannot_be_imported_next_to_the_scikit_learn_of_today():
    if find_spec("costcla") is None:
        pytest.skip("costcla's part of the page is not tried: costcla is not installed")
    missing = pytest.raises(ModuleNotFoundError, match=r"sklearn\.externals")
    with warnings.catch_warnings(action="ignore"), missing:
        __import__("costcla")


def weka():
    """The class path of Weka: what STAKES_WEKA names, or what PyPI's python-weka-wrapper3 brought."""
    if "STAKES_WEKA" in os.environ:
        return os.environ["STAKES_WEKA"]
    wrapper = find_spec("weka")
    if wrapper is None or not wrapper.submodule_search_locations:
        return None
    jars = Path(wrapper.submodule_search_locations[0]).glob("lib/*.jar")
    return os.pathsep.join(sorted(map(str, jars))) or None


def write_arff(path):
    """German credit, with the classes in the order of the page."""
    german = datasets.load("german")
    lines = ["@relation german"]
    for name, column in german.X.items():
        names = ",".join(f"'{value}'" for value in sorted(set(column.astype(str))))
        lines.append(f"@attribute {name} {'numeric' if column.dtype.kind in 'if' else f'{{{names}}}'}")
    lines += ["@attribute class {bad,good}", "@data"]
    for row, label in zip(german.X.itertuples(index=False), german.y):
        lines.append(
            ",".join(f"'{value}'" if isinstance(value, str) else str(value) for value in row) + f",{label}"
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.slow
def test_weka_takes_rows_as_what_is_true(tmp_path):
    java, jar = shutil.which("java"), weka()
    if not java or not jar:
        pytest.skip("Weka's part of the page is not run: java or weka.jar (STAKES_WEKA) is not there")
    write_arff(tmp_path / "german.arff")
    command = [java, *shlex.split(block("java -cp weka.jar"))[1:]]
    command[command.index("weka.jar")] = jar

    def called_bad(words):
        out = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
        counts = re.findall(r"^ +(\d+) +(\d+) +\| +[ab] = (?:bad|good)$", out, re.M)[
            -2:
        ]  # of cross-validation
        return sum(int(bad) for bad, _ in counts)

    # A model of no columns answers one class: by these costs "bad", by the transposed ones "good".
    constant = [*command[:-1], "weka.classifiers.rules.ZeroR"]
    assert called_bad(constant) == 1000
    turned = ["[0.0 1.0; 5.0 0.0]" if "[" in word else word for word in constant]
    assert called_bad(turned) == 0
    assert 0 < called_bad(command) < 1000
