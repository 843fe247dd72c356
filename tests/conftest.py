"""Draws that repeat: the same examples and seeds in every run, others where they are asked for.

``HYPOTHESIS_PROFILE`` is "repeatable" (the default), "quick" (sanitizers), "mutate" (``make mutate``: a
failure is not made smaller) or "thorough" (``make check-large``: many examples, drawn anew; a failure that it
finds becomes an ``@example``). ``STAKES_TEST_SEED`` seeds what is drawn without a seed of its own.
"""

from __future__ import annotations

import os
import random
import shutil
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
_ALWAYS = {"deadline": None, "suppress_health_check": _SLOW}

settings.register_profile("repeatable", max_examples=60, derandomize=True, **_ALWAYS)
settings.register_profile("quick", max_examples=15, derandomize=True, **_ALWAYS)
settings.register_profile(
    "mutate", max_examples=60, derandomize=True, phases=[Phase.explicit, Phase.generate], **_ALWAYS
)
settings.register_profile("thorough", max_examples=500, print_blob=True, **_ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

TEST_SEED = int(os.environ.get("STAKES_TEST_SEED", "0"))


@pytest.fixture(autouse=True)
def seeded_draws():
    """A test that draws without a seed draws the same alone and among others."""
    random.seed(TEST_SEED)
    np.random.seed(TEST_SEED)  # noqa: NPY002  what scikit-learn draws from without a seed


# A shell lets its background jobs ignore Ctrl-C, and so do they their children; some tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter):
    """Say how the attacks ended (tests/attack), by class: they are the only tests that count."""
    counts = {}
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for key, value in report.user_properties:
            if key == "attacks":
                name, *ended = value
                counts[name] = [a + b for a, b in zip(counts.get(name, (0, 0, 0)), ended)]
    for name, (answered, refused, failed) in counts.items():
        n = answered + refused + failed
        words = f"{n} tried, {answered} answered, {refused} refused by a sentence, {failed} failed"
        terminalreporter.write_line(f"attacks on {name}: {words}")


FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser(request):
    """A Chromium of the system; without one the tests of a module that need it are left out, and say so."""
    left_out = f"{request.path.name} is not tried in a browser"
    playwright = pytest.importorskip("playwright.sync_api", reason=f"{left_out}: playwright is not installed")
    program = os.environ.get("STAKES_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip(f"{left_out}: chromium is not installed, and STAKES_CHROMIUM does not say where it is")
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0  # then Chromium refuses its sandbox
    with playwright.sync_playwright() as run:
        chromium = run.chromium.launch(
            executable_path=program, args=[*FLAGS, "--no-sandbox"] if as_root else FLAGS
        )
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a page from a file; at the end nothing may have been complained about or asked of the network."""
    complaints, requests, pages = [], [], []

    def open_it(html, **options):
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(**options)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        pages.append(page)
        assert requests.pop() == path.as_uri()
        return page

    yield open_it
    for page in pages:
        page.close()
    assert complaints == [] and requests == []
