"""Loops in one, without the array that passes elements from one to the next."""
