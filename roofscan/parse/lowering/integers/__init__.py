"""Integer work of loops, read from their statements."""
