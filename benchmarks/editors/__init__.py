"""Real editors, set up as docs/editors.md says, against ``roofscan check`` and ``roofscan fix``."""
