include "joint_optimum.pxi"


cdef class CcdSettings:
    cdef int order
    cdef double position_weight, orientation_weight
