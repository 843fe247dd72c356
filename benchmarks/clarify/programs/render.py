"""Render main.html of a folder with the values in its context.json: python render.py FOLDER"""

import json
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

folder = Path(sys.argv[1])
environment = Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined)
print(environment.get_template("main.html").render(json.loads((folder / "context.json").read_text())))
