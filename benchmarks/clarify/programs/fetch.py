"""Print the JSON behind some addresses: python fetch.py URL..."""

import sys

import requests

with requests.Session() as session:
    for url in sys.argv[1:]:
        print(session.get(url, timeout=20).json())
