# Not compiled: constants, of C and of Python.
cdef enum:
    MOST_VALUES = 8
    MOST_BRANCHES = 96
    MOST_SOLUTIONS = 128
