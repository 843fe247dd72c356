"""Rules of the source that make a slip loud instead of quiet."""

import re
from functools import cache
from pathlib import Path

import stakes

SOURCE = Path(stakes.__file__).parent


@cache
def modules():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        found[path.relative_to(SOURCE).as_posix()] = "\n".join(
            line for line in path.read_text(encoding="utf-8").splitlines() if ">>>" not in line
        )
    return found


def calls(pattern):
    """Module and arguments of every call whose name matches, as written."""
    for name, text in modules().items():
        for match in re.finditer(rf"{pattern}\(", text):
            depth, end = 1, match.end()
            while depth:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                end += 1
            yield name, text[match.end() : end - 1]


def test_zip_does_not_lose_what_one_list_has_more_than_the_other():
    loose = [name for name, arguments in calls(r"(?<![\w.`\"])zip") if "strict=True" not in arguments]
    assert loose == ["tree/code.py", "tree/draw.py"]  # code for older Pythons; outlines of different depths


def test_text_files_have_an_encoding_that_is_not_the_machines():
    silent = [
        (name, arguments)
        for name, arguments in calls(r"\.(?:read_text|write_text)")
        if name.startswith(("_cli/", "_readers/", "forensics/", "report/")) and "encoding=" not in arguments
    ]
    assert silent == []
