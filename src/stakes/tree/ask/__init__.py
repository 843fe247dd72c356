"""Predictions that ask for one value after another."""

from stakes.tree.ask.acquire import Acquired, Acquisition, Question

__all__ = ["Acquired", "Acquisition", "Question"]
