"""Say how many entries a YAML file has: python load.py FILE"""

import sys

import yaml

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        print(len(yaml.safe_load(file) or ()))
except yaml.MarkedYAMLError as error:
    sys.exit(f"{sys.argv[1]}: {error.problem}")
