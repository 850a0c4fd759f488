"""What any package would need: checks, errors, options, bounded files; arrays of the kernels.

It knows nothing of robots and imports no other package.
"""
