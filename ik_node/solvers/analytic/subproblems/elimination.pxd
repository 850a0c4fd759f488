include "elimination.pxi"


cdef class EliminationData:
    cdef Memory memory
    cdef bint beside_motion
    cdef columns lines, found
    cdef matrix P, Q, N, fixed, cosine, sine, A
    cdef twelves M, V
    cdef sixteens K
    cdef vector real, imaginary, v, theta
    cdef integers order
