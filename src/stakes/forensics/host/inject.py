"""Python 3.11: a tick inside each watched function, since nothing else there is cheap.

The interpreter says what it is about to execute as a module (an audit event); the constants of that code are
where the code of its functions lies. A watched one is replaced by its copy with a call at its start.
Functions that exist already are given such code. Everything else about a function stays: name, arguments,
lines, tracebacks.
"""

from __future__ import annotations

import gc

from .backend import _tracer, counting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType
    from typing import Any

    from .backend import Memory, Variable
    from .selection import Selection
else:  # the module types is not loaded in every program
    FunctionType = type(lambda: None)
    CodeType = type((lambda: None).__code__)

_RESUME, _PUSH_NULL, _LOAD_CONST, _PRECALL, _CALL, _POP_TOP, _EXTENDED = 151, 2, 100, 166, 171, 1, 144
_CACHES = {_PRECALL: 1, _CALL: 4}


class InjectingTracer:
    """Counts starts of the chosen functions."""

    def watch(
        self, tables: Memory, selection: Selection, in_file: bool, budget: int = 0, variable: Variable = None
    ) -> None:
        """Begin to count what is selected."""
        self._start = counting(selection, budget, variable)
        self._start(tables, in_file)
        self._ticks = [_tracer.make_tick(number) for number in range(len(selection.functions))]
        self._replace, self._selection, self._found_at = _tracer.replace_constant, selection, _tracer.found_at
        self._files: dict[str, bool] = {}
        for function in [entry for entry in gc.get_objects() if type(entry) is FunctionType]:
            if self._in_watched_file(function.__code__):
                changed = self._changed(function.__code__)
                if changed is not function.__code__:
                    function.__code__ = changed
        _tracer.on_exec(self._visit)

    def rebase(self, tables: Memory, in_file: bool) -> None:
        """Count into other, empty tables from now on."""
        self._start(tables, in_file)

    def stop(self) -> None:
        """Count no more; the ticks stay and do nothing."""
        _tracer.on_exec(lambda code: None)
        _tracer.stop()

    def _in_watched_file(self, code: CodeType) -> bool:
        name = code.co_filename
        if name not in self._files:
            self._files[name] = self._selection.is_watched_file(name)
        return self._files[name]

    def _visit(self, code: Any) -> None:
        if type(code) is not CodeType or not self._in_watched_file(code):
            return
        for place, constant in enumerate(code.co_consts):
            if type(constant) is CodeType:
                changed = self._changed(constant)
                if changed is not constant:
                    self._replace(code, place, changed)

    def _changed(self, code: CodeType) -> CodeType:
        constants = [
            self._changed(constant) if type(constant) is CodeType else constant for constant in code.co_consts
        ]
        if any(new is not old for new, old in zip(constants, code.co_consts, strict=True)):
            code = code.replace(co_consts=tuple(constants))
        number = self._selection.number(code.co_filename, code.co_qualname, code.co_firstlineno)
        if number is None:
            return code
        self._found_at(number, code.co_filename)
        return with_tick(code, self._ticks[number])


def with_tick(code: CodeType, tick: Callable[[], None]) -> CodeType:
    """Return the code with a call of ``tick()`` after its first RESUME.

    All jumps of 3.11 are relative and none crosses that place, so only the tables of exceptions and
    positions move.
    """
    if code.co_consts and type(code.co_consts[-1]) is type(tick):  # it ticks for an earlier model
        return code.replace(co_consts=(*code.co_consts[:-1], tick))
    bytecode = code.co_code
    place = next(i for i in range(0, len(bytecode), 2) if bytecode[i] == _RESUME and bytecode[i + 1] == 0) + 2
    constant = len(code.co_consts)
    call: list[int] = [_PUSH_NULL, 0]
    if constant > 255:
        call += [_EXTENDED, constant >> 8]
    call += [_LOAD_CONST, constant & 255, _PRECALL, 0, *(0, 0) * _CACHES[_PRECALL]]
    call += [_CALL, 0, *(0, 0) * _CACHES[_CALL], _POP_TOP, 0]
    if constant >= 1 << 16:
        return code
    return code.replace(
        co_code=bytecode[:place] + bytes(call) + bytecode[place:],
        co_consts=(*code.co_consts, tick),
        co_stacksize=code.co_stacksize + 2,
        co_exceptiontable=_moved(code.co_exceptiontable, place // 2, len(call) // 2),
        co_linetable=_lines(code.co_linetable, place // 2, len(call) // 2),
    )


def _moved(table: bytes, place: int, shift: int) -> bytes:
    """Move the entries of an exception table (start, length, target, depth) that lie behind a place."""
    numbers, position = [], 0
    while position < len(table):
        value = table[position] & 63
        while table[position] & 64:
            position += 1
            value = value << 6 | table[position] & 63
        position += 1
        numbers.append(value)
    result = bytearray()
    for start, length, target, depth in zip(*[iter(numbers)] * 4, strict=True):
        longer = length + shift if start < place < start + length else length
        moved = start + shift if start >= place else start
        entry = [*_varint(moved), *_varint(longer), *_varint(target + shift), *_varint(depth)]
        entry[0] |= 128
        result += bytes(entry)
    return bytes(result)


def _varint(value: int) -> list[int]:
    digits = [value & 63]
    while value := value >> 6:
        digits.insert(0, value & 63 | 64)
    return [digit | 64 for digit in digits[:-1]] + digits[-1:]


def _lines(table: bytes, place: int, length: int) -> bytes:
    """Insert entries without a position (code 15) for new instructions; an entry covers up to eight."""
    position, covered = 0, 0
    while position < len(table) and covered < place:
        covered += (table[position] & 7) + 1
        position += 1
        while position < len(table) and not table[position] & 128:
            position += 1
    new = b"".join(bytes([128 | 15 << 3 | min(8, length - done) - 1]) for done in range(0, length, 8))
    return table[:position] + new + table[position:]
