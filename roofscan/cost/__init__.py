"""What a kernel does: operations, executions, dependences, and the traffic between levels of memory."""
