"""The page of results: what was noticed by package, and what was not, with its class."""

from __future__ import annotations

import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

from which_tests import ROOT

CLASSES = Path(__file__).with_name("classes.toml")
UNNOTICED = "not noticed"


def page(rows: list[dict], seed: int, commit: str) -> str:
    """Write the page; changes that no test could notice are not counted."""
    classes = {
        entry["change"]: entry for entry in tomllib.loads(CLASSES.read_text("utf-8")).get("change", [])
    }
    left = [row for row in rows if row["end"] == UNNOTICED]
    for row in left:
        row["class"] = classes.get(without_line(row["change"]), {"class": "gap"})
    lines = [
        "# Wrong code that tests notice",
        "",
        f"Measured at {commit} by `make mutate SEED={seed}`: small wrong changes, one at a time, each tried",
        "on the tests that execute it. Equivalent changes, which no test can notice, are not counted;",
        "cosmetic ones count as not noticed.",
        "",
        "| package | tried | equivalent | noticed | share |",
        "|---|---:|---:|---:|---:|",
    ]
    groups: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        groups[row["package"]].append(row)
        groups["**core**" if row["package"].startswith("core: ") else "**Python**"].append(row)
    for name in sorted(groups, key=lambda name: (name.startswith("**"), name)):
        lines.append(table_row(name, groups[name]))
    lines += ["", "## Not noticed", ""]
    for row in sorted(left, key=lambda row: (row["class"]["class"], row["change"])):
        reason = f" ({row['class']['why']})" if "why" in row["class"] else ""
        lines.append(f"- {row['class']['class']}{reason}: `{row['change'].replace('`', chr(39))}`")
    return "\n".join(lines) + "\n"


def current_commit() -> str:
    """Name the commit that is tried."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def table_row(name: str, rows: list[dict]) -> str:
    """Count one package."""
    equivalent = sum(row.get("class", {}).get("class") == "equivalent" for row in rows)
    noticed = sum(row["end"] != UNNOTICED for row in rows)
    counted = len(rows) - equivalent
    share = f"{100 * noticed / counted:.0f} %" if counted else ""
    return f"| {name} | {len(rows)} | {equivalent} | {noticed} | {share} |"


def without_line(change: str) -> str:
    """Leave out the line number, which moves when something else changes."""
    place, _, rest = change.partition(" ")
    return f"{place.partition(':')[0]} {rest}"
