"""CN2 of Orange on given splits; run by rules_readings.py with the Python of an environment that has Orange3.

    python benchmarks/rules_cn2.py problem.json answers.json

The problem has columns, classes and splits; the answers are, for each split, the class of every test row and the seconds that
fitting took. A split that is there already is not computed again.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from Orange.classification import rules
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table


def orange_table(problem):
    variables, columns = [], []
    for column in problem["columns"]:
        if column["categories"] is None:
            variables.append(ContinuousVariable(column["name"]))
        else:
            variables.append(DiscreteVariable(column["name"], values=column["categories"]))
        columns.append([np.nan if value is None else float(value) for value in column["values"]])
    target = DiscreteVariable("class of the row", values=[str(label) for label in problem["classes"]])
    return Table.from_numpy(
        Domain(variables, target), np.array(columns).T, np.array(problem["y"], dtype=float)
    )


def main(source: Path, target: Path) -> None:
    problem = json.loads(source.read_text())
    table = orange_table(problem)
    answers = json.loads(target.read_text()) if target.exists() else []
    for split in problem["splits"][len(answers) :]:
        start = time.process_time()
        learner = getattr(rules, problem["learner"])()
        for name, value in problem["settings"].items():
            setattr(learner.rule_finder.general_validator, name, value)
        model = learner(table[split["train"]])
        seconds = time.process_time() - start
        answer = np.asarray(model(table[split["test"]])).astype(int).tolist()
        answers.append({"answer": answer, "seconds": seconds, "rules": len(model.rule_list)})
        part = target.with_suffix(".part")
        part.write_text(json.dumps(answers))
        part.replace(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
