"""A bar that shows how far evolution is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from stakes.evolve.history import Generation


@contextmanager
def progress(max_generations: int) -> Iterator[Callable[[Generation], None]]:
    """Show a bar on standard error; yields what is to be told each generation."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("generation 0", total=max_generations)

        def tell(generation: Generation) -> None:
            words = (
                f"generation {generation.number}: cost {generation.best_cost:.4g}, "
                f"{generation.best_size} nodes, fitness {generation.best_fitness:.4g}"
            )
            bar.update(task, completed=generation.number, description=words)

        yield tell
