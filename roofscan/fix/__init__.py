"""Changes to source that a finding asks for: each finds its nodes by place in a fresh parse, and writes a new file."""
