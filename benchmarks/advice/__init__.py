"""Whether `roofscan fix` keeps its promises: `python -m benchmarks.advice`."""
