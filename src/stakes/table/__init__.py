"""Tables: typed columns with missing values, from arrays, data frames and files."""

from stakes.table._columns import Column
from stakes.table._dates import days_of
from stakes.table._readers import TableFileError, reads, without_index, write_arff
from stakes.table._suspects import SharedRows, SuspiciousColumn, shared_rows, suspicious_columns
from stakes.table._table import Schema, Table, read_blocks, read_table

__all__ = [
    "Column",
    "Schema",
    "SharedRows",
    "SuspiciousColumn",
    "Table",
    "TableFileError",
    "days_of",
    "read_blocks",
    "read_table",
    "reads",
    "shared_rows",
    "suspicious_columns",
    "without_index",
    "write_arff",
]
