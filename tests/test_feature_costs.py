import copy
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stakes
from stakes.costs import FeatureCosts, as_feature_costs, davis_prices

BLOOD = FeatureCosts.from_groups(
    {"blood": (2.1, {"glucose": 15.51, "insulin": 20.68})}, singles={"age": 1, "sex": 0}
)

names = st.text("abcxyz ,\"'é+", min_size=1, max_size=4)
price = st.one_of(st.integers(0, 20), st.floats(0, 1e6, allow_subnormal=False))


@st.composite
def tables(draw):
    """Prices and requirements as plain dicts of sets."""
    prices = draw(st.dictionaries(names, price, min_size=1, max_size=6))
    needs = st.sets(st.sampled_from(sorted(prices)), max_size=4)
    return prices, draw(st.dictionaries(names, needs, min_size=1, max_size=6))


@st.composite
def groupings(draw):
    features = draw(st.lists(names, min_size=1, max_size=7, unique=True))
    of_group = [draw(st.sampled_from([None, "a", "b", features[0]])) for _ in features]
    groups, singles = {}, {}
    for feature, group in zip(features, of_group):
        own = draw(price)
        if group is None:
            singles[feature] = own
        else:
            groups.setdefault(group, (draw(price), {}))[1][feature] = own
    return groups, singles


def subset(data, features):
    return data.draw(st.lists(st.sampled_from(sorted(features)), max_size=6))


def slow_cost(prices, requires, features):
    paid = set()
    for feature in features:
        paid |= requires[feature]
    return sum(prices[resource] for resource in paid)


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-6)


# -- against plain sets


@given(tables(), st.data())
def test_cost_is_the_price_of_the_union(table, data):
    prices, requires = table
    costs = FeatureCosts(prices, requires)
    wanted = subset(data, requires)
    assert costs.cost(wanted) == close(slow_cost(prices, requires, wanted))
    assert costs.resources(wanted) == {resource for f in wanted for resource in requires[f]}
    assert costs.cost(iter(wanted)) == costs.cost(wanted[::-1]) == costs.cost(wanted + wanted)


@given(tables(), st.data())
def test_marginal_is_the_difference_and_never_grows(table, data):
    prices, requires = table
    costs = FeatureCosts(prices, requires)
    few, more = subset(data, requires), subset(data, requires)
    feature = data.draw(st.sampled_from(sorted(requires)))
    marginal = costs.marginal(feature, few)
    assert marginal == close(costs.cost([*few, feature]) - costs.cost(few))
    assert 0 <= costs.marginal(feature, few + more) <= marginal <= costs.marginal(feature)
    assert costs.marginal(feature, [feature]) == 0


@given(tables(), st.data())
def test_align_and_arrays_keep_every_cost(table, data):
    prices, requires = table
    costs = FeatureCosts(prices, requires)
    columns = data.draw(st.lists(st.sampled_from(sorted(requires)), unique=True))
    aligned = costs.align(columns)
    assert aligned.features == tuple(columns)
    assert set(aligned.prices) == {resource for f in columns for resource in requires[f]}
    arrays = costs.arrays(columns)
    resource_price, start, resource = arrays.resource_price, arrays.start, arrays.resource
    assert (arrays.group == -1).all() and np.array_equal(arrays.later_price, resource_price)
    assert (resource_price.dtype, start.dtype, resource.dtype) == (np.float64, np.int32, np.int32)
    assert len(start) == len(columns) + 1 and start[0] == 0 and start[-1] == len(resource)
    for j, feature in enumerate(columns):
        mine = resource[start[j] : start[j + 1]]
        assert (np.diff(mine) > 0).all()
        assert resource_price[mine].sum() == close(costs.cost([feature]))
    chosen = data.draw(st.lists(st.integers(0, len(columns) - 1))) if columns else []
    paid = {int(i) for j in chosen for i in resource[start[j] : start[j + 1]]}
    assert sum(resource_price[i] for i in paid) == close(costs.cost([columns[j] for j in chosen]))


@given(groupings(), st.data())
def test_first_of_a_group_pays_the_shared_part(grouping, data):
    groups, singles = grouping
    costs = FeatureCosts.from_groups(groups, singles)
    bill, seen = 0, set()
    order = data.draw(st.permutations(sorted(costs.features)))
    paid = []
    for feature in order:
        group = next((g for g, (_, own) in groups.items() if feature in own), None)
        step = singles[feature] if group is None else groups[group][1][feature]
        if group is not None and group not in seen:
            step += groups[group][0]
            seen.add(group)
        assert costs.marginal(feature, paid) == close(step)
        paid.append(feature)
        bill += step
    assert costs.cost(order) == close(bill)


# -- making and writing


