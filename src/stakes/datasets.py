"""Named data sets, from the package, from a folder of files, from OpenML, or made by a function."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stakes._text.words import did_you_mean
from stakes.table import Table, read_table

if TYPE_CHECKING:
    from stakes.costs import CostMatrix

__all__ = ["Dataset", "load", "load_table", "names", "provides", "waveform"]

_PACKAGE_DATA = Path(__file__).parent / "data"
_SUFFIXES = (".arff.gz", ".arff")

# Names that the papers use for what the files call otherwise.
ALIASES = {
    "german": "credit-g",
    "german-credit": "credit-g",
    "pima": "diabetes",
    "heart-s": "heart-statlog",
    "heart": "heart-cleveland",
    "credit": "credit-a",
    "crx": "credit-a",
    "bupa": "liver-disorders",
    "breast": "breast-w",
    "hypo": "hypothyroid",
    "euthyr": "euthyroid",
    "sat": "satimage",
    "satellite": "satimage",
    "net": "nettalk-stress",
    "nets": "nettalk-stress",
    "wave": "waveform",
    "kdd-99": "kddcup99-10pct-5c",
    "kddcup99": "kddcup99-10pct-5c",
}

# OpenML's id, rows and attributes; only sets whose content there is the one meant here.
OPENML = {
    "adult": (1590, 48842, 14),
    "audiology": (7, 226, 69),
    "balance-scale": (11, 625, 4),
    "breast-cancer": (13, 286, 9),
    "breast-w": (15, 699, 9),
    "car": (21, 1728, 6),
    "cmc": (23, 1473, 9),
    "credit-a": (29, 690, 15),
    "credit-g": (31, 1000, 20),
    "diabetes": (37, 768, 8),
    "glass": (41, 214, 9),
    "heart-hungarian": (51, 294, 13),
    "heart-statlog": (53, 270, 13),
    "hepatitis": (55, 155, 19),
    "horse-colic": (25, 368, 22),
    "hypothyroid-4c": (57, 3772, 29),
    "ionosphere": (59, 351, 34),
    "iris": (61, 150, 4),
    "labor": (4, 57, 16),
    "letter": (6, 20000, 16),
    "mushroom": (24, 8124, 22),
    "page-blocks": (30, 5473, 10),
    "segment": (36, 2310, 19),
    "sonar": (40, 208, 60),
    "soybean-large": (42, 683, 35),
    "spambase": (44, 4601, 57),
    "vehicle": (54, 846, 18),
    "vote": (56, 435, 16),
    "waveform-40": (60, 5000, 40),
    "wine": (187, 178, 13),
}

# Published costs, rows actual and columns predicted.
_KDD_COSTS = (
    ("normal", "probe", "dos", "u2r", "r2l"),
    ((0, 1, 2, 2, 2), (1, 0, 2, 2, 2), (2, 1, 0, 2, 2), (3, 2, 2, 0, 2), (4, 2, 2, 2, 0)),
)
COSTS: dict[str, tuple[tuple[str, ...], tuple[tuple[float, ...], ...]]] = {
    "credit-g": (("good", "bad"), ((0, 1), (5, 0))),
    "heart-statlog": (("absent", "present"), ((0, 1), (5, 0))),
    "kddcup99-10pct-5c": _KDD_COSTS,
    "kddcup99-test-5c": _KDD_COSTS,
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set with what is published about its costs.

    Attributes
    ----------
    name : str
        Its name, aliases resolved.
    X : pandas.DataFrame
        Numeric columns as float64, nominal ones as categorical, missing as NaN.
    y : array of shape (n_samples,)
        Class labels.
    classes : array of shape (n_classes,)
        The labels in the order in which the data set declares them.
    cost_matrix : CostMatrix or None
        Published costs of mistakes, None where there are none.
    feature_costs : None
        Published feature costs; no data set here has them yet.
    description : str
        Where it comes from, in a sentence.
    """

    name: str
    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    cost_matrix: CostMatrix | None = None
    feature_costs: Any = None
    description: str = ""

    def __repr__(self) -> str:
        """Say the size instead of printing all rows."""
        costs = "published costs" if self.cost_matrix is not None else "no published costs"
        rows, columns = self.X.shape
        size = f"{rows} rows, {columns} columns, {len(self.classes)} classes"
        return f"Dataset({self.name!r}: {size}, {costs})"


Maker = TypeVar("Maker", bound=Callable[[], Dataset])

