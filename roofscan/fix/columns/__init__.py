"""Loops that walk down one column after the other, as loops along rows: each scalar of a column gets an element."""
