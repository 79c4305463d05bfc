"""What the advice predicts, and what it gains under Numba: ``python -m benchmarks.advice``."""
