"""Names that will go: what they say before, once in a process and with the version."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")

_WARNED: set[str] = set()


def warn_deprecated(name: str, *, since: str, gone_in: str, instead: str, stacklevel: int = 2) -> None:
    """Warn that a name will go, unless this process has been told.

    The warning is a ``FutureWarning``, which Python shows to everybody, and names the line of the caller's
    caller.

    Parameters
    ----------
    name : str
        What will go, as users write it: ``"stakes.metrics.bill"``, ``"the option --old"``.
    since, gone_in : str
        The version that warns first, and the one without the name.
    instead : str
        What to write in its place.
    stacklevel : int
        As of `warnings.warn`; 2 is the line that called the function which calls this one.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as seen:
    ...     warnings.simplefilter("always")
    ...     for _ in range(2):
    ...         warn_deprecated("stakes.old", since="0.2", gone_in="0.4", instead="stakes.new")
    >>> [str(warning.message) for warning in seen]
    ['stakes.old is deprecated since stakes 0.2 and will be gone in 0.4; use stakes.new.']
    """
    if name in _WARNED:
        return
    _WARNED.add(name)
    message = f"{name} is deprecated since stakes {since} and will be gone in {gone_in}; use {instead}."
    warnings.warn(message, FutureWarning, stacklevel=stacklevel + 1)


def deprecated(
    name: str, *, since: str, gone_in: str, instead: str
) -> Callable[[Callable[Given, Result]], Callable[Given, Result]]:
    """Make a function or method warn when it is called; the parameters are those of `warn_deprecated`.

    Examples
    --------
    >>> @deprecated("stakes.metrics.bill", since="0.2", gone_in="0.4", instead="stakes.metrics.total_cost")
    ... def bill(costs):
    ...     return sum(costs)
    """

    def mark(function: Callable[Given, Result]) -> Callable[Given, Result]:
        @functools.wraps(function)
        def warning_first(*args: Given.args, **kwargs: Given.kwargs) -> Result:
            warn_deprecated(name, since=since, gone_in=gone_in, instead=instead, stacklevel=2)
            return function(*args, **kwargs)

        return warning_first

    return mark
