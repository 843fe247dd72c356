"""Numbers that are written with a decimal comma: whether a file means that is seen from all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A number with a decimal comma, or a whole one; points may stand between its thousands.
_WITH_COMMA = re.compile(r"[+-]?(?:(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?|,\d+)", re.ASCII)
#: A comma that may just as well stand between thousands.
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def is_comma_number(text: str) -> bool:
    """Whether a text is a number where commas stand before decimals.

    Examples
    --------
    >>> [is_comma_number(text) for text in ("1,5", "-,5", "1.234,5", "12", "1,234,567", "١")]
    [True, True, True, True, False, False]
    """
    return _WITH_COMMA.fullmatch(text) is not None


def comma_number(text: str) -> float:
    """Read such a number.

    Examples
    --------
    >>> comma_number("1.234,5")
    1234.5
    """
    return float(text.replace(".", "").replace(",", "."))


@dataclass
class Decimals:
    """How the numbers of a file are written: an example of each way, with the place where it stands.

    Examples
    --------
    >>> decimals = Decimals()
    >>> decimals.see("1,234", "line 2")
    >>> decimals.either
    "'1,234' in line 2"
    >>> decimals.see("0,5", "line 3")
    >>> decimals.use_commas()
    True
    """

    point: str = ""
    comma: str = ""
    either: str = ""

    def see(self, text: str, where: str) -> None:
        """Take a number into account."""
        place = f"{text!r} in {where}"
        if "," not in text:
            self.point = self.point or (place if "." in text else "")
        elif _EITHER.fullmatch(text):
            self.either = self.either or place
        else:
            self.comma = self.comma or place

    def use_commas(self) -> bool:
        """Whether commas stand before decimals; a ValueError where that cannot be told."""
        if self.either and not self.comma:
            raise ValueError(
                f"the comma of {self.either} may stand before decimals or between thousands; write numbers "
                "with a decimal point and nothing between thousands."
            )
        if self.comma and self.point:
            raise ValueError(
                f"there are decimal commas, as {self.comma}, and decimal points, as {self.point}; write all "
                "numbers in one way."
            )
        return bool(self.comma)
