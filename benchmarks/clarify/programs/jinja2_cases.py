"""jinja2: "'x' is undefined", for eight reasons, amid templates that are otherwise fine."""

from __future__ import annotations

import json
import random
from pathlib import Path

from .recorder import Case
from .words import names, sentence

SYMPTOM = "is undefined"
PACKAGES = ("jinja2==3.1.4", "MarkupSafe==3.0.2")
TARGET = "script:render.py"
SCRIPT = '''"""Render main.html of a folder with the values in its context.json: python render.py FOLDER"""

import json
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

folder = Path(sys.argv[1])
environment = Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined)
print(environment.get_template("main.html").render(json.loads((folder / "context.json").read_text())))
'''
PRELOAD = ("json", "pathlib", "jinja2", "jinja2.loaders", "jinja2.ext", "jinja2.debug")

#: Share of the fine pieces that are macros, includes, imports and scopes, of which each cause misuses one.
RARE = 0.15

CAUSES = {
    "not-passed": "The name is misspelt, or the value was not passed to render().",
    "set-in-loop": "A {% set %} inside a for loop ends with the loop. Use namespace().",
    "include-without-context": "The included template does not see your values: it is included 'without context'.",
    "import-without-context": "An imported macro does not see your values. Import it 'with context' or pass them.",
    "set-in-with": "A {% set %} inside a with block ends with the block.",
    "block-scope": "A block does not see variables of the scope around it. Mark it 'scoped'.",
    "macro-local": "A {% set %} inside a macro is the macro's own.",
    "call-block": "A {% set %} inside a call block is the block's own.",
}


def make(label: str, number: int, folder: Path) -> Case:
    """Write templates and their values; rendering them fails for the reason named."""
    rng = random.Random(f"jinja2 {label} {number}")
    folder.mkdir(parents=True, exist_ok=True)
    lost, one, two, three, *macros = names(rng, 10)
    values = {
        one: sentence(rng),
        two: [rng.randint(1, 99) for _ in range(rng.randint(1, 6))],
        three: rng.random() < 0.5,
    }
    writer = _Writer(rng, folder, one, two, three, macros)
    before = [writer.fine() for _ in range(rng.randint(1, 8))]
    after = [writer.fine() for _ in range(rng.randint(0, 4))]
    failing = _CAUSES[label](writer, lost, values)
    body = "\n".join([*before, failing, *after])
    if label != "block-scope" and rng.random() < 0.3:
        (folder / "base.html").write_text(f"{sentence(rng)}\n{{% block body %}}{{% endblock %}}\n")
        body = f'{{% extends "base.html" %}}{{% block body %}}\n{body}\n{{% endblock %}}'
    (folder / "main.html").write_text(body)
    (folder / "context.json").write_text(json.dumps(values))
    return Case(f"jinja2 {label} {number}", label, [str(folder)], str(folder))


class _Writer:
    """Writes pieces of templates that work."""

    def __init__(self, rng, folder, one, two, three, macros):
        self.rng, self.folder = rng, folder
        self.one, self.two, self.three, self.macros = one, two, three, macros
        self.parts = 0

    def fine(self) -> str:
        usual = (self.text, self.value, self.loop, self.choice)
        rare = (self.scope, self.macro, self.part, self.call, self.library)
        return self.rng.choice(rare if self.rng.random() < RARE else usual)()

    def text(self):
        return f"<p>{sentence(self.rng)}</p>"

    def value(self):
        return f"{{{{ {self.one}|{self.rng.choice(('upper', 'title', 'length', 'trim'))} }}}}"

    def loop(self):
        inner = self.rng.choice(
            ("{{ item }}", "{% set twice = item * 2 %}{{ twice }}", "{% if item > 9 %}{{ item }}{% endif %}")
        )
        return f"{{% for item in {self.two} %}}{inner} {{% endfor %}}"

    def choice(self):
        return f"{{% if {self.three} %}}{self.text()}{{% else %}}{self.value()}{{% endif %}}"

    def scope(self):
        return f"{{% with short = {self.one}[:3] %}}{{{{ short }}}}{{% endwith %}}"

    def macro(self):
        name = f"{self.rng.choice(self.macros)}_{self.new()}"
        local = self.rng.choice(("", "{% set inner = arg %}"))
        return f"{{% macro {name}(arg) %}}{local}<i>{{{{ arg }}}}</i>{{% endmacro %}}{{{{ {name}({self.one}) }}}}"

    def part(self):
        self.write(text := f"part{self.new()}.html", f"{self.text()} {{{{ {self.one} }}}}\n")
        return f'{{% include "{text}" %}}'

    def call(self):
        name = f"{self.rng.choice(self.macros)}_{self.new()}"
        return f"{{% macro {name}() %}}<b>{{{{ caller() }}}}</b>{{% endmacro %}}{{% call {name}() %}}{sentence(self.rng)}{{% endcall %}}"

    def library(self):
        name = f"{self.rng.choice(self.macros)}_{self.new()}"
        self.write(
            text := f"part{self.new()}.html", f"{{% macro {name}(arg) %}}{{{{ arg }}}}{{% endmacro %}}"
        )
        return f'{{% from "{text}" import {name} %}}{{{{ {name}({self.one}) }}}}'

    def new(self) -> int:
        self.parts += 1
        return self.parts

    def write(self, name, text):
        (self.folder / name).write_text(text)


def _not_passed(writer, lost, values):
    return (
        f"{{{{ {lost} }}}}" if writer.rng.random() < 0.7 else f"{{% if {lost} %}}{writer.text()}{{% endif %}}"
    )


def _set_in_loop(writer, lost, values):
    return f"{{% for item in {writer.two} %}}{{% set {lost} = item %}}{{% endfor %}}{{{{ {lost} }}}}"


def _include(writer, lost, values):
    values[lost] = sentence(writer.rng)
    writer.write("cut.html", f"{writer.text()} {{{{ {lost} }}}}")
    return '{% include "cut.html" without context %}'


def _import(writer, lost, values):
    values[lost] = sentence(writer.rng)
    writer.write("cut.html", f"{{% macro show(arg) %}}{{{{ arg }}}} {{{{ {lost} }}}}{{% endmacro %}}")
    return f'{{% from "cut.html" import show %}}{{{{ show({writer.one}) }}}}'


def _with(writer, lost, values):
    inner = writer.rng.choice(
        (f"{{% with %}}{{% set {lost} = 1 %}}", f"{{% with {lost} = {writer.one} %}}{{{{ {lost} }}}}")
    )
    return f"{inner}{{% endwith %}}{{{{ {lost} }}}}"


def _block(writer, lost, values):
    return f"{{% for {lost} in {writer.two} %}}{{% block row %}}<li>{{{{ {lost} }}}}</li>{{% endblock %}}{{% endfor %}}"


def _macro(writer, lost, values):
    return f"{{% macro keep() %}}{{% set {lost} = 1 %}}{sentence(writer.rng)}{{% endmacro %}}{{{{ keep() }}}} {{{{ {lost} }}}}"


def _call(writer, lost, values):
    macro = "{% macro wrap() %}<b>{{ caller() }}</b>{% endmacro %}"
    return f"{macro}{{% call wrap() %}}{{% set {lost} = 1 %}}{sentence(writer.rng)}{{% endcall %}}{{{{ {lost} }}}}"


_CAUSES = dict(
    zip(CAUSES, (_not_passed, _set_in_loop, _include, _import, _with, _block, _macro, _call), strict=True)
)
