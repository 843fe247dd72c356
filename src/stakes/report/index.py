"""The page that leads to the reports of several protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stakes.report.lab_views import LabView


@dataclass(frozen=True)
class IndexView:
    """Reports of protocols by the name of their file."""

    title: str
    reports: Mapping[str, LabView]
