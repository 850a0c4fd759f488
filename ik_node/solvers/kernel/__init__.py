"""Kernels that the solvers share: residuals, searches, restarts."""
