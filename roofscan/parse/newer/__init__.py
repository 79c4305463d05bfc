"""Source in a grammar that the running Python does not know: LibCST does. The slow way, taken where it must be."""
