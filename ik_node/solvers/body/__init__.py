"""Solvers for several tasks at once, on a whole tree."""
