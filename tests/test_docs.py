"""What the site promises: an example of every estimator, every name, figures that are in the tables."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import stakes
from attack import CLASSES
from stakes.lab import load_protocol, papers

ROOT = Path(__file__).parent.parent
DOCS, RESULTS = ROOT / "docs", ROOT / "benchmarks" / "results"
EXAMPLES = sorted((ROOT / "examples").glob("*/plot_*.py"))
ESTIMATORS = sorted(
    name
    for name in stakes.__all__
    if isinstance(getattr(stakes, name), type) and issubclass(getattr(stakes, name), BaseEstimator)
)
VERDICTS = {"holds", "holds in part", "does not hold", "not tested here"}
#: Pages that quote figures.
QUOTING = ["claims.md", "peers.md", "results.md", "../README.md"]
#: A link to a page of results: its text, the file, and a title with more words of the line that is meant.
LINK = re.compile(r'\[([^\]]*)\]\((?:\.\./)*benchmarks/results/([\w-]+\.md)(?: "([^"]*)")?\)')


def links(page: str) -> list[tuple[str, str]]:
    """What is quoted, and the file that it is quoted from."""
    found = LINK.findall((DOCS / page).read_text(encoding="utf-8"))
    return [(_wanted(text, title), file) for text, file, title in found if re.search(r"\d", text)]


def _wanted(text: str, title: str) -> str:
    return " ".join([*title.split(), *(piece for piece in text.split() if re.search(r"\d", piece))])


def pieces(text: str) -> set[str]:
    """Words and figures, without what stands around them."""
    return {piece.strip("*|(),;:`.\\+") for piece in text.split()} - {""}


def is_quoted(said: str, page: str) -> bool:
    """Whether one line of the page has all that is said."""
    return any(pieces(said) <= pieces(line) for line in page.splitlines())


def evidence() -> list[list[str]]:
    """Cells of the tables of claims: claim, verdict, evidence."""
    lines = (DOCS / "claims.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0].strip() != "claim"]


def from_docs(name: str):
    """A module of the site's build."""
    spec = spec_from_file_location(name, DOCS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_estimators():
    assert "C45Classifier" in ESTIMATORS and "CostMatrix" not in ESTIMATORS


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_has_an_example_of_its_own(name):
    titled = [path for path in EXAMPLES if _title(path).startswith(f"{name}:")]
    assert titled, f"examples/estimators/ has no example whose title begins with '{name}:'"
    code = ast.parse(titled[0].read_text(encoding="utf-8"))
    used = {node.id for node in ast.walk(code) if isinstance(node, ast.Name)}
    assert name in used, f"{titled[0].name} imports {name} at most"


def _title(path: Path) -> str:
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").splitlines()[0]


@pytest.mark.parametrize(
    "name",
    ["costs_per_class", "costs_per_sample", "costs_upfront", "costs_per_path", "costs_shared", "abstain"],
)
def test_every_kind_of_cost_has_an_example(name):
    assert (ROOT / "examples" / "costs" / f"plot_{name}.py").exists()


def test_every_total_stands_beside_that_of_the_best_constant():
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("guide/*.md"), *EXAMPLES]
    texts = {page.name: page.read_text(encoding="utf-8") for page in pages}
    totals = [name for name, text in texts.items() if "total_cost(" in text]
    assert {"README.md", "which_cost.md", "plot_c45.py"} <= set(totals)
    assert [
        name for name in totals if "best_constant" not in texts[name] and "constant_" not in texts[name]
    ] == []


