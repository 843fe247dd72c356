"""Where the programs of Davis et al.'s figure 1 are: 1,500 lines that make programs fail, in no wheel."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

PAPER, FIGURE = "davis2006", "1"
_PACKAGE = "stakes_programs"
_CHECKOUT = Path(__file__).resolve().parents[3] / "benchmarks" / "clarify" / "programs"


def load_programs(folder: Path | None = None) -> ModuleType:
    """Import the package of programs from a folder, by default from the checkout that stakes is run from."""
    place = _CHECKOUT if folder is None else folder
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, place / "__init__.py", submodule_search_locations=[str(place)]
    )
    if not (place / "reproduce.py").is_file() or spec is None or spec.loader is None:
        raise ValueError(
            f"figure {FIGURE} of {PAPER} records programs that are in benchmarks/clarify/programs of a "
            f"checkout of stakes: name that folder by --programs, got {folder or 'no folder'}"
        )
    package = sys.modules.get(_PACKAGE)
    if package is None or [str(place)] != list(package.__path__):
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]
        package = sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    return package
