"""Rows of text to columns, one character at a time: the slow twin of cpp/text/rows.cpp."""

from __future__ import annotations

import math
import re

NUMERIC, NOMINAL, OPEN, IGNORED, PROBE = range(5)
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class Bad(Exception):
    def __init__(self, line):
        super().__init__(line)
        self.line = line


def number(text):
    """The finite number that the text is, or None."""
    if not NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


class Reader:
    def __init__(self, text, first_line, format, columns):
        self.text, self.at, self.line, self.format = text, 0, first_line, format
        self.columns = [(name, kind, list(values)) for name, kind, values in columns]
        self.cells = [[] for _ in columns]
        self.all_numbers = [True] * len(columns)
        self.weights = []

    def peek(self):
        return self.text[self.at] if self.at < len(self.text) else ""

    def bad(self):
        raise Bad(self.row_line)

    def blank(self, char):
        return char != "" and char in " \r\f\v\t" and not (char == "\t" and self.format.delimiter == "\t")

    def skip(self):
        while self.blank(self.peek()):
            self.at += 1

    def end_of_row(self):
        return self.peek() in ("", "\n")

    def drop_comment(self):
        while not self.end_of_row():
            self.at += 1

    def read(self):
        f = self.format
        while self.at < len(self.text):
            self.row_line = self.line
            self.skip()
            char = self.peek()
            if char == "":
                break
            if char == "\n":
                self.at, self.line = self.at + 1, self.line + 1
            elif f.comment != "\0" and char == f.comment:
                self.drop_comment()
                if self.peek():
                    self.at, self.line = self.at + 1, self.line + 1
            elif f.sparse_rows and char == "{":
                self.sparse()
            else:
                self.dense()
        return self

    def quoted(self):
        quote, word = self.peek(), ""
        self.at += 1
        while True:
            char = self.peek()
            following = self.text[self.at + 1 : self.at + 2]
            if char == "":
                self.bad()
            if char == quote and self.format.doubled_quotes and following == quote:
                word += quote
                self.at += 2
            elif char == quote:
                self.at += 1
                return word
            elif char == "\\" and self.format.escapes:
                if following in ("", "\n"):
                    self.bad()
                word += ESCAPES.get(following, following)
                self.at += 2
            else:
                if char == "\n":
                    if not self.format.multiline:
                        self.bad()
                    self.line += 1
                word += char
                self.at += 1

    def comment_here(self, start):
        f = self.format
        if f.comment == "\0" or self.peek() != f.comment:
            return False
        after_blank = self.at > start and self.blank(self.text[self.at - 1])
        return f.comment_anywhere or (f.comment_after_blank and after_blank)

    def plain(self, sparse):
        """A list of (character, literal) pairs, then trimmed, so that an escaped blank or period stays."""
        f, pairs, start = self.format, [], self.at
        escapes = f.escapes and not f.quotes
        while not self.end_of_row() and self.peek() != f.delimiter:
            if self.comment_here(start) or (sparse and (self.peek() == "}" or self.blank(self.peek()))):
                break
            following = self.text[self.at + 1 : self.at + 2]
            if escapes and self.peek() == "\\" and following not in ("", "\n"):
                pairs.append((following, True))
                self.at += 2
            else:
                pairs.append((self.peek(), False))
                self.at += 1
        trim(self, pairs)
        if f.final_period:
            if self.peek() != f.delimiter and pairs and pairs[-1] == (".", False):
                pairs.pop()
                trim(self, pairs)
            word = ""
            for char, literal in pairs:
                if literal or not self.blank(char):
                    word += char
                elif not word.endswith(" "):
                    word += " "
            return word
        return "".join(char for char, _ in pairs)

    def dense(self):
        f, n = self.format, len(self.columns)
        fields, weight = [], 1.0
        while True:
            self.skip()
            if len(fields) == n and f.sparse_rows and self.peek() == "{":
                weight = self.weight()
                break
            if self.peek() != "" and self.peek() in f.quotes:
                fields.append((self.quoted(), True))
                start = self.at
                self.skip()
                if not self.end_of_row() and self.peek() != f.delimiter and not self.comment_here(start):
                    self.bad()
            else:
                fields.append((self.plain(False), False))
            # fields are judged as they come, so that the first error of a row is the one reported
            if len(fields) <= n:
                self.store(len(fields) - 1, *fields[-1])
            if self.peek() != f.delimiter:
                break
            self.at += 1
        if len(fields) != n:
            self.bad()
        self.finish(weight)

    def weight(self):
        self.at += 1
        self.skip()
        value = number(self.plain(True))
        self.skip()
        if value is None or value < 0 or self.peek() != "}":
            self.bad()
        self.at += 1
        return value

    def sparse(self):
        given = {}
        self.at += 1
        self.skip()
        while self.peek() not in ("", "}"):
            index = self.plain(True)
            if not re.fullmatch("[0-9]+", index) or int(index) >= len(self.columns) or int(index) in given:
                self.bad()
            given[int(index)] = True
            self.skip()
            in_quotes = self.peek() != "" and self.peek() in self.format.quotes
            self.store(int(index), self.quoted() if in_quotes else self.plain(True), in_quotes)
            self.skip()
            if self.peek() != self.format.delimiter:
                break
            self.at += 1
            self.skip()
        if self.peek() != "}":
            self.bad()
        self.at += 1
        for j, (_, kind, values) in enumerate(self.columns):
            if j not in given:
                default = {NUMERIC: 0.0, NOMINAL: 0 if values else -1, OPEN: -1}.get(kind)
                self.cells[j].append(default)
        weight = 1.0
        self.skip()
        if self.peek() == self.format.delimiter:
            self.at += 1
            self.skip()
            if self.peek() != "{":
                self.bad()
            weight = self.weight()
        self.finish(weight)

    def finish(self, weight):
        self.skip()
        if self.format.comment != "\0" and self.peek() == self.format.comment:
            self.drop_comment()
        if not self.end_of_row():
            self.bad()
        if self.peek():
            self.at, self.line = self.at + 1, self.line + 1
        self.weights.append(weight)

    def store(self, j, text, in_quotes):
        _, kind, values = self.columns[j]
        missing = text in self.format.missing and (self.format.quoted_missing or not in_quotes)
        if kind == NUMERIC:
            value = math.nan if missing else number(text)
            if value is None:
                self.bad()
            self.cells[j].append(value)
        elif kind in (NOMINAL, OPEN):
            if not missing and text not in values:
                if kind == NOMINAL:
                    self.bad()
                values.append(text)
            self.cells[j].append(-1 if missing else values.index(text))
        elif kind == PROBE and not missing and number(text) is None:
            self.all_numbers[j] = False


def trim(reader, pairs):
    while pairs and not pairs[-1][1] and reader.blank(pairs[-1][0]):
        pairs.pop()


def read_rows(text, first_line, format, columns):
    return Reader(text, first_line, format, columns).read()
