include "triples.pxi"

cdef double _SINE


cdef class Triple(ClosedFamily):
    cdef int solve_beside(self, ClosedForm work) noexcept nogil
    cdef int solve_triple(self, ClosedForm work, int branch) noexcept nogil


cdef class SphericalTriple(Triple):
    pass


cdef class ParallelTriple(Triple):
    cdef int _solve_planar(self, ClosedForm work) noexcept nogil


cdef class FreePlanarTriple(ParallelTriple):
    pass
