"""What Numba and LLVM make of loops: in vector or scalar code, why, and what each iteration asks of a core."""
