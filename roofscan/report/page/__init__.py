"""The HTML report: one file that needs no network, with a script of its own."""
