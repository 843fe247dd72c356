"""Four programs that fail for many reasons with one message: recorded, learnt from, next to the paper."""

from .page import page
from .reproduce import reproduce_programs

__all__ = ["page", "reproduce_programs"]
