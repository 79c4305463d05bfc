"""The public face of a report: the same figures, with SymPy expressions in place of roofscan's own."""
