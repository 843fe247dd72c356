"""Failures that are none of a program's recorded causes: what a model should say nothing about."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from programs import pip_cases
from programs.recorder import Case


def others(program: str, folder: Path) -> Iterator[Case]:
    """Write one input for each failure of another kind."""
    for label, argv in _OTHERS[program](folder):
        yield Case(f"{program} {label}", label, argv, str(folder))


def _pip(folder: Path) -> Iterator[tuple[str, list[str]]]:
    folder.mkdir()
    for project in ("maple-index", "ember-forge"):
        pip_cases._page(folder, project, [(pip_cases._wheel(folder, project, "1.0"), {})])
    pip_cases._page(folder, "lost-harbor", [("lost_harbor-1.0-py3-none-any.whl", {})])
    (folder / "files" / "ember_forge-1.0-py3-none-any.whl").write_bytes(b"not a zip file")
    (folder / "hashes.txt").write_text(f"maple-index==1.0 --hash=sha256:{'0' * 64}\n")
    (folder / "file").touch()
    start = ["download", "--no-cache-dir", "--disable-pip-version-check", "-q", "--retries", "0"]
    index = ["--index-url", (folder / "simple").as_uri()]
    got = ["-d", str(folder / "got")]
    yield "index out of reach", [*start, *got, "--index-url", "http://127.0.0.1:9/simple", "maple-index"]
    yield "conflicting versions", [*start, *got, *index, "maple-index==1.0", "maple-index==2.0"]
    yield "hash differs", [*start, *got, *index, "-r", str(folder / "hashes.txt")]
    yield "damaged wheel", [*start, *got, *index, "ember-forge"]
    yield "file of the index missing", [*start, *got, *index, "lost-harbor"]
    yield "no file of requirements", [*start, *got, *index, "-r", "nowhere.txt"]
    yield "no valid requirement", [*start, *got, *index, "two words"]
    yield "no such wheel", [*start, *got, *index, "./nowhere-1.0-py3-none-any.whl"]
    yield "target is a file", [*start, "-d", str(folder / "file"), *index, "maple-index"]
    yield "no such option", [*start, *got, *index, "--nonsense", "maple-index"]
    yield "no such command", ["downlod", *index, "maple-index"]


def _jinja2(folder: Path) -> Iterator[tuple[str, list[str]]]:
    before = "{% for item in items %}{{ item }}{% endfor %}{{ word|upper }}\n" * 3
    failing = {
        "tag not closed": "{% if word %}",
        "no such tag": "{% unless word %}",
        "no such filter": "{{ word|nonsense }}",
        "no such template": "{% include 'nowhere.html' %}",
        "no such attribute": "{{ word.first.second }}",
        "wrong types": "{{ word + 1 }}",
        "division by zero": "{{ 1 / 0 }}",
        "unexpected argument": "{{ items|join(by=word) }}",
        "endless inclusion": "{% include 'main.html' %}",
    }
    context = json.dumps({"word": "amber", "items": [1, 2, 3]})
    for label, text in failing.items():
        yield label, [str(_written(folder / label, {"main.html": before + text, "context.json": context}))]
    yield "values are no JSON", [str(_written(folder / "json", {"main.html": before, "context.json": "{"}))]
    yield "main template missing", [str(_written(folder / "main", {"context.json": context}))]


def _pyyaml(folder: Path) -> Iterator[tuple[str, list[str]]]:
    before = "amber: 12\ncedar: lunar\nember:\n  - fable\n  - grain\n"
    failing = {
        "tab": "hazel:\n\tiris: 1\n",
        "quote not closed": "hazel: 'iris\njolly: 2\n",
        "bracket not closed": "hazel: [1, 2\njolly: 3\n",
        "alias of nothing": "hazel: *iris\n",
        "no such tag": "hazel: !iris 1\n",
        "character that begins nothing": "hazel: @iris\n",
        "indented differently": "hazel:\n    iris: 1\n  jolly: 2\n",
        "second document": "---\nhazel: 1\n",
        "list as a key": "? [1, 2]\n: 3\n",
        "control character": "hazel: \x01\n",
    }
    for label, text in failing.items():
        yield label, [str(_written(folder / label, {"config.yaml": before + text}) / "config.yaml")]
    yield "no such file", [str(folder / "nowhere.yaml")]


def _requests(folder: Path) -> Iterator[tuple[str, list[str]]]:
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    yield "JSON cut short", [f"{base}/fine", f"{base}/cut"]
    yield "JSON with a comma too many", [f"{base}/fine", f"{base}/comma"]
    yield "endless redirection", [f"{base}/fine", f"{base}/again"]
    yield "connection closed early", [f"{base}/fine", f"{base}/closed"]
    yield "connection refused", [f"{base}/fine", "http://127.0.0.1:9/"]
    yield "no such host", [f"{base}/fine", "http://nowhere.invalid/"]
    yield "no scheme", [f"{base}/fine", "nowhere/data"]
    yield "no such scheme", [f"{base}/fine", "gopher://127.0.0.1/"]
    yield "no such port", [f"{base}/fine", "http://127.0.0.1:99999/"]


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        bodies = {"/fine": b'{"amber": 1}', "/cut": b'{"amber": "cedar', "/comma": b'{"amber": 1,}'}
        body = bodies.get(self.path, b"")
        self.send_response(302 if self.path == "/again" else 200)
        self.send_header("Location", "/again")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + 9 * (self.path == "/closed")))
        self.end_headers()
        self.wfile.write(body)


def _written(folder: Path, texts: dict[str, str]) -> Path:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


_OTHERS: dict[str, Callable[[Path], Iterator[tuple[str, list[str]]]]] = {
    "pip": _pip,
    "jinja2": _jinja2,
    "pyyaml": _pyyaml,
    "requests": _requests,
}
