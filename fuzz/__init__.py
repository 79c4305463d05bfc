"""roofscan on inputs that nobody writes: ``python -m fuzz``."""
