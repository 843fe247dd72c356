"""The compiled core of stakes."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def additive_sums(
    matrix: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    missing_left: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    root: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_targets: int,
    n_threads: int = 1,
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Sums (n_rows * n_targets, flat) of the trees' values for each row."""

class TextError(ValueError):
    pass

class TextFormat:
    """How rows of text are written."""

    def __init__(
        self,
        *,
        delimiter: str = ",",
        quotes: str = "",
        escapes: bool = False,
        doubled_quotes: bool = False,
        multiline: bool = False,
        final_period: bool = False,
        sparse_rows: bool = False,
        quoted_missing: bool = False,
        comment: str = "\x00",
        comment_after_blank: bool = False,
        comment_anywhere: bool = False,
        missing: Sequence[str] = [],
    ) -> None: ...
    @property
    def delimiter(self) -> str: ...
    @property
    def quotes(self) -> str: ...
    @property
    def escapes(self) -> bool: ...
    @property
    def doubled_quotes(self) -> bool: ...
    @property
    def multiline(self) -> bool: ...
    @property
    def final_period(self) -> bool: ...
    @property
    def sparse_rows(self) -> bool: ...
    @property
    def quoted_missing(self) -> bool: ...
    @property
    def comment(self) -> str: ...
    @property
    def comment_after_blank(self) -> bool: ...
    @property
    def comment_anywhere(self) -> bool: ...
    @property
    def missing(self) -> list[str]: ...
    def replace(self, **changes: Any) -> TextFormat:
        """The same options but for these."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...

def read_rows(
    text: bytes,
    offset: int,
    first_line: int,
    format: TextFormat,
    names: Sequence[str],
    kinds: Sequence[int],
    values: Sequence[Sequence[str]],
    more: bool = False,
) -> tuple[
    list[
        tuple[
            None
            | Annotated[NDArray[numpy.float64], dict(shape=(None,))]
            | Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            list[str] | None,
            bool,
        ]
    ],
    Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None,
    int,
    int,
    int,
]:
    """
    Rows of text to a list of (array, distinct values, all numbers) for each column, weights, row count,
    and where reading stopped: offset and line. Where more text follows, a row that may go on is left.
    """

MAX_DEPTH: int = 2000

class Table:
    """Borrowed columns: float64 where n_values is -1, int32 codes elsewhere."""

    def __init__(self, columns: list[NDArray], n_values: Sequence[int]) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def presort(self, n_threads: int = 1) -> None:
        """
        Sort the numeric columns now, once for all trees grown on the table later.
        """

class Prices:
    """What reading columns costs, by the resources that they need."""

    def __init__(
        self,
        price: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        later_price: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        needed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...

class Tree:
    """A tree that can still be pruned."""

    def arrays(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
    ]:
        """The fields of TreeModel, class weights flat."""

    def prune_by_errors(
        self,
        table: Table,
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
        dialect: str,
        confidence: float,
        z: float,
        raise_subtrees: bool,
    ) -> None: ...
    def prune_by_cost(
        self,
        costs: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def recount(
        self,
        table: Table,
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None,
    ) -> None: ...

class Candidate:
    """The best split of a column, as a criterion from outside judges it."""

    @property
    def gain(self) -> float: ...
    @property
    def split_info(self) -> float: ...
    @property
    def price(self) -> float: ...
    @property
    def share(self) -> float: ...
    @property
    def gamma(self) -> float: ...

class GrowOptions:
    """How a tree is grown."""

    def __init__(
        self,
        *,
        criterion: str = "gain_ratio",
        dialect: str = "c45",
        min_samples_leaf: float = 2.0,
        group_values: bool = False,
        max_depth: int = -1,
        max_leaf_nodes: int = 0,
        best_first: bool = False,
        min_gain: float = 0.0,
        max_bins: int = 0,
        collapse: bool = True,
        n_threads: int = 1,
        gamma: float = 0.0,
        ratio_of_candidate: bool = True,
        split_at_loss: bool = False,
        reuse_free: bool = True,
        max_upfront_cost: float = ...,
        max_path_cost: float = ...,
    ) -> None: ...
    @property
    def criterion(self) -> str: ...
    @property
    def dialect(self) -> str: ...
    @property
    def min_samples_leaf(self) -> float: ...
    @property
    def group_values(self) -> bool: ...
    @property
    def max_depth(self) -> int: ...
    @property
    def max_leaf_nodes(self) -> int: ...
    @property
    def best_first(self) -> bool: ...
    @property
    def min_gain(self) -> float: ...
    @property
    def max_bins(self) -> int: ...
    @property
    def collapse(self) -> bool: ...
    @property
    def n_threads(self) -> int: ...
    @property
    def gamma(self) -> float: ...
    @property
    def ratio_of_candidate(self) -> bool: ...
    @property
    def split_at_loss(self) -> bool: ...
    @property
    def reuse_free(self) -> bool: ...
    @property
    def max_upfront_cost(self) -> float: ...
    @property
    def max_path_cost(self) -> float: ...
    def replace(self, **changes: Any) -> GrowOptions:
        """The same options but for these."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...

