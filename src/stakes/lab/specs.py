"""What a protocol says, as data: sources, learners, costs, splits, studies and tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SplitSpec:
    """How rows are parted into those learnt from and those tested.

    Attributes
    ----------
    kind : {"folds", "holdout", "all", "fresh"}
        Cross-validation; one random part for training, drawn again where a class would have no row in it;
        everything for both; rows drawn anew from a generator.
    folds, repeats : int
    train : float
        Share of the training rows ("holdout").
    train_rows, test_rows : int
        Rows that a generator draws ("fresh").
    stratify : bool
        Whether a holdout keeps the shares of the classes.
    method : {"stakes", "scikit-learn"}
        Whose stratified folds.
    seed : int
        Repeat r shuffles with seed + r.
    """

    kind: str = "folds"
    folds: int = 10
    repeats: int = 1
    train: float = 0.7
    train_rows: int = 0
    test_rows: int = 0
    stratify: bool = False
    method: str = "stakes"
    seed: int = 0

    @property
    def parts(self) -> int:
        """Trials of one repeat."""
        return self.folds if self.kind == "folds" else 1


@dataclass(frozen=True)
class CostSpec:
    """Where the costs of a trial come from.

    Attributes
    ----------
    model : str
        "equal", "published", "known" (published where there are some, else equal), "matrix", "by_class",
        "file", one of the papers' random models ("ting", "kretowski", "abe", "davis" for prices), or the
        import path of a function of classes (or names of columns) and seed.
    per : {"fold", "repeat", "study"}
        How often a random model draws anew.
    values : tuple
        The matrix, [actual, predicted], or the costs by actual class.
    classes : tuple
        Labels that the values stand for; empty: the classes as the data set declares them.
    seed : int
    """

    model: str = "equal"
    per: str = "fold"
    values: tuple[Any, ...] = ()
    classes: tuple[Any, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class DataSpec:
    """One data set.

    Attributes
    ----------
    name : str
        As tables call it.
    load, file, generate : str or None
        A known name, a path, or the import path of a function of a number of rows and ``random_state``.
    target : str or None
        Class column of a file.
    group : str
        Tables have a mean per group.
    missing : str or None
        Why it is not available; it is listed in every table.
    rare : int
        Classes of fewer rows are left out.
    sample : float or None
        Share of the rows to use, drawn once.
    as_numbers : bool
        Whether categories become their numbers, in the order in which they are declared.
    classes : tuple
        Labels in the order that costs and tables count them in; empty: as the data set declares them.
    params : dict of learner to parameters
        Settings of learners that are different for this data set.
    costs, splits : specs that replace the study's
    drop : tuple of str
        Columns that are left out.
    unknown : tuple of str
        Categories that are taken for missing values.
    """

    name: str
    load: str | None = None
    file: str | None = None
    generate: str | None = None
    target: str | None = None
    group: str = ""
    missing: str | None = None
    rare: int = 0
    sample: float | None = None
    as_numbers: bool = False
    classes: tuple[str, ...] = ()
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False, compare=False)
    costs: CostSpec | None = None
    splits: SplitSpec | None = None
    drop: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class LearnerSpec:
    """One learner: an import path with its parameters.

    Attributes
    ----------
    name : str
        As tables call it.
    path : str
        Import path of the class.
    params : dict
        A table with a key ``class`` is an estimator itself, with ``params``, ``input`` and ``costs`` of its
        own; an empty table is None. ``cost_matrix``, ``feature_costs`` and ``random_state`` are set for each
        trial.
    input : {"table", "numbers", "frame"}
        How the learner takes its columns.
    abstains : bool
        Whether ``decide`` is asked, which may leave rows undecided.
    costs, transposed : bool
        Whether the learner is told the costs, and whether with actual and predicted classes exchanged, as one
        who mistakes the order of the matrix does.
    family, x : str, float or None
        For a learner that came of a grid: its name there, and the value of the grid's parameter.
    missing : str or None
        Why it is not available.
    optional : bool
        Whether it is listed as not installed, instead of being an error, where it cannot be imported.
    """

    name: str
    path: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    input: str = "table"
    abstains: bool = False
    costs: bool = True
    transposed: bool = False
    family: str = ""
    x: float | None = None
    missing: str | None = None
    optional: bool = False


@dataclass(frozen=True)
class QuickSpec:
    """What the smoke version leaves out."""

    repeats: int = 1
    folds: int | None = None
    datasets: tuple[str, ...] | None = None
    learners: tuple[str, ...] | None = None
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """Data sets x cases of costs x repeats x folds x learners."""

    name: str
    datasets: tuple[DataSpec, ...]
    learners: tuple[LearnerSpec, ...]
    cases: Mapping[str, CostSpec]
    splits: SplitSpec
    prices: CostSpec | None = None
    attributes: tuple[str, ...] = ()
    quick: QuickSpec = field(default_factory=QuickSpec)


@dataclass(frozen=True)
class ColumnSpec:
    """One column of a table: a measure of a learner, over or less the same of another one.

    Attributes
    ----------
    label : str
    measure : str
    learner : str or None
        None where the rows say the learner.
    over, minus : str or None
        A learner to divide by, or to subtract.
    digits : int
    scale : float
        Multiplies the figure: 100 for percent.
    mean : bool
        Whether rows of means have it.
    """

    label: str
    measure: str
    learner: str | None = None
    over: str | None = None
    minus: str | None = None
    digits: int = 2
    scale: float = 1.0
    mean: bool = True


@dataclass(frozen=True)
class TableSpec:
    """One table or figure of a paper.

    Attributes
    ----------
    kind : {"table", "figure"}
    number : str
    title, study : str
    rows : tuple of {"group", "dataset", "case", "learner"}
    columns : tuple of ColumnSpec
    datasets, learners : tuple of str or None
        What is shown of the study; None: all of it.
    mean : str or None
        Label of the rows of means.
    paper, paper_spread : dict
        The paper's own figures, by row.
    transpose : bool
        Whether rows and columns change places when it is written.
    ranks : str or None
        A measure that learners are ranked by over the data sets, the lower the better.
    x_label, log_x : of a figure
    notes : tuple of str
    more : bool
        Whether it goes beyond the paper so far that it is made only where it is asked for.
    """

    kind: str
    number: str
    title: str
    study: str
    rows: tuple[str, ...]
    columns: tuple[ColumnSpec, ...]
    datasets: tuple[str, ...] | None = None
    learners: tuple[str, ...] | None = None
    mean: str | None = None
    paper: Mapping[tuple[str, ...], tuple[float, ...]] = field(default_factory=dict)
    paper_spread: Mapping[tuple[str, ...], tuple[float, ...]] = field(default_factory=dict)
    transpose: bool = False
    ranks: str | None = None
    x_label: str = ""
    log_x: bool = False
    notes: tuple[str, ...] = ()
    more: bool = False

    def shows(self, learner: LearnerSpec) -> bool:
        """Whether a learner of the study is among those that are shown."""
        return self.learners is None or learner.family in self.learners


@dataclass(frozen=True)
class Protocol:
    """A paper's experiments, or anybody's."""

    name: str
    title: str
    studies: Mapping[str, Study]
    tables: tuple[TableSpec, ...]
    notes: tuple[str, ...] = ()
