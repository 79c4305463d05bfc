"""Source text into the kernel tree: `reader` makes syntax of it, `inference` finds ranks and types, `lowering` makes
the tree, `passes` rewrite it."""
