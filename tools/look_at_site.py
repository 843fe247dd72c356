"""Look at the built site in a browser, as ``make docs`` does: ``python tools/look_at_site.py [FOLDER]``.

Each page is opened on a phone in light and on a desk in dark. The exit status is 1 where axe-core finds
something serious, where a page is wider than the screen, where a script fails, or where anything is loaded
that is not a file of the site. ``--shots FOLDER`` keeps pictures of the pages, in both sizes, light and dark.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SIZES = {390: 844, 1280: 900}
#: Pages that are made alike: one of each is enough.
SAMPLES = {
    "generated/api": ["stakes.C45Classifier.html", "stakes.metrics.html", "stakes.metrics.total_cost.html"],
    "generated/cli": ["index.html", "fit.html", "clarify-run.html"],
    "generated/gallery": ["index.html"],
    "generated/gallery/stories": ["plot_csv_to_sql.html"],
    "generated/gallery/estimators": ["plot_c45.html", "plot_boosted_stakes.html"],
    "generated/results": ["ting1998.html", "ensembles.html"],
    "decisions": ["README.html", "0014-boosted-stakes.html"],
}


def main() -> int:
    """Look at all pages; print what is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "build" / "docs")
    parser.add_argument("--shots", type=Path, help="folder for pictures of the pages")
    options = parser.parse_args()
    chromium = os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")
    try:
        from axe_playwright_python.sync_playwright import Axe
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        print(f"The site was not looked at: {error.name} is not installed.")
        return 0
    if chromium is None:
        print("The site was not looked at: chromium is not installed.")
        return 0
    wrong = []
    pages = list(pages_of(options.site))
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0  # then Chromium refuses its sandbox
    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=chromium, args=["--no-sandbox"] if as_root else [])
        for path in pages:
            for width, scheme in ((390, "light"), (1280, "dark")):
                wrong += faults(browser, Axe(), path, width, scheme, options.site)
            if options.shots:
                keep_shots(browser, path, options.shots, options.site)
        browser.close()
    print("\n".join([*wrong, f"{len(pages)} pages looked at: {len(wrong) or 'no'} faults."]))
    return 1 if wrong else 0


def pages_of(site: Path) -> Iterator[Path]:
    """All pages that are written by hand, and one of each kind that is made."""
    for path in sorted(site.rglob("*.html")):
        folder = path.parent.relative_to(site).as_posix()
        made = folder.startswith(("generated", "decisions", "_static", "_modules"))
        if not made or path.name in SAMPLES.get(folder, []):
            yield path


def faults(browser: Any, axe: Any, path: Path, width: int, scheme: str, site: Path) -> Iterator[str]:
    """What is wrong with a page on a screen of this width."""
    page, said = opened(browser, path, width, scheme)
    where = f"{path.relative_to(site)} at {width}, {scheme}"
    yield from (f"{where}: {line}" for line in said)
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        yield f"{where}: {wide} pixels wide"
    for found in axe.run(page).response["violations"]:
        if found["impact"] in ("serious", "critical"):
            places = [", ".join(map(str, node["target"])) for node in found["nodes"]]
            yield f"{where}: {found['help']} ({found['id']}): {'; '.join(places[:3])} ({len(places)} in all)"
    page.close()


def opened(browser: Any, path: Path, width: int, scheme: str) -> tuple[Any, list[str]]:
    """Open a page; return it with what its scripts complain of and what it loads from elsewhere."""
    said: list[str] = []
    page = browser.new_page(viewport={"width": width, "height": SIZES[width]}, color_scheme=scheme)
    page.on("pageerror", lambda error: said.append(f"a script failed: {error}"))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith(("file:", "data:")) else said.append(f"loads {request.url}")
        ),
    )
    page.goto(path.resolve().as_uri())
    return page, said


def keep_shots(browser: Any, path: Path, folder: Path, site: Path) -> None:
    """Keep pictures of a page at each size, in light and in dark."""
    folder.mkdir(parents=True, exist_ok=True)
    name = "-".join(path.relative_to(site).with_suffix("").parts)
    for width in SIZES:
        for scheme in ("light", "dark"):
            page, _ = opened(browser, path, width, scheme)
            page.screenshot(path=folder / f"{name}-{width}-{scheme}.png", full_page=True)
            page.close()


if __name__ == "__main__":
    sys.exit(main())
