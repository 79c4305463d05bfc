"""How long a kernel takes on a CPU: the work of its bodies, the price of its lines by level, and starts."""
