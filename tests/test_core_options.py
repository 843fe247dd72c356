"""Records of options that the core takes: made with keywords, compared, copied, never changed."""

from __future__ import annotations

import math

import pytest

from stakes import _core

KINDS = [
    (
        _core.GrowOptions,
        {"criterion": "gini", "min_samples_leaf": 3.5, "max_path_cost": 2.0, "collapse": False},
    ),
    (_core.TotalCostOptions, {"leaf_penalty": 0.5, "width": 2, "exhaustive": True}),
    (_core.EvolveOptions, {"alpha": 0.25, "inner_odds": [1.0, 2.0, 3.0, 4.0, 5.0], "seed": 2**64 - 1}),
    (_core.RuleOptions, {"t_good": [0.25, 0.5], "max_bytes": 10**12, "mark_all": True}),
    (_core.TextFormat, {"delimiter": ";", "missing": ["?", "NA"], "escapes": True}),
]


@pytest.mark.parametrize("kind, given", KINDS)
def test_options_are_what_was_given(kind, given):
    options, plain = kind(**given), kind()
    assert {name: getattr(options, name) for name in given} == given
    assert options == plain.replace(**given) != plain == kind() != "something else"
    assert repr(options).startswith(f"{kind.__name__}(")
    for name, value in given.items():
        assert f"{name}={value!r}" in repr(options)
        with pytest.raises(AttributeError):
            setattr(options, name, value)


@pytest.mark.parametrize("kind, given", KINDS)
def test_options_that_do_not_exist_or_are_of_another_type(kind, given):
    for make in (kind, kind().replace):
        with pytest.raises(TypeError, match=f"{kind.__name__} has no option 'widht'"):
            make(widht=1)
        name = next(iter(given))
        with pytest.raises(TypeError, match=f"{name} must be of the type"):
            make(**{name: object()})


def test_words_that_the_core_does_not_know():
    with pytest.raises(ValueError, match=r"^criterion is not one the core knows: 'luck'$"):
        _core.GrowOptions(criterion="luck")
    with pytest.raises(ValueError, match=r"^dialect must be 'c45' or 'j48', got 'cart'$"):
        _core.GrowOptions(dialect="cart")


def test_without_prices_nothing_depends_on_them():
    options = _core.GrowOptions()
    assert options.gamma == 0.0 and options.max_path_cost == options.max_upfront_cost == math.inf
