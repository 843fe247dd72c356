"""From a TOML file to a `Protocol`."""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from stakes._text.words import did_you_mean
from stakes.lab._sections import ProtocolError, Section
from stakes.lab.allowed import check_paths
from stakes.lab.measures import check_measure
from stakes.lab.specs import (
    ColumnSpec,
    CostSpec,
    DataSpec,
    LearnerSpec,
    Protocol,
    QuickSpec,
    SplitSpec,
    Study,
    TableSpec,
)

FOLDER = Path(__file__).parent / "protocols"
COST_MODELS = ("equal", "published", "known", "ting", "kretowski", "abe", "davis")
#: What names of studies and numbers of tables may be: files are called by them.
_FILE_NAME = re.compile(r"[^/\\\x00-\x1f\x7f]{1,100}")
ROWS = ("group", "dataset", "case", "learner")


def papers() -> list[str]:
    """Names of the protocols that come with the package.

    Examples
    --------
    >>> "ting1998" in papers()
    True
    """
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_protocol(name: str | Path, *, allow_imports: bool = False) -> Protocol:
    """Read a protocol: the name of a paper, or the path of a file.

    Parameters
    ----------
    name : str or path
    allow_imports : bool
        Whether a file may name any class or function, which is then imported and called. Else learners must
        be estimators of stakes or scikit-learn.

    Examples
    --------
    >>> [table.number for table in load_protocol("ting1998").tables if not table.more]
    ['1', '2', 'priors']
    """
    path = Path(name)
    if str(name) in papers():
        path = FOLDER / f"{name}.toml"
    elif not path.suffix:
        raise ValueError(
            f"the protocol must be that of a paper or a .toml file, got {str(name)!r}"
            f"{did_you_mean(name, papers(), 'papers')}"
        )
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"{path.name}: this is no TOML file: {error}") from None
    if not allow_imports and path.parent != FOLDER:
        check_paths(values, path)
    return parse_protocol(values, path)


def parse_protocol(values: Mapping[str, Any], path: Path) -> Protocol:
    """A protocol from what a TOML file holds; other files that it names are looked for next to ``path``."""
    return _Reader(path).protocol(values)


