"""Fayyad and Irani's cuts, written down as plainly as possible."""

from __future__ import annotations

import math
from itertools import pairwise

#: Entropies this close are equal; the first cut wins, and a gain must exceed its price by more.
CLOSE = 1e-9


def entropy(counts):
    total = sum(counts.values())
    return -sum(w / total * math.log2(w / total) for w in counts.values() if w > 0)


def tally(rows):
    counts: dict = {}
    for _, cls, weight in rows:
        counts[cls] = counts.get(cls, 0.0) + weight
    return counts


def cuts(values, classes, weights=None):
    """Return the cuts of one column, ascending, and whether any choice on the way was a close one."""
    weights = [1.0] * len(values) if weights is None else weights
    rows = [(v, c, w) for v, c, w in zip(values, classes, weights) if v is not None and w > 0]
    found: list = []
    close = [False]
    _divide(sorted(rows), found, close)
    return sorted(found), close[0]


def _divide(rows, found, close):
    whole = tally(rows)
    if len(whole) < 2:
        return
    n = sum(whole.values())
    distinct = sorted({v for v, _, _ in rows})
    best = None
    for low, high in pairwise(distinct):
        left = [row for row in rows if row[0] <= low]
        right = [row for row in rows if row[0] > low]
        a, b = tally(left), tally(right)
        mixed = (sum(a.values()) * entropy(a) + sum(b.values()) * entropy(b)) / n
        if best is not None and abs(mixed - best[0]) < CLOSE:
            close[0] |= mixed != best[0]
            continue
        if best is None or mixed < best[0]:
            best = (mixed, low, high, left, right)
    if best is None:
        return
    mixed, low, high, left, right = best
    k, k1, k2 = len(whole), len(tally(left)), len(tally(right))
    h, h1, h2 = entropy(whole), entropy(tally(left)), entropy(tally(right))
    of_classes = k * math.log2(3) if k > 30 else math.log2(3**k - 2)
    price = (math.log2(max(n - 1, 1)) + of_classes - (k * h - k1 * h1 - k2 * h2)) / n
    gain = h - mixed
    if abs(gain - price) < CLOSE:
        close[0] = True
    if gain <= price + 1e-12:
        return
    middle = low / 2 + high / 2
    found.append(middle if low <= middle < high else low)
    _divide(left, found, close)
    _divide(right, found, close)
