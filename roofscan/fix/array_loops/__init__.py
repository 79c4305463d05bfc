"""Whole-array statements as loops over their elements: in place, in a function of NumPy, and into new results."""
