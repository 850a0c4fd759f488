include "hierarchical_qp.pxi"


cdef class Cascade:
    cdef Memory memory
    cdef readonly int n, m, count, used
    cdef objects levels
    cdef integers one_sided
    cdef bint energy
    cdef matrix identity, M
    cdef vector held, start, f

    cpdef run(self, const double[:, :] A, e, lower, upper, double damping, double singular=*,
              M=*, f=*)
