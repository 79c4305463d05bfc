"""From counts and bytes to a verdict on a machine, and (`time`) to seconds."""
