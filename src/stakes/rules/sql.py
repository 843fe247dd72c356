"""Rules as one SQL ``CASE`` expression that SQLite and PostgreSQL read alike."""

from __future__ import annotations

from stakes.rules.model import RuleSet
from stakes.tree.sql import label_literals, range_condition, sql_name


def export_sql(
    rules: RuleSet, *, silence: bool = False, table: str | None = None, output: str = "prediction"
) -> str:
    """Write rules as an SQL expression, or as a query over a table.

    Columns are quoted by their names; a nominal column holds the category itself; NULL is missing, and a
    missing value meets no condition.

    Parameters
    ----------
    rules : RuleSet
    silence : bool
        Whether a row without a rule gets NULL; else it gets the class of least expected cost.
    table : str, optional
        Name of a table; the result is then a query that gives all its columns and the class.
    output : str
        Name of the column with the class in such a query.
    """
    answers = label_literals(rules.labels)
    other = "NULL" if silence else answers[rules.fallback]
    lines = [f"  WHEN {_when(rules, i)} THEN {answers[rules.label[i]]}" for i in range(len(rules))]
    expression = "\n".join(["CASE", *lines, f"  ELSE {other}", "END"]) if lines else other
    if table is None:
        return expression
    return f"SELECT *, {expression} AS {sql_name(output)} FROM {sql_name(table)}"


def _when(rules: RuleSet, rule: int) -> str:
    tests = []
    for feature, value in rules.conditions(rule):
        column = rules.schema.columns[feature]
        test = range_condition(column, rules.bins.range(feature, [value]))
        tests.append(test or f"{sql_name(column.name)} IS NOT NULL")
    return " AND ".join(tests)
