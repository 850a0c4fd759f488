cdef class CcdSettings:
    cdef int order
    cdef double position_weight, orientation_weight


include "joint_optimum.pxi"
