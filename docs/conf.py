"""Settings of the documentation site; `make docs` builds it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from importlib.metadata import version as installed
from pathlib import Path

import stakes
from stakes import lab

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

from cli_pages import write_cli_pages  # noqa: E402
from data_pages import write_data_page  # noqa: E402
from site_images import draw_all  # noqa: E402

project = "stakes"
author = "The stakes developers"
copyright = author
version = release = installed("stakes")
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["templates"]
templates_path = ["templates"]
suppress_warnings = ["myst.header"]  # pages of the lab skip a level of headings

html_theme = "pydata_sphinx_theme"
html_title = "stakes"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_show_sourcelink = False
html_sidebars = {
    "index": [],
    "claims": [],
    "peers": [],
    "reference": [],
    "architecture": [],
    "public": [],
    "glossary": [],
}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "show_prev_next": False,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "footer_end": [],
}

myst_heading_anchors = 3

# What is copied is what one types: no prompts, no answers.
copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div.highlight-python pre, div.highlight-console pre, div.highlight-default pre"

# Types are told by the docstrings; those of signatures would link to other projects' sites.
autodoc_typehints = "none"
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
# These have a page already.
autosummary_context = {"top": stakes.__all__, "elsewhere": {"stakes.report": lab.__all__}}
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "generated/gallery",
    "backreferences_dir": "generated/gallery/backreferences",
    "doc_module": ("stakes",),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "write_computation_times": False,
    "min_reported_time": 3600,
    "download_all_examples": False,
    "remove_config_comments": True,
}


def write_results_pages(app) -> None:
    """Give every page of results one of the site's that includes it, so that it is never a copy."""
    include_all((ROOT / "benchmarks" / "results").glob("*.md"), "results")
    here = [
        page for page in (ROOT / "stakes-lab").glob("*.md") if not re.search("-(table|figure)-", page.stem)
    ]
    include_all(here, "lab")
    listed = "".join(f"{page.stem}\n" for page in sorted(here))
    text = f"```{{toctree}}\n{listed}```" if here else "None: `stakes reproduce` has not run here."
    (HERE / "generated" / "lab" / "index.md").write_text(
        f"# Made in this checkout\n\n{text}\n", encoding="utf-8"
    )


def write_made_pages(app) -> None:
    """Write what is made of the code: pages on commands and data sets, and the pictures."""
    write_cli_pages(HERE / "generated" / "cli")
    write_data_page(HERE / "generated" / "data_sets.md")
    draw_all(HERE / "generated" / "images")


def include_all(pages: Iterable[Path], folder: str) -> None:
    """Write pages of the site that include these files."""
    (HERE / "generated" / folder).mkdir(parents=True, exist_ok=True)
    for page in pages:
        place = (Path("../../..") / page.relative_to(ROOT)).as_posix()
        text = f"```{{include}} {place}\n:relative-docs: ../\n:relative-images:\n```\n"
        (HERE / "generated" / folder / page.name).write_text(text, encoding="utf-8")


def adapt_source(app, name: str, source: list[str]) -> None:
    """Fit pages that are read as files, too, into the site.

    Links to files of results and to examples lead to their pages here, blank lines that end an example for
    doctest are not shown, and the list of decisions is one of Sphinx's, too.
    """
    source[0] = re.sub(r"^(```python\n(?:(?!```).*\n)*?)\n+```$", r"\1```", source[0], flags=re.MULTILINE)
    if name == "decisions/README":
        source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
    for file, page in (
        (r"benchmarks/results/([\w-]+\.md)", r"/generated/results/\1"),
        (r"examples/(\w+/\w+)\.py", r"/generated/gallery/\1.rst"),
    ):
        source[0] = re.sub(r"\]\((?:\.\./)+" + file, "](" + page, source[0])


def only_ours(app, what: str, name: str, thing, skip: bool, options) -> bool | None:
    """Leave out what scikit-learn gives every estimator: its own site has it."""
    module = getattr(thing, "__module__", None)
    return True if module and not module.startswith("stakes") and what == "class" else None


def setup(app) -> None:
    """Join the functions above to the build."""
    os.environ.pop("STAKES_DATA", None)  # the gallery shows what works without the papers' data sets
    app.connect("builder-inited", write_results_pages)
    app.connect("builder-inited", write_made_pages, priority=100)  # the gallery shows one of the pictures
    app.connect("source-read", adapt_source)
    app.connect("autodoc-skip-member", only_ours)
