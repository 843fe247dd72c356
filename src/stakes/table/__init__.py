"""Tables: typed columns with missing values, from arrays, data frames and files."""

from stakes.table._columns import Column
from stakes.table._readers import TableFileError, reads, write_arff
from stakes.table._table import Schema, Table, read_blocks, read_table

__all__ = ["Column", "Schema", "Table", "TableFileError", "read_blocks", "read_table", "reads", "write_arff"]