@given(tables())
def test_copies_and_json_are_equal(table):
    costs = FeatureCosts(*table)
    for twin in (
        copy.deepcopy(costs),
        pickle.loads(pickle.dumps(costs)),
        FeatureCosts.from_dict(json.loads(json.dumps(costs.to_dict()))),
        FeatureCosts(dict(reversed(table[0].items())), dict(reversed(table[1].items()))),
    ):
        assert twin == costs
        assert hash(twin) == hash(costs)
    printed = eval(repr(costs), {"FeatureCosts": FeatureCosts})  # with seven digits
    assert printed.requires == costs.requires and printed.prices == pytest.approx(
        dict(costs.prices), rel=1e-6
    )


@given(groupings(), st.data())
def test_csv_keeps_every_bill(tmp_path_factory, grouping, data):
    costs = FeatureCosts.from_groups(*grouping)
    path = tmp_path_factory.mktemp("csv") / "prices.csv"
    if any(name != name.strip() for name in costs.features):
        with pytest.raises(ValueError, match="cannot be kept in CSV"):
            costs.to_csv(path)
        return
    costs.to_csv(path)
    back = FeatureCosts.from_csv(path)
    assert back.features == costs.features
    chosen = subset(data, costs.features)
    assert back.cost(chosen) == close(costs.cost(chosen))


def test_csv_round_trip_is_exact_for_plain_and_grouped_prices(tmp_path):
    for i, costs in enumerate((BLOOD, FeatureCosts(davis_prices(["a", "b"], 0)))):
        costs.to_csv(tmp_path / f"{i}.csv")
        assert FeatureCosts.from_csv(tmp_path / f"{i}.csv") == costs
        assert b"\r" not in (tmp_path / f"{i}.csv").read_bytes()


def test_csv_keeps_derived_columns(tmp_path):
    costs = FeatureCosts({"pain": 3, "age": 1}).derived({"pain=a": "pain", "pain=b": "pain"})
    costs.to_csv(tmp_path / "p.csv")
    back = FeatureCosts.from_csv(tmp_path / "p.csv")
    assert back.cost(["pain", "pain=a", "pain=b"]) == 3
    assert back.marginal("pain=b", ["pain=a"]) == 0


def test_csv_tells_shared_parts_of_one_name_apart(tmp_path):
    prices = {"a": 1, "b": 2, "a + b": 4}
    requires = {"u": {"a", "b"}, "v": {"a", "b"}, "w": {"a + b"}, "z": {"a + b"}}
    FeatureCosts(prices, requires).to_csv(tmp_path / "p.csv")
    back = FeatureCosts.from_csv(tmp_path / "p.csv")
    assert [back.cost(list(s)) for s in ("uv", "wz", "uw", "uvwz")] == [3, 4, 7, 7]


@pytest.mark.parametrize(
    "text",
    [
        "feature,price\nage,1\nincome,4\n",
        "age,1\nincome,4\n",
        "Price,Feature\n1,age\n\n4,income\n",
        "\ufefffeature , price\r\n age, 1\r\n income, 4\r\n",
        "feature,price,group,shared\nage,1,,\nincome,4,,\n",
    ],
)
def test_csv_forms(tmp_path, text):
    (tmp_path / "p.csv").write_text(text, encoding="utf-8", newline="")
    assert FeatureCosts.from_csv(tmp_path / "p.csv") == FeatureCosts({"age": 1, "income": 4})


def test_csv_needs_the_shared_price_only_once(tmp_path):
    (tmp_path / "p.csv").write_text("feature,price,group,shared\na,1,g,5\nb,2,g,\n")
    costs = FeatureCosts.from_csv(tmp_path / "p.csv")
    assert (costs.cost(["a"]), costs.cost(["b"]), costs.cost(["a", "b"])) == (6, 7, 8)


def test_a_group_may_be_called_like_its_test():
    costs = FeatureCosts.from_groups({"blood": (2, {"blood": 3, "iron": 4})})
    assert (costs.cost(["blood"]), costs.cost(["iron"]), costs.cost(["blood", "iron"])) == (5, 6, 9)


def test_is_frozen():
    with pytest.raises(AttributeError):
        BLOOD.prices = {}
    with pytest.raises(TypeError):
        BLOOD.prices["age"] = 2
    with pytest.raises(TypeError):
        BLOOD.requires["age"] = frozenset()
    given_prices = {"a": 1}
    costs = FeatureCosts(given_prices)
    given_prices["a"] = 2
    assert costs.prices["a"] == 1


def test_exported_and_equal():
    assert stakes.FeatureCosts is FeatureCosts
    assert FeatureCosts({"a": 1}) == FeatureCosts({"a": 1}, {"a": ["a"]})
    assert FeatureCosts({"a": 1}) != FeatureCosts({"a": 2})
    assert FeatureCosts({"a": 1}) != {"a": 1}
    assert str(FeatureCosts({"a": -0.0}).prices["a"]) == "0.0"


