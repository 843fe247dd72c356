"""Weights of rows, checked in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Weights and costs beyond this are refused: their sums and products must stay finite.
LARGEST = 1e100


def check_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return one finite weight of at least 0 per row, not all of them 0; one number is meant for all rows."""
    refuse_mask(sample_weight, "sample_weight")
    given = np.asarray(sample_weight)
    if given.dtype.kind in "mM":  # which NumPy would count in days or nanoseconds
        raise ValueError(f"sample_weight must be numbers, got dates or times ({given.dtype})")
    weight = given.astype(np.float64, copy=False)
    weight = np.full(n_samples, float(weight)) if weight.ndim == 0 else np.ascontiguousarray(weight)
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight must have shape ({n_samples},), got {weight.shape}")
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise ValueError("sample_weight must be finite and not negative")
    if n_samples and not (weight > 0).any():
        raise ValueError("sample_weight must not be zero for every row")
    if n_samples and weight.max() > LARGEST / n_samples:
        raise ValueError(f"sample_weight must add up to at most {LARGEST:g}; divide it by its mean")
    return weight


def refuse_mask(values: Any, name: str) -> None:
    """Refuse a masked array with masked entries where every sample needs a value."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = int(np.argwhere(np.ma.getmaskarray(values))[0][0])
        raise ValueError(f"{name} must have a value for every sample, but row {row} is masked")


def check_size(costs: NDArray[np.float64]) -> None:
    """Refuse costs whose sums could become infinite."""
    most = np.abs(costs).max(initial=0.0)
    if most > LARGEST:
        raise ValueError(f"costs must be at most {LARGEST:g}, got {most:g}; count them in a larger unit")
