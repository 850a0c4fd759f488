include "forward.pxi"


cdef class ChainRecord(JointLimits):
    cdef readonly int m
    cdef poses placement
    cdef integers kind, column, shared
    cdef vector ratio