#: Data sets that functions make, by name.
_MAKERS: dict[str, Callable[[], Dataset]] = {}


def provides(name: str) -> Callable[[Maker], Maker]:
    """Register a function that makes or fetches a data set, which `load` and every command then know by name.

    Parameters
    ----------
    name : str
        In lower case, of letters, digits and hyphens; a name that stakes knows already is taken.

    Examples
    --------
    >>> from stakes import datasets
    >>> @datasets.provides("waves")
    ... def make_waves():
    ...     return datasets.waveform(200, random_state=0)
    >>> datasets.load("waves")
    Dataset('waveform-21': 200 rows, 21 columns, 3 classes, no published costs)
    """
    if name != _resolve(name) or name in OPENML or _find(_PACKAGE_DATA, name):
        raise ValueError(f"name must be a new one in lower case, such as 'my-loans', got {name!r}.")

    def register(maker: Maker) -> Maker:
        _MAKERS[name] = maker
        return maker

    return register


def load(name: str) -> Dataset:
    """Load a data set by its name or by the name a paper gives it.

    Looked for among those that functions make (`provides`), in the package, then as NAME.arff.gz or NAME.arff
    in the folder named by the environment variable ``STAKES_DATA``, then on OpenML (for the sets with a known
    id, shape checked).

    Parameters
    ----------
    name : str
        Such as ``"credit-g"`` or its alias ``"german"``; see `names`.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> from stakes.datasets import load
    >>> german = load("german")
    >>> german.X.shape
    (1000, 20)
    >>> german.classes
    array(['good', 'bad'], dtype='<U4')
    """
    known = _resolve(name)
    if known in _MAKERS:
        return _MAKERS[known]()
    path = _file_of(known)
    if path is not None:
        return _from_table(known, read_table(path), f"read from {path.name}")
    if known in OPENML:
        return _from_openml(known)
    listed = sorted({*names(), *ALIASES})
    raise ValueError(
        f"name must be a data set that can be found, got {name!r}: looked for {known}.arff.gz in the package "
        f"and {_folder_in_words()}; it has no pinned OpenML id"
        f"{did_you_mean(name, listed, 'known names', most=len(listed))}."
    )


def load_table(name: str) -> tuple[Table, CostMatrix | None]:
    """Load a data set as a `Table` with its published costs; pandas is needed for OpenML and functions only.

    Parameters
    ----------
    name : str
        As for `load`.

    Examples
    --------
    >>> from stakes.datasets import load_table
    >>> table, costs = load_table("german")
    >>> table
    Table(1000 rows, 7 numeric, 13 nominal, 2 classes)
    """
    known = _resolve(name)
    path = None if known in _MAKERS else _file_of(known)
    if path is None:
        dataset = load(name)
        classes = dataset.classes.tolist()
        code = {label: i for i, label in enumerate(classes)}
        codes = np.array([code[label] for label in dataset.y.tolist()], dtype=np.int32)
        return Table.from_data(dataset.X).with_target(codes, classes), dataset.cost_matrix
    table = read_table(path)
    return table, _published_costs(known, _declared_classes(known, table))


def names() -> dict[str, str]:
    """Return the known names, each with the place where `load` would find it.

    Returns
    -------
    dict of str to str
        Places are ``"package"``, the folder's file, ``"OpenML id N"`` or ``"function NAME"``.

    Examples
    --------
    >>> from stakes.datasets import names
    >>> names()["credit-g"]
    'package'
    """
    places = {name: f"OpenML id {number}" for name, (number, _, _) in OPENML.items()}
    folder = _folder()
    if folder is not None and folder.is_dir():
        for suffix in reversed(_SUFFIXES):
            places |= {path.name.removesuffix(suffix): str(path) for path in folder.glob(f"*{suffix}")}
    places |= {path.name.removesuffix(".arff.gz"): "package" for path in _PACKAGE_DATA.glob("*.arff.gz")}
    places |= {name: f"function {maker.__name__}" for name, maker in _MAKERS.items()}
    return dict(sorted(places.items()))


