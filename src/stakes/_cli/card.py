"""The card of a saved model: what it is, what it was fitted with, and what it cost on held-out rows."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table as Grid

from stakes._base import documents
from stakes._base.answering import answering_models, first_with, own_prices
from stakes._base.saving import SavedModel, listed
from stakes._cli.console import out
from stakes._cli.shared import (
    check_predicts,
    describe_kinds,
    kept_parts,
    kept_words,
    print_json,
    read_model,
)
from stakes._text.money import in_currency, money
from stakes._text.words import counted
from stakes.models import model_info

#: Parameters that the card has in words elsewhere, or that change no answer.
_ELSEWHERE = {"cost_matrix", "feature_costs", "random_state", "n_jobs", "verbose", "estimator"}


def print_card(path: Path, noun: str, as_json: bool) -> None:
    """Read a model and print its card."""
    facts = card_facts(path, noun)
    if as_json:
        print_json(facts)
    else:
        _show(facts)


def card_facts(path: Path, noun: str) -> dict[str, Any]:
    """Everything that the card says, as plain values."""
    model, document = read_model(path), documents.load_json(path)
    check_predicts(model)
    info, prices, columns = model_info(model), own_prices(model), first_with(model, "_columns")
    schema = None if columns is None else columns._columns()
    written = document.get("info")
    return {
        "model": path.name,
        "estimators": [type(inner).__name__ for inner in answering_models(model)],
        "size": _size(model),
        "target": info["target"],
        "classes": model.classes_,
        "rows": info.get("n_samples"),
        "columns": None if schema is None else describe_kinds(schema),
        "schema_sha256": info.get("schema_sha256"),
        "data_sha256": info.get("data_sha256"),
        "costs": model.cost_matrix_.to_dict(),
        "cost_words": model.cost_matrix_.describe(noun).splitlines(),
        "feature_costs": None if prices is None else prices.to_dict(),
        "price_words": [] if prices is None else prices.describe().splitlines(),
        "guarded": getattr(model, "guarded_", None),
        "interrupted": bool(getattr(model, "interrupted_", False) or info.get("interrupted", False)),
        **kept_parts(model),
        "held_out": _held_out(model),
        "settings": _settings(model),
        "seed": info["seed"],
        "stakes": written.get("stakes") if isinstance(written, dict) else None,
        "format": f"{document['format']} {document['version']}",
    }


def _size(model: Any) -> dict[str, int]:
    """How large the model is that was learnt, also where a constant answers in its place."""
    rules, blend = first_with(model, "rule_set_"), first_with(model, "blend_")
    ensemble, tree = first_with(model, "estimators_"), first_with(model, "get_n_leaves")
    if rules is not None:
        return {"rules": len(rules.rules_)}
    if blend is not None:
        return {"trees": 0 if blend.blend_ is None else len(blend.blend_.trees.root)}
    if tree is not None:
        return {"leaves": int(tree.get_n_leaves()), "depth": int(tree.get_depth())}
    return {} if ensemble is None else {"estimators": len(ensemble.estimators_)}


def _held_out(model: Any) -> dict[str, Any] | None:
    """What the model cost on rows that were held out, next to the best constant; None where nobody looked."""
    cost = getattr(model, "cv_cost_", None)
    if cost is None or not np.isfinite(cost):
        return None
    return {
        "cost_per_row": cost,
        "interval": model.cv_interval_,
        "best_constant": model.constant_,
        "best_constant_cost_per_row": model.constant_cost_,
    }


def _settings(model: Any) -> dict[str, dict[str, Any]]:
    """Parameters of each estimator that are not what they are by default."""
    settings = {}
    for inner in answering_models(model):
        if isinstance(inner, SavedModel):
            usual = {name: parameter.default for name, parameter in signature(type(inner)).parameters.items()}
            given = {k: v for k, v in inner._plain_params().items() if k not in _ELSEWHERE}
            settings[type(inner).__name__] = {k: v for k, v in given.items() if v != listed(usual.get(k))}
    return {name: changed for name, changed in settings.items() if changed}


def _show(facts: dict[str, Any]) -> None:
    grid = Grid.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, words in _lines(facts).items():
        if words:
            grid.add_row(name, words)
    out().print(grid)


def _lines(facts: dict[str, Any]) -> dict[str, str]:
    """The card, line by line; a line without words is left out."""
    rows = "" if facts["rows"] is None else f"{counted(facts['rows'], 'row')}, "
    target = "" if facts["target"] is None else f"{facts['target']}: "
    settings = {
        f"of {name}": ", ".join(f"{key}={value!r}" for key, value in given.items())
        for name, given in facts["settings"].items()
    }
    return {
        "Model": f"{facts['model']}: {' around '.join(facts['estimators'])}{_size_words(facts['size'])}",
        "Answers": target + ", ".join(map(str, facts["classes"])),
        "Data": f"{rows}{facts['columns'] or 'columns of another library'}",
        "Fingerprint": "\n".join(
            f"SHA-256 of the {what}: {facts[name]}"
            for what, name in (("rows", "data_sha256"), ("columns", "schema_sha256"))
            if facts[name] is not None
        ),
        "Costs": "\n".join(facts["cost_words"]),
        "Feature costs": "\n".join(facts["price_words"]) or "none: columns are free",
        "Held-out cost": _held_out_words(facts["held_out"], facts["interrupted"]),
        "Guard": _guard_words(facts),
        "Settings": "; ".join(f"{words} {name}" for name, words in settings.items()) or "the usual ones",
        "Seed": "" if facts["seed"] is None else str(facts["seed"]),
        "Written by": f"stakes {facts['stakes'] or 'of an unknown version'}, as {facts['format']}",
    }


def _size_words(size: dict[str, int]) -> str:
    singular = {"leaves": "leaf", "rules": "rule", "trees": "tree", "estimators": "estimator"}
    parts = [
        f"depth {n}" if name == "depth" else counted(n, singular[name], name) for name, n in size.items()
    ]
    return f", {' and '.join(parts)}" if parts else ""


def _held_out_words(held_out: dict[str, Any] | None, interrupted: bool) -> str:
    if held_out is None:
        return f"not known: {'the fit was interrupted' if interrupted else 'it was not cross-validated'}"
    ends = held_out["interval"]
    interval = ""
    if ends is not None:
        interval = f" (95% interval {in_currency(f'{ends[0]:.4g} to {ends[1]:.4g}')})"
    return (
        f"{money(held_out['cost_per_row'])} per row in cross-validation{interval}; always answering "
        f"{held_out['best_constant']} costs {money(held_out['best_constant_cost_per_row'])}"
    )


def _guard_words(facts: dict[str, Any]) -> str:
    if facts["interrupted"]:
        kept = f"; {kept_words(facts)}" if "kept" in facts else ""
        return f"none: the fit was interrupted by Ctrl-C before the model was judged{kept}"
    if facts["guarded"] is None:
        return "none: nobody has compared the model with the best constant"
    if facts["guarded"]:
        return f"the model answers {facts['held_out']['best_constant']} for everyone, which costs no more"
    return "the model beats the best constant, and answers"
