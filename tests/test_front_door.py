"""The front door: pages that a newcomer reads, settings of the workflows, the changelog, names that go."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from stakes._base.deprecation import deprecated, warn_deprecated

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tools" / "front_door.py"
spec = importlib.util.spec_from_file_location("front_door", FILE)
front_door = importlib.util.module_from_spec(spec)
spec.loader.exec_module(front_door)

PAGES = ["docs/architecture.md", "docs/public.md", "SECURITY.md", "CODE_OF_CONDUCT.md"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


# ---- pages -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [*PAGES, "CITATION.cff", "CHANGELOG.md", ".pre-commit-config.yaml"])
def test_every_file_that_a_page_names_exists(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|cpp|tests|docs|tools|benchmarks|changelog\.d)/[\w./-]*)`", text)
    named += re.findall(r"\b(tools/\w+\.py)\b", text)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_page_invents_an_address():
    names = [*PAGES, "README.md", "CITATION.cff", "CONTRIBUTING.md", ".github/ISSUE_TEMPLATE/config.yml"]
    for name in names:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert re.findall(r"[\w.]+@[\w.]+\.\w+|github\.com/\w+", text) == [], name


def test_the_five_papers_are_cited():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"year: (\d+)", text) == ["1998", "2004", "2006", "2007", "2012"]
    assert text.count("- type: conference-paper") == 5 and "- name: The stakes developers" in text


# ---- workflows ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_may_do_no_more_than_read(path):
    text = path.read_text(encoding="utf-8")
    uses = re.findall(r"uses: (\S+)", text)
    assert uses and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in uses)
    assert re.findall(r"^ *permissions:\n((?: .*\n)+)", text, re.MULTILINE) == ["  contents: read\n"]
    assert "secrets." not in text
    assert text.count("persist-credentials: false") == sum("/checkout@" in action for action in uses)


def test_ci_is_what_is_run_at_home():
    assert "- run: .ci/run\n" in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def test_a_label_that_comes_later_lets_a_change_pass_without_a_fragment():
    text = (ROOT / ".github/workflows/changes.yml").read_text(encoding="utf-8")
    assert "towncrier check" in text and "'no changelog'" in text
    assert re.search(r"types: \[.*\blabeled, unlabeled\]", text)


# ---- changelog and addresses -------------------------------------------------------------------------------


def test_fragments_have_names_that_towncrier_reads():
    assert front_door.wrong_names(ROOT / "changelog.d") == []


def test_wrong_names_are_found_and_mended(tmp_path):
    right = ["3.feature.md", "3.feature.1.md", "18-names.bugfix.md", "+blank-lines.bugfix.md"]
    for name in [*right, "18.bugfix.lines.md", "18.bugfix.words.md", "18.change.md"]:
        (tmp_path / name).write_text("Something is better.")
    wrong = ["18.bugfix.lines.md", "18.bugfix.words.md", "18.change.md"]
    assert [path.name for path in front_door.wrong_names(tmp_path)] == wrong
    front_door.rename(tmp_path)
    assert [path.name for path in front_door.wrong_names(tmp_path)] == ["18.change.md"]
    assert {"18-lines.bugfix.md", "18-words.bugfix.md", *right} < {path.name for path in tmp_path.iterdir()}


def test_towncrier_builds_the_changelog_from_every_fragment():
    program = shutil.which("towncrier", path=Path(sys.executable).parent)
    if program is None:
        pytest.skip("the changelog is not built: towncrier is not installed")
    command = [program, "build", "--draft", "--version", "1.2.3"]
    text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "## 1.2.3 (" in text and "### Features\n\n- " in text
    lines = {line.strip("- ") for line in text.splitlines()}
    for fragment in (ROOT / "changelog.d").glob("*.md"):
        first = fragment.read_text(encoding="utf-8").splitlines()[0]
        assert first in lines, fragment.name


def test_placeholders_are_listed_with_what_needs_them(tmp_path, capsys):
    file = tmp_path / "pyproject.toml"
    file.write_text('[project.urls]\nSource = "<HERE>"\nIssues = "<HERE>/issues"\nSite = "https://a.org"\n')
    assert front_door.placeholders(file) == {"<HERE>": ["Source", "Issues"]}
    assert front_door.main([]) == 0
    listed = capsys.readouterr().out
    for placeholder in front_door.placeholders(ROOT / "pyproject.toml"):
        assert f"{placeholder} is not filled in yet" in listed


def test_a_page_may_name_a_placeholder_as_long_as_it_is_one(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("git clone <HERE> stakes, <b>or</b> <THERE ABOUTS> and <HERE>")
    assert front_door.unknown_placeholders(page, ["<HERE>"]) == ["<THERE ABOUTS>"]
    assert "is not filled in yet, for Source, Changelog, Issues, README.md\n" in listed(capsys)
    monkeypatch.setattr(front_door, "placeholders", lambda file: {})  # as when all addresses are known
    stale = "README.md: <REPOSITORY> is not among project.urls in pyproject.toml: write the address\n"
    assert listed(capsys, status=1) == stale


def listed(capsys, status=0):
    """What is printed."""
    capsys.readouterr()
    assert front_door.main([]) == status
    return capsys.readouterr().out


# ---- names that go -----------------------------------------------------------------------------------------


def test_a_name_that_goes_says_so_once_with_the_line_that_used_it(monkeypatch):
    monkeypatch.setattr("stakes._base.deprecation._WARNED", set())

    @deprecated("stakes.old", since="0.2", gone_in="0.4", instead="stakes.new")
    def old(value):
        """Double it."""
        return 2 * value

    with pytest.warns(
        FutureWarning, match=r"^stakes.old is deprecated since stakes 0.2 .*; use stakes.new.$"
    ) as seen:
        assert old(2) == 4
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old(value=3) == 6
    assert old.__name__ == "old" and old.__doc__ == "Double it."
    with pytest.warns(FutureWarning, match="the option --old"):
        warn_deprecated("the option --old", since="0.2", gone_in="0.4", instead="--new")
