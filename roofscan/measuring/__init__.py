"""Measures this computer with small Numba kernels. The only room that imports Numba, for the commands that say so."""
