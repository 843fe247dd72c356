"""The lab: studies as data, a runner that can be trusted, tables with the papers' figures next to ours."""

from stakes.lab._sections import ProtocolError
from stakes.lab.forensic import CheapestTree
from stakes.lab.peers import PeerComparison, compare_with_peers
from stakes.lab.plan import Plan, make_plan
from stakes.lab.protocol import load_protocol, papers
from stakes.lab.results import Cell, ResultTable
from stakes.lab.runner import run_plan
from stakes.lab.specs import ColumnSpec, Protocol, TableSpec
from stakes.lab.stochastic import StochasticClassifier
from stakes.lab.store import Outcome, Store, UnitTime
from stakes.lab.study import Reproduction, reproduce
from stakes.lab.tables import build_tables

__all__ = [
    "Cell",
    "CheapestTree",
    "ColumnSpec",
    "Outcome",
    "PeerComparison",
    "Plan",
    "Protocol",
    "ProtocolError",
    "Reproduction",
    "ResultTable",
    "StochasticClassifier",
    "Store",
    "TableSpec",
    "UnitTime",
    "build_tables",
    "compare_with_peers",
    "load_protocol",
    "make_plan",
    "papers",
    "reproduce",
    "run_plan",
]
