"""Whole trees by evolution: GDT-MC and what goes beyond it."""

from stakes.evolve.gdt import GDTClassifier
from stakes.evolve.history import EvolutionHistory, Generation

__all__ = ["EvolutionHistory", "GDTClassifier", "Generation"]
