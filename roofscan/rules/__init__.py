"""One finding a file: see :mod:`roofscan.rules.rule`."""
