"""Where a thread is: its place in the grid, the addresses that follow from it, and the conditions that it passes."""
