"""The number of integer points of polyhedra: how often the bodies of loops run."""
