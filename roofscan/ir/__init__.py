"""The kernel tree: loops, conditions, accesses and operations, with expressions of the sizes."""
