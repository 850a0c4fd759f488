"""Kernels: ordinary Python, compiled by Cython when the package is built."""
