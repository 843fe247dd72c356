"""Feature costs: prices of resources, and which resources a feature needs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from stakes._text.words import short_repr, some
from stakes.costs import _price_checks as checks
from stakes.costs._files import read_text, write_csv
from stakes.costs._labels import finite_array
from stakes.costs._price_words import csv_rows, describe


@dataclass(frozen=True, eq=False)
class PriceArrays:
    """Prices of a table's columns as arrays.

    Attributes
    ----------
    resource_price, later_price : float64 arrays of shape (n_resources,)
        Price of each resource, first and once its group is paid into.
    group : int32 array of shape (n_resources,)
        Group of each resource, -1 for none.
    start, resource : int32 arrays of shape (n_columns + 1,) and (n_needs,)
        Column ``j`` needs ``resource[start[j]:start[j + 1]]``, ascending.
    """

    resource_price: NDArray[np.float64]
    later_price: NDArray[np.float64]
    group: NDArray[np.int32]
    start: NDArray[np.int32]
    resource: NDArray[np.int32]

    @classmethod
    def plain(cls, prices: ArrayLike) -> PriceArrays:
        """One price per column, nothing shared."""
        price = np.ascontiguousarray(prices, dtype=np.float64)
        order = np.arange(len(price) + 1, dtype=np.int32)
        return cls(price, price, np.full(len(price), -1, dtype=np.int32), order, order[:-1].copy())


@dataclass(frozen=True, eq=False, init=False, repr=False)
class FeatureCosts:
    """Prices of resources, and the resources that each feature needs.

    A set of features costs the price of the union of its resources. One resource per feature gives plain
    test costs; a shared one gives a discount (one blood sample, five tests); sets of them give call trees,
    where a function once instrumented is free for the next feature.

    Parameters
    ----------
    prices : mapping of resource to price, or vector
        Prices are finite and at least 0. A vector has one price per column of a table that is not known yet:
        its features are the positions 0, 1, ... until :meth:`align` names them.
    requires : mapping of feature to set of resources, optional
        Features that need nothing are free. Without it every resource is a feature of the same name.
    later : mapping of resource to (group, price), optional
        Discounts: once a resource of the group is paid for, the others of the group cost their later price.
        Where all discounts of a group are the same a shared resource says it more simply.

    Attributes
    ----------
    prices : read-only mapping of resource to price
    requires : read-only mapping of feature to frozenset of resources
    later : read-only mapping of resource to (group, price)

    Examples
    --------
    >>> costs = FeatureCosts(
    ...     {"sample": 10, "glucose": 5, "insulin": 20},
    ...     requires={"glucose": {"sample", "glucose"}, "insulin": {"sample", "insulin"}, "age": set()},
    ... )
    >>> costs.cost(["age", "glucose", "insulin"])
    35.0
    >>> costs.marginal("insulin", given=["glucose"])
    20.0
    """

    prices: Mapping[Any, float]
    requires: Mapping[Any, frozenset[Any]]
    later: Mapping[Any, tuple[str, float]]

    def __init__(
        self,
        prices: Mapping[str, float] | ArrayLike,
        requires: Mapping[str, Iterable[str]] | None = None,
        later: Mapping[str, tuple[str, float]] | None = None,
    ) -> None:
        by_name = _prices_by_name(prices)
        needs: dict[Any, frozenset[Any]] = {name: frozenset([name]) for name in by_name}
        if requires is not None:
            if not isinstance(prices, Mapping):
                raise TypeError("requires needs prices by name: prices must be a mapping, not a vector")
            needs = _check_requires(requires, by_name)
        if not math.isfinite(checks.total(by_name.values())):
            raise ValueError("prices must add up to a finite number, but their sum is infinite")
        object.__setattr__(self, "prices", MappingProxyType(by_name))
        object.__setattr__(self, "requires", MappingProxyType(needs))
        object.__setattr__(self, "later", MappingProxyType(checks.check_later(later, by_name)))

    def __reduce__(self) -> tuple[type[FeatureCosts], tuple[Any, ...]]:
        # read-only mappings cannot be pickled, and a vector must stay one
        if not self.named:
            return FeatureCosts, (list(self.prices.values()),)
        return FeatureCosts, self._parts()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureCosts):
            return NotImplemented
        return self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(tuple(frozenset(part.items()) for part in self._parts()))

    def _parts(self) -> tuple[dict[Any, Any], ...]:
        return dict(self.prices), dict(self.requires), dict(self.later)

    def __repr__(self) -> str:
        if not self.named:
            return f"FeatureCosts({short_repr(list(self.prices.values()))})"
        parts = [short_repr(dict(self.prices))]
        if not self._one_each():
            sets = (f"{feature!r}: {_set_text(needs)}" for feature, needs in self._ordered().items())
            parts.append(f"requires={{{', '.join(sets)}}}")
        if self.later:
            parts.append(f"later={short_repr(dict(self.later))}")
        return f"FeatureCosts({', '.join(parts)})"

    def __len__(self) -> int:
        return len(self.requires)

    @property
    def features(self) -> tuple[Any, ...]:
        """Names of the features, or their positions where the prices came as a vector."""
        return tuple(self.requires)

    @property
    def named(self) -> bool:
        """Whether features have names; a vector has positions until it is aligned."""
        return not any(isinstance(name, int) for name in self.prices)

    def _one_each(self) -> bool:
        return list(self.requires) == list(self.prices) and all(
            needs == {name} for name, needs in self.requires.items()
        )

    def _ordered(self) -> dict[Any, list[Any]]:
        """Resources of each feature in the order of ``prices``, so that nothing depends on hashing."""
        rank = {resource: i for i, resource in enumerate(self.prices)}
        return {feature: sorted(needs, key=rank.__getitem__) for feature, needs in self.requires.items()}

    # -- making and writing

    @classmethod
    def from_groups(
        cls,
        groups: Mapping[str, tuple[float, Mapping[str, float]]],
        singles: Mapping[str, float] | None = None,
    ) -> FeatureCosts:
        """Prices with a part that the first feature of a group pays and later ones do not.

        Parameters
        ----------
        groups : mapping of group to (shared price, {feature: own price, ...})
            A feature alone costs the shared price and its own.
        singles : mapping of feature to price, optional
            Features without a group.

        Examples
        --------
        >>> costs = FeatureCosts.from_groups({"blood": (2.1, {"glucose": 15.5, "insulin": 20.7})}, {"age": 1})
        >>> costs.cost(["glucose"]), costs.marginal("glucose", given=["insulin"])
        (17.6, 15.5)
        """
        checked, alone = checks.check_groups(groups, singles)
        own = {f: p for _, features in checked.values() for f, p in features.items()} | alone
        prices, requires = dict(own), {f: {f} for f in own}
        for group, (shared, features) in checked.items():
            resource = group
            while resource in own or resource in prices:  # a group may be called like one of its tests
                resource += " (shared)"
            prices[resource] = shared
            for feature in features:
                requires[feature].add(resource)
        return cls(prices, requires)

    @classmethod
    def free(cls, names: Iterable[str]) -> FeatureCosts:
        """All features cost nothing."""
        return cls(dict.fromkeys(checks.check_names(names, "names"), 0.0))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> FeatureCosts:
        """Prices from a CSV file: one line per feature, a name and a price.

        Groups have two more columns: the first feature of a ``group`` pays ``shared`` besides its own
        ``price``, later ones only their own. The shared price stands on one or
        more lines of the group::

            feature,price,group,shared
            age,1,,
            glucose,15.51,blood,2.1
            insulin,20.68,blood,2.1

        A file of two plain columns needs no header. The first sheet of an Excel file (``.xlsx``) is read in
        the same way.
        """
        groups, singles, order = checks.parse_prices(read_text(path), str(path))
        costs = cls.from_groups(groups, singles)
        return cls(costs.prices, {feature: costs.requires[feature] for feature in order})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a file from which :meth:`from_csv` reads the same costs, though resources may be renamed.

        CSV holds at most one shared part per feature; :meth:`to_dict` holds everything.
        """
        self._require_names("to_csv")
        write_csv(path, csv_rows(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FeatureCosts:
        """Prices from what :meth:`to_dict` gave."""
        keys = {"prices", "requires", "later"}
        if not isinstance(data, Mapping) or "prices" not in data or not set(data) <= keys:
            raise ValueError(
                "data must be a mapping with the keys 'prices', 'requires' and 'later', as to_dict() gives it"
            )
        return cls(data["prices"], data.get("requires"), data.get("later"))

    def to_dict(self) -> dict[str, Any]:
        """Prices and requirements as plain dicts and lists, ready for JSON."""
        if not self.named:
            return {"prices": list(self.prices.values()), "requires": None, "later": None}
        return {
            "prices": dict(self.prices),
            "requires": None if self._one_each() else self._ordered(),
            "later": {resource: list(terms) for resource, terms in self.later.items()} or None,
        }

    def derived(self, columns: Mapping[str, str | Iterable[str]]) -> FeatureCosts:
        """Return the same prices with columns added that are computed from features.

        Parameters
        ----------
        columns : mapping of column to source
            The source is a feature, or several. A column needs the resources of its sources, so that the
            second one-hot column of a test is free.

        Examples
        --------
        >>> costs = FeatureCosts({"pain": 3, "age": 1}).derived({"pain=dull": "pain", "pain=sharp": "pain"})
        >>> costs.cost(["pain=dull", "pain=sharp"])
        3.0
        """
        self._require_names("derived")
        if not isinstance(columns, Mapping):
            raise TypeError(f"columns must be a mapping of columns to their sources, got {columns!r}")
        requires = dict(self.requires)
        for column, source in columns.items():
            name = checks.check_name(column, "the name of a derived column")
            sources = checks.check_names(
                [source] if isinstance(source, str) else source, f"the sources of {name!r}"
            )
            if not sources:
                raise ValueError(f"column {name!r} must have at least one source, got {source!r}")
            unknown = [feature for feature in sources if feature not in requires]
            if unknown:
                what = f"column {name!r} must come from features with a price, got"
                raise ValueError(checks.unknown_message(unknown, requires, what, "priced features"))
            needs = frozenset().union(*(requires[feature] for feature in sources))
            if requires.setdefault(name, needs) != needs:
                raise ValueError(
                    f"column {name!r} has a price of its own and cannot be derived from {sources}"
                )
        return FeatureCosts(self.prices, requires, self.later)

    # -- asking

    def resources(self, features: Iterable[Any]) -> frozenset[Any]:
        """Resources that the features need together."""
        if isinstance(features, str | bytes) or not isinstance(features, Iterable):
            hint = f"; write [{features!r}]" if isinstance(features, str) else ""
            raise TypeError(f"features must be a collection of names, got {features!r}{hint}")
        wanted = list(features)
        unknown = [name for name in wanted if not _known(name, self.requires)]
        if unknown:
            raise ValueError(self._unknown("features has no price for", unknown))
        return frozenset().union(*(self.requires[name] for name in wanted))

    def cost(self, features: Iterable[Any]) -> float:
        """Price of the union of the resources that the features need.

        With discounts the order matters: features are paid for in the order given.
        """
        if not self.later:
            return checks.total(self.prices[name] for name in self.resources(features))
        wanted = list(features)
        self.resources(wanted)  # says which names are unknown
        ordered = self._ordered()
        queue = dict.fromkeys(resource for feature in wanted for resource in ordered[feature])
        return checks.total(self._prices(queue, set()))

    def marginal(self, feature: Any, given: Iterable[Any] = ()) -> float:
        """What ``feature`` costs more where the features ``given`` are already paid for."""
        paid = self.resources(given)
        wanted = self.resources([feature]) - paid
        queue = [resource for resource in self._ordered()[feature] if resource in wanted]
        return checks.total(self._prices(queue, {self.later[r][0] for r in paid if r in self.later}))

    def _prices(self, resources: Iterable[Any], opened: set[Any]) -> Iterator[float]:
        """Prices of resources paid for one after another; ``opened`` are the groups paid into before."""
        for resource in resources:
            group, discounted = self.later.get(resource, (None, self.prices[resource]))
            yield discounted if group in opened else self.prices[resource]
            if group is not None:
                opened.add(group)

    def align(self, names: Iterable[str]) -> FeatureCosts:
        """Return the prices of the columns ``names``, in that order.

        Features and resources that these columns do not need are dropped; a column without a price is an
        error. A vector takes the names, if the number fits.
        """
        if isinstance(names, set | frozenset):
            raise TypeError(f"names must be in the order of the columns, got a set: {names!r}")
        columns = checks.check_names(names, "names")
        if not self.named:
            if len(columns) != len(self):
                raise ValueError(
                    f"prices must have one number per column, {len(columns)} ({some(columns)}), "
                    f"got {len(self)}; prices by name ({{column: price}}) need not fit exactly"
                )
            return FeatureCosts(dict(zip(columns, self.prices.values(), strict=True)))
        unknown = [name for name in columns if name not in self.requires]
        if unknown:
            raise ValueError(self._unknown("there is no price for the columns", unknown))
        ordered = self._ordered()
        needed = dict.fromkeys(resource for name in columns for resource in ordered[name])
        return FeatureCosts(
            {resource: self.prices[resource] for resource in needed},
            {name: self.requires[name] for name in columns},
            {resource: terms for resource, terms in self.later.items() if resource in needed},
        )

    def arrays(self, names: Iterable[str]) -> PriceArrays:
        """Prices for loops over columns."""
        aligned = self.align(names)
        index = {resource: i for i, resource in enumerate(aligned.prices)}
        rows = [sorted(index[resource] for resource in needs) for needs in aligned.requires.values()]
        start = np.cumsum([0, *map(len, rows)], dtype=np.int32)
        resource = np.array([i for row in rows for i in row], dtype=np.int32)
        price = np.array(list(aligned.prices.values()), dtype=np.float64)
        later_price, group = price.copy(), np.full(len(price), -1, dtype=np.int32)
        numbers: dict[str, int] = {}
        for name, (group_name, discounted) in aligned.later.items():
            later_price[index[name]] = discounted
            group[index[name]] = numbers.setdefault(group_name, len(numbers))
        return PriceArrays(price, later_price, group, start, resource)

    def describe(self, limit: int = 6) -> str:
        """Say in words which features are costly, what is shared, and what everything costs.

        Parameters
        ----------
        limit : int
            Number of features, and of shared parts, to list.

        Examples
        --------
        >>> groups = {"blood": (2, {"glucose": 15, "insulin": 20})}
        >>> print(FeatureCosts.from_groups(groups, singles={"age": 0}).describe())
        insulin costs 22, of which 2 is shared.
        glucose costs 17, of which 2 is shared.
        age is free.
        blood (2) is paid once for glucose and insulin.
        Everything together costs 37.
        """
        return describe(self, limit)

    # -- inside

    def _require_names(self, method: str) -> None:
        if not self.named:
            raise ValueError(f"{method} needs prices by name, got a vector; call align(names) first")

    def _unknown(self, what: str, unknown: list[Any]) -> str:
        message = checks.unknown_message(unknown, self.requires, what, "priced features")
        if _known(unknown[0], self.prices):
            return f"{message}; {unknown[0]!r} is a resource: list it in requires to make it a feature too"
        return message


def _known(name: Any, names: Mapping[Any, Any]) -> bool:
    # 1.0 and True are equal to position 1, but are no positions
    return isinstance(name, str | int | np.integer) and not isinstance(name, bool) and name in names


def _set_text(names: list[Any]) -> str:
    return "{" + ", ".join(map(repr, names)) + "}" if names else "set()"


def _prices_by_name(prices: Any) -> dict[Any, float]:
    if isinstance(prices, Mapping):
        return checks.check_prices(prices, "prices")
    if isinstance(prices, str | bytes | Set) or not hasattr(prices, "__len__"):
        raise TypeError(f"prices must be a mapping of names to prices or a vector, got {prices!r}")
    vector = finite_array(prices, "prices")
    if vector.ndim != 1:
        raise ValueError(f"prices must be a mapping or a one-dimensional vector, got shape {vector.shape}")
    return {i: checks.check_price(price, f"position {i}") for i, price in enumerate(vector.tolist())}


def _check_requires(requires: Any, prices: Mapping[Any, float]) -> dict[Any, frozenset[Any]]:
    if not isinstance(requires, Mapping):
        raise TypeError(f"requires must be a mapping of features to sets of resources, got {requires!r}")
    checked = {}
    for feature, resources in requires.items():
        name = checks.check_name(feature, "every feature in requires")
        names = checks.check_names(resources, f"requires[{name!r}]")
        unknown = [resource for resource in names if resource not in prices]
        if unknown:
            what = f"requires[{name!r}] names resources without a price:"
            raise ValueError(checks.unknown_message(unknown, prices, what, "resources with a price"))
        checked[name] = frozenset(names)
    return checked
