"""Types of the compiled core; one section for each of its source files."""

import numpy as np
from numpy.typing import NDArray

# --- text -------------------------------------------------------------------------------------------------

class TextError(ValueError): ...

class TextFormat:
    delimiter: str
    quotes: str
    escapes: bool
    doubled_quotes: bool
    multiline: bool
    final_period: bool
    sparse_rows: bool
    quoted_missing: bool
    comment: str
    comment_after_blank: bool
    comment_anywhere: bool
    missing: list[str]
    def __init__(self) -> None: ...

def read_rows(
    text: bytes,
    offset: int,
    first_line: int,
    format: TextFormat,
    names: list[str],
    kinds: list[int],
    values: list[list[str]],
) -> tuple[
    list[tuple[NDArray[np.float64] | NDArray[np.int32] | None, list[str] | None, bool]],
    NDArray[np.float64] | None,
    int,
]: ...
