"""One kernel through the stages, for every adapter."""
