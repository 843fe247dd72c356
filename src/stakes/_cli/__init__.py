"""The parts of the ``stakes`` command, one module per command."""
