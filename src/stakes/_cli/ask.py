"""``stakes ask``: a conversation with a model about one case, and its bill."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from stakes._base.answering import first_with
from stakes._base.labels import Label
from stakes._cli.console import out, say
from stakes._cli.shared import json_text, read_model
from stakes._cli.show import open_tree
from stakes._text.money import heading, money, with_currency
from stakes._text.words import amount, did_you_mean, plain
from stakes.costs import as_feature_costs
from stakes.table import Column, Schema
from stakes.tree import Acquired, Acquisition, AskedColumn, Question, Questionnaire, read_questionnaire
from stakes.tree.ask.answers import encode_answer

UNKNOWN = ("", "?")
BACK = "<"
#: Of many classes the most probable ones are shown.
MOST_CLASSES = 6
BAR = 24
#: What a script is told of a question.
SHOWN_FIELDS = ("feature", "kind", "categories", "price", "spent", "left", "share", "probabilities", "why")


def run(
    model: Path,
    budget: float | None,
    known: list[str] | None,
    feature_costs: Path | None,
    questions: Path | None,
    tree: bool,
    as_json: bool,
) -> None:
    """Ask and answer until the model knows enough."""
    estimator = read_model(model)
    fitted = open_tree(estimator, tree)
    if feature_costs is not None:
        fitted = replace(fitted, feature_costs=as_feature_costs(feature_costs, fitted.schema.names))
    elif fitted.feature_costs is None and not as_json and fitted.tree.n_nodes > 1:
        say("Note: this model knows no prices, so that all is free; --feature-costs names a file of them.")
    schema = fitted.schema
    asked = Questionnaire(schema) if questions is None else read_questionnaire(questions, schema)
    row, unseen = _parse_known(known or [], asked.schema), _unseen(estimator)
    if as_json:
        _script(Acquisition(replace(fitted, schema=asked.schema), row, budget, unseen, asked.together))
        return
    worded = replace(fitted, schema=asked.worded)
    talk = Acquisition(worded, asked.row_in_words(row), budget, unseen, asked.together)
    _conversation(talk, budget, {column.name: column for column in worded.schema.columns})


def _unseen(model: Any) -> str:
    return getattr(first_with(model, "unseen"), "unseen", "missing")


def _parse_known(pairs: list[str], schema: Schema) -> dict[str, Any]:
    """Values by name; a name may itself hold an equals sign, so the longest name that fits is taken."""
    known: dict[str, Any] = {}
    for pair in pairs:
        fits = [column for column in schema.columns if pair.startswith(f"{column.name}=")]
        if not fits:
            name = pair.split("=", 1)[0]
            what = "NAME=VALUE" if "=" not in pair else f"the name of a column, but {name!r} is none"
            known_names = did_you_mean(name, schema.names, "columns")
            raise typer.BadParameter(f"must have {what}{known_names}.", param_hint="--set")
        column = max(fits, key=lambda column: len(column.name))
        text = pair[len(column.name) + 1 :]
        value = None if text in UNKNOWN and text not in map(str, column.categories) else text
        # What is set on the command line can be set right there, so a category nobody knows is refused.
        encode_answer(column, value, "error")
        known[column.name] = value
    return known


# ---- for people --------------------------------------------------------------------------------------------


def _conversation(talk: Acquisition, budget: float | None, columns: Mapping[str, Column]) -> None:
    console = out()
    while (question := talk.next_question) is not None:
        column = columns[question.feature]
        _show_question(console, question, column, len(talk.asked) + 1)
        if not _one_answer(console, talk, question, column):
            say("The input has ended; the rest counts as unknown.")
            talk.finish()
    _show_result(console, talk.result, budget, columns)


def _show_question(console: Console, question: Question, column: Column, number: int) -> None:
    name, wording = plain(column.name), plain(getattr(column, "ask", ""))
    head = Text(f"{number}. {wording} ({name})" if wording else f"{number}. {name}", style="bold")
    head.append(f"   costs {money(question.price)}", style="bold yellow" if question.price else "green")
    left = "" if question.left is None else f", {money(question.left)} left"
    head.append(f"   (bill so far {money(question.spent)}{left})", style="dim")
    console.print(head)
    chances = ", ".join(f"{plain(str(k))} {p:.0%}" for k, p in _likeliest(question.probabilities))
    console.print(f"   so far: {chances}")
    console.print(f"   decides: {question.why}")
    for line in _choices(question):
        console.print(f"   {line}")


def _likeliest(probabilities: Mapping[Label, float]) -> list[tuple[Label, float]]:
    if len(probabilities) <= MOST_CLASSES:
        return list(probabilities.items())
    return sorted(probabilities.items(), key=lambda item: -item[1])[:MOST_CLASSES]


def _numbered(question: Question) -> bool:
    """Whether choices may be given by number: not where a category is itself written like one of these."""
    numbers = {str(i + 1) for i in range(len(question.categories))}
    return not numbers & set(map(str, question.categories))


def _choices(question: Question) -> Iterator[str]:
    for i, category in enumerate(question.categories):
        mark = f"{i + 1:>3}) " if _numbered(question) else "  - "
        yield f"{mark}{plain(str(category)) or '(empty text)'}"


def _prompt(column: Column) -> str:
    """Say what kind of answer is expected, in which unit and range."""
    kind = "choice" if column.is_nominal else "date such as 2020-01-31," if column.dates else "number"
    allowed = plain(column.allowed) if isinstance(column, AskedColumn) else ""
    return f"   {f'{kind} {allowed}'.strip(' ,')}, "


def _one_answer(console: Console, talk: Acquisition, question: Question, column: Column) -> bool:
    """Ask until an answer is accepted; False where the input has ended."""
    while True:
        try:
            text = input(f"{_prompt(column)}? if unknown, {BACK} for back: ").strip()
        except EOFError:
            console.print()
            return False
        if not sys.stdin.isatty():
            console.print(text)  # a terminal has shown it while it was typed
        if text == BACK and text not in map(str, question.categories):
            if talk.back():
                return True
            say("   There is nothing to take back.")
            continue
        try:
            talk.answer(_read(question, text))
            return True
        except ValueError as error:
            say(f"   {error}".replace("None where", "? where"), style="yellow")


def _read(question: Question, text: str) -> Any:
    names = {str(category): category for category in question.categories}
    if text in names:
        return names[text]
    if text in UNKNOWN:
        return None
    if question.kind == "numeric":
        return text
    if _numbered(question) and text.isdecimal() and 1 <= int(text) <= len(names):
        return question.categories[int(text) - 1]
    folded = [category for name, category in names.items() if name.casefold() == text.casefold()]
    # A person may have mistyped: a category nobody knows is asked again, whatever the model does with it.
    answer = folded[0] if len(folded) == 1 else text
    encode_answer(Column(question.feature, "nominal", question.categories), answer, "error")
    return answer


def _show_result(
    console: Console, result: Acquired, budget: float | None, columns: Mapping[str, Column]
) -> None:
    if not result.asked:
        say("Nothing had to be asked.")
    console.print()
    label = plain(str(result.label))
    console.print(
        Text.assemble("Answer: ", (label, "bold green"), f", expected cost {money(result.expected_cost)}")
    )
    grid = Grid.grid(padding=(0, 2))
    grid.add_column()
    grid.add_column(justify="right")
    for k, p in _likeliest(result.probabilities):
        price = f"would cost {money(result.explanation.expected_costs[k])}"
        grid.add_row(Text(plain(str(k))), f"{p:.0%}", Text("█" * round(BAR * p), style="cyan"), price)
    console.print(grid)
    console.print(f"Why: {result.path}")
    console.print()
    console.print(_bill(result, budget, columns))
    for question in result.left_out:
        console.print(
            f"Not asked, too costly for the budget: {plain(question.feature)} ({money(question.price)}).",
        )


def _bill(result: Acquired, budget: float | None, columns: Mapping[str, Column]) -> Grid:
    grid = Grid("asked", "answer", title="The bill", title_justify="left", show_footer=True)
    grid.add_column(heading("price"), justify="right")
    for question in result.asked:
        unit = getattr(columns[question.feature], "unit", "")
        answer = "unknown" if question.answer is None else plain(f"{question.answer} {unit}".strip())
        grid.add_row(Text(plain(question.feature)), Text(answer), amount(question.price))
    grid.columns[0].footer = "total"
    grid.columns[1].footer = "" if budget is None else f"of {money(budget)}"
    grid.columns[2].footer = amount(result.total)
    return grid


# ---- for scripts -------------------------------------------------------------------------------------------


def _script(talk: Acquisition) -> None:
    while (question := talk.next_question) is not None:
        _write({"type": "question"} | {name: getattr(question, name) for name in SHOWN_FIELDS})
        talk.answer(_read_json(question.feature))
    result = talk.result
    _write(
        {
            "type": "result",
            "label": result.label,
            "expected_cost": result.expected_cost,
            "expected_costs": result.explanation.expected_costs,
            "probabilities": result.probabilities,
            "asked": [
                {"feature": asked.feature, "answer": asked.answer, "price": asked.price}
                for asked in result.asked
            ],
            "total": result.total,
            "left_out": [{"feature": missed.feature, "price": missed.price} for missed in result.left_out],
            "path": result.path,
        }
    )


def _write(value: dict[str, Any]) -> None:
    typer.echo(json_text(with_currency(value)))
    sys.stdout.flush()


def _read_json(feature: str) -> Any:
    """Read one answer: a JSON value, or an object with ``value`` and perhaps ``feature``."""
    line = sys.stdin.readline()
    if not line.strip():
        raise ValueError(
            f"the answer for {feature!r} must be a line with a JSON value, null where it is unknown, got "
            + ("the end of the input" if not line else "an empty line")
        )
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(
            f'the answer for {feature!r} must be JSON, such as 24, "own" or null, got {line.strip()[:60]}'
        ) from None
    if not isinstance(answer, dict):
        return answer
    if "value" not in answer or answer.get("feature", feature) != feature:
        raise ValueError(
            f"the answer for {feature!r} must be a value, or an object with it under 'value' and this "
            f"'feature', got {line.strip()[:60]}"
        )
    return answer["value"]
