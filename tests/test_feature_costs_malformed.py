import numpy as np
import pandas as pd
import pytest

from stakes.costs import FeatureCosts, as_feature_costs

BLOOD = FeatureCosts.from_groups(
    {"blood": (2.1, {"glucose": 15.51, "insulin": 20.68})}, singles={"age": 1, "sex": 0}
)

MALFORMED = [
    (lambda: FeatureCosts({"age": -1}), "price of 'age' must be at least 0, got -1"),
    (lambda: FeatureCosts({"age": np.nan}), "price of 'age' must be finite, got nan"),
    (lambda: FeatureCosts({"age": np.inf}), "price of 'age' must be finite, got inf"),
    (lambda: FeatureCosts({"age": 10**400}), "price of 'age' must be finite"),
    (lambda: FeatureCosts({"age": None}), "price of 'age' is missing"),
    (lambda: FeatureCosts({"age": "5"}), "price of 'age' must be a number, got '5'"),
    (lambda: FeatureCosts({"age": True}), "price of 'age' must be a number, got True"),
    (lambda: FeatureCosts({"age": [5]}), "price of 'age' must be a number"),
    (lambda: FeatureCosts({"a": 1e308, "b": 1e308}), "must add up to a finite number"),
    (lambda: FeatureCosts({1: 5}), "every name in prices must be a string, got 1"),
    (lambda: FeatureCosts({"": 5}), "must not be empty"),
    (lambda: FeatureCosts({"a\0": 5}), "NUL"),
    (lambda: FeatureCosts("age"), "prices must be a mapping of names to prices or a vector"),
    (lambda: FeatureCosts({"age"}), "prices must be a mapping"),
    (lambda: FeatureCosts(5), "prices must be a mapping"),
    (lambda: FeatureCosts(None), "prices must be a mapping"),
    (lambda: FeatureCosts([[1, 2]]), r"one-dimensional vector, got shape \(1, 2\)"),
    (lambda: FeatureCosts([1, np.nan]), r"prices must be finite, got nan at \[1\]"),
    (lambda: FeatureCosts([1, -2]), "price of position 1 must be at least 0, got -2"),
    (lambda: FeatureCosts(["a", "b"]), "prices must be numbers"),
    (lambda: FeatureCosts([1, 2], {"a": {"b"}}), "requires needs prices by name"),
    (lambda: FeatureCosts({"a": 1}, ["a"]), "requires must be a mapping"),
    (lambda: FeatureCosts({"blood": 1}, {"x": {"blod"}}), "without a price: 'blod'.*did you mean 'blood'"),
    (
        lambda: FeatureCosts({"a": 1}, {"x": "a"}),
        r"requires\['x'\] must be .* got the string 'a'; write \['a'\]",
    ),
    (lambda: FeatureCosts({"a": 1}, {"x": 3}), r"requires\['x'\] must be a collection of names, got 3"),
    (lambda: FeatureCosts({"a": 1}, {"x": ["a", "a"]}), r"requires\['x'\] must be distinct, repeated: 'a'"),
    (lambda: FeatureCosts({"a": 1}, {2: ["a"]}), "every feature in requires must be a string, got 2"),
    (lambda: FeatureCosts.from_groups([1]), "groups must be a mapping"),
    (lambda: FeatureCosts.from_groups({"g": 3}), "group 'g' must be a pair"),
    (lambda: FeatureCosts.from_groups({"g": (1, {})}), "group 'g' must have at least one feature"),
    (lambda: FeatureCosts.from_groups({"g": (1, ["a"])}), "prices of group 'g' must be a mapping"),
    (lambda: FeatureCosts.from_groups({"g": (-1, {"a": 1})}), "shared part of group 'g' must be at least 0"),
    (lambda: FeatureCosts.from_groups({"g": (1, {"a": 1})}, {"a": 2}), "one group or in singles.*'a'"),
    (lambda: FeatureCosts.from_groups({"g": (1, {"a": 1}), "h": (1, {"a": 1})}), "one group .*'a'"),
    (lambda: FeatureCosts.from_groups({}, ["a"]), "singles must be a mapping"),
    (lambda: FeatureCosts.from_dict([1]), "keys 'prices', 'requires' and 'later'"),
    (lambda: FeatureCosts.from_dict({"price": {}}), "keys 'prices', 'requires' and 'later'"),
    (lambda: FeatureCosts.free("age"), r"names must be a collection of names, got the string 'age'"),
    (lambda: FeatureCosts.free(["a", "a"]), "names must be distinct, repeated: 'a'"),
    (lambda: BLOOD.cost("age"), r"collection of names, got 'age'; write \['age'\]"),
    (lambda: BLOOD.cost(3), "collection of names, got 3"),
    (lambda: BLOOD.cost(["gluclose"]), "no price for 'gluclose'.*did you mean 'glucose'"),
    (lambda: BLOOD.cost([["age"]]), r"no price for \['age'\]"),
    (lambda: BLOOD.cost(["blood"]), "'blood' is a resource: list it in requires"),
    (lambda: BLOOD.marginal("weight", ["age"]), "no price for 'weight'"),
    (lambda: BLOOD.marginal("age", ["agee"]), "no price for 'agee'.*did you mean 'age'"),
    (lambda: BLOOD.marginal("age", "sex"), "collection of names, got 'sex'"),
    (lambda: FeatureCosts([1, 2]).cost([2]), "no price for 2"),
    (lambda: FeatureCosts([1, 2]).cost([True]), "no price for True"),
    (lambda: BLOOD.align(["age", "insuline"]), "no price for the columns 'insuline'.*did you mean 'insulin'"),
    (lambda: BLOOD.align(["age", "age"]), "names must be distinct, repeated: 'age'"),
    (lambda: BLOOD.align(["age", 3]), "every name in names must be a string, got 3"),
    (lambda: BLOOD.align({"age", "sex"}), "in the order of the columns, got a set"),
    (lambda: FeatureCosts([1, 2]).align(["a", "b", "c"]), "one number per column, 3 .*got 2"),
    (lambda: FeatureCosts([1]).derived({"a": "b"}), "derived needs prices by name"),
    (lambda: FeatureCosts([1]).to_csv("never.csv"), "to_csv needs prices by name"),
    (lambda: BLOOD.derived(["a"]), "columns must be a mapping"),
    (lambda: BLOOD.derived({"a": "agee"}), "column 'a' must come from .*'agee'.*did you mean 'age'"),
    (lambda: BLOOD.derived({"a": []}), "column 'a' must have at least one source"),
    (lambda: BLOOD.derived({"age": "glucose"}), "column 'age' has a price of its own"),
    (lambda: as_feature_costs({"a": 1}, ["a", "b"]), "no price for the columns 'b'"),
    (lambda: as_feature_costs([1, 2, 3], ["a", "b"]), "one number per column, 2 .*got 3"),
    (lambda: as_feature_costs(pd.DataFrame({"a": [1]}), ["a"]), "must not be a data frame"),
    (lambda: as_feature_costs(pd.Series([1, 2], ["a", "a"]), ["a"]), "index of .* distinct, repeated: 'a'"),
    (
        lambda: as_feature_costs(pd.Series([1, None], ["a", "b"]), ["a"]),
        "price of 'b' must be finite",
    ),
    (lambda: as_feature_costs(1.5, ["a"]), "prices must be a mapping"),
]


