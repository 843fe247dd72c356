"""BoostedStakes: the strong default ensemble."""

from stakes.boosted.classifier import BoostedStakes

__all__ = ["BoostedStakes"]
