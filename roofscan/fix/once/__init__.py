"""Work that a loop repeats, done once before it."""
