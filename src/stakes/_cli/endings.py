"""How a command ends: what goes wrong inside becomes one sentence on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from stakes._base.interrupts import early_end

EXIT_CODES = """Exit codes: 0 all went well, 1 something is wrong with the data, the costs or a model,
2 the command was called wrongly, 130 stopped by Ctrl-C."""


@contextmanager
def ending_in_a_sentence(debug: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn errors into sentences; with ``debug`` they are raised as they are."""
    try:
        with early_end(False):
            yield
        sys.stdout.flush()
    except KeyboardInterrupt as interrupt:
        _say(f"Stopped. {interrupt}".rstrip())
        raise SystemExit(130) from None
    except BrokenPipeError:
        # The reader, head for example, has seen enough. Python would complain again at exit.
        _silence_stdout()
        raise SystemExit(0) from None
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        if debug():
            raise
        _say(f"Error: {_sentence(error)}", style="bold red")
        raise SystemExit(1) from None


def _say(text: str, style: str = "") -> None:
    from stakes._cli.console import say  # a program that is only watched needs no console

    say(text, style)


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, MemoryError):
        return "there is not enough memory for this."
    text = " ".join(str(error).split()) or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _silence_stdout() -> None:
    with suppress(OSError, ValueError):  # stdout is no real file, as in tests
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
