"""The trade-off between feature costs and mistakes."""

from stakes.tree.tradeoff.path import TradeoffPoint
from stakes.tree.tradeoff.search import TradeoffSearchCV

__all__ = ["TradeoffPoint", "TradeoffSearchCV"]
