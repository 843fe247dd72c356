"""The parts of the ``stakes`` command.

``commands`` says what each command takes, one module per command. The module of the same name beside that
package does the work, and is imported when there is some.
"""

from stakes._cli.start import main

__all__ = ["main"]
