"""Exports: Python, C and SQL of trees and rules answer as the model, whatever names there are."""

from __future__ import annotations

import ctypes
import html.parser
import math
import re
import shutil
import sqlite3
import subprocess
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd

from attack.data import costs_for
from attack.harness import Draw, Refused
from stakes import C45Classifier, GDTClassifier, Guard, RuleClassifier
from stakes.export import render
from stakes.models import effective_tree

NAMES = [
    "n0", "N1", "p0", "s0", "s1", "b0_0", "b0_1", "b0_x", "m0", "m1", "n", "p", "s", "b", "true", "FALSE",
    "null", "rowid", "select", "from", "order by", 'a"b', "it's", "a;b", "--", "/*", "*/", "//", "\\",
    "??/", "%s", "%d", "{0}", "{x}", " ", "a b", "Größe", "日本", "line\nbreak", "prediction", "class", "row",
    "float", "isinstance", "None", "int", "return", "x", "w0", "tree", "PREDICT", "data", "b[0]",
    "__import__", "#include", '"""', "'''", "\u202e", "<b>", "&amp;", "]]>", "\ttab", "N_CLASSES", "COSTS",
    "SCORE", "NAME", "TOLERANCE", "?", "x" * 80, "\r", "$1", ":a", "@a", "e\u0301", "\x1b[31m", "`a`",
    "[a]",
]  # fmt: skip
TEXTS = [
    "a", "b", "", " ", "it's", 'say "x"', "1", "1.0", "01", "true", "TRUE", "None", "nan", "null", "\\",
    "\n", "é", "??/", "%", "*/", "\\x41", "\\0", "日本", "a" * 200, "🙂", "\x7f", "\x1b", "#", "{}", "\u2028",
]  # fmt: skip
LABELS: dict[str, Any] = {
    "texts": lambda draw, n: draw.sample(TEXTS, n),
    "numbers": lambda draw, n: draw.sample([-1, 0, 1, 2, 2**31, -(2**40)], n),
    "huge": lambda draw, n: draw.sample([2**53 + 1, 2**62 + 1, -(2**63)], n),
    "floats": lambda draw, n: draw.sample([0.0, -2.0, 1e300, 5.0, 2.0**60], n),
    "bools": lambda draw, n: [False, True],
    "names": lambda draw, n: draw.sample(NAMES, n),
}