def test_the_first_example_beats_the_best_constant():
    """Its figures, which are compared when the README's blocks run, on rows that were drawn."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    totals = re.search(r"BoostedStakes ([\d.]+)\nGDTClassifier ([\d.]+)", text)
    constant = re.search(r"BestConstant\(label='bad', cost=([\d.]+)\)", text)
    assert totals and constant, "the totals and the best constant must be shown"
    assert max(float(totals[1]), float(totals[2])) < 0.9 * float(constant[1])
    assert "train_test_split(" in text[: totals.start()]


def test_no_page_says_that_a_transposed_matrix_is_noticed():
    for page in (ROOT / "README.md", *DOCS.glob("*.md")):
        words = " ".join(page.read_text(encoding="utf-8").split())
        assert not re.search(r"transposed matrix is noticed", words), page.name


def test_every_public_name_is_in_the_reference():
    listed = set((DOCS / "reference.md").read_text(encoding="utf-8").split())
    assert set(stakes.__all__) <= listed


def test_every_decision_is_in_the_list():
    listed = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in DOCS.glob("decisions/0*.md") if f"({page.name})" not in listed] == []


@pytest.mark.parametrize(("said", "page"), sorted({one for page in QUOTING for one in links(page)}))
def test_figures_are_in_the_tables(said, page):
    text = (RESULTS / page).read_text(encoding="utf-8")
    assert is_quoted(said, text), f"no line of benchmarks/results/{page} has all of: {said}"


def test_the_readme_is_short_and_its_figures_are_links():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 90
    (measured,) = re.findall(r"## What it is measured against\n\n((?:- .*\n)+)", text)
    assert measured.count("\n") == 5 and not re.search(r"\d\.\d", LINK.sub("", measured).replace("C4.5", ""))
    for link in re.findall(r"\]\(([\w./-]+)", text):
        assert (ROOT / link).exists(), link


def test_a_wrong_figure_would_be_noticed():
    page = "| german | 0.59 ± 0.02 (9.5) |\n| heart | **0.50** |"
    assert is_quoted("german 0.59 ± 0.02 9.5", page) and is_quoted("heart 0.50", page)
    assert not is_quoted("german 0.50", page) and not is_quoted("heart 0.5", page)


@pytest.mark.parametrize("row", evidence(), ids=lambda row: row[0].strip()[:40])
def test_claims_have_a_verdict_and_figures_only_as_links(row):
    _, verdict, shown = row
    word = re.search(r"\*\*([^*]+)\*\*", verdict).group(1)
    assert word in VERDICTS or (word == "pending" and not (RESULTS / "clarify.md").exists())
    bare = re.sub(
        r"\(paper [^)]*\)|cut-offs? [\d., and]+|Python [\d.]+|C4\.5|`[^`]*`", "", LINK.sub("", shown)
    )
    assert not re.search(r"\d\.\d", bare), f"a figure without a link: {bare}"


#: A test, or an attack of tests/attack, by its file and its name.
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def promises() -> list[str]:
    """Lines of the tables of promises."""
    lines = (DOCS / "promises.md").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("| ") and not line.startswith("| promise ")]


@pytest.mark.parametrize("line", promises(), ids=lambda line: line.split(" | ")[0][2:42])
def test_every_promise_has_tests_that_exist(line):
    named = TEST.findall(line)
    assert named and line.count("`tests/") == len(named), "a promise without the name of a test"
    for file, name in named:
        code = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {node.name: node for node in code.body if isinstance(node, ast.FunctionDef)}
        assert name in functions, f"{file} has no {name}"
        if file.startswith("tests/attack/"):
            assert name in attacks(), f"{name} is tried by nobody"


@cache
def attacks() -> set[str]:
    """Names of all attacks that are tried."""
    modules = (import_module(f"attack.{name}") for name in CLASSES)
    return {attack.__name__ for module in modules for attack in module.ATTACKS}


def test_decisions_follow_each_other_have_a_status_and_are_listed():
    pages = sorted((DOCS / "decisions").glob("0*.md"))
    listed = re.findall(r"^- \[(\d{4}) (.+)\]\((.+)\)$", (DOCS / "decisions" / "README.md").read_text(), re.M)
    assert [page.name[:4] for page in pages] == [f"{number:04}" for number in range(1, len(pages) + 1)]
    assert [file for _, _, file in listed] == [page.name for page in pages]
    for page, (number, title, _) in zip(pages, listed):
        heading, empty, status, *_ = page.read_text(encoding="utf-8").split("\n")
        assert (heading, empty) == (f"# {number} {title}", ""), page.name
        assert re.match(r"\*\*Status\.\*\* (Accepted[.;]|Superseded by \[\d{4}\])", status), page.name


# ---- the guide, pages and pictures that are made -----------------------------------------------------------


def test_every_page_of_the_guide_is_in_its_list_and_in_its_menu():
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    for page in sorted(DOCS.glob("guide/*.md")):
        assert f"(guide/{page.name})" in text and f"\nguide/{page.stem}\n" in text, page.name


def test_pages_recommend_one_start():
    for name in ("guide.md", "which_cost.md", "first_model.md", "guide/lowest_cost.md", "index.md"):
        text = (DOCS / name).read_text(encoding="utf-8")
        assert "`BoostedStakes`" in text or "BoostedStakes(" in text, name
        assert "GDTClassifier" in text, name
        assert "start with `Guard" not in text, name


@pytest.fixture(scope="module")
def cli_pages(tmp_path_factory):
    """The pages on the command line, by their names."""
    folder = tmp_path_factory.mktemp("cli")
    from_docs("cli_pages").write_cli_pages(folder)
    return {page.stem: page.read_text(encoding="utf-8") for page in folder.glob("*.md")}


def test_the_pages_on_commands_have_every_option_with_its_default(cli_pages):
    from typer.main import get_command

    from stakes._cli.app import app

    root = get_command(app)
    commands = {name: command for name, command in root.commands.items() if name != "clarify"}
    commands |= {f"clarify-{name}": command for name, command in root.commands["clarify"].commands.items()}
    assert set(cli_pages) == {*commands, "index"}
    for name, command in commands.items():
        assert f"({name}.md)" in cli_pages["index"] and f"\n{name}\n" in cli_pages["index"]
        heads = "".join(re.findall(r"^````{option} .*\n", cli_pages[name], re.M))
        listed = set(re.findall(r"(?<![\w-])-[\w-]+", heads))
        shown = [
            option for option in command.params if option.param_type_name == "option" and not option.hidden
        ]
        assert listed == {word for option in shown for word in [*option.opts, *option.secondary_opts]}, name
    assert "Exit codes: 0 all went well" in cli_pages["index"]
    assert "The program and its arguments, after `--`." in cli_pages["clarify-run"]  # and no dash


def test_hidden_options_are_not_on_the_pages_and_groups_have_titles():
    import typer
    from typer.main import get_command

    def command(
        rare: str = typer.Option("", hidden=True),
        often: int = typer.Option(3, min=1, help="How often.", rich_help_panel="Costs"),
        guard: bool = typer.Option(True, help="Whether to guard."),
        output: str = typer.Option(..., "--output", "-o", metavar="FILE"),
    ) -> None:
        """Do it."""

    app = typer.Typer()
    app.command("work")(command)
    inner = get_command(app)
    page = from_docs("cli_pages").command_page(inner.context_class(inner, info_name="work"))
    assert "## Costs" in page and re.search(r"--often (<int>|INTEGER)", page) and "rare" not in page
    assert "How often. <span class='extra'>default: 3; x>=1</span>" in page
    assert (
        "````{option} --guard, --no-guard\nWhether to guard. <span class='extra'>default: guard</span>"
        in page
    )
    assert "````{option} -o, --output FILE\n <span class='extra'>required</span>" in page


def test_the_page_on_data_sets_says_where_each_comes_from(tmp_path):
    from_docs("data_pages").write_data_page(tmp_path / "new" / "data.md")
    page = (tmp_path / "new" / "data.md").read_text(encoding="utf-8")
    assert page.count("\n## ") == 5
    assert "| table 1 | credit-g |  | heart-statlog (53) |  |" in page  # GDT-MC
    assert "`stakes.datasets.waveform` | hepatitis (55), " in page and "Coding: is not available: " in page
    for protocol in map(load_protocol, papers()):
        for table in protocol.tables:
            assert f"| {table.kind} {table.number} |" in page


def test_pictures_of_pages_are_made_by_the_build_and_the_readme_has_the_same(tmp_path):
    images = from_docs("site_images")
    made = {plot.__name__ for plot in images.PLOTS} | {"german"}
    pages = [*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"([\w/.-]+\.(?:svg|png))", page.read_text(encoding="utf-8"))
    }
    assert {Path(name).stem for name in shown if "generated/images/" in name} == made
    assert all("generated/images/" in name for name in shown), "a picture that the build does not make"
    drawn = images.draw_tree(tmp_path).read_bytes()
    assert drawn == (DOCS / "images" / "german.svg").read_bytes(), "run python docs/make_images.py"


def test_a_plot_is_the_same_bytes_each_time(tmp_path):
    pytest.importorskip("matplotlib", reason="pictures are not drawn: matplotlib is not installed")
    images = from_docs("site_images")
    for name in "ab":
        images.draw_plot(tmp_path / f"{name}.svg", images.coverage)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
