include "sweep.pxi"


cdef class CyclicCoordinateDescent(Method):
    cdef CcdSettings own
