"""Predicted times against measured ones, on the machine at hand: `python -m benchmarks.hardware`."""
