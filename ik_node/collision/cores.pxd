# Not compiled: constants, of C and of Python.
cdef enum:
    POINT
    SEGMENT
    CUBOID
    DRUM
    HULL
    HALF_SPACE
