"""Hypothesis profiles: HYPOTHESIS_PROFILE is "default", "quick" (sanitizers) or "thorough" (by hand)."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("quick", max_examples=15, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A shell lets its background jobs ignore Ctrl-C, and so do they their children; some tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
