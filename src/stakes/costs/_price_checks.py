"""Checks of names and prices of features, and their CSV file, that give their complaint in a sentence."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from stakes._text.words import did_you_mean, is_number, near, some
from stakes.costs._files import csv_lines, parse_number
from stakes.costs._labels import repeated

# shared price and own prices of the features of each group
Groups = dict[str, tuple[float, dict[str, float]]]
#: Names that are compared with all known ones: of a million this would take long.
MOST_COMPARED = 40
HEADER = ("feature", "price", "group", "shared")


def check_name(name: Any, what: str) -> str:
    """Name as plain text, or an exception that says which name is meant."""
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a string, got {name!r}")
    if not name or "\0" in name:
        raise ValueError(f"{what} must not be empty or hold a NUL character, got {name!r}")
    return str(name)  # numpy.str_ would show in repr


def check_later(later: Any, prices: Mapping[Any, float]) -> dict[str, tuple[str, float]]:
    """Discounts by resource: a group and the price once the group is paid into, at most the first price."""
    if later is None:
        return {}
    if not isinstance(later, Mapping):
        raise TypeError(f"later must be a mapping of resources to (group, price), got {later!r}")
    checked = {}
    for resource, terms in later.items():
        if resource not in prices:
            what = "later names resources without a price:"
            raise ValueError(unknown_message([resource], prices, what, "resources with a price"))
        if isinstance(terms, str | bytes) or not isinstance(terms, Iterable) or len(list(terms)) != 2:
            raise ValueError(f"later[{resource!r}] must be a pair (group, price), got {terms!r}")
        group, price = terms
        value = check_price(price, f"{resource!r} in its group")
        if value > prices[resource]:
            raise ValueError(
                f"later[{resource!r}] must not be costlier than its first price {prices[resource]:g}, "
                f"got {value:g}"
            )
        checked[str(resource)] = (check_name(group, f"the group of {resource!r}"), value)
    return checked


def check_names(names: Any, what: str) -> list[str]:
    """Distinct names from an iterable that is not itself text."""
    if isinstance(names, str | bytes):
        raise TypeError(f"{what} must be a collection of names, got the string {names!r}; write [{names!r}]")
    if not isinstance(names, Iterable):
        raise TypeError(f"{what} must be a collection of names, got {names!r}")
    checked = [check_name(name, f"every name in {what}") for name in names]
    if len(set(checked)) != len(checked):
        raise ValueError(f"{what} must be distinct, repeated: {some(repeated(checked))}")
    return checked


def check_price(price: Any, what: str) -> float:
    """Finite price of at least 0 as a float."""
    if price is None:
        raise ValueError(f"the price of {what} is missing (None); a feature that is free has the price 0")
    if isinstance(price, bool) or not isinstance(price, numbers.Real):
        raise TypeError(f"the price of {what} must be a number, got {price!r}")
    try:
        value = float(price)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ValueError(f"the price of {what} must be finite, got {value}")
    if value < 0:
        raise ValueError(f"the price of {what} must be at least 0, got {value:g}")
    return value + 0.0  # no -0.0, which would be written as such


def check_prices(prices: Mapping[Any, Any], what: str) -> dict[str, float]:
    """Prices by name from a mapping."""
    if not isinstance(prices, Mapping):
        raise TypeError(f"{what} must be a mapping of names to prices, got {prices!r}")
    return {
        check_name(name, f"every name in {what}"): check_price(price, repr(name))
        for name, price in prices.items()
    }


def total(prices: Iterable[float]) -> float:
    """Sum that does not depend on the order, as sets have none; infinite where it is too large."""
    try:
        return math.fsum(prices)
    except OverflowError:
        return math.inf


def unknown_message(unknown: list[Any], known: Iterable[Any], what: str, noun: str) -> str:
    """Sentence about names that nobody knows, the first that is near a known one in front, with that one."""
    names = list(known)
    slip = next((name for name in unknown[:MOST_COMPARED] if near(name, names)), unknown[0])
    others = [name for name in unknown if name is not slip]
    return f"{what} {some([slip, *others])}{did_you_mean(slip, names, noun)}"


def check_groups(groups: Any, singles: Any) -> tuple[Groups, dict[str, float]]:
    """Groups and singles as :meth:`FeatureCosts.from_groups` takes them; every feature in one place."""
    if not isinstance(groups, Mapping):
        raise TypeError(f"groups must be a mapping of groups to (shared price, prices), got {groups!r}")
    checked: Groups = {}
    for group, entry in groups.items():
        name = check_name(group, "the name of a group")
        if (
            isinstance(entry, str | Mapping)
            or not isinstance(entry, Iterable)
            or len(pair := list(entry)) != 2
        ):
            raise ValueError(
                f"group {name!r} must be a pair (shared price, prices of features), got {entry!r}"
            )
        shared, prices = pair
        own = check_prices(prices, f"the prices of group {name!r}")
        if not own:
            raise ValueError(f"group {name!r} must have at least one feature, got an empty mapping")
        checked[name] = (check_price(shared, f"the shared part of group {name!r}"), own)
    alone = check_prices({} if singles is None else singles, "singles")
    met = [feature for _, own in checked.values() for feature in own] + list(alone)
    if len(set(met)) != len(met):
        raise ValueError(
            f"a feature must be in one group or in singles, not in several places: {some(repeated(met))}"
        )
    return checked, alone


def parse_prices(text: str, name: str) -> tuple[Groups, dict[str, float], list[str]]:
    """Groups, singles and the order of the features of a CSV file."""
    rows = csv_lines(text, name, "a header 'feature,price' and a line per feature")
    columns, rows = _split_header(rows, name)
    prices: dict[str, float] = {}
    members: dict[str, list[str]] = {}
    shared: dict[str, float] = {}
    for line, cells in rows:
        where = f"{name} line {line}"
        if len(cells) != len(columns):
            raise ValueError(f"{where} has {len(cells)} cells, but {len(columns)} are expected: {columns}")
        row = dict(zip(columns, cells, strict=True))
        feature = row["feature"]
        if not feature:
            raise ValueError(f"{where} names no feature")
        if feature in prices:
            raise ValueError(f"{where} repeats the feature {feature!r}")
        prices[feature] = _price(row["price"], where)
        group, part = row.get("group", ""), row.get("shared", "")
        if part and not group:
            raise ValueError(f"{where} has a shared price and no group")
        if group:
            members.setdefault(group, []).append(feature)
        if part and shared.setdefault(group, _price(part, where)) != _price(part, where):
            raise ValueError(
                f"{where}: the shared price of group {group!r} must be the same on all its lines, "
                f"got {part} after {shared[group]:g}"
            )
    if not prices:
        raise ValueError(f"{name} has a header and no features; expected a line per feature")
    without = [group for group in members if group not in shared]
    if without:
        raise ValueError(f"{name} has groups without a shared price: {some(without)}")
    groups = {group: (shared[group], {f: prices[f] for f in members[group]}) for group in members}
    grouped = {feature for features in members.values() for feature in features}
    return groups, {f: p for f, p in prices.items() if f not in grouped}, list(prices)


def _split_header(
    rows: list[tuple[int, list[str]]], name: str
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Columns of the file, and its rows without the header; two plain columns need none."""
    first = rows[0][1]
    columns = [cell.lower() for cell in first]
    if {"feature", "price"} <= set(columns) <= set(HEADER) and len(set(columns)) == len(columns):
        if ("group" in columns) != ("shared" in columns):
            raise ValueError(f"{name} must have both columns 'group' and 'shared', or neither, got {first}")
        return columns, rows[1:]
    if len(first) == 2 and is_number(first[1]):
        return ["feature", "price"], rows
    raise ValueError(
        f"{name} must begin with the header 'feature,price' or 'feature,price,group,shared', "
        f"or have two columns, a name and a price; got {first}"
    )


def _price(text: str, where: str) -> float:
    if not text:
        raise ValueError(f"{where} has no price; a feature that is free has the price 0")
    value = parse_number(text, where)
    if value < 0:
        raise ValueError(f"{where}: a price must be at least 0, got {value:g}")
    return value + 0.0


def check_csv_names(names: Iterable[str]) -> None:
    """Refuse names that would not come back from a CSV file as they are."""
    for name in names:
        if name != name.strip() or len(name.splitlines()) != 1:
            raise ValueError(f"the name {name!r} cannot be kept in CSV (blanks or line ends); use to_dict")
