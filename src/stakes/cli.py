"""The ``stakes`` command: describe, fit, predict, evaluate, show and export from a shell."""

from stakes._cli.app import app, main

__all__ = ["app", "main"]

if __name__ == "__main__":
    main()
