# The compiled tracer; cpp/tracer_module.c.
from collections.abc import Callable
from types import CodeType
from typing import Any

on_start: Callable[..., Any]
on_resume: Callable[..., Any]
on_end: Callable[..., Any]
on_unwind: Callable[..., Any]
on_line: Callable[..., Any]

class Scope:
    def counts(self) -> tuple[list[int], list[int], list[int]]: ...

def start(
    memory: Any,
    trees: bool,
    lines: bool,
    guarded: bool,
    watch: tuple[tuple[str, str, int], ...] = ...,
    watch_lines: tuple[tuple[int, int], ...] = ...,
    by_name: dict[str, tuple[tuple[str, int, int], ...]] = ...,
    on_selected: Callable[[CodeType, int], None] | None = ...,
    disable: Any = ...,
    scope_variable: Any = ...,
    budget: int = ...,
) -> None: ...
def stop() -> None: ...
def failed() -> bool: ...
def map_file(descriptor: int, size: int) -> memoryview: ...
def make_tick(number: int) -> Callable[[], None]: ...
def profile_thread(*event: Any) -> None: ...
def found_at(function: int, path: str) -> None: ...
def on_exec(callback: Callable[[Any], None]) -> None: ...
def replace_constant(code: CodeType, place: int, constant: Any) -> None: ...
