"""Reads what other tools measured: one module a format. Standard library only."""
