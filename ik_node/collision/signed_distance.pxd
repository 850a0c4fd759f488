include "signed_distance.pxi"


cdef class PairData(Simplex):
    cdef points across
    cdef integers corners, edges
    cdef vector level
    cdef int vertices, faces


@cython.locals(sign=double, axis=int, x=vector3)
cdef vector3 _direction(PairData own, int k) noexcept nogil