class Subject:
    """A model with hostile names, its rows, and the names of its columns."""

    def __init__(self, draw: Draw, rules: bool = False) -> None:
        rng = np.random.default_rng(draw.randrange(2**32))
        n, n_columns = draw.randrange(30, 50), draw.choice([2, 3, 4])
        names: list[str] = []
        while len(names) < n_columns:  # SQL does not tell a from A
            name = draw.choice(NAMES)
            if name.casefold() not in {other.casefold() for other in names}:
                names.append(name)
        columns: dict[str, Any] = {}
        score = np.zeros(n)
        for name in names:
            kind = draw.choice(["numbers", "numbers", "texts", "bools", "whole categories"])
            if kind == "numbers":
                values = rng.normal(size=n) * draw.choice([1e-300, 1.0, 1e15, 1e300])
                score += np.argsort(np.argsort(values)) / n
                values[rng.random(n) < 0.1] = np.nan
                columns[name] = values
                continue
            pool = {"texts": draw.sample(TEXTS, 3), "bools": [True, False], "whole categories": [3, 7, -1]}[
                kind
            ]
            position = rng.integers(0, len(pool), n)
            score += position * 0.4
            values = np.array([pool[i] for i in position], dtype=object)
            values[rng.random(n) < 0.1] = None
            columns[name] = pd.Categorical(values, pool) if kind == "whole categories" else values
        kind = draw.choice([*LABELS, "texts", "names"])
        labels = LABELS[kind](draw, 2 if kind == "bools" else draw.choice([2, 3]))
        codes = np.argsort(np.argsort(score + rng.normal(size=n) * 0.1)) * len(labels) // n
        y = np.array(labels)[codes] if kind != "texts" else np.array(labels, dtype=object)[codes]
        self.frame = pd.DataFrame(columns)
        costs = costs_for(draw, len(labels))
        if rules:
            self.model: Any = RuleClassifier(cost_matrix=costs, min_support=draw.choice([0.02, 0.1]))
        else:
            self.model = draw.choice(
                [
                    C45Classifier(
                        cost_matrix=costs, decision=draw.choice(["majority", "min_cost"]), min_samples_leaf=1
                    ),
                    C45Classifier(cost_matrix=costs, group_values=True, prune=None),
                    C45Classifier(cost_matrix=costs, max_depth=draw.choice([0, 1])),
                    GDTClassifier(
                        cost_matrix=costs, population_size=6, max_generations=2, alpha=0.0, random_state=0
                    ),
                    Guard(C45Classifier(cost_matrix=costs), cv=2),
                ]
            )
        draw.note(type(self.model).__name__, kind, labels, names)
        draw.attempt(self.model.fit, self.frame, y)
        self.names = names
        self.rows = self._rows(draw)

    def _rows(self, draw: Draw) -> pd.DataFrame:
        """The rows that were learnt from, and others with missing and unseen values."""
        other = self.frame.iloc[:12].astype(object).copy()
        for name in self.names:
            for i in range(len(other)):
                chance = draw.random()
                if chance < 0.3:
                    other.iat[i, self.names.index(name)] = None
                elif chance < 0.4 and not pd.api.types.is_float_dtype(self.frame[name]):
                    other.iat[i, self.names.index(name)] = "never seen"
        return pd.concat([self.frame.astype(object), other], ignore_index=True)

    @property
    def plain_rows(self) -> list[list[Any]]:
        """Rows of plain values, None where one is missing."""
        return [
            [None if value is None or value != value else value for value in row]
            for row in self.rows.to_numpy().tolist()
        ]

    def encoded(self) -> Any:
        """The rows as the model takes them."""
        shown = self.rows.copy()
        for name in self.names:
            if pd.api.types.is_float_dtype(self.frame[name]):
                shown[name] = shown[name].astype(float)
            elif isinstance(self.frame[name].dtype, pd.CategoricalDtype):
                shown[name] = (
                    shown[name].where(shown[name] != "never seen", None).astype(self.frame[name].dtype)
                )
        return shown


def python(draw: Draw) -> None:
    subject = Subject(draw)
    fitted = effective_tree(subject.model)
    source = draw.attempt(render, fitted, "python")
    module: dict[str, Any] = {}
    exec(compile(source, "exported", "exec"), module)  # what is exported is run: that is what it is for
    rows = [dict(zip(subject.names, row)) for row in subject.plain_rows]
    X = subject.encoded()
    assert [module["predict"](row) for row in rows] == subject.model.predict(X).tolist()
    if getattr(subject.model, "guarded_", False):
        return  # a constant is exported as certain, so that whatever decides by it answers the constant
    proba = [module["predict_proba"](row) for row in rows]
    np.testing.assert_allclose(proba, subject.model.predict_proba(X), rtol=1e-9, atol=1e-12)


def sql(draw: Draw) -> None:
    in_sqlite(draw, Subject(draw), "tree")


def sql_of_rules(draw: Draw) -> None:
    in_sqlite(draw, Subject(draw, rules=True), "rules")


def in_sqlite(draw: Draw, subject: Subject, kind: str) -> None:
    """Run the query, and look for names that the query has made and the table has, too."""
    table, output = (
        draw.of(["data", 't"x', "select", "n0", "it's"]),
        draw.of(["prediction", "n0", 'a"b', "true"]),
    )
    data = effective_tree(subject.model) if kind == "tree" else subject.model.rule_set_
    query = draw.attempt(render, data, "sql", table=table, output=output)
    names = ['"' + name.replace('"', '""') + '"' for name in subject.names]
    base = sqlite3.connect(":memory:")
    quoted = '"' + table.replace('"', '""') + '"'
    base.execute(f"CREATE TABLE {quoted} ({', '.join(names)})")
    marks = ", ".join("?" * len(names))
    base.executemany(f"INSERT INTO {quoted} VALUES ({marks})", subject.plain_rows)
    answers = [row[-1] for row in base.execute(query)]
    base.close()
    wanted = subject.model.predict(subject.encoded()).tolist()
    assert answers == wanted, "SQLite answers otherwise"
    taken = sorted(aliases_beside_columns(query) & {name.casefold() for name in subject.names})
    assert not taken, f"DuckDB would take its own {taken} for the columns"


