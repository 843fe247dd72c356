"""requests: "JSONDecodeError: Expecting value", for eight reasons, from a server on the loopback interface."""

from __future__ import annotations

import gzip
import json
import random
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from .recorder import Case
from .words import name, names, sentence, token

SYMPTOM = "Expecting value"
PACKAGES = (
    "requests==2.32.3",
    "urllib3==2.2.3",
    "idna==3.10",
    "certifi==2024.8.30",
    "charset-normalizer==3.4.0",
)
TARGET = "script:fetch.py"
SCRIPT = '''"""Print the JSON behind some addresses: python fetch.py URL..."""

import sys

import requests

with requests.Session() as session:
    for url in sys.argv[1:]:
        print(session.get(url, timeout=20).json())
'''
PRELOAD = ("requests", "netrc", "encodings.idna", "stringprep", "zlib", "http.cookiejar")

CAUSES = {
    "login-page": "You were redirected to a login page. Log in, or send a token.",
    "empty-body": "The server answered with an empty body.",
    "no-content": "The server answered 204 No Content. There is no JSON to read.",
    "gzip-unmarked": "The body is compressed, but the server does not say so.",
    "jsonp": "The server sends JSONP, JSON wrapped in a function call. Ask for plain JSON.",
    "proxy-error": "A proxy answered with its own error page.",
    "xml": "The server sends XML. Ask for JSON with an Accept header.",
    "rate-limited": "You sent too many requests. Wait before you try again.",
}


def make(label: str, number: int, folder: Path) -> Case:
    """Return a call that asks the server for good answers and then for one that is no JSON."""
    rng = random.Random(f"requests {label} {number}")
    folder.mkdir(parents=True, exist_ok=True)
    base = f"http://127.0.0.1:{server().server_address[1]}"
    good = [
        f"{base}/{_address('fine', f'{number}-{one}')}/{name(rng)}"
        for one in range(rng.choice((0, 0, 1, 2, 3)))
    ]
    query = "?" + "&".join(f"{key}={rng.randint(1, 99)}" for key in names(rng, rng.randint(1, 4)))
    bad = f"{base}/{_address(label, str(number))}/{name(rng)}{query if rng.random() < 0.5 else ''}"
    proxied = label == "proxy-error" or rng.random() < 0.2
    return Case(
        f"requests {label} {number}",
        label,
        [*good, bad],
        str(folder),
        {"HTTP_PROXY": base} if proxied else {},
    )


#: What is asked for by an address that does not say so: counts must not see the cause in its length.
_ADDRESSES: dict[str, tuple[str, str]] = {}


def _address(label: str, number: str) -> str:
    found = token(label, number)
    _ADDRESSES[found] = (label, number)
    return f"{found}/data"


@cache
def server() -> ThreadingHTTPServer:
    """The server, started once; it ends with the process."""
    found = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    return found


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = urlsplit(self.path).path  # a proxy is asked for a whole address
        _, first, second, *_ = path.split("/")
        label, number = _ADDRESSES.get(first, (first, second))  # a redirect names the page itself
        rng = random.Random(f"answer {label} {number}")
        version, status, headers, body = _ANSWERS[label](rng)
        lines = [f"{version} {status}", *(f"{key}: {value}" for key, value in [*_common(rng), *headers])]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode() + body)
        self.close_connection = version == "HTTP/1.0"


def _common(rng):
    found = [
        ("Date", "Mon, 02 Nov 2026 10:00:00 GMT"),
        ("Server", rng.choice(("nginx", "envoy", "gunicorn"))),
    ]
    found += [(f"X-{name(rng, '-')}", str(rng.randint(1, 99))) for _ in range(rng.randint(0, 4))]
    if rng.random() < 0.3:
        found.append(("Set-Cookie", f"{name(rng)}={rng.randint(1, 9999)}; Path=/"))
    return found


def _sized(rng, kind, body, status="200 OK"):
    """Headers and body, in one piece or in chunks."""
    if rng.random() < 0.4 and body:
        cut = rng.randint(1, len(body))
        chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part)
        return (
            "HTTP/1.1",
            status,
            [("Content-Type", kind), ("Transfer-Encoding", "chunked")],
            chunks + b"0\r\n\r\n",
        )
    return "HTTP/1.1", status, [("Content-Type", kind), ("Content-Length", len(body))], body


def _mostly(rng, usual, *others):
    """What servers usually say; one in seven says something else."""
    return rng.choice(others) if rng.random() < 1 / 7 else usual


def _json(rng):
    return json.dumps({key: sentence(rng) for key in names(rng, rng.randint(1, 12))}).encode()


def _html(rng, title):
    paragraphs = "".join(f"<p>{sentence(rng)}</p>" for _ in range(rng.randint(1, 20)))
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{paragraphs}</body></html>".encode()
    )


def _fine(rng):
    return _sized(rng, rng.choice(("application/json", "application/json; charset=utf-8")), _json(rng))


def _login(rng):
    headers = [("Location", f"/sign-in/{rng.randint(1, 999)}/form"), ("Content-Length", 0)]
    return "HTTP/1.1", rng.choice(("302 Found", "303 See Other")), headers, b""


def _sign_in(rng):
    return _sized(rng, _mostly(rng, "text/html; charset=utf-8", "text/html"), _html(rng, "Sign in"))


def _empty(rng):
    headers = [
        ("Content-Type", _mostly(rng, "application/json", "application/json; charset=utf-8", "text/html"))
    ]
    return "HTTP/1.1", "200 OK", [*headers, ("Content-Length", 0)], b""


def _no_content(rng):
    return "HTTP/1.1", "204 No Content", [], b""


def _gzip(rng):
    return _sized(
        rng,
        _mostly(rng, "application/json", "application/octet-stream", "application/json; charset=utf-8"),
        gzip.compress(_json(rng), mtime=0),
    )


def _jsonp(rng):
    kind = _mostly(rng, "application/javascript; charset=utf-8", "application/javascript", "text/javascript")
    return _sized(rng, kind, b"%s(%s);" % (name(rng).encode(), _json(rng)))


def _proxy(rng):
    status = rng.choice(("502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"))
    body = _html(rng, status)
    headers = [
        ("Via", f"1.0 {name(rng)} (squid)"),
        ("Content-Type", "text/html"),
        ("Content-Length", len(body)),
    ]
    return "HTTP/1.0", status, [*headers, ("Connection", "close")], body


def _xml(rng):
    items = "".join(f"<item>{sentence(rng)}</item>" for _ in range(rng.randint(1, 9)))
    body = f'<?xml version="1.0" encoding="UTF-8"?><list>{items}</list>'.encode()
    return _sized(rng, _mostly(rng, "application/xml", "text/xml", "application/xml; charset=utf-8"), body)


def _limited(rng):
    body = f"Too many requests. {sentence(rng)}.".encode()
    version, status, headers, body = _sized(
        rng,
        _mostly(rng, "text/plain", "text/plain; charset=utf-8", "application/json"),
        body,
        "429 Too Many Requests",
    )
    return version, status, [*headers, ("Retry-After", rng.randint(1, 60))], body


_ANSWERS = {
    "fine": _fine,
    "login-page": _login,
    "sign-in": _sign_in,
    "empty-body": _empty,
    "no-content": _no_content,
    "gzip-unmarked": _gzip,
    "jsonp": _jsonp,
    "proxy-error": _proxy,
    "xml": _xml,
    "rate-limited": _limited,
}
