"""Text files piece by piece; what depends on all of a file is found out before the first piece is given."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from stakes._text.encodings import marked_encoding
from stakes.table._readers.common import DAMAGED_GZIP, DAMAGED_UTF16, GZIP, NO_GZIP, TableFileError

#: Bytes of text that are read at a time.
PIECE = 1 << 22


class TextPieces:
    r"""A text file in pieces of UTF-8 with \n or \r\n line ends, as `read_text` gives all of it at once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_utf8 = self.has_newline = True
        self._scan()

    def __iter__(self) -> Iterator[bytes]:
        """Read the file once more."""
        for piece in self._decompressed():
            # old files come in Latin-1, which accepts every byte
            text = piece if self.is_utf8 else piece.decode("latin-1").encode("utf-8")
            yield text if self.has_newline else text.replace(b"\r", b"\n")

    def _scan(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")()
        empty, line, self.has_newline = True, 1, False
        for piece in self._decompressed():
            if b"\0" in piece:
                line += piece.count(b"\n", 0, piece.index(b"\0"))
                raise TableFileError(self.path, "this is not a text file: it contains a zero byte.", line)
            empty = empty and not piece.strip()
            line += piece.count(b"\n")
            self.has_newline = self.has_newline or b"\n" in piece
            self.is_utf8 = self.is_utf8 and _decodes(decoder, piece)
        self.is_utf8 = self.is_utf8 and _decodes(decoder, b"", final=True)
        if empty:
            raise TableFileError(self.path, "the file is empty.")

    def _decompressed(self) -> Iterator[bytes]:
        """Pieces of the file's bytes, a byte order mark left out and UTF-16 as UTF-8."""
        pieces = self._raw()
        first = next(pieces, b"")
        if marked_encoding(first) == "utf-16":
            yield from self._from_utf16(chain([first], pieces))
        else:
            yield from chain([first.removeprefix(codecs.BOM_UTF8)], pieces)

    def _from_utf16(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder("utf-16")()
        try:
            for piece in pieces:
                yield decoder.decode(piece).encode("utf-8")
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            raise TableFileError(self.path, DAMAGED_UTF16.format(error.reason)) from None

    def _raw(self) -> Iterator[bytes]:
        """Pieces of the file's bytes as they are, but for gzip."""
        with self.path.open("rb") as raw:
            begin = raw.read(2)
            raw.seek(0)
            if begin != GZIP and begin and self.path.suffix == ".gz":
                raise TableFileError(self.path, NO_GZIP)
            file: Any = gzip.GzipFile(fileobj=raw) if begin == GZIP else raw
            while piece := self._read(file):
                yield piece

    def _read(self, file: Any) -> bytes:
        try:
            return file.read(PIECE)
        except (EOFError, OSError, zlib.error) as error:
            raise TableFileError(self.path, DAMAGED_GZIP.format(error)) from error


def _decodes(decoder: codecs.IncrementalDecoder, piece: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return False
    return True


def with_more(items: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each item, and whether another one follows.

    Examples
    --------
    >>> list(with_more([b"a", b"b"]))
    [(b'a', True), (b'b', False)]
    """
    previous: bytes | None = None
    for item in items:
        if previous is not None:
            yield previous, True
        previous = item
    if previous is not None:
        yield previous, False
