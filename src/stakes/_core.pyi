"""Types of the compiled core; one section for each of its source files."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# --- text -------------------------------------------------------------------------------------------------

class TextError(ValueError): ...

class TextFormat:
    delimiter: str
    quotes: str
    escapes: bool
    doubled_quotes: bool
    multiline: bool
    final_period: bool
    sparse_rows: bool
    quoted_missing: bool
    comment: str
    comment_after_blank: bool
    comment_anywhere: bool
    missing: list[str]
    def __init__(self) -> None: ...

def read_rows(
    text: bytes,
    offset: int,
    first_line: int,
    format: TextFormat,
    names: list[str],
    kinds: list[int],
    values: list[list[str]],
) -> tuple[
    list[tuple[NDArray[np.float64] | NDArray[np.int32] | None, list[str] | None, bool]],
    NDArray[np.float64] | None,
    int,
]: ...

# --- trees ------------------------------------------------------------------------------------------------

MAX_DEPTH: int

Floats = NDArray[np.float64]
Codes = NDArray[np.int32]
TreeArrays = tuple[Codes, Floats, Codes, Codes, Codes, Codes, Floats, Codes]

class Table:
    def __init__(self, columns: list[NDArray[Any]], n_values: list[int]) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def presort(self, n_threads: int = 1) -> None: ...

class Prices:
    def __init__(
        self, price: Floats, later_price: Floats, group: Codes, start: Codes, needed: Codes
    ) -> None: ...

class Tree:
    def arrays(self) -> TreeArrays: ...
    def prune_by_errors(
        self,
        table: Table,
        classes: Codes,
        weights: Floats | None,
        dialect: str,
        confidence: float,
        z: float,
        raise_subtrees: bool,
    ) -> None: ...
    def prune_by_cost(self, costs: Floats) -> None: ...
    def recount(self, table: Table, classes: Codes, weights: Floats | None) -> None: ...

def grow_tree(
    table: Table,
    classes: Codes,
    n_classes: int,
    weights: Floats | None,
    *,
    criterion: str,
    dialect: str,
    min_objects: float,
    group_values: bool,
    max_depth: int,
    max_leaf_nodes: int,
    min_gain: float,
    max_bins: int,
    collapse: bool,
    n_threads: int,
    best_first: bool = ...,
    prices: Prices | None = ...,
    gamma: float = ...,
    ratio_of_candidate: bool = ...,
    max_upfront_cost: float = ...,
    max_path_cost: float = ...,
) -> Tree: ...
def grow_total_cost(
    table: Table,
    classes: Codes,
    n_classes: int,
    weights: Floats | None,
    costs: Floats,
    *,
    prices: Prices | None,
    leaf_penalty: float,
    max_depth: int,
    width: int,
    exhaustive: bool,
    min_objects: float,
    max_bins: int,
    max_path_cost: float,
    max_upfront_cost: float,
) -> Tree: ...
def extra_errors(weight: float, errors: float, dialect: str, confidence: float, z: float) -> float: ...
def route_leaves(
    table: Table,
    feature: Codes,
    threshold: Floats,
    first_child: Codes,
    n_branches: Codes,
    value_start: Codes,
    value_branch: Codes,
    node_weight: Floats,
    n_threads: int = 1,
) -> Codes: ...
def route_mixture(
    table: Table,
    feature: Codes,
    threshold: Floats,
    first_child: Codes,
    n_branches: Codes,
    value_start: Codes,
    value_branch: Codes,
    node_weight: Floats,
    rows: NDArray[np.int64],
    values: Floats,
) -> Floats: ...

# --- evolution --------------------------------------------------------------------------------------------

EvolvedArrays = tuple[Codes, Codes, Codes, Codes, Codes, Codes, Codes, Codes, Floats]

def instructions() -> str: ...

class Evolution:
    def __init__(
        self,
        columns: list[NDArray[Any]],
        n_values: list[int],
        nominal: list[bool],
        classes: Codes,
        n_classes: int,
        costs: Floats,
        *,
        costs_per_row: bool,
        weights: Floats | None,
        abstain_cost: float | None,
        prices: Prices | None,
        price_mode: str,
        alpha: float,
        population_size: int,
        crossover_rate: float,
        mutation_rate: float,
        max_mutations: float,
        selection_pressure: float,
        elite_size: int,
        min_rows: int,
        max_depth: int,
        min_split: int,
        sample_rows: int,
        crossover_odds: list[float],
        inner_odds: list[float],
        leaf_odds: list[float],
        local_rate: float,
        local_rows: int,
        check: bool,
        seed: int,
        n_threads: int,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def solve(self) -> bool: ...
    def start(self, seeds: list[list[Codes]]) -> None: ...
    def restore(self, trees: list[list[Codes]], generation: int) -> None: ...
    def step(self) -> None: ...
    def report(self) -> tuple[float, float, int, float, float, float]: ...
    def best(self) -> EvolvedArrays: ...
    def trees(self) -> list[EvolvedArrays]: ...
    def evaluate(self, tree: list[Codes]) -> tuple[float, float]: ...

# --- rules ------------------------------------------------------------------------------------------------

RuleArrays = tuple[Codes, Codes, Codes, Codes, Floats, Floats]

def mdl_cuts(
    table: Table, classes: Codes, n_classes: int, weights: Floats | None, n_threads: int = 1
) -> list[Floats]: ...
def search_rules(
    table: Table,
    classes: Codes,
    n_classes: int,
    weights: Floats | None,
    *,
    class_costs: Floats,
    row_costs: Floats | None,
    t_good: list[float],
    t_bad: float,
    min_support: Floats,
    max_length: int,
    mark_all: bool,
    max_candidates: int,
    max_bytes: int,
    n_threads: int = 1,
) -> tuple[list[RuleArrays], list[tuple[str, int, int, int]], int, int]: ...
def rule_quality(shares: Floats) -> tuple[float, int]: ...
def match_rules(
    table: Table, start: Codes, feature: Codes, value: Codes, looked: bool = False, n_threads: int = 1
) -> tuple[Codes, NDArray[np.uint8]]: ...

# --- sums of trees ----------------------------------------------------------------------------------------

def additive_sums(
    matrix: Floats,
    feature: Codes,
    threshold: Floats,
    left: Codes,
    right: Codes,
    missing_left: Codes,
    value: Floats,
    root: Codes,
    target: Codes,
    n_targets: int,
    n_threads: int = 1,
) -> Floats: ...