class TotalCostOptions:
    """How a tree with a small cost is searched."""

    def __init__(
        self,
        *,
        leaf_penalty: float = 0.0,
        max_depth: int = 6,
        width: int = 4,
        exhaustive: bool = False,
        min_samples_leaf: float = 1.0,
        max_bins: int = 255,
        max_path_cost: float = ...,
        max_upfront_cost: float = ...,
    ) -> None: ...
    @property
    def leaf_penalty(self) -> float: ...
    @property
    def max_depth(self) -> int: ...
    @property
    def width(self) -> int: ...
    @property
    def exhaustive(self) -> bool: ...
    @property
    def min_samples_leaf(self) -> float: ...
    @property
    def max_bins(self) -> int: ...
    @property
    def max_path_cost(self) -> float: ...
    @property
    def max_upfront_cost(self) -> float: ...
    def replace(self, **changes: Any) -> TotalCostOptions:
        """The same options but for these."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...

def grow_tree(
    table: Table,
    classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_classes: int,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None,
    options: GrowOptions,
    prices: Prices | None = None,
    judge: object | None = None,
) -> Tree: ...
def grow_total_cost(
    table: Table,
    classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_classes: int,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None,
    costs: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    options: TotalCostOptions,
    prices: Prices | None = None,
) -> Tree: ...
def extra_errors(weight: float, errors: float, dialect: str, confidence: float, z: float) -> float: ...
def route_leaves(
    table: Table,
    feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    first_child: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_branches: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    value_start: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value_branch: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    node_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_threads: int = 1,
) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
def route_mixture(
    table: Table,
    feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    threshold: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    first_child: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    n_branches: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    value_start: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    value_branch: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    node_weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    values: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

class EvolveOptions:
    """How trees are evolved."""

    def __init__(
        self,
        *,
        alpha: float = 0.001,
        population_size: int = 64,
        crossover_rate: float = 0.2,
        mutation_rate: float = 0.05,
        max_mutations: float = 1000000000.0,
        selection_pressure: float = 2.0,
        elite_size: int = 1,
        min_rows: int = 1,
        max_depth: int = 0,
        min_split: int = 2,
        sample_rows: int = 500,
        crossover_odds: Sequence[float] = [1.0, 1.0, 1.0],
        inner_odds: Sequence[float] = [1.0, 1.0, 1.0, 1.0, 1.0],
        leaf_odds: Sequence[float] = [1.0, 1.0],
        local_rate: float = 0.0,
        local_rows: int = 4096,
        check: bool = False,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def alpha(self) -> float: ...
    @property
    def population_size(self) -> int: ...
    @property
    def crossover_rate(self) -> float: ...
    @property
    def mutation_rate(self) -> float: ...
    @property
    def max_mutations(self) -> float: ...
    @property
    def selection_pressure(self) -> float: ...
    @property
    def elite_size(self) -> int: ...
    @property
    def min_rows(self) -> int: ...
    @property
    def max_depth(self) -> int: ...
    @property
    def min_split(self) -> int: ...
    @property
    def sample_rows(self) -> int: ...
    @property
    def crossover_odds(self) -> list[float]: ...
    @property
    def inner_odds(self) -> list[float]: ...
    @property
    def leaf_odds(self) -> list[float]: ...
    @property
    def local_rate(self) -> float: ...
    @property
    def local_rows(self) -> int: ...
    @property
    def check(self) -> bool: ...
    @property
    def seed(self) -> int: ...
    @property
    def n_threads(self) -> int: ...
    def replace(self, **changes: Any) -> EvolveOptions:
        """The same options but for these."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...

