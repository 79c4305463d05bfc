"""Findings from one run kept on disk for the next: what has not changed is not analyzed again."""
