"""Components: what they are given to read, how they are fitted and asked, and how they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from stakes._base.features import one_hot
from stakes._base.interrupts import early_end
from stakes._base.labels import CodedTarget
from stakes._base.private_sklearn import is_linear_classifier
from stakes._base.saving import inner_from_dict, inner_to_dict
from stakes.decision import Answers, answers_of, importances_of
from stakes.reductions._rows import with_column
from stakes.reductions._sampling import Sample
from stakes.table import Column, Schema, Table

Codes = NDArray[np.int32]


class Constant:
    """Stands where a sample had one class only, which some learners refuse."""

    def __init__(self, code: int) -> None:
        self.code = code
        self.classes_ = np.array([code])

    def predict(self, X: Any) -> Codes:
        """Return the one class for each row."""
        return np.full(len(X), self.code, dtype=np.int32)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return certainty for each row."""
        return np.ones((len(X), 1))


class Layout:
    """What a component reads: a table where it can, else numbers, nominal columns one-hot.

    Parameters
    ----------
    estimator : classifier
        Not fitted.
    schema : Schema
        Of the training rows.
    labels : list
        Class labels.
    relational : bool
        Whether the component sees pairs of a row and a class. A table gets the class as one more nominal
        column, a matrix as one column per class. A linear model could not let the class interact with the
        rest, so it gets the row's numbers once more in a place of their own for each class.
    """

    def __init__(self, estimator: Any, schema: Schema, labels: list[Any], relational: bool) -> None:
        self.n_classes = len(labels)
        self._schema = schema
        self.relational = relational
        self.reads_tables = _reads_tables(estimator)
        self.crossed = _is_linear(estimator)
        name = "class"
        while name in schema.names:
            name += "_"
        self._pair_schema = Schema((*schema.columns, Column(name, "nominal", tuple(labels))))

    def sample(self, sample: Sample) -> Any:
        """What the component learns from."""
        if not self.relational:
            return self.rows(sample.table)
        if self.reads_tables:
            return with_column(sample.table, self._pair_schema, sample.pair)
        return self._crossed(one_hot(sample.table), sample.pair)

    def rows(self, table: Table) -> Any:
        """Rows as the component reads them."""
        return table if self.reads_tables else one_hot(table)

    def with_each_class(self, table: Table) -> Iterator[Any]:
        """For each class all rows paired with it."""
        if self.reads_tables:
            for code in range(self.n_classes):
                yield with_column(table, self._pair_schema, np.full(len(table), code, dtype=np.int32))
        else:
            numbers = one_hot(table)
            for code in range(self.n_classes):
                yield self._crossed(numbers, np.full(len(table), code))

    def importances(self, component: Any) -> NDArray[np.float64]:
        """Importances of the columns to a component, without that of the class in pairs."""
        if isinstance(component, Constant):
            return np.zeros(len(self._schema))
        hot = not self.reads_tables
        widths = [len(c.categories) if hot and c.is_nominal else 1 for c in self._schema.columns]
        n_numbers = sum(widths)
        n_class = 0 if not self.relational else 1 if self.reads_tables else self.n_classes
        n_places = self.n_classes if self.relational and self.crossed else 1
        numbers = importances_of(component, n_numbers * n_places + n_class)[: n_numbers * n_places]
        by_number = numbers.reshape(n_places, n_numbers).sum(axis=0)
        column = np.repeat(np.arange(len(widths)), widths)
        return np.bincount(column, weights=by_number, minlength=len(widths)).astype(np.float64)

    def _crossed(self, numbers: NDArray[np.float64], pair: NDArray[Any]) -> NDArray[np.float64]:
        chosen = (pair[:, np.newaxis] == np.arange(self.n_classes)).astype(float)
        if not self.crossed:
            return np.hstack([numbers, chosen])
        places = np.zeros((len(numbers), self.n_classes, numbers.shape[1]))
        places[np.arange(len(numbers)), pair] = numbers
        return np.hstack([places.reshape(len(numbers), -1), chosen])


@early_end(False)
def fit_component(estimator: Any, layout: Layout, sample: Sample, seed: int) -> Any:
    """Fit a copy of the estimator; its random states follow from the seed."""
    if (sample.target == sample.target[0]).all():
        return Constant(int(sample.target[0]))
    model = clone(estimator)
    states = [
        name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")
    ]
    model.set_params(**dict.fromkeys(states, seed))
    extra = {} if sample.weights is None else {"sample_weight": sample.weights}
    own = type(model).__module__.startswith("stakes.")  # which then notes no typical rows
    target = CodedTarget.of(sample.target) if own else sample.target
    return model.fit(layout.sample(sample), target, **extra)


def votes(component: Any, layout: Layout, table: Table) -> NDArray[np.float64]:
    """1 for the class that the component predicts, else 0; shape (n_samples, n_classes)."""
    return _votes(answers_of(component, layout.rows(table)), layout.n_classes)


def probabilities(component: Any, layout: Layout, table: Table) -> NDArray[np.float64]:
    """Class probabilities of a component, or its votes where it has none."""
    return class_shares(answers_of(component, layout.rows(table)), layout.n_classes)


def class_shares(answers: Answers, n_classes: int) -> NDArray[np.float64]:
    """Class probabilities by what a component answered, or its votes where it has none."""
    component = answers.model
    if not hasattr(component, "predict_proba"):
        return _votes(answers, n_classes)
    proba = answers.probabilities
    shares = np.zeros((len(proba), n_classes))
    shares[:, np.asarray(component.classes_, dtype=np.intp)] = proba
    return shares


def _votes(answers: Answers, n_classes: int) -> NDArray[np.float64]:
    codes = np.asarray(answers.labels, dtype=np.intp)
    shares = np.zeros((len(codes), n_classes))
    shares[np.arange(len(codes)), codes] = 1.0
    return shares


def relation(component: Any, layout: Layout, table: Table) -> NDArray[np.bool_]:
    """Which classes a relational component accepts for each row; shape (n_samples, n_classes)."""
    accepted = [np.asarray(component.predict(X)) == 1 for X in layout.with_each_class(table)]
    return np.column_stack(accepted)


def component_to_dict(component: Any) -> dict[str, Any]:
    """Component as plain values."""
    return {"constant": component.code} if isinstance(component, Constant) else inner_to_dict(component)


def component_from_dict(data: Any, n_codes: int) -> Any:
    """Component from what :func:`component_to_dict` gave, which answers class codes below ``n_codes``."""
    if isinstance(data, Mapping) and "constant" in data:
        code = data["constant"]
        if type(code) is not int or not 0 <= code < n_codes:
            raise ValueError(f"a constant component must be a class code, got {code!r}")
        return Constant(code)
    component = inner_from_dict(data)
    if not set(component.classes_.tolist()) <= set(range(n_codes)):
        raise ValueError(
            f"the classes of the estimators must be class codes of the ensemble, from 0 to {n_codes - 1}"
        )
    return component


def _reads_tables(estimator: Any) -> bool:
    """Whether the estimator is of this package, down to what it wraps."""
    reads = get_tags(estimator).input_tags
    return type(estimator).__module__.startswith("stakes.") and reads.categorical and reads.string


def _is_linear(estimator: Any) -> bool:
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return is_linear_classifier(last)
