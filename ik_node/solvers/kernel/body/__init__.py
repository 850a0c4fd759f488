"""Kernels of the solvers of a body."""