class _Reader:
    """Reads the parts of one file, which name each other."""

    def __init__(self, path: Path) -> None:
        self.path, self.file = path, path.name

    def protocol(self, values: Mapping[str, Any]) -> Protocol:
        top = Section(self.file, "", values)
        top.required("title", "text")
        title, notes = top.text("title"), top.texts("notes", ())
        self.datasets = [self.dataset(part) for part in top.sections("dataset")]
        if not self.datasets:
            top.required("dataset", "an array of tables, [[dataset]]")
        self.learners = [
            spec for name, part in top.section("learners").children() for spec in _learners(name, part)
        ]
        if not self.learners:
            top.required("learners", "a table of learners, [learners.NAME]")
        self.studies = {name: self.study(name, part) for name, part in top.section("study").children()}
        if not self.studies:
            top.required("study", "a table of studies, [study.NAME]")
        tables = [self.table(part, "table") for part in top.sections("table")]
        tables += [self.table(part, "figure") for part in top.sections("figure")]
        top.finish()
        if not tables:
            tables = [_default_table(study) for study in self.studies.values()]
        self.check_names(tables)
        return Protocol(self.path.stem, title, self.studies, tuple(tables), tuple(notes))

    def check_names(self, tables: list[TableSpec]) -> None:
        """Raise unless each table can be written to a file of its own: before the run, not after it."""
        names = []
        for table in tables:
            if not _FILE_NAME.fullmatch(table.number):
                raise ProtocolError(
                    f"{self.file}: the number of a {table.kind}, by default the name of its study, must be "
                    "1 to 100 characters without / and \\, since files are called by it, got "
                    f"{table.number!r}"
                )
            names.append((table.kind, table.number.replace(" ", "-").lower()))
        twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if twice is not None:
            raise ProtocolError(f"{self.file}: two of its {twice[0]}s have the number {twice[1]!r}")

    # ---- data, costs, splits

    def dataset(self, part: Section) -> DataSpec:
        part.required("name", "text")
        file = part.text("file")
        spec = DataSpec(
            name=part.text("name"),
            load=part.text("load"),
            file=None if file is None else str((self.path.parent / file).resolve()),
            generate=part.text("generate"),
            target=part.text("target"),
            drop=part.texts("drop", ()),
            group=part.text("group", ""),
            missing=part.text("missing"),
            rare=part.integer("rare"),
            sample=part.number("sample", None, 0, 1),
            unknown=part.texts("unknown", ()),
            as_numbers=part.flag("as_numbers"),
            classes=part.texts("classes", ()),
            params={name: dict(params.values) for name, params in part.section("params").children()},
            costs=self.costs(part.section("costs")) if "costs" in part else None,
            splits=self.splits(part.section("splits")) if "splits" in part else None,
        )
        part.raw("costs"), part.raw("splits")
        part.finish()
        given = [k for k in ("load", "file", "generate", "missing") if getattr(spec, k) is not None]
        if len(given) != 1:
            came = " and ".join(given) or "none of them"
            raise part.fail("load", "given, or else file, generate or missing, one of the four", came)
        if spec.generate is not None and (spec.splits is None or spec.splits.kind != "fresh"):
            raise part.fail("splits", 'a table with kind = "fresh" for data that is generated', "none")
        return spec

    def costs(self, part: Section) -> CostSpec:
        model, file = part.text("model"), part.text("file")
        matrix, by_class = part.raw("matrix"), part.raw("by_class")
        classes = tuple(part.raw("classes", []))
        per, seed = part.choice("per", ("fold", "repeat", "study"), "fold"), part.integer("seed")
        part.finish()
        if sum(given is not None for given in (model, file, matrix, by_class)) != 1:
            raise part.fail("model", "given, or else file, matrix or by_class, one of the four", part.values)
        if file is not None:
            whole = (self.path.parent / file).resolve()
            # The key of a unit has the content, not the place.
            return CostSpec("file", "study", (str(whole),), (whole.read_text(encoding="utf-8"),))
        if matrix is not None:
            rows = tuple(_numbers(part, "matrix", row) for row in matrix) if isinstance(matrix, list) else ()
            if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
                raise part.fail("matrix", "a square list of lists of numbers, [actual][predicted]", matrix)
            return CostSpec("matrix", "study", rows, classes)
        if by_class is not None:
            return CostSpec("by_class", "study", _numbers(part, "by_class", by_class), classes)
        if model not in COST_MODELS and "." not in model:
            accepted = "a cost model, or the import path of a function"
            raise part.unknown("model", accepted, model, COST_MODELS, "cost models")
        return CostSpec(model, "study" if model in ("equal", "published", "known") else per, seed=seed)

    def splits(self, part: Section) -> SplitSpec:
        spec = SplitSpec(
            kind=part.choice("kind", ("folds", "holdout", "all", "fresh"), "folds"),
            folds=part.integer("folds", 10, low=2),
            repeats=part.integer("repeats", 1, low=1),
            train=part.number("train", 0.7, 0, 1),
            train_rows=part.integer("train_rows"),
            test_rows=part.integer("test_rows"),
            stratify=part.flag("stratify"),
            method=part.choice("method", ("stakes", "scikit-learn"), "stakes"),
            seed=part.integer("seed"),
        )
        part.finish()
        if spec.kind == "fresh" and (spec.train_rows < 1 or spec.test_rows < 1):
            raise part.fail(
                "train_rows", 'given with test_rows, both at least 1, for kind = "fresh"', part.values
            )
        return spec

    # ---- studies and tables

    def study(self, name: str, part: Section) -> Study:
        chosen = part.names("datasets", [spec.name for spec in self.datasets], "data sets")
        families = list(dict.fromkeys(spec.family for spec in self.learners))
        learners = part.names("learners", families, "learners")
        cases = {case: self.costs(costs) for case, costs in part.section("cases").children()}
        if not cases:
            cases = {"": self.costs(part.section("costs")) if "costs" in part else CostSpec()}
        part.raw("cases"), part.raw("costs")
        study = Study(
            name,
            tuple(spec for spec in self.datasets if spec.name in chosen),
            tuple(spec for family in learners for spec in self.learners if spec.family == family),
            cases,
            self.splits(part.section("splits")),
            self.costs(part.section("prices")) if "prices" in part else None,
            part.texts("attributes", ()),
            self.quick(part.section("quick"), chosen, learners),
        )
        part.finish()
        return study

    def quick(self, part: Section, datasets: tuple[str, ...], learners: tuple[str, ...]) -> QuickSpec:
        spec = QuickSpec(
            repeats=part.integer("repeats", 1, low=1),
            folds=part.integer("folds", low=2) if "folds" in part else None,
            datasets=part.some("datasets", datasets, "data sets"),
            learners=part.some("learners", learners, "learners"),
            params={name: dict(params.values) for name, params in part.section("params").children()},
        )
        part.asked.add("folds")
        part.finish()
        return spec

    def table(self, part: Section, kind: str) -> TableSpec:
        part.required("number", "text")
        study = self.studies[part.choice("study", list(self.studies), next(iter(self.studies)))]
        rows = part.texts("rows", ("dataset",))
        for row in rows:
            if row not in ROWS:
                raise part.unknown("rows", "a list of what rows may stand for", row, ROWS, "choices")
        families = list(dict.fromkeys(spec.family for spec in study.learners))
        columns = [c for sub in part.sections("columns") for c in _columns(sub, study)]
        if not columns:
            part.required("columns", "a list of tables, [{learner = ..., measure = ...}]")
        depth = len(rows)
        spec = TableSpec(
            kind=kind,
            number=str(part.raw("number")),
            title=part.text("title", ""),
            study=study.name,
            rows=rows,
            columns=tuple(columns),
            datasets=part.some("datasets", [d.name for d in study.datasets], "data sets"),
            learners=part.some("learners", families, "learners"),
            mean=part.text("mean"),
            paper=_figures(part.section("paper"), depth, len(columns)),
            paper_spread=_figures(part.section("paper_spread"), depth, len(columns)),
            transpose=part.flag("transpose"),
            ranks=part.text("ranks"),
            x_label=part.text("x_label", ""),
            log_x=part.flag("log_x"),
            notes=part.texts("notes", ()),
            more=part.flag("more"),
        )
        part.finish()
        return spec


