"""Checks, errors, options, bounded files, and arrays of the kernels.

It knows nothing of robots and imports no other package.
"""
