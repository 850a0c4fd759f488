include "gjk.pxi"

cdef vector3 ZERO


cdef class Simplex:
    cdef Memory memory
    cdef points A, B, W
    cdef vector at, next
    cdef integers near_a, near_b
    cdef readonly int count
    cdef readonly bint is_far
    cdef double rest
    cdef readonly vector3 normal, on_a, on_b


@cython.locals(v=vector3)
cdef double core_distance(Convex a, Convex b, transform T_a_b, Simplex own, double far,
                          double tolerance) noexcept nogil
@cython.locals(best=vector3, u=double, v=double, w=double)
cdef vector3 of_triangle(vector3 a, vector3 b, vector3 c) noexcept nogil