@pytest.mark.parametrize("make, sentence", MALFORMED)
def test_malformed_input_is_answered_by_a_sentence(make, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        make()


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "is empty"),
        ("feature,price\n", "a header and no features"),
        ("name,cost\nage,1\n", "must begin with the header"),
        ("feature\nage\n", "must begin with the header"),
        ("feature,price,price\nage,1,1\n", "must begin with the header"),
        ("feature,price,group\nage,1,g\n", "both columns 'group' and 'shared'"),
        ("age,1\nincome\n", "line 2 has 1 cells, but 2"),
        ("feature,price\nage,-1\n", "line 2: a price must be at least 0, got -1"),
        ("feature,price\nage,nan\n", "line 2: the cost must be a finite number, got 'nan'"),
        ("feature,price\nage,dear\n", "line 2: the cost must be a finite number, got 'dear'"),
        ("feature,price\nage,\n", "line 2 has no price"),
        ("feature,price\n,1\n", "line 2 names no feature"),
        ("age,1\nage,2\n", "line 2 repeats the feature 'age'"),
        ("feature,price,group,shared\nage,1,,4\n", "line 2 has a shared price and no group"),
        ("feature,price,group,shared\nage,1,g,\n", "groups without a shared price: 'g'"),
        ("feature,price,group,shared\na,1,g,2\nb,1,g,3\n", "line 3: the shared price of group 'g' must be"),
        ('feature,price\n"age,1\n', "is not CSV"),
    ],
)
def test_malformed_csv(tmp_path, text, sentence):
    (tmp_path / "p.csv").write_text(text)
    with pytest.raises(ValueError, match=sentence) as error:
        FeatureCosts.from_csv(tmp_path / "p.csv")
    assert "p.csv" in str(error.value)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("{", "is not JSON"),
        ('{"a": 1, "a": 2}', "distinct, repeated: 'a'"),
        ('{"a": NaN}', "price of 'a' must be finite"),
        ('{"prices": {"a": 1}, "more": 2}', "keys 'prices', 'requires' and 'later'"),
        ("5", "prices must be a mapping"),
    ],
)
def test_malformed_json(tmp_path, text, sentence):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises((TypeError, ValueError), match=sentence) as error:
        as_feature_costs(tmp_path / "p.json", ["a"])
    assert "p.json" in str(error.value)


def test_tangled_parts_and_odd_names_do_not_fit_csv(tmp_path):
    tangled = FeatureCosts({"a": 1, "b": 1}, {"x": {"a", "b"}, "y": {"a"}, "z": {"b"}})
    with pytest.raises(ValueError, match="at most one shared part per feature, but 'x' have several"):
        tangled.to_csv(tmp_path / "p.csv")
    with pytest.raises(ValueError, match="cannot be kept in CSV"):
        FeatureCosts({"a\nb": 1}).to_csv(tmp_path / "p.csv")
    assert not (tmp_path / "p.csv").exists()


@pytest.mark.parametrize("path", ["", "prices"])
def test_a_folder_is_no_file_of_prices(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prices").mkdir()
    with pytest.raises(ValueError, match=f"read from files, got the folder '{path or '.'}'"):
        as_feature_costs(path, ["a", "b"])
