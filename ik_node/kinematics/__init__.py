"""Kernels over flat arrays: frames and Jacobians of a tree, centre of mass, inertia.

No names, no files, no classes with behaviour: these are in `model`.
"""