# -- vectors and other inputs


def test_a_vector_gets_its_names_when_aligned():
    costs = FeatureCosts(np.array([1, 2.5]))
    assert not costs.named
    assert repr(costs) == "FeatureCosts([1.0, 2.5])"
    assert costs.cost([1]) == costs.cost([np.int64(1)]) == 2.5
    assert pickle.loads(pickle.dumps(costs)) == costs == FeatureCosts.from_dict(costs.to_dict())
    assert costs.align(["x", "y"]) == FeatureCosts({"x": 1, "y": 2.5})
    assert "column 1 costs 2.5." in costs.describe()


@pytest.mark.parametrize(
    "costs",
    [
        FeatureCosts({"b": 2, "a": 1, "unused": 7}),
        {"b": 2, "a": 1, "unused": 7},
        [1, 2],
        np.array([1.0, 2.0], dtype=np.float32),
        pd.Series({"b": 2, "a": 1}),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
    ],
)
def test_as_feature_costs(costs):
    found = as_feature_costs(costs, ["a", "b"])
    assert found == FeatureCosts({"a": 1, "b": 2})
    assert found.features == ("a", "b")


def test_as_feature_costs_from_files_and_none(tmp_path):
    BLOOD.to_csv(tmp_path / "p.csv")
    (tmp_path / "p.json").write_text(json.dumps(BLOOD.to_dict()))
    (tmp_path / "plain.json").write_text('{"age": 1, "prices": 3}')
    columns = ["insulin", "age"]
    for path in (tmp_path / "p.csv", str(tmp_path / "p.json")):
        assert as_feature_costs(path, columns) == BLOOD.align(columns)
    assert as_feature_costs(tmp_path / "plain.json", ["prices"]) == FeatureCosts({"prices": 3})
    assert as_feature_costs(None, columns) is None


def test_derived_columns_share_their_source():
    costs = BLOOD.derived({"ratio": ["glucose", "insulin"], "log ratio": "ratio", "old": "age"})
    assert costs.cost(["ratio"]) == pytest.approx(2.1 + 15.51 + 20.68)
    assert costs.marginal("log ratio", ["glucose"]) == 20.68
    assert costs.marginal("old", ["age"]) == 0
    assert BLOOD.derived({"age": "age"}) == BLOOD


def test_free():
    assert FeatureCosts.free(["a", "b"]).cost(["a", "b"]) == 0
    assert FeatureCosts({}, {"a": ()}).cost(["a"]) == 0


def test_describe():
    assert BLOOD.describe(limit=2).splitlines() == [
        "insulin costs 22.78, of which 2.1 is shared.",
        "glucose costs 17.61, of which 2.1 is shared.",
        "The other 2 cost 0 to 1 each.",
        "blood (2.1) is paid once for glucose and insulin.",
        "Everything together costs 39.29.",
    ]
    assert "sex is free." in BLOOD.describe()
    chain = FeatureCosts(dict.fromkeys("abcd", 1), {"f": set("abcd"), "g": set("ab")})
    assert "a + b (2) is paid once for f and g." in chain.describe()
    assert FeatureCosts({}).describe() == "Everything together costs 0."


def test_discounts_depend_on_what_came_first():
    costs = FeatureCosts({"a": 10, "b": 8, "c": 3}, later={"a": ("lab", 1), "b": ("lab", 7)})
    assert costs.cost(["a"]) == 10 and costs.cost(["b"]) == 8
    assert costs.cost(["a", "b", "c"]) == 10 + 7 + 3
    assert costs.cost(["b", "a", "c"]) == 8 + 1 + 3
    assert costs.marginal("a", given=["b"]) == 1 and costs.marginal("a", given=["c"]) == 10
    arrays = costs.arrays(["c", "b", "a"])
    assert arrays.resource_price.tolist() == [3, 8, 10] and arrays.later_price.tolist() == [3, 7, 1]
    assert arrays.group.tolist() == [-1, 0, 0]
    assert FeatureCosts.from_dict(costs.to_dict()) == costs == pickle.loads(pickle.dumps(costs))
    assert eval(repr(costs)) == costs


@pytest.mark.parametrize(
    "later, message",
    [
        ([("a", 1)], "later must be a mapping"),
        ({"x": ("lab", 1)}, "later names resources without a price"),
        ({"a": "lab"}, "must be a pair"),
        ({"a": ("lab", 11)}, "must not be costlier than its first price 10"),
        ({"a": ("lab", -1)}, "must be at least 0"),
        ({"a": ("", 1)}, "must not be empty"),
    ],
)
def test_bad_discounts(later, message):
    with pytest.raises((TypeError, ValueError), match=message):
        FeatureCosts({"a": 10}, later=later)
