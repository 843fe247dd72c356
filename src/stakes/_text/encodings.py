"""Which encoding a text file says it has, by its first bytes."""

from __future__ import annotations

import codecs

#: Byte order marks, and the encodings that they stand for.
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


def marked_encoding(begin: bytes) -> str | None:
    r"""Return the encoding that a byte order mark names, None where there is none.

    Examples
    --------
    >>> marked_encoding(b"\xff\xfea\x00"), marked_encoding(b"a")
    ('utf-16', None)
    """
    return next((name for mark, name in MARKS.items() if begin.startswith(mark)), None)
