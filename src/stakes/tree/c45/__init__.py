"""C4.5 and its cost-sensitive relatives."""

from stakes.tree.c45.classifier import C45Classifier

__all__ = ["C45Classifier"]
