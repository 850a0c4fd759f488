from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.support.linear_systems as linear_systems
from ik_node.support.arrays cimport columns, square, vector
from ik_node.solvers.kernel.settings cimport Scratch
cimport cython

cdef double WELL_CONDITIONED, WELL_ABOVE

@cython.locals(solved=cython.bint)
cdef void shortest_step(columns J, int n, vector V, int factorization, double tolerance, Scratch work,
                        vector dq) noexcept nogil
cdef bint damped_step(columns J, int n, vector V, double along, double about, Scratch work,
                      vector dq) noexcept nogil
cdef void gram(columns J, int n, square A) noexcept nogil
cdef double cholesky(square A) noexcept nogil
cdef void cholesky_solve(square L, vector b, vector x) noexcept nogil
cdef double volume(square L) noexcept nogil
cdef void times_transpose(columns J, int n, vector x, vector dq) noexcept nogil
@cython.locals(rotated=cython.bint)
cdef double row_svd(columns J, int n, columns W, square U) noexcept nogil
cdef void truncated_solve(columns J, int n, vector V, double tolerance, columns W, square U,
                          vector dq) noexcept nogil
cdef double row_length(columns W, int n, int row) noexcept nogil
