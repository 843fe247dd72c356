"""Multi-class cost-sensitive learning by way of other learners."""

from stakes.reductions.boosted import BoostedStakes

__all__ = ["BoostedStakes"]
