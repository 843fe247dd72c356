"""Predictions that ask for one value after another."""

from stakes.tree.ask.acquire import Acquired, Acquisition, Question
from stakes.tree.ask.answers import AskedColumn
from stakes.tree.ask.questionnaire import Questionnaire, read_questionnaire

__all__ = ["Acquired", "Acquisition", "AskedColumn", "Question", "Questionnaire", "read_questionnaire"]