def _default_table(study: Study) -> TableSpec:
    names = [spec.name for spec in study.learners]
    columns = tuple(ColumnSpec(name, "mean_cost", name, digits=3) for name in names)
    rows = ("dataset", "case") if len(study.cases) > 1 else ("dataset",)
    return TableSpec(
        "table", study.name, "Mean cost per row", study.name, rows, columns, mean="Mean", ranks="mean_cost"
    )


def _learners(name: str, part: Section) -> list[LearnerSpec]:
    """One learner, or one for each value of its grid."""
    path, missing = part.text("class"), part.text("missing")
    if (path is None) == (missing is None):
        raise part.fail("class", "an import path, or else missing says why there is none", part.values)
    params, grid = dict(part.section("params").values), part.section("grid").values
    own = path is not None and path.startswith("stakes.")
    spec = LearnerSpec(
        name,
        path or "",
        params,
        part.choice("input", ("table", "numbers", "frame"), "table" if own else "numbers"),
        part.flag("abstains"),
        part.flag("costs", True),
        part.flag("transposed"),
        family=name,
        missing=missing,
        optional=part.flag("optional"),
    )
    part.finish()
    if not grid:
        return [spec]
    if len(grid) != 1 or not all(isinstance(values, list) for values in grid.values()):
        raise part.fail("grid", "a table of one parameter and its values", grid)
    [(knob, values)] = grid.items()
    return [
        replace(spec, name=f"{name} {knob}={value}", params=params | {knob: value}, x=float(value))
        for value in values
    ]


def _columns(part: Section, study: Study) -> list[ColumnSpec]:
    """Columns: a list of learners or measures stands for one column of each."""
    known = [spec.name for spec in study.learners]
    chosen = part.some("learner", known, "learners")
    learners = (None,) if chosen is None else chosen
    part.required("measure", "the name of a measure")
    measures = part.texts("measure")
    for measure in measures:
        try:
            check_measure(measure, study.attributes)
        except ValueError as error:
            raise ProtocolError(f"{part.file}: {part.path('measure')} {error}") from None
    label, over, minus = part.text("label"), part.text("over"), part.text("minus")
    for key, other in (("over", over), ("minus", minus)):
        if other is not None and other not in known:
            raise part.unknown(key, "one of the learners", other, known, "learners")
    digits, mean = part.integer("digits", 2), part.flag("mean", True)
    scale = part.number("scale", 1.0, 0, 1e9)
    part.finish()

    def title(learner: str | None, measure: str) -> str:
        parts = [learner] if learner and len(learners) > 1 else []
        if label is not None or len(measures) > 1 or not parts:
            parts.append(label or measure.strip("_").replace("_", " "))
        return " ".join(parts)

    return [
        ColumnSpec(title(learner, measure), measure, learner, over, minus, digits, scale, mean)
        for learner, measure in itertools.product(learners, measures)
    ]


def _figures(part: Section, depth: int, width: int) -> dict[tuple[str, ...], tuple[float, ...]]:
    """The paper's figures by row; nan where it has none."""
    if depth > 1:
        nested = {name: _figures(sub, depth - 1, width) for name, sub in part.children()}
        return {(name, *rest): row for name, sub in nested.items() for rest, row in sub.items()}
    figures: dict[tuple[str, ...], tuple[float, ...]] = {}
    for name, row in part.values.items():
        figures[name,] = _numbers(part, name, row)
        if len(row) != width:
            raise part.fail(name, f"a list of {width} numbers, one per column (nan where there is none)", row)
    return figures


def _numbers(part: Section, name: str, row: Any) -> tuple[float, ...]:
    if not isinstance(row, list) or not all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in row
    ):
        raise part.fail(name, "a list of numbers", row)
    return tuple(float(value) for value in row)
