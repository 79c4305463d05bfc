"""LibCST nodes -> ``syntax`` nodes, a method for each kind: statements, expressions, displays, literals."""