class Evolution:
    """A population of trees on one table."""

    def __init__(
        self,
        columns: list[NDArray],
        n_values: Sequence[int],
        nominal: Sequence[bool],
        classes: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        n_classes: int,
        costs: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ],
        options: EvolveOptions,
        *,
        costs_per_row: bool = False,
        weights: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        abstain_cost: float | None = None,
        prices: Prices | None = None,
        pay: str = "path",
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def solve(self) -> bool:
        """
        Search the best tree at once where trees have few levels; whether none can be better.
        """

    def start(
        self,
        seeds: Sequence[
            Sequence[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
            ]
        ],
    ) -> None: ...
    def restore(
        self,
        trees: Sequence[
            Sequence[
                Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
            ]
        ],
        generation: int,
    ) -> None: ...
    def step(self) -> None:
        """Make the next generation."""

    def report(self) -> tuple[float, float, int, float, float, float]:
        """
        Fitness, cost and size of the best, means of fitness and size, diversity.
        """

    def best(
        self,
    ) -> tuple[
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.int32], dict(shape=(None,))],
        Annotated[NDArray[numpy.float64], dict(shape=(None,))],
    ]: ...
    def trees(
        self,
    ) -> list[
        tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ]
    ]: ...
    def evaluate(
        self,
        tree: Sequence[
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        ],
    ) -> tuple[float, float]:
        """Cost per unit of weight and fitness of a tree, on all rows."""

def mdl_cuts(
    table: Table,
    classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_classes: int,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None,
    n_threads: int = 1,
) -> list[Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

class RuleOptions:
    """How rules are searched."""

    def __init__(
        self,
        *,
        t_good: Sequence[float] = [],
        t_bad: float = 1.0,
        min_support: Sequence[float] = [],
        max_length: int = 1,
        mark_all: bool = False,
        max_candidates: int = 0,
        max_bytes: int = 0,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def t_good(self) -> list[float]: ...
    @property
    def t_bad(self) -> float: ...
    @property
    def min_support(self) -> list[float]: ...
    @property
    def max_length(self) -> int: ...
    @property
    def mark_all(self) -> bool: ...
    @property
    def max_candidates(self) -> int: ...
    @property
    def max_bytes(self) -> int: ...
    @property
    def n_threads(self) -> int: ...
    def replace(self, **changes: Any) -> RuleOptions:
        """The same options but for these."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...

def search_rules(
    table: Table,
    classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    n_classes: int,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None,
    options: RuleOptions,
    *,
    class_costs: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    row_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
) -> tuple[
    list[
        tuple[
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.int32], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
            Annotated[NDArray[numpy.float64], dict(shape=(None,))],
        ]
    ],
    list[tuple[str, int, int, int]],
    int,
    int,
]: ...
def rule_quality(
    shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> tuple[float, int]: ...
def match_rules(
    table: Table,
    start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    value: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    looked: bool = False,
    n_threads: int = 1,
) -> tuple[
    Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]
]: ...
def tell_progress(to: object | None) -> None:
    """
    Tell a callable the share of the work that is done, from this thread's calls; it must be kept alive.
    """

def instructions() -> str:
    """The widest instructions in use."""
