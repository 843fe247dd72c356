"""The command line in this process, and what programs write to a terminal."""

import os

from typer.testing import CliRunner

from stakes.cli import app

#: A file of loans, and what mistakes with them cost.
LOANS = "age,income,repaid\n" + "".join(
    f"{20 + i % 37},{i},{'yes' if i > 25 or i % 9 == 0 else 'no'}\n" for i in range(60)
)
LOAN_COSTS = "actual\\predicted,no,yes\nno,0,5\nyes,1,0\n"


def run(*args, code=0, typed="", env=None):
    """Run ``stakes`` with these arguments; it must end with this status (None: any), without a traceback."""
    result = CliRunner().invoke(app, [str(arg) for arg in args], input=typed, env=env)
    assert code in (None, result.exit_code), (result.stdout, result.stderr, result.exception)
    assert "Traceback" not in result.stderr + result.stdout
    return result


def read_terminal(ours):
    """Return all that was written to a terminal whose other end is closed; one read may give a part of it."""
    written = b""
    while True:
        try:
            chunk = os.read(ours, 1 << 16)
        except OSError:  # what Linux says at the end
            break
        if not chunk:
            break
        written += chunk
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def trimmed(text):
    """Return the text without blanks at the ends of its lines."""
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