def waveform(
    n_samples: int = 5000,
    *,
    n_features: int = 21,
    random_state: int | np.random.RandomState | None = None,
) -> Dataset:
    """Draw Breiman's waveforms: each class mixes two of three triangles, with noise.

    Parameters
    ----------
    n_samples : int
        Number of rows.
    n_features : {21, 40}
        21 as in CART, or 40 with 19 columns of pure noise after them.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    Dataset

    References
    ----------
    Breiman, Friedman, Olshen and Stone, Classification and Regression Trees, 1984, section 2.6.2.

    Examples
    --------
    >>> from stakes.datasets import waveform
    >>> waveform(300, n_features=40, random_state=0).X.shape
    (300, 40)
    """
    from sklearn.utils import check_random_state

    if isinstance(n_samples, bool) or not isinstance(n_samples, int | np.integer) or n_samples < 1:
        raise ValueError(f"n_samples must be an integer >= 1, got {n_samples!r}.")
    if n_features not in (21, 40):
        raise ValueError(f"n_features must be 21 or 40, got {n_features!r}.")
    rng = check_random_state(random_state)
    position = np.arange(1, 22)
    low, high, middle = (np.maximum(6 - np.abs(position - peak), 0) for peak in (7, 15, 11))
    first, second = np.array([low, low, high]), np.array([high, middle, middle])
    codes = rng.randint(3, size=n_samples)
    share = rng.uniform(size=(n_samples, 1))
    X = rng.normal(size=(n_samples, n_features))
    X[:, :21] += share * first[codes] + (1 - share) * second[codes]
    frame = Table.from_data(X).to_frame().set_axis([f"x{j + 1}" for j in range(n_features)], axis=1)
    classes = np.array(["0", "1", "2"])
    about = f"{n_samples} rows drawn from Breiman's waveform model"
    return Dataset(f"waveform-{n_features}", frame, classes[codes], classes, description=about)


def _resolve(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name must be a string, got {type(name).__name__}.")
    known = re.sub(r"[\s_]+", "-", name.strip().lower()).rstrip(".")
    if not re.fullmatch(r"[a-z0-9][a-z0-9.+-]*", known):
        raise ValueError(f"name must be letters, digits and hyphens, got {name!r}; it is a name, not a path.")
    return ALIASES.get(known, known)


def _folder() -> Path | None:
    folder = os.environ.get("STAKES_DATA")
    return Path(folder) if folder else None


def _folder_in_words() -> str:
    folder = _folder()
    return f"the folder {folder} (STAKES_DATA)" if folder else "no folder, because STAKES_DATA is not set"


def _file_of(name: str) -> Path | None:
    return _find(_PACKAGE_DATA, name) or _find(_folder(), name)


def _find(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    return next((path for suffix in _SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)


def _from_table(name: str, table: Table, source: str) -> Dataset:
    classes = _declared_classes(name, table)
    costs = _published_costs(name, classes)
    description = f"{name}: {table.n_samples} rows, {len(table.schema)} columns, {source}."
    return Dataset(name, table.to_frame(), table.labels(), classes, costs, description=description)


def _declared_classes(name: str, table: Table) -> NDArray[Any]:
    if table.classes is None:
        raise ValueError(
            f"the file of data set {name!r} must have an attribute named class, but it has none."
        )
    return table.classes


def _published_costs(name: str, classes: NDArray[Any]) -> CostMatrix | None:
    if name not in COSTS:
        return None
    from stakes.costs import CostMatrix

    labels, values = COSTS[name]
    return CostMatrix(np.array(values, dtype=np.float64), classes=list(labels), check=False).align(classes)


def _from_openml(name: str) -> Dataset:
    from sklearn.datasets import fetch_openml

    number, n_rows, n_columns = OPENML[name]
    try:
        bunch = fetch_openml(data_id=number, as_frame=True, parser="auto")
    except Exception as error:  # no network, a proxy's page, a damaged cache: all mean the same to the caller
        raise ValueError(
            f"data set {name!r} is not available: it is not in the package, not in {_folder_in_words()}, and "
            f"OpenML (id {number}) did not answer: {type(error).__name__}: {error}. Hint: put {name}.arff.gz "
            "into a folder and name it in STAKES_DATA."
        ) from error
    X, target = bunch.data, bunch.target
    if X.shape != (n_rows, n_columns):
        raise ValueError(
            f"data set {name!r} from OpenML (id {number}) must have {n_rows} rows and {n_columns} columns, "
            f"got {X.shape[0]} and {X.shape[1]}."
        )
    table = Table.from_data(X)
    column = Table.from_data(target.to_frame(), categorical_features=[0])
    classes = np.array([str(value) for value in column.schema.columns[0].categories])
    labelled = Table(table.schema, table.columns, y=column.columns[0], classes=classes, target="class")
    return _from_table(name, labelled, f"from OpenML, id {number}")
