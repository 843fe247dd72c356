"""The tool that looks at the built site in a browser notices what must not be."""

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

FILE = Path(__file__).parent.parent / "tools" / "look_at_site.py"
spec = importlib.util.spec_from_file_location("look_at_site", FILE)
look_at_site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(look_at_site)

PAGE = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head>'
    "<body><main><h1>A page</h1>{}</main></body></html>"
)


@pytest.fixture
def seen(tmp_path, monkeypatch, capsys):
    """Look at a site of one page with this text; return the exit status and what is printed."""
    pytest.importorskip("axe_playwright_python", reason="axe-core is not tried: it is not installed")
    if not (os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")):
        pytest.skip("the site is not looked at: chromium is not installed")

    def look(text, *options):
        (tmp_path / "index.html").write_text(PAGE.format(text), encoding="utf-8")
        monkeypatch.setattr("sys.argv", ["look_at_site.py", str(tmp_path), *options])
        status = look_at_site.main()
        return status, capsys.readouterr().out

    return look


def test_a_good_page_has_no_faults_and_its_pictures_are_kept(seen, tmp_path):
    assert seen("<p>Good.</p>", "--shots", str(tmp_path / "shots")) == (0, "1 pages looked at: no faults.\n")
    names = {f"index-{width}-{scheme}.png" for width in (390, 1280) for scheme in ("light", "dark")}
    assert {path.name for path in (tmp_path / "shots").iterdir()} == names


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ('<p style="color: #999; background: #fff">pale</p>', "color-contrast"),
        ('<div style="width: 2000px">wide</div>', "index.html at 390, light: 20"),
        ("<script>nothing.there()</script>", "a script failed: "),
        ('<script src="https://example.invalid/x.js"></script>', "loads https://example.invalid/x.js"),
    ],
)
def test_faults_are_found(seen, text, fault):
    status, printed = seen(text)
    assert status == 1 and fault in printed


def test_of_pages_that_are_made_alike_some_are_looked_at(tmp_path):
    for name in ("index.html", "guide/trees.html", "generated/cli/fit.html", "generated/cli/show.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [path.relative_to(tmp_path).as_posix() for path in look_at_site.pages_of(tmp_path)]
    assert found == ["generated/cli/fit.html", "guide/trees.html", "index.html"]
