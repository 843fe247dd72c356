"""Reports: self-contained pages that show what a model costs, a comparison, or a paper next to ours."""

from stakes._base.groups import columns_by
from stakes.report.groups import GroupTable
from stakes.report.page import (
    Report,
    model_report,
    write_comparison_report,
    write_lab_index,
    write_lab_report,
    write_report,
    write_view,
)
from stakes.report.views import ModelView, model_view

__all__ = [
    "GroupTable",
    "ModelView",
    "Report",
    "columns_by",
    "model_report",
    "model_view",
    "write_comparison_report",
    "write_lab_index",
    "write_lab_report",
    "write_report",
    "write_view",
]