def aliases_beside_columns(query: str) -> set[str]:
    """Names that a query gives in a SELECT that reads columns of the table.

    DuckDB takes an identifier there for a name given before it, where there is one, and not for the column.
    """
    plain = re.sub(r"'(?:[^']|'')*'", "''", query.rpartition(" AS ")[0])
    plain = re.sub(r"\"(?:[^\"]|\"\")*\"", "§", plain)
    parts = [re.split(r"\b(?:FROM|LIMIT)\b", part)[0] for part in re.split(r"\bSELECT\b", plain)]
    return {name.casefold() for part in parts if "§" in part for name in re.findall(r"\bAS (\w+)", part)}


def c(draw: Draw) -> None:
    if shutil.which("cc") is None:
        raise Refused("there is no C compiler")
    subject = Subject(draw)
    name = draw.of(
        [
            "tree",
            "credit",
            "int",
            "N_CLASSES",
            "NAME",
            "COSTS",
            "SCORE",
            "TOLERANCE",
            "main",
            "x",
            "double",
            "a_predict",
            "EOF",
            "1a",
            "a-b",
            "",
            "\x00",
            "strcmp",
            "p",
        ]
    )
    fitted = effective_tree(subject.model)
    source = draw.attempt(render, fitted, "c", name=name)
    path = draw.folder / "model.c"
    path.write_text(source, encoding="utf-8")
    flags = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-shared", "-fPIC", "-w"]
    command = ["cc", *flags, "-o", str(draw.folder / "model.so"), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"does not compile: {done.stderr[:400]}"
    library = ctypes.CDLL(str(draw.folder / "model.so"))
    n_classes, columns = fitted.n_classes, fitted.schema.columns
    labels = (ctypes.c_char_p * n_classes).in_dll(library, f"{name}_classes")
    assert [text.decode() for text in labels] == [str(label) for label in fitted.labels]
    category, predict = getattr(library, f"{name}_category"), getattr(library, f"{name}_predict")
    codes = []
    for row in subject.plain_rows:
        x = []
        for j, (column, value) in enumerate(zip(columns, row)):
            if value is None:
                x.append(math.nan)
            elif column.is_nominal:
                known = value in column.categories
                code = category(j, str(value).encode())
                assert not known or column.categories[code] == value, f"category {value!r}"
                x.append(float(code))
            else:
                x.append(float(value))
        codes.append(predict((ctypes.c_double * len(x))(*x)))
    model = subject.model
    assert [
        model.classes_.tolist().index(label) for label in model.predict(subject.encoded()).tolist()
    ] == codes


class Reader(html.parser.HTMLParser):
    """Elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        """Keep a tag."""
        self.tags.append((tag, attrs))


def pictures(draw: Draw) -> None:
    """SVG is XML, DOT has its quotes closed, text has no more lines than nodes, whatever names there are."""
    subject = Subject(draw)
    fitted = effective_tree(subject.model)
    svg = draw.attempt(render, fitted, "svg")
    root = ET.fromstring(svg)
    assert not [tag for tag in root.iter() if tag.tag.rpartition("}")[2] in ("script", "b")]
    dot = draw.attempt(render, fitted, "dot")
    for line in dot.splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0, f"quotes of {line!r}"
    text = draw.attempt(render, fitted, "text")
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\x1b]", text), "an escape in text for people"


def pages(draw: Draw) -> None:
    """No name of a column or label becomes an element of a report."""
    import stakes.report

    subject = Subject(draw)
    X = subject.encoded()
    page = draw.attempt(stakes.report.model_report, subject.model, X, subject.model.predict(X))
    text = page if isinstance(page, str) else str(page)
    reader = Reader()
    reader.feed(text)
    assert not [tag for tag, _ in reader.tags if tag == "b" or (tag == "script" and "src" in tag)]


ATTACKS = [python, sql, sql_of_rules, c, sql, python, pictures, sql_of_rules, pages, c]
