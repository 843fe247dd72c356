"""Which parts of the prices of features are shared: said in words, and as lines of CSV."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stakes._text.money import in_currency, money
from stakes._text.words import some
from stakes.costs._price_checks import check_csv_names, total

if TYPE_CHECKING:
    from stakes.costs._features import FeatureCosts


@dataclass(frozen=True)
class SharedPart:
    """Resources that the same features need, taken together."""

    name: str
    price: float
    features: tuple[Any, ...]


def shared_parts(costs: FeatureCosts) -> list[SharedPart]:
    """Parts with a price that several features need, in the order of the prices."""
    users: dict[Any, list[Any]] = {}
    for feature, needs in costs.requires.items():
        for resource in needs:
            users.setdefault(resource, []).append(feature)
    resources_of: dict[tuple[Any, ...], list[Any]] = {}
    for resource, price in costs.prices.items():
        if price and len(users.get(resource, [])) > 1:
            resources_of.setdefault(tuple(users[resource]), []).append(resource)
    parts: dict[str, SharedPart] = {}
    for features, names in resources_of.items():
        name = " + ".join(map(str, names))
        while name in parts:  # "a" and "b" together, next to a resource called "a + b"
            name += "'"
        parts[name] = SharedPart(name, total(costs.prices[resource] for resource in names), features)
    return list(parts.values())


def own_prices(costs: FeatureCosts) -> dict[Any, float]:
    """Of each feature the price that no other feature shares."""
    n_users = Counter(resource for needs in costs.requires.values() for resource in needs)
    return {
        feature: total(costs.prices[resource] for resource in needs if n_users[resource] == 1)
        for feature, needs in costs.requires.items()
    }


def describe(costs: FeatureCosts, limit: int) -> str:
    """Sentences of :meth:`FeatureCosts.describe`."""
    own, shared = own_prices(costs), shared_parts(costs)
    alone = {feature: costs.cost([feature]) for feature in costs.requires}
    order = sorted(alone, key=lambda feature: -alone[feature])
    lines = [_price_line(_name(feature), alone[feature], own[feature]) for feature in order[:limit]]
    if rest := [alone[feature] for feature in order[limit:]]:
        span = in_currency(f"{rest[-1]:g}" if rest[-1] == rest[0] else f"{rest[-1]:g} to {rest[0]:g}")
        lines.append(
            f"The other {len(rest)} cost {span} each." if len(rest) > 1 else f"The other costs {span}."
        )
    shared.sort(key=lambda part: -part.price)
    lines += [
        f"{part.name} ({_exact(part.price)}) is paid once for {_listed(part.features)}."
        for part in shared[:limit]
    ]
    if len(shared) > limit:
        lines.append(f"Shared parts not listed: {len(shared) - limit}.")
    return "\n".join([*lines, f"Everything together costs {_exact(costs.cost(costs.requires))}."])


def csv_rows(costs: FeatureCosts) -> list[list[str]]:
    """Lines of the CSV file that keeps every price; refused where a feature has several shared parts."""
    own, part_of = own_prices(costs), {}
    for part in shared_parts(costs):
        tangled = [feature for feature in part.features if feature in part_of]
        if tangled:
            raise ValueError(
                f"CSV holds at most one shared part per feature, but {some(tangled)} have several; "
                "use to_dict and JSON"
            )
        part_of.update(dict.fromkeys(part.features, part))
    check_csv_names([*costs.requires, *(part.name for part in part_of.values())])
    head = ["feature", "price", "group", "shared"] if part_of else ["feature", "price"]
    rows = [head]
    for feature, price in own.items():
        group = [part_of[feature].name, repr(part_of[feature].price)] if feature in part_of else ["", ""]
        rows.append([feature, repr(price), *group][: len(head)])
    return rows


def _price_line(name: str, alone: float, own: float) -> str:
    if not alone:
        return f"{name} is free."
    shared = "" if alone == own else f", of which {_exact(alone - own)} is shared"
    return f"{name} costs {_exact(alone)}{shared}."


def _exact(price: float) -> str:
    return money(price, "{:g}".format)


def _name(feature: Any) -> str:
    return feature if isinstance(feature, str) else f"column {feature}"


def _listed(features: tuple[Any, ...], limit: int = 6) -> str:
    names = [_name(feature) for feature in features]
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"
