"""A page on where the data of each table come from, made of the protocols."""

from __future__ import annotations

from pathlib import Path

HEAD = """# Data of the tables

`stakes reproduce` takes a data set from the package, from the folder that the environment variable
`STAKES_DATA` names, or from OpenML, in this order. A table is made with those that can be read, and names the
others. Those that only such a folder has are ARFF files called as in the last column (`splice.arff` or
`splice.arff.gz`).

"""


def write_data_page(path: Path) -> None:
    """Write the page."""
    from stakes.lab import load_protocol, papers

    path.parent.mkdir(parents=True, exist_ok=True)
    parts = [paper_part(load_protocol(name)) for name in papers()]
    path.write_text(HEAD + "\n".join(parts), encoding="utf-8")


def paper_part(protocol) -> str:
    """Write the part of one paper: a line for each of its tables and figures."""
    lines = [
        f"## {protocol.title}\n",
        "| | comes with stakes | drawn | OpenML | your folder only |",
        "|---|---|---|---|---|",
    ]
    for table in protocol.tables:
        study = protocol.studies[table.study]
        used = [spec for spec in study.datasets if table.datasets is None or spec.name in table.datasets]
        cells = {place: [] for place in ("package", "drawn", "OpenML", "folder", "")}
        for spec in used:
            place, name = source_of(spec)
            if name not in cells[place]:
                cells[place].append(name)
        shown = [", ".join(cells[place]) for place in ("package", "drawn", "OpenML", "folder")]
        lines.append(f"| {table.kind} {table.number} | {' | '.join(shown)} |")
    missing = {spec.name: spec.missing for study in protocol.studies.values() for spec in study.datasets}
    gone = [f"{name}: {reason}.\n" for name, reason in missing.items() if reason is not None]
    return "\n".join([*lines, "", *gone])


def source_of(spec) -> tuple[str, str]:
    """Tell where a data set of a protocol comes from, and its name there."""
    from stakes.datasets import _PACKAGE_DATA, ALIASES, OPENML

    if spec.missing is not None:
        return "", spec.name
    if spec.load is None:
        return "drawn", f"`{spec.generate}`"
    name = ALIASES.get(spec.load, spec.load)
    if any(_PACKAGE_DATA.glob(f"{name}.arff*")):
        return "package", name
    return ("OpenML", f"{name} ({OPENML[name][0]})") if name in OPENML else ("folder", name)
