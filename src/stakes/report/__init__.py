"""Reports: one self-contained page that shows the bill of a model."""

from stakes.lab.comparison import Comparison, Interval, LearnerResult, compare
from stakes.report.page import model_report, write_report
from stakes.report.views import ModelView, model_view

__all__ = [
    "Comparison",
    "Interval",
    "LearnerResult",
    "ModelView",
    "compare",
    "model_report",
    "model_view",
    "write_report",
]
