from libc cimport math
from ik_node.support.arrays cimport pose, vector
cimport cython


@cython.locals(near=cython.bint)
cdef (int, double, double) solve_quadratic(double a, double b, double c,
                                           double slack) noexcept nogil
cdef int solve_quartic(double e4, double e3, double e2, double e1, double e0, double slack,
                       vector roots) noexcept nogil
cdef double _newton_root(double e4, double e3, double e2, double e1, double e0,
                         double x) noexcept nogil
cdef int _solve_cubic(double e3, double e2, double e1, double e0, double size, double slack,
                      vector roots) noexcept nogil
cdef double _largest_cubic_root(double b, double c, double d) noexcept nogil
cdef int solve_conic(double a, double b, double d, double e, double g, double k, double slack,
                     pose rotations) noexcept nogil
