# Not compiled: constants, of C and of Python.
cdef enum:
    CONVERGED
    EXHAUSTED
    STALLED
    BEYOND
    INVALID
    TIMED_OUT
    SINGULAR
    BLOCKED
    REFUSED

cdef enum:
    NONE
    FOUND
    FAR

cdef enum:
    LOOK = 8

cdef enum:
    NEAREST
    FIRST
    MANIPULABILITY
    LIMITS

cdef enum:
    AUTO
    LU
    SVD

cdef enum:
    CONSTANT
    SUGIHARA
    CHAN
    NAKAMURA
    SELECTIVE

cdef enum:
    INWARD
    OUTWARD
    RANKED

cdef enum:
    AROUND = 8
    MOST_PICKED = 16
    SOLUTIONS = 4
