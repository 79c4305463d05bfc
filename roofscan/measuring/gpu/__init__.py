"""A machine file of the GPU of this computer, from small kernels."""
