"""Starts the tracer in a Python program that finds this folder on PYTHONPATH, then steps out of the way.

An environment variable reaches every Python the program starts, needs no file in anyone's site-packages (as
a .pth file would) and no change of the command line (as -c or -m would). The folder is taken off sys.path
again, and a sitecustomize that the program has itself is run as if this one had never been found.
"""

import os
import sys


def _step_in() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    del sys.modules["sitecustomize"]
    before = set(sys.modules)
    try:
        package = type(sys)("_stakes_clarify")  # importlib.util would load what the program may not
        package.__path__ = [os.path.dirname(here)]
        sys.modules["_stakes_clarify"] = package
        from _stakes_clarify import startup  # type: ignore[import-not-found]

        startup.begin(os.environ)
    except Exception:
        pass  # the program runs, unwatched
    finally:
        # What lists the loaded modules, as faulthandler does, lists the same as without.
        for name in set(sys.modules) - before:
            if name.partition(".")[0] in ("_stakes_clarify", "__future__"):
                del sys.modules[name]


if __name__ == "sitecustomize":
    _step_in()
    # The program's own; where there is none, site ignores the error as ever.
    import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
