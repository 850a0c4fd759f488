from ik_node.support.eigenvalues cimport sixteens
ctypedef double (*twelves)[12]
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


cdef void _double(twelves M, int row, int other, int j, double f, double g,
                  double h) noexcept nogil
cdef double divide_by(twelves M, twelves V) noexcept nogil
cdef double null_vector(twelves M, integers order, vector v) noexcept nogil
