"""GDT-MC: whole trees by evolution, for misclassification costs, test costs and abstention."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from stakes._base.interrupts import early_end
from stakes._base.parameters import MOST, N_JOBS
from stakes._base.private_sklearn import Interval, StrOptions
from stakes._base.progress import part
from stakes._base.saving import saveable
from stakes._base.training import read_training
from stakes._text.files import check_output
from stakes.evolve.alpha import alpha_path, noise_alpha
from stakes.evolve.coding import MOST_THRESHOLDS
from stakes.evolve.history import EvolutionHistory
from stakes.evolve.problem import Problem, problem_of
from stakes.evolve.progress import progress
from stakes.evolve.run import EvolutionInterrupted, Run, evolve
from stakes.evolve.seeds import seed_trees
from stakes.evolve.settings import SEARCH_OPTIONS, Settings
from stakes.tree import TreeAnswers, TreeClassifier


@saveable
@dataclass(eq=False, repr=False, kw_only=True)
class GDTClassifier(TreeClassifier):
    """Tree found as a whole, by evolution, that keeps the cost of mistakes small (GDT-MC).

    A population of trees is selected, crossed and mutated for many generations. The fitness of a tree is
    ``(1 - cost / largest cost) / (1 + alpha * nodes)``: what its mistakes cost per row, against the costliest
    answer for every row, and its size.

    Parameters
    ----------
    cost_matrix : CostMatrix, array, dict, data frame, path or None
        What mistakes cost, indexed ``[actual, predicted]``; None: every mistake costs 1.
    variant : {"memetic", "paper"}
        "paper": the operators of Kretowski and Grzes alone. "memetic": also starts from other trees
        (``seeds``) and improves some offspring by local search (``local_search``).
    alpha : float, "noise", "auto" or None
        Penalty of a node. "noise": a node must save three standard deviations of what a row costs that was
        left out of a C4.5 tree. "auto": 3 / n_samples, or another where its cross-validated cost is clearly
        lower; each is tried from where the one before has ended. None: the paper's 0.001, or "noise" for
        "memetic".
    population_size : int
        Number of trees.
    max_generations, n_iter_no_change : int or None
        Stop after so many generations, or after so many without a better best tree. None: the paper's 1000
        and 200, or 300 and 100 for "memetic".
    crossover_rate : float
        How often two parents exchange parts.
    mutation_rate : float
        How often each node of a child is changed. Above 20,000 rows "memetic" lowers it for large trees, so
        that one change of a child is expected at most.
    selection_pressure : float in [1, 2]
        Linear ranking: how often the best tree is expected among the parents. 1 selects at random.
    elite_size : int
        Best trees that are copied to the next generation as they are.
    crossover_odds : three numbers
        Odds of exchanging subtrees, tests, or all branches of two nodes.
    inner_odds : five numbers
        Odds of what happens to an inner node: a new dipolar test, a shifted threshold or changed groups of
        categories, an exchange of tests with a son, a copy of one branch over another, a leaf.
    leaf_odds : two numbers
        Odds of what happens to a leaf with several classes: a random test, or a dipolar subtree.
    min_samples_leaf : int, "sqrt" or None
        Fewest rows of a leaf. Branches with fewer are dropped; their categories join the fullest branch.
        "sqrt": the square root of the number of rows. None: "sqrt" for "paper", which leaves it open, and 5
        for "memetic".
    min_samples_split : int
        Dipolar trees split nodes of at least so many sampled rows.
    sample_rows : int or None
        Rows that a dipolar tree of the first population is grown from; None: a tenth, 50 to 500.
    max_depth : int or None
        Most tests on a path.
    max_thresholds : int or None
        Most thresholds of a numeric column, evenly spread over its rows. None: all that lie between rows of
        different classes for "paper", 254 for "memetic".
    feature_costs : FeatureCosts, dict, vector, path or None
        What it costs to read the columns, added to the cost of mistakes. A shared part is paid once.
    pay : {"path", "upfront"}
        When feature costs are due: for the tests that a row meets, or for all columns of the tree.
    abstain_cost : float or None
        What it costs to refuse an answer; a leaf is charged that where it is cheapest, and :meth:`decide`
        refuses there.
    seeds : float in [0, 1]
        "memetic": share of the first population that comes from C4.5 trees with and without costs, pruned and
        not, with CSGain where columns have prices.
    local_search : float in [0, 1]
        "memetic": share of offspring in which one node gets the best test for what is below it, or the best
        subtree of up to three levels. Where positive, the first population has a searched tree of up to four;
        with ``alpha=0``, a ``max_depth`` of at most 4 and few thresholds, every tree is tried, and no
        generations are made.
    smoothing : {None, "laplace", "m"}
        Correction of the leaves' class shares, at prediction only.
    smoothing_strength : float
        The ``m`` of the m-estimate.
    callback : callable or None
        Called with each :class:`~stakes.evolve.Generation`.
    verbose : bool or int
        Whether to show a progress bar.
    checkpoint : path or None
        File that the run is kept in, and continued from where it exists; removed when the fit is done, but
        not after Ctrl-C.
    debug : bool
        Whether every tree is computed afresh in each generation and compared. Slow.
    categorical_features : list of names or indices, mask or None
        Columns that are nominal although they hold numbers. Text, booleans and categories always are.
    unseen : {"missing", "error"}
        What a category is that was not there at fit time.
    n_jobs : int or None
        Threads; the tree does not depend on their number.
    random_state : int or None
        Seed; None draws one.

    Attributes
    ----------
    fitted_tree_ : FittedTree
        The model: nodes, schema, class probabilities and costs.
    evolution_ : EvolutionHistory
        Fitness, cost, size and diversity of each generation, and the trees that were the best for a while.
    n_generations_ : int
        Generations made.
    fitness_ : float
        Fitness of the tree.
    alpha_ : float
        Penalty that was used.
    alpha_path_ : AlphaPath
        Cross-validated cost of each penalty, with ``alpha="auto"``.
    interrupted_ : bool
        Whether Ctrl-C ended the search early; a saved model says so in its ``info``.
    classes_ : array of shape (n_classes,)
        Labels, sorted.

    Notes
    -----
    A row whose tested value is missing follows the branch that most rows follow, in training and later. Where
    no training row lacked a value, a later row without one is spread over the branches in proportion.

    Ctrl-C ends the search; the best tree so far is kept, with a warning. Before there is a population that is
    the best of the seeds grown so far, or a leaf. A second Ctrl-C ends the fit at once, and so does the first
    where the fit is one of many, as in a cross-validation.

    References
    ----------
    M. Kretowski and M. Grzes (2007). Evolutionary Induction of Decision Trees for Misclassification Cost
    Minimization. ICANNGA, LNCS 4431, 1-10.

    Examples
    --------
    >>> from stakes import GDTClassifier, datasets
    >>> german = datasets.load("german")
    >>> model = GDTClassifier(cost_matrix=german.cost_matrix, alpha=0.003, max_generations=50)
    >>> tree = model.fit(german.X, german.y)
    >>> tree.get_n_leaves() < 20
    True
    >>> bool(tree.evolution_.best_cost[-1] < tree.evolution_.best_cost[0] + 1e-12)
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "cost_matrix": "no_validation",  # as_cost_matrix says what is wrong in its own words
        "variant": [StrOptions({"paper", "memetic"})],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto", "noise"}), None],
        "population_size": [Interval(Integral, 2, 1_000_000, closed="both")],
        "max_generations": [Interval(Integral, 0, MOST, closed="both"), None],
        "n_iter_no_change": [Interval(Integral, 1, MOST, closed="both"), None],
        "crossover_rate": [Interval(Real, 0, 1, closed="both")],
        "mutation_rate": [Interval(Real, 0, 1, closed="both")],
        "selection_pressure": [Interval(Real, 1, 2, closed="both")],
        "elite_size": [Interval(Integral, 0, 1_000_000, closed="both")],
        "crossover_odds": ["array-like"],
        "inner_odds": ["array-like"],
        "leaf_odds": ["array-like"],
        "min_samples_leaf": [Interval(Integral, 1, MOST, closed="both"), StrOptions({"sqrt"}), None],
        "min_samples_split": [Interval(Integral, 2, MOST, closed="both")],
        "sample_rows": [Interval(Integral, 2, MOST, closed="both"), None],
        "max_depth": [Interval(Integral, 0, MOST, closed="both"), None],
        "max_thresholds": [Interval(Integral, 1, MOST_THRESHOLDS, closed="both"), None],
        "feature_costs": "no_validation",  # as_feature_costs says what is wrong in its own words
        "pay": [StrOptions({"path", "upfront"})],
        "abstain_cost": [Interval(Real, 0, None, closed="left"), None],
        "seeds": [Interval(Real, 0, 1, closed="both")],
        "local_search": [Interval(Real, 0, 1, closed="both")],
        "smoothing": [StrOptions({"laplace", "m"}), None],
        "smoothing_strength": [Interval(Real, 0, None, closed="neither")],
        "callback": [callable, None],
        "verbose": ["verbose"],
        "checkpoint": [str, os.PathLike, None],
        "debug": ["boolean"],
        "categorical_features": ["array-like", None],
        "unseen": [StrOptions({"missing", "error"})],
        "n_jobs": N_JOBS,
        "random_state": [Interval(Integral, 0, MOST, closed="both"), None],
    }

    cost_matrix: Any = None
    variant: str = "memetic"
    alpha: float | str | None = None
    population_size: int = 64
    max_generations: int | None = None
    n_iter_no_change: int | None = None
    crossover_rate: float = 0.2
    mutation_rate: float = 0.05
    selection_pressure: float = 2.0
    elite_size: int = 1
    crossover_odds: Sequence[float] = (1.0, 1.0, 1.0)
    inner_odds: Sequence[float] = (1.0, 1.0, 1.0, 1.0, 1.0)
    leaf_odds: Sequence[float] = (1.0, 1.0)
    min_samples_leaf: int | str | None = None
    min_samples_split: int = 5
    sample_rows: int | None = None
    max_depth: int | None = None
    max_thresholds: int | None = None
    feature_costs: Any = None
    pay: str = "path"
    abstain_cost: float | None = None
    seeds: float = 0.25
    local_search: float = 0.05
    smoothing: str | None = None
    smoothing_strength: float = 2.0
    callback: Callable[..., Any] | None = None
    verbose: bool = False
    checkpoint: str | os.PathLike[str] | None = None
    debug: bool = False
    categorical_features: Sequence[Any] | None = None
    unseen: str = "missing"
    n_jobs: int | None = None
    random_state: int | None = 0

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, costs: ArrayLike | None = None
    ) -> Self:
        """Evolve the tree.

        Parameters
        ----------
        X : array-like, data frame or Table of shape (n_samples, n_features)
            Numbers, categories, text and booleans, with missing values as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            How many rows each row stands for.
        costs : array-like of shape (n_samples, n_classes), optional
            ``costs[i, k]`` is what predicting class ``k`` (in sorted order) for row ``i`` costs. The search
            then adds up these; without a ``cost_matrix`` the mean row of each class takes its place in
            :meth:`expected_cost` and :meth:`decide`.
        """
        training = read_training(self, X, y, sample_weight, costs)
        if training.weight is not None and not (training.weight > 0).all():
            # rows without weight must not count as rows
            training = training.take(np.flatnonzero(training.weight > 0)).with_class_costs(self.cost_matrix)
        settings = Settings.of(self)
        problem = problem_of(training, settings)
        seed = int(np.random.SeedSequence(self.random_state).generate_state(1, np.uint64)[0])
        checkpoints = self._checkpoints()
        alpha, interrupted = settings.alpha, False
        if alpha == "auto":
            words = _fingerprint(problem, settings, 0.0, seed) if checkpoints[1] else ""
            with part(0, 0.8):
                self.alpha_path_ = alpha_path(problem, settings, seed, checkpoints[1], words)
            alpha, interrupted = self.alpha_path_.best, self.alpha_path_.interrupted
        with part(0, 0):
            self.alpha_ = noise_alpha(problem, seed) if alpha == "noise" else float(alpha)
        if interrupted:
            warnings.warn(
                "interrupted while alpha was chosen; the best of the first population is kept",
                EvolutionInterrupted,
                stacklevel=2,
            )
            with early_end(False):  # a second Ctrl-C ends it at once
                run = self._run(problem, replace(settings, max_generations=0), seed, None)
        else:
            with part(0.8 if settings.alpha == "auto" else 0, 1):
                run = self._run(problem, settings, seed, checkpoints[0])
        self._finish(problem, run)
        self.interrupted_ = interrupted or run.interrupted
        if self.interrupted_:
            self._training_info["interrupted"] = True
        else:
            for path in checkpoints:
                if path is not None:
                    path.unlink(missing_ok=True)
        return self

    def _checkpoints(self) -> tuple[Path | None, Path | None]:
        """Files of the run and of the choice of alpha."""
        if self.checkpoint is None:
            return None, None
        path = Path(self.checkpoint)
        if not path.parent.is_dir():
            raise ValueError(f"checkpoint must be in a folder that exists, got {os.fspath(path)!r}")
        check_output(path)
        return path, path.with_name(path.name + ".alpha")

    def _run(self, problem: Problem, settings: Settings, seed: int, checkpoint: Path | None) -> Run:
        with progress(settings.max_generations) if self.verbose else nullcontext() as bar:
            return evolve(
                problem.population(settings.options(len(problem), self.alpha_, seed)),
                seed_trees(problem, settings, seed),
                max_generations=settings.max_generations,
                n_iter_no_change=settings.n_iter_no_change,
                callbacks=[callback for callback in (bar, self.callback) if callback is not None],
                checkpoint=checkpoint,
                fingerprint=_fingerprint(problem, settings, self.alpha_, seed) if checkpoint else "",
            )

    def _finish(self, problem: Problem, run: Run) -> None:
        trees = [
            (generation, problem.fitted(arrays, self.smoothing, self.smoothing_strength))
            for generation, arrays in run.best
        ]
        fitness, cost, size, mean_fitness, mean_size, diversity = np.array(run.reports, dtype=np.float64).T
        self.evolution_ = EvolutionHistory(
            fitness, cost, size.astype(np.int64), mean_fitness, mean_size, diversity, trees
        )
        self.n_generations_ = run.generation
        self.fitness_ = float(run.reports[-1][0])
        self._set_fitted(trees[-1][1])

    def answers(self, X: Any) -> TreeAnswers:
        """Answers by one routing; without an ``abstain_cost`` :meth:`decide` takes the estimator's own."""
        answers = super().answers(X)
        answers.abstain_cost = self.abstain_cost
        return answers

    def _plain_params(self) -> dict[str, Any]:
        return super()._plain_params() | {"callback": None, "checkpoint": None}


def _fingerprint(problem: Problem, settings: Settings, alpha: float, seed: int) -> str:
    """Say what a run depends on, so that a file of another one is not taken for it."""
    options = settings.options(len(problem), alpha, seed)
    known = {name: getattr(options, name) for name in SEARCH_OPTIONS}
    others = (settings.variant, settings.seeds, settings.smoothing, settings.smoothing_strength)
    return f"{problem.fingerprint()} {known} {others}"
