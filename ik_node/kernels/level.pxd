from libc cimport math
from ik_node.kernels cimport cholesky
from ik_node.kernels.arrays cimport Memory, integers, matrix, vector
cimport cython

cdef double RANK, NO_ROW, FLOOR, SINGULAR, ORTHOGONAL
cdef int SWEEPS


cdef class Level:
    cdef Memory memory
    cdef readonly int n, first, m, width, count, rank
    cdef matrix B, L, Q, Y, free
    cdef integers order
    cdef vector lengths, tau, norms, values, x, y, wanted, moved
    cdef double damping2, inverse2
    cdef bint rotated, spanned
    cdef readonly int active_count, sides, own_sides, former_sides, size
    cdef integers active, skipped, side_rows
    cdef matrix normals, triangle
    cdef vector multipliers, normal, across, along, rates, reach, side_lengths

    cdef vector row(self, int count)
    cdef integers indices(self, int count)


cdef void factor(Level own, matrix A, integers one_sided, matrix T, int width,
                 double damping2, double singular) noexcept nogil
cdef void begin(Level own, int width) noexcept nogil
cdef double row_lengths(Level own, matrix A, integers one_sided) noexcept nogil
cdef void measure_sides(Level own, matrix A) noexcept nogil
cdef void triangularise(Level own) noexcept nogil
cdef void reflect(Level own, int i, double length) noexcept nogil
cdef void damped_gram(Level own) noexcept nogil
cdef void unbound(Level own, matrix A, vector e, vector x, matrix T) noexcept nogil
cdef void rotate(Level own, matrix T) noexcept nogil
cdef void span(Level own, matrix T) noexcept nogil
cdef int leave_free(Level own, matrix T) noexcept nogil
cdef double inverse2(Level own) noexcept nogil
@cython.locals(rotated=cython.bint)
cdef int nearly_singular(Level own) noexcept nogil
