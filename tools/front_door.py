"""Check the names of the files in changelog.d, and list the addresses that are not filled in yet.

``python tools/front_door.py`` ends with status 1 where towncrier could not read a name; ``--rename`` mends
names of the form ISSUE.KIND.TOPIC.md. Placeholders, such as <REPOSITORY>, are listed and are no failure: they
stand in pyproject.toml, under project.urls, until the project has addresses. A page may name one of these, as
long as it stands there.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
PLACEHOLDER = re.compile(r"<[A-Z ]+>")
KINDS = ("feature", "bugfix", "doc", "removal", "misc")
KIND = "|".join(KINDS)
NAME = re.compile(rf"(\d+|\d+-[a-z0-9-]+|\+[a-z0-9-]+)\.({KIND})(\.\d+)?\.md")
TOPIC_LAST = re.compile(rf"(\d+)\.({KIND})\.([a-z0-9-]*[a-z][a-z0-9-]*)\.md")


def wrong_names(folder: Path) -> list[Path]:
    """Return the files that are no fragments; towncrier takes two topics of ISSUE.KIND.TOPIC.md for one."""
    fragments = [path for path in sorted(folder.iterdir()) if path.name != "template.md.jinja"]
    return [path for path in fragments if not NAME.fullmatch(path.name)]


def rename(folder: Path) -> None:
    """Give files of the form ISSUE.KIND.TOPIC.md the name ISSUE-TOPIC.KIND.md."""
    for path in wrong_names(folder):
        if match := TOPIC_LAST.fullmatch(path.name):
            issue, kind, topic = match.groups()
            path.rename(folder / f"{issue}-{topic}.{kind}.md")


def placeholders(pyproject: Path) -> dict[str, list[str]]:
    """Return what stands in <> among the project's addresses, each with the addresses that need it."""
    needed: dict[str, list[str]] = {}
    urls = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["urls"]
    for name, url in urls.items():
        for placeholder in PLACEHOLDER.findall(url):
            needed.setdefault(placeholder, []).append(name)
    return needed


def unknown_placeholders(page: Path, known: Iterable[str]) -> list[str]:
    """Return the placeholders of a page that do not stand among the project's addresses."""
    return sorted(set(PLACEHOLDER.findall(page.read_text(encoding="utf-8"))) - set(known))


def main(arguments: list[str]) -> int:
    """Print both; the exit status is 1 where a name is wrong."""
    folder = ROOT / "changelog.d"
    if "--rename" in arguments:
        rename(folder)
    wrong = wrong_names(folder)
    for path in wrong:
        print(
            f"changelog.d/{path.name} must be called ISSUE.KIND.md, ISSUE-TOPIC.KIND.md or +TOPIC.KIND.md, "
            f"where KIND is one of {', '.join(KINDS)}; `python tools/front_door.py --rename` mends "
            "ISSUE.KIND.TOPIC.md"
        )
    known = placeholders(ROOT / "pyproject.toml")
    for placeholder, names in known.items():
        pages = [page for page in PAGES if placeholder in (ROOT / page).read_text(encoding="utf-8")]
        needs = ", ".join([*names, *pages])
        print(f"pyproject.toml, project.urls: {placeholder} is not filled in yet, for {needs}")
    stale = {page: unknown_placeholders(ROOT / page, known) for page in PAGES}
    for page, unknown in stale.items():
        for placeholder in unknown:
            print(f"{page}: {placeholder} is not among project.urls in pyproject.toml: write the address")
    return 1 if wrong or any(stale.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
