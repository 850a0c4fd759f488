# Not compiled: constants, of C and of Python.
cdef enum:
    REVOLUTE
    PRISMATIC
    SPHERICAL_X
    SPHERICAL_Y
    SPHERICAL_Z
