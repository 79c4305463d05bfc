"""What the advice promises, and what it brings under Numba: ``python -m benchmarks.advice``."""
