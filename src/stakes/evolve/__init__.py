"""Whole trees by evolution: GDT-MC and what goes beyond it."""

from stakes.evolve.gdt import GDTClassifier
from stakes.evolve.history import EvolutionHistory, Generation
from stakes.evolve.plots import plot_alpha, plot_changes, plot_evolution

__all__ = [
    "EvolutionHistory",
    "GDTClassifier",
    "Generation",
    "plot_alpha",
    "plot_changes",
    "plot_evolution",
]
