"""What roofscan costs and how right it is: ``python -m benchmarks.NAME`` from the root (README.md)."""
