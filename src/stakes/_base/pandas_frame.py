"""A pandas data frame whose numbers are rounded where it is printed. Imported only where it is made."""

from __future__ import annotations

from typing import Any

import pandas as pd

from stakes._text.words import amount


class PrintedFrame(pd.DataFrame):
    """Prints weights and costs with two decimals at most; what is made of it is a plain data frame."""

    @property
    def _constructor(self) -> Any:
        return pd.DataFrame

    def __repr__(self) -> str:
        """Print as pandas does, with numbers for people."""
        with pd.option_context("display.float_format", amount):
            return super().__repr__()

    def _repr_html_(self) -> str | None:
        with pd.option_context("display.float_format", amount):
            return super()._repr_html_()
