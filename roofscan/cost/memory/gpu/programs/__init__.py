"""What the threads of a launch do: accesses and operations in the loops of one thread, and which threads are active."""
