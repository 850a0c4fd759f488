include "cylinder_newton.pxi"

cdef vector3 Z

@cython.locals(p=vector3, u=vector3, v=vector3)
cdef double refine(Convex a, Convex b, transform T_a_b, Simplex own, vector3 n,
                   double most) noexcept nogil
@cython.locals(c=vector3, e=vector3, x=vector3, y=vector3, s=double, t=double)
cdef vector3 lowest(Convex a, Convex b, vector3 z, Simplex own, vector3 n) noexcept nogil
@cython.locals(s=vector3)
cdef vector3 bend(Convex shape, vector3 axis, vector3 n) noexcept nogil
