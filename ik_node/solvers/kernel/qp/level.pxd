include "level.pxi"


cdef class Level:
    cdef Memory memory
    cdef readonly int n, first, m, width, count, rank
    cdef matrix A, T, B, L, Q, Y, free
    cdef integers order
    cdef vector e, held, lower, upper, lengths, tau, norms, values, x, y, wanted, moved
    cdef double damping2, free2, inverse2
    cdef bint rotated, spanned
    cdef readonly int active_count, sides, own_sides, former_sides, size
    cdef integers active, skipped, side_rows
    cdef matrix normals, triangle
    cdef vector multipliers, normal, across, along, rates, reach, side_lengths
