"""memtui: a terminal app for the memory of coding agents."""

__version__ = "0.1.0"
