"""Run every command and every block of Python that a page shows, as its reader would.

``python tools/run_blocks.py`` runs the pages of ``PAGES``, each in a copy of the checkout and in a fresh
environment, which holds what the page's own install line puts there. Blocks run in their order in one folder:
those in console are given to bash, without the lines of ``LEFT_OUT``, those in Python share one namespace. A
block of text that follows one in Python is what that prints; its figures may differ by five per cent: last
digits are the processor's. The program ends with a line such as "12 passed".
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import importlib
import io
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = ["README.md", "docs/first_model.md"]
#: The clone line, which has no address to clone from, and the tests, which `make test` runs.
LEFT_OUT = re.compile(r"git clone |make test\b")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
DOCTEST = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Block:
    """A block to run: its line in the page, its language, its text, what it prints where that is shown."""

    line: int
    language: str
    text: str
    prints: str | None = None


def main(arguments: list[str]) -> int:
    """Run the pages; the exit status is 1 where a block fails or a page is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="*", default=PAGES, help=f"pages to run (default: {' '.join(PAGES)})")
    parser.add_argument("--here", action="store_true", help="with this Python and in this folder")
    parser.add_argument("--python", action="store_true", help="blocks in Python only")
    options = parser.parse_args(arguments)
    if options.here:
        return 0 if run_page(Path(options.pages[0]), options.python) else 1
    passed = failed = 0
    for page in options.pages:
        if not (ROOT / page).exists():
            print(f"{page}: there is no such page", flush=True)
            failed += 1
            continue
        lines = in_fresh_environment(page, options.python)
        passed += lines.count("passed")
        failed += len(lines) - lines.count("passed")
    print(f"{passed} passed, {failed} failed: blocks of {', '.join(options.pages)}")
    return 1 if failed else 0


def in_fresh_environment(page: str, only_python: bool) -> list[str]:
    """Run a page in a copy of the checkout; return "passed" or "failed" for each block that was reached."""
    folder = Path(tempfile.mkdtemp(prefix="stakes-blocks-"))
    try:
        copy = folder / "stakes"
        copy_checkout(copy)
        subprocess.run([sys.executable, "-m", "venv", str(folder / "fresh")], check=True)
        programs = folder / "fresh" / "bin"
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "MAKE"))
        }
        environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
        environment.pop("STAKES_DATA", None)  # a reader has none
        command = [str(programs / "python"), __file__, "--here", *(["--python"] if only_python else []), page]
        done = subprocess.run(
            command, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        print(done.stdout, end="", flush=True)
        verdicts = re.findall(r": (passed|failed)$", done.stdout, re.MULTILINE)
        return verdicts if done.returncode == 0 or "failed" in verdicts else [*verdicts, "failed"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def copy_checkout(folder: Path) -> None:
    """Copy what git knows, or would add, as it is now."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def run_page(page: Path, only_python: bool) -> bool:
    """Run a page's blocks here until one fails; print a line for each."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if only_python and block.language != "python":
            continue
        try:
            problem = run_python(block, namespace) if block.language == "python" else run_console(block)
        except Exception:
            problem = traceback.format_exc()
        print(f"{problem or ''}{page}, line {block.line}: {'failed' if problem else 'passed'}", flush=True)
        if problem:
            return False
    return True


def blocks_of(text: str) -> list[Block]:
    """Blocks in console and in Python, in their order."""
    blocks, end = [], 0
    for match in FENCE.finditer(text):
        language, body = match.groups()
        if language in ("console", "python"):
            blocks.append(Block(text.count("\n", 0, match.start()) + 1, language, body))
        elif language == "text" and blocks and not text[end : match.start()].strip():
            last = blocks[-1]
            if last.language == "python":
                blocks[-1] = Block(last.line, last.language, last.text, body)
        end = match.end()
    return blocks


def run_console(block: Block) -> str:
    """Run commands in bash, which stops at the first that fails; return what is wrong."""
    lines = block.text.splitlines()
    if any(line.startswith("$ ") for line in lines):  # the others are what the commands print
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    script = "\n".join(line for line in lines if not LEFT_OUT.match(line))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    importlib.invalidate_caches()  # what was installed can be imported
    return f"{script}\n{done.stdout}ended with status {done.returncode}\n" if done.returncode else ""


def run_python(block: Block, namespace: dict[str, Any]) -> str:
    """Run Python, as a doctest where it has prompts; return what is wrong."""
    printed = io.StringIO()
    if block.text.startswith(">>> "):
        test = doctest.DocTestParser().get_doctest(block.text, namespace, "block", None, block.line)
        runner = doctest.DocTestRunner(optionflags=DOCTEST)
        runner.run(test, out=printed.write, clear_globs=False)
        namespace.update(test.globs)
        return printed.getvalue()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, "block", "exec"), namespace)
    if block.prints is None or same_text(printed.getvalue(), block.prints):
        return ""
    return f"printed\n{printed.getvalue()}and not\n{block.prints}"


def same_text(printed: str, shown: str) -> bool:
    """Whether words are the same and numbers nearly so: other versions of libraries learn other models."""
    numbers = zip(NUMBER.findall(printed), NUMBER.findall(shown), strict=False)
    same_words = NUMBER.sub("0", printed).split() == NUMBER.sub("0", shown).split()
    return same_words and all(math.isclose(float(a), float(b), rel_tol=0.1) for a, b in numbers)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
